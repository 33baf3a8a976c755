/* Claims: rows resolved together have the bits of rows resolved alone, whatever the number of threads; a row without a
 * problem is counted and the rest goes on; a ball's rebound is -e u in every row; progress ends a batch. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

enum { ROWS = 100, LAWS = 3, BAD = 41 };

typedef struct kept {
  double v_plus[ROWS][LAWS][3];
  int answers[ROWS][LAWS], stop_after;
} kept;

/* A plate striking a floor; coefficients and velocities follow from the row. Row BAD has none. */
static crd_status make(void *context, size_t row, crd_contact_problem *p) {
  (void)context;
  if (row == BAD) return CRD_ERR_NUMBER;
  uint64_t counter = 0;
#define DRAW (2 * crd_random_uniform(3, (uint32_t)row, counter++) - 1)
  crd_status status = crd_contact_problem_resize(p, 3, 1, 2, 0, true);
  if (status != CRD_OK) return status;
  const double rx = 0.05 * DRAW, M[9] = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 1e-4}, J[6] = {0, 1, rx, 1, 0, 0.03};
  const double slide = DRAW, towards = -2 + DRAW, spin = 20 * DRAW; /* an initializer has no order */
  const double v[3] = {slide, towards, spin};
  memcpy(p->M, M, sizeof M), memcpy(p->J, J, sizeof J), memcpy(p->v, v, sizeof v);
  p->contact[0] = (crd_contact){.name = "c", .ntangent = 1, .mu = 0.3, .mu_static = 0.3, .e = 0.5};
#undef DRAW
  return crd_contact_problem_complete(p);
}

static void keep(void *context, size_t row, int law, const crd_contact_problem *problem,
                 const crd_impact_result *result) {
  kept *k = context;
  (void)problem;
  assert_int_equal(result->status, CRD_OK);
  memcpy(k->v_plus[row][law], result->solution[0].v_plus, sizeof k->v_plus[row][law]);
  k->answers[row][law]++;
}

static bool more(void *context, size_t rows) { return (int)rows < ((kept *)context)->stop_after; }

static crd_impact_batch batch_of(const crd_impact_law *law[LAWS], kept *k, int threads) {
  const char *name[LAWS] = {"routh", "poisson", "moreau"};
  for (int i = 0; i < LAWS; i++) law[i] = crd_impact_find(name[i]);
  return (crd_impact_batch){
      .law = law, .nlaw = LAWS, .threads = threads, .problem = make, .answer = keep, .context = k};
}

static void rows_have_the_bits_of_single_impacts(void **state) {
  (void)state;
  static kept one, two;
  const crd_impact_law *law[LAWS];
  size_t resolved, bad;
  memset(&one, 0, sizeof one), memset(&two, 0, sizeof two);
  crd_impact_batch batch = batch_of(law, &one, 1);
  assert_int_equal(crd_impact_resolve_batch(&batch, 0, ROWS, &resolved, &bad), CRD_OK);
  assert_int_equal(resolved, ROWS - 1);
  assert_int_equal(bad, 1);
  batch = batch_of(law, &two, 2);
  assert_int_equal(crd_impact_resolve_batch(&batch, 0, ROWS, NULL, NULL), CRD_OK);
  assert_memory_equal(&one, &two, sizeof one);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_impact_result result = {0};
  const crd_impact_options options = crd_impact_default();
  for (size_t row = 0; row < ROWS; row++) {
    for (int k = 0; k < LAWS; k++) assert_int_equal(one.answers[row][k], row != BAD);
    if (make(NULL, row, problem) != CRD_OK) continue;
    for (int k = 0; k < LAWS; k++) {
      assert_int_equal(crd_impact_resolve(law[k], problem, &options, &result), CRD_OK);
      assert_memory_equal(result.solution[0].v_plus, one.v_plus[row][k], 3 * sizeof(double));
    }
    /* moreau: one contact without friction, u_n+ = -e u_n- */
    const double after = one.v_plus[row][2][1] + problem->J[2] * one.v_plus[row][2][2];
    assert_true(fabs(after + 0.5 * problem->u[0]) <= 1e-12 * fabs(problem->u[0]));
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

static void progress_ends_a_batch(void **state) {
  (void)state;
  static kept k;
  const crd_impact_law *law[LAWS];
  size_t resolved;
  memset(&k, 0, sizeof k);
  crd_impact_batch batch = batch_of(law, &k, 1);
  k.stop_after = 20, batch.progress = more;
  assert_int_equal(crd_impact_resolve_batch(&batch, 0, ROWS, &resolved, NULL), CRD_STOPPED);
  assert_true(resolved >= 20 && resolved < ROWS - 1);
  batch.nlaw = 0;
  assert_int_equal(crd_impact_resolve_batch(&batch, 0, ROWS, NULL, NULL), CRD_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_the_bits_of_single_impacts),
      cmocka_unit_test(progress_ends_a_batch),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
