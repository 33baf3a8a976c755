#define _XOPEN_SOURCE 700 /* M_PI */
/* Claims about reading MJCF that a comparison with MuJoCo 2.2.2 cannot check: what is ours (restitution, the report,
 * lenient), what is newer, and what is left out of the model. Expected values follow from the definition beside each
 * test. */
#include <cradle/io.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/cmocka_all.h"

static crd_model *read_with(const char *text, bool lenient, crd_read_report *report) {
  crd_read_options options = crd_io_read_default();
  options.lenient = lenient;
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "test.xml", &options, &model, report, &err) != CRD_OK)
    fail_msg("line %d: %s", err.line, err.text);
  return model;
}

static crd_model *read_text(const char *text) { return read_with(text, false, NULL); }

static void assert_near(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-12 * fmax(1, fabs(expected))))
    fail_msg("found %.17g, expected %.17g", found, expected);
}

#define SPHERE "<geom size='.1' mass='1'/>"
#define HINGE(name) "<body><joint name='" name "' axis='0 1 0'/><geom size='.1' mass='1' pos='1 0 0'/></body>"

static void restitution_is_read_from_custom(void **state) {
  (void)state;
  crd_model *model = read_text(
      "<mujoco><custom><numeric name='cradle_restitution' data='.3'/><numeric name='other' data='7'/>"
      "<tuple name='cradle_restitution'><element objtype='geom' objname='ball' prm='.9'/></tuple></custom>"
      "<worldbody><geom name='wall' size='1'/><geom name='ball' size='1'/></worldbody></mujoco>");
  assert_near(model->geom[0].restitution, 0.3);
  assert_near(model->geom[1].restitution, 0.9);
  crd_model_free(model);
}

static bool listed(const crd_read_report *report, const char *element, const char *attribute, int line) {
  for (int i = 0; i < report->count; i++) {
    const crd_ignored *item = &report->item[i];
    bool same = strcmp(item->element, element) == 0 && item->line == line && item->reason[0];
    if (same && (attribute ? item->attribute && strcmp(item->attribute, attribute) == 0 : !item->attribute))
      return true;
  }
  return false;
}

static void what_is_not_read_is_listed_with_its_line(void **state) {
  (void)state;
  crd_read_report report = {0};
  crd_model *model = read_with(
      "<mujoco>\n<visual><map znear='1'/></visual>\n<worldbody>\n<light pos='0 0 1'/>\n<site name='s'/>\n"
      "<geom size='1' rgba='1 0 0 1' "
      "colour='red'/>\n<body><wheel/></body></worldbody>\n<sensor><tactile/></sensor>\n<nonsense/></mujoco>",
      true, &report);
  assert_true(listed(&report, "visual", NULL, 2));
  assert_true(listed(&report, "light", NULL, 4));
  assert_true(listed(&report, "geom", "rgba", 6));
  assert_true(listed(&report, "geom", "colour", 6));
  assert_true(listed(&report, "wheel", NULL, 7));
  assert_true(listed(&report, "tactile", NULL, 8));
  assert_true(listed(&report, "nonsense", NULL, 9));
  assert_int_equal(report.count, 7);
  assert_int_equal(report.nwarning, 3); /* what is not known comes first */
  assert_string_equal(report.item[0].attribute, "colour");
  assert_string_equal(report.item[2].element, "nonsense");
  for (int i = 0; i < report.count; i++)
    assert_int_equal(report.item[i].kind, i < 3 ? CRD_IGNORED_UNKNOWN : CRD_IGNORED_NO_EFFECT);
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

/* With lenient the rest of the model stays, ctrl of keyframes included. */
static void lenient_leaves_out_and_lists(void **state) {
  (void)state;
  crd_read_report report = {0};
  crd_model *model = read_with("<mujoco>\n<option actuatorgroupdisable='1'/><worldbody>" HINGE("a") HINGE("b") "</worldbody>\n<actuator>"
                               "<motor joint='a'/>\n<dcmotor joint='b'/>\n<motor joint='b'/></actuator>"
                               "<keyframe><key ctrl='1 2 3'/></keyframe></mujoco>",
                               true, &report);
  assert_int_equal(model->nactuator, 2);
  assert_near(model->key[0].ctrl[0], 1);
  assert_near(model->key[0].ctrl[1], 3);
  assert_true(listed(&report, "option", "actuatorgroupdisable", 2));
  assert_true(listed(&report, "dcmotor", NULL, 4));
  assert_int_equal(report.nwarning, 2);
  assert_int_equal(report.item[0].kind, CRD_IGNORED_LEFT_OUT);
  crd_model_free(model);
  crd_io_read_report_free(&report);
}

/* A mesh only for show is not opened; the same mesh with mass or contact is. */
static void meshes_only_for_show_need_not_exist(void **state) {
  (void)state;
  crd_model *model = read_text(
      "<mujoco><asset><mesh name='m' file='ghost.stl'/></asset><worldbody>"
      "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/>"
      "<body><joint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom type='mesh' mesh='m' contype='0' "
      "conaffinity='0'/></body>"
      "<body><joint/>" SPHERE
      "<geom type='mesh' mesh='m' contype='0' conaffinity='0' density='0'/></body>"
      "</worldbody></mujoco>");
  assert_int_equal(model->ngeom, 1);
  crd_model_free(model);
  static const char *const needed[] = {"",
                                       "<body><joint/><geom type='mesh' mesh='m' contype='0' conaffinity='0'/></body>"};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "<mujoco><asset><mesh name='m' file='ghost.stl'/></asset><worldbody>%s<geom type='mesh' mesh='m'/>"
             "</worldbody></mujoco>",
             needed[i]);
    assert_int_equal(crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, NULL), CRD_ERR_FILE);
  }
}

