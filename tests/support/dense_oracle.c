#include "support/dense_oracle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

typedef long double real;

static real *reals(size_t n) {
  real *x = calloc(n ? n : 1, sizeof *x);
  assert_non_null(x);
  return x;
}

static void rotation_of_quat(real R[9], const double quat[4]) {
  real n = 0, q[4];
  for (int i = 0; i < 4; i++) n += (real)quat[i] * quat[i];
  for (int i = 0; i < 4; i++) q[i] = quat[i] / sqrtl(n);
  real w = q[0], x = q[1], y = q[2], z = q[3];
  real m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
               2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
               2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, m, sizeof m);
}

/* Rodrigues' formula */
static void rotation_about(real R[9], const double axis[3], real angle) {
  real n = 0, a[3], c = cosl(angle), s = sinl(angle);
  for (int i = 0; i < 3; i++) n += (real)axis[i] * axis[i];
  for (int i = 0; i < 3; i++) a[i] = axis[i] / sqrtl(n);
  real cross[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) R[3 * i + j] = c * (i == j) + s * cross[3 * i + j] + (1 - c) * a[i] * a[j];
}

static void mul(real out[9], const real A[9], const real B[9]) {
  real C[9] = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) C[3 * i + j] += A[3 * i + k] * B[3 * k + j];
  memcpy(out, C, sizeof C);
}

