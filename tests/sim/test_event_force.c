/* Contact forces at acceleration level: modes and forces of textbook cases. */
#include "sim/event_modes.h"

#include <cradle/linalg.h>
#include <stdio.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "sim/event_surface.h"
#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

enum { MAX_ROWS = 64, MAX_CONTACTS = 16 };

static const double G = 9.81, DEGREE = 0.017453292519943295;

typedef struct forces {
  crd_phase_mode mode[MAX_CONTACTS];
  crd_force_verdict verdict;
  double f[MAX_ROWS], a[MAX_ROWS];
} forces;

/* Modes and forces of all closed contacts at the mechanism's state. */
static forces forces_of(mechanism *m) {
  crd_surface surface;
  crd_arena arena = {0};
  crd_force_problem force = {.problem = m->problem};
  crd_force_answer answer;
  forces out = {0};
  double qacc[32], bias[MAX_ROWS], slip[2 * MAX_CONTACTS] = {0};
  int npoint;
  mechanism_assemble(m, NULL);
  const crd_contact_point *point = crd_contact_points(m->assembler, &npoint);
  assert_int_equal(crd_surface_init(&surface, m->model), CRD_OK);
  assert_int_equal(crd_surface_bias(&surface, m->work, m->qpos, m->qvel, point, npoint, m->assembler, m->problem, bias),
                   CRD_OK);
  assert_int_equal(crd_tree_forward(m->model, m->work, m->qpos, m->qvel, NULL, NULL, NULL, NULL, qacc), CRD_OK);
  int nv = m->model->nv, rows = m->problem->nrow + m->problem->nb;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < nv; k++) bias[i] += m->problem->J[nv * i + k] * qacc[k];
  for (int c = 0; c < m->problem->nc; c++) {
    const crd_contact *contact = &m->problem->contact[c];
    double u[2] = {0};
    for (int k = 0; k < contact->ntangent; k++) u[k] = m->problem->u[contact->row + 1 + k];
    double length = hypot(u[0], u[1]);
    for (int k = 0; k < 2 && length > 1e-9; k++) slip[2 * c + k] = u[k] / length;
  }
  force.a_free = bias, force.scale = crd_acceleration_scale(m->problem, bias, NULL);
  crd_coulomb_work *cones = crd_coulomb_work_new();
  crd_force_memory equations = {0};
  crd_force_tools tools = {.cones = cones, .equations = &equations, .arena = &arena};
  const crd_mode_input input = {.slip = slip};
  assert_int_equal(crd_modes_find(&force, &input, &tools, out.mode, out.f, &out.verdict), CRD_OK);
  if (out.verdict != CRD_FORCE_NONE) { /* the phase begins with the forces of its modes */
    assert_int_equal(crd_force_solve(&force, out.mode, out.f, &tools, &answer), CRD_OK);
    for (int i = 0; i < rows; i++) assert_near(answer.f[i], out.f[i], 1e-7);
    memcpy(out.f, answer.f, sizeof(double) * (size_t)rows);
    memcpy(out.a, answer.a, sizeof(double) * (size_t)rows);
  }
  crd_arena_free(&arena);
  crd_coulomb_work_free(cones);
  crd_force_memory_free(&equations);
  crd_surface_free(&surface);
  return out;
}

static void a_box_stands_on_all_its_corners(void **state) {
  (void)state;
  mechanism m = box_on_slope(0, 1, 0.5);
  forces f = forces_of(&m);
  assert_int_equal(m.problem->nc, 4);
  assert_int_equal(f.verdict, CRD_FORCE_UNIQUE);
  for (int c = 0; c < 4; c++) {
    assert_int_equal(f.mode[c].kind, CRD_PHASE_STICK);
    assert_near(f.f[m.problem->contact[c].row], G / 4, 1e-9);
  }
  mechanism_free(&m);
}

