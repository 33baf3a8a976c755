/* States that overlap: refused by name, or moved apart by the smallest displacement in the kinetic metric, which is
 * known in closed form for spheres, hinges and a point on a rod. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"

static crd_sim_options clearing(void) {
  crd_sim_options options = crd_sim_default();
  options.clear_start = true;
  return options;
}

static void a_ball_in_the_floor_is_lifted_onto_it(void **state) {
  (void)state;
  crd_sim_options options = clearing();
  simulation *s = simulation_from_text("ball_on_floor: body.pos=0.3 0 0.07; ball.mass=", &options);
  const double *q = crd_sim_qpos(s->sim);
  assert_near(q[0], 0.3, 1e-15), assert_near(q[1], 0, 1e-15), assert_near(q[2], 0.1, 1e-9);
  assert_non_null(strstr(crd_sim_message(s->sim), "ball"));
  assert_non_null(strstr(crd_sim_message(s->sim), "0.03"));
  simulation_run(s, 0.1);
  assert_near(crd_sim_qpos(s->sim)[2], 0.1, 1e-9);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 0);
  simulation_free(s);
}

/* Momentum is conserved by d = M^-1 J' l: the lighter ball moves three times as far. */
static void two_balls_move_apart_in_inverse_proportion_to_their_masses(void **state) {
  (void)state;
  crd_sim_options options = clearing();
  simulation *s = simulation_from_text("two_free_balls: right.pos=0.12 0 0; b.mass=3", &options);
  const double *q = crd_sim_qpos(s->sim);
  assert_near(q[0], -0.06, 1e-9), assert_near(q[7], 0.14, 1e-9);
  simulation_free(s);
}

static void a_joint_beyond_its_limit_goes_to_it(void **state) {
  (void)state;
  const char *text = "hinge_beyond_limit";
  crd_sim_options options = clearing();
  simulation *s = simulation_from_text(text, &options);
  assert_near(crd_sim_qpos(s->sim)[0], 0.5, 1e-9);
  crd_error err = {0};
  const double beyond[1] = {1.25};
  assert_int_equal(crd_sim_reset(s->sim, 0, beyond, NULL, &err), CRD_OK);
  assert_near(crd_sim_qpos(s->sim)[0], 1, 1e-9);
  simulation_free(s);
}

/* Two equal carriages on a rail, held 1 apart by a loop, drawn 1 apart, set 1.2 apart: each gives way by 0.1. */
static void an_open_loop_is_closed(void **state) {
  (void)state;
  const char *text = "joined_sliders";
  const double open[2] = {0, 0.2};
  crd_sim_options options = clearing();
  crd_error err = {0};
  simulation *s = simulation_from_text(text, &options);
  assert_int_equal(crd_sim_reset(s->sim, 0, open, NULL, &err), CRD_OK);
  assert_near(crd_sim_qpos(s->sim)[0], 0.1, 1e-9), assert_near(crd_sim_qpos(s->sim)[1], 0.1, 1e-9);
  simulation_free(s);
  options.clear_start = false;
  s = simulation_from_text(text, &options);
  assert_int_equal(crd_sim_reset(s->sim, 0, open, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "open by"));
  simulation_free(s);
}

static void without_the_option_an_overlap_is_refused_by_name(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  crd_error err = {0};
  simulation *s = simulation_from_text("ball_on_floor: body.pos=0 0 0.2; ball.mass=", &options);
  const double deep[7] = {0, 0, 0.07, 1, 0, 0, 0};
  assert_int_equal(crd_sim_reset(s->sim, 0, deep, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "ball"));
  assert_near(crd_sim_qpos(s->sim)[2], 0.2, 0); /* the old state stays */
  simulation_free(s);
}

/* A ball between two walls that are closer than it is wide has no place to go. */
static void what_cannot_be_moved_apart_is_refused(void **state) {
  (void)state;
  crd_sim_options options = clearing();
  crd_error err = {0};
  simulation *s = simulation_from_text("ball_over_slot", &options);
  const double between[3] = {-2, 0, 0};
  assert_int_equal(crd_sim_reset(s->sim, 0, between, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "ball"));
  simulation_free(s);
}

/* Near the dead point of a rod that pushes against a ball the linear equations ask for ten radians. The smallest turn
 * that clears it is acos((1 + c^2 - r^2) / 2c) - (what the ball is off the axis), c the distance of the ball, r the sum
 * of the radii; a round is a tenth of a radian at most. */
