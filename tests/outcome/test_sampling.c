/* What holds for every set of outcomes: it does not depend on who computes it, energy never rises, no outcome
 * approaches; and every option out of its range is refused. */
#include <math.h>
#include <string.h>

#include "outcome/draw.h"
#include "outcome/kernels.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/outcome_scene.h"

static void assert_same_samples(const crd_outcome_set *a, uint64_t from_a, const crd_outcome_set *b, uint64_t from_b,
                                uint64_t count) {
  size_t nv = (size_t)a->nv;
  assert_memory_equal(a->v_plus + nv * from_a, b->v_plus + nv * from_b, sizeof(double) * nv * count);
  assert_memory_equal(a->lcps + from_a, b->lcps + from_b, sizeof *a->lcps * count);
  assert_memory_equal(a->ending + from_a, b->ending + from_b, count);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  static const char *const NAME[] = {"@rocking-block", "@compass-gait", "@disk-stack"};
  for (int i = 0; i < 3; i++) {
    outcome_scene scene = outcome_scene_open(NAME[i]);
    scene.options.samples = 20000;
    crd_outcome_set one = outcome_scene_sample(&scene, &scene.options);
    scene.options.threads = 2;
    crd_outcome_set two = outcome_scene_sample(&scene, &scene.options);
    scene.options.threads = 5;
    crd_outcome_set five = outcome_scene_sample(&scene, &scene.options);
    assert_same_samples(&one, 0, &two, 0, 20000);
    assert_same_samples(&one, 0, &five, 0, 20000);
    assert_memory_equal(one.extent, two.extent, sizeof *one.extent * (size_t)one.nrow);
    assert_memory_equal(&one.energy_ratio, &five.energy_ratio, sizeof one.energy_ratio);
    assert_int_equal(one.ambiguous_lcps, five.ambiguous_lcps);
    assert_int_equal(one.total_lcps, two.total_lcps);
    crd_outcome_free(&one), crd_outcome_free(&two), crd_outcome_free(&five);
    outcome_scene_close(&scene);
  }
}

/* Processes that share the work take ranges of sample numbers. */
static void ranges_of_samples_are_parts_of_the_whole(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@compass-gait");
  scene.options.samples = 9000, scene.options.pattern = CRD_OUTCOME_MIXED;
  crd_outcome_set whole = outcome_scene_sample(&scene, &scene.options);
  scene.options.first = 4321, scene.options.samples = 9000 - 4321;
  crd_outcome_set part = outcome_scene_sample(&scene, &scene.options);
  assert_same_samples(&whole, 4321, &part, 0, 9000 - 4321);
  crd_outcome_free(&whole), crd_outcome_free(&part);
  outcome_scene_close(&scene);
}

/* The vector kernels draw what crd_random_block says. */
static void kernels_draw_the_bounds_of_the_definition(void **state) {
  (void)state;
  double x[7 * 12], expected;
  int active[7] = {0, 1, 2, 3, 5, 4, 6};
  outcome_table table = {.nx = 8, .rank = 3, .nc = 5, .stride = 12};
  outcome_batch batch = {.size = 7, .first = ((uint64_t)1 << 32) - 3, .x = x, .nactive = 7, .active = active};
  outcome_kernels_of_cpu()->draw_uniform(&table, &batch, 0x123456789abcdefu, 17, 0.25);
  for (uint64_t i = 0; i < 7; i++)
    for (uint32_t c = 0; c < 5; c++) {
      const outcome_draw draw = {0x123456789abcdefu, batch.first + i, 17};
      expected = 0.25 * outcome_draw_unit(&draw, c);
      assert_true(expected > 0 && expected < 0.25);
      assert_true(x[12 * i + 3 + c] == expected);
    }
}

