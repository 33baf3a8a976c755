/* Claims: a body in a medium falls as the closed forms say, v = u tanh(g t / u) with drag alone and
 * v = u (1 - exp(-g t / u)) with viscosity alone, in every integrator, and what it loses is in the ledger; wind carries
 * it along; the added mass of a ball is half of what it displaces and that of a spheroid is Lamb's; lift, spin and added
 * mass do no work. */
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double g = 9.81, m = 0.02, radius = 0.1, pi = 3.14159265358979323846;

/* The box that has the inertia 2/5 m r^2 of a ball: 2/3 m a^2 = 2/5 m r^2. */
static double box_half(void) { return radius * sqrt(0.6); }

static const struct {
  crd_sim_integrator integrator;
  double tolerance; /* of the velocity, relative: Euler and Moreau are of first order in 1 ms */
} integrators[] = {{CRD_SIM_RK4, 1e-11},
                   {CRD_SIM_MIDPOINT, 1e-6},
                   {CRD_SIM_EVENT, 1e-9},
                   {CRD_SIM_EULER, 2e-3},
                   {CRD_SIM_MOREAU, 2e-3}};

static void falls(const char *medium, double (*speed)(double t)) {
  char text[1000];
  snprintf(text, sizeof text,
           "<mujoco><option timestep='0.001' %s/><worldbody><body pos='0 0 5'><freejoint/><geom type='sphere' "
           "size='0.1' mass='0.02'/></body></worldbody></mujoco>",
           medium);
  for (size_t i = 0; i < sizeof integrators / sizeof *integrators; i++) {
    crd_sim_options options = crd_sim_default();
    options.integrator = integrators[i].integrator;
    simulation *s = simulation_from_text(text, &options);
    simulation_run(s, 0.5);
    const double v = -crd_sim_qvel(s->sim)[2], exact = speed(0.5), tolerance = integrators[i].tolerance;
    if (!(fabs(v - exact) <= tolerance * exact)) fail_msg("integrator %d: %.15g, expected %.15g", (int)i, v, exact);
    const crd_sim_energy energy = crd_sim_energy_now(s->sim);
    const double fallen = m * g * (5 - crd_sim_qpos(s->sim)[2]), kept = 0.5 * m * v * v;
    assert_true(fabs(energy.damping - (kept - fallen)) <= 3 * tolerance * fallen);
    assert_true(energy.actuation == 0 && fabs(energy.integration) <= 3 * tolerance * fallen);
    simulation_free(s);
  }
}

/* m v' = m g - 2 rho a^2 v^2 */
static double with_drag(double t) {
  const double u = sqrt(m * g / (2 * 1.2 * box_half() * box_half()));
  return u * tanh(g * t / u);
}

/* m v' = m g - 6 pi beta a v */
static double with_viscosity(double t) {
  const double u = m * g / (6 * pi * 0.05 * box_half());
  return u * (1 - exp(-g * t / u));
}

static void a_falling_ball_follows_the_closed_forms(void **state) {
  (void)state;
  falls("density='1.2'", with_drag);
  falls("viscosity='0.05'", with_viscosity);
}

static void wind_carries_a_body_along_and_its_work_is_booked(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  simulation *s = simulation_from_text("box_in_wind", &options);
  simulation_run(s, 10);
  const double *v = crd_sim_qvel(s->sim);
  assert_true(fabs(v[0] - 1) < 1e-12 && fabs(v[1] + 2) < 1e-12 && fabs(v[2] - 0.5) < 1e-12);
  const double gained = crd_sim_energy_now(s->sim).damping, rate = 6 * pi * 2 * 0.2, h = 0.002;
  if (!(fabs(gained - 2.625) <= 5.25 * pow(rate * h, 4))) fail_msg("%g", gained - 2.625);
  simulation_free(s);
}

static crd_model *read_text(const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, &err)) fail_msg("%s", err.text);
  return model;
}

#define ELLIPSOID(size, coef)                                                                                      \
  "<mujoco><option gravity='0 0 0' density='900'/><worldbody><body><freejoint/><geom type='ellipsoid' size='" size \
  "' fluidshape='ellipsoid' fluidcoef='" coef "'/></body></worldbody></mujoco>"

/* Prolate spheroid of eccentricity e, axis a: alpha = 2 (1 - e^2) / e^3 (atanh e - e), mass V alpha / (2 - alpha)
 * [Lamb 1932, art. 114]. */
static void added_masses_are_lambs(void **state) {
  (void)state;
  crd_model *ball = read_text(ELLIPSOID("0.3 0.3 0.3", "0")), *rod = read_text(ELLIPSOID("0.1 0.1 0.5", "0"));
  assert_int_equal(ball->nimmersed, 1);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(ball->immersed[0].mass[i] - 2 * pi / 3 * 0.027) <= 1e-16);
    assert_true(ball->immersed[0].inertia[i] == 0);
  }
  const double e = sqrt(1 - 0.04), alpha = 2 * (1 - e * e) / (e * e * e) * (atanh(e) - e), volume = 4 * pi / 3 * 0.005;
  assert_true(fabs(rod->immersed[0].mass[2] / (volume * alpha / (2 - alpha)) - 1) <= 1e-13);
  crd_model_free(ball), crd_model_free(rod);
}

static void lift_spin_and_added_mass_do_no_work(void **state) {
  (void)state;
  crd_model *model = read_text(ELLIPSOID("0.1 0.3 0.02", "0 0 0 1.3 0.7"));
  crd_workspace *work = crd_model_workspace_new(model);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    double q[7] = {0}, v[6], tau[6] = {0}, power = 0, size = 0;
    for (int i = 3; i < 7; i++) q[i] = crd_random_normal(seed, 0, (uint64_t)i);
    for (int i = 0; i < 6; i++) v[i] = crd_random_normal(seed, 1, (uint64_t)i);
    crd_tree_kinematics(model, work, q);
    crd_tree_velocity(model, work, v);
    crd_tree_medium(model, work, tau);
    for (int i = 0; i < 6; i++) power += tau[i] * v[i], size += fabs(tau[i] * v[i]);
    assert_true(size > 0 && fabs(power) <= 1e-14 * size);
  }
  crd_model_workspace_free(work);
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_falling_ball_follows_the_closed_forms),
                                     cmocka_unit_test(wind_carries_a_body_along_and_its_work_is_booked),
                                     cmocka_unit_test(added_masses_are_lambs),
                                     cmocka_unit_test(lift_spin_and_added_mass_do_no_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
