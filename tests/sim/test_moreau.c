/* Claims about Moreau's and Jean's time stepping: closed forms are met to first order in the step, what rests stays,
 * contacts without restitution never raise the energy of a heap, impulses balance the momentum, overlaps stay small,
 * a step ends whatever is in it, and a restored run goes on with the same bits. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/simulation.h"

static const double GRAVITY = 9.81;

static crd_sim_options stepping(double h) {
  crd_sim_options options = crd_sim_default();
  options.integrator = CRD_SIM_MOREAU, options.timestep = h;
  return options;
}

static double energy_of(const simulation *s) {
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  return e.kinetic + e.potential;
}

/* ------------------------------------------------------------------------------------------------ closed forms */

/* A ball falls 0.5 m and rebounds to e^2 of it, then to e^4. A step's displacement is what it may be off by. */
static void a_ball_rebounds_to_e_squared_of_its_height(void **state) {
  (void)state;
  const double fall = 0.5, speed = sqrt(2 * GRAVITY * fall), flight = speed / GRAVITY;
  for (double h = 2e-3; h > 2e-4; h /= 2) {
    crd_sim_options options = stepping(h);
    options.e = 0.5;
    simulation *s = simulation_from_text("ball_on_floor: body.pos=0 0 0.6; ball.mass=", &options);
    double apex[2] = {0, 0};
    while (crd_sim_time(s->sim) < flight * (1 + 1 + 0.5)) {
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
      double t = crd_sim_time(s->sim), height = crd_sim_qpos(s->sim)[2] - 0.1;
      if (t > flight * 1.2) apex[t > flight * 2.1] = fmax(apex[t > flight * 2.1], height);
    }
    assert_true(fabs(apex[0] - 0.25 * fall) <= 2 * h * speed);
    assert_true(fabs(apex[1] - 0.0625 * fall) <= 2 * h * speed);
    assert_true(crd_sim_counters_now(s->sim).penetration_max <= 1e-7);
    simulation_free(s);
  }
}

/* A box slides down an incline of angle a < atan mu and stops after v^2 / 2 g (mu cos a - sin a). */
static void a_box_on_an_incline_stops_where_friction_says(void **state) {
  (void)state;
  const double mu = 0.5, a = 0.2, v = 1, way = v * v / (2 * GRAVITY * (mu * cos(a) - sin(a)));
  for (double h = 4e-3; h > 4e-4; h /= 2) {
    crd_sim_options options = stepping(h);
    char text[600];
    sprintf(text,
            "box_on_floor: option.gravity=%.17g 0 %.17g; floor.friction=0.5; box.size=0.2 0.2 0.1; box.mass=; "
            "box.friction=0.5; key.qvel=1 0 0 0 0 0",
            GRAVITY * sin(a), -GRAVITY * cos(a));
    simulation *s = simulation_from_text(text, &options);
    simulation_run(s, 1);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - way) <= h * v);
    assert_true(fabs(crd_sim_qvel(s->sim)[0]) <= 1e-12);
    simulation_free(s);
  }
}

static void a_stack_at_rest_stays(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  char text[2000], *at = text + sprintf(text, "<mujoco><worldbody><geom type='plane' size='1 1 1'/>");
  for (int i = 0; i < 6; i++)
    at += sprintf(at, "<body pos='0 0 %g'><freejoint/><geom type='box' size='.1 .1 .1'/></body>", 0.1 + 0.2 * i);
  sprintf(at, "</worldbody></mujoco>");
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 1);
  assert_true(max_difference(crd_sim_qpos(s->sim), s->model->qpos0, s->model->nq) <= 1e-9);
  simulation_free(s);
}

/* Five equal balls on a rail, a little apart, e = 1: the velocity passes from one to the next. */
static void a_row_of_balls_passes_the_velocity_on(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  options.e = 1;
  char text[2000], *at = text + sprintf(text, "<mujoco><option gravity='0 0 0'/><worldbody>");
  for (int i = 0; i < 5; i++)
    at += sprintf(at, "<body pos='%g 0 0'><joint type='slide' axis='1 0 0'/><geom size='.1' friction='0 0 0'/></body>",
                  0.21 * i);
  sprintf(at, "</worldbody><keyframe><key qvel='1 0 0 0 0'/></keyframe></mujoco>");
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 0.2);
  const double last[5] = {0, 0, 0, 0, 1};
  assert_true(max_difference(crd_sim_qvel(s->sim), last, 5) <= 1e-12);
  simulation_free(s);
}

/* Symplectic: the energy of a pendulum swings by O(h) and does not drift; its loop form drifts by O(h) as well. */
static void a_pendulum_keeps_its_energy_to_first_order(void **state) {
  (void)state;
  double swing[3];
  for (int k = 0; k < 3; k++) {
    double h = 4e-3 / (1 << k);
    crd_sim_options options = stepping(h);
    simulation *s = simulation_from_text("rod_on_hinge", &options);
    double start = energy_of(s), fastest = 0;
    swing[k] = 0;
    while (crd_sim_time(s->sim) < 10) {
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
      swing[k] = fmax(swing[k], fabs(energy_of(s) - start));
      fastest = fmax(fastest, crd_sim_energy_now(s->sim).kinetic);
    }
    assert_true(swing[k] <= 5 * h * fastest);
    simulation_free(s);
  }
  assert_true(swing[2] < 0.6 * swing[1] && swing[1] < 0.6 * swing[0]);
}

