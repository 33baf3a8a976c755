/* What must not change the motion: turning the scene, the order of its parts, an independent copy, a second run, a
 * state that was saved and restored. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/simulation.h"

#define BALL \
  "<body name='ball' pos='%s'><freejoint/><geom type='sphere' size='0.1' mass='1' friction='0.4 0 0'/></body>"
#define BOX                                                        \
  "<body name='box' pos='%s' quat='0.9 0.3 0.2 0.25'><freejoint/>" \
  "<geom type='box' size='0.15 0.1 0.05' mass='2' friction='0.4 0 0'/></body>"
#define HEAD                                                         \
  "<mujoco><option gravity='0 0 -9.81' timestep='0.002'/>"           \
  "<custom><numeric name='cradle_restitution' data='0.3'/></custom>" \
  "<worldbody><geom type='plane' size='0 0 1' friction='0.4 0 0'/>"
#define TAIL "</worldbody></mujoco>"

static simulation *scene(const char *format, const char *first, const char *second) {
  char text[2000];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, sizeof text, format, first, second);
#pragma GCC diagnostic pop
  return simulation_from_text(text, NULL);
}

static const double *body_qpos(const simulation *s, const char *name) {
  int body = crd_model_find_body(s->model, name);
  assert_true(body > 0);
  return crd_sim_qpos(s->sim) + s->model->joint[s->model->body[body].first_joint].q;
}

static void order_of_bodies_changes_nothing(void **state) {
  (void)state;
  simulation *a = scene(HEAD BALL BOX TAIL, "0.05 0.02 0.6", "0 0 0.3");
  simulation *b = scene(HEAD BOX BALL TAIL, "0 0 0.3", "0.05 0.02 0.6");
  simulation_run(a, 0.3); /* later a ball between box and floor multiplies rounding by each impact */
  simulation_run(b, 0.3);
  assert_true(crd_sim_counters_now(a->sim).impacts > 5);
  assert_true(max_difference(body_qpos(a, "box"), body_qpos(b, "box"), 7) <= 1e-9);
  assert_true(max_difference(body_qpos(a, "ball"), body_qpos(b, "ball"), 7) <= 1e-9);
  simulation_free(a);
  simulation_free(b);
}

static void independent_copy_changes_nothing(void **state) {
  (void)state;
  simulation *a = scene(HEAD BOX "%s" TAIL, "0 0 0.3", "");
  simulation *b = scene(HEAD BOX
                        "<body name='copy' pos='%s' quat='0.9 0.3 0.2 0.25'><freejoint/>"
                        "<geom type='box' size='0.15 0.1 0.05' mass='2' friction='0.4 0 0'/></body>" TAIL,
                        "0 0 0.3", "8 0 0.3");
  simulation_run(a, 0.3);
  simulation_run(b, 0.3);
  assert_true(crd_sim_counters_now(a->sim).impacts >= 2);
  assert_true(max_difference(body_qpos(a, "box"), body_qpos(b, "box"), 7) <= 1e-9);
  double moved[7];
  memcpy(moved, body_qpos(b, "copy"), sizeof moved);
  moved[0] -= 8;
  assert_true(max_difference(body_qpos(a, "box"), moved, 7) <= 1e-9);
  simulation_free(a);
  simulation_free(b);
}

/* A ball thrown sideways with spin bounces, slides and rolls; the scene turned by an angle about the vertical. */
static simulation *thrown(double angle) {
  char text[1500];
  double c = cos(angle), s = sin(angle), v[3] = {1.5 * c - 0.2 * s, 1.5 * s + 0.2 * c, 0};
  double w[3] = {3 * c + 7 * s, 3 * s - 7 * c, 2};
  snprintf(text, sizeof text,
           "bouncing_ball: option.timestep=0.002; floor.friction=0.4 0 0; body.pos=0 0 0.3; ball.mass=1; "
           "ball.friction=0.4 0 0; key.qvel=%.17g %.17g 0 %.17g %.17g %.17g",
           v[0], v[1], w[0], w[1], w[2]);
  return simulation_from_text(text, NULL);
}

