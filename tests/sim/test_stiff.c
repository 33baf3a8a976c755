/* Servos, dampers and springs that are too steep for an explicit method at the step of the model: the method's order
 * conditions and stability, single joints against the exact solution, chains against the explicit method at tiny steps,
 * static equilibrium, the energy ledger; and where nothing is steep, the explicit method itself. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/stiff_motion.h"
#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/simulation.h"

/* ------------------------------------------------------------------------------------------------ the method */

enum { S = CRD_STIFF_STAGES };

static void times(const double A[S][S], const double *x, double *y) {
  for (int i = 0; i < S; i++) {
    y[i] = 0;
    for (int j = 0; j < S; j++) y[i] += A[i][j] * x[j];
  }
}

static double weighted(const double *x) {
  double sum = 0;
  for (int i = 0; i < S; i++) sum += crd_stiff_method.b[i] * x[i];
  return sum;
}

/* Conditions for order three with any matrix in place of the Jacobian [Hairer and Wanner, Solving ODEs II, IV.7]. */
static void order_is_three_whatever_the_jacobian(void **state) {
  (void)state;
  const crd_stiff_table *t = &crd_stiff_method;
  double one[S] = {1, 1, 1, 1}, a[S], g[S], square[S], aa[S], ag[S], ga[S], gg[S];
  times(t->a, one, a), times(t->g, one, g);
  for (int i = 0; i < S; i++) square[i] = a[i] * a[i];
  times(t->a, a, aa), times(t->a, g, ag), times(t->g, a, ga), times(t->g, g, gg);
  assert_near(weighted(one), 1, 1e-15);
  assert_near(weighted(a), 1.0 / 2, 1e-15), assert_near(weighted(g), 0, 1e-15);
  assert_near(weighted(square), 1.0 / 3, 1e-15), assert_near(weighted(aa), 1.0 / 6, 1e-15);
  assert_near(weighted(ag), 0, 1e-15), assert_near(weighted(ga), 0, 1e-14), assert_near(weighted(gg), 0, 1e-14);
}

/* R(z) = y1 / y0 of y' = z y with the exact Jacobian. */
static double complex growth(double complex z) {
  const crd_stiff_table *t = &crd_stiff_method;
  double complex k[S], y = 1;
  for (int i = 0; i < S; i++) {
    double complex f = 1;
    for (int j = 0; j < i; j++) f += (t->a[i][j] + t->g[i][j]) * k[j];
    k[i] = z * f / (1 - t->g[i][i] * z);
    y += t->b[i] * k[i];
  }
  return y;
}

static void modes_decay_and_forces_push_forwards(void **state) {
  (void)state;
  for (double y = 1e-3; y < 1e7; y *= 1.07) {
    double complex edge = growth(I * y), real = growth(-y);
    assert_true(cabs(edge) <= 1 + 1e-12 && cimag(edge) > 0);
    assert_true(cabs(real) < 1);
  }
  assert_true(cabs(growth(-1e9)) < 0.41);
  for (double y = 0.4; y > 0.04; y /= 2) /* order four where the Jacobian is exact */
    assert_true(cabs(growth(I * y) - cexp(I * y)) < 0.09 * pow(y, 5));
}

/* m x'' + d x' + k x = f: v1 = h f / m times the divided difference of R at the two modes, and h f / (m (1 + gamma h d
 * / m
 * + gamma^2 h^2 k / m)) by the compliance that contacts see. */
static void a_force_acts_about_as_the_compliance_says(void **state) {
  (void)state;
  double gamma = crd_stiff_method.g[0][0];
  for (double d = 1e-3; d < 1e6; d *= 1.7)
    for (double k = 1e-4; k < 1e9; k *= 1.7) {
      double complex root = csqrt(d * d / 4 - k), a = -d / 2 + root, b = -d / 2 - root;
      if (cabs(root) < 1e-3 * d) continue; /* the difference would be all rounding */
      double ratio = creal((growth(a) - growth(b)) / (a - b)) * (1 + gamma * d + gamma * gamma * k);
      assert_true(ratio > 0.48 && ratio < 1.28);
    }
}

/* ------------------------------------------------------------------------------------------------ one joint */

/* m x'' + d x' + k (x - target) = 0 from rest at 0: both modes decay (d^2 > 4 m k). */
static void exact_joint(double m, double d, double k, double target, double t, double *x, double *v) {
  double root = sqrt(d * d - 4 * m * k), fast = -(d + root) / (2 * m), slow = k / (m * fast);
  double a = -target * fast / (fast - slow), b = -target - a; /* a: slow, b: fast */
  *x = target + a * exp(slow * t) + b * exp(fast * t);
  *v = a * slow * exp(slow * t) + b * fast * exp(fast * t);
}

