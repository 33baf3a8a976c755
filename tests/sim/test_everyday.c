/* Small scenes as a newcomer writes them, against closed forms: a cart on wheels, Newton's cradle, a door and its stop,
 * a heavy top, a plank on a log. */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double G = 9.81;

/* Four wheels roll without slipping down a slope: a = g sin(alpha) M / (M + sum I / r^2), M = 6, I / r^2 = 1/4 each. */
static void a_cart_rolls_down_a_slope(void **state) {
  (void)state;
  char text[3000], *at = text;
  double alpha = 10 * acos(-1.0) / 180, t = 1;
  at += sprintf(at,
                "<mujoco><option gravity='%.17g 0 %.17g' timestep='0.002'/><worldbody>"
                "<geom type='plane' size='0 0 1' friction='1 0 0'/><body pos='0 0 .1'><freejoint/>"
                "<geom type='box' size='.3 .1 .03' mass='4' pos='0 0 .02' contype='0' conaffinity='0'/>",
                G * sin(alpha), -G * cos(alpha));
  for (int k = 0; k < 4; k++)
    at += sprintf(at,
                  "<body pos='%g %g -0.05' quat='0.7071067811865476 0.7071067811865476 0 0'><joint axis='0 0 1'/>"
                  "<geom type='cylinder' size='.05 .02' mass='.5' friction='1 0 0'/></body>",
                  k % 2 ? .2 : -.2, k / 2 ? .15 : -.15);
  sprintf(at, "</body></worldbody></mujoco>");
  simulation *s = simulation_from_text(text, NULL);
  simulation_run(s, t);
  double a = G * sin(alpha) * 6 / 7;
  const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
  assert_true(fabs(v[0] - a * t) <= 1e-5 && fabs(q[0] - 0.5 * a * t * t) <= 1e-5);
  for (int k = 0; k < 4; k++) assert_true(fabs(fabs(v[6 + k]) - a * t / 0.05) <= 1e-5 / 0.05);
  assert_true(fabs(crd_sim_energy_now(s->sim).contact) <= 1e-6); /* rolling does no work */
  simulation_free(s);
}

/* Equal balls a tenth of a millimetre apart, e = 1: each impact hands the whole speed on, and the last ball leaves with
 * that of the first. */
static void newtons_cradle_hands_the_speed_on(void **state) {
  (void)state;
  char text[2000], *at = text;
  at += sprintf(at,
                "<mujoco><option gravity='0 0 -9.81' timestep='0.001'/>"
                "<custom><numeric name='cradle_restitution' data='1'/></custom><worldbody>");
  for (int k = 0; k < 5; k++)
    at += sprintf(at,
                  "<body pos='%g 0 1'><joint axis='0 1 0'/>"
                  "<geom type='sphere' size='.05' pos='0 0 -.5' mass='1' condim='1'/></body>",
                  0.1001 * k);
  sprintf(at, "</worldbody><keyframe><key qpos='0.5 0 0 0 0'/></keyframe></mujoco>");
  simulation *s = simulation_from_text(text, NULL);
  simulation_run(s, 0.37);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 4);
  /* I = m (l^2 + 2/5 r^2), I w^2 / 2 = m g l (1 - cos) */
  double inertia = 0.25 + 0.4 * 0.0025, w = sqrt(2 * G * 0.5 * (1 - cos(0.5)) / inertia);
  for (int k = 0; k < 4; k++) assert_true(fabs(crd_sim_qvel(s->sim)[k]) <= 0.05 * w); /* swinging a little */
  assert_true(fabs(fabs(crd_sim_qvel(s->sim)[4]) - w) <= 0.01 * w);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_true(fabs(e.kinetic + e.potential - e.start) <= 1e-9 * e.start);
  simulation_free(s);
}

/* A door swings against a post and comes back with half its rate. */
static void a_door_rebounds_from_its_stop(void **state) {
  (void)state;
  simulation *s = simulation_from_text("door_on_stop", NULL);
  simulation_run(s, 0.5);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 1);
  /* the door's corner (0.95, 0.02) meets the post's face y = 0.55 */
  double reach = hypot(0.95, 0.02), meet = asin(0.55 / reach) - asin(0.02 / reach);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - meet / 2) <= 1e-9);
  assert_true(fabs(crd_sim_qvel(s->sim)[0] + 1) <= 1e-12);
  simulation_free(s);
}

/* A top on its point, axis level: the precession I3 w3 W = m g l keeps it there. */
static void a_level_top_precesses_steadily(void **state) {
  (void)state;
  const double l = 0.2, I3 = 0.02, w3 = 100, W = G * l / (I3 * w3), t = 1;
  simulation *s = simulation_from_text("heavy_top", NULL);
  /* the axis along x; in body axes W about the vertical is about -x */
  const double q[4] = {sqrt(0.5), 0, sqrt(0.5), 0}, v[3] = {-W, 0, w3};
  assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
  simulation_run(s, t);
  const double *o = crd_sim_qpos(s->sim);
  double axis[3] = {2 * (o[1] * o[3] + o[0] * o[2]), 2 * (o[2] * o[3] - o[0] * o[1]),
                    1 - 2 * (o[1] * o[1] + o[2] * o[2])};
  assert_true(fabs(axis[0] - cos(W * t)) <= 1e-6 && fabs(axis[1] - sin(W * t)) <= 1e-6 && fabs(axis[2]) <= 1e-6);
  simulation_free(s);
}

/* A plank balanced on a log rocks about its middle; small swings have w^2 = g (R - h) / (L^2 / 3 + (h^2) / 3 + h^2)
 * with half length L and half thickness h on a log of radius R. */
static void a_plank_rocks_on_a_log(void **state) {
  (void)state;
  const double R = 0.2, L = 1, h = 0.02, w = sqrt(G * (R - h) / (L * L / 3 + h * h / 3 + h * h)), kick = 0.01;
  simulation *s = simulation_from_text("board_on_cylinder", NULL);
  /* rolling: the centre, h above the point of contact, moves with it */
  const double q[7] = {0, 0, R + h, 1, 0, 0, 0}, v[6] = {h * kick, 0, 0, 0, kick, 0};
  assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
  simulation_run(s, 0.5 * acos(-1.0) / w); /* a quarter of the period: turning point */
  /* the relative change of the period of a swing of 5e-3 rad is of the order of its square */
  assert_true(fabs(crd_sim_qvel(s->sim)[4]) <= 1e-4 * kick);
  assert_true(fabs(2 * crd_sim_qpos(s->sim)[5] - kick / w) <= 1e-4 * kick / w);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cart_rolls_down_a_slope),     cmocka_unit_test(newtons_cradle_hands_the_speed_on),
      cmocka_unit_test(a_door_rebounds_from_its_stop), cmocka_unit_test(a_level_top_precesses_steadily),
      cmocka_unit_test(a_plank_rocks_on_a_log),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
