/* Joints become links, and qpos and qvel are numbered.
 *
 * A body's pose is T_parent T_body X_1 ... X_k with X_j = L_j J_j(q) L_j^-1, where L_j is the frame of joint j in the
 * body: origin at its anchor, z along its axis. Link j is the frame behind J_j, so link 1 hangs in the parent's link at
 * T L_1 (T: the body's drawn pose there), link j+1 in link j at L_j^-1 L_j+1, and the body in link k at L_k^-1. */
#include "base/layout.h"
#include "model/build.h"
#include "model/check.h"
#include "model/placement.h"

/* The frame of a joint in its body. */
static crd_pose joint_frame(const crd_joint *joint) {
  double quat[4] = {1, 0, 0, 0};
  if (joint->type == CRD_HINGE || joint->type == CRD_SLIDE) crd_quat_from_z_to(quat, joint->axis);
  return crd_pose_make(joint->pos, quat);
}

static void fill_joint(crd_build *b, int id, int body) {
  const crd_joint_def *def = &b->joint_def[b->joint_source[id]].def;
  crd_joint *joint = &b->joint[id];
  *joint = (crd_joint){.name = crd_build_text(b, def->name),
                       .type = def->type,
                       .body = body,
                       .q = b->model->nq,
                       .v = b->model->nv,
                       .nq = crd_model_joint_nq(def->type),
                       .nv = crd_model_joint_nv(def->type),
                       .axis = {0, 0, 1},
                       .stiffness = def->stiffness,
                       .frictionloss = def->frictionloss,
                       .damping = def->damping,
                       .armature = def->armature,
                       .range = {def->range[0], def->range[1]},
                       .margin = def->margin,
                       .restitution = def->restitution,
                       .force_range = {def->force_range[0], def->force_range[1]},
                       .limited = def->limited && def->type != CRD_FREE,
                       .force_limited = def->force_limited && crd_model_joint_nv(def->type) == 1};
  joint->carries_gravity = def->carries_gravity && joint->force_limited;
  b->model->carried = b->model->carried || joint->carries_gravity;
  if (def->type != CRD_FREE) crd_vec3_copy(joint->pos, def->pos);
  if (def->type == CRD_HINGE || def->type == CRD_SLIDE) {
    crd_vec3_copy(joint->axis, def->axis);
    crd_vec3_normalize(joint->axis);
  }
  b->model->nq += joint->nq;
  b->model->nv += joint->nv;
}

/* Link id, one of the joints of a body; *body_in_link enters as the body's drawn pose in the link before (parent) and
 * leaves as its pose in this one. */
static void fill_link(crd_build *b, int id, int parent, crd_pose *body_in_link) {
  const crd_joint *joint = &b->joint[id];
  const crd_joint_def *def = &b->joint_def[b->joint_source[id]].def;
  crd_link *link = &b->link[id];
  bool scalar = joint->type == CRD_HINGE || joint->type == CRD_SLIDE;
  *link = (crd_link){.type = joint->type,
                     .parent = parent,
                     .q = joint->q,
                     .v = joint->v,
                     .nv = joint->nv,
                     .body = joint->body,
                     .ref = scalar ? def->ref : 0};
  crd_pose placement = crd_pose_identity(), identity = placement;
  if (joint->type == CRD_FREE) {
    *body_in_link = identity; /* qpos is the body's pose in the world */
  } else {
    crd_pose frame = joint_frame(joint);
    placement = crd_pose_mul(body_in_link, &frame);
    *body_in_link = crd_pose_inv_mul(&frame, &identity);
  }
  for (int i = 0; i < 9; i++) link->R0[i] = placement.R[i];
  crd_vec3_copy(link->p0, placement.p);
}

static void fill_body(crd_build *b, int id, int *next_joint) {
  const crd_body_def *def = &b->body_def[b->body_source[id]];
  crd_body *body = &b->body[id];
  body->name = crd_build_text(b, def->name);
  body->parent = id == 0 ? -1 : b->body_id[def->parent];
  crd_vec3_copy(body->pos, def->pos);
  for (int i = 0; i < 4; i++) body->quat[i] = def->quat[i];
  crd_quat_normalize(body->quat);

  const crd_body *parent = id == 0 ? NULL : &b->body[body->parent];
  crd_pose pose = crd_pose_make(body->pos, body->quat);
  body->link = -1;
  if (parent) {
    crd_pose above = {.p = {parent->link_pos[0], parent->link_pos[1], parent->link_pos[2]}};
    for (int i = 0; i < 9; i++) above.R[i] = parent->link_R[i];
    pose = crd_pose_mul(&above, &pose);
    body->link = parent->link;
  }
  body->first_joint = *next_joint;
  while (*next_joint < b->model->njoint && b->joint_def[b->joint_source[*next_joint]].body == b->body_source[id]) {
    int joint = (*next_joint)++;
    fill_joint(b, joint, id);
    fill_link(b, joint, body->link, &pose);
    body->link = joint;
    body->njoint++;
  }
  body->gravcomp = def->gravcomp;
  if (body->gravcomp != 0 && body->link >= 0) b->model->compensated = true;
  body->weld = body->njoint > 0 || !parent ? id : parent->weld;
  crd_vec3_copy(body->link_pos, pose.p);
  for (int i = 0; i < 9; i++) body->link_R[i] = pose.R[i];
}

