/* Poses as (R, p): the child frame in the parent frame. */
#ifndef CRADLE_MODEL_PLACEMENT_H
#define CRADLE_MODEL_PLACEMENT_H

#include <cradle/linalg.h>

typedef struct crd_pose {
  double R[9], p[3];
} crd_pose;

static inline crd_pose crd_pose_identity(void) {
  crd_pose pose = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
  return pose;
}

/* quat need not be normalised */
static inline crd_pose crd_pose_make(const double p[3], const double quat[4]) {
  crd_pose pose;
  double unit[4] = {quat[0], quat[1], quat[2], quat[3]};
  crd_quat_normalize(unit);
  crd_quat_to_mat3(pose.R, unit);
  crd_vec3_copy(pose.p, p);
  return pose;
}

/* A B */
static inline crd_pose crd_pose_mul(const crd_pose *A, const crd_pose *B) {
  crd_pose C;
  crd_mat3_mul(C.R, A->R, B->R);
  crd_mat3_mul_vec(C.p, A->R, B->p);
  crd_vec3_add(C.p, C.p, A->p);
  return C;
}

/* A^-1 B */
static inline crd_pose crd_pose_inv_mul(const crd_pose *A, const crd_pose *B) {
  crd_pose C;
  double d[3];
  crd_vec3_sub(d, B->p, A->p);
  crd_mat3_tmul(C.R, A->R, B->R);
  crd_mat3_tmul_vec(C.p, A->R, d);
  return C;
}

#endif