static simulation *servo(double m, double d, double k, double target, double force, double h) {
  char text[1024];
  snprintf(text, sizeof text,
           "stiff_slider: option.timestep=%g; ball.mass=%g; general.gainprm=%g; general.biasprm=%g %g %g; "
           "general.forcelimited=%s; general.forcerange=%g %g",
           h, m, k, k * target, -k, -d, force > 0 ? "true" : "false", -force, force > 0 ? force : 1);
  return simulation_from_text(text, NULL);
}

static void one_servo_follows_the_exponential(void **state) {
  (void)state;
  /* mass, damping, stiffness; h d / m from 4 to 2e6 */
  static const double servos[][3] = {
      {0.1, 200, 2000}, {0.01, 200, 2000}, {1e-3, 1e3, 1e4}, {1e-6, 1, 10}, {1, 1e6, 1e7}};
  for (size_t i = 0; i < sizeof servos / sizeof *servos; i++) {
    const double *p = servos[i];
    simulation *s = servo(p[0], p[1], p[2], 0.5, 0, 0.002);
    for (int n = 1; n <= 10; n++) {
      double x, v;
      simulation_run(s, 0.05 * n);
      exact_joint(p[0], p[1], p[2], 0.5, 0.05 * n, &x, &v);
      assert_near(crd_sim_qpos(s->sim)[0], x, 2e-4);
      assert_near(crd_sim_qvel(s->sim)[0], v, 2e-3);
    }
    simulation_free(s);
  }
}

/* Underdamped and stiff: x'' + w^2 x = 0 with w h = 20 stays bounded and ends where a force holds it. */
static void a_spring_beyond_the_step_comes_to_rest(void **state) {
  (void)state;
  simulation *s = servo(1, 10, 1e8, 0.01, 0, 0.002);
  simulation_run(s, 0.5);
  assert_near(crd_sim_qpos(s->sim)[0], 0.01, 1e-12);
  assert_near(crd_sim_qvel(s->sim)[0], 0, 1e-10);
  simulation_free(s);
}

/* A servo far from its target pushes with the force at its bound, constantly: x = f t^2 / 2 m. */
static void a_servo_at_its_bound_is_no_damper(void **state) {
  (void)state;
  simulation *s = servo(2, 1e4, 1e5, 1000, 10, 0.002);
  simulation_run(s, 0.5);
  assert_near(crd_sim_qpos(s->sim)[0], 10 * 0.25 / 4, 1e-12);
  assert_near(crd_sim_qvel(s->sim)[0], 10 * 0.5 / 2, 1e-12);
  simulation_free(s);
}

