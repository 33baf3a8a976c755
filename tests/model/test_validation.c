/* Every rule of the build refuses what breaks it, with a message that names the element, what was found and the rule.
 */
#include <cradle/model.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/make_model.h"

/* A sound mechanism with one of everything, whose definitions a case then spoils. */
typedef struct parts {
  crd_build_options options;
  crd_body_def body, child;
  crd_joint_def joint, second;
  int joint_body, second_body;
  crd_geom_def geom;
  int geom_body;
  crd_site_def site;
  int site_body;
  crd_mesh_def mesh;
  crd_pair_def pair;
  crd_loop_def loop;
  crd_actuator_def actuator;
  crd_tendon_def tendon;
  crd_wrap wrap[5];
  bool has_tendon;
  crd_key_def key;
  int nqpos, nqvel, nctrl;
  int exclude[2];
  double vert[12];
  int face[12];
  double qpos[2], qvel[2], ctrl[2];
  int term_joint[1];
  double term_coef[1];
} parts;

static void sound_parts(parts *p) {
  *p = (parts){
      .options = crd_model_build_default(),
      .body = crd_model_body_default(),
      .child = crd_model_body_default(),
      .joint = crd_model_joint_default(),
      .second = crd_model_joint_default(),
      .joint_body = 1,
      .second_body = 2,
      .geom = crd_model_geom_default(),
      .geom_body = 2,
      .site = {.name = "tip", .quat = {1, 0, 0, 0}, .line = 55},
      .site_body = 2,
      .mesh = {.name = "shell", .nvert = 4, .nface = 4, .line = 61},
      .pair = crd_model_pair_default(),
      .loop = crd_model_loop_default(),
      .actuator = crd_model_actuator_default(),
      .tendon = {.name = "rope", .line = 111},
      .wrap = {{.type = CRD_WRAP_SITE}, {.type = CRD_WRAP_GEOM, .geom = 1, .site = -1}, {.type = CRD_WRAP_SITE}},
      .key = {.name = "start", .line = 91},
      .nqpos = 2,
      .nqvel = 2,
      .nctrl = 1,
      .exclude = {1, 2},
      .vert = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
      .face = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3},
      .term_joint = {0},
      .term_coef = {1}};
  crd_inertial ball = {1, {0}, {1, 0, 0, 0}, {0.4, 0.4, 0.4, 0, 0, 0}};
  p->options.file = "m.xml";
  p->options.name = "machine";
  p->body.name = "arm", p->body.line = 11, p->body.has_inertial = true, p->body.inertial = ball;
  p->child.name = "hand", p->child.line = 21, p->child.has_inertial = true, p->child.inertial = ball;
  p->child.parent = 1;
  p->joint.name = "elbow", p->joint.line = 31;
  p->second.name = "wrist", p->second.line = 41;
  p->geom.name = "palm", p->geom.line = 51, p->geom.size[0] = 1;
  p->pair.name = "grip", p->pair.line = 71, p->pair.geom1 = 0, p->pair.geom2 = 1;
  p->loop.name = "tie", p->loop.line = 81, p->loop.body1 = 1, p->loop.body2 = 2;
  p->actuator.name = "motor", p->actuator.line = 101, p->actuator.joint = 0;
}