/* A pendulum that gravity pulls with 3 kg 2 m 10 m/s^2 = 60 N m and gravcomp 0.5 lifts with 30: the motor's force and
 * these 30 are clamped together to 40 at most where the actuators carry gravity, else the motor's alone. */
static void actuators_that_carry_gravity_are_limited_with_it(void **state) {
  (void)state;
  static const double ctrl[4] = {0, 5, 25, -80}, expected[2][4] = {{30, 35, 55, -10}, {30, 35, 40, -40}};
  for (int carries = 0; carries < 2; carries++) {
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco><option gravity='0 0 -10'/><worldbody><body gravcomp='0.5'><joint name='j' axis='0 -1 0' "
             "actuatorgravcomp='%s' actuatorfrcrange='-40 40'/><inertial pos='2 0 0' mass='3' diaginertia='1 1 1'/>"
             "</body></worldbody><actuator><motor joint='j'/></actuator></mujoco>",
             carries ? "true" : "false");
    crd_model *model = read_text(text);
    crd_workspace *work = crd_model_workspace_new(model);
    for (int i = 0; i < 4; i++) {
      double q = 0, v = 0, qacc, tau = 0;
      crd_tree_actuation(model, work, &q, &v, NULL, &ctrl[i], &tau);
      crd_tree_kinematics(model, work, &q);
      crd_tree_gravity_compensation(model, work, &tau);
      assert_near(tau, expected[carries][i]);
      assert_int_equal(crd_tree_forward(model, work, &q, &v, NULL, &ctrl[i], NULL, NULL, &qacc), CRD_OK);
      assert_near(qacc * (1 + 3 * 4), expected[carries][i] - 60);
    }
    crd_model_workspace_free(work);
    crd_model_free(model);
  }
}

/* A cube of side 2 as a shell and as a solid in one model: 24 m^2 at 10 kg/m^2 with I = 5/18 m a^2, and 8 m^3 at 10 kg/m^3
 * with I = m a^2 / 6. */
