/* Single steps of (75) against cases/setvalued_steps.json, whose coordinates are those of the examples: every v' of the
 * file, and no other, to the accuracy it states. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/outcome_scene.h"

static const char *const CASES = CRADLE_SOURCE_DIR "/../shared/cases/setvalued_steps.json";
static const double TOLERANCE = 1e-9;
enum { MOST = 16 };

static int numbers(const json_t *list, double *out) {
  for (size_t i = 0; i < json_array_size(list); i++) out[i] = json_number_value(json_array_get(list, i));
  return (int)json_array_size(list);
}

static double distance(int n, const double *a, const double *b) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

static json_t *read_cases(void) {
  json_error_t error;
  json_t *cases = json_load_file(CASES, 0, &error);
  if (!cases) {
    print_message("skipped: %s is not there\n", CASES);
    skip();
  }
  return cases;
}

typedef void check_item(crd_outcome_stepper *stepper, const crd_contact_problem *problem, const json_t *item);

/* Calls check for every item of the group ("steps", "trajectories") of every system. */
static void for_items(const char *group, check_item *check) {
  static const char *const SYSTEM[][2] = {
      {"rocking_block", "@rocking-block"}, {"box_wall", "@box-wall"}, {"compass_gait", "@compass-gait"}};
  json_t *cases = read_cases();
  int checked = 0;
  for (int s = 0; s < 3; s++) {
    const json_t *list = json_object_get(json_object_get(cases, group), SYSTEM[s][0]);
    outcome_scene scene = outcome_scene_open(SYSTEM[s][1]);
    crd_outcome_stepper *stepper;
    assert_int_equal(crd_outcome_stepper_new(scene.m.problem, &scene.options, &stepper), CRD_OK);
    for (size_t i = 0; i < json_array_size(list); i++, checked++)
      check(stepper, scene.m.problem, json_array_get(list, i));
    crd_outcome_stepper_free(stepper);
    outcome_scene_close(&scene);
  }
  json_decref(cases);
  assert_true(checked >= 20);
}

static void check_step(crd_outcome_stepper *stepper, const crd_contact_problem *problem, const json_t *step) {
  double v[MOST], bound[MOST], found[MOST * MOST], expected[MOST];
  int nv = problem->nv, count;
  assert_int_equal(numbers(json_object_get(step, "v"), v), nv);
  assert_int_equal(numbers(json_object_get(step, "lambda_max"), bound), problem->nc);
  assert_int_equal(crd_outcome_step_all(stepper, v, bound, found, MOST, &count), CRD_OK);
  const json_t *all = json_object_get(step, "v_next");
  assert_int_equal(count, (int)json_array_size(all));
  for (size_t k = 0; k < json_array_size(all); k++) {
    double nearest = INFINITY;
    numbers(json_array_get(all, k), expected);
    for (int i = 0; i < count; i++) nearest = fmin(nearest, distance(nv, found + nv * i, expected));
    assert_true(nearest <= TOLERANCE);
  }
}

static void every_solution_of_every_step_is_found(void **state) {
  (void)state;
  for_items("steps", check_step);
}

/* A trajectory of the file follows one solution in each step; that one has to be among ours. */
static void check_trajectory(crd_outcome_stepper *stepper, const crd_contact_problem *problem, const json_t *item) {
  double v[MOST], bound[MOST], found[MOST * MOST], expected[MOST];
  const json_t *bounds = json_object_get(item, "lambda_max"), *path = json_object_get(item, "v");
  int nv = problem->nv, count;
  memcpy(v, problem->v, sizeof *v * (size_t)nv);
  for (size_t k = 0; k < json_array_size(bounds); k++) {
    int best = -1;
    numbers(json_array_get(bounds, k), bound);
    assert_int_equal(numbers(json_array_get(path, k), expected), nv);
    assert_int_equal(crd_outcome_step_all(stepper, v, bound, found, MOST, &count), CRD_OK);
    for (int i = 0; i < count; i++)
      if (distance(nv, found + nv * i, expected) <= TOLERANCE) best = i;
    assert_true(best >= 0);
    memcpy(v, found + nv * best, sizeof *v * (size_t)nv);
  }
}

static void trajectories_are_followed(void **state) {
  (void)state;
  for_items("trajectories", check_trajectory);
}

/* Lemma 8: no impulse where nothing approaches, or where no impulse is allowed. */
static void nothing_happens_without_approach_or_bound(void **state) {
  (void)state;
  outcome_scene scene = outcome_scene_open("@box-wall");
  crd_outcome_stepper *stepper;
  assert_int_equal(crd_outcome_stepper_new(scene.m.problem, &scene.options, &stepper), CRD_OK);
  const double away[3] = {-1, 1, 0}, some[2] = {1, 2}, none[2] = {0, 0};
  double next[3 * MOST];
  int count;
  assert_int_equal(crd_outcome_step_all(stepper, away, some, next, MOST, &count), CRD_OK);
  assert_int_equal(count, 1);
  assert_true(distance(3, next, away) <= 1e-12);
  assert_int_equal(crd_outcome_step_all(stepper, scene.m.problem->v, none, next, MOST, &count), CRD_OK);
  assert_int_equal(count, 1);
  assert_true(distance(3, next, scene.m.problem->v) <= 1e-12);
  crd_outcome_stepper_free(stepper);
  outcome_scene_close(&scene);
}

/* A path is the sample of the same number: same end, as many steps. */
static void paths_are_the_samples(void **state) {
  (void)state;
  static const char *const NAME[] = {"@compass-gait", "@box-wall", "@disk-stack"};
  for (int s = 0; s < 3; s++) {
    outcome_scene scene = outcome_scene_open(NAME[s]);
    scene.options.samples = 300;
    crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
    crd_outcome_stepper *stepper;
    assert_int_equal(crd_outcome_stepper_new(scene.m.problem, &scene.options, &stepper), CRD_OK);
    double v[11 * 9], bound[10 * 5];
    int count, nv = set.nv;
    crd_outcome_end end;
    assert_int_equal(crd_outcome_path(stepper, 0, v, bound, scene.options.steps, &count, &end), CRD_ERR_CAPACITY);
    for (uint64_t i = 0; i < set.samples; i++) {
      assert_int_equal(crd_outcome_path(stepper, i, v, bound, 11, &count, &end), CRD_OK);
      assert_int_equal(end, set.ending[i]);
      assert_int_equal(count - 1, set.lcps[i]);
      assert_true(distance(nv, v + nv * (count - 1), set.v_plus + nv * (int)i) <= 1e-13);
    }
    crd_outcome_stepper_free(stepper);
    crd_outcome_free(&set);
    outcome_scene_close(&scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solution_of_every_step_is_found), cmocka_unit_test(trajectories_are_followed),
      cmocka_unit_test(nothing_happens_without_approach_or_bound), cmocka_unit_test(paths_are_the_samples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
