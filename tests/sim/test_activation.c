/* Claim: activations are part of the state. Their motion is that of the closed forms (filter, integrator, muscle),
 * exact for a filter under constant control however long the step; the order of each scheme is kept where control
 * varies; they are saved, restored and clamped, drive forces whose work is in the ledger, and wake what rests. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU,
                                                 CRD_SIM_EVENT};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static void constant_control(void *context, double t, const double *q, const double *v, double *ctrl, double *tau) {
  (void)t, (void)q, (void)v, (void)tau;
  ctrl[0] = *(const double *)context;
}

static void sine_control(void *context, double t, const double *q, const double *v, double *ctrl, double *tau) {
  (void)context, (void)q, (void)v, (void)tau;
  ctrl[0] = sin(t);
}

static simulation *start(const char *text, crd_sim_integrator integrator, double timestep, crd_sim_control control,
                         void *context) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  options.timestep = timestep;
  options.control = control;
  options.control_context = context;
  return simulation_from_text(text, &options);
}

#define SLIDER(damping, actuator)                                                                                 \
  "<mujoco><option gravity='0 0 0'/><worldbody><body><joint name='j' type='slide' axis='1 0 0' damping='" damping \
  "'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody><actuator>" actuator                 \
  "</actuator></mujoco>"

/* a = u (1 - exp(-t / T)); the force a on 1 kg gives v = u (t - T a / u). Steps of two time constants. */
static void a_filter_responds_exactly(void **state) {
  (void)state;
  double u = 0.7, T = 0.05, t = 1;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SLIDER("0", "<general joint='j' dyntype='filterexact' dynprm='0.05'/>"), integrators[i], 0.1,
                          constant_control, &u);
    simulation_run(s, t);
    const double a = u * (1 - exp(-t / T)), close = integrators[i] == CRD_SIM_EVENT ? 1e-7 : 1e-14;
    assert_true(fabs(crd_sim_act(s->sim)[0] - a) <= close);
    simulation_free(s);
  }
}

/* (2 ln(1 / (1 - a)) - 1.5 a) T = t while a muscle rises to 1 from 0. */
static void a_muscle_rises_by_its_two_time_constants(void **state) {
  (void)state;
  double u = 1;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SLIDER("0", "<muscle joint='j' lengthrange='-1 1' force='1'/>"), integrators[i], 1e-4,
                          constant_control, &u);
    simulation_run(s, 0.02);
    const double a = crd_sim_act(s->sim)[0], t = 0.01 * (-2 * log(1 - a) - 1.5 * a);
    const bool first = integrators[i] == CRD_SIM_EULER || integrators[i] == CRD_SIM_MOREAU;
    assert_true(fabs(t - 0.02) <= (first ? 2e-4 : integrators[i] == CRD_SIM_MIDPOINT ? 1e-6 : 2e-9));
    simulation_free(s);
  }
}

/* T a' = sin t - a from 0: a = (sin t - T cos t + T exp(-t / T)) / (1 + T^2); v' = a from 3 m/s. */
static double error_of(crd_sim_integrator integrator, const char *damping, double h, double *velocity) {
  const double T = 0.4, t = 1.6, n = 1 + T * T;
  char text[600];
  snprintf(text, sizeof text, "filtered_slider: j.damping=%s", damping);
  simulation *s = start(text, integrator, h, sine_control, NULL);
  simulation_run(s, t);
  const double a = (sin(t) - T * cos(t) + T * exp(-t / T)) / n;
  const double v = 3 + (1 - cos(t) - T * sin(t) + T * T * (1 - exp(-t / T))) / n;
  const double error = fmax(fabs(crd_sim_act(s->sim)[0] - a), *velocity == 0 ? fabs(crd_sim_qvel(s->sim)[0] - v) : 0);
  *velocity = crd_sim_qvel(s->sim)[0];
  /* the works account for the energy as exactly as the velocity is known: what is missing is at most m v dv */
  const double missing = fabs(crd_sim_energy_now(s->sim).integration), dv = fabs(crd_sim_qvel(s->sim)[0] - v);
  if (strcmp(damping, "0") == 0) assert_true(missing <= v * dv + 1e-13);
  simulation_free(s);
  return error;
}

