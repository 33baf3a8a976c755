#define _XOPEN_SOURCE 700 /* M_PI */
/* Claim: springs and dampers of tendons move masses as the closed forms say, by every integrator, and their energy is in
 * the ledger; a string round a cylinder has the length of the geometry; a force along a string that runs over a pulley pulls
 * both its ends. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU,
                                                 CRD_SIM_EVENT};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static bool first_order(crd_sim_integrator i) { return i == CRD_SIM_EULER || i == CRD_SIM_MOREAU; }

static simulation *start(const char *text, crd_sim_integrator integrator, double timestep, crd_sim_control control) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator, options.timestep = timestep, options.control = control;
  return simulation_from_text(text, &options);
}

/* The spring is at rest at the first position: x = (v0 / w) sin w t, w^2 = k / m = 9. First-order integrators damp the
 * amplitude by exp(-w^2 h t / 2), 0.0045 of it, and the energy of 0.36 J by twice that. */
static void a_spring_between_two_sites_oscillates(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start("mass_tied_by_string: string.stiffness=18; key.qvel=0.6", integrators[i], 1e-3, NULL);
    simulation_run(s, 1);
    const double close = first_order(integrators[i]) ? 0.0045 * 0.2 : 1e-6, x = 0.2 * sin(3), v = 0.6 * cos(3);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - x) <= close && fabs(crd_sim_qvel(s->sim)[0] - v) <= 3 * close);
    const crd_sim_energy energy = crd_sim_energy_now(s->sim);
    assert_true(fabs(energy.potential - 0.5 * 18 * crd_sim_qpos(s->sim)[0] * crd_sim_qpos(s->sim)[0]) <= 1e-12);
    assert_true(fabs(energy.integration) <= (first_order(integrators[i]) ? 0.009 * 0.36 : 1e-6));
    simulation_free(s);
  }
}

/* Free until the string is 1.5 long, after t = 1; then half a period pi / w of the spring, and back at -0.5 m/s. */
static void a_rope_pulls_only_where_it_is_taut(void **state) {
  (void)state;
  const double half = M_PI / 10;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s =
        start("mass_tied_by_string: string.stiffness=200; string.springlength=0 1.5", integrators[i], 1e-3, NULL);
    simulation_run(s, 0.9);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - 0.45) <= 1e-9);
    simulation_run(s, 1.5 + half);
    const double close = first_order(integrators[i]) ? 2e-2 : 2e-5; /* implicit Euler: exp(-w^2 h t / 2) of v */
    assert_true(fabs(crd_sim_qvel(s->sim)[0] + 0.5) <= close && fabs(crd_sim_qpos(s->sim)[0] - 0.25) <= close);
    simulation_free(s);
  }
}

/* v = v0 exp(-d t / m), and the damper takes the energy; also where d h / m = 20 makes the step stiff. First-order
 * integrators are off by exp(d^2 h t / (2 m^2)), 1.13e-3 of v. */
static void a_damper_between_two_sites_takes_the_energy(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start("mass_tied_by_string: string.damping=3", integrators[i], 1e-3, NULL);
    simulation_run(s, 1);
    const double v = 0.5 * exp(-1.5);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - v) <= (first_order(integrators[i]) ? v * 1.2e-3 : 1e-7));
    const crd_sim_energy energy = crd_sim_energy_now(s->sim);
    assert_true(fabs(energy.damping - (v * v - 0.25)) <= (first_order(integrators[i]) ? 1e-3 : 1e-7));
    simulation_free(s);
    if (integrators[i] != CRD_SIM_RK4 && integrators[i] != CRD_SIM_MOREAU) continue;
    s = start("mass_tied_by_string: string.damping=40000", integrators[i], 1e-3, NULL);
    simulation_run(s, 0.1);
    assert_true(fabs(crd_sim_qvel(s->sim)[0]) <= 1e-6);
    assert_true(fabs(crd_sim_energy_now(s->sim).damping + 0.25) <= 1e-6);
    simulation_free(s);
  }
}

static void pull(void *context, double t, const double *q, const double *v, double *ctrl, double *tau) {
  (void)context, (void)t, (void)q, (void)v, (void)tau;
  ctrl[0] = -5;
}

/* Two masses hang on a string over a wheel of radius r: its length is both drops and half the wheel, and -5 N along it lift
 * them with F / m - g. */
static void a_string_over_a_wheel_pulls_both_ends(void **state) {
  (void)state;
  static const char text[] = "pulley";
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(text, integrators[i], 1e-3, pull);
    crd_workspace *work = crd_model_workspace_new(s->model);
    double length;
    crd_tree_tendons(s->model, work, s->model->qpos0, NULL, &length, NULL);
    assert_true(fabs(length - (3 + 0.5 * M_PI)) <= 1e-12);
    simulation_run(s, 0.5);
    const double *v = crd_sim_qvel(s->sim);
    assert_true(fabs(v[0] - 0.5 * (5 - 9.81)) <= 1e-6 && fabs(v[1] - 0.5 * (2.5 - 9.81)) <= 1e-6);
    const crd_sim_energy energy = crd_sim_energy_now(s->sim); /* the string pulls in what both ends rise */
    const double *q = crd_sim_qpos(s->sim);
    /* first order: work and positions use velocities of different ends of a step, h a t apart, a = 4.81 and 7.31 m/s^2 */
    assert_true(fabs(energy.actuation - 5 * (q[0] + q[1])) <=
                (first_order(integrators[i]) ? 1e-3 * 5 * 12.13 * 0.5 : 1e-6));
    crd_model_workspace_free(work);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_spring_between_two_sites_oscillates),
                                     cmocka_unit_test(a_rope_pulls_only_where_it_is_taut),
                                     cmocka_unit_test(a_damper_between_two_sites_takes_the_energy),
                                     cmocka_unit_test(a_string_over_a_wheel_pulls_both_ends)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
