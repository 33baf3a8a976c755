/* Freezing: order of bodies, joints and geoms, numbering of coordinates, loops, keyframes, names. */
#include <cradle/linalg.h>
#include <cradle/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"
#include "support/random_tree.h"

static void an_empty_model_is_the_world(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_model *model = make_model(builder, NULL);
  assert_int_equal(model->nbody, 1);
  assert_int_equal(model->nv, 0);
  assert_true(model->mass == 0);
  assert_string_equal(model->body[0].name, "world");
  assert_int_equal(model->body[0].link, -1);
  assert_int_equal(model->body[0].parent, -1);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

static void bodies_come_out_depth_first_and_references_follow(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int a = make_body(builder, "a", 0, 0, 0, 1), b = make_body(builder, "b", 0, 0, 0, 2);
  int a1 = make_body(builder, "a1", a, 0, 0, 3), b1 = make_body(builder, "b1", b, 0, 0, 4);
  int a2 = make_body(builder, "a2", a, 0, 0, 5), bodies[] = {a, b, a1, b1, a2}, joints[5], geoms[5];
  for (int i = 4; i >= 0; i--) {
    joints[i] = make_joint(builder, bodies[i], CRD_HINGE, 0, 0, 1);
    geoms[i] = make_geom(builder, bodies[i], CRD_SPHERE, 1 + i, 0, 0);
  }
  crd_loop_def loop = crd_model_loop_default();
  loop.body1 = b, loop.body2 = a2;
  crd_model_builder_loop(builder, &loop);
  crd_actuator_def motor = crd_model_actuator_default();
  motor.joint = joints[3];
  crd_model_builder_actuator(builder, &motor);
  int terms[2] = {joints[4], joints[1]};
  double weights[2] = {2, 3};
  crd_tendon_def tendon = crd_model_tendon_default();
  tendon.nterm = 2, tendon.term_joint = terms, tendon.term_coef = weights;
  motor.transmission = CRD_ON_TENDON, motor.tendon = crd_model_builder_tendon(builder, &tendon);
  crd_model_builder_actuator(builder, &motor);
  crd_pair_def pair = crd_model_pair_default();
  pair.geom1 = geoms[3], pair.geom2 = geoms[2];
  crd_model_builder_pair(builder, &pair);
  crd_model_builder_exclude(builder, b1, a1);
  crd_model *model = make_model(builder, NULL);

  const char *order[] = {"world", "a", "a1", "a2", "b", "b1"};
  const double radius[] = {0, 1, 3, 5, 2, 4};
  for (int i = 1; i < 6; i++) {
    assert_string_equal(model->body[i].name, order[i]);
    assert_int_equal(model->body[i].first_joint, i - 1);
    assert_int_equal(model->body[i].link, i - 1);
    assert_int_equal(model->joint[i - 1].body, i);
    assert_int_equal(model->body[i].first_geom, i - 1);
    assert_int_equal(model->body[i].ngeom, 1);
    assert_true(model->geom[i - 1].size[0] == radius[i]);
  }
  assert_int_equal(model->body[5].parent, 4);
  assert_int_equal(model->loop[0].body1, 4);
  assert_int_equal(model->loop[0].body2, 3);
  assert_int_equal(model->actuator[0].joint, 4);
  assert_int_equal(model->tendon[0].joint[0], 2);
  assert_int_equal(model->tendon[0].joint[1], 3);
  assert_true(model->tendon[0].coef[1] == 3);
  assert_int_equal(model->actuator[1].dof[1], 3);
  assert_int_equal(model->pair[0].geom1, 1);
  assert_int_equal(model->pair[0].geom2, 4);
  assert_int_equal(model->exclude[0], 2);
  assert_int_equal(model->exclude[1], 5);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A free base, a body with a slide and a ball, a welded body, a hinge below it, and a second tree. */
static void coordinates_and_velocities_are_numbered_as_in_mujoco(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int base = make_body(builder, "base", 0, 1, 2, 3), arm = make_body(builder, "arm", base, 0, 0, 1);
  int pad = make_body(builder, "pad", arm, 0, 0, 1), tip = make_body(builder, "tip", pad, 0, 0, 1);
  int other = make_body(builder, "other", 0, 0, 0, 0);
  crd_joint_def def = crd_model_joint_default();
  def.type = CRD_FREE;
  crd_model_builder_joint(builder, base, &def);
  def.type = CRD_SLIDE, def.ref = 0.25, def.springref = 0.75, def.damping = 5;
  crd_model_builder_joint(builder, arm, &def);
  def.type = CRD_BALL, def.armature = 0.125, def.damping = 0;
  crd_model_builder_joint(builder, arm, &def);
  def.type = CRD_HINGE, def.ref = -1, def.springref = 0, def.frictionloss = 2;
  crd_model_builder_joint(builder, tip, &def);
  crd_model_builder_joint(builder, other, &def);
  crd_model *model = make_model(builder, NULL);

  const int q[] = {0, 7, 8, 12, 13}, v[] = {0, 6, 7, 10, 11}, link_parent[] = {-1, 0, 1, 2, -1};
  const int dof_parent[] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1};
  const int dof_link[] = {0, 0, 0, 0, 0, 0, 1, 2, 2, 2, 3, 4};
  const double qpos0[] = {1, 2, 3, 1, 0, 0, 0, 0.25, 1, 0, 0, 0, -1, -1};
  const double spring[] = {1, 2, 3, 1, 0, 0, 0, 0.75, 1, 0, 0, 0, 0, 0};
  const double armature[] = {0, 0, 0, 0, 0, 0, 0, 0.125, 0.125, 0.125, 0.125, 0.125};
  assert_int_equal(model->nq, 14);
  assert_int_equal(model->nv, 12);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(model->joint[i].q, q[i]);
    assert_int_equal(model->joint[i].v, v[i]);
    assert_int_equal(model->link[i].q, q[i]);
    assert_int_equal(model->link[i].v, v[i]);
    assert_int_equal(model->link[i].parent, link_parent[i]);
  }
  for (int i = 0; i < 12; i++) {
    assert_int_equal(model->dof_parent[i], dof_parent[i]);
    assert_int_equal(model->dof_link[i], dof_link[i]);
    assert_true(model->dof_armature[i] == armature[i]);
    assert_true(model->dof_damping[i] == (i == 6 ? 5 : 0));
    assert_true(model->dof_frictionloss[i] == (i >= 10 ? 2 : 0));
  }
  check_close(model->qpos0, qpos0, 14, 0);
  check_close(model->qpos_spring, spring, 14, 0);
  assert_int_equal(model->body[pad].link, 2);
  assert_int_equal(model->body[pad].weld, arm);
  assert_int_equal(model->body[tip].weld, tip);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* Two bodies at (0,0,1), turned a quarter about z, and (0,2,0) in the world. */
static crd_loop frozen_loop(const crd_loop_def *def) {
  crd_builder *builder = crd_model_builder_new();
  crd_body_def turned = crd_model_body_default();
  turned.pos[2] = 1;
  turned.quat[0] = turned.quat[3] = 1;
  crd_model_builder_body(builder, &turned);
  make_body(builder, "b", 0, 0, 2, 0);
  crd_model_builder_loop(builder, def);
  crd_model *model = make_model(builder, NULL);
  crd_loop loop = model->loop[0];
  crd_model_free(model);
  crd_model_builder_free(builder);
  return loop;
}

static void a_connect_meets_in_the_drawn_position(void **state) {
  (void)state;
  crd_loop_def def = crd_model_loop_default();
  def.body1 = 1, def.body2 = 2;
  def.anchor1[0] = 1;
  crd_loop loop = frozen_loop(&def);
  /* The anchor e_x of body 1 is e_y + e_z in the world, e_z - e_y seen from body 2. */
  const double anchor1[3] = {1, 0, 0}, anchor2[3] = {0, -1, 1}, given[3] = {9, 8, 7};
  assert_int_equal(loop.rows, 3);
  check_close(loop.anchor1, anchor1, 3, 1e-15);
  check_close(loop.anchor2, anchor2, 3, 1e-15);
  def.at_qpos0 = false;
  memcpy(def.anchor2, given, sizeof given);
  loop = frozen_loop(&def);
  check_close(loop.anchor2, given, 3, 0);
}

static void a_weld_keeps_the_drawn_or_the_given_pose(void **state) {
  (void)state;
  crd_loop_def def = crd_model_loop_default();
  def.type = CRD_LOOP_WELD;
  def.body1 = 1, def.body2 = 2;
  def.anchor2[0] = 1;
  crd_loop loop = frozen_loop(&def);
  /* Body 2 lies at (0,2,-1) from body 1 in world axes; body 1's axes are e_y, -e_x, e_z. */
  const double h = sqrt(0.5), relpos[3] = {2, 0, -1}, relquat[4] = {h, 0, 0, -h}, anchor1[3] = {2, -1, -1};
  assert_int_equal(loop.rows, 6);
  check_close(loop.relpos, relpos, 3, 1e-15);
  check_close(loop.relquat, relquat, 4, 1e-15);
  check_close(loop.anchor1, anchor1, 3, 1e-15);
  /* Given: the place of anchor2 in body 1, and a half turn about z, of any length. */
  def.at_qpos0 = false;
  def.relpos[0] = 5, def.relquat[0] = 0, def.relquat[3] = 2;
  loop = frozen_loop(&def);
  const double place[3] = {5, 0, 0}, origin[3] = {6, 0, 0}, half_turn[4] = {0, 0, 0, 1};
  check_close(loop.anchor1, place, 3, 1e-15);
  check_close(loop.relpos, origin, 3, 1e-15);
  check_close(loop.relquat, half_turn, 4, 1e-15);
}

static void keyframes_fill_in_what_they_do_not_give(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  make_joint(builder, make_body(builder, "a", 0, 1, 2, 3), CRD_FREE, 0, 0, 1);
  make_joint(builder, make_body(builder, "b", 1, 0, 0, 0), CRD_BALL, 0, 0, 1);
  crd_actuator_def motor = crd_model_actuator_default();
  motor.joint = 0;
  crd_model_builder_actuator(builder, &motor);
  const double qpos[11] = {4, 5, 6, 0, 3, 0, 4, 0, 0, 0, 0}, ctrl[1] = {7};
  crd_key_def empty = {.name = "empty"}, moved = {.name = "moved", .time = 2, .qpos = qpos, .ctrl = ctrl};
  crd_model_builder_key(builder, &empty, 0, 0, 0, 0);
  crd_model_builder_key(builder, &moved, 11, 0, 0, 1);
  crd_model *model = make_model(builder, NULL);
  int id = crd_model_find_key(model, "moved");
  assert_int_equal(id, 1);
  check_close(model->key[0].qpos, model->qpos0, 11, 0);
  assert_true(model->key[0].ctrl[0] == 0 && model->key[0].time == 0 && model->key[1].time == 2);
  assert_true(model->key[id].ctrl[0] == 7);
  /* Quaternions are normalised; a zero one is no rotation. */
  const double expected[11] = {4, 5, 6, 0, 0.6, 0, 0.8, 1, 0, 0, 0};
  check_close(model->key[id].qpos, expected, 11, 1e-15);
  for (int i = 0; i < model->nv; i++) assert_true(model->key[id].qvel[i] == 0);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* Two of each kind; the second is found, one of another kind and one without a name are not. */
static void everything_is_found_by_its_name(void **state) {
  (void)state;
  const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, coef[1] = {1};
  const int term[1] = {0};
  char name[16][2][3];
  for (int kind = 0; kind < 16; kind++)
    for (int k = 0; k < 2; k++) snprintf(name[kind][k], sizeof name[kind][k], "%c%d", 'a' + kind, k);
  crd_builder *builder = crd_model_builder_new();
  for (int k = 0; k < 2; k++) {
    crd_body_def body = crd_model_body_default();
    crd_joint_def joint = crd_model_joint_default();
    crd_geom_def geom = crd_model_geom_default();
    crd_site_def site = crd_model_site_default();
    crd_mesh_def mesh = {.name = name[4][k], .nvert = 4, .vert = corner};
    crd_loop_def loop = crd_model_loop_default();
    crd_actuator_def motor = crd_model_actuator_default();
    crd_tendon_def tendon = crd_model_tendon_default();
    crd_sensor_def sensor = crd_model_sensor_default();
    crd_key_def key = {.name = name[9][k]};
    crd_pair_def pair = crd_model_pair_default();
    body.name = name[0][k], joint.name = name[1][k], geom.name = name[2][k], site.name = name[3][k];
    loop.name = name[5][k], motor.name = name[6][k], tendon.name = name[7][k], sensor.name = name[8][k];
    pair.name = name[10][k];
    joint.type = CRD_HINGE, geom.size[0] = 0.1, motor.joint = k;
    loop.type = CRD_LOOP_CONNECT, loop.body1 = k + 1, loop.body2 = 0;
    tendon.nterm = 1, tendon.term_joint = term, tendon.term_coef = coef;
    sensor.type = CRD_SENSOR_CLOCK;
    pair.geom1 = k, pair.geom2 = 2;
    const int id = crd_model_builder_body(builder, &body);
    crd_model_builder_joint(builder, id, &joint);
    crd_model_builder_geom(builder, id, &geom);
    crd_model_builder_site(builder, id, &site);
    crd_model_builder_mesh(builder, &mesh);
    crd_model_builder_loop(builder, &loop);
    crd_model_builder_actuator(builder, &motor);
    crd_model_builder_tendon(builder, &tendon);
    crd_model_builder_sensor(builder, &sensor);
    crd_model_builder_key(builder, &key, 0, 0, 0, 0);
    crd_model_builder_pair(builder, &pair);
  }
  crd_geom_def third = crd_model_geom_default();
  third.size[0] = 0.1;
  crd_model_builder_geom(builder, 0, &third); /* without a name */
  crd_model *model = make_model(builder, NULL);
  int (*const find[])(const crd_model *, const char *) = {
      crd_model_find_body,   crd_model_find_joint, crd_model_find_geom,     crd_model_find_site,
      crd_model_find_mesh,   crd_model_find_loop,  crd_model_find_actuator, crd_model_find_tendon,
      crd_model_find_sensor, crd_model_find_key,   crd_model_find_pair};
  for (int kind = 0; kind < 11; kind++) {
    assert_int_equal(find[kind](model, name[kind][1]), find[kind](model, name[kind][0]) + 1);
    assert_int_equal(find[kind](model, name[(kind + 1) % 11][1]), -1);
    assert_int_equal(find[kind](model, ""), -1);
    assert_int_equal(find[kind](model, NULL), -1);
  }
  assert_string_equal(model->body[crd_model_find_body(model, "a1")].name, "a1");
  assert_string_equal(model->loop[crd_model_find_loop(model, "f1")].name, "f1");
  assert_string_equal(model->pair[crd_model_find_pair(model, "k1")].name, "k1");
  crd_model_free(model);
  crd_model_builder_free(builder);
}

static void restitution_falls_back_to_the_default(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_geom_def geom = crd_model_geom_default();
  geom.size[0] = 1;
  crd_model_builder_geom(builder, 0, &geom);
  geom.restitution = 0.75;
  crd_model_builder_geom(builder, 0, &geom);
  crd_pair_def pair = crd_model_pair_default();
  pair.geom1 = 1, pair.geom2 = 0;
  crd_model_builder_pair(builder, &pair);
  pair.restitution = 0.125;
  crd_model_builder_pair(builder, &pair);
  crd_build_options options = crd_model_build_default();
  options.restitution = 0.5;
  crd_model *model = make_model(builder, &options);
  assert_true(model->geom[0].restitution == 0.5 && model->geom[1].restitution == 0.75);
  assert_true(model->pair[0].restitution == 0.75 && model->pair[1].restitution == 0.125);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* 20000 bodies, each found by its name; a quadratic search would take a minute. Texts are copied. */
static void names_are_found_and_copied(void **state) {
  (void)state;
  enum { count = 20000 };
  crd_builder *builder = crd_model_builder_new();
  char name[32];
  for (int i = 1; i <= count; i++) {
    snprintf(name, sizeof name, "body %d", i);
    assert_int_equal(make_body(builder, name, i - 1, 0, 0, 0), i);
    snprintf(name, sizeof name, "joint %d", i);
    crd_joint_def joint = crd_model_joint_default();
    joint.name = name;
    crd_model_builder_joint(builder, i, &joint);
  }
  memset(name, 0, sizeof name);
  crd_model *model = make_model(builder, NULL);
  for (int i = 1; i <= count; i += 7) {
    snprintf(name, sizeof name, "body %d", i);
    assert_int_equal(crd_model_builder_find_body(builder, name), i);
    assert_int_equal(crd_model_find_body(model, name), i);
    snprintf(name, sizeof name, "joint %d", i);
    assert_int_equal(crd_model_find_joint(model, name), i - 1);
  }
  assert_int_equal(crd_model_find_body(model, "nobody"), -1);
  assert_int_equal(crd_model_find_geom(model, "nothing"), -1);
  assert_int_equal(crd_model_find_body(model, ""), -1);
  assert_int_equal(crd_model_builder_find_mesh(builder, "m"), -1);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

/* A body of a random tree, told apart by its mass. */
static int add_random_body(crd_builder *builder, int label, int parent) {
  random_stream s = {.seed = 900 + (uint64_t)label};
  crd_body_def def = crd_model_body_default();
  def.parent = parent;
  def.has_inertial = true;
  def.inertial.mass = label;
  for (int k = 0; k < 3; k++) def.pos[k] = random_in(&s, -1, 1), def.inertial.inertia[k] = random_in(&s, 1, 2);
  random_unit_quat(&s, def.quat);
  int body = crd_model_builder_body(builder, &def);
  if (label % 5 == 0) return body; /* welded */
  crd_joint_def joint = crd_model_joint_default();
  joint.type = label % 3 ? CRD_HINGE : CRD_BALL;
  for (int k = 0; k < 3; k++) joint.pos[k] = random_in(&s, -1, 1), joint.axis[k] = random_in(&s, -1, 1);
  crd_model_builder_joint(builder, body, &joint);
  return body;
}

/* The same random tree entered depth first and level by level: the same model. */
static void the_order_of_definition_does_not_matter(void **state) {
  (void)state;
  enum { count = 60 };
  for (uint64_t seed = 0; seed < 20; seed++) {
    random_stream s = {.seed = 700 + seed};
    int parent[count + 1] = {0}, depth[count + 1] = {0}, id[count + 1] = {0};
    crd_builder *sorted = crd_model_builder_new(), *levels = crd_model_builder_new();
    /* In depth-first order the parent of a body is the body before it or an ancestor of that one. */
    for (int i = 1; i <= count; i++) {
      parent[i] = i - 1;
      while (parent[i] > 0 && random_in(&s, 0, 1) < 0.4) parent[i] = parent[parent[i]];
      depth[i] = depth[parent[i]] + 1;
      add_random_body(sorted, i, parent[i]);
    }
    for (int level = 1; level <= count; level++)
      for (int i = 1; i <= count; i++)
        if (depth[i] == level) id[i] = add_random_body(levels, i, id[parent[i]]);
    crd_model *a = make_model(sorted, NULL), *b = make_model(levels, NULL);
    assert_int_equal(a->nlink, b->nlink);
    for (int i = 1; i <= count; i++) {
      assert_true(a->body[i].mass == i && b->body[i].mass == i);
      assert_int_equal(a->body[i].parent, parent[i]);
      assert_int_equal(b->body[i].parent, parent[i]);
    }
    for (int i = 0; i < a->nlink; i++) {
      check_close(b->link[i].R0, a->link[i].R0, 9, 0);
      check_close(b->link[i].p0, a->link[i].p0, 3, 0);
      check_close(b->link[i].inertia, a->link[i].inertia, 6, 0);
      assert_int_equal(a->link[i].parent, b->link[i].parent);
    }
    crd_model_free(a), crd_model_free(b);
    crd_model_builder_free(sorted), crd_model_builder_free(levels);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_model_is_the_world),
      cmocka_unit_test(bodies_come_out_depth_first_and_references_follow),
      cmocka_unit_test(coordinates_and_velocities_are_numbered_as_in_mujoco),
      cmocka_unit_test(a_connect_meets_in_the_drawn_position),
      cmocka_unit_test(a_weld_keeps_the_drawn_or_the_given_pose),
      cmocka_unit_test(keyframes_fill_in_what_they_do_not_give),
      cmocka_unit_test(everything_is_found_by_its_name),
      cmocka_unit_test(restitution_falls_back_to_the_default),
      cmocka_unit_test(names_are_found_and_copied),
      cmocka_unit_test(the_order_of_definition_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
