/* Claims about which contacts a problem has: planar mechanisms get one tangent and one contact per pair of coinciding
 * corners, spatial ones keep all, frames follow the convention, coefficients and names follow the rules, the built-in
 * examples have the contacts and velocities of their papers. */
#include <cradle/linalg.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/mechanism.h"
#include "support/random_tree.h"

static void expect_vector(const double x[3], double a, double b, double c) {
  assert_true(fabs(x[0] - a) < 1e-12 && fabs(x[1] - b) < 1e-12 && fabs(x[2] - c) < 1e-12);
}

/* Block of width 1, height 2, mass 1, so I = 5/12; corner at (+-1/2, -1) from the centre. */
static const char *PLANAR_BLOCK = "planar_block";

static void planar_block_has_two_corners_with_one_tangent(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(PLANAR_BLOCK);
  m.qvel[0] = 0.25, m.qvel[1] = -0.5;
  mechanism_assemble(&m, NULL);
  const crd_contact_problem *p = m.problem;
  assert_int_equal(p->nc, 2);
  assert_int_equal(p->nrow, 4);
  for (int c = 0; c < 2; c++) {
    const crd_contact *contact = &p->contact[c];
    assert_int_equal(contact->npoint, 2);
    assert_int_equal(contact->ntangent, 1);
    expect_vector(contact->point, c ? 0.5 : -0.5, 0, 0);
    expect_vector(contact->normal, 0, 0, 1);
    expect_vector(contact->tangent[0], 1, 0, 0);
    assert_true(fabs(p->u[contact->row] + 0.5) < 1e-14 && fabs(p->u[contact->row + 1] - 0.25) < 1e-14);
  }
  /* rows (x, z, counter-clockwise angle): corner at r = (-+1/2, -1) moves with (1, 0, -r_z), (0, 1, r_x) */
  const double J[12] = {0, 1, -0.5, 1, 0, 1, 0, 1, 0.5, 1, 0, 1};
  assert_true(max_difference(p->J, J, 12) < 1e-14);
  const double Iinv = 12.0 / 5,
               W[16] = {1 + 0.25 * Iinv, -0.5 * Iinv, 1 - 0.25 * Iinv, -0.5 * Iinv, -0.5 * Iinv,     1 + Iinv,
                        0.5 * Iinv,      1 + Iinv,    1 - 0.25 * Iinv, 0.5 * Iinv,  1 + 0.25 * Iinv, 0.5 * Iinv,
                        -0.5 * Iinv,     1 + Iinv,    0.5 * Iinv,      1 + Iinv};
  assert_true(max_difference(p->W, W, 16) < 1e-13);
  assert_string_equal(p->contact[0].name, "block#1");
  assert_string_equal(p->contact[1].name, "block#2");
  int count;
  crd_contact_points(m.assembler, &count);
  const int *of = crd_contact_of_point(m.assembler);
  assert_int_equal(count, 4);
  for (int i = 0; i < 4; i++) assert_int_equal(of[i], i / 2);
  mechanism_free(&m);
}

static void spatial_box_keeps_four_corners_of_rank_three(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("box_on_floor: body.pos=0 0 1; box.size=1 2 1; box.mass=3");
  mechanism_assemble(&m, NULL);
  const crd_contact_problem *p = m.problem;
  assert_int_equal(p->nc, 4);
  assert_int_equal(p->nrow, 12);
  /* corners in order of x, then y: the normal impulses (1, -1, -1, 1) cancel */
  for (int i = 0; i < 12; i++)
    assert_true(fabs(p->W[12 * i] - p->W[12 * i + 3] - p->W[12 * i + 6] + p->W[12 * i + 9]) < 1e-13);
  assert_string_equal(p->contact[3].name, "box#4");
  mechanism_free(&m);
}

static void tangent_is_the_normal_turned_clockwise(void **state) {
  (void)state;
  const struct {
    double n[3], t[3];
  } expected[] = {{{0, 0, 1}, {1, 0, 0}}, {{-1, 0, 0}, {0, 0, 1}}, {{1, 0, 0}, {0, 0, -1}}, {{0, 0, -1}, {-1, 0, 0}}};
  mechanism m = mechanism_from_text("planar_ball");
  crd_tree_kinematics(m.model, m.work, m.qpos);
  crd_tree_velocity(m.model, m.work, m.qvel);
  assert_int_equal(crd_tree_factor(m.model, m.work), CRD_OK);
  for (int k = 0; k < 4; k++) {
    crd_contact_point point = {.geomA = 1, .geomB = 0, .pair = -1};
    memcpy(point.normal, expected[k].n, sizeof point.normal);
    assert_int_equal(crd_contact_assemble(m.assembler, m.work, m.qpos, m.qvel, &point, 1, NULL, m.problem), CRD_OK);
    assert_int_equal(m.problem->contact[0].ntangent, 1);
    expect_vector(m.problem->contact[0].tangent[0], expected[k].t[0], expected[k].t[1], expected[k].t[2]);
    /* seen from the other body, the same rows */
    double J[6];
    memcpy(J, m.problem->J, sizeof J);
    crd_contact_point mirrored = {.geomA = 0, .geomB = 1, .pair = -1};
    crd_vec3_scale(mirrored.normal, -1, point.normal);
    assert_int_equal(crd_contact_assemble(m.assembler, m.work, m.qpos, m.qvel, &mirrored, 1, NULL, m.problem), CRD_OK);
    assert_true(max_difference(J, m.problem->J, 6) < 1e-15);
  }
  mechanism_free(&m);
}