static void the_order_of_each_scheme_is_kept(void **state) {
  (void)state;
  const struct {
    crd_sim_integrator integrator;
    double order;
  } scheme[] = {{CRD_SIM_RK4, 4}, {CRD_SIM_EULER, 1}, {CRD_SIM_MIDPOINT, 2}, {CRD_SIM_MOREAU, 1}};
  for (size_t i = 0; i < sizeof scheme / sizeof *scheme; i++) {
    double v = 0, coarse = error_of(scheme[i].integrator, "0", 0.04, &v);
    v = 0;
    double fine = error_of(scheme[i].integrator, "0", 0.02, &v), order = log2(coarse / fine);
    if (!(fabs(order - scheme[i].order) < 0.25))
      fail_msg("integrator %d: order %g, %g %g", (int)scheme[i].integrator, order, coarse, fine);
  }
}

/* A damper of 100 / s makes steps of 0.1 s linearly implicit (src/sim/stiff_motion.c), of order three. */
static void stiff_motions_keep_their_order(void **state) {
  (void)state;
  double exact = 1, coarse = 1, fine = 1, act_coarse, act_fine;
  error_of(CRD_SIM_RK4, "100", 1e-3, &exact);
  act_coarse = error_of(CRD_SIM_RK4, "100", 0.1, &coarse), act_fine = error_of(CRD_SIM_RK4, "100", 0.05, &fine);
  assert_true(log2(act_coarse / act_fine) > 2.75);
  assert_true(fabs(coarse - exact) <= 2e-4 && fabs(fine - exact) <= fabs(coarse - exact));
}

/* An integrator at 2 / s reaches the end of its range, 0.5, at t = 0.25 and stays: v = t^2 until then. */
static void activations_stay_in_their_range(void **state) {
  (void)state;
  double u = 2;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SLIDER("0", "<general joint='j' dyntype='integrator' actrange='-1 0.5'/>"), integrators[i],
                          1e-3, constant_control, &u);
    simulation_run(s, 1);
    assert_true(crd_sim_act(s->sim)[0] == 0.5);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - (0.0625 + 0.5 * 0.75)) <= 0.5 * 1e-3 * 1.01); /* first order: h f / 2 */
    simulation_free(s);
  }
}

/* A box held by friction, mu m g = 9.81 N, begins to slide when a ramp of 10 N/s reaches that: at t = 0.981. */
static void a_growing_force_wakes_what_rests(void **state) {
  (void)state;
  double u = 10;
  static const char text[] = "block_pushed_harder";
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(text, integrators[i], 1e-3, constant_control, &u);
    simulation_run(s, 0.97);
    assert_true(fabs(crd_sim_qvel(s->sim)[0]) <= 1e-9);
    simulation_run(s, 1.481);                                     /* half a second later: (10 N/s / 2 kg) t^2 / 2 */
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - 0.625) <= 2.5e-3); /* a step of 2.5 m/s^2 late at most */
    simulation_free(s);
  }
}

static void a_restored_simulation_goes_on_with_the_same_activations(void **state) {
  (void)state;
  double u = 0.8;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SLIDER("0.1", "<muscle joint='j' lengthrange='-1 1' force='20'/>"), integrators[i], 2e-3,
                          constant_control, &u);
    const double first = 0.25;
    crd_error err = {0};
    assert_int_equal(crd_sim_set_act(s->sim, &first, &err), CRD_OK);
    simulation_run(s, 0.01);
    size_t size = crd_sim_saved_size(s->sim);
    void *saved = malloc(size);
    assert_int_equal(crd_sim_save(s->sim, saved, size), CRD_OK);
    simulation_run(s, 0.03);
    const double act = crd_sim_act(s->sim)[0], v = crd_sim_qvel(s->sim)[0];
    assert_int_equal(crd_sim_restore(s->sim, saved, size), CRD_OK);
    assert_true(crd_sim_act(s->sim)[0] != act);
    simulation_run(s, 0.03);
    assert_true(crd_sim_act(s->sim)[0] == act && crd_sim_qvel(s->sim)[0] == v);
    const double bad = NAN;
    assert_int_equal(crd_sim_set_act(s->sim, &bad, &err), CRD_ERR_NUMBER);
    assert_true(crd_sim_act(s->sim)[0] == act);
    free(saved);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_filter_responds_exactly),
      cmocka_unit_test(a_muscle_rises_by_its_two_time_constants),
      cmocka_unit_test(the_order_of_each_scheme_is_kept),
      cmocka_unit_test(stiff_motions_keep_their_order),
      cmocka_unit_test(activations_stay_in_their_range),
      cmocka_unit_test(a_growing_force_wakes_what_rests),
      cmocka_unit_test(a_restored_simulation_goes_on_with_the_same_activations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