static void turning_the_scene_turns_the_motion(void **state) {
  (void)state;
  simulation *a = thrown(0);
  simulation_run(a, 1.5);
  for (int k = 1; k < 5; k++) {
    double angle = 0.731 * k, c = cos(angle), s = sin(angle);
    simulation *b = thrown(angle);
    simulation_run(b, 1.5);
    const double *q = crd_sim_qpos(a->sim), *r = crd_sim_qpos(b->sim);
    assert_true(fabs(r[0] - (c * q[0] - s * q[1])) <= 1e-9 && fabs(r[1] - (s * q[0] + c * q[1])) <= 1e-9);
    simulation_free(b);
  }
  simulation_free(a);
}

/* One free body of a scene in space: geom, then position, orientation, velocity and (in body axes) angular velocity. */
typedef struct flying {
  const char *geom;
  double q[7], v[6];
} flying;

static void turn_vector(const double turn[4], const double in[3], double out[3]) { crd_quat_rotate(out, turn, in); }

/* Bodies above a floor, everything turned: gravity, floor, poses and velocities. */
static simulation *turned_scene(const double turn[4], const flying *body, int count, const crd_sim_options *options) {
  const double down[3] = {0, 0, -9.81};
  double g[3];
  char text[6000], key[2000], speed[2000], *at = text, *k = key, *w = speed;
  turn_vector(turn, down, g);
  at += sprintf(at,
                "<mujoco><option gravity='%.17g %.17g %.17g' timestep='0.002'/>"
                "<custom><numeric name='cradle_restitution' data='0.4'/></custom><worldbody>"
                "<geom type='plane' size='0 0 1' friction='0.4 0 0' quat='%.17g %.17g %.17g %.17g'/>",
                g[0], g[1], g[2], turn[0], turn[1], turn[2], turn[3]);
  for (int b = 0; b < count; b++) {
    double x[3], q[4], v[3];
    turn_vector(turn, body[b].q, x), turn_vector(turn, body[b].v, v);
    crd_quat_mul(q, turn, body[b].q + 3);
    crd_quat_normalize(q);
    at += sprintf(at, "<body><freejoint/><geom %s friction='0.4 0 0'/></body>", body[b].geom);
    k += sprintf(k, "%.17g %.17g %.17g %.17g %.17g %.17g %.17g ", x[0], x[1], x[2], q[0], q[1], q[2], q[3]);
    w += sprintf(w, "%.17g %.17g %.17g %.17g %.17g %.17g ", v[0], v[1], v[2], body[b].v[3], body[b].v[4], body[b].v[5]);
  }
  sprintf(at, "</worldbody><keyframe><key qpos='%s' qvel='%s'/></keyframe></mujoco>", key, speed);
  return simulation_from_text(text, options);
}

/* Largest difference of positions between the turned scene and the first one turned. */
static double off_by_turn(const simulation *first, const simulation *turned, const double turn[4], int count) {
  double worst = 0;
  for (int b = 0; b < count; b++) {
    const double *q = crd_sim_qpos(first->sim) + 7 * b, *r = crd_sim_qpos(turned->sim) + 7 * b;
    double x[3], o[4], same = 0;
    turn_vector(turn, q, x);
    crd_quat_mul(o, turn, q + 3);
    for (int i = 0; i < 4; i++) same += o[i] * r[3 + i];
    for (int i = 0; i < 4; i++) o[i] *= same < 0 ? -1 : 1; /* q and -q are one orientation */
    worst = fmax(worst, fmax(max_difference(x, r, 3), max_difference(o, r + 3, 4)));
  }
  return worst;
}

static void check_turned_scene(const flying *body, int count, double time, int impacts,
                               const crd_sim_options *options) {
  const double identity[4] = {1, 0, 0, 0};
  simulation *first = turned_scene(identity, body, count, options);
  simulation_run(first, time);
  assert_true(simulation_count(first, CRD_EVENT_IMPACT) >= impacts);
  for (uint64_t seed = 1; seed <= 5; seed++) {
    random_stream stream = {.seed = seed};
    double turn[4];
    random_unit_quat(&stream, turn);
    simulation *turned = turned_scene(turn, body, count, options);
    simulation_run(turned, time);
    double off = off_by_turn(first, turned, turn, count);
    if (!(off <= 1e-9)) fail_msg("%d bodies, turn %d: %g", count, (int)seed, off);
    simulation_free(turned);
  }
  simulation_free(first);
}

