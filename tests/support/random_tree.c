#include "support/random_tree.h"

#include <math.h>
#include <stdlib.h>

#include "support/cmocka_all.h"

double random_in(random_stream *stream, double low, double high) {
  return low + (high - low) * crd_random_uniform(stream->seed, 0, stream->next++);
}

int random_int(random_stream *stream, int low, int high) {
  return low + (int)((high - low + 1) * crd_random_uniform(stream->seed, 0, stream->next++));
}

void random_unit_quat(random_stream *stream, double quat[4]) {
  double norm = 0;
  for (int i = 0; i < 4; i++) {
    quat[i] = crd_random_normal(stream->seed, 1, stream->next++);
    norm += quat[i] * quat[i];
  }
  for (int i = 0; i < 4; i++) quat[i] /= sqrt(norm);
}

void random_vector(random_stream *stream, int n, double *x) {
  for (int i = 0; i < n; i++) x[i] = random_in(stream, -1, 1);
}

static crd_body_def random_body(random_stream *stream, int parent) {
  crd_body_def body = crd_model_body_default();
  body.parent = parent;
  for (int i = 0; i < 3; i++) body.pos[i] = random_in(stream, -0.5, 0.5);
  random_unit_quat(stream, body.quat);
  body.has_inertial = true;
  body.inertial.mass = random_in(stream, 0.5, 2);
  for (int i = 0; i < 3; i++) body.inertial.pos[i] = random_in(stream, -0.2, 0.2);
  random_unit_quat(stream, body.inertial.quat);
  /* principal moments from second moments along the axes: the triangle inequality holds */
  double second[3];
  for (int i = 0; i < 3; i++) second[i] = random_in(stream, 0.01, 0.1);
  for (int i = 0; i < 3; i++) body.inertial.inertia[i] = second[(i + 1) % 3] + second[(i + 2) % 3];
  return body;
}

static void add_joint(crd_builder *builder, random_stream *stream, int body, crd_joint_type type, bool armature) {
  crd_joint_def joint = crd_model_joint_default();
  joint.type = type;
  for (int i = 0; i < 3; i++) joint.pos[i] = random_in(stream, -0.3, 0.3);
  do random_vector(stream, 3, joint.axis);
  while (max_abs(joint.axis, 3) < 0.1);
  if (type == CRD_HINGE || type == CRD_SLIDE) joint.ref = random_in(stream, -0.5, 0.5);
  if (armature) joint.armature = random_in(stream, 0, 0.2);
  assert_true(crd_model_builder_joint(builder, body, &joint) >= 0);
}

/* Drawn from a stream of its own, so that the mechanism is the same with and without geoms. */
static void add_geom(crd_builder *builder, uint64_t seed, int body) {
  random_stream stream = {.seed = seed + 1000 * (uint64_t)body};
  crd_geom_def geom = crd_model_geom_default();
  geom.type = random_int(&stream, 0, 1) ? CRD_SPHERE : CRD_CAPSULE;
  for (int i = 0; i < 3; i++) geom.size[i] = random_in(&stream, 0.05, 0.2), geom.pos[i] = random_in(&stream, -0.2, 0.2);
  random_unit_quat(&stream, geom.quat);
  assert_true(crd_model_builder_geom(builder, body, &geom) >= 0);
}

crd_model *random_tree(uint64_t seed, random_tree_options options) {
  random_stream stream = {.seed = seed};
  crd_builder *builder = crd_model_builder_new();
  assert_non_null(builder);
  for (int b = 1; b <= options.nbody; b++) {
    bool branch = random_in(&stream, 0, 1) < options.branching;
    int parent = branch ? random_int(&stream, 0, b - 1) : b - 1;
    crd_body_def def = random_body(&stream, parent);
    int body = crd_model_builder_body(builder, &def);
    assert_int_equal(body, b);
    if (options.geoms) add_geom(builder, seed, body);
    if (options.hinges_only) {
      add_joint(builder, &stream, body, CRD_HINGE, options.armature);
      continue;
    }
    if (parent == 0 && random_int(&stream, 0, 1)) {
      add_joint(builder, &stream, body, CRD_FREE, options.armature);
      continue;
    }
    switch (random_int(&stream, 0, 5)) {
      case 0: break; /* welded */
      case 1: add_joint(builder, &stream, body, CRD_BALL, options.armature); break;
      case 2: add_joint(builder, &stream, body, CRD_SLIDE, options.armature); break;
      case 3: /* several joints on one body */
        add_joint(builder, &stream, body, CRD_SLIDE, options.armature);
        add_joint(builder, &stream, body, CRD_HINGE, options.armature);
        add_joint(builder, &stream, body, CRD_HINGE, options.armature);
        break;
      default: add_joint(builder, &stream, body, CRD_HINGE, options.armature); break;
    }
  }
  crd_build_options build = crd_model_build_default();
  crd_model *model = NULL;
  crd_error err = {0};
  if (crd_model_builder_build(builder, &build, &model, &err) != CRD_OK) fail_msg("random tree: %s", err.text);
  crd_model_builder_free(builder);
  return model;
}

void random_state(const crd_model *model, random_stream *stream, double *qpos, double *qvel) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    double *q = qpos + joint->q;
    if (joint->type == CRD_HINGE || joint->type == CRD_SLIDE) {
      q[0] = random_in(stream, -2, 2);
    } else {
      if (joint->type == CRD_FREE) random_vector(stream, 3, q);
      random_unit_quat(stream, joint->type == CRD_FREE ? q + 3 : q);
    }
  }
  random_vector(stream, model->nv, qvel);
}

double max_abs(const double *x, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
  return largest;
}

double max_difference(const double *x, const double *y, int n) {
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i] - y[i]));
  return largest;
}

double *new_vector(int n) {
  double *x = calloc((size_t)(n > 0 ? n : 1), sizeof *x);
  assert_non_null(x);
  return x;
}
