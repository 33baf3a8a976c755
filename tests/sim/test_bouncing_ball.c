/* A ball that falls from rest, in closed form: with the drop d it lands after T = sqrt(2 d / g) with V = g T, leaves
 * with e V, and lands again after 2 e T, 2 e^2 T, ... */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double G = 9.81, DROP = 0.9;

static simulation *ball(double e, crd_sim_integrator integrator, double h) {
  char text[600];
  snprintf(text, sizeof text, "bouncing_ball: option.timestep=%g; numeric.data=%g", h, e);
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(text, &options);
}

static double landing(double e, int n) {
  double T = sqrt(2 * DROP / G), t = T, power = e;
  for (int i = 0; i < n; i++, power *= e) t += 2 * power * T;
  return t;
}

static void check_bounces(double e, crd_sim_integrator integrator, double h, int bounces, double tolerance) {
  simulation *s = ball(e, integrator, h);
  simulation_run(s, landing(e, bounces) + 1e-3);
  double T = sqrt(2 * DROP / G);
  for (int n = 0; n < bounces; n++) {
    const crd_sim_event *event = simulation_event(s, CRD_EVENT_IMPACT, n);
    assert_true(fabs(event->t - landing(e, n)) <= tolerance);
    assert_true(fabs(event->approach - G * T * pow(e, n)) <= 10 * tolerance);
    assert_true(fabs(event->impulse - 2 * (1 + e) * G * T * pow(e, n)) <= 100 * tolerance);
  }
  simulation_free(s);
}

static void rk4_lands_at_the_closed_form_times(void **state) {
  (void)state;
  const double e[] = {0.5, 0.9, 1};
  for (int i = 0; i < 3; i++) {
    check_bounces(e[i], CRD_SIM_RK4, 1e-3, 6, 1e-9);
    check_bounces(e[i], CRD_SIM_RK4, 0.0137, 4, 1e-9);
  }
}

static void midpoint_lands_at_the_closed_form_times(void **state) {
  (void)state;
  check_bounces(0.9, CRD_SIM_MIDPOINT, 1e-3, 6, 1e-9);
}

static void euler_lands_to_first_order(void **state) {
  (void)state;
  check_bounces(0.5, CRD_SIM_EULER, 1e-3, 4, 1e-2);
  check_bounces(0.5, CRD_SIM_EULER, 1e-4, 4, 1e-3);
}

static void elastic_ball_keeps_its_energy_over_1000_bounces(void **state) {
  (void)state;
  simulation *s = ball(1, CRD_SIM_RK4, 0.01);
  double T = sqrt(2 * DROP / G);
  simulation_run(s, 2000 * T);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_int_equal(crd_sim_counters_now(s->sim).impacts, 1000);
  assert_true(fabs(energy.kinetic + energy.potential - energy.start) <= 1e-9 * energy.start);
  assert_true(energy.gain_max <= 1e-9 * energy.start);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rk4_lands_at_the_closed_form_times),
      cmocka_unit_test(midpoint_lands_at_the_closed_form_times),
      cmocka_unit_test(euler_lands_to_first_order),
      cmocka_unit_test(elastic_ball_keeps_its_energy_over_1000_bounces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
