/* States of a model and of its maximal form (crd_model_maximal), both ways. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/angle.h"
#include "model/maximal.h"

static crd_status numbers(const crd_model *model, int **body_of) {
  *body_of = malloc(sizeof **body_of * (size_t)model->nbody);
  if (!*body_of) return CRD_ERR_MEMORY;
  crd_maximal_number(model, *body_of);
  return CRD_OK;
}

/* The free joint of a body of the maximal model. */
static const crd_joint *free_joint(const crd_model *maximal, int body) {
  return &maximal->joint[maximal->body[body].first_joint];
}

crd_status crd_tree_to_maximal(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                               const crd_model *maximal, double *qpos_out, double *qvel_out) {
  int *body_of;
  crd_status status = numbers(model, &body_of);
  if (status != CRD_OK) return status;
  crd_tree_kinematics(model, work, qpos);
  crd_tree_velocity(model, work, qvel);
  for (int b = 1; b < model->nbody; b++) {
    if (model->body[b].njoint == 0) continue;
    const crd_joint *joint = free_joint(maximal, body_of[b]);
    double pos[3], R[9], V[6];
    crd_tree_body_pose(model, work, b, pos, R);
    crd_tree_point_velocity(model, work, b, pos, V);
    crd_vec3_copy(qpos_out + joint->q, pos);
    crd_quat_from_mat3(qpos_out + joint->q + 3, R);
    crd_vec3_copy(qvel_out + joint->v, V + 3);
    crd_mat3_tmul_vec(qvel_out + joint->v + 3, R, V);
  }
  free(body_of);
  return CRD_OK;
}

/* A body and its parent, in the maximal model. */
typedef struct couple {
  double pos[2][3], R[2][9], V[2][6]; /* parent, child; velocities at the joint's anchor */
  double anchor[3], axis[3];          /* of the child, world */
} couple;

static couple observe(const crd_model *model, const crd_model *maximal, const crd_workspace *work, int b,
                      const int *body_of) {
  const crd_joint *joint = &model->joint[model->body[b].first_joint];
  const int body[2] = {body_of[model->body[b].parent], body_of[b]};
  couple c;
  for (int k = 0; k < 2; k++) crd_tree_body_pose(maximal, work, body[k], c.pos[k], c.R[k]);
  crd_mat3_mul_vec(c.anchor, c.R[1], joint->pos);
  crd_vec3_add(c.anchor, c.anchor, c.pos[1]);
  crd_mat3_mul_vec(c.axis, c.R[1], joint->axis);
  for (int k = 0; k < 2; k++) crd_tree_point_velocity(maximal, work, body[k], c.anchor, c.V[k]);
  return c;
}

/* How the child stands to where it was drawn in its parent: rotation vector part as a quaternion, and the anchor's way
 * along the axis. */
static void relative_pose(const crd_body *body, const crd_joint *joint, const couple *c, double quat[4], double *way) {
  double drawn[9], back[9], turned[9], at[3], d[3];
  crd_quat_to_mat3(drawn, body->quat);
  crd_mat3_mul(turned, c->R[0], drawn); /* drawn axes in the world */
  crd_mat3_transpose(back, turned);
  crd_mat3_mul(back, back, c->R[1]);
  crd_quat_from_mat3(quat, back);
  /* the anchor as drawn, in the world */
  crd_mat3_mul_vec(at, drawn, joint->pos);
  crd_vec3_add(at, at, body->pos);
  crd_mat3_mul_vec(at, c->R[0], at);
  crd_vec3_add(at, at, c->pos[0]);
  crd_vec3_sub(d, c->anchor, at);
  *way = crd_vec3_dot(d, c->axis);
}

/* The angle nearest to `guess` that a turn by quat about the axis stands for. */
static double angle_about(const double axis[3], const double quat[4], double guess) {
  double angle = 2 * atan2(crd_vec3_dot(quat + 1, axis), quat[0]);
  return angle + CRD_TURN * round((guess - angle) / CRD_TURN);
}

static void read_joint(const crd_model *model, int b, const couple *c, double *qpos, double *qvel) {
  const crd_body *body = &model->body[b];
  const crd_joint *joint = &model->joint[body->first_joint];
  const crd_link *link = &model->link[body->first_joint];
  double quat[4], way, w[3], v[3];
  relative_pose(body, joint, c, quat, &way);
  crd_vec3_sub(w, c->V[1], c->V[0]);
  crd_vec3_sub(v, c->V[1] + 3, c->V[0] + 3);
  switch (joint->type) {
    case CRD_HINGE:
      qpos[joint->q] = link->ref + angle_about(joint->axis, quat, qpos[joint->q] - link->ref);
      qvel[joint->v] = crd_vec3_dot(c->axis, w);
      break;
    case CRD_SLIDE:
      qpos[joint->q] = link->ref + way;
      qvel[joint->v] = crd_vec3_dot(c->axis, v);
      break;
    default: memcpy(qpos + joint->q, quat, sizeof quat); crd_mat3_tmul_vec(qvel + joint->v, c->R[1], w);
  }
}

crd_status crd_tree_from_maximal(const crd_model *model, const crd_model *maximal, crd_workspace *work,
                                 const double *qpos_in, const double *qvel_in, double *qpos, double *qvel) {
  int *body_of;
  crd_status status = numbers(model, &body_of);
  if (status != CRD_OK) return status;
  crd_tree_kinematics(maximal, work, qpos_in);
  crd_tree_velocity(maximal, work, qvel_in);
  for (int b = 1; b < model->nbody; b++) {
    if (model->body[b].njoint == 0) continue;
    const crd_joint *joint = &model->joint[model->body[b].first_joint], *from = free_joint(maximal, body_of[b]);
    if (joint->type == CRD_FREE) {
      memcpy(qpos + joint->q, qpos_in + from->q, 7 * sizeof *qpos);
      memcpy(qvel + joint->v, qvel_in + from->v, 6 * sizeof *qvel);
      continue;
    }
    couple c = observe(model, maximal, work, b, body_of);
    read_joint(model, b, &c, qpos, qvel);
  }
  free(body_of);
  return CRD_OK;
}
