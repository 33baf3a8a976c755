/* Every line of the energy ledger beside its closed form: a block is pulled along a floor by a constant force F against
 * friction mu m g and a damper d from rest, so that with k = d / m and w = (F - mu m g) / d
 *
 *   v = w (1 - e^-kt),   x = w (t - (1 - e^-kt) / k),   actuation F x,   contact -mu m g x,
 *   damping -d (integral of v^2) = -d w^2 (t - 2 (1 - e^-kt) / k + (1 - e^-2kt) / (2 k))
 *
 * to the order of the integrator, and for the event-driven one to its tolerance. The sum of all lines is no test of them:
 * what one of them misses would be in the line of integration. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"

static const char *const PULLED =
    "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='0.3 0 0'/></default><worldbody>"
    "<geom type='plane' size='0 0 1'/><body pos='0 0 0.1'><joint name='x' type='slide' axis='1 0 0' damping='0.8'/>"
    "<joint type='slide' axis='0 0 1'/><geom type='box' size='0.1 0.1 0.1' mass='1'/></body></worldbody>"
    "<actuator><motor joint='x'/></actuator></mujoco>";

/* The largest error of a line after a second, J. */
static double error_of_lines(crd_sim_integrator integrator, double h) {
  const double m = 1, d = 0.8, F = 6, rubs = 0.3 * m * 9.81, k = d / m, w = (F - rubs) / d, t = 1;
  const double x = w * (t - (1 - exp(-k * t)) / k);
  const double squares = w * w * (t - 2 * (1 - exp(-k * t)) / k + (1 - exp(-2 * k * t)) / (2 * k));
  crd_sim_options options = event_options(h);
  options.integrator = integrator;
  simulation *s = simulation_from_text(PULLED, &options);
  crd_sim_ctrl(s->sim)[0] = F;
  simulation_run(s, t);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  double worst = fabs(e.actuation - F * x);
  worst = fmax(worst, fabs(e.contact + rubs * x));
  worst = fmax(worst, fabs(e.damping + d * squares));
  worst = fmax(worst, fabs(e.impact) + fabs(e.loop) + fabs(e.imposed));
  worst = fmax(worst, fabs(e.kinetic - 0.5 * m * pow(w * (1 - exp(-k * t)), 2)));
  simulation_free(s);
  return worst;
}

/* A tenth of the step leaves 10^-order of the error, or what is rounding. */
static void check_order(crd_sim_integrator integrator, double order, double most) {
  const double coarse = error_of_lines(integrator, 1e-2), fine = error_of_lines(integrator, 1e-3), rounding = 1e-9;
  print_message("%s: %g J, %g J\n", crd_sim_integrator_name(integrator), coarse, fine);
  assert_true(coarse < most);
  assert_true(fine < fmax(2 * pow(10, -order) * coarse, rounding));
}

static void lines_of_a_step_are_of_its_order(void **state) {
  (void)state;
  check_order(CRD_SIM_RK4, 2, 1e-3);
  check_order(CRD_SIM_MIDPOINT, 2, 1e-3);
  check_order(CRD_SIM_EULER, 1, 1e-1);
  check_order(CRD_SIM_MOREAU, 1, 1e-1);
}

static void lines_of_events_are_exact(void **state) {
  (void)state;
  if (!event_integrator_built()) skip();
  assert_true(error_of_lines(CRD_SIM_EVENT, 1e-2) < 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_a_step_are_of_its_order),
                                     cmocka_unit_test(lines_of_events_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
