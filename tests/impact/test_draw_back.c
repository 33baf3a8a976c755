/* An answer that brings energy is drawn back to where it brings none, and stays inside the cones. */
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static void resolve(const char *law, const crd_contact_problem *problem, double e, crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  options.round_cone = true, options.e = e;
  assert_int_equal(crd_impact_resolve(crd_impact_find(law), problem, &options, result), CRD_OK);
  assert_true(result->count > 0);
}

/* p' u + p' W p / 2, written out. */
static double energy_of(const crd_contact_problem *problem, const double *p) {
  int m = problem->nrow + problem->nb;
  double energy = 0;
  for (int i = 0; i < m; i++) {
    energy += p[i] * problem->u[i];
    for (int j = 0; j < m; j++) energy += 0.5 * p[i] * problem->W[m * i + j] * p[j];
  }
  return energy;
}

/* A mass m that strikes with speed w: the energy of the impulse p is p^2 / (2 m) - p w, nothing at p = 2 m w, where it
 * leaves with w. Without restitution p = m w, with e = 2 it is 3 m w: half of the way is left. */
static void more_than_elastic_becomes_elastic(void **state) {
  (void)state;
  double mass[1] = {0.7}, row[1] = {1}, speed[1] = {-1.3};
  problem_def def = {.nv = 1, .nc = 1, .M = mass, .contact = row, .v = speed};
  crd_contact_problem *problem = make_problem(&def);
  crd_impact_options options = crd_impact_default();
  crd_impact_result law = {0};
  double inelastic[1] = {0.7 * 1.3};
  resolve("poisson", problem, 2, &law);
  crd_impact_solution *s = &law.solution[0];
  assert_float_equal(s->p[0], 3 * 0.7 * 1.3, 1e-14);
  assert_true(crd_impact_brings_energy(problem, s));
  assert_float_equal(crd_impact_draw_back(problem, &options, inelastic, s), 0.5, 1e-10);
  assert_float_equal(s->u_plus[0], 1.3, 1e-10);
  assert_float_equal(s->kinetic_after, 0.5 * 0.7 * 1.3 * 1.3, 1e-10);
  assert_true(s->kinetic_after <= s->kinetic_before);
  assert_false(crd_impact_brings_energy(problem, s));
  crd_impact_result_free(&law);
  crd_contact_problem_free(problem);
}

/* Oblique contacts: what sticks in compression may slip back in decompression and gain. */
static bool gains_and_is_drawn_back(uint64_t seed) {
  random_stream stream = {.seed = seed};
  random_problem_options wanted = {.nv = 8, .nc = 1 + (int)(seed % 3), .ntangent = 2};
  crd_contact_problem *problem = random_problem(&stream, wanted);
  for (int c = 0; c < problem->nc; c++) problem->contact[c].mu = problem->contact[c].mu_static = 1;
  crd_impact_options options = crd_impact_default();
  crd_impact_result law = {0}, inelastic = {0};
  resolve("poisson", problem, 0.7, &law);
  crd_impact_solution *s = &law.solution[0];
  bool gains = crd_impact_brings_energy(problem, s);
  if (gains) {
    resolve("poisson", problem, 0, &inelastic);
    assert_true(energy_of(problem, inelastic.solution[0].p) <= 0);
    double share = crd_impact_draw_back(problem, &options, inelastic.solution[0].p, s);
    assert_true(share > 0 && share < 1);
    assert_float_equal(energy_of(problem, s->p), 0, 1e-9 * problem->kinetic); /* no more, and no less */
    assert_true(s->kinetic_after <= s->kinetic_before);
    assert_true(s->check.cone <= 1e-8 && s->check.tension <= 1e-8 && s->check.approach <= 1e-8);
    assert_true(s->check.momentum <= 1e-12);
  }
  crd_impact_result_free(&law), crd_impact_result_free(&inelastic);
  crd_contact_problem_free(problem);
  return gains;
}

static void random_impacts_that_gain_lose_the_gain_and_nothing_else(void **state) {
  (void)state;
  int gaining = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) gaining += gains_and_is_drawn_back(seed);
  assert_true(gaining >= 5); /* or nothing was tested */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(more_than_elastic_becomes_elastic),
      cmocka_unit_test(random_impacts_that_gain_lose_the_gain_and_nothing_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
