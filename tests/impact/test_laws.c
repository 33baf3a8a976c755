/* Claims about all laws at once: those that promise dissipation keep it over random problems; a single frictionless
 * contact is the same under every law; Newton's cradle; the verifier sees what is wrong with an answer. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MAX_VELOCITIES = 12 };

/* A random problem: SPD mass matrix, contacts with random rows, all approaching or resting, some redundant. */
static void random_problem(crd_contact_problem *p, random_stream *stream, int nc, int ntangent) {
  int n = random_int(stream, nc + 1 < 3 ? 3 : nc + 1, MAX_VELOCITIES), rows = nc * (1 + ntangent),
      nb = random_int(stream, 0, 1);
  double B[MAX_VELOCITIES * MAX_VELOCITIES];
  assert_int_equal(crd_problem_resize(p, n, nc, rows, nb, true), CRD_OK);
  random_vector(stream, n * n, B);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      p->M[n * i + j] = 0.3 * (i == j);
      for (int k = 0; k < n; k++) p->M[n * i + j] += B[n * i + k] * B[n * j + k];
    }
  random_vector(stream, (rows + nb) * n, p->J);
  random_vector(stream, n, p->v);
  for (int c = 0; c < nc; c++) {
    int row = c * (1 + ntangent);
    p->contact[c] = (crd_contact){
        .name = "c", .row = row, .ntangent = ntangent, .mu = random_in(stream, 0, 1.2), .body1 = -1, .body2 = -1};
    p->contact[c].mu_static = p->contact[c].mu;
    if (c > 0 && random_int(stream, 0, 4) == 0) /* the same contact twice */
      memcpy(p->J + n * row, p->J, sizeof(double) * (size_t)(n * (1 + ntangent)));
    double un = 0;
    for (int k = 0; k < n; k++) un += p->J[n * row + k] * p->v[k];
    if (un > 0) /* turn the normal so that it approaches */
      for (int k = 0; k < n; k++) p->J[n * row + k] *= -1;
  }
  if (nb) { /* the velocity satisfies the bilateral row */
    const double *b = p->J + n * rows;
    double bb = 0, bv = 0;
    for (int k = 0; k < n; k++) bb += b[k] * b[k], bv += b[k] * p->v[k];
    for (int k = 0; k < n; k++) p->v[k] -= bv / bb * b[k];
  }
  assert_int_equal(crd_problem_complete(p), CRD_OK);
}

static void laws_that_promise_dissipation_keep_it(void **state) {
  (void)state;
  crd_contact_problem *p = crd_problem_new();
  crd_impact_result result = {0};
  long answers = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    int ntangent = random_int(&stream, 0, 2);
    random_problem(p, &stream, random_int(&stream, 1, ntangent == 2 ? 2 : 4), ntangent);
    crd_impact_options options = crd_impact_default();
    options.e = random_int(&stream, 0, 2) / 2.0, options.facets = 4, options.max_solutions = 6;
    for (int i = 0; crd_impact_law_at(i); i++) {
      const crd_impact_law *law = crd_impact_law_at(i);
      crd_status status = crd_impact_resolve(law, p, &options, &result);
      if (!law->dissipative) continue;
      if (status < 0 && status != CRD_ERR_ARGUMENT)
        fail_msg("%s: seed %d: %s", law->name, (int)seed, crd_status_text(status));
      for (int k = 0; k < result.count; k++, answers++) {
        const crd_impact_solution *s = &result.solution[k];
        if (!(s->check.energy_gain <= 1e-12))
          fail_msg("%s gains %g, seed %d", law->name, s->check.energy_gain, (int)seed);
        if (!(s->check.momentum <= 1e-10))
          fail_msg("%s: momentum %g, seed %d", law->name, s->check.momentum, (int)seed);
        if (!(s->check.bilateral <= 1e-9))
          fail_msg("%s: bilateral %g, seed %d", law->name, s->check.bilateral, (int)seed);
      }
    }
  }
  assert_true(answers > 1000);
  crd_impact_result_free(&result);
  crd_problem_free(p);
}

