/* Persistent contact against closed forms: rest, sliding, rolling, rocking. */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double G = 9.81;

/* A box of 0.4 x 0.3 x 0.2 m on a plane, gravity turned by the slope, moving with (vx, vy). */
static simulation *brick(double slope, double mu, double vx, double vy, double h) {
  char text[900];
  snprintf(text, sizeof text,
           "box_on_floor: option.gravity=%.17g 0 %.17g; option.timestep=%g; floor.friction=%g 0 0; box.size=0.2 0.15 "
           "0.1; box.mass=2; box.friction=%g 0 0; key.qvel=%.17g %.17g 0 0 0 0",
           G * sin(slope), -G * cos(slope), h, mu, mu, vx, vy);
  return simulation_from_text(text, NULL);
}

static void brick_below_the_friction_angle_stays_where_it_is(void **state) {
  (void)state;
  simulation *s = brick(0.45, 0.5, 0, 0, 0.05); /* tan 0.45 = 0.483 */
  simulation_run(s, 1000);
  const double *q = crd_sim_qpos(s->sim);
  assert_true(fabs(q[0]) <= 1e-12 && fabs(q[1]) <= 1e-12);
  assert_true(crd_sim_counters_now(s->sim).penetration_max <= 1e-6 * 0.1);
  simulation_free(s);
}

static void brick_above_the_friction_angle_accelerates_as_coulomb_says(void **state) {
  (void)state;
  double slope = 0.6, mu = 0.5, a = G * (sin(slope) - mu * cos(slope));
  simulation *s = brick(slope, mu, 0, 0, 1e-3);
  simulation_run(s, 1);
  assert_true(fabs(crd_sim_qvel(s->sim)[0] - a) <= 1e-9);
  assert_true(fabs(crd_sim_qpos(s->sim)[0] - a / 2) <= 1e-9);
  simulation_free(s);
}

static void sliding_brick_stops_after_v2_over_2_mu_g_in_any_direction(void **state) {
  (void)state;
  for (int k = 0; k < 7; k++) {
    double angle = 0.37 * k, v = 1.3, mu = 0.3, way = v * v / (2 * mu * G), h = 1e-3;
    simulation *s = brick(0, mu, v * cos(angle), v * sin(angle), h);
    simulation_run(s, 1);
    const double *q = crd_sim_qpos(s->sim);
    /* the last step averages over the stop: its way is wrong by at most mu g h^2 / 8 */
    assert_true(fabs(q[0] - way * cos(angle)) <= mu * G * h * h);
    assert_true(fabs(q[1] - way * sin(angle)) <= mu * G * h * h);
    assert_true(fabs(crd_sim_qvel(s->sim)[0]) + fabs(crd_sim_qvel(s->sim)[1]) == 0);
    crd_sim_energy energy = crd_sim_energy_now(s->sim);
    /* all of it went into friction */
    assert_true(fabs(energy.contact + 0.5 * 2 * v * v) <= 1e-9);
    assert_true(energy.gain_max <= 1e-12);
    simulation_free(s);
  }
}

static void sliding_sphere_rolls_with_five_sevenths_of_its_speed(void **state) {
  (void)state;
  double v = 1.4, mu = 0.3, slide = 2 * v / (7 * mu * G), h = 1e-3;
  simulation *s = simulation_from_text(
      "ball_on_floor: option.timestep=0.001; floor.friction=0.3 0 0; ball.mass=2; ball.friction=0.3 0 0; key.qvel=1.4 "
      "0 0 0 0 0",
      NULL);
  simulation_run(s, 1);
  const double *u = crd_sim_qvel(s->sim);
  assert_true(fabs(u[0] - v * 5 / 7) <= 1e-6);
  assert_true(fabs(u[4] - v * 5 / 7 / 0.1) <= 1e-5);
  const crd_sim_event *stick = simulation_event(s, CRD_EVENT_STICK, 0);
  assert_true(fabs(stick->t - slide) <= h);
  /* 12/49 v^2 / (mu g) while it slides, then 5/7 v */
  double way = 12.0 / 49 * v * v / (mu * G) + v * 5 / 7 * (1 - slide);
  assert_true(fabs(crd_sim_qpos(s->sim)[0] - way) <= 1e-5);
  simulation_free(s);
}