static void a_shell_weighs_by_its_area(void **state) {
  (void)state;
#define CUBE "vertex='-1 -1 -1  1 -1 -1  -1 1 -1  1 1 -1  -1 -1 1  1 -1 1  -1 1 1  1 1 1'"
#define MESH_BODY(name) "<body><freejoint/><geom type='mesh' mesh='" name "' density='10'/></body>"
  crd_model *model = read_text("<mujoco><asset><mesh name='s' inertia='shell' " CUBE "/><mesh name='v' " CUBE
                               "/></asset><worldbody>" MESH_BODY("s") MESH_BODY("v") "</worldbody></mujoco>");
  const double mass[2] = {240, 80}, share[2] = {5.0 / 18, 1.0 / 6};
  for (int b = 0; b < 2; b++) {
    assert_true(fabs(model->body[1 + b].mass - mass[b]) <= 1e-6 * mass[b]);
    for (int k = 0; k < 3; k++)
      assert_true(fabs(model->body[1 + b].inertia[k] - share[b] * mass[b] * 4) <= 1e-6 * mass[b]);
  }
  crd_model_free(model);
}

/* Two motors of 4 and 8 at ctrl 1 push with 12, the joint lets 2 through. */
static void a_joint_limits_the_sum_of_its_actuators(void **state) {
  (void)state;
  crd_model *model = read_text("<mujoco><worldbody><body><joint name='j' actuatorfrcrange='-3 2'/>" SPHERE
                               "</body></worldbody><actuator>"
                               "<motor joint='j' gear='4'/><motor joint='j' gear='8'/></actuator></mujoco>");
  crd_workspace *work = crd_model_workspace_new(model);
  const double ctrl[2][2] = {{1, 1}, {-1, -1}};
  for (int i = 0; i < 2; i++) {
    double tau = 0, q = 0, v = 0;
    crd_tree_actuation(model, work, &q, &v, NULL, ctrl[i], &tau);
    assert_near(tau, i ? -3 : 2);
  }
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* kv = 2 r sqrt(kp m), m = I / gear^2, I = inertia about the hinge: a point-like sphere of mass 1 at distance 1 has 1 +
 * 2/5 0.01. */
static void dampratio_is_a_fraction_of_the_critical_damping(void **state) {
  (void)state;
  crd_model *model = read_text("<mujoco><worldbody>" HINGE(
      "j") "</worldbody>"
           "<actuator><position joint='j' kp='50' dampratio='.7' gear='3'/></actuator></mujoco>");
  assert_near(model->actuator[0].bias[1], -50);
  assert_near(model->actuator[0].bias[2], -2 * 0.7 * sqrt(50 * 1.004 / 9));
  crd_model_free(model);
}

/* The range of the joint about its middle, stretched by the factor: (-10 + 50)/2 +- 1.5 * 30 degrees. */
static void inheritrange_takes_the_range_of_the_joint(void **state) {
  (void)state;
  crd_model *model = read_text("<mujoco><worldbody><body><joint name='j' range='-10 50'/>" SPHERE
                               "</body></worldbody>"
                               "<actuator><position joint='j' kp='1' inheritrange='1.5'/></actuator></mujoco>");
  assert_true(model->actuator[0].ctrl_limited);
  assert_near(model->actuator[0].ctrl_range[0], -25 * M_PI / 180);
  assert_near(model->actuator[0].ctrl_range[1], 65 * M_PI / 180);
  crd_model_free(model);
}

/* Anchors are the sites, in the frames of their bodies; the weld turns one site's frame into the other's. */
static void sites_can_be_joined(void **state) {
  (void)state;
  crd_model *model =
      read_text("<mujoco><worldbody><body name='a'><freejoint/>" SPHERE
                "<site name='s' pos='1 2 3' quat='.6 .8 0 0'/></body>"
                "<body name='b'><freejoint/>" SPHERE
                "<site name='t' pos='4 5 6'/></body></worldbody>"
                "<equality><connect site1='s' site2='t'/><weld site1='s' site2='t'/></equality></mujoco>");
  for (int i = 0; i < 2; i++) {
    const crd_loop *loop = &model->loop[i];
    for (int k = 0; k < 3; k++) {
      assert_near(loop->anchor1[k], 1 + k);
      assert_near(loop->anchor2[k], 4 + k);
    }
  }
  assert_near(fabs(model->loop[1].relquat[0]), 0.6);
  assert_near(fabs(model->loop[1].relquat[1]), 0.8);
  crd_model_free(model);
}

/* A frame in a frame in a body that hangs by its second joint's link; the pose by hand: the body turned by 90 degrees
 * about z at (1 0 0), the site 2 along the body's y, which is world -x, turned by the frame about x. */
static void sites_are_frames_of_their_bodies(void **state) {
  (void)state;
  crd_model *model = read_text(
      "<mujoco><worldbody><site name='w' pos='0 0 7'/><body name='a' pos='1 0 0'><joint name='j'/>" SPHERE
      "<body name='b'><frame euler='90 0 0'><site name='s' pos='0 0 -2'/></frame></body></body></worldbody></mujoco>");
  crd_workspace *work = crd_model_workspace_new(model);
  assert_int_equal(model->nsite, 2);
  assert_int_equal(crd_model_find_site(model, "w"), 0);
  assert_int_equal(crd_model_find_site(model, "nobody"), -1);
  int s = crd_model_find_site(model, "s");
  assert_int_equal(s, 1);
  assert_int_equal(model->site[s].body, crd_model_find_body(model, "b"));
  double quarter = M_PI / 2, pos[3], R[9];
  crd_tree_kinematics(model, work, &quarter);
  crd_tree_site_pose(model, work, s, pos, R);
  const double expected[3] = {-1, 0, 0}, axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
  for (int k = 0; k < 3; k++) assert_true(fabs(pos[k] - expected[k]) < 1e-12);
  for (int k = 0; k < 9; k++) assert_true(fabs(R[k] - axes[k]) < 1e-12);
  crd_tree_site_pose(model, work, 0, pos, R);
  assert_true(fabs(pos[2] - 7) < 1e-12);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* Each flag takes away one kind of force. */
static void disabled_forces_are_not_in_the_model(void **state) {
  (void)state;
  crd_model *model = read_text(
      "<mujoco><option gravity='0 0 -5'><flag gravity='disable' limit='disable' frictionloss='disable' "
      "passive='disable' contact='disable' "
      "equality='disable' actuation='disable'/></option><worldbody><body name='b'><joint name='j' range='0 90' "
      "frictionloss='1' damping='2' "
      "stiffness='3'/>" SPHERE
      "</body></worldbody><equality><joint joint1='j'/></equality><actuator><position joint='j' kp='9'/></actuator>"
      "</mujoco>");
  assert_near(model->gravity[2], 0);
  assert_false(model->joint[0].limited);
  assert_near(model->joint[0].frictionloss, 0);
  assert_near(model->joint[0].damping, 0);
  assert_near(model->joint[0].stiffness, 0);
  assert_int_equal(model->geom[0].contype | model->geom[0].conaffinity, 0);
  assert_false(model->loop[0].active);
  assert_near(model->actuator[0].bias[1], 0);
  crd_model_free(model);
}

/* The joints of a body come before those of its children wherever they stand, as MuJoCo orders qpos. */
static void joints_of_a_body_come_in_one_piece(void **state) {
  (void)state;
  crd_model *model = read_text("<mujoco><worldbody><body><joint name='first'/><body><joint name='child'/>" SPHERE
                               "</body>"
                               "<joint name='second' axis='1 0 0'/>" SPHERE "</body></worldbody></mujoco>");
  static const char *const order[] = {"first", "second", "child"};
  for (int i = 0; i < 3; i++) assert_string_equal(model->joint[i].name, order[i]);
  crd_model_free(model);
}

static void put_file(const char *folder, const char *name, const char *text) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* main.xml includes sub/a.xml, which includes b.xml and names m.obj, both beside it; sub/b.xml names n.obj beside
 * main.xml. */
static void files_are_found_beside_the_main_file_or_the_naming_one(void **state) {
  (void)state;
  static const char cube[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";
  static const char *const files[][2] = {
      {"main.xml", "<mujoco><include file='sub/a.xml'/></mujoco>"},
      {"sub/a.xml",
       "<x><include file='b.xml'/><asset><mesh file='m.obj'/></asset><worldbody><geom type='mesh' "
       "mesh='m'/></worldbody></x>"},
      {"sub/b.xml", "<x><asset><mesh file='n.obj'/></asset><worldbody><geom type='mesh' mesh='n'/></worldbody></x>"},
      {"sub/m.obj", cube},
      {"n.obj", cube}};
  char folder[] = CRADLE_BINARY_DIR "/mjcf-XXXXXX", path[512];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/sub", folder);
  assert_int_equal(mkdir(path, 0755), 0);
  for (int i = 0; i < 5; i++) put_file(folder, files[i][0], files[i][1]);
  crd_model *model;
  crd_error err = {0};
  snprintf(path, sizeof path, "%s/main.xml", folder);
  if (crd_io_read_model(path, NULL, &model, NULL, &err) != CRD_OK) fail_msg("%s:%d: %s", err.file, err.line, err.text);
  assert_int_equal(model->nmesh, 2);
  crd_model_free(model);
  for (int i = 0; i < 5; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, files[i][0]);
    remove(path);
  }
  snprintf(path, sizeof path, "%s/sub", folder);
  rmdir(path);
  rmdir(folder);
}

/* 2 x 3 heights; of the element and the picture the first row is at the far end, of the binary file at the near one. MuJoCo
 * 3.14 has these numbers in hfield_data. */
static void heights_come_from_the_element_a_picture_and_a_binary_file(void **state) {
  (void)state;
  static const unsigned char picture[] = {
      /* rows 10 20 30 and 40 50 60, grey */
      0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
      0x03, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x00, 0x00, 0x00, 0xb8, 0x1f, 0x39, 0xc6, 0x00, 0x00, 0x00, 0x10, 0x49,
      0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xe0, 0x12, 0x91, 0x63, 0xd0, 0x30, 0xb2, 0x01, 0x00, 0x02, 0x74, 0x00, 0xd3,
      0x96, 0x4d, 0xcc, 0x95, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
  static const unsigned char binary[] = {2, 0, 0,    0, 3, 0, 0, 0, 0, 0, 0x80, 0x3f, 0, 0,    0,   0x40, 0,
                                         0, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0,    0,    0, 0x80, 0x3f}; /* 1 2 2 0 0 1 */
  static const double expected[3][6] = {
      {3. / 6, 4. / 6, 1, 0, 1. / 6, 2. / 6}, {0.6, 0.8, 1, 0, 0.2, 0.4}, {0.5, 1, 1, 0, 0, 0.5}};
  char folder[] = CRADLE_BINARY_DIR "/field-XXXXXX", path[512];
  assert_non_null(mkdtemp(folder));
  put_file(
      folder, "main.xml",
      "<mujoco><asset><hfield name='h' nrow='2' ncol='3' size='2 1 0.5 0.1' elevation='1 2 3 4 5 7'/><hfield "
      "file='p.png' size='2 1 0.5 0.1'/><hfield file='b.hf' size='2 1 0.5 0.1'/></asset><worldbody><geom type='hfield' "
      "hfield='h'/><geom type='hfield' hfield='p'/><geom type='hfield' hfield='b'/></worldbody></mujoco>");
  const char *const names[] = {"main.xml", "p.png", "b.hf"};
  const unsigned char *const bytes[] = {NULL, picture, binary};
  const size_t sizes[] = {0, sizeof picture, sizeof binary};
  for (int i = 1; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(bytes[i], 1, sizes[i], file) == sizes[i]);
    fclose(file);
  }
  crd_model *model;
  crd_error err = {0};
  snprintf(path, sizeof path, "%s/main.xml", folder);
  const crd_status status = crd_io_read_model(path, NULL, &model, NULL, &err);
  for (int i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
  if (status == CRD_ERR_FILE && strstr(err.text, "libpng")) skip(); /* a build without it */
  if (status != CRD_OK) fail_msg("%s:%d: %s", err.file, err.line, err.text);
  for (int f = 0; f < 3; f++) {
    const crd_mesh *mesh = &model->mesh[f];
    assert_int_equal(mesh->field.nrow, 2);
    assert_int_equal(mesh->field.ncol, 3);
    assert_true(mesh->field.base == 0.1);
    for (int i = 0; i < 6; i++) {
      assert_true(mesh->vert[3 * i] == 2.0 * (i % 3) - 2 && mesh->vert[3 * i + 1] == (i < 3 ? -1 : 1));
      assert_true(fabs(mesh->vert[3 * i + 2] - 0.5 * expected[f][i]) <= 3e-8); /* floats */
    }
  }
  crd_model_free(model);
}

/* Keyframes may say where mocap bodies are drawn: in the order of the file, quaternions of any length and sign. */
static void keys_may_repeat_the_poses_of_mocap_bodies(void **state) {
  (void)state;
  crd_model *model = read_text(
      "<mujoco><worldbody><frame pos='0 0 1'><body mocap='true' pos='1 2 3' quat='1 1 0 0'/></frame><body mocap='true' "
      "pos='-1 0 0'/>" HINGE("j") "</worldbody><keyframe><key qpos='0.5' mpos='1 2 4 -1 0 0' mquat='-2 -2 0 0 1 0 0 0'/>"
      "</keyframe></mujoco>");
  assert_int_equal(model->nkey, 1);
  assert_near(model->key[0].qpos[0], 0.5);
  crd_model_free(model);
}

/* A model read twice is the same, to the bit. */
static void the_same_text_gives_the_same_bits(void **state) {
  (void)state;
  char path[512];
  snprintf(path, sizeof path, "%s/models/quadruped.xml", CRADLE_SOURCE_DIR);
  crd_model *models[2];
  for (int i = 0; i < 2; i++) assert_int_equal(crd_io_read_model(path, NULL, &models[i], NULL, NULL), CRD_OK);
  for (int i = 0; i < models[0]->nlink; i++) {
    assert_memory_equal(models[0]->link[i].inertia, models[1]->link[i].inertia, 6 * sizeof(double));
    assert_memory_equal(models[0]->link[i].R0, models[1]->link[i].R0, 9 * sizeof(double));
  }
  crd_model_free(models[0]);
  crd_model_free(models[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(restitution_is_read_from_custom),
                                     cmocka_unit_test(what_is_not_read_is_listed_with_its_line),
                                     cmocka_unit_test(lenient_leaves_out_and_lists),
                                     cmocka_unit_test(meshes_only_for_show_need_not_exist),
                                     cmocka_unit_test(a_joint_limits_the_sum_of_its_actuators),
                                     cmocka_unit_test(a_shell_weighs_by_its_area),
                                     cmocka_unit_test(actuators_that_carry_gravity_are_limited_with_it),
                                     cmocka_unit_test(dampratio_is_a_fraction_of_the_critical_damping),
                                     cmocka_unit_test(inheritrange_takes_the_range_of_the_joint),
                                     cmocka_unit_test(sites_can_be_joined),
                                     cmocka_unit_test(sites_are_frames_of_their_bodies),
                                     cmocka_unit_test(disabled_forces_are_not_in_the_model),
                                     cmocka_unit_test(joints_of_a_body_come_in_one_piece),
                                     cmocka_unit_test(files_are_found_beside_the_main_file_or_the_naming_one),
                                     cmocka_unit_test(keys_may_repeat_the_poses_of_mocap_bodies),
                                     cmocka_unit_test(heights_come_from_the_element_a_picture_and_a_binary_file),
                                     cmocka_unit_test(the_same_text_gives_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