/* One frictionless contact: all laws of restitution agree, p = -(1 + e) u / W; the inelastic ones give e = 0. */
static void a_single_frictionless_contact_is_the_same_under_every_law(void **state) {
  (void)state;
  crd_contact_problem *p = crd_problem_new();
  crd_impact_result result = {0};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    random_problem(p, &stream, 1, 0);
    if (p->nb) continue;
    crd_impact_options options = crd_impact_default();
    options.e = 0.6;
    double plastic = -p->u[0] / p->W[0];
    for (int i = 0; crd_impact_law_at(i); i++) {
      const crd_impact_law *law = crd_impact_law_at(i);
      bool inelastic = strcmp(law->name, "anitescu-potra") == 0 || strcmp(law->name, "sequential") == 0;
      if (crd_impact_resolve(law, p, &options, &result) != CRD_OK)
        fail_msg("%s: %s", law->name, crd_status_text(result.status));
      assert_int_equal(result.count, 1);
      if (fabs(result.solution[0].p[0] - (inelastic ? 1 : 1.6) * plastic) > 1e-10 * plastic)
        fail_msg("%s: %.15g, plastic impulse %.15g", law->name, result.solution[0].p[0], plastic);
      assert_true(result.solution[0].residual < 1e-9);
    }
  }
  crd_impact_result_free(&result);
  crd_problem_free(p);
}

/* N equal balls in a row, the first coming with speed 1. */
static void balls(crd_contact_problem *p, int n, double e) {
  assert_int_equal(crd_problem_resize(p, n, n - 1, n - 1, 0, true), CRD_OK);
  memset(p->J, 0, sizeof(double) * (size_t)((n - 1) * n));
  for (int i = 0; i < n * n; i++) p->M[i] = i % (n + 1) == 0;
  for (int i = 0; i < n; i++) p->v[i] = i == 0;
  for (int c = 0; c < n - 1; c++) {
    p->J[n * c + c] = -1, p->J[n * c + c + 1] = 1;
    p->contact[c] = (crd_contact){.name = "b", .row = c, .e = e, .body1 = -1, .body2 = -1};
  }
  assert_int_equal(crd_problem_complete(p), CRD_OK);
}

/* Momentum is kept by every law; inelastic simultaneous laws end in common motion 1/n; with e = 1 the energy is kept by
 * the laws that know restitution. */
static void newtons_cradle_under_every_law(void **state) {
  (void)state;
  crd_contact_problem *p = crd_problem_new();
  crd_impact_result result = {0};
  for (int n = 3; n <= 5; n += 2)
    for (int e = 0; e <= 1; e++) {
      balls(p, n, e);
      crd_impact_options options = crd_impact_default();
      for (int i = 0; crd_impact_law_at(i); i++) {
        const crd_impact_law *law = crd_impact_law_at(i);
        crd_status status = crd_impact_resolve(law, p, &options, &result);
        if (status == CRD_ERR_ARGUMENT || status == CRD_LIMIT) continue;
        assert_int_equal(status, CRD_OK);
        for (int k = 0; k < result.count; k++) {
          double momentum = 0;
          for (int b = 0; b < n; b++) momentum += result.solution[k].v_plus[b];
          assert_true(fabs(momentum - 1) < 1e-12);
          if (e == 0 && strcmp(law->name, "sequential") != 0)
            for (int b = 0; b < n; b++)
              if (fabs(result.solution[k].v_plus[b] - 1.0 / n) > 1e-9) fail_msg("%s, ball %d", law->name, b);
        }
      }
      if (e == 0) continue;
      const char *elastic[2] = {"projection", "poisson"};
      for (int l = 0; l < 2; l++) {
        assert_int_equal(crd_impact_resolve(crd_impact_find(elastic[l]), p, &options, &result), CRD_OK);
        assert_true(fabs(result.solution[0].kinetic_after - 0.5) < 1e-12);
      }
    }
  crd_impact_result_free(&result);
  crd_problem_free(p);
}

static void the_verifier_sees_what_is_wrong(void **state) {
  (void)state;
  crd_contact_problem *p = crd_problem_new();
  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  balls(p, 2, 0); /* W = 2, u = -1: p = 1/2 stops, p = 1 is elastic */
  crd_impact_solution *s = crd_impact_add(&result, p);
  s->p[0] = -0.5;
  crd_impact_complete(p, &options, s);
  assert_true(s->check.pulls && s->check.penetrates && s->check.gains_energy);
  s->p[0] = 0.25;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && s->check.penetrates && !s->check.gains_energy);
  s->p[0] = 1.5;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && !s->check.penetrates && s->check.gains_energy);
  assert_true(fabs(s->check.energy_gain - 1.5) < 1e-14); /* K: 0.5 -> 0.5 (0.25 + 2.25) = 1.25 */
  assert_true(fabs(s->work[0] - 0.75) < 1e-14);
  s->p[0] = 0.75;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && !s->check.penetrates && !s->check.gains_energy && s->check.momentum < 1e-15);
  crd_impact_result_free(&result);
  crd_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_that_promise_dissipation_keep_it),
      cmocka_unit_test(a_single_frictionless_contact_is_the_same_under_every_law),
      cmocka_unit_test(newtons_cradle_under_every_law),
      cmocka_unit_test(the_verifier_sees_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
