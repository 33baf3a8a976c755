/* Bodies that spin, by time stepping: a disk in steady precession and Euler's disk on the spot against their closed
 * forms (second order while a contact is held), a free top against Jacobi's solution (the integrator's own order). */
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/rolling_disk.h"

static crd_sim_options with_step(double h, crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.timestep = h, options.integrator = integrator;
  return options;
}

/* Error of the position after one turn of the precession. */
static double disk_error(double h) {
  const rolling_disk d = {0.3, 0.02, 1, 0.0225, 0.045, 1.0, 4};
  crd_sim_options options = with_step(h, CRD_SIM_RK4);
  simulation *s;
  double r[2], spin = rolling_disk_spin(&d, r), R = rolling_disk_start(&d, spin, &options, &s);
  simulation_run(s, 2 * acos(-1.0) / d.turn);
  const double *q = crd_sim_qpos(s->sim);
  double error = fmax(hypot(q[0] - R, q[1]), fabs(q[2] + r[1]));
  assert_int_equal(s->count, 0); /* it rolls all the way */
  assert_true(crd_sim_counters_now(s->sim).penetration_max <= 1e-6 * d.a);
  simulation_free(s);
  return error;
}

static void a_disk_rolls_in_steady_precession(void **state) {
  (void)state;
  double coarse = disk_error(2e-3), fine = disk_error(1e-3);
  assert_true(coarse <= 2e-4); /* of a circle of 0.9 m */
  assert_true(fine <= coarse / 3.5);
}

/* Error of the direction of the axis, rad. */
static double coin_error(double h) {
  rolling_disk d = {0.3, 1e-3, 1, 0.0225, 0.045, 0.35, 0};
  d.turn = resting_disk_turn(&d);
  crd_sim_options options = with_step(h, CRD_SIM_RK4);
  simulation *s;
  double r[2], spin = rolling_disk_spin(&d, r), t = 0.5;
  rolling_disk_start(&d, spin, &options, &s);
  simulation_run(s, t);
  const double *q = crd_sim_qpos(s->sim);
  double x = 2 * (q[4] * q[6] + q[3] * q[5]), y = 2 * (q[5] * q[6] - q[3] * q[4]);
  assert_true(hypot(q[0], q[1]) <= 1e-4 && fabs(q[2] + r[1]) <= 1e-4);
  simulation_free(s);
  return fabs(remainder(atan2(y, x) - d.turn * t, 2 * acos(-1.0)));
}

static void a_coin_turns_on_the_spot_at_its_own_rate(void **state) {
  (void)state;
  double coarse = coin_error(2e-3), fine = coin_error(1e-3);
  assert_true(coarse <= 2e-3); /* of 10 rad */
  assert_true(fine <= coarse / 3.5);
}

/* Jacobi's elliptic functions by the arithmetic-geometric mean [Abramowitz and Stegun, 16.4]. */
static void jacobi(double u, double k, double *sn, double *cn, double *dn) {
  double a[16] = {1}, c[16] = {k}, b = sqrt(1 - k * k), phi;
  int n = 0;
  for (; n < 15 && fabs(c[n]) > 1e-16; n++) {
    a[n + 1] = 0.5 * (a[n] + b), c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
  }
  phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = 0.5 * (phi + asin(c[n] * sin(phi) / a[n]));
  *sn = sin(phi), *cn = cos(phi), *dn = sqrt(1 - k * k * *sn * *sn);
}

/* A body with moments of inertia I1 < I2 < I3 thrown without gravity, w(0) = (w1, 0, w3) [Landau and Lifshitz,
 * Mechanics, 37.10]: w = (w1 cn, w2 sn, w3 dn), where L^2 > 2 T I2. */
static const double I[3] = {0.012, 0.02, 0.03}, W1 = 3, W3 = 5;

static void exact_top(double t, double w[3]) {
  double T = I[0] * W1 * W1 + I[2] * W3 * W3; /* 2 T */
  double L = I[0] * I[0] * W1 * W1 + I[2] * I[2] * W3 * W3, sn, cn, dn;
  assert_true(L > T * I[1]);
  double rate = sqrt((I[2] - I[1]) * (L - T * I[0]) / (I[0] * I[1] * I[2]));
  double k = sqrt((I[1] - I[0]) * (T * I[2] - L) / ((I[2] - I[1]) * (L - T * I[0])));
  jacobi(rate * t, k, &sn, &cn, &dn);
  w[0] = W1 * cn, w[1] = sqrt((T * I[2] - L) / (I[1] * (I[2] - I[1]))) * sn, w[2] = W3 * dn;
}

/* Error of the angular velocity after 2 s; *turned: of the angular momentum's direction in space. */
static double top_error(double h, crd_sim_integrator integrator, double *turned) {
  char text[600];
  snprintf(text, sizeof text, "spinning_body: inertial.diaginertia=%.17g %.17g %.17g; key.qvel=0 0 0 %.17g 0 %.17g",
           I[0], I[1], I[2], W1, W3);
  crd_sim_options options = with_step(h, integrator);
  simulation *s = simulation_from_text(text, &options);
  double w[3], error = 0, L[3], space[3];
  simulation_run(s, 2);
  exact_top(2, w);
  const double *v = crd_sim_qvel(s->sim) + 3;
  for (int i = 0; i < 3; i++) error = fmax(error, fabs(v[i] - w[i])), L[i] = I[i] * v[i];
  crd_quat_rotate(space, crd_sim_qpos(s->sim) + 3, L);
  *turned = fmax(fmax(fabs(space[0] - I[0] * W1), fabs(space[1])), fabs(space[2] - I[2] * W3));
  simulation_free(s);
  return error;
}

static void check_order(crd_sim_integrator integrator, double h, double factor) {
  double coarse_turn, fine_turn;
  double coarse = top_error(h, integrator, &coarse_turn), fine = top_error(h / 2, integrator, &fine_turn);
  assert_true(fine > 1e-12); /* above rounding, so that the ratio says something */
  if (!(fine <= coarse / factor)) fail_msg("errors %g, %g", coarse, fine);
  if (!(fine_turn <= coarse_turn / factor || fine_turn < 1e-13)) fail_msg("turned by %g, %g", coarse_turn, fine_turn);
}

static void rk4_follows_a_free_top_with_fourth_order(void **state) {
  (void)state;
  check_order(CRD_SIM_RK4, 0.02, 14);
}

static void midpoint_follows_a_free_top_with_second_order(void **state) {
  (void)state;
  check_order(CRD_SIM_MIDPOINT, 0.004, 3.8);
}

static void euler_follows_a_free_top_with_first_order(void **state) {
  (void)state;
  check_order(CRD_SIM_EULER, 0.001, 1.9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_disk_rolls_in_steady_precession),
      cmocka_unit_test(a_coin_turns_on_the_spot_at_its_own_rate),
      cmocka_unit_test(rk4_follows_a_free_top_with_fourth_order),
      cmocka_unit_test(midpoint_follows_a_free_top_with_second_order),
      cmocka_unit_test(euler_follows_a_free_top_with_first_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
