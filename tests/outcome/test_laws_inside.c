/* What the sequential law and the simultaneous one (Anitescu-Potra) answer are outcomes of the set-valued model, so
 * they lie in the hull of its samples [Halm & Posa, section 5.4], in every pair of contact velocities. */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/outcome_scene.h"

/* Distance of u_plus from the hull of the samples in two rows of J. */
static double distance(const outcome_scene *scene, const crd_outcome_set *set, int row1, int row2, const double *u) {
  crd_outcome_axis axis[2] = {{.row = row1, .dof = -1}, {.row = row2, .dof = -1}};
  crd_outcome_hull hull = {0};
  crd_arena arena = {0};
  double *point;
  size_t count;
  assert_int_equal(crd_outcome_points(scene->m.problem, set, axis, 2, &arena, &point, NULL, &count), CRD_OK);
  assert_int_equal(crd_outcome_hull_make(point, count, 2, NAN, &hull), CRD_OK);
  double d = crd_outcome_hull_distance(&hull, (double[2]){u[row1], u[row2]});
  crd_outcome_hull_free(&hull);
  crd_arena_free(&arena);
  return d;
}

/* Every answer of the law, in all pairs of rows; returns the number of answers. */
static int check_law(const char *law, const outcome_scene *scene, const crd_outcome_set *set) {
  const crd_contact_problem *problem = scene->m.problem;
  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  options.e = 0;
  crd_status status = crd_impact_resolve(crd_impact_find(law), problem, &options, &result);
  int count = status == CRD_OK ? result.count : 0;
  for (int s = 0; s < count; s++)
    for (int i = 0; i < problem->nrow; i++)
      for (int j = i + 1; j < problem->nrow; j++) {
        double d = distance(scene, set, i, j, result.solution[s].u_plus);
        if (d > 1e-6) print_error("%s, answer %d (%s), rows %d and %d\n", law, s, result.solution[s].label, i, j);
        assert_true(d <= 1e-6);
      }
  crd_impact_result_free(&result);
  return count;
}

static void check(const char *name, int simultaneous, int sequential) {
  outcome_scene scene = outcome_scene_open(name);
  scene.options.pattern = CRD_OUTCOME_MIXED, scene.options.samples = 1 << 13, scene.options.steps = 60;
  crd_outcome_set set = outcome_scene_sample(&scene, &scene.options);
  assert_true(check_law("anitescu-potra", &scene, &set) >= simultaneous);
  assert_true(check_law("sequential", &scene, &set) >= sequential);
  crd_outcome_free(&set);
  outcome_scene_close(&scene);
}

/* The number of answers is that of EXAMPLES.md; the sequential law does not end for the disks. */
static void rocking_block(void **state) { (void)state, check("@rocking-block", 1, 2); }
static void compass_gait(void **state) { (void)state, check("@compass-gait", 3, 1); }
static void box_wall(void **state) { (void)state, check("@box-wall", 1, 1); }
static void ramone(void **state) { (void)state, check("@ramone", 3, 1); }
static void disk_stack(void **state) { (void)state, check("@disk-stack", 1, 0); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rocking_block), cmocka_unit_test(compass_gait), cmocka_unit_test(box_wall),
      cmocka_unit_test(ramone),        cmocka_unit_test(disk_stack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