static crd_status build(parts *p, crd_error *err) {
  crd_builder *builder = crd_model_builder_new();
  p->mesh.vert = p->vert, p->mesh.face = p->face;
  p->key.qpos = p->qpos, p->key.qvel = p->qvel, p->key.ctrl = p->ctrl;
  p->tendon.term_joint = p->term_joint, p->tendon.term_coef = p->term_coef, p->tendon.wrap = p->wrap;
  if (p->has_tendon) crd_model_builder_tendon(builder, &p->tendon);
  crd_model_builder_body(builder, &p->body);
  crd_model_builder_body(builder, &p->child);
  crd_model_builder_joint(builder, p->joint_body, &p->joint);
  crd_model_builder_joint(builder, p->second_body, &p->second);
  make_geom(builder, 0, CRD_PLANE, 0, 0, 0);
  crd_model_builder_geom(builder, p->geom_body, &p->geom);
  crd_model_builder_site(builder, p->site_body, &p->site);
  crd_model_builder_mesh(builder, &p->mesh);
  crd_model_builder_pair(builder, &p->pair);
  crd_model_builder_loop(builder, &p->loop);
  crd_model_builder_actuator(builder, &p->actuator);
  crd_model_builder_key(builder, &p->key, p->nqpos, p->nqvel, 0, p->nctrl);
  crd_model_builder_exclude(builder, p->exclude[0], p->exclude[1]);
  crd_model *model = NULL;
  crd_status status = crd_model_builder_build(builder, &p->options, &model, err);
  assert_true((model != NULL) == (status == CRD_OK));
  crd_model_free(model);
  crd_model_builder_free(builder);
  return status;
}

static parts p; /* the case's mechanism, sound until spoilt */

/* Spoils the mechanism by the given statements and expects the status, the line and the whole text. */
#define REFUSED(expected_status, expected_line, expected_text, ...) \
  do {                                                              \
    crd_error err = {0};                                            \
    sound_parts(&p);                                                \
    __VA_ARGS__;                                                    \
    int status = build(&p, &err);                                   \
    if (status == CRD_OK) fail_msg("accepted: %s", expected_text);  \
    assert_string_equal(err.text, expected_text);                   \
    assert_int_equal(status, expected_status);                      \
    assert_int_equal(err.status, expected_status);                  \
    assert_int_equal(err.line, expected_line);                      \
    assert_string_equal(err.file, "m.xml");                         \
  } while (0)

#define ACCEPTED(...)                                        \
  do {                                                       \
    crd_error err = {0};                                     \
    sound_parts(&p);                                         \
    __VA_ARGS__;                                             \
    if (build(&p, &err) != CRD_OK) fail_msg("%s", err.text); \
  } while (0)

static void the_sound_mechanism_is_accepted(void **state) {
  (void)state;
  ACCEPTED((void)0);
}

static void masses_and_inertias(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 11, "body \"arm\": mass is 0, must be positive because the body moves (hinge joint)",
          p.body.inertial.mass = 0);
  REFUSED(CRD_ERR_MODEL, 11, "body \"arm\": mass is -2, must be positive", p.body.inertial.mass = -2);
  REFUSED(CRD_ERR_NUMBER, 11, "body \"arm\": mass is nan, must be a finite number", p.body.inertial.mass = NAN);
  REFUSED(CRD_ERR_NUMBER, 11, "body \"arm\": inertia is inf, must be a finite number",
          p.body.inertial.inertia[4] = INFINITY);
  REFUSED(
      CRD_ERR_MODEL, 11,
      "body \"arm\": inertia violates the triangle inequality: principal moments are 0.4 0.15 0.1, must satisfy A + B "
      ">= C",
      p.body.inertial.inertia[1] = 0.1, p.body.inertial.inertia[2] = 0.15);
  REFUSED(CRD_ERR_MODEL, 11,
          "body \"arm\": inertia is not positive definite: principal moments are 0.4 0.4 -0.1, none may be negative",
          p.body.inertial.inertia[2] = -0.1);
  /* xy = 1 > xx = yy: eigenvalues 1.4, 0.4, -0.6 */
  REFUSED(CRD_ERR_MODEL, 11,
          "body \"arm\": inertia is not positive definite: principal moments are 1.4 0.4 -0.6, none may be negative",
          p.body.inertial.inertia[3] = 1);
  REFUSED(CRD_ERR_MODEL, 21,
          "body \"hand\": principal inertia is 0, must be positive because the body moves (hinge joint)",
          memset(p.child.inertial.inertia, 0, sizeof p.child.inertial.inertia));
  REFUSED(CRD_ERR_MODEL, 21, "body \"hand\": mass is 0, must be positive because the body moves (hinge joint)",
          p.child.has_inertial = false, p.geom.density = 0);
  REFUSED(CRD_ERR_MODEL, 21, "body \"hand\": inertial quat has length 0, must be a direction",
          memset(p.child.inertial.quat, 0, sizeof p.child.inertial.quat));
  REFUSED(CRD_ERR_NUMBER, 21, "body \"hand\": mass is inf, must be a finite number", p.child.has_inertial = false,
          p.geom.size[0] = 1e200);
  REFUSED(CRD_ERR_NUMBER, 0, "model \"machine\": boundmass is nan, must be a finite number",
          p.options.bound_mass = NAN);
  ACCEPTED(p.options.balance_inertia = true, p.body.inertial.inertia[1] = 0.1, p.body.inertial.inertia[2] = 0.15);
}