/* The lower corners carry more; friction in proportion, so that all of them stick up to the friction angle. */
static void a_box_sticks_below_the_friction_angle_and_slides_above(void **state) {
  (void)state;
  for (int below = 1; below >= 0; below--) {
    mechanism m = box_on_slope(below ? 29.9 : 30.1, 1, tan(30 * DEGREE));
    forces f = forces_of(&m);
    double along = 0;
    for (int c = 0; c < 4; c++) {
      const crd_contact *contact = &m.problem->contact[c];
      assert_int_equal(f.mode[c].kind, below ? CRD_PHASE_STICK : CRD_PHASE_SLIP);
      assert_true(f.f[contact->row] > 0);
      assert_near(f.a[contact->row], 0, 1e-9);
      along = hypot(f.a[contact->row + 1], f.a[contact->row + 2]);
    }
    double a = 30.1 * DEGREE, expected = below ? 0 : G * (sin(a) - tan(30 * DEGREE) * cos(a));
    assert_near(along, expected, 1e-9);
    mechanism_free(&m);
  }
}

static void a_sliding_box_is_braked_by_mu_g(void **state) {
  (void)state;
  mechanism m = box_on_slope(0, 1, 0.2);
  m.qvel[0] = 1, m.qvel[1] = 2;
  forces f = forces_of(&m);
  for (int c = 0; c < 4; c++) {
    const crd_contact *contact = &m.problem->contact[c];
    assert_int_equal(f.mode[c].kind, CRD_PHASE_SLIP);
    assert_near(hypot(f.a[contact->row + 1], f.a[contact->row + 2]), 0.2 * G, 1e-9);
  }
  mechanism_free(&m);
}

/* Friction of a ball of mass 1 at rest on a slope: (2/7) m g sin(a) rolls, else it slides [textbook]. */
static void a_ball_on_a_slope_rolls_if_friction_allows(void **state) {
  (void)state;
  double a = 40 * DEGREE, enough = 2.0 / 7 * tan(a);
  for (int rolls = 1; rolls >= 0; rolls--) {
    char text[600];
    double mu = rolls ? 1.01 * enough : 0.5 * enough;
    snprintf(text, sizeof text,
             "ball_on_floor: option.gravity=%.17g %.17g %.17g; floor.friction=0; body.pos=0 0 0.3; ball.size=0.3; "
             "ball.friction=%.17g",
             0.6 * G * sin(a), 0.8 * G * sin(a), -G * cos(a), mu);
    mechanism m = mechanism_from_text(text);
    forces f = forces_of(&m);
    assert_int_equal(f.mode[0].kind, rolls ? CRD_PHASE_STICK : CRD_PHASE_SLIP);
    assert_near(f.f[0], G * cos(a), 1e-9);
    assert_near(hypot(f.f[1], f.f[2]), rolls ? 2.0 / 7 * G * sin(a) : mu * G * cos(a), 1e-9);
    mechanism_free(&m);
  }
}

/* Rod of half-length 1 and mass 1, tip sliding towards the side it leans away from, at rate 0: no force holds it where
 * mu is above (1 + 3 cos^2)/(3 sin cos) [Brogliato, 4.1]; below it is one sliding contact. */
static void a_rod_has_no_contact_force_above_the_critical_friction(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    mechanism m = mechanism_from_example("@painleve-rod");
    memcpy(m.qpos, m.model->key[k].qpos, 3 * sizeof(double));
    memcpy(m.qvel, m.model->key[k].qvel, 3 * sizeof(double));
    forces f = forces_of(&m);
    assert_int_equal(f.verdict, k == 0 ? CRD_FORCE_NONE : CRD_FORCE_UNIQUE);
    if (k == 1) {
      double angle = 80 * DEGREE, s = sin(angle), c = cos(angle), mu = 1.5;
      /* a_n = -g + f (1 + 3 cos (cos - mu sin)) = 0 */
      assert_int_equal(f.mode[0].kind, CRD_PHASE_SLIP);
      assert_near(f.f[0], G / (1 + 3 * c * (c - mu * s)), 1e-9);
    }
    mechanism_free(&m);
  }
}

/* The same rod turning so fast that its tip would lift by itself (a_n > 0 without force): it may lift, or stay with a
 * force that the friction makes; the state is ambiguous, and the one without force is taken. */