/* Oblique impacts with spin, on the floor and with each other, under every facetted law and both integrators. */
static void turning_a_scene_with_oblique_impacts_in_space_changes_nothing(void **state) {
  (void)state;
  const flying body[] = {
      {"type='box' size='.15 .1 .05' mass='2'", {0, 0, 0.3, 0.9, 0.3, 0.2, 0.25}, {0.7, 0.4, -1, 2, -3, 1}},
      {"type='capsule' size='.05 .12' mass='1'", {0.32, 0.1, 0.4, 0.5, 0.5, -0.3, 0.6}, {-1.5, 0.2, -0.5, -4, 1, 5}},
      {"type='ellipsoid' size='.1 .07 .05' mass='1.5'", {1, 0.3, 0.2, 0.8, 0.1, 0.5, -0.3}, {-1, -0.7, 0, 3, 5, -2}}};
  const char *law[] = {"poisson", "anitescu-potra", "sequential", "newton", "routh"};
  for (int k = 0; k < 5; k++) {
    crd_sim_options options = crd_sim_default();
    options.law = crd_impact_find(law[k]);
    check_turned_scene(body, 1, 0.25, 1, &options);
    check_turned_scene(body, 3, 0.16, 3, &options);
  }
}

/* Without impacts the answer is that of the round cone in every direction. */
static void turning_a_sliding_body_turns_its_way(void **state) {
  (void)state;
  double first[3] = {0};
  for (int k = 0; k < 6; k++) {
    char text[1500];
    double angle = 0.413 * k, c = cos(angle), s = sin(angle);
    snprintf(text, sizeof text,
             "ball_on_floor: option.timestep=0.002; floor.friction=0.4 0 0; ball.friction=0.4 0 0; key.qvel=%.17g "
             "%.17g 0 %.17g %.17g 5",
             1.5 * c, 1.5 * s, 9 * c + 4 * s, 9 * s - 4 * c);
    simulation *sim = simulation_from_text(text, NULL);
    simulation_run(sim, 0.5);
    const double *q = crd_sim_qpos(sim->sim);
    double back[2] = {c * q[0] + s * q[1], -s * q[0] + c * q[1]};
    if (k == 0) memcpy(first, back, sizeof back);
    assert_true(max_difference(back, first, 2) <= 1e-9);
    assert_true(fabs(back[1]) > 0.05); /* the spin bends its way */
    simulation_free(sim);
  }
}

static void same_bits_on_every_run(void **state) {
  (void)state;
  simulation *a = simulation_from_example("@pendulum:6", NULL), *b = simulation_from_example("@pendulum:6", NULL);
  simulation_run(a, 3);
  simulation_run(b, 3);
  assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), sizeof(double) * 6);
  assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), sizeof(double) * 6);
  simulation_free(a);
  simulation_free(b);
}

static void restored_simulation_goes_on_with_the_same_bits(void **state) {
  (void)state;
  const char *spec[] = {"@pendulum:6", "@rocking-block-zeno", "@disk-stack", "@four-bar"};
  for (int k = 0; k < 4; k++) {
    simulation *a = simulation_from_example(spec[k], NULL), *b = simulation_from_example(spec[k], NULL);
    simulation_run(a, 0.8);
    size_t size = crd_sim_saved_size(a->sim);
    void *saved = malloc(size);
    assert_non_null(saved);
    assert_int_equal(crd_sim_save(a->sim, saved, size - 1), CRD_ERR_CAPACITY);
    assert_int_equal(crd_sim_save(a->sim, saved, size), CRD_OK);
    assert_int_equal(crd_sim_restore(b->sim, saved, size - 1), CRD_ERR_FORMAT);
    assert_int_equal(crd_sim_restore(b->sim, saved, size), CRD_OK);
    simulation_run(a, 1.6);
    simulation_run(b, 1.6);
    size_t nq = (size_t)a->model->nq, nv = (size_t)a->model->nv;
    assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), sizeof(double) * nq);
    assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), sizeof(double) * nv);
    crd_sim_energy ea = crd_sim_energy_now(a->sim), eb = crd_sim_energy_now(b->sim);
    assert_memory_equal(&ea, &eb, sizeof ea);
    free(saved);
    simulation_free(a);
    simulation_free(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_of_bodies_changes_nothing),
      cmocka_unit_test(independent_copy_changes_nothing),
      cmocka_unit_test(turning_the_scene_turns_the_motion),
      cmocka_unit_test(turning_a_scene_with_oblique_impacts_in_space_changes_nothing),
      cmocka_unit_test(turning_a_sliding_body_turns_its_way),
      cmocka_unit_test(same_bits_on_every_run),
      cmocka_unit_test(restored_simulation_goes_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