/* A mechanism that moves in a slanted plane: the tangent is the one direction in that plane. */
static void planar_contacts_are_found_in_any_plane(void **state) {
  (void)state;
  mechanism m = mechanism_from_text("planar_ball: body.pos=0 0 1; x.axis=0.6 0.8 0; turn.axis=-0.8 0.6 0");
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 1);
  assert_int_equal(m.problem->contact[0].ntangent, 1);
  expect_vector(m.problem->contact[0].tangent[0], 0.6, 0.8, 0);
  mechanism_free(&m);
  /* in the y-z plane the convention's t1 is the zero row, +y remains */
  m = mechanism_from_text(
      "<mujoco><worldbody><geom type='plane' size='9 9 1'/><body pos='0 0 1'><joint type='slide' axis='0 1 0'/>"
      "<joint type='slide' axis='0 0 1'/><geom name='ball' type='sphere' size='1'/></body></worldbody></mujoco>");
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->contact[0].ntangent, 1);
  expect_vector(m.problem->contact[0].tangent[0], 0, 1, 0);
  mechanism_free(&m);
}

static void contacts_without_freedom_are_reduced_or_left_out(void **state) {
  (void)state;
  mechanism m = mechanism_from_text(/* up and down only: no tangent */
                                    "ball_on_rail: body.pos=0 0 1; ball.size=1");
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 1);
  assert_int_equal(m.problem->contact[0].ntangent, 0);
  mechanism_free(&m);
  m = mechanism_from_text(/* a cart that touches the floor: the rail carries it */
                          "ball_on_rail: body.pos=0 0 1; ball.size=1; rail.axis=1 0 0");
  mechanism_assemble(&m, NULL);
  int count;
  crd_contact_points(m.assembler, &count);
  assert_int_equal(count, 1);
  assert_int_equal(m.problem->nc, 0);
  assert_int_equal(crd_contact_of_point(m.assembler)[0], -1);
  mechanism_free(&m);
}

/* a: priority 1, condim 1; b: friction 0.3, e 0.2; c: friction 0.7, e 0.6; d: condim 1 like e */
static const char *COEFFICIENTS = "friction_of_pairs";

static void coefficients_follow_the_rules(void **state) {
  (void)state;
  const struct {
    const char *name;
    int ntangent;
    double mu, e;
  } expected[] = {
      {"a-b", 0, 0, 0.2},                           /* a decides: no friction */
      {"b-c", 2, 0.7, 0.6}, {"c-d", 2, 0.4, 0.6},   /* stated; e: the larger */
      {"d-e", 0, 0, 0.2},   {"e-geom5", 2, 1, 0.2}, /* larger condim, default friction */
  };
  mechanism m = mechanism_from_text(COEFFICIENTS);
  mechanism_assemble(&m, NULL);
  assert_int_equal(m.problem->nc, 5);
  for (int i = 0; i < 5; i++) {
    const crd_contact *c = mechanism_contact(&m, expected[i].name);
    assert_int_equal(c->ntangent, expected[i].ntangent);
    assert_true(c->mu == expected[i].mu && c->mu_static == expected[i].mu && c->e == expected[i].e && c->e_t == 0);
  }
  crd_contact_options options = crd_contact_default();
  options.mu = 0.25, options.e = 0.75;
  mechanism_assemble(&m, &options);
  for (int i = 0; i < 5; i++) {
    const crd_contact *c = mechanism_contact(&m, expected[i].name);
    assert_true(c->ntangent == 2 && c->mu == 0.25 && c->e == 0.75);
  }
  mechanism_free(&m);
}

typedef struct expected_contact {
  const char *example, *name;
  double n, t; /* velocity before the impact; NaN: not stated */
} expected_contact;

static void examples_have_their_contacts(void **state) {
  (void)state;
  const double drop = 0.442944691807002;
  const expected_contact expected[] = {
      {"@rocking-block", "A", -drop, 0},
      {"@rocking-block", "B", -drop, 0},
      {"@compass-gait", "B", 0, 0}, /* the trailing foot is at rest */
      {"@compass-gait", "A", NAN, NAN},
      {"@box-wall", "A", 0, 1},
      {"@box-wall", "B", -1, 0}, /* sliding on the floor, square into the wall */
      {"@ramone", "B", 0, 0},
      {"@ramone", "A", NAN, NAN},
      {"@disk-stack", "A", 0, 0},
      {"@disk-stack", "B", 0, 0},
      {"@disk-stack", "E", 0, 0},
      /* the top disk comes down with 1 on flanks at 60 degrees: normal -cos 30, tangential -+ sin 30 */
      {"@disk-stack", "C", -0.86602540378443865, 0.5},
      {"@disk-stack", "D", -0.86602540378443865, -0.5},
      {"@ball-chain:3", "1-2", -1, NAN},
      {"@ball-chain:3", "2-3", 0, NAN},
      {"@disk-in-corner", "A", -1, -1},
      {"@disk-in-corner", "B", -1, 1},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    mechanism m = mechanism_from_example(expected[i].example);
    mechanism_assemble(&m, NULL);
    const crd_contact *c = mechanism_contact(&m, expected[i].name);
    const double *u = m.problem->u + c->row;
    if (!isnan(expected[i].n)) assert_true(fabs(u[0] - expected[i].n) < 1e-9);
    if (!isnan(expected[i].t)) assert_true(c->ntangent == 1 && fabs(u[1] - expected[i].t) < 1e-9);
    assert_true(fabs(c->gap) < 1e-9);
    mechanism_free(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planar_block_has_two_corners_with_one_tangent),
      cmocka_unit_test(spatial_box_keeps_four_corners_of_rank_three),
      cmocka_unit_test(tangent_is_the_normal_turned_clockwise),
      cmocka_unit_test(planar_contacts_are_found_in_any_plane),
      cmocka_unit_test(contacts_without_freedom_are_reduced_or_left_out),
      cmocka_unit_test(coefficients_follow_the_rules),
      cmocka_unit_test(examples_have_their_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