static void bodies(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 21, "body \"arm\": the name is taken by body 1, names must be unique", p.child.name = "arm");
  REFUSED(CRD_ERR_MODEL, 11, "body \"world\": the name is taken by body 0, names must be unique",
          p.body.name = "world");
  REFUSED(CRD_ERR_ARGUMENT, 21, "body \"hand\": refers to parent body 7, there are 3 (ids from 0)", p.child.parent = 7);
  REFUSED(CRD_ERR_ARGUMENT, 21, "body 2: refers to parent body -1, there are 3 (ids from 0)", p.child.parent = -1,
          p.child.name = NULL);
  REFUSED(CRD_ERR_MODEL, 21, "body \"hand\": is its own ancestor (parent \"hand\", id 2); bodies must form a tree",
          p.child.parent = 2);
  REFUSED(CRD_ERR_MODEL, 11, "body \"arm\": is its own ancestor (parent \"hand\", id 2); bodies must form a tree",
          p.body.parent = 2);
  REFUSED(CRD_ERR_NUMBER, 11, "body \"arm\": pos is inf, must be a finite number", p.body.pos[2] = INFINITY);
  REFUSED(CRD_ERR_MODEL, 11, "body \"arm\": quat has length 0, must be a direction", p.body.quat[0] = 0);
  ACCEPTED(p.body.name = p.child.name = ""); /* any number of unnamed ones */
}

static void joints(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": axis has length 0, must be a direction", p.joint.axis[2] = 0);
  REFUSED(CRD_ERR_NUMBER, 31, "joint \"elbow\": axis is nan, must be a finite number", p.joint.axis[0] = NAN);
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": range is 1 1, the first must be smaller than the second",
          p.joint.limited = true, p.joint.range[0] = p.joint.range[1] = 1);
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": range[0] is -1, must be 0 for a ball joint", p.joint.type = CRD_BALL,
          p.joint.limited = true, p.joint.range[0] = -1, p.joint.range[1] = 1);
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": armature is -0.1, must not be negative", p.joint.armature = -0.1);
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": frictionloss is -1, must not be negative", p.joint.frictionloss = -1);
  REFUSED(CRD_ERR_NUMBER, 31, "joint \"elbow\": stiffness is nan, must be a finite number", p.joint.stiffness = NAN);
  REFUSED(CRD_ERR_NUMBER, 31, "joint \"elbow\": damping is inf, must be a finite number", p.joint.damping = INFINITY);
  REFUSED(CRD_ERR_NUMBER, 31, "joint \"elbow\": ref is nan, must be a finite number", p.joint.ref = NAN);
  REFUSED(CRD_ERR_MODEL, 31, "joint \"elbow\": actuatorfrcrange is 2 -2, the first must be smaller than the second",
          p.joint.force_limited = true, p.joint.force_range[0] = 2, p.joint.force_range[1] = -2);
  REFUSED(CRD_ERR_ARGUMENT, 31, "joint \"elbow\": type is 9, must be one of crd_joint_type",
          p.joint.type = (crd_joint_type)9);
  REFUSED(CRD_ERR_ARGUMENT, 41, "joint \"wrist\": refers to body 3, there are 3 (ids from 0)", p.second_body = 3);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": is in the world, which must not move", p.second_body = 0);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"elbow\": the name is taken by joint 0, names must be unique",
          p.second.name = "elbow");
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": free joint in body \"hand\" (id 2), must be in a child of the world",
          p.second.type = CRD_FREE);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": body \"arm\" (id 1) has a free joint, which must be its only one",
          p.joint.type = CRD_FREE, p.second_body = 1);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": body \"arm\" (id 1) has a free joint, which must be its only one",
          p.second.type = CRD_FREE, p.second_body = 1);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": hinge after a ball joint in body \"arm\" (id 1): no rotation may follow",
          p.joint.type = CRD_BALL, p.second_body = 1);
  REFUSED(CRD_ERR_MODEL, 41, "joint \"wrist\": ball after a ball joint in body \"arm\" (id 1): no rotation may follow",
          p.joint.type = p.second.type = CRD_BALL, p.second_body = 1);
}

