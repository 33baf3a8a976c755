/* Claims: a contact whose normal lies in the span of bilateral rows cannot move and gets no impulse; the others are
 * sampled as if it were not there, in all units, and bounds on the steps do not count it. */
#include <cradle/outcome.h>
#include <math.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* A bead of mass m on a rail along x (the bilateral row (0, k)) that also touches the rail from above (contact 1: normal
 * (0, 1), tangent (1, 0), mu = 1) and hits a wall (contact 2: normal (1, 0)). */
static crd_contact_problem *bead(double mass, double k, double speed) {
  const double M[4] = {mass, 0, 0, mass}, v[2] = {-speed, 0};
  const double contact[8] = {0, 1, 1, 0, 1, 0, 0, 1}, bilateral[2] = {0, k};
  return make_problem(&(problem_def){
      .nv = 2, .nc = 2, .ntangent = 1, .nb = 1, .M = M, .v = v, .contact = contact, .bilateral = bilateral, .mu = 1});
}

static void the_wall_stops_the_bead_and_the_rail_does_not_rub(void **state) {
  (void)state;
  for (int k = -9; k <= 9; k += 3) {
    double speed = pow(10, k);
    crd_contact_problem *problem = bead(pow(10, -k), pow(10, k), speed);
    for (int restitution = 0; restitution < 2; restitution++) {
      crd_outcome_options options = crd_outcome_default();
      crd_outcome_set set = {0};
      options.samples = 100, options.restitution = restitution;
      assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
      assert_int_equal(set.ended[CRD_OUTCOME_DONE], 100);
      assert_true(set.total_lcps > 0);
      assert_int_equal(set.at_rest, 100);
      for (int i = 0; i < 200; i++) assert_true(fabs(set.v_plus[i]) <= 1e-9 * speed);
      crd_outcome_free(&set);
    }
    /* |M^-1/2 J' p| of the wall alone with p_n = 1 and friction that the rail takes: 1 / sqrt(m) */
    crd_outcome_termination t = {0};
    assert_int_equal(crd_outcome_bound(problem, 8, 1, 0.01, &t), CRD_OK);
    assert_true(t.pointed && fabs(t.distance * sqrt(pow(10, -k)) - 1) <= 1e-9);
    crd_outcome_termination_free(&t);
    crd_contact_problem_free(problem);
  }
}

static void a_bead_that_only_touches_its_rail_is_not_hit(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, v[2] = {-1, 0}, contact[4] = {0, 1, 1, 0}, bilateral[2] = {0, 3};
  crd_contact_problem *problem = make_problem(&(problem_def){
      .nv = 2, .nc = 1, .ntangent = 1, .nb = 1, .M = M, .v = v, .contact = contact, .bilateral = bilateral, .mu = 1});
  crd_outcome_options options = crd_outcome_default();
  crd_outcome_set set = {0};
  options.samples = 10;
  assert_int_equal(crd_outcome_sample(problem, &options, &set), CRD_OK);
  assert_int_equal(set.total_lcps, 0);
  assert_true(set.v_plus[0] == -1 && set.v_plus[1] == 0);
  crd_outcome_free(&set);
  crd_outcome_termination t = {0};
  assert_int_equal(crd_outcome_bound(problem, 8, 1, 0.01, &t), CRD_OK);
  assert_true(t.pointed && t.c == 0 && t.steps == t.k);
  crd_outcome_termination_free(&t);
  crd_contact_problem_free(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_wall_stops_the_bead_and_the_rail_does_not_rub),
                                     cmocka_unit_test(a_bead_that_only_touches_its_rail_is_not_hit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
