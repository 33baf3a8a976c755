#include "support/fit_data.h"

#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { STREAM_STATE = 1, STREAM_NOISE = 2, STREAM_OUTLIER = 3 };
static const double MASS = 0.0364, GYRATION = 0.0192, HALF_HEIGHT = 0.03, HALF_WIDTH = 0.03;

bool is_outlier(const drop_def *def, int row) {
  return crd_random_uniform(def->seed, STREAM_OUTLIER, (uint64_t)row) < def->outliers;
}

static void pose(crd_contact_problem *p, double rx, double height, double inertia, const double v[3]) {
  assert_int_equal(crd_contact_problem_resize(p, 3, 1, 2, 0, true), CRD_OK);
  const double M[9] = {MASS, 0, 0, 0, MASS, 0, 0, 0, inertia}, J[6] = {0, 1, rx, 1, 0, height};
  memcpy(p->M, M, sizeof M), memcpy(p->J, J, sizeof J), memcpy(p->v, v, 3 * sizeof *v);
  p->contact[0] = (crd_contact){.name = "floor", .ntangent = 1};
}

/* One drop: the true problem resolved, the stated one kept. */
static void add_drop(const drop_def *def, int row, crd_contact_problem *p, crd_impact_result *result,
                     crd_fit_data *data) {
  uint64_t at = 8 * (uint64_t)row;
#define DRAW (2 * crd_random_uniform(def->seed, STREAM_STATE, at++) - 1)
  const double inertia = MASS * GYRATION * GYRATION, rx = HALF_WIDTH * DRAW;
  const double height = HALF_HEIGHT * (1 + 0.2 * DRAW), towards = -2.5 + 0.5 * DRAW;
  const double slide = 2 * def->slide * DRAW, spin = 20 * def->slide * DRAW; /* an initializer has no order */
  const double v[3] = {slide, towards, spin};
#undef DRAW
  pose(p, rx, height, inertia, v);
  const bool far = is_outlier(def, row);
  p->contact[0].mu = p->contact[0].mu_static = def->mu, p->contact[0].e = far ? fmax(0, def->e - 0.5) : def->e;
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  const crd_impact_options options = crd_impact_default();
  assert_int_equal(crd_impact_resolve(crd_impact_find(def->law), p, &options, result), CRD_OK);
  double v_plus[3];
  const double speed = sqrt(2 * p->kinetic);
  for (int k = 0; k < 3; k++)
    v_plus[k] =
        result->solution[0].v_plus[k] + def->noise * speed / sqrt(p->M[4 * k]) *
                                            crd_random_normal(def->seed, STREAM_NOISE, 3 * (uint64_t)row + (uint64_t)k);
  pose(p, rx + def->offset, def->turned ? -height : height, inertia * (def->inertia > 0 ? def->inertia : 1), v);
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  assert_int_equal(crd_fit_add(data, p, v_plus, NULL, NULL, (size_t)row + 1), CRD_OK);
}

void make_drops(const drop_def *def, crd_fit_data *data) {
  crd_contact_problem *p = crd_contact_problem_new();
  crd_impact_result result = {0};
  assert_non_null(p);
  *data = (crd_fit_data){0};
  for (int row = 0; row < def->count; row++) add_drop(def, row, p, &result, data);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int fewest_successes(int count, double chance) {
  /* P(X = 0) = (1 - p)^n, P(X = k + 1) = P(X = k) (n - k) / (k + 1) p / (1 - p) */
  double at = pow(1 - chance, count), below = 0;
  int k = 0;
  for (; below + at < 1e-3; k++) below += at, at *= (double)(count - k) / (k + 1) * chance / (1 - chance);
  return k;
}

/* As many as leave the fewest failures: of these P(fewer) < 1 in 1000. */
int most_successes(int count, double chance) { return count - fewest_successes(count, 1 - chance); }
