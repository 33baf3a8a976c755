/* Whatever the definitions say, the build answers with a status and a message, or with a model whose numbers are all
 * finite. */
#include <cradle/model.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

/* Mostly harmless numbers, now and then one that breaks a rule or overflows. */
static double number(random_stream *s) {
  static const double bad[] = {0,        -1,      NAN,   INFINITY, -INFINITY, DBL_MAX,
                               -DBL_MAX, DBL_MIN, 1e200, 1e-200,   1e155,     1e100};
  if (random_int(s, 0, 60) > 0) return random_in(s, 0.1, 1);
  return bad[random_int(s, 0, (int)(sizeof bad / sizeof *bad) - 1)];
}

static void numbers(random_stream *s, double *x, int n) {
  for (int i = 0; i < n; i++) x[i] = number(s);
}

/* An id in 0..n-1, now and then one outside. */
static int id(random_stream *s, int n) {
  return random_int(s, 0, 60) > 0 ? random_int(s, 0, n - 1) : random_int(s, -3, n + 3);
}

static bool flag(random_stream *s) { return random_int(s, 0, 3) == 0; }

static const char *name(random_stream *s, char text[8]) {
  memcpy(text, "n00", 4);
  text[1] = (char)('a' + random_int(s, 0, 25)), text[2] = (char)('a' + random_int(s, 0, 25));
  return flag(s) ? NULL : text;
}

static void add_tree(crd_builder *builder, random_stream *s, int nbody) {
  char text[8];
  for (int i = 1; i < nbody; i++) {
    crd_body_def body = crd_model_body_default();
    body.name = name(s, text);
    body.parent = random_int(s, 0, 200) > 0 ? random_int(s, 0, i - 1) : random_int(s, -1, nbody);
    numbers(s, body.pos, 3);
    numbers(s, body.quat, 4);
    body.has_inertial = !flag(s);
    body.inertial.mass = number(s);
    numbers(s, body.inertial.pos, 3);
    numbers(s, body.inertial.inertia, 3);
    crd_model_builder_body(builder, &body);
    crd_joint_def joint = crd_model_joint_default();
    joint.name = name(s, text);
    joint.type = (crd_joint_type)(body.parent == 0 ? id(s, 4) : random_int(s, CRD_BALL, CRD_HINGE));
    numbers(s, joint.pos, 3);
    numbers(s, joint.axis, 3);
    joint.ref = number(s), joint.armature = number(s), joint.damping = number(s);
    joint.limited = flag(s) && flag(s);
    numbers(s, joint.range, 2);
    crd_model_builder_joint(builder, id(s, i + 1), &joint);
  }
}

static void add_geoms(crd_builder *builder, random_stream *s, int nbody) {
  char text[8];
  double vert[15];
  int face[12];
  numbers(s, vert, 15);
  for (int i = 0; i < 12; i++) face[i] = id(s, 5);
  crd_mesh_def mesh = {.nvert = 5, .nface = flag(s) ? 4 : 0, .vert = vert, .face = face};
  crd_model_builder_mesh(builder, &mesh);
  for (int i = 0; i < 4; i++) {
    crd_geom_def geom = crd_model_geom_default();
    geom.name = name(s, text);
    geom.type = (crd_geom_type)random_int(s, CRD_SPHERE, CRD_MESH);
    numbers(s, geom.size, 3);
    numbers(s, geom.pos, 3);
    numbers(s, geom.quat, 4);
    geom.mesh = id(s, 1);
    geom.has_mass = flag(s);
    geom.mass = number(s), geom.density = number(s);
    crd_model_builder_geom(builder, id(s, nbody), &geom);
  }
}

static void add_rest(crd_builder *builder, random_stream *s, int nbody) {
  crd_loop_def loop = crd_model_loop_default();
  loop.type = (crd_loop_type)id(s, 5);
  loop.body1 = id(s, nbody), loop.body2 = id(s, nbody), loop.at_qpos0 = flag(s);
  loop.joint1 = id(s, nbody - 1), loop.joint2 = id(s, nbody - 1);
  numbers(s, loop.anchor1, 3);
  numbers(s, loop.relquat, 4);
  if (flag(s)) crd_model_builder_loop(builder, &loop);
  crd_actuator_def motor = crd_model_actuator_default();
  motor.joint = id(s, nbody - 1);
  numbers(s, motor.gear, 6);
  if (flag(s)) crd_model_builder_actuator(builder, &motor);
  crd_pair_def pair = crd_model_pair_default();
  pair.geom1 = id(s, 4), pair.geom2 = id(s, 4);
  if (flag(s)) crd_model_builder_pair(builder, &pair);
  if (flag(s)) crd_model_builder_exclude(builder, id(s, nbody), id(s, nbody));
  double qpos[40];
  numbers(s, qpos, 40);
  crd_key_def key = {.name = "k", .qpos = qpos};
  if (flag(s)) crd_model_builder_key(builder, &key, random_int(s, 0, 40), 0, 0, 0);
}

static void check_finite(const double *x, int n) {
  for (int i = 0; i < n; i++) assert_true(isfinite(x[i]));
}

static void check_model(const crd_model *model) {
  assert_true(isfinite(model->mass));
  check_finite(model->qpos0, model->nq);
  for (int i = 0; i < model->nlink; i++) {
    const crd_link *link = &model->link[i];
    assert_true(link->parent < i);
    check_finite(&link->mass, 1);
    check_finite(link->com, 3);
    check_finite(link->inertia, 6);
    check_finite(link->R0, 9);
    check_finite(link->p0, 3);
  }
  for (int i = 0; i < model->nbody; i++) {
    check_finite(model->body[i].link_pos, 3);
    check_finite(model->body[i].inertia, 3);
  }
  for (int i = 0; i < model->ngeom; i++) {
    check_finite(model->geom[i].link_pos, 3);
    check_finite(&model->geom[i].radius, 1);
  }
  for (int i = 0; i < model->nloop; i++) {
    check_finite(model->loop[i].anchor1, 3);
    check_finite(model->loop[i].anchor2, 3);
    check_finite(model->loop[i].relpos, 3);
  }
}

static void no_definition_breaks_the_build(void **state) {
  (void)state;
  int built = 0, total = 3000;
  for (int k = 0; k < total; k++) {
    random_stream s = {.seed = 5000 + (uint64_t)k};
    crd_builder *builder = crd_model_builder_new();
    int nbody = random_int(&s, 2, 6);
    add_tree(builder, &s, nbody);
    if (flag(&s)) add_geoms(builder, &s, nbody);
    add_rest(builder, &s, nbody);
    crd_build_options options = crd_model_build_default();
    options.balance_inertia = true;
    options.mujoco_rounding = flag(&s);
    options.inertia_source = (crd_inertia_source)random_int(&s, 0, 2);
    crd_model *model;
    crd_error err = {0};
    crd_status status = crd_model_builder_build(builder, &options, &model, &err);
    if (status == CRD_OK) {
      check_model(model);
      built++;
    } else {
      assert_true(status < 0 && err.status == status && err.text[0]);
      assert_null(model);
    }
    crd_model_free(model);
    crd_model_builder_free(builder);
  }
  assert_true(built > total / 50 && built < total); /* both ways are tried */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_definition_breaks_the_build)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
