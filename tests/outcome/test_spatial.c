/* Spatial contacts: a box on its face and a quadruped on four feet, from MJCF; facets that grow into a circle. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/outcome_scene.h"

static mechanism open_model(const char *file) {
  crd_model *model;
  crd_error err = {0};
  char path[512];
  snprintf(path, sizeof path, "%s/models/%s", CRADLE_SOURCE_DIR, file);
  if (crd_io_read_model(path, NULL, &model, NULL, &err) != CRD_OK) fail_msg("%s", err.text);
  return mechanism_from_model(model);
}

/* Every outcome keeps its promises: all ended, no energy gained, nothing approaches. */
static void check_set(const crd_outcome_set *set, const crd_contact_problem *problem) {
  assert_int_equal(set->ended[CRD_OUTCOME_DONE], set->samples);
  assert_true(set->energy_ratio.max <= 1 + 1e-12);
  for (int c = 0; c < problem->nc; c++)
    assert_true(set->extent[problem->contact[c].row].min >= -crd_outcome_rest_speed(problem, &set->options));
}

/* Dropped flat and straight, the box can rest: equal rates at its corners stop it, and Anitescu and Potra's law does;
 * one corner alone cannot, so others tilt. The four corners are equivalent, so their extents agree within sampling. */
static void a_box_on_its_face_rests_or_tilts(void **state) {
  (void)state;
  mechanism m = open_model("box_drop.xml");
  const double straight[6] = {0, 0, -1, 0, 0, 0};
  memcpy(m.qvel, straight, sizeof straight);
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 4);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 3000, options.facets = 4, options.pattern = CRD_OUTCOME_SWITCHED;
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(m.problem, &options, &set), CRD_OK);
  check_set(&set, m.problem);
  assert_true(set.at_rest > 0 && set.at_rest < set.samples);
  double least = INFINITY, most = 0;
  for (int c = 0; c < 4; c++) {
    double reach = set.extent[m.problem->contact[c].row].max;
    least = fmin(least, reach), most = fmax(most, reach);
  }
  assert_true(most > 0.05 && least > 0.7 * most);
  crd_outcome_free(&set);
  mechanism_free(&m);
}

static void a_quadruped_lands_on_four_feet(void **state) {
  (void)state;
  mechanism m = open_model("quadruped.xml");
  crd_contact_options near = crd_contact_default();
  near.distance = 0.2;
  mechanism_assemble(&m, &near);
  double gap = INFINITY;
  for (int c = 0; c < m.problem->nc; c++) gap = fmin(gap, m.problem->contact[c].gap);
  assert_true(isfinite(gap));
  m.qpos[2] -= gap;
  memset(m.qvel, 0, sizeof *m.qvel * (size_t)m.model->nv);
  m.qvel[2] = -1, m.qvel[0] = 0.3;
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 4);
  crd_outcome_options options = crd_outcome_default();
  options.samples = 300, options.facets = 4;
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(m.problem, &options, &set), CRD_OK);
  check_set(&set, m.problem);
  for (int c = 0; c < 4; c++) assert_true(set.extent[m.problem->contact[c].row].max > 1e-3);
  crd_outcome_free(&set);
  mechanism_free(&m);
}

/* A point mass strikes the floor at an angle and slips all the way: p_n = 1, and friction takes mu from its tangential
 * speed of 1 in the direction of its motion, whatever that is. With K facets the direction is wrong by at most pi / K
 * and the magnitude by 1 - cos(pi / K), so the end is within mu (pi / K) of the circle's. */
static double error_of_direction(double angle, int facets) {
  const double mu = 0.3, M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  crd_contact_problem *problem = crd_contact_problem_new();
  assert_int_equal(crd_contact_problem_resize(problem, 3, 1, 3, 0, true), CRD_OK);
  const double J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, v[3] = {cos(angle), sin(angle), -1};
  memcpy(problem->M, M, sizeof M), memcpy(problem->J, J, sizeof J), memcpy(problem->v, v, sizeof v);
  problem->contact[0] = (crd_contact){.name = "A", .ntangent = 2, .mu = mu, .mu_static = mu, .body1 = -1, .body2 = -1};
  assert_int_equal(crd_contact_problem_complete(problem), CRD_OK);
  crd_outcome_options options = crd_outcome_default();
  options.facets = facets, options.samples = 64, options.h = 0.1;
  crd_outcome_set set;
  assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
  assert_int_equal(set.ended[CRD_OUTCOME_DONE], 64);
  double worst = 0;
  for (int i = 0; i < 64; i++)
    worst =
        fmax(worst, hypot(set.v_plus[3 * i] - (1 - mu) * cos(angle), set.v_plus[3 * i + 1] - (1 - mu) * sin(angle)));
  crd_outcome_free(&set);
  crd_contact_problem_free(problem);
  return worst;
}

static void directions_become_equal_as_facets_grow(void **state) {
  (void)state;
  double first = 0, worst = 0;
  for (int facets = 4; facets <= 64; facets *= 2) {
    worst = 0;
    for (int i = 0; i < 16; i++) worst = fmax(worst, error_of_direction(0.37 * i, facets));
    assert_true(worst <= 0.3 * 3.2 / facets);
    if (facets == 4) first = worst;
  }
  assert_true(worst < first / 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_on_its_face_rests_or_tilts),
                                     cmocka_unit_test(a_quadruped_lands_on_four_feet),
                                     cmocka_unit_test(directions_become_equal_as_facets_grow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