/* It leaves the bound without chattering between both of them: from there on it creeps to the target. */
static void a_servo_leaves_its_bound_quietly(void **state) {
  (void)state;
  simulation *s = servo(0.1, 1e3, 1e4, 0.05, 80, 0.002);
  double last = 0;
  for (int n = 0; n < 400; n++) {
    assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    double x = crd_sim_qpos(s->sim)[0];
    assert_true(x > last - 1e-9 && x < 0.0501);
    last = x;
  }
  assert_near(last, 0.05, 1e-4); /* exp(-k t / d) = exp(-8) is left */
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ mechanisms */

/* An arm of three links under gravity with servos, a tendon servo across the first two joints, a ball joint with
 * damping. */
static simulation *arm(double gain, double h) {
  char text[4096];
  snprintf(text, sizeof text,
           "stiff_arm: option.timestep=%g; joint.damping=%g; d.stiffness=%g; first.biasprm=%g %g %g; second.biasprm=0 "
           "%g %g; third.biasprm=0 %g %g; fourth.biasprm=0 %g %g",
           h, 0.001 * gain, 0.01 * gain, 0.5 * gain, -gain, -0.1 * gain, -gain, -0.1 * gain, -0.1 * gain, -0.01 * gain,
           -gain, -0.1 * gain);
  return simulation_from_text(text, NULL);
}

static void end_of_arm(double gain, double h, double t, double *q) {
  simulation *s = arm(gain, h);
  simulation_run(s, t);
  memcpy(q, crd_sim_qpos(s->sim), (size_t)s->model->nq * sizeof *q);
  simulation_free(s);
}

static double distance(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* Slopes leave out gravity, Coriolis forces and the change of M: order three all the same. The reference takes the
 * explicit method, h being 1/100 of where that ends. */
static void a_mechanism_converges_with_order_three(void **state) {
  (void)state;
  double reference[7], coarse[7], fine[7];
  end_of_arm(300, 2e-6, 0.06, reference);
  end_of_arm(300, 0.002, 0.06, coarse);
  end_of_arm(300, 0.001, 0.06, fine);
  double first = distance(coarse, reference, 7), second = distance(fine, reference, 7);
  assert_true(first < 1e-4 && second < first / 6);
}

/* M qacc + c = tau with nothing moving: bias force and forces of servos and springs cancel. */
static void a_stiff_arm_settles_where_its_servos_carry_it(void **state) {
  (void)state;
  for (double gain = 300; gain < 1e6; gain *= 30) {
    simulation *s = arm(gain, 0.002);
    simulation_run(s, 4);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    double bias[6], tau[6] = {0};
    crd_workspace *work = crd_model_workspace_new(s->model);
    crd_tree_kinematics(s->model, work, q);
    crd_tree_velocity(s->model, work, v);
    crd_tree_rnea(s->model, work, NULL, NULL, bias);
    crd_tree_actuation(s->model, work, q, v, NULL, NULL, tau);
    crd_tree_passive(s->model, q, v, tau);
    for (int i = 0; i < 6; i++) {
      assert_near(v[i], 0, 1e-9);
      assert_near(tau[i], bias[i], 1e-6);
    }
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_near(e.integration, 0, 5e-3 * (fabs(e.actuation) + fabs(e.damping)));
    crd_model_workspace_free(work);
    simulation_free(s);
  }
}

/* One mass, M constant: the ledger closes to rounding although the damper stops the joint within a fraction of the
 * step. */
static void the_ledger_closes_where_a_damper_stops_a_joint_at_once(void **state) {
  (void)state;
  const char *text = "slider: option.timestep=0.002; rail.damping=1000; ball.mass=0.1";
  simulation *s = simulation_from_text(text, NULL);
  double v = 3;
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, &v, NULL), CRD_OK);
  simulation_run(s, 0.1);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_near(e.kinetic, 0, 1e-12);
  assert_near(e.damping, -0.45, 1e-12);
  assert_near(e.integration, 0, 1e-14);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ contacts and loops
 */

/* A body of 5 kg on a vertical slide and below it, on a servo, a foot of 10 g that stands on the floor: h kv / m = 200
 * for the foot. While it stands the body is a mass on a spring and a damper. */
static simulation *standing(void) { return simulation_from_text("trunk_on_stiff_leg", NULL); }

/* x'' + 2 s x' + w^2 x = -g, w^2 = 4000, s = 100 > w: from rest at x = 0. */
static void a_robot_stands_on_a_stiff_leg(void **state) {
  (void)state;
  simulation *s = standing();
  double root = sqrt(1e4 - 4000), fast = -100 - root, slow = -100 + root, end = -10.0 / 4000;
  for (int n = 1; n <= 10; n++) {
    double t = 0.01 * n, a = end * fast / (slow - fast), b = -end - a;
    simulation_run(s, t);
    assert_near(crd_sim_qpos(s->sim)[0], end + a * exp(slow * t) + b * exp(fast * t), 4e-5);
    assert_near(crd_sim_qpos(s->sim)[1], -crd_sim_qpos(s->sim)[0], 1e-9);
  }
  simulation_run(s, 2);
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  assert_int_equal(count, 1);
  assert_near(contact[0].impulse_n / 0.002, 50.1, 1e-7);
  assert_near(crd_sim_qpos(s->sim)[0], end, 1e-12);
  assert_near(crd_sim_energy_now(s->sim).integration, 0, 2e-4);
  simulation_free(s);
}

/* Nothing moves: not a joule in any line but where the servo gave way first. */
static void standing_still_books_nothing(void **state) {
  (void)state;
  simulation *s = standing();
  simulation_run(s, 2);
  crd_sim_energy before = crd_sim_energy_now(s->sim);
  simulation_run(s, 4);
  crd_sim_energy after = crd_sim_energy_now(s->sim);
  assert_near(after.actuation, before.actuation, 1e-9);
  assert_near(after.integration, before.integration, 1e-9);
  assert_near(after.contact, 0, 1e-12);
  simulation_free(s);
}

/* Two slides of 1 kg and 3 kg that a loop couples 1 to 2; a servo on the first carries both: k q = (1 + 2 * 3) g. */
static void a_stiff_servo_carries_what_a_loop_hangs_on_it(void **state) {
  (void)state;
  simulation *s = simulation_from_text("geared_sliders", NULL);
  simulation_run(s, 2);
  assert_near(crd_sim_qpos(s->sim)[0], -70 / 1e5, 1e-11);
  assert_near(crd_sim_qpos(s->sim)[1], -140 / 1e5, 1e-10);
  simulation_free(s);
}

/* Two pendulums coupled by q2 = q1 + q1^2, a servo with h kv / m = 40 on the first and one on the second. */
static void end_of_coupled(double h, double *q) {
  char text[2048];
  snprintf(text, sizeof text, "curved_gear: option.timestep=%g", h);
  simulation *s = simulation_from_text(text, NULL);
  simulation_run(s, 0.1);
  memcpy(q, crd_sim_qpos(s->sim), 2 * sizeof *q);
  simulation_free(s);
}

static void loops_are_held_at_every_stage(void **state) {
  (void)state;
  double reference[2], coarse[2], fine[2];
  end_of_coupled(1e-6, reference);
  end_of_coupled(0.002, coarse);
  end_of_coupled(0.001, fine);
  double first = distance(coarse, reference, 2), second = distance(fine, reference, 2);
  assert_near(coarse[1], coarse[0] + coarse[0] * coarse[0], 1e-9);
  assert_true(coarse[0] > 0.1 && first < 1e-4 && second < first / 5);
}

/* ------------------------------------------------------------------------------------------------ not stiff */

/* Classical Runge-Kutta by hand for two coordinates. */
static void explicit_step(const crd_model *model, crd_workspace *work, double h, double *q, double *v) {
  double kq[4][2], kv[4][2], sq[2], sv[2];
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      sq[k] = q[k] + (i ? node[i] * h * kq[i - 1][k] : 0);
      sv[k] = v[k] + (i ? node[i] * h * kv[i - 1][k] : 0);
      kq[i][k] = sv[k];
    }
    assert_int_equal(crd_tree_forward(model, work, sq, sv, NULL, NULL, NULL, NULL, kv[i]), CRD_OK);
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++) q[k] += h * weight[i] * kq[i][k], v[k] += h * weight[i] * kv[i][k];
}

