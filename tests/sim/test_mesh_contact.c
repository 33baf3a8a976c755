/* Bodies made of meshes: faces with more corners than a pair keeps, whose points must stay the same ones from look to
 * look; they fall, rock from corner to corner and come to rest where geometry says. Boxes given as vertices move like
 * boxes, and flat bodies lie on each other without sinking. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

enum { CORNERS = 48, TEXT = 20000 };
static const double TURN = 6.283185307179586;

/* Vertices of an elliptic ring at height z. */
static char *put_ring(char *at, double a, double b, double z) {
  for (int i = 0; i < CORNERS; i++)
    at += sprintf(at, "%.17g %.17g %.17g ", a * cos(TURN * i / CORNERS), b * sin(TURN * i / CORNERS), z);
  return at;
}

/* One body of the mesh falls on the floor from this height, turned by the Euler angles (degrees). */
static simulation *drop(const char *vertices, double height, const char *euler) {
  char *text = malloc(TEXT);
  assert_non_null(text);
  int length =
      snprintf(text, TEXT, "mesh_on_floor: m.vertex=%s; body.pos=0 0 %g; body.euler=%s", vertices, height, euler);
  assert_true(length < TEXT);
  simulation *s = simulation_from_text(text, NULL);
  free(text);
  return s;
}

/* Rests on the floor at this height, nothing failed and nothing sank. */
static void check_rest(simulation *s, double height) {
  simulation_run(s, 2.5);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - height) <= 1e-7);
  assert_true(energy.kinetic <= 1e-9 * energy.start);
  assert_int_equal(counters.failed_solves, 0);
  assert_true(counters.penetration_max <= 1e-7);
  assert_true(counters.residual_max <= 1e-6);
}

static void a_sole_of_many_corners_comes_to_rest(void **state) {
  (void)state;
  static const char *const EULER[] = {"10 5 3", "5 3 0"};
  static const double HEIGHT[] = {0.03, 0.08};
  char vertices[8000], *at = put_ring(vertices, 0.1, 0.05, -0.01);
  put_ring(at, 0.1, 0.05, 0.01);
  for (size_t k = 0; k < sizeof EULER / sizeof *EULER; k++) {
    simulation *s = drop(vertices, HEIGHT[k], EULER[k]);
    check_rest(s, 0.01);
    simulation_free(s);
  }
}

/* A cone falls nearly upright and stays so; the origin of its body is in its base. */
static void a_cone_comes_to_rest_on_its_base(void **state) {
  (void)state;
  char vertices[8000], *at = put_ring(vertices, 0.05, 0.05, 0);
  sprintf(at, "0 0 .1");
  simulation *s = drop(vertices, 0.05, "10 5 3");
  check_rest(s, 0);
  simulation_free(s);
}

/* The scan of a sole: its corners lie a ten millionth of a metre up and down, so that three of them carry it. */
static void a_rough_sole_comes_to_rest(void **state) {
  (void)state;
  char vertices[8000], *at = vertices;
  for (int i = 0; i < 2 * CORNERS; i++) {
    double rough = 1e-7 * sin(12.9898 * i), angle = TURN * i / CORNERS;
    at += sprintf(at, "%.17g %.17g %.17g ", 0.1 * cos(angle), 0.05 * sin(angle), (i < CORNERS ? -0.01 : 0.01) + rough);
  }
  simulation *s = drop(vertices, 0.05, "0 0 0");
  simulation_run(s, 1);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - 0.01) <= 2e-7);
  assert_int_equal(counters.failed_solves, 0);
  assert_true(counters.penetration_max <= 1e-8);
  simulation_free(s);
}

/* A box whose corners are exact in single precision, as a geom of its own or as a mesh. */
static char *put_box(char *at, const char *place, bool as_mesh) {
  return at + sprintf(at,
                      "<body %s><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='.0005 .001 .0012'/>"
                      "<geom %s friction='.5 0 0'/></body>",
                      place, as_mesh ? "type='mesh' mesh='m'" : "type='box' size='.0625 .03125 .015625'");
}

static simulation *boxes(const char *gravity, const char *const place[3], bool as_mesh) {
  char text[4000], *at = text;
  at += sprintf(at,
                "<mujoco><option timestep='0.002' gravity='%s'/><custom><numeric name='cradle_restitution' data='.3'/>"
                "</custom><asset><mesh name='m' vertex='",
                gravity);
  for (int k = 0; k < 8; k++)
    at += sprintf(at, "%g %g %g ", k & 1 ? .0625 : -.0625, k & 2 ? .03125 : -.03125, k & 4 ? .015625 : -.015625);
  at += sprintf(at, "'/></asset><worldbody><geom type='plane' size='0 0 1' friction='.5 0 0'/>");
  for (int k = 0; k < 3 && place[k]; k++) at = put_box(at, place[k], as_mesh);
  sprintf(at, "</worldbody></mujoco>");
  return simulation_from_text(text, NULL);
}

