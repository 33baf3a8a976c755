/* Held contacts are of second order in the step: errors fall to a sixteenth with a quarter of the step. */
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

/* The block turns about a corner that is held, until the other corner strikes: EXAMPLES, t = 0.987327807316. */
static double error_of_first_impact(double h) {
  crd_sim_options options = crd_sim_default();
  options.timestep = h;
  simulation *s = simulation_from_example("@rocking-block-zeno", &options);
  simulation_run(s, 1.1);
  double error = simulation_event(s, CRD_EVENT_IMPACT, 0)->t - 0.987327807316;
  simulation_free(s);
  return error;
}

static void instant_of_the_rocking_blocks_impact_is_of_second_order(void **state) {
  (void)state;
  double coarse = fabs(error_of_first_impact(4e-3)), fine = fabs(error_of_first_impact(1e-3));
  assert_true(coarse <= 2e-4);
  assert_true(fine <= coarse / 12);
}

/* A brick slides on a turntable that turns freely about the vertical: the moment of all momentum about it is that of
 * the start, whatever friction does. */
static double change_of_momentum(double h, double *sliding_work) {
  char text[1000];
  snprintf(text, sizeof text, "box_on_turntable: option.timestep=%g", h);
  simulation *s = simulation_from_text(text, NULL);
  crd_workspace *work = crd_model_workspace_new(s->model);
  double moment[2];
  for (int k = 0; k < 2; k++) {
    double momentum[6];
    if (k) simulation_run(s, 0.4);
    crd_tree_kinematics(s->model, work, crd_sim_qpos(s->sim));
    crd_tree_velocity(s->model, work, crd_sim_qvel(s->sim));
    crd_tree_momentum(s->model, work, momentum, NULL);
    moment[k] = momentum[2];
  }
  *sliding_work = crd_sim_energy_now(s->sim).contact;
  crd_model_workspace_free(work);
  simulation_free(s);
  return fabs(moment[1] - moment[0]);
}

static void moment_of_momentum_of_a_brick_on_a_turntable_is_of_second_order(void **state) {
  (void)state;
  double work, coarse = change_of_momentum(2e-3, &work);
  assert_true(work < -0.1); /* it does slide */
  double fine = change_of_momentum(5e-4, &work);
  assert_true(coarse <= 1e-6);
  assert_true(fine <= coarse / 10);
}

/* Dry friction f at a mass on a spring, x'' = -k x / m - f sign(v) / m from rest at x0: in each half period, pi sqrt(m/k),
 * it swings about +-f/k, and its amplitude falls by 2 f/k. Here k = 100, m = 1, f = 3, and it has turned round four
 * times. */
static double error_of_dry_oscillation(double h, double *work) {
  const double t = 1.5, rate = 10, half = acos(-1.0) / rate, shift = 0.03;
  char text[400];
  snprintf(text, sizeof text, "slider: option.timestep=%g; rail.stiffness=100; rail.frictionloss=3; key.qpos=0.5", h);
  simulation *s = simulation_from_text(text, NULL);
  simulation_run(s, t);
  int turns = (int)(t / half);
  double side = turns % 2 ? -1 : 1, amplitude = 0.5 - shift * (2 * turns + 1), angle = rate * (t - turns * half);
  double x = side * (shift + amplitude * cos(angle)), v = -side * amplitude * rate * sin(angle);
  double error = fmax(rate * fabs(crd_sim_qpos(s->sim)[0] - x), fabs(crd_sim_qvel(s->sim)[0] - v));
  /* friction over the way: half periods of 2 (0.5 - (2 k + 1) shift) each, and what the last one has done */
  double way = amplitude * (1 - cos(angle));
  for (int k = 0; k < turns; k++) way += 2 * (0.5 - (2 * k + 1) * shift);
  *work = crd_sim_energy_now(s->sim).damping + 3 * way;
  assert_int_equal(turns, 4);
  simulation_free(s);
  return error;
}

static void a_joint_with_dry_friction_that_turns_round_is_of_second_order(void **state) {
  (void)state;
  double work[2], coarse = error_of_dry_oscillation(1e-2, &work[0]), fine = error_of_dry_oscillation(2.5e-3, &work[1]);
  assert_true(coarse <= 3e-3); /* of 5 m/s */
  assert_true(fine <= coarse / 12);
  assert_true(fabs(work[0]) <= 2e-2 && fabs(work[1]) <= fabs(work[0]) / 8); /* of 10.3 J */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(instant_of_the_rocking_blocks_impact_is_of_second_order),
      cmocka_unit_test(moment_of_momentum_of_a_brick_on_a_turntable_is_of_second_order),
      cmocka_unit_test(a_joint_with_dry_friction_that_turns_round_is_of_second_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
