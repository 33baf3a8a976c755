/* Claims: sets of outcomes do not depend on units: the same steps and ratios with velocities, lengths and masses of 1e-9
 * to 1e9; h follows from the problem, so that a light body between heavy ones ends; N follows from the restitution;
 * ratios of energy are not negative, and the largest number of steps is not below the mean. */
#include <cradle/outcome.h>
#include <math.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

/* A body of mass `heavy` falls on one of 1 kg that lies on the ground. */
static crd_contact_problem *stack(double heavy, double speed, double length, double mass, double e) {
  const double M[4] = {mass * heavy, 0, 0, mass}, v[2] = {-speed, 0}, rows[4] = {length, -length, 0, length};
  return make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows, .e = e});
}

static crd_outcome_set sample(const crd_contact_problem *p, bool restitution) {
  crd_outcome_options options = crd_outcome_default();
  crd_outcome_set set = {0};
  options.samples = 500, options.restitution = restitution;
  assert_int_equal(crd_outcome_sample(p, &options, &set), CRD_OK);
  assert_true(set.max_lcps >= (double)set.total_lcps / (double)set.samples);
  assert_true(set.energy_ratio.min >= 0 && set.energy_ratio.max <= 1 + 1e-9);
  return set;
}

/* All of it comes to rest: h is the impulse m v that stops the heavy body through the light one. */
static void a_light_body_between_heavy_ones_ends(void **state) {
  (void)state;
  for (double heavy = 1; heavy <= 1e6; heavy *= 10) {
    crd_contact_problem *p = stack(heavy, 1, 1, 1, 0);
    assert_true(fabs(crd_outcome_default_h(p) / heavy - 1) < 1e-9);
    crd_outcome_set set = sample(p, false);
    assert_int_equal(set.ended[CRD_OUTCOME_DONE], set.samples);
    assert_int_equal(set.at_rest, set.samples);
    crd_outcome_free(&set);
    crd_contact_problem_free(p);
  }
}

static void units_change_nothing(void **state) {
  (void)state;
  uint64_t steps = 0;
  for (double unit = 1; unit < 1e10; unit *= 1e3)
    for (int which = 0; which < 6; which++) {
      double by = which % 2 ? unit : 1 / unit;
      crd_contact_problem *p = stack(3, which < 2 ? by : 1, which / 2 == 1 ? by : 1, which / 2 == 2 ? by : 1, 0);
      crd_outcome_set set = sample(p, false);
      assert_int_equal(set.ended[CRD_OUTCOME_DONE], set.samples);
      if (steps == 0) steps = set.total_lcps;
      assert_int_equal(set.total_lcps, steps);
      crd_outcome_free(&set);
      crd_contact_problem_free(p);
    }
}

static void the_number_of_steps_follows_from_the_restitution(void **state) {
  (void)state;
  for (double e = 0.1; e <= 0.95; e += 0.2) {
    crd_contact_problem *p = stack(3, 1, 1, 1, e);
    assert_int_equal(crd_outcome_default_steps(p, false), 100);
    assert_int_equal(crd_outcome_default_steps(p, true), (int)(100 * (1 + log(1e-13) / log(e * e))));
    crd_outcome_set set = sample(p, true);
    assert_int_equal(set.ended[CRD_OUTCOME_DONE], set.samples);
    crd_outcome_free(&set);
    crd_contact_problem_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_light_body_between_heavy_ones_ends),
      cmocka_unit_test(units_change_nothing),
      cmocka_unit_test(the_number_of_steps_follows_from_the_restitution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