static void a_rod_that_lifts_in_the_paradox_is_ambiguous(void **state) {
  (void)state;
  mechanism m = mechanism_from_example("@painleve-rod");
  double rate = 5; /* rate^2 sin(angle) > g */
  m.qvel[2] = rate, m.qvel[0] = -10, m.qvel[1] = rate * cos(m.qpos[2]);
  forces f = forces_of(&m);
  assert_int_equal(f.verdict, CRD_FORCE_SEVERAL);
  assert_int_equal(f.mode[0].kind, CRD_PHASE_OPEN);
  mechanism_free(&m);
}

/* The same ambiguity of a rod of half-length 0.5 beside two boxes on each other, whose eight corners have far too many
 * modes to try them all: only the rod's are. */
static void a_paradox_leaves_other_bodies_alone(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("rod_and_stack");
  m.qvel[0] = 20, m.qvel[2] = 8; /* rate^2 0.5 sin(50 degrees) > g */
  mechanism_assemble(&m, NULL);
  m.qvel[1] = -m.problem->u[m.problem->contact[0].row];
  forces f = forces_of(&m);
  assert_int_equal(m.problem->nc, 9);
  assert_int_equal(f.verdict, CRD_FORCE_SEVERAL);
  assert_int_equal(f.mode[0].kind, CRD_PHASE_OPEN);
  double weight = 0;
  for (int c = 1; c < 9; c++) {
    assert_int_equal(f.mode[c].kind, CRD_PHASE_STICK);
    weight += f.f[m.problem->contact[c].row];
  }
  assert_near(weight, (5 + 3) * G, 1e-8); /* on the floor, and between the boxes */
  mechanism_free(&m);
}

/* A box on a slope, the whole scene turned about the normal of the floor: corners carry what they carried. */
static void forces_that_are_not_unique_turn_with_the_scene(void **state) {
  (void)state;
  double normal[2][4], friction[2][4];
  for (int turned = 0; turned < 2; turned++) {
    char text[600];
    double angle = turned ? 37 * DEGREE : 0, slope = 20 * DEGREE;
    snprintf(text, sizeof text,
             "box_on_floor: option.gravity=%.17g %.17g %.17g; body.quat=%.17g 0 0 %.17g; box.friction=.7",
             G * sin(slope) * cos(angle), G * sin(slope) * sin(angle), -G * cos(slope), cos(angle / 2), sin(angle / 2));
    mechanism m = mechanism_from_text(text);
    forces f = forces_of(&m);
    assert_int_equal(m.problem->nc, 4);
    for (int c = 0; c < 4; c++) {
      const crd_contact *contact = &m.problem->contact[c];
      double along = contact->point[0] * cos(angle) + contact->point[1] * sin(angle);
      double across = contact->point[1] * cos(angle) - contact->point[0] * sin(angle);
      int corner = 2 * (along > 0) + (across > 0);
      assert_int_equal(f.mode[c].kind, CRD_PHASE_STICK);
      normal[turned][corner] = f.f[contact->row];
      friction[turned][corner] = hypot(f.f[contact->row + 1], f.f[contact->row + 2]);
    }
    mechanism_free(&m);
  }
  const double known = 1e-9 * G; /* the Coulomb solver's tolerance, of the weight */
  for (int k = 0; k < 4; k++) {
    assert_near(normal[1][k], normal[0][k], known);
    assert_near(friction[1][k], friction[0][k], known);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_box_stands_on_all_its_corners),
                                     cmocka_unit_test(a_box_sticks_below_the_friction_angle_and_slides_above),
                                     cmocka_unit_test(a_sliding_box_is_braked_by_mu_g),
                                     cmocka_unit_test(a_ball_on_a_slope_rolls_if_friction_allows),
                                     cmocka_unit_test(a_rod_has_no_contact_force_above_the_critical_friction),
                                     cmocka_unit_test(a_rod_that_lifts_in_the_paradox_is_ambiguous),
                                     cmocka_unit_test(a_paradox_leaves_other_bodies_alone),
                                     cmocka_unit_test(forces_that_are_not_unique_turn_with_the_scene)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