/* Dropped flat and askew, sliding, stacked askew on a slope, edge on edge. */
static void a_box_of_vertices_moves_like_a_box(void **state) {
  (void)state;
  const struct {
    const char *gravity, *place[3];
    double t;
  } scene[] = {{"0 0 -9.81", {"pos='0 0 .1'"}, 0.5},
               {"0 0 -9.81", {"pos='0 0 .15' euler='20 30 10'"}, 0.4},
               {"6 1 -9.3", {"pos='0 0 .015625'"}, 0.5},
               {"2 0 -9.6", {"pos='0 0 .015625'", "pos='.01 .005 .046875' euler='0 0 10'", "pos='0 .01 .078125'"}, 0.5},
               {"0 0 -9.81", {"pos='0 0 .06' euler='0 45 0'", "pos='0 .005 .15' euler='45 0 0'"}, 0.09}};
  for (size_t k = 0; k < sizeof scene / sizeof *scene; k++) {
    simulation *a = boxes(scene[k].gravity, scene[k].place, false), *b = boxes(scene[k].gravity, scene[k].place, true);
    simulation_run(a, scene[k].t);
    simulation_run(b, scene[k].t);
    for (int i = 0; i < a->model->nq; i++)
      if (!(fabs(crd_sim_qpos(a->sim)[i] - crd_sim_qpos(b->sim)[i]) <= 1e-9))
        fail_msg("scene %d, coordinate %d: %g and %g", (int)k, i, crd_sim_qpos(a->sim)[i], crd_sim_qpos(b->sim)[i]);
    simulation_free(a);
    simulation_free(b);
  }
}

/* Wedges in a heap: nothing sinks, no energy comes from nowhere. */
static void wedges_fall_on_each_other(void **state) {
  (void)state;
  char text[4000], *at = text;
  at += sprintf(at,
                "<mujoco><option timestep='0.002'/><asset><mesh name='m' vertex='-.1 -.03 0 -.1 .03 0 .1 -.03 0 .1 "
                ".03 0 -.1 -.03 .008 -.1 .03 .008'/></asset><worldbody><geom type='plane' size='0 0 1'/>");
  for (int k = 0; k < 4; k++)
    at += sprintf(at,
                  "<body pos='%g %g %g' euler='%d %d %d'><freejoint/><geom type='mesh' mesh='m' density='800' "
                  "friction='.5 0 0'/></body>",
                  0.02 * k, -0.01 * k, 0.1 + 0.1 * k, 40 * k, 25 * k, 70 * k);
  sprintf(at, "</worldbody></mujoco>");
  simulation *s = simulation_from_text(text, NULL);
  simulation_run(s, 0.7);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_true(counters.penetration_max <= 1e-8);
  assert_true(counters.residual_max <= 1e-6 && counters.failed_solves == 0);
  assert_true(fabs(energy.integration) <= 1e-3 * energy.start);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ rolling */

/* A prism of N sides rolls on a floor, from one of its sides onto the next: between two landings its energy stays, and at
 * each of them, without restitution and with enough friction, the momentum about the edge that lands stays:
 *
 *   w+ / w- = (i + cos(2 pi / N)) / (i + 1),   i = I / (m r^2) = (1 - 2/3 sin^2(pi / N)) / 2     (the rimless wheel)
 *
 * Returns how much of the energy it has lost, as a share of what that asks for at the side it stands on. */
static double loss_of_rolling_prism(double timestep, long *impacts) {
  enum { SIDES = 60 };
  const double r = 0.1, w = 2, half = TURN / 2 / SIDES, i = (1 - 2.0 / 3 * sin(half) * sin(half)) / 2;
  const double height = r * cos(half), rest = r * sin(half);
  char *text = malloc(TEXT), *at = text;
  at += sprintf(at, "<mujoco><option timestep='%g'/><asset><mesh name='m' vertex='", timestep);
  for (int k = 0; k < SIDES; k++)
    for (int side = -1; side <= 1; side += 2)
      at += sprintf(at, "%.17g %g %.17g ", r * sin((2 * k + 1) * half), 0.05 * side, r * cos((2 * k + 1) * half));
  sprintf(at,
          "'/></asset><worldbody><geom type='plane' size='0 0 1' friction='2 0 0'/><body pos='0 0 %.17g'><freejoint/>"
          "<geom type='mesh' mesh='m' density='800' friction='2 0 0'/></body></worldbody></mujoco>",
          height);
  simulation *s = simulation_from_text(text, NULL);
  const double qvel[6] = {w * height, 0, w * rest, 0, w, 0};
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, qvel, NULL), CRD_OK);
  const double kinetic = crd_sim_energy_now(s->sim).kinetic, level = crd_sim_energy_now(s->sim).potential;
  simulation_run(s, 0.55);
  const crd_sim_energy energy = crd_sim_energy_now(s->sim);
  const double *q = crd_sim_qpos(s->sim), turned = 2 * atan2(q[5], q[3]), share = (i + cos(2 * half)) / (i + 1);
  const double landings = floor((turned + half) / (2 * half) - 0.5);
  assert_true(landings >= 8);
  *impacts = crd_sim_counters_now(s->sim).impacts;
  simulation_free(s);
  free(text);
  return (kinetic + level - energy.kinetic - energy.potential) / (kinetic * (1 - pow(share, 2 * landings)));
}

static void prism_rolls_as_a_rimless_wheel(void **state) {
  (void)state;
  long impacts;
  double coarse = loss_of_rolling_prism(4e-3, &impacts);
  assert_int_equal(impacts, 10);
  double fine = loss_of_rolling_prism(1e-3, &impacts);
  assert_int_equal(impacts, 10);
  assert_true(fabs(fine - 1) <= 1e-2);
  assert_true(fabs(fine - 1) <= fabs(coarse - 1) / 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prism_rolls_as_a_rimless_wheel),     cmocka_unit_test(a_sole_of_many_corners_comes_to_rest),
      cmocka_unit_test(a_cone_comes_to_rest_on_its_base),   cmocka_unit_test(a_rough_sole_comes_to_rest),
      cmocka_unit_test(a_box_of_vertices_moves_like_a_box), cmocka_unit_test(wedges_fall_on_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
