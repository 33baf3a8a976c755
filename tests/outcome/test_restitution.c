/* Outcomes with restitution: Stronge's coefficient at arbitrary rates. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/outcome_scene.h"

static crd_outcome_options elastic_options(uint64_t samples) {
  crd_outcome_options options = crd_outcome_default();
  options.restitution = true, options.samples = samples, options.steps = 5000;
  return options;
}

/* One contact without friction: u+ = -e u-, whatever the steps; with a hinge of inertia it is the same. */
static void one_contact_obeys_newton(void **state) {
  (void)state;
  const double M[4] = {2, 0.3, 0.3, 1}, v[2] = {-1, 0.2}, n[2] = {1, 0.5};
  for (double e = 0; e <= 1; e += 0.25) {
    const problem_def def = {.nv = 2, .nc = 1, .M = M, .v = v, .contact = n, .e = e};
    crd_contact_problem *problem = make_problem(&def);
    crd_outcome_options options = elastic_options(50);
    crd_outcome_set set;
    assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
    assert_int_equal(set.ended[CRD_OUTCOME_DONE], 50);
    assert_float_equal(set.extent[0].min, -e * problem->u[0], 1e-6);
    assert_float_equal(set.extent[0].max, -e * problem->u[0], 1e-6);
    crd_outcome_free(&set);
    crd_contact_problem_free(problem);
  }
}

/* Three equal balls in a row, e = 1: energy and momentum are kept at all rates, so outcomes lie on the ellipse of
 * Brogliato's (52) with its sign corrected (errata C-21); one contact at a time is Newton's cradle, (0, 0, 1). */
static void balls_in_a_row_keep_energy_and_momentum(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {1, 0, 0}, n[6] = {-1, 1, 0, 0, -1, 1};
  const problem_def def = {.nv = 3, .nc = 2, .M = M, .v = v, .contact = n, .e = 1};
  crd_contact_problem *problem = make_problem(&def);
  crd_outcome_options options = elastic_options(500);
  options.pattern = CRD_OUTCOME_MIXED;
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
  bool cradle = false;
  for (uint64_t i = 0; i < set.samples; i++) {
    const double *w = set.v_plus + 3 * i;
    if (set.ending[i] != CRD_OUTCOME_DONE) continue;
    assert_float_equal(w[0] + w[1] + w[2], 1, 1e-10);
    assert_float_equal(w[0] * w[0] + w[1] * w[1] + w[2] * w[2], 1, 1e-9);
    cradle = cradle || (fabs(w[0]) < 1e-6 && fabs(w[1]) < 1e-6 && fabs(w[2] - 1) < 1e-6);
  }
  assert_true(cradle);
  assert_true(set.ended[CRD_OUTCOME_DONE] > 400);
  assert_true(set.extent[0].max - set.extent[0].min > 0.1); /* many outcomes, not one */
  crd_outcome_free(&set);
  crd_contact_problem_free(problem);
}

static void energy_never_rises_with_friction_and_restitution(void **state) {
  (void)state;
  random_stream stream = {.seed = 77};
  for (int i = 0; i < 40; i++) {
    const random_problem_options def = {.nv = 4 + i % 3, .nc = 1 + i % 3, .ntangent = i % 3};
    crd_contact_problem *problem = random_problem(&stream, def);
    for (int c = 0; c < problem->nc; c++)
      problem->contact[c].mu = 0.2 * (i % 5), problem->contact[c].e = 0.25 * (i % 5);
    crd_outcome_options options = elastic_options(30);
    options.facets = 4;
    crd_outcome_set set;
    assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
    assert_int_equal(set.ended[CRD_OUTCOME_UNSOLVED], 0);
    if (set.ended[CRD_OUTCOME_DONE]) assert_true(set.energy_ratio.max <= 1 + 1e-12);
    crd_outcome_free(&set);
    crd_contact_problem_free(problem);
  }
}

/* e = 0 is the inelastic set. */
static void without_restitution_it_is_the_paper_s_set(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@box-wall");
  scene.options.samples = 2000;
  crd_outcome_set plain = outcome_scene_sample(&scene, &scene.options);
  scene.options.restitution = true;
  crd_outcome_set elastic = outcome_scene_sample(&scene, &scene.options);
  for (uint64_t i = 0; i < 3 * plain.samples; i++) assert_float_equal(plain.v_plus[i], elastic.v_plus[i], 1e-9);
  crd_outcome_free(&plain), crd_outcome_free(&elastic);
  scene.m.problem->contact[0].e = 1.5;
  assert_int_equal(crd_outcome_sample(scene.m.problem, &scene.options, &plain), CRD_ERR_ARGUMENT);
  outcome_scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(one_contact_obeys_newton),
                                     cmocka_unit_test(balls_in_a_row_keep_energy_and_momentum),
                                     cmocka_unit_test(energy_never_rises_with_friction_and_restitution),
                                     cmocka_unit_test(without_restitution_it_is_the_paper_s_set)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