static void apply(real out[3], const real R[9], const double x[3]) {
  for (int i = 0; i < 3; i++) out[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static void cross(real out[3], const real a[3], const real b[3]) {
  real c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  memcpy(out, c, sizeof c);
}

/* Applies joint j to the body pose (pos, R), the way MuJoCo's documentation states it; notes the axes of its
 * velocities. Body axes at the end are known only after later joints, so axes are stored in world coordinates at this
 * stage, which is the same thing. */
static void apply_joint(dense_oracle *o, const crd_joint *joint, const double *q, real pos[3], real R[9]) {
  real anchor[3], turn[9], after[3];
  const real identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (joint->type == CRD_FREE) {
    for (int i = 0; i < 3; i++) pos[i] = q[i];
    rotation_of_quat(R, q + 3);
    for (int i = 0; i < 3; i++) {
      o->angular[joint->v + 3 + i] = true;
      for (int k = 0; k < 3; k++) {
        o->axis[3 * (joint->v + i) + k] = identity[3 * k + i];
        o->axis[3 * (joint->v + 3 + i) + k] = R[3 * k + i];
        o->anchor[3 * (joint->v + 3 + i) + k] = pos[k];
      }
    }
    return;
  }
  apply(anchor, R, joint->pos);
  for (int i = 0; i < 3; i++) anchor[i] += pos[i];
  if (joint->type == CRD_SLIDE) {
    real direction[3];
    apply(direction, R, joint->axis);
    real shift = (real)q[0] - o->model->qpos0[joint->q];
    for (int i = 0; i < 3; i++) o->axis[3 * joint->v + i] = direction[i], pos[i] += shift * direction[i];
    return;
  }
  if (joint->type == CRD_HINGE) {
    apply(&o->axis[3 * joint->v], R, joint->axis);
    rotation_about(turn, joint->axis, (real)q[0] - o->model->qpos0[joint->q]);
  } else {
    rotation_of_quat(turn, q);
  }
  mul(R, R, turn);
  apply(after, R, joint->pos);
  for (int i = 0; i < 3; i++) pos[i] = anchor[i] - after[i];
  for (int v = 0; v < joint->nv; v++) {
    o->angular[joint->v + v] = true;
    for (int k = 0; k < 3; k++) {
      o->anchor[3 * (joint->v + v) + k] = anchor[k];
      if (joint->type == CRD_BALL) o->axis[3 * (joint->v + v) + k] = R[3 * k + v];
    }
  }
}

static void place_bodies(dense_oracle *o, const double *qpos) {
  const crd_model *model = o->model;
  o->body_R[0] = o->body_R[4] = o->body_R[8] = 1;
  for (int b = 1; b < model->nbody; b++) {
    const crd_body *body = &model->body[b];
    real *pos = &o->body_pos[3 * b], *R = &o->body_R[9 * b], own[9];
    apply(pos, &o->body_R[9 * body->parent], body->pos);
    for (int i = 0; i < 3; i++) pos[i] += o->body_pos[3 * body->parent + i];
    rotation_of_quat(own, body->quat);
    mul(R, &o->body_R[9 * body->parent], own);
    for (int j = body->first_joint; j < body->first_joint + body->njoint; j++)
      apply_joint(o, &model->joint[j], qpos + model->joint[j].q, pos, R);
  }
}

/* J (6 x nv) of a point that moves with the body: columns of all joints of the body and of those above it. */
static void point_jacobian(const dense_oracle *o, int body, const real point[3], real *J) {
  const crd_model *model = o->model;
  size_t n = (size_t)model->nv;
  memset(J, 0, 6 * n * sizeof *J);
  for (int b = body; b > 0; b = model->body[b].parent)
    for (int j = model->body[b].first_joint; j < model->body[b].first_joint + model->body[b].njoint; j++)
      for (int v = model->joint[j].v; v < model->joint[j].v + model->joint[j].nv; v++) {
        const real *axis = &o->axis[3 * v];
        real arm[3], linear[3];
        for (int i = 0; i < 3; i++) arm[i] = point[i] - o->anchor[3 * v + i];
        cross(linear, axis, arm);
        for (int i = 0; i < 3; i++) {
          J[n * (size_t)i + (size_t)v] = o->angular[v] ? axis[i] : 0;
          J[n * (size_t)(i + 3) + (size_t)v] = o->angular[v] ? linear[i] : axis[i];
        }
      }
}

void dense_oracle_jacobian(const dense_oracle *oracle, const crd_node *node, long double *J) {
  real point[3] = {node->point[0], node->point[1], node->point[2]};
  point_jacobian(oracle, node->body, point, J);
}

/* M += m Jv' Jv + Jw' R I R' Jw for one body */
static void add_body(dense_oracle *o, int b, real *J, real *IJ) {
  const crd_body *body = &o->model->body[b];
  int n = o->model->nv;
  real com[3], R[9], own[9];
  apply(com, &o->body_R[9 * b], body->ipos);
  for (int i = 0; i < 3; i++) com[i] += o->body_pos[3 * b + i];
  rotation_of_quat(own, body->iquat);
  mul(R, &o->body_R[9 * b], own);
  point_jacobian(o, b, com, J);
  for (int v = 0; v < n; v++)
    for (int i = 0; i < 3; i++) {
      IJ[n * (i + 3) + v] = body->mass * J[n * (i + 3) + v];
      IJ[n * i + v] = 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) IJ[n * i + v] += R[3 * i + k] * body->inertia[k] * R[3 * l + k] * J[n * l + v];
    }
  for (int i = 0; i < 6; i++)
    for (int v = 0; v < n; v++) {
      if (J[n * i + v] == 0) continue;
      for (int w = 0; w <= v; w++) o->M[n * v + w] += J[n * i + v] * IJ[n * i + w];
    }
}

dense_oracle dense_oracle_new(const crd_model *model, const double *qpos) {
  size_t n = (size_t)model->nv, nb = (size_t)model->nbody;
  dense_oracle o = {.model = model,
                    .body_pos = reals(3 * nb),
                    .body_R = reals(9 * nb),
                    .axis = reals(3 * n),
                    .anchor = reals(3 * n),
                    .angular = calloc(n + 1, sizeof(bool)),
                    .M = reals(n * n),
                    .L = reals(n * n)};
  real *J = reals(6 * n), *IJ = reals(6 * n);
  place_bodies(&o, qpos);
  for (int b = 1; b < model->nbody; b++) add_body(&o, b, J, IJ);
  for (size_t v = 0; v < n; v++) {
    o.M[n * v + v] += model->dof_armature[v];
    for (size_t w = 0; w < v; w++) o.M[n * w + v] = o.M[n * v + w];
  }
  for (size_t j = 0; j < n; j++)
    for (size_t i = j; i < n; i++) {
      real s = o.M[n * i + j];
      for (size_t k = 0; k < j; k++) s -= o.L[n * i + k] * o.L[n * j + k];
      assert_true(i != j || s > 0);
      o.L[n * i + j] = i == j ? sqrtl(s) : s / o.L[n * j + j];
    }
  free(J), free(IJ);
  return o;
}

void dense_oracle_solve(const dense_oracle *oracle, long double *x) {
  int n = oracle->model->nv;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= oracle->L[n * i + k] * x[k];
    x[i] /= oracle->L[n * i + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= oracle->L[n * k + i] * x[k];
    x[i] /= oracle->L[n * i + i];
  }
}

void dense_oracle_free(dense_oracle *oracle) {
  free(oracle->body_pos), free(oracle->body_R), free(oracle->axis), free(oracle->anchor), free(oracle->angular);
  free(oracle->M), free(oracle->L);
}