/* Energy and approach of every outcome, measured by the velocities themselves. */
static void check_outcomes(const crd_contact_problem *problem, const crd_outcome_options *options) {
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(problem, options, &set), CRD_OK);
  assert_int_equal(set.ended[CRD_OUTCOME_UNSOLVED], 0);
  assert_true(set.energy_ratio.max <= 1 + 1e-12);
  int nv = problem->nv;
  double speed = sqrt(2 * problem->kinetic);
  for (uint64_t i = 0; i < set.samples; i++) {
    if (set.ending[i] != CRD_OUTCOME_DONE) continue;
    const double *v = set.v_plus + (size_t)nv * i;
    double kinetic = 0;
    for (int a = 0; a < nv; a++)
      for (int b = 0; b < nv; b++) kinetic += 0.5 * v[a] * problem->M[nv * a + b] * v[b];
    assert_true(kinetic <= problem->kinetic * (1 + 1e-12));
    for (int c = 0; c < problem->nc; c++) {
      double u = 0;
      for (int a = 0; a < nv; a++) u += problem->J[nv * problem->contact[c].row + a] * v[a];
      assert_true(u >=
                  -options->tolerance * crd_contact_problem_speed(problem, problem->contact[c].row) - 1e-11 * speed);
    }
    for (int row = problem->nrow; row < problem->nrow + problem->nb; row++) {
      double u = 0;
      for (int a = 0; a < nv; a++) u += problem->J[nv * row + a] * v[a];
      assert_true(fabs(u) <= 1e-10 * (1 + speed));
    }
  }
  crd_outcome_free(&set);
}

/* Random mechanisms: frictionless, planar and spatial, redundant rows, bilateral rows, little and much friction. */
static void energy_never_rises_and_nothing_approaches_in_the_end(void **state) {
  (void)state;
  random_stream stream = {.seed = 20261116};
  for (int i = 0; i < 60; i++) {
    random_problem_options def = {.nv = 3 + i % 5, .nc = 1 + i % 3, .ntangent = i % 3, .nb = i % 4 == 3 ? 1 : 0};
    def.redundant = i % 7 == 5;
    crd_contact_problem *problem = random_problem(&stream, def);
    for (int c = 0; c < problem->nc; c++) problem->contact[c].mu = i % 5 == 0 ? 5 : 0.3 * (i % 4);
    crd_outcome_options options = crd_outcome_default();
    options.samples = 200, options.facets = 4, options.steps = 300;
    options.pattern = (crd_outcome_pattern)(i % CRD_OUTCOME_PATTERNS);
    check_outcomes(problem, &options);
    crd_contact_problem_free(problem);
  }
}

static void energy_never_rises_in_the_examples(void **state) {
  (void)state;
  static const char *const NAME[] = {"@rocking-block", "@compass-gait", "@box-wall", "@ramone", "@disk-stack"};
  for (int i = 0; i < 5; i++)
    for (int p = 0; p < CRD_OUTCOME_PATTERNS; p++) {
      outcome_scene scene = outcome_scene_open(NAME[i]);
      scene.options.samples = 1500, scene.options.pattern = (crd_outcome_pattern)p;
      check_outcomes(scene.m.problem, &scene.options);
      outcome_scene_close(&scene);
    }
}

/* A table with few modes, filled on the way, leads to the same outcomes as the list of all where these are unique. */
static void listed_and_found_modes_agree(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@box-wall");
  crd_outcome_set all = outcome_scene_sample(&scene, &scene.options);
  scene.options.max_modes = 0;
  crd_outcome_set found = outcome_scene_sample(&scene, &scene.options);
  assert_true(all.ambiguity_known && !found.ambiguity_known);
  assert_int_equal(all.total_lcps, found.total_lcps);
  for (uint64_t i = 0; i < all.samples * 3; i++) assert_float_equal(all.v_plus[i], found.v_plus[i], 1e-9);
  crd_outcome_free(&found);
  scene.options.selection = CRD_OUTCOME_ALL_RANDOM, scene.options.samples = 50; /* every step searched through */
  found = outcome_scene_sample(&scene, &scene.options);
  for (uint64_t i = 0; i < 50 * 3; i++) assert_float_equal(all.v_plus[i], found.v_plus[i], 1e-9);
  crd_outcome_free(&all), crd_outcome_free(&found);
  outcome_scene_close(&scene);
}