static void a_rod_near_its_dead_point_turns_aside(void **state) {
  (void)state;
  crd_sim_options options = clearing();
  simulation *s = simulation_from_text("limited_rod_in_ball", &options);
  double c = hypot(1.2, 0.001), least = acos((1 + c * c - 0.0625) / (2 * c)) - 0.001 / 1.2;
  double turn = crd_sim_qpos(s->sim)[0];
  assert_true(turn >= least - 1e-6 && turn <= least + 0.1); /* down, away from the ball */
  simulation_free(s);
}

/* A strict simulation of the same model, restored from s, goes on with the same bits: what the start changed is part of
 * the state. */
static void check_restored(const simulation *s, double t) {
  crd_sim_options options = clearing();
  crd_error err = {0};
  crd_sim *other;
  size_t size = crd_sim_saved_size(s->sim);
  void *saved = malloc(size);
  assert_non_null(saved);
  assert_int_equal(crd_sim_save(s->sim, saved, size), CRD_OK);
  assert_int_equal(crd_sim_new(s->model, &options, &other, &err), CRD_OK);
  assert_int_equal(crd_sim_restore(other, saved, size), CRD_OK);
  assert_int_equal(crd_sim_run(s->sim, t), CRD_OK);
  assert_int_equal(crd_sim_run(other, t), CRD_OK);
  assert_memory_equal(crd_sim_qpos(s->sim), crd_sim_qpos(other), (size_t)s->model->nq * sizeof(double));
  crd_sim_free(other);
  free(saved);
}

/* A drum that turns in the ring of a housing cannot leave it: refused by name, or left out where that is wanted. */
static void what_no_joint_parts_can_be_left_out(void **state) {
  (void)state;
  const char *text = "drum_in_housing";
  crd_sim_options options = clearing();
  options.ignore_overlaps = true;
  simulation *s = simulation_from_text(text, &options);
  assert_non_null(strstr(crd_sim_message(s->sim), "drum"));
  assert_non_null(strstr(crd_sim_message(s->sim), "housing"));
  simulation_run(s, 0.5);
  assert_near(crd_sim_qvel(s->sim)[0], 3, 1e-12);  /* nothing brakes the drum */
  assert_near(crd_sim_qpos(s->sim)[3], 0.1, 1e-7); /* the ball does touch the floor */
  check_restored(s, 0.7);

  options.ignore_overlaps = false;
  crd_error err = {0};
  crd_sim *strict;
  assert_int_equal(crd_sim_new(s->model, &options, &strict, &err), CRD_OK); /* another start could be set */
  assert_int_equal(crd_sim_reset(strict, 0, NULL, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "drum"));
  assert_non_null(strstr(err.text, "housing"));
  assert_non_null(strstr(err.text, "by 0.3 m")); /* the way out is the one along the axis, or across */
  crd_sim_free(strict);
  simulation_free(s);
}

/* Two bodies with two pins in one line, whose distance differs by 60 nanometres, as files with eight digits have it: no
 * motion closes it further. Refused, or accepted as drawn on request. */
static void a_pin_that_is_drawn_askew_is_accepted_as_drawn(void **state) {
  (void)state;
  const char *text = "two_pins";
  crd_sim_options options = clearing();
  options.ignore_overlaps = true;
  simulation *s = simulation_from_text(text, &options);
  assert_non_null(strstr(crd_sim_message(s->sim), "6e-08"));
  assert_non_null(strstr(crd_sim_message(s->sim), "as drawn"));
  simulation_run(s, 0.5); /* it falls, turns and lies on the floor */
  assert_true(crd_sim_counters_now(s->sim).loop_max <= 1e-9);
  check_restored(s, 0.7);
  options.ignore_overlaps = false;
  crd_error err = {0};
  crd_sim *strict;
  assert_int_equal(crd_sim_new(s->model, &options, &strict, &err), CRD_OK);
  assert_int_equal(crd_sim_reset(strict, 0, NULL, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "open by"));
  crd_sim_free(strict);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_in_the_floor_is_lifted_onto_it),
      cmocka_unit_test(two_balls_move_apart_in_inverse_proportion_to_their_masses),
      cmocka_unit_test(a_joint_beyond_its_limit_goes_to_it),
      cmocka_unit_test(an_open_loop_is_closed),
      cmocka_unit_test(without_the_option_an_overlap_is_refused_by_name),
      cmocka_unit_test(what_cannot_be_moved_apart_is_refused),
      cmocka_unit_test(a_rod_near_its_dead_point_turns_aside),
      cmocka_unit_test(what_no_joint_parts_can_be_left_out),
      cmocka_unit_test(a_pin_that_is_drawn_askew_is_accepted_as_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