/* A sleigh with m = 1 and dry friction 2 N stops after v^2 m / 2 F, and rests then. */
static void dry_friction_stops_a_joint(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  simulation *s = simulation_from_text("slider: rail.frictionloss=2; key.qvel=1", &options);
  simulation_run(s, 1);
  assert_true(fabs(crd_sim_qpos(s->sim)[0] - 0.25) <= 0.5 * 1e-3 * 1.000001); /* first order: h v / 2 */
  assert_true(crd_sim_qvel(s->sim)[0] == 0 || fabs(crd_sim_qvel(s->sim)[0]) < 1e-14);
  assert_true(fabs(crd_sim_energy_now(s->sim).damping + 0.5) <= 1e-9);
  simulation_free(s);
}

/* A slide at its limit with restitution e: v becomes -e v, and the limit is passed by no more than rounding. */
static void a_joint_rebounds_from_its_limit(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  options.e = 0.5;
  simulation *s = simulation_from_text("slider: rail.range=-1 0.1; rail.limited=true; key.qvel=1", &options);
  double farthest = 0;
  for (int i = 0; i < 300; i++) {
    assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    farthest = fmax(farthest, crd_sim_qpos(s->sim)[0]);
  }
  assert_true(farthest <= 0.1 + 1e-12 && farthest >= 0.1 - 1e-3);
  assert_true(fabs(crd_sim_qvel(s->sim)[0] + 0.5) <= 1e-12);
  simulation_free(s);
}

/* A rod held by a loop swings; the loop stays closed to O(h^2), and its energy to O(h). */
static void loops_stay_closed(void **state) {
  (void)state;
  for (double h = 2e-3; h > 4e-4; h /= 2) {
    crd_sim_options options = stepping(h);
    simulation *s = simulation_from_text("rod_on_pin", &options);
    double start = energy_of(s);
    simulation_run(s, 1);
    /* the centre of the rod moves with at most sqrt(3 g l): what turning leaves open in a step is (h w)^2 l / 2 */
    assert_true(crd_sim_counters_now(s->sim).loop_max <= 3 * GRAVITY * h * h);
    assert_true(fabs(energy_of(s) - start) <= 20 * h * GRAVITY);
    simulation_free(s);
  }
}

/* A servo 1e4 times too steep for an explicit step of this length holds its position. */
static void steep_servos_do_not_explode(void **state) {
  (void)state;
  crd_sim_options options = stepping(5e-3);
  simulation *s = simulation_from_text("servo", &options);
  simulation_run(s, 2);
  /* m g l / 2 / kp away from zero */
  assert_true(fabs(crd_sim_qpos(s->sim)[0] - 0.1 * GRAVITY * 0.1 / 1e5) <= 1e-7);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ properties */

static simulation *heap(uint64_t seed, int bodies, const crd_sim_options *options) {
  static const char *shape[] = {"type='sphere' size='0.1'", "type='box' size='0.12 0.08 0.1'",
                                "type='capsule' size='0.06 0.1'", "type='box' size='0.1 0.1 0.1'"};
  random_stream stream = {seed, 0};
  char *text = malloc(100000), *at = text;
  at += sprintf(at,
                "<mujoco><option gravity='0 0 -9.81'/><default><geom friction='0.5 0 0'/></default><worldbody>"
                "<geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < bodies; i++) {
    double quat[4];
    random_unit_quat(&stream, quat);
    at +=
        sprintf(at, "<body pos='%.6f %.6f %.6f' quat='%.6f %.6f %.6f %.6f'><freejoint/><geom %s density='800'/></body>",
                random_in(&stream, -0.2, 0.2), random_in(&stream, -0.2, 0.2), 0.25 + 0.36 * i, quat[0], quat[1],
                quat[2], quat[3], shape[random_int(&stream, 0, 3)]);
  }
  sprintf(at, "</worldbody></mujoco>");
  simulation *s = simulation_from_text(text, options);
  free(text);
  return s;
}

static void momentum_of(const simulation *s, crd_workspace *work, double momentum[6]) {
  crd_tree_kinematics(s->model, work, crd_sim_qpos(s->sim));
  crd_tree_velocity(s->model, work, crd_sim_qvel(s->sim));
  crd_tree_momentum(s->model, work, momentum, NULL);
}

/* Impulses of contacts with the floor, world axes. */
static void add_floor_impulses(const simulation *s, double sum[3]) {
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  for (int c = 0; c < count; c++) {
    if (s->model->body[contact[c].contact.body2].link >= 0) continue;
    crd_vec3_axpy(sum, contact[c].impulse_n, contact[c].contact.normal);
    for (int t = 0; t < contact[c].contact.ntangent; t++)
      crd_vec3_axpy(sum, contact[c].impulse_t[t], contact[c].contact.tangent[t]);
  }
}

/* Every step: K + V does not rise (up to the third order in the turn of a step that gyroscopic forces leave), the
 * linear momentum changes by weight and floor. */
static void check_heap(uint64_t seed, int bodies, int steps) {
  const double h = 1e-3;
  crd_sim_options options = stepping(h);
  simulation *s = heap(seed, bodies, &options);
  crd_workspace *work = crd_model_workspace_new(s->model);
  double last = energy_of(s), before[6], after[6], start = last;
  momentum_of(s, work, before);
  for (int i = 0; i < steps; i++) {
    if (crd_sim_step(s->sim) != CRD_OK) fail_msg("seed %d, step %d: %s", (int)seed, i, crd_sim_message(s->sim));
    double now = energy_of(s), change[3] = {0, 0, -h * s->model->mass * GRAVITY};
    if (now - last > 1e-6 * start) fail_msg("seed %d: energy rises by %g", (int)seed, now - last);
    last = now;
    momentum_of(s, work, after);
    add_floor_impulses(s, change);
    for (int k = 0; k < 3; k++) assert_true(fabs(after[3 + k] - before[3 + k] - change[k]) <= 1e-9 * s->model->mass);
    memcpy(before, after, sizeof before);
  }
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  /* corners that come to face each other only as the impulse turns the bodies: less than a step's way at 1 m/s */
  if (counters.penetration_max > h * 1) fail_msg("seed %d: penetration %g", (int)seed, counters.penetration_max);
  assert_int_equal(counters.steps, steps);
  crd_model_workspace_free(work);
  simulation_free(s);
}

static void heaps_gain_no_energy_and_balance_their_momentum(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 12; seed++) check_heap(seed, 3 + (int)(seed % 8), 1200);
}

