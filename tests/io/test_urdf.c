/* Claims: a URDF file gives the mechanism that the format's specification describes. Expected numbers are closed forms
 * of rigid bodies, written beside each test. */
#include <cradle/io.h>
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

#define LINK(name) "<link name='" name "'/>"
#define MASS(name, m, i)                                                                          \
  "<link name='" name "'><inertial><mass value='" m "'/><inertia ixx='" i "' iyy='" i "' izz='" i \
  "' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define JOINT(name, type, parent, child, rest) \
  "<joint name='" name "' type='" type "'><parent link='" parent "'/><child link='" child "'/>" rest "</joint>"

static crd_model *read_with(const char *text, const crd_read_options *options, crd_read_report *report) {
  crd_model *model = NULL;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "robot.urdf", options, &model, report, &err))
    fail_msg("line %d: %s", err.line, err.text);
  return model;
}

static crd_model *read_model(const char *text) { return read_with(text, NULL, NULL); }

static void expect_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected))))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

static void expect_vector(const double *found, const double *expected, int n) {
  for (int i = 0; i < n; i++) expect_near(found[i], expected[i]);
}

/* ------------------------------------------------------------------------------------------------ frames and joints */

/* R = Rz(yaw) Ry(pitch) Rx(roll). */
static void rpy_turns_about_fixed_axes(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK("base") MASS("a", "1", "1") JOINT(
      "j", "fixed", "base", "a", "<origin xyz='1 2 3' rpy='0.3 -0.5 1.1'/>") "</robot>");
  double sr = sin(0.3), cr = cos(0.3), sp = sin(-0.5), cp = cos(-0.5), sy = sin(1.1), cy = cos(1.1), pos[3], R[9];
  const double expected[9] = {cy * cp,
                              cy * sp * sr - sy * cr,
                              cy * sp * cr + sy * sr,
                              sy * cp,
                              sy * sp * sr + cy * cr,
                              sy * sp * cr - cy * sr,
                              -sp,
                              cp * sr,
                              cp * cr};
  const double origin[3] = {1, 2, 3};
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, model->qpos0);
  crd_tree_body_pose(model, work, crd_model_find_body(model, "a"), pos, R);
  expect_vector(R, expected, 9);
  expect_vector(pos, origin, 3);
  assert_string_equal(model->name, "r");
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* A pendulum of mass 2 and moment 0.3 about its centre, 0.5 below a hinge whose axis is the default 1 0 0:
 * M = 0.3 + 2 0.25, bias = m g l sin q. */
static void a_pendulum_swings_about_its_default_axis(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK(
      "base") "<link name='rod'><inertial><origin xyz='0 0 -0.5'/><mass value='2'/>"
              "<inertia ixx='0.3' iyy='0.3' izz='0.1'/></inertial></link>" JOINT("hinge", "continuous", "base", "rod",
                                                                                 "") "</robot>");
  double M, bias, q = 0.7, v = 1.3;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, &q);
  crd_tree_velocity(model, work, &v);
  crd_tree_crba(model, work, &M);
  crd_tree_rnea(model, work, NULL, NULL, &bias);
  expect_near(M, 0.8);
  expect_near(bias, 2 * 9.81 * 0.5 * sin(0.7));
  crd_model_workspace_free(work);
  crd_model_free(model);
}