static void a_body_has_at_most_six_degrees_of_freedom(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  int body = make_body(builder, "snake", 0, 0, 0, 0);
  for (int i = 0; i < 7; i++) make_joint(builder, body, CRD_SLIDE, 1, i, 0);
  crd_build_options options = crd_model_build_default();
  crd_model *model;
  crd_error err;
  assert_int_equal(crd_model_builder_build(builder, &options, &model, &err), CRD_ERR_MODEL);
  assert_string_equal(err.text, "joint 6: body \"snake\" (id 1) has 7 degrees of freedom, at most 6 are allowed");
  crd_model_builder_free(builder);
}

static void geoms(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": size is 0, must be positive", p.geom.size[0] = 0);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": size is -3, must be positive", p.geom.type = CRD_BOX, p.geom.size[1] = 1,
          p.geom.size[2] = -3);
  REFUSED(CRD_ERR_NUMBER, 51, "geom \"palm\": size is nan, must be a finite number", p.geom.size[0] = NAN);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": quat has length 0, must be a direction", p.geom.quat[0] = 0);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": mass is -1, must not be negative", p.geom.has_mass = true,
          p.geom.mass = -1);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": density is -1, must not be negative", p.geom.density = -1);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": condim is 2, must be 1, 3, 4 or 6", p.geom.condim = 2);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": friction is -0.5, must not be negative", p.geom.friction[0] = -0.5);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": restitution is 1.5, must lie in 0..1", p.geom.restitution = 1.5);
  REFUSED(CRD_ERR_NUMBER, 51, "geom \"palm\": margin is nan, must be a finite number", p.geom.margin = NAN);
  REFUSED(CRD_ERR_ARGUMENT, 51, "geom \"palm\": refers to mesh 1, there are 1 (ids from 0)", p.geom.type = CRD_MESH,
          p.geom.mesh = 1);
  REFUSED(CRD_ERR_ARGUMENT, 55, "site \"tip\": refers to body 3, there are 3 (ids from 0)", p.site_body = 3);
  REFUSED(CRD_ERR_NUMBER, 55, "site \"tip\": pos is inf, must be a finite number", p.site.pos[1] = INFINITY);
  REFUSED(CRD_ERR_MODEL, 55, "site \"tip\": quat has length 0, must be a direction", p.site.quat[0] = 0);
  REFUSED(CRD_ERR_ARGUMENT, 55, "site \"tip\": type is 6, must be that of a primitive", p.site.type = CRD_MESH);
  REFUSED(CRD_ERR_MODEL, 55, "site \"tip\": size is 0, must be positive", p.site.type = CRD_SPHERE);
  REFUSED(CRD_ERR_ARGUMENT, 51, "geom \"palm\": refers to body -4, there are 3 (ids from 0)", p.geom_body = -4);
  REFUSED(CRD_ERR_ARGUMENT, 51, "geom \"palm\": type is 12, must be one of crd_geom_type",
          p.geom.type = (crd_geom_type)12);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": is a plane in the moving body \"hand\" (id 2), planes must be fixed",
          p.geom.type = CRD_PLANE);
  REFUSED(CRD_ERR_MODEL, 51, "geom \"palm\": size is -1, must not be negative", p.geom.type = CRD_PLANE,
          p.geom.size[0] = -1);
  ACCEPTED(p.geom.has_mass = false, p.geom.mass = NAN, p.geom.restitution = NAN);
}

