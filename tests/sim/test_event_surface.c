/* Rates of contact rows: the second derivative of the gap for surfaces that roll and slide on each other, in closed
 * form, and against second differences of the gap itself for every kind of pair. */
#include "sim/event_surface.h"

#include <cradle/linalg.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

enum { MAX_ROWS = 64 };

/* Bias of all rows at the mechanism's state. */
static void bias_of(mechanism *m, double *bias) {
  crd_surface surface;
  crd_contact_options options = crd_contact_default();
  int npoint;
  options.distance = 1e-6;
  mechanism_assemble(m, &options);
  const crd_contact_point *point = crd_contact_points(m->assembler, &npoint);
  assert_in_range(m->problem->nrow + m->problem->nb, 1, MAX_ROWS);
  assert_int_equal(crd_surface_init(&surface, m->model), CRD_OK);
  assert_int_equal(crd_surface_bias(&surface, m->work, m->qpos, m->qvel, point, npoint, m->assembler, m->problem, bias),
                   CRD_OK);
  crd_surface_free(&surface);
}

static void a_ball_on_a_plane_has_no_bias(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("ball_on_floor: body.pos=0 0 0.3; ball.size=0.3");
  const double v[6] = {1, -2, 0, 3, 0.5, -4};
  double bias[MAX_ROWS];
  memcpy(m.qvel, v, sizeof v);
  bias_of(&m, bias);
  for (int i = 0; i < 3; i++) assert_near(bias[i], 0, 1e-13);
  mechanism_free(&m);
}

/* Centres at distance rho: the gap's second derivative is w_t^2/rho, and a ball rolling on a fixed one (u_t = 0) has
 * d/dt(t . u) = -r (om x n') . t with n' = w_t/rho, no other term as nothing accelerates. */
static void a_ball_on_a_ball_is_pushed_off_by_the_curvature(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("ball_on_ball: large.size=0.7; small.size=0.3");
  const double v[6] = {1.5, 0, 0, 0, 5, 2}; /* rolls: v = om r */
  double bias[MAX_ROWS];
  memcpy(m.qvel, v, sizeof v);
  bias_of(&m, bias);
  const crd_contact *c = &m.problem->contact[0];
  assert_near(bias[c->row], 1.5 * 1.5 / 1.0, 1e-12);
  /* -r om x n' = -0.3 (0, 5, 2) x (1.5, 0, 0) = -0.3 (0, 3, -7.5): along y */
  double y[2];
  for (int k = 0; k < 2; k++) y[k] = c->tangent[k][1];
  for (int k = 0; k < 2; k++) assert_near(bias[c->row + 1 + k], -0.9 * y[k], 1e-12);
  mechanism_free(&m);
}

static double gap_at(mechanism *m, double step) {
  double q[32], pos[3 * 8], R[9 * 8], least = INFINITY;
  crd_collider *collider = crd_collide_new(m->model);
  crd_contact_point point[64];
  int count;
  crd_tree_integrate_position(m->model, m->qpos, m->qvel, step, q);
  crd_tree_kinematics(m->model, m->work, q);
  for (int g = 0; g < m->model->ngeom; g++) crd_tree_geom_pose(m->model, m->work, g, pos + 3 * g, R + 9 * g);
  assert_int_equal(crd_collide_pair(collider, pos, R, 0, 1, 10, point, 64, &count), CRD_OK);
  for (int i = 0; i < count; i++) least = fmin(least, point[i].gap);
  crd_collide_free(collider);
  return least;
}

/* Two bodies brought to touch along z, then random velocities. */
static void second_derivative_agrees(const char *geom1, const char *geom2, uint64_t seed) {
  char text[800];
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom %s/></body>"
           "<body pos='0.05 0.03 3'><freejoint/><geom %s/></body></worldbody></mujoco>",
           geom1, geom2);
  mechanism m = mechanism_from_text(text);
  double bias[MAX_ROWS];
  m.qvel[8] = -1;
  double down = 0;
  for (int i = 0; i < 60; i++) down += gap_at(&m, down); /* conservative advancement along -z at unit speed */
  m.qpos[9] -= down;
  for (int i = 0; i < 12; i++) m.qvel[i] = crd_random_normal(seed, 1, (uint64_t)i);
  bias_of(&m, bias);
  assert_int_equal(m.problem->nc, 1);
  const double h = 2e-4;
  double second = (gap_at(&m, h) - 2 * gap_at(&m, 0) + gap_at(&m, -h)) / (h * h);
  if (fabs(second - bias[0]) > 2e-5 * fmax(1, fabs(second)))
    fail_msg("%s on %s: second difference %.10g, bias %.10g", geom2, geom1, second, bias[0]);
  mechanism_free(&m);
}

static void the_bias_is_the_second_derivative_of_the_gap(void **state) {
  (void)state;
  const char *plane = "type='box' size='5 5 0.1' euler='3 2 0'", *edge = "type='box' size='3 0.5 0.5' euler='45 2 1'",
             *kinds[] = {"type='sphere' size='0.4'", "type='capsule' size='0.2 0.5' euler='70 20 0'",
                         "type='ellipsoid' size='0.3 0.5 0.4' euler='20 40 10'",
                         "type='cylinder' size='0.4 0.3' euler='40 30 10'",
                         "type='box' size='0.3 0.4 0.5' euler='30 40 20'"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    second_derivative_agrees(plane, kinds[k], 10 + k);
    second_derivative_agrees(edge, kinds[k], 20 + k);
    second_derivative_agrees(kinds[0], kinds[k], 30 + k);
    second_derivative_agrees(kinds[2], kinds[k], 40 + k);
  }
}

static void corners_are_found_again_whatever_their_number(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("box_on_floor");
  crd_surface surface;
  crd_followed followed[4];
  int npoint;
  mechanism_assemble(&m, NULL);
  const crd_contact_point *point = crd_contact_points(m.assembler, &npoint);
  assert_int_equal(npoint, 4);
  assert_int_equal(crd_surface_init(&surface, m.model), CRD_OK);
  for (int i = 0; i < 4; i++) followed[i].point = point[i];
  crd_surface_remember(&surface, m.work, followed, 4);
  /* a quarter turn about z changes the order of the corners in x */
  m.qpos[3] = m.qpos[6] = sqrt(0.5);
  crd_tree_kinematics(m.model, m.work, m.qpos);
  double before[4][3];
  for (int i = 0; i < 4; i++) crd_vec3_copy(before[i], followed[i].point.point);
  assert_int_equal(crd_surface_locate(&surface, m.work, followed, 4, 1e-3), CRD_OK);
  for (int i = 0; i < 4; i++) {
    assert_near(followed[i].point.point[0], -before[i][1], 1e-12);
    assert_near(followed[i].point.point[1], before[i][0], 1e-12);
  }
  crd_surface_free(&surface);
  mechanism_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_on_a_plane_has_no_bias),
                                     cmocka_unit_test(a_ball_on_a_ball_is_pushed_off_by_the_curvature),
                                     cmocka_unit_test(the_bias_is_the_second_derivative_of_the_gap),
                                     cmocka_unit_test(corners_are_found_again_whatever_their_number)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