static void joints_become_the_builders_types(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'>" LINK("base") MASS("a", "1", "1") MASS("b", "1", "1") MASS("c", "1", "1") MASS("d", "1", "1")
          MASS("e", "1", "1") JOINT("rev", "revolute", "base", "a",
                                    "<axis xyz='0 0 2'/><limit lower='-1' upper='2' effort='7' velocity='1'/>"
                                    "<dynamics damping='0.5' friction='0.25'/>")
              JOINT("con", "continuous", "a", "b",
                    "<axis xyz='0 1 0'/><limit lower='-1' upper='1' effort='0' velocity='1'/>")
                  JOINT("pri", "prismatic", "b", "c", "<limit lower='0' upper='0' effort='3' velocity='1'/>")
                      JOINT("pla", "planar", "base", "d", "<axis xyz='0 0 1'/><dynamics damping='4'/>")
                          JOINT("sph", "spherical", "base", "e", "") "</robot>");
  static const struct {
    const char *name;
    crd_joint_type type;
    bool limited;
  } expected[7] = {{"rev", CRD_HINGE, true},     {"con", CRD_HINGE, false},    {"pri", CRD_SLIDE, false},
                   {"pla_TX", CRD_SLIDE, false}, {"pla_TY", CRD_SLIDE, false}, {"pla_RZ", CRD_HINGE, false},
                   {"sph", CRD_BALL, false}};
  assert_int_equal(model->njoint, 7);
  for (int i = 0; i < 7; i++) {
    assert_string_equal(model->joint[i].name, expected[i].name);
    assert_int_equal(model->joint[i].type, expected[i].type);
    assert_int_equal(model->joint[i].limited, expected[i].limited);
  }
  const crd_joint *rev = &model->joint[0];
  assert_true(rev->range[0] == -1 && rev->range[1] == 2 && rev->damping == 0.5 && rev->frictionloss == 0.25);
  assert_true(rev->axis[2] == 1 && rev->force_limited && rev->force_range[0] == -7 && rev->force_range[1] == 7);
  assert_true(!model->joint[1].force_limited && model->joint[2].axis[0] == 1);
  for (int i = 3; i < 6; i++) {
    assert_true(model->joint[i].damping == 4);
    expect_near(model->joint[i].axis[i - 3], 1);
  }
  crd_model_free(model);
}

/* A planar joint about n moves the body's origin in the plane through it that is normal to n, whatever n. */
static void a_planar_joint_stays_in_its_plane(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK("base") MASS("a", "1", "1") JOINT(
      "p", "planar", "base", "a", "<origin xyz='1 1 1'/><axis xyz='1 2 -2'/>") "</robot>");
  const double qpos[3] = {0.4, -1.7, 2.5}, n[3] = {1.0 / 3, 2.0 / 3, -2.0 / 3};
  double pos[3], R[9], moved[3];
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, qpos);
  crd_tree_body_pose(model, work, 2, pos, R);
  for (int k = 0; k < 3; k++) moved[k] = pos[k] - 1;
  expect_near(crd_vec3_dot(moved, n), 0);
  expect_near(crd_vec3_norm(moved), hypot(0.4, 1.7));
  crd_mat3_mul_vec(moved, R, n);
  expect_vector(moved, n, 3);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

static void coordinates_follow_the_order_of_the_joints(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'>" MASS("d", "1", "1") MASS("c", "1", "1") MASS("b", "1", "1") LINK("base") MASS("a", "1", "1")
          JOINT("to_d", "continuous", "b", "d", "") JOINT("to_b", "continuous", "base", "b", "")
              JOINT("to_a", "continuous", "base", "a", "") JOINT("to_c", "continuous", "b", "c", "") "</robot>");
  static const char *const expected[4] = {"to_b", "to_d", "to_c", "to_a"};
  for (int i = 0; i < 4; i++) assert_string_equal(model->joint[i].name, expected[i]);
  crd_model_free(model);
}

/* The root stands still; a floating link hangs on the world, at the pose that the fixed joints above it add up to: here
 * a quarter turn about z at (1, 0, 0), then (0, 2, 0) in it, so (-1, 0, 0) in the world. */
static void a_floating_joint_is_a_free_joint(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'>" LINK("base") LINK("stand") MASS("body", "1", "1")
          JOINT("s", "fixed", "base", "stand", "<origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>")
              JOINT("f", "floating", "stand", "body", "<origin xyz='0 2 0'/><axis xyz='0 0 0'/>") "</robot>");
  const double expected[7] = {-1, 0, 0, sqrt(0.5), 0, 0, sqrt(0.5)};
  assert_int_equal(model->nq, 7);
  assert_int_equal(model->joint[0].type, CRD_FREE);
  expect_vector(model->qpos0, expected, 7);
  crd_model_free(model);
}

static void the_link_world_is_the_world(void **state) {
  (void)state;
  static const char *const texts[2] = {
      "<robot name='r'>" LINK("world") MASS("a", "1", "1") JOINT("j", "continuous", "world", "a", "") "</robot>",
      "<robot name='r'>" MASS("a", "1", "1") JOINT("j", "continuous", "world", "a", "") "</robot>"};
  for (int i = 0; i < 2; i++) {
    crd_model *model = read_model(texts[i]);
    assert_int_equal(model->nbody, 2);
    assert_int_equal(model->body[1].parent, 0);
    crd_model_free(model);
  }
}