static void meshes(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 61, "mesh \"shell\": face 2 refers to vertex 4, there are 4 (ids from 0)", p.face[7] = 4);
  REFUSED(CRD_ERR_NUMBER, 61, "mesh \"shell\": vertex is nan, must be a finite number", p.vert[5] = NAN);
}

static void contact_pairs(void **state) {
  (void)state;
  REFUSED(CRD_ERR_ARGUMENT, 71, "pair \"grip\": refers to geom 2, there are 2 (ids from 0)", p.pair.geom2 = 2);
  REFUSED(CRD_ERR_MODEL, 71, "pair \"grip\": both geoms are geom 1, must be two", p.pair.geom1 = 1);
  REFUSED(CRD_ERR_MODEL, 71, "pair \"grip\": condim is 5, must be 1, 3, 4 or 6", p.pair.condim = 5);
  REFUSED(CRD_ERR_MODEL, 71, "pair \"grip\": friction is -1, must not be negative", p.pair.friction[2] = -1);
  REFUSED(CRD_ERR_MODEL, 71, "pair \"grip\": restitution is -0.1, must lie in 0..1", p.pair.restitution = -0.1);
  REFUSED(CRD_ERR_ARGUMENT, 0, "exclude 0: refers to body 9, there are 3 (ids from 0)", p.exclude[1] = 9);
}

static void loops(void **state) {
  (void)state;
  REFUSED(CRD_ERR_ARGUMENT, 81, "equality \"tie\": refers to body 5, there are 3 (ids from 0)", p.loop.body1 = 5);
  REFUSED(CRD_ERR_MODEL, 81, "equality \"tie\": both bodies are body 2, must be two", p.loop.body1 = 2);
  REFUSED(CRD_ERR_NUMBER, 81, "equality \"tie\": anchor is nan, must be a finite number", p.loop.anchor1[0] = NAN);
  REFUSED(CRD_ERR_MODEL, 81, "equality \"tie\": relpose quat has length 0, must be a direction",
          p.loop.type = CRD_LOOP_WELD, p.loop.at_qpos0 = false, p.loop.relquat[0] = 0);
  REFUSED(CRD_ERR_ARGUMENT, 81, "equality \"tie\": refers to joint -1, there are 2 (ids from 0)",
          p.loop.type = CRD_LOOP_JOINT);
  REFUSED(CRD_ERR_NUMBER, 81, "equality \"tie\": polycoef is nan, must be a finite number",
          p.loop.type = CRD_LOOP_JOINT, p.loop.joint1 = 0, p.loop.polycoef[3] = NAN);
  REFUSED(CRD_ERR_MODEL, 81, "equality \"tie\": both joints are joint 1, must be two", p.loop.type = CRD_LOOP_JOINT,
          p.loop.joint1 = p.loop.joint2 = 1);
  REFUSED(CRD_ERR_MODEL, 81, "equality \"tie\": joint \"wrist\" (id 1) is a ball joint, must be hinge or slide",
          p.second.type = CRD_BALL, p.nqpos = 5, p.loop.type = CRD_LOOP_JOINT, p.loop.joint1 = 0, p.loop.joint2 = 1);
  REFUSED(CRD_ERR_ARGUMENT, 81, "equality \"tie\": type is 6, must be one of crd_loop_type",
          p.loop.type = (crd_loop_type)6);
  REFUSED(CRD_ERR_ARGUMENT, 81, "equality \"tie\": refers to tendon 0, there are 0 (ids from 0)",
          p.loop.type = CRD_LOOP_TENDON);
  REFUSED(CRD_ERR_MODEL, 81, "equality \"tie\": both tendons are tendon 0, must be two", p.has_tendon = true,
          p.tendon.nterm = 1, p.loop.type = CRD_LOOP_TENDON, p.loop.tendon2 = 0);
  ACCEPTED(p.has_tendon = true, p.tendon.nterm = 1, p.loop.type = CRD_LOOP_TENDON);
  ACCEPTED(p.loop.type = CRD_LOOP_JOINT, p.loop.joint1 = 0);
}