static bool stop_after_two(void *context, uint64_t done) {
  (void)done;
  return ++*(int *)context < 2;
}

static void an_interrupted_set_says_so(void **state) {
  (void)state;
  int calls = 0;
  outcome_scene scene = outcome_scene_open("@rocking-block");
  scene.options.samples = 100000, scene.options.progress = stop_after_two, scene.options.context = &calls;
  crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
  assert_int_equal(set.claim, CRD_OUTCOME_TRUNCATED);
  assert_int_equal(calls, 2);
  uint64_t missing = 0;
  for (uint64_t i = 0; i < set.samples; i++) missing += set.ending[i] == CRD_OUTCOME_MISSING;
  assert_true(missing > 0 && missing < set.samples);
  assert_int_equal(missing, set.ended[CRD_OUTCOME_MISSING]);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);
}

/* As the step shrinks, a fixed number of uniform samples covers less of the set, one contact at a time all of it. */
static void corners_reach_what_uniform_rates_do_not(void **state) {
  (void)state;
  const double limit = 0.21 * 0.442944691807;
  outcome_scene scene = outcome_scene_open("@rocking-block");
  scene.options.samples = 2000, scene.options.steps = 2000, scene.options.h = 0.005;
  int a = outcome_scene_row(&scene, "A");
  crd_outcome_set uniform = outcome_scene_sample(&scene, &scene.options);
  scene.options.h = 0.3, scene.options.pattern = CRD_OUTCOME_CORNERS;
  crd_outcome_set corners = outcome_scene_sample(&scene, &scene.options);
  assert_true(uniform.extent[a].max < 0.6 * limit);
  assert_float_equal(corners.extent[a].max, limit, 1e-9);
  crd_outcome_free(&uniform), crd_outcome_free(&corners);
  outcome_scene_close(&scene);
}

static void bad_options_are_refused(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@rocking-block");
  const crd_outcome_options good = scene.options;
  crd_outcome_options bad[12];
  for (int i = 0; i < 12; i++) bad[i] = good;
  bad[0].h = -1, bad[1].h = NAN, bad[2].steps = -1, bad[3].samples = 0, bad[4].facets = 5, bad[5].facets = 2;
  bad[6].pattern = CRD_OUTCOME_PATTERNS, bad[7].selection = CRD_OUTCOME_SELECTIONS, bad[8].tolerance = -1;
  bad[9].tolerance = NAN, bad[10].threads = -1, bad[11].max_modes = -1;
  crd_outcome_set set;
  for (int i = 0; i < 12; i++) {
    assert_int_equal(crd_outcome_sample(scene.m.problem, &bad[i], &set), CRD_ERR_ARGUMENT);
    assert_null(set.v_plus);
  }
  scene.m.problem->contact[0].mu = -1;
  assert_int_equal(crd_outcome_sample(scene.m.problem, &good, &set), CRD_ERR_ARGUMENT);
  scene.m.problem->contact[0].mu = INFINITY;
  assert_int_equal(crd_outcome_sample(scene.m.problem, &good, &set), CRD_ERR_NUMBER);
  scene.m.problem->contact[0].mu = 1, scene.m.problem->u_free[0] = NAN;
  assert_int_equal(crd_outcome_sample(scene.m.problem, &good, &set), CRD_ERR_NUMBER);
  outcome_scene_close(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_change_a_bit),
                                     cmocka_unit_test(ranges_of_samples_are_parts_of_the_whole),
                                     cmocka_unit_test(kernels_draw_the_bounds_of_the_definition),
                                     cmocka_unit_test(energy_never_rises_and_nothing_approaches_in_the_end),
                                     cmocka_unit_test(energy_never_rises_in_the_examples),
                                     cmocka_unit_test(listed_and_found_modes_agree),
                                     cmocka_unit_test(an_interrupted_set_says_so),
                                     cmocka_unit_test(corners_reach_what_uniform_rates_do_not),
                                     cmocka_unit_test(bad_options_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