static void mimics_become_loops(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'>" LINK("base") MASS("a", "1", "1") MASS("b", "1", "1") MASS("c", "1", "1") MASS("d", "1", "1")
          JOINT("follower", "continuous", "base", "a", "<mimic joint='leader' multiplier='-2' offset='0.5'/>")
              JOINT("leader", "prismatic", "base", "b", "")
                  JOINT("plain", "continuous", "base", "c", "<mimic joint='leader'/>")
                      JOINT("stiff", "continuous", "base", "d", "<mimic joint='weld' offset='0.25'/>") LINK("e")
                          JOINT("weld", "fixed", "base", "e", "") "</robot>");
  static const double polycoef[3][5] = {{0.5, -2, 0, 0, 0}, {0, 1, 0, 0, 0}, {0.25, 1, 0, 0, 0}};
  static const int follower[3] = {0, 2, 3}, leader[3] = {1, 1, -1};
  assert_int_equal(model->nloop, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(model->loop[i].type, CRD_LOOP_JOINT);
    assert_int_equal(model->loop[i].joint1, follower[i]);
    assert_int_equal(model->loop[i].joint2, leader[i]);
    assert_memory_equal(model->loop[i].polycoef, polycoef[i], sizeof polycoef[i]);
  }
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ mass and shapes */

/* inertial: the tensor (1 2 2.5 with products 0.1 0.2 0.3) in axes turned by rpy = (0 0 90 deg): x' = y, y' = -x. */
static void an_inertial_has_its_own_frame(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK(
      "base") "<link name='a'><inertial><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><mass value='4'/>"
              "<inertia ixx='1' ixy='0.1' ixz='0.2' iyy='2' iyz='0.3' izz='2.5'/></inertial></link>" JOINT(
                  "j", "continuous", "base", "a", "<axis xyz='0 0 1'/>") "</robot>");
  const double com[3] = {1, 2, 3}, expected[6] = {2, 1, 2.5, -0.1, -0.3, 0.2};
  const crd_body *body = &model->body[2];
  double R[9];
  crd_quat_to_mat3(R, body->iquat);
  static const int axes[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
  for (int k = 0; k < 6; k++) {
    double entry = 0;
    for (int i = 0; i < 3; i++) entry += R[3 * axes[k][0] + i] * body->inertia[i] * R[3 * axes[k][1] + i];
    assert_true(fabs(entry - expected[k]) < 1e-6); /* principal axes as MuJoCo keeps them, to 1e-6 rad */
  }
  assert_true(body->mass == 4);
  expect_vector(body->ipos, com, 3);
  crd_model_free(model);
}

/* Without inertial the collisions count at 1000 kg/m^3: box 0.1 x 0.2 x 0.3 has mass 6 and Ixx = 6 (0.04 + 0.09) / 12.
 */
static void mass_comes_from_collisions_where_none_is_given(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK(
      "base") "<link name='a'><collision><origin xyz='0 0 1'/><geometry><box size='0.1 0.2 0.3'/></geometry>"
              "</collision></link>" JOINT("j", "continuous", "base", "a", "") "</robot>");
  expect_near(model->body[2].mass, 6);
  expect_near(model->body[2].inertia[0], 6 * (0.04 + 0.09) / 12);
  expect_near(model->body[2].ipos[2], 1);
  crd_model_free(model);
}

static void collisions_become_geoms_of_half_the_size(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'><link name='base'>"
      "<collision name='same'><geometry><box size='2 4 6'/></geometry></collision>"
      "<collision name='same'><origin xyz='1 2 3'/><geometry><cylinder radius='0.5' length='3'/></geometry></collision>"
      "<collision><geometry><sphere radius='0.25'/></geometry></collision>"
      "<collision><geometry><capsule radius='0.125' length='1'/></geometry></collision>"
      "<collision><geometry><plane normal='1 0 0'/></geometry></collision>"
      "</link></robot>");
  static const crd_geom_type types[5] = {CRD_BOX, CRD_CYLINDER, CRD_SPHERE, CRD_CAPSULE, CRD_PLANE};
  static const double sizes[5][3] = {{1, 2, 3}, {0.5, 1.5}, {0.25}, {0.125, 0.5}, {0}};
  assert_int_equal(model->ngeom, 5);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(model->geom[i].type, types[i]);
    expect_vector(model->geom[i].size, sizes[i], 3);
    assert_int_equal(model->geom[i].body, 1);
  }
  assert_string_equal(model->geom[0].name, "same");
  assert_string_equal(model->geom[1].name, "");
  expect_near(model->geom[1].pos[2], 3);
  expect_near(model->geom[4].R[2], 1); /* z of the plane points along its normal */
  crd_model_free(model);
}