static void tendons(void **state) {
  (void)state;
  ACCEPTED(p.has_tendon = true, p.tendon.nwrap = 3);
  ACCEPTED(p.has_tendon = true, p.tendon.nterm = 1);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": has 0 joints and a path of 0 parts, must have one of them",
          p.has_tendon = true);
  REFUSED(CRD_ERR_ARGUMENT, 111, "tendon \"rope\": refers to joint 6, there are 2 (ids from 0)", p.has_tendon = true,
          p.tendon.nterm = 1, p.term_joint[0] = 6);
  REFUSED(CRD_ERR_NUMBER, 111, "tendon \"rope\": coef is inf, must be a finite number", p.has_tendon = true,
          p.tendon.nterm = 1, p.term_coef[0] = INFINITY);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": part 1 of its path is a geom, must be between two sites",
          p.has_tendon = true, p.tendon.nwrap = 2);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": its last branch has 1 sites, must have two", p.has_tendon = true,
          p.tendon.nwrap = 1);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": bends round plane \"\" (id 0), must be a sphere or cylinder",
          p.has_tendon = true, p.tendon.nwrap = 3, p.wrap[1].geom = 0);
  REFUSED(CRD_ERR_ARGUMENT, 111, "tendon \"rope\": refers to site 1, there are 1 (ids from 0)", p.has_tendon = true,
          p.tendon.nwrap = 3, p.wrap[1].site = 1);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": divisor is 0, must be positive", p.has_tendon = true,
          p.tendon.nwrap = 5, p.wrap[3].type = CRD_WRAP_PULLEY);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": stiffness is -1, must not be negative", p.has_tendon = true,
          p.tendon.nwrap = 3, p.tendon.stiffness = -1);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": frictionloss is -1, must not be negative", p.has_tendon = true,
          p.tendon.nwrap = 3, p.tendon.frictionloss = -1);
  REFUSED(CRD_ERR_MODEL, 111,
          "tendon \"rope\": armature is 1, must be 0 except for a weighted sum of one joint: it would couple the "
          "accelerations of several",
          p.has_tendon = true, p.tendon.nwrap = 3, p.tendon.armature = 1);
  REFUSED(CRD_ERR_MODEL, 111, "tendon \"rope\": springlength is 2 1, the first must not be larger", p.has_tendon = true,
          p.tendon.nwrap = 3, p.tendon.spring_length[0] = 2, p.tendon.spring_length[1] = 1);
}

static void actuators(void **state) {
  (void)state;
  REFUSED(CRD_ERR_ARGUMENT, 101, "actuator \"motor\": refers to joint 2, there are 2 (ids from 0)",
          p.actuator.joint = 2);
  REFUSED(CRD_ERR_ARGUMENT, 101, "actuator \"motor\": refers to tendon 0, there are 0 (ids from 0)",
          p.actuator.transmission = CRD_ON_TENDON, p.actuator.tendon = 0);
  REFUSED(CRD_ERR_ARGUMENT, 101, "actuator \"motor\": refers to site 5, there are 1 (ids from 0)",
          p.actuator.transmission = CRD_ON_SITE, p.actuator.site = 5);
  REFUSED(CRD_ERR_MODEL, 101, "actuator \"motor\": cranklength is 0, must be positive",
          p.actuator.transmission = CRD_ON_CRANK, p.actuator.site = p.actuator.reference = 0);
  REFUSED(CRD_ERR_NUMBER, 101, "actuator \"motor\": gear is nan, must be a finite number", p.actuator.gear[5] = NAN);
  REFUSED(CRD_ERR_MODEL, 101, "actuator \"motor\": ctrlrange is 0 0, the first must be smaller than the second",
          p.actuator.ctrl_limited = true);
  REFUSED(CRD_ERR_MODEL, 101, "actuator \"motor\": forcerange is 1 0, the first must be smaller than the second",
          p.actuator.force_limited = true, p.actuator.force_range[0] = 1);
  REFUSED(CRD_ERR_MODEL, 101, "actuator \"motor\": gain 0 and bias -5 on the length of ball joint \"wrist\", must be 0",
          p.second.type = CRD_BALL, p.actuator.joint = 1, p.actuator.bias[1] = -5);
}

