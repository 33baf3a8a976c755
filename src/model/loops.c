/* Loop closures. Data that a connect or a weld does not state come from the position in which the mechanism was drawn.
 * */
#include <string.h>

#include "model/build.h"
#include "model/check.h"
#include "model/placement.h"

/* Poses of the bodies in the world as the mechanism was drawn (qpos0), where all joints are at their zero. */
static crd_pose *drawn_poses(crd_build *b) {
  crd_pose *pose = crd_arena_alloc(&b->scratch, (size_t)b->model->nbody, sizeof *pose);
  if (!pose) return NULL;
  for (int i = 0; i < b->model->nbody; i++) {
    crd_pose own = crd_pose_make(b->body[i].pos, b->body[i].quat);
    pose[i] = i == 0 ? own : crd_pose_mul(&pose[b->body[i].parent], &own);
  }
  return pose;
}

/* connect: the anchor of body1, seen from body2 in the drawn position. */
static void fill_connect(crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  crd_vec3_copy(loop->anchor1, def->anchor1);
  crd_vec3_copy(loop->anchor2, def->anchor2);
  if (!def->at_qpos0) return;
  crd_pose body1 = crd_pose_inv_mul(&pose[loop->body2], &pose[loop->body1]);
  crd_mat3_mul_vec(loop->anchor2, body1.R, def->anchor1);
  crd_vec3_add(loop->anchor2, loop->anchor2, body1.p);
}

/* weld: anchor2 belongs to body2 and anchor1 is the same point in body1. As in MuJoCo, a relpos that was given says
 * where anchor2 lies in body1. */
static void fill_weld(crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  double turned[3];
  crd_vec3_copy(loop->anchor2, def->anchor2);
  if (def->at_qpos0) {
    crd_pose body2 = crd_pose_inv_mul(&pose[loop->body1], &pose[loop->body2]);
    crd_vec3_copy(loop->relpos, body2.p);
    crd_quat_from_mat3(loop->relquat, body2.R);
    crd_mat3_mul_vec(turned, body2.R, def->anchor2);
    crd_vec3_add(loop->anchor1, loop->relpos, turned);
  } else {
    for (int i = 0; i < 4; i++) loop->relquat[i] = def->relquat[i];
    crd_quat_normalize(loop->relquat);
    crd_vec3_copy(loop->anchor1, def->relpos);
    crd_quat_rotate(turned, loop->relquat, def->anchor2);
    crd_vec3_sub(loop->relpos, loop->anchor1, turned);
  }
}

/* hinge and slide: a connect with an axis and the orientation of body2 in body1. */
static void fill_guided(crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  double back[4];
  fill_connect(loop, def, pose);
  crd_vec3_copy(loop->axis1, def->axis);
  crd_vec3_normalize(loop->axis1);
  for (int i = 0; i < 4; i++) loop->relquat[i] = def->relquat[i];
  crd_quat_normalize(loop->relquat);
  if (def->at_qpos0) {
    crd_pose body2 = crd_pose_inv_mul(&pose[loop->body1], &pose[loop->body2]);
    crd_quat_from_mat3(loop->relquat, body2.R);
  }
  for (int i = 0; i < 4; i++) back[i] = i == 0 ? loop->relquat[0] : -loop->relquat[i];
  crd_quat_rotate(loop->axis2, back, loop->axis1);
}

static int rows_of(crd_loop_type type) {
  switch (type) {
    case CRD_LOOP_CONNECT: return 3;
    case CRD_LOOP_WELD: return 6;
    case CRD_LOOP_JOINT:
    case CRD_LOOP_TENDON: return 1;
    default: return 5;
  }
}

static crd_loop empty_loop(crd_build *b, const crd_loop_def *def) {
  return (crd_loop){.name = crd_build_text(b, def->name),
                    .type = def->type,
                    .active = def->active,
                    .body1 = -1,
                    .body2 = -1,
                    .joint1 = -1,
                    .joint2 = -1,
                    .tendon1 = -1,
                    .tendon2 = -1,
                    .rows = rows_of(def->type),
                    .relquat = {1, 0, 0, 0}};
}

/* Couples positions of joints, or lengths of tendons. */
static void fill_coupling(const crd_build *b, crd_loop *loop, const crd_loop_def *def) {
  if (def->type == CRD_LOOP_JOINT) {
    loop->joint1 = b->joint_id[def->joint1];
    loop->joint2 = def->joint2 < 0 ? -1 : b->joint_id[def->joint2];
  } else {
    loop->tendon1 = def->tendon1, loop->tendon2 = def->tendon2;
  }
  memcpy(loop->polycoef, def->polycoef, sizeof loop->polycoef);
}

static void fill_bodies(const crd_build *b, crd_loop *loop, const crd_loop_def *def, const crd_pose *pose) {
  loop->body1 = b->body_id[def->body1], loop->body2 = b->body_id[def->body2];
  if (def->type == CRD_LOOP_WELD)
    fill_weld(loop, def, pose);
  else if (def->type == CRD_LOOP_CONNECT)
    fill_connect(loop, def, pose);
  else
    fill_guided(loop, def, pose);
}

crd_status crd_build_loops(crd_build *b) {
  crd_loop *loop = crd_arena_alloc(b->arena, (size_t)b->model->nloop, sizeof *loop);
  crd_pose *pose = drawn_poses(b);
  if (!loop || !pose) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nloop; i++) {
    const crd_loop_def *def = &b->loop_def[i];
    const crd_element element = crd_element_loop(b, i);
    loop[i] = empty_loop(b, def);
    if (def->type == CRD_LOOP_JOINT || def->type == CRD_LOOP_TENDON) {
      fill_coupling(b, &loop[i], def);
      continue;
    }
    fill_bodies(b, &loop[i], def, pose);
    CRD_TRY(crd_check_finite(b, &element, "anchor", loop[i].anchor1, 3));
    CRD_TRY(crd_check_finite(b, &element, "anchor", loop[i].anchor2, 3));
    CRD_TRY(crd_check_finite(b, &element, "relpose", loop[i].relpos, 3));
  }
  b->model->loop = loop;
  return CRD_OK;
}