/* EXAMPLES: each impact multiplies the rate by 0.7; accumulation at 2.67142139837 */
static void rocking_block_comes_to_rest_at_the_accumulation_point(void **state) {
  (void)state;
  const double expected[] = {0.987327807316, 1.53126984641, 1.8845703372, 2.12422174284, 2.28957526491, 2.40453215564};
  for (int k = 0; k < 2; k++) {
    double h = k ? 2.5e-4 : 1e-3;
    crd_sim_options options = crd_sim_default();
    options.timestep = h;
    simulation *s = simulation_from_example("@rocking-block-zeno", &options);
    simulation_run(s, 2.8);
    for (int i = 0; i < 6; i++) {
      const crd_sim_event *impact = simulation_event(s, CRD_EVENT_IMPACT, i);
      assert_true(fabs(impact->t - expected[i]) <= 4 * h);
      assert_true(fabs(impact->approach / simulation_event(s, CRD_EVENT_IMPACT, 0)->approach - pow(0.7, i)) <= 2 * h);
    }
    const double *v = crd_sim_qvel(s->sim);
    assert_true(fabs(v[0]) + fabs(v[1]) + fabs(v[2]) == 0);
    simulation_free(s);
  }
}

/* tan(angle) = 2, mu = 1.5: W_nn = 8/5, W_nt = 6/5, W_tt = 17/5, W_nn - mu W_nt = -1/5: no force holds the tip while it
 * slides with 1 m/s. An impulse stops and holds it, p = W^-1 (0, 1) = (0.3, 0.4), which loses 0.2 J. A step is one
 * problem of impulses and passes on just that, with an error of the first order. */
static double rod_loss(double h) {
  crd_sim_options options = crd_sim_default();
  options.timestep = h;
  simulation *s = simulation_from_example("@painleve-rod", &options);
  assert_int_equal(crd_sim_step(s->sim), CRD_OK);
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contact[0].mode, CRD_MODE_STICK);
  assert_true(fabs(contact[0].impulse_n - 0.3) <= 20 * h);
  double last = crd_sim_energy_now(s->sim).start;
  for (int i = 0; i < 8; i++) {
    simulation_run(s, 0.1 * (i + 1));
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(e.kinetic + e.potential <= last + 1e-5); /* the integrator is of second order while it turns */
    last = e.kinetic + e.potential;
  }
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_int_equal(crd_sim_counters_now(s->sim).failed_solves, 0);
  assert_true(e.gain_max <= 1e-12 && crd_sim_counters_now(s->sim).penetration_max <= 1e-6);
  simulation_free(s);
  return e.contact + e.impact;
}

static void painleve_rod_passes_its_paradox(void **state) {
  (void)state;
  double coarse = rod_loss(2e-3) + 0.2, fine = rod_loss(1e-3) + 0.2;
  assert_true(fabs(coarse) <= 5e-3);
  assert_true(fabs(fine) <= 0.6 * fabs(coarse));
}

/* A pendulum on a slide falls up against a ceiling and its bob goes on along it, which bends the way of the bob away
 * from the circle it would follow. Without friction the force is across the motion from the first instant on: all that
 * the contact takes is taken by the impact. */
static void frictionless_contact_does_no_work_in_the_step_of_its_impact(void **state) {
  (void)state;
  simulation *s = simulation_from_text("pendulum_under_ceiling", NULL);
  simulation_run(s, 0.15);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  int touching;
  crd_sim_contacts(s->sim, &touching);
  assert_int_equal(touching, 1);
  assert_true(simulation_count(s, CRD_EVENT_IMPACT) == 1 && energy.impact < -0.01);
  assert_true(fabs(energy.contact) <= 1e-12);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(brick_below_the_friction_angle_stays_where_it_is),
      cmocka_unit_test(brick_above_the_friction_angle_accelerates_as_coulomb_says),
      cmocka_unit_test(sliding_brick_stops_after_v2_over_2_mu_g_in_any_direction),
      cmocka_unit_test(sliding_sphere_rolls_with_five_sevenths_of_its_speed),
      cmocka_unit_test(rocking_block_comes_to_rest_at_the_accumulation_point),
      cmocka_unit_test(painleve_rod_passes_its_paradox),
      cmocka_unit_test(frictionless_contact_does_no_work_in_the_step_of_its_impact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