static void keyframes(void **state) {
  (void)state;
  REFUSED(CRD_ERR_MODEL, 91, "key \"start\": qpos has 1 numbers, must have 2", p.nqpos = 1);
  REFUSED(CRD_ERR_MODEL, 91, "key \"start\": qvel has 1 numbers, must have 2", p.nqvel = 1);
  REFUSED(CRD_ERR_MODEL, 91, "key \"start\": ctrl has 2 numbers, must have 1", p.nctrl = 2);
  REFUSED(CRD_ERR_NUMBER, 91, "key \"start\": qvel is nan, must be a finite number", p.qvel[1] = NAN);
  REFUSED(CRD_ERR_NUMBER, 91, "key \"start\": time is inf, must be a finite number", p.key.time = INFINITY);
}

static void options(void **state) {
  (void)state;
  REFUSED(CRD_ERR_NUMBER, 0, "model \"machine\": gravity is nan, must be a finite number", p.options.gravity[1] = NAN);
  REFUSED(CRD_ERR_MODEL, 0, "model \"machine\": timestep is 0, must be positive", p.options.timestep = 0);
  REFUSED(CRD_ERR_MODEL, 0, "model \"machine\": restitution is 2, must lie in 0..1", p.options.restitution = 2);
  REFUSED(CRD_ERR_NUMBER, 0, "model \"machine\": restitution is nan, must lie in 0..1", p.options.restitution = NAN);
}

/* A mesh that claims more vertices than an int can index three times is refused before anything is copied. */
static void counts_that_would_overflow_are_refused(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  double vert[3] = {0};
  crd_mesh_def mesh = {.nvert = INT_MAX / 2, .vert = vert};
  assert_int_equal(crd_model_builder_mesh(builder, &mesh), CRD_ERR_CAPACITY);
  mesh.nvert = -1;
  assert_int_equal(crd_model_builder_mesh(builder, &mesh), 0); /* no vertices */
  crd_model_builder_free(builder);
}

static void a_failed_build_leaves_the_builder_usable(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  make_joint(builder, make_body(builder, "a", 0, 0, 0, 0), CRD_HINGE, 0, 0, 1);
  crd_build_options bad = crd_model_build_default();
  bad.timestep = -1;
  crd_model *model = NULL;
  assert_int_equal(crd_model_builder_build(builder, &bad, &model, NULL), CRD_ERR_MODEL);
  assert_null(model);
  model = make_model(builder, NULL);
  assert_int_equal(model->nv, 1);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_sound_mechanism_is_accepted),
      cmocka_unit_test(masses_and_inertias),
      cmocka_unit_test(bodies),
      cmocka_unit_test(joints),
      cmocka_unit_test(a_body_has_at_most_six_degrees_of_freedom),
      cmocka_unit_test(geoms),
      cmocka_unit_test(meshes),
      cmocka_unit_test(contact_pairs),
      cmocka_unit_test(loops),
      cmocka_unit_test(tendons),
      cmocka_unit_test(actuators),
      cmocka_unit_test(keyframes),
      cmocka_unit_test(options),
      cmocka_unit_test(counts_that_would_overflow_are_refused),
      cmocka_unit_test(a_failed_build_leaves_the_builder_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