static void what_is_not_steep_keeps_the_explicit_method(void **state) {
  (void)state;
  const char *text = "sprung_double_pendulum";
  simulation *s = simulation_from_text(text, NULL);
  crd_workspace *work = crd_model_workspace_new(s->model);
  double q[2] = {0}, v[2] = {0};
  for (int n = 0; n < 200; n++) explicit_step(s->model, work, 0.002, q, v);
  simulation_run(s, 0.4);
  for (int k = 0; k < 2; k++) {
    assert_near(crd_sim_qpos(s->sim)[k], q[k], 1e-13);
    assert_near(crd_sim_qvel(s->sim)[k], v[k], 1e-12);
  }
  crd_model_workspace_free(work);
  simulation_free(s);
}

/* A wheel on a spring, frequency 1000 1/s: two radians a step. Followed in pieces of half a radian y, of which RK4
 * keeps 1 - y^6 / 72 + y^8 / 576 of the energy each: 0.959 after 50 steps. */
static void a_spring_without_damping_goes_on_swinging(void **state) {
  (void)state;
  simulation *s = simulation_from_text("torsion_spring", NULL);
  simulation_run(s, 0.1);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  double y = 0.5, kept = pow(1 - pow(y, 6) / 72 + pow(y, 8) / 576, 200);
  double left = (energy.kinetic + energy.potential) / energy.start;
  assert_true(left >= kept - 1e-6 && left <= 1);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spring_without_damping_goes_on_swinging),
      cmocka_unit_test(order_is_three_whatever_the_jacobian),
      cmocka_unit_test(modes_decay_and_forces_push_forwards),
      cmocka_unit_test(a_force_acts_about_as_the_compliance_says),
      cmocka_unit_test(one_servo_follows_the_exponential),
      cmocka_unit_test(a_spring_beyond_the_step_comes_to_rest),
      cmocka_unit_test(a_servo_at_its_bound_is_no_damper),
      cmocka_unit_test(a_servo_leaves_its_bound_quietly),
      cmocka_unit_test(a_mechanism_converges_with_order_three),
      cmocka_unit_test(a_stiff_arm_settles_where_its_servos_carry_it),
      cmocka_unit_test(the_ledger_closes_where_a_damper_stops_a_joint_at_once),
      cmocka_unit_test(a_robot_stands_on_a_stiff_leg),
      cmocka_unit_test(standing_still_books_nothing),
      cmocka_unit_test(a_stiff_servo_carries_what_a_loop_hangs_on_it),
      cmocka_unit_test(loops_are_held_at_every_stage),
      cmocka_unit_test(what_is_not_steep_keeps_the_explicit_method),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