/* qpos0: where the mechanism was drawn; qpos_spring: where its springs are at rest. */
static void fill_coordinates(const crd_build *b, double *qpos0, double *qpos_spring) {
  for (int i = 0; i < b->model->njoint; i++) {
    const crd_joint *joint = &b->joint[i];
    const crd_joint_def *def = &b->joint_def[b->joint_source[i]].def;
    const crd_body *body = &b->body[joint->body];
    double *q = qpos0 + joint->q;
    switch (joint->type) {
      case CRD_FREE:
        crd_vec3_copy(q, body->pos);
        for (int k = 0; k < 4; k++) q[3 + k] = body->quat[k];
        break;
      case CRD_BALL: q[0] = 1, q[1] = q[2] = q[3] = 0; break;
      default: q[0] = def->ref;
    }
    for (int k = 0; k < joint->nq; k++) qpos_spring[joint->q + k] = q[k];
    if (joint->type == CRD_HINGE || joint->type == CRD_SLIDE) qpos_spring[joint->q] = def->springref;
  }
}

static crd_status fill_velocities(crd_build *b) {
  size_t nv = (size_t)b->model->nv;
  double *armature, *damping, *frictionloss;
  int *link_of, *parent;
  if (CRD_TAKE(b->arena, CRD_ARRAY(armature, nv), CRD_ARRAY(damping, nv), CRD_ARRAY(frictionloss, nv),
               CRD_ARRAY(link_of, nv), CRD_ARRAY(parent, nv)))
    return crd_build_no_memory(b);
  for (int i = 0; i < b->model->njoint; i++) {
    const crd_joint *joint = &b->joint[i];
    int above = b->link[i].parent;
    for (int v = joint->v; v < joint->v + joint->nv; v++) {
      armature[v] = joint->armature, damping[v] = joint->damping, frictionloss[v] = joint->frictionloss;
      link_of[v] = i;
      parent[v] = v > joint->v ? v - 1 : above < 0 ? -1 : b->link[above].v + b->link[above].nv - 1;
    }
  }
  for (int t = 0; t < b->in->tendon.count; t++) { /* of one joint: 1/2 a (c q')^2 */
    const crd_tendon_def *def = &b->tendon_def[t];
    if (def->armature > 0)
      armature[b->joint[b->joint_id[def->term_joint[0]]].v] += def->armature * def->term_coef[0] * def->term_coef[0];
  }
  b->model->dof_armature = armature, b->model->dof_damping = damping, b->model->dof_frictionloss = frictionloss;
  b->model->dof_link = link_of, b->model->dof_parent = parent;
  return CRD_OK;
}

crd_status crd_build_tree(crd_build *b) {
  crd_model *model = b->model;
  if (CRD_TAKE(b->arena, CRD_ARRAY(b->joint, model->njoint), CRD_ARRAY(b->link, model->njoint)))
    return crd_build_no_memory(b);
  model->joint = b->joint;
  model->link = b->link;
  model->nlink = model->njoint;
  for (int i = 0, next_joint = 0; i < model->nbody; i++) {
    crd_element element = crd_element_body(b, b->body_source[i]);
    fill_body(b, i, &next_joint);
    /* Finite distances may add up to infinite ones. */
    CRD_TRY(crd_check_finite(b, &element, "sum of distances", b->body[i].link_pos, 3));
    for (int k = 0; k < b->body[i].njoint; k++)
      CRD_TRY(crd_check_finite(b, &element, "sum of distances", b->link[b->body[i].first_joint + k].p0, 3));
  }

  double *qpos0, *qpos_spring;
  if (CRD_TAKE(b->arena, CRD_ARRAY(qpos0, model->nq), CRD_ARRAY(qpos_spring, model->nq))) return crd_build_no_memory(b);
  fill_coordinates(b, qpos0, qpos_spring);
  model->qpos0 = qpos0;
  model->qpos_spring = qpos_spring;
  return fill_velocities(b);
}