/* Overlaps do not become velocity: two balls that overlap come apart and do not jump. */
static void what_overlaps_is_parted_without_energy(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  options.gap_tolerance = 1e-2;
  simulation *s = simulation_from_text("two_free_balls: a.mass=; b.mass=", &options);
  simulation_run(s, 0.02);
  const double *q = crd_sim_qpos(s->sim);
  assert_true(q[7] - q[0] >= 0.2 - 1e-6 && q[7] - q[0] <= 0.2 + 1e-9);
  for (int i = 0; i < s->model->nv; i++) assert_true(fabs(crd_sim_qvel(s->sim)[i]) <= 1e-12);
  simulation_free(s);
}

static void a_restored_heap_goes_on_with_the_same_bits(void **state) {
  (void)state;
  crd_sim_options options = stepping(1e-3);
  simulation *s = heap(5, 10, &options);
  simulation_run(s, 0.6);
  size_t size = crd_sim_saved_size(s->sim);
  void *saved = malloc(size);
  assert_int_equal(crd_sim_save(s->sim, saved, size), CRD_OK);
  simulation_run(s, 0.8);
  double *q = malloc(sizeof *q * (size_t)s->model->nq);
  memcpy(q, crd_sim_qpos(s->sim), sizeof *q * (size_t)s->model->nq);
  assert_int_equal(crd_sim_restore(s->sim, saved, size), CRD_OK);
  simulation_run(s, 0.8);
  assert_memory_equal(q, crd_sim_qpos(s->sim), sizeof *q * (size_t)s->model->nq);
  free(q), free(saved);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ bad input */

static void accuracies_that_mean_nothing_are_refused(void **state) {
  (void)state;
  const double bad[] = {0, -1e-4, 0.5, NAN, INFINITY};
  crd_sim_options options = stepping(1e-3);
  simulation *s = heap(1, 2, &options);
  for (int i = 0; i < 5; i++) {
    crd_sim *sim;
    crd_error err = {0};
    options.accuracy = bad[i];
    assert_true(crd_sim_new(s->model, &options, &sim, &err) < 0);
    assert_non_null(strstr(err.text, "accuracy"));
  }
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_rebounds_to_e_squared_of_its_height),
      cmocka_unit_test(a_box_on_an_incline_stops_where_friction_says),
      cmocka_unit_test(a_stack_at_rest_stays),
      cmocka_unit_test(a_row_of_balls_passes_the_velocity_on),
      cmocka_unit_test(a_pendulum_keeps_its_energy_to_first_order),
      cmocka_unit_test(dry_friction_stops_a_joint),
      cmocka_unit_test(a_joint_rebounds_from_its_limit),
      cmocka_unit_test(loops_stay_closed),
      cmocka_unit_test(steep_servos_do_not_explode),
      cmocka_unit_test(heaps_gain_no_energy_and_balance_their_momentum),
      cmocka_unit_test(what_overlaps_is_parted_without_energy),
      cmocka_unit_test(a_restored_heap_goes_on_with_the_same_bits),
      cmocka_unit_test(accuracies_that_mean_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