/* Three hinges at one point with massless links between: the universal wrist of many URDF files. A ball of mass 2 and
 * moment 0.1 at distance 1 along x: at qpos 0 the inertia about the point is diag(0.1, 2.1, 2.1), which is M for axes
 * x, y, z. */
static void massless_links_join_joints(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK("base") LINK("l1") LINK(
      "l2") "<link name='hand'><inertial><origin xyz='1 0 0'/><mass value='2'/><inertia ixx='0.1' iyy='0.1' "
            "izz='0.1'/></inertial></link>" JOINT("x", "continuous", "base", "l1", "")
                                    JOINT("y", "continuous", "l1", "l2", "<axis xyz='0 1 0'/>")
                                        JOINT("z", "continuous", "l2", "hand", "<axis xyz='0 0 1'/>") "</robot>");
  const double expected[9] = {0.1, 0, 0, 0, 2.1, 0, 0, 0, 2.1}, zero[3] = {0};
  double M[9], qacc[3];
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, model->qpos0);
  crd_tree_crba(model, work, M);
  expect_vector(M, expected, 9);
  assert_int_equal(crd_tree_aba(model, work, model->qpos0, zero, NULL, NULL, qacc), CRD_OK);
  expect_near(qacc[1], 9.81 * 2 / 2.1); /* falls about y */
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ extension, report */

static void the_mujoco_extension_is_honoured(void **state) {
  (void)state;
  crd_model *model = read_model(
      "<robot name='r'><mujoco><compiler inertiafromgeom='true' settotalmass='10' angle='degree' discardvisual='false'/>"
      "<option gravity='0 0 -1' timestep='0.01'><flag limit='disable'/></option><size njmax='9'/></mujoco>" LINK("base")
      "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"
      "<collision><geometry><sphere radius='1'/></geometry></collision></link>"
      JOINT("j", "revolute", "base", "a", "<origin rpy='0 0 1.5707963267948966'/><limit lower='-1' upper='1' effort='1' velocity='1'/>")
      "</robot>");
  expect_near(model->gravity[2], -1);
  expect_near(model->timestep, 0.01);
  expect_near(model->mass, 10);
  expect_near(model->body[2].inertia[0], 0.4 * 10); /* 2/5 m r^2 of the sphere, not the inertial */
  expect_near(model->body[2].quat[3], sqrt(0.5));   /* rad, whatever the compiler says */
  assert_false(model->joint[0].limited);
  crd_model_free(model);
}

static const crd_ignored *find_ignored(const crd_read_report *report, const char *element, int line) {
  for (int i = 0; i < report->count; i++)
    if (strcmp(report->item[i].element, element) == 0 && report->item[i].line == line) return &report->item[i];
  fail_msg("<%s> of line %d is not listed", element, line);
  return NULL;
}

static void what_is_not_used_is_listed_with_its_line(void **state) {
  (void)state;
  crd_read_report report = {0};
  crd_model *model = read_with(
      "<robot name='r'>\n<material name='red'/>\n<transmission name='t'/>\n<gazebo reference='a'/>\n"
      "<link name='a'>\n<visual><geometry><mesh filename='package://nowhere/never_opened.dae'/></geometry></visual>\n"
      "<contact><lateral_friction value='1'/></contact>\n</link>\n<sensor:camera name='c'/>\n</robot>",
      NULL, &report);
  assert_int_equal(report.count, 6);
  assert_string_equal(find_ignored(&report, "material", 2)->reason, "only for show");
  assert_string_equal(find_ignored(&report, "visual", 6)->reason, "only for show");
  assert_string_equal(find_ignored(&report, "gazebo", 4)->reason, "Gazebo's extension");
  find_ignored(&report, "transmission", 3);
  find_ignored(&report, "contact", 7);
  find_ignored(&report, "sensor:camera", 9);
  crd_io_read_report_free(&report);
  crd_model_free(model);
}

