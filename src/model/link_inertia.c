/* Bodies that move together are one inertia: each body's mass properties, seen from the frame of the link it moves
 * with, are summed there. A link that carries a body must then have mass and inertia, or, where massless bodies are
 * allowed, everything that its joint moves must have them together. */
#include "model/build.h"
#include "model/check.h"
#include "model/rounding.h"

#include <math.h>

static crd_status check_moving(const crd_build *b, int link, const crd_massprops *sum) {
  crd_element element = crd_element_body(b, b->body_source[b->link[link].body]);
  if (sum->mass < CRD_LEAST_MASS)
    return crd_build_fail(b, CRD_ERR_MODEL, &element, "mass is %g, must be positive because the body moves (%s joint)",
                          sum->mass, crd_model_joint_type_name(b->link[link].type));
  double moment[3], quat[4];
  crd_sym3_eigen(moment, quat, sum->inertia);
  if (moment[2] < CRD_LEAST_MASS)
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "principal inertia is %g, must be positive because the body moves (%s joint)", moment[2],
                          crd_model_joint_type_name(b->link[link].type));
  return CRD_OK;
}

/* What joint i moves, drawn as a rigid body at joint coordinate 0, resists the joint. Necessary for a regular mass
 * matrix there: it is the diagonal entry of M. */
static crd_status check_carried(crd_build *b, const crd_massprops *sum) {
  int n = b->model->nlink;
  crd_massprops *carried = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *carried);
  if (!carried) return crd_build_no_memory(b);
  for (int i = n - 1; i >= 0; i--) {
    const crd_link *link = &b->link[i];
    crd_massprops_add(&carried[i], &sum[i]);
    double about_joint[6], moment[3], quat[4];
    crd_massprops_about_origin(about_joint, &carried[i]);
    crd_sym3_eigen(moment, quat, link->type == CRD_FREE ? carried[i].inertia : about_joint);
    double turning = link->type == CRD_HINGE ? about_joint[2] : moment[2];
    if (carried[i].mass < CRD_LEAST_MASS || (link->type != CRD_SLIDE && turning < CRD_LEAST_MASS)) {
      crd_element element = crd_element_body(b, b->body_source[link->body]);
      return crd_build_fail(b, CRD_ERR_MODEL, &element,
                            "what its %s joint moves has mass %g and inertia %g, both must be positive",
                            crd_model_joint_type_name(link->type), carried[i].mass, turning);
    }
    if (link->parent < 0) continue;
    crd_massprops piece = crd_massprops_place(&carried[i], link->R0, link->p0);
    crd_massprops_add(&carried[link->parent], &piece);
  }
  return CRD_OK;
}

/* Adds body i to the sum of its link. The sum is seen from the body that owns the link's joint: MuJoCo, when it merges
 * bodies, works in those axes, and its rounding depends on them. */
static void add_body(const crd_build *b, int i, crd_massprops *sum) {
  const crd_body *body = &b->body[i], *owner = &b->body[b->link[body->link].body];
  if (body == owner) {
    crd_massprops_add(sum, &b->body_props[i]);
    return;
  }
  double R[9], p[3];
  crd_mat3_tmul(R, owner->link_R, body->link_R);
  crd_vec3_sub(p, body->link_pos, owner->link_pos);
  crd_mat3_tmul_vec(p, owner->link_R, p);
  crd_massprops piece = crd_massprops_place(&b->body_props[i], R, p);
  crd_massprops_add(sum, &piece);
  if (b->options->mujoco_rounding && b->options->mujoco_fusing && piece.mass >= CRD_LEAST_MASS)
    crd_round_inertia(sum->inertia);
}

crd_status crd_build_link_inertia(crd_build *b) {
  int n = b->model->nlink;
  crd_massprops *sum = crd_arena_alloc(&b->scratch, (size_t)n, sizeof *sum);
  if (!sum) return crd_build_no_memory(b);
  for (int i = 1; i < b->model->nbody; i++) {
    const crd_body *body = &b->body[i];
    if (body->link < 0) {
      if (b->options->allow_static_root || body->mass > 0) continue;
      crd_element element = crd_element_body(b, b->body_source[i]);
      return crd_build_fail(b, CRD_ERR_MODEL, &element, "mass is %g, must be positive", body->mass);
    }
    add_body(b, i, &sum[body->link]);
  }
  for (int i = 0; i < n; i++) {
    const crd_body *owner = &b->body[b->link[i].body];
    if (i == owner->link) sum[i] = crd_massprops_place(&sum[i], owner->link_R, owner->link_pos);
  }
  if (b->options->allow_massless) CRD_TRY(check_carried(b, sum));
  for (int i = 0; i < n; i++) {
    crd_link *link = &b->link[i];
    const crd_body *body = &b->body[link->body];
    if (i == body->link && !b->options->allow_massless) CRD_TRY(check_moving(b, i, &sum[i]));
    link->mass = sum[i].mass;
    crd_vec3_copy(link->com, sum[i].com);
    crd_massprops_about_origin(link->inertia, &sum[i]);
    crd_element element = crd_element_body(b, b->body_source[link->body]);
    CRD_TRY(crd_check_finite(b, &element, "inertia about its joint", link->inertia, 6));
  }
  return CRD_OK;
}