/* What is refused without lenient (tests/io/test_urdf_bad.c) is left out with it, and listed. */
static void lenient_leaves_out_and_lists(void **state) {
  (void)state;
  const crd_read_options lenient = {.lenient = true};
  crd_read_report report = {0};
  crd_model *model = read_with(
      "<robot name='r'>\n" MASS("base", "1", "1") "\n" MASS("other", "1", "1") "\n" LINK("tip") "\n"
      "<link name='a'><inertial><mass value='1'/>\n<inertia ixx='10' iyy='1' izz='1'/></inertial>\n"
      "<collision><geometry><mesh filename='none.stl'/></geometry></collision></link>\n"
      JOINT("j", "continuous", "base", "a", "\n<mimic joint='none'/>") "\n" JOINT("k", "continuous", "a", "tip", "") "\n"
      "<link name='b'>\n<inertial><origin xyz='0 0 1'/></inertial>\n<collision><geometry><sphere radius='1'/></geometry></collision>\n"
      "<collision><geometry><sphere radius='0'/></geometry></collision>\n<collision><geometry><cone/></geometry></collision></link>\n"
      JOINT("l", "revolute", "base", "b", "\n<limit lower='1' upper='-1' effort='0' velocity='0'/>")
      "</robot>",
      &lenient, &report);
  assert_int_equal(model->nv, 2);
  assert_int_equal(model->ngeom, 1);
  assert_int_equal(model->nloop, 0);
  expect_near(model->body[crd_model_find_body(model, "a")].inertia[0], 4); /* the mean of 10, 1, 1 */
  static const struct {
    const char *element;
    int line;
  } listed[] = {{"link", 3},      {"inertia", 6},    {"collision", 7},  {"mimic", 9}, {"joint", 10},
                {"inertial", 12}, {"collision", 14}, {"collision", 15}, {"limit", 17}};
  for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) find_ignored(&report, listed[i].element, listed[i].line);
  crd_io_read_report_free(&report);
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ size and names */

static void odd_names_are_names(void **state) {
  (void)state;
  crd_model *model = read_model("<robot name='r'>" LINK("base link") MASS("a/b:c&lt;&#252;", "1", "1")
                                    JOINT("j.1 (left)", "continuous", "base link", "a/b:c&lt;&#252;", "") "</robot>");
  assert_true(crd_model_find_body(model, "a/b:c<\xc3\xbc") == 2);
  assert_true(crd_model_find_joint(model, "j.1 (left)") == 0);
  crd_model_free(model);
}

/* 20000 links in a row: no recursion, no quadratic search. */
static void long_chains_are_read(void **state) {
  (void)state;
  enum { LINKS = 20000, ROOM = 320 };
  char *text = malloc((size_t)LINKS * ROOM + 100), *at = text;
  assert_non_null(text);
  at += sprintf(at, "<robot name='chain'><link name='l0'/>");
  for (int i = 1; i < LINKS; i++)
    at += sprintf(at,
                  "<link name='l%d'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
                  "<joint name='j%d' type='continuous'><parent link='l%d'/><child link='l%d'/></joint>",
                  i, i, i - 1, i);
  sprintf(at, "</robot>");
  crd_model *model = read_model(text);
  assert_int_equal(model->nv, LINKS - 1);
  assert_int_equal(model->link[LINKS - 2].parent, LINKS - 3);
  crd_model_free(model);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rpy_turns_about_fixed_axes),
      cmocka_unit_test(a_pendulum_swings_about_its_default_axis),
      cmocka_unit_test(joints_become_the_builders_types),
      cmocka_unit_test(a_planar_joint_stays_in_its_plane),
      cmocka_unit_test(coordinates_follow_the_order_of_the_joints),
      cmocka_unit_test(a_floating_joint_is_a_free_joint),
      cmocka_unit_test(the_link_world_is_the_world),
      cmocka_unit_test(mimics_become_loops),
      cmocka_unit_test(an_inertial_has_its_own_frame),
      cmocka_unit_test(mass_comes_from_collisions_where_none_is_given),
      cmocka_unit_test(collisions_become_geoms_of_half_the_size),
      cmocka_unit_test(massless_links_join_joints),
      cmocka_unit_test(the_mujoco_extension_is_honoured),
      cmocka_unit_test(what_is_not_used_is_listed_with_its_line),
      cmocka_unit_test(lenient_leaves_out_and_lists),
      cmocka_unit_test(odd_names_are_names),
      cmocka_unit_test(long_chains_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
