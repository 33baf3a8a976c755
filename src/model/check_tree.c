/* Rules for bodies and joints, one by one and together. */
#include "model/check.h"

static crd_status check_inertial(const crd_build *b, const crd_element *element, const crd_inertial *inertial) {
  CRD_TRY(crd_check_finite(b, element, "mass", &inertial->mass, 1));
  CRD_TRY(crd_check_finite(b, element, "inertia", inertial->inertia, 6));
  CRD_TRY(crd_check_finite(b, element, "inertial pos", inertial->pos, 3));
  return crd_check_direction(b, element, "inertial quat", inertial->quat, 4);
}

crd_status crd_check_bodies(const crd_build *b) {
  for (int i = 0; i < b->in->body.count; i++) {
    const crd_body_def *def = &b->body_def[i];
    crd_element element = crd_element_body(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->body.names));
    CRD_TRY(crd_check_finite(b, &element, "pos", def->pos, 3));
    CRD_TRY(crd_check_direction(b, &element, "quat", def->quat, 4));
    if (i > 0) CRD_TRY(crd_check_reference(b, &element, "parent body", def->parent, b->in->body.count));
    CRD_TRY(crd_check_finite(b, &element, "gravcomp", &def->gravcomp, 1));
    if (def->has_inertial) CRD_TRY(check_inertial(b, &element, &def->inertial));
  }
  return CRD_OK;
}

static crd_status check_limits(const crd_build *b, const crd_element *element, const crd_joint_def *def) {
  if (!def->limited || def->type == CRD_FREE) return CRD_OK;
  if (def->type == CRD_BALL && def->range[0] != 0)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "range[0] is %g, must be 0 for a ball joint", def->range[0]);
  return crd_check_range(b, element, "range", def->range);
}

static crd_status check_joint(const crd_build *b, const crd_element *element, const crd_joint_def *def) {
  if ((int)def->type < CRD_FREE || (int)def->type > CRD_HINGE)
    return crd_build_fail(b, CRD_ERR_ARGUMENT, element, "type is %d, must be one of crd_joint_type", (int)def->type);
  bool scalar = def->type == CRD_HINGE || def->type == CRD_SLIDE;
  CRD_TRY(crd_check_finite(b, element, "pos", def->pos, 3));
  if (scalar) CRD_TRY(crd_check_direction(b, element, "axis", def->axis, 3));
  CRD_TRY(crd_check_finite(b, element, "ref", &def->ref, 1));
  CRD_TRY(crd_check_finite(b, element, "springref", &def->springref, 1));
  CRD_TRY(crd_check_finite(b, element, "stiffness", &def->stiffness, 1));
  CRD_TRY(crd_check_finite(b, element, "damping", &def->damping, 1));
  CRD_TRY(crd_check_not_negative(b, element, "armature", &def->armature, 1));
  CRD_TRY(crd_check_not_negative(b, element, "frictionloss", &def->frictionloss, 1));
  CRD_TRY(crd_check_finite(b, element, "margin", &def->margin, 1));
  CRD_TRY(crd_check_finite(b, element, "restitution", &def->restitution, 1));
  CRD_TRY(crd_check_restitution(b, element, def->restitution));
  if (def->force_limited && scalar) CRD_TRY(crd_check_range(b, element, "actuatorfrcrange", def->force_range));
  return check_limits(b, element, def);
}

/* Freedom that the joints seen so far leave to the next one of the same body. */
typedef struct body_joints {
  int count, velocities;
  bool has_free, has_ball;
} body_joints;

/* A body has at most six velocities, a free joint stands alone in a child of the world, and nothing turns after a ball.
 */
static crd_status check_together(const crd_build *b, int id, body_joints *before) {
  const crd_joint_entry *joint = &b->joint_def[id];
  crd_element element = crd_element_joint(b, id);
  bool is_free = joint->def.type == CRD_FREE;
  const char *body = b->body_def[joint->body].name;
  if (is_free && b->body_def[joint->body].parent != 0)
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "free joint in body \"%s\" (id %d), must be in a child of the world", body, joint->body);
  if (before->has_free || (is_free && before->count > 0))
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "body \"%s\" (id %d) has a free joint, which must be its only one", body, joint->body);
  if (before->has_ball && (joint->def.type == CRD_BALL || joint->def.type == CRD_HINGE))
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "%s after a ball joint in body \"%s\" (id %d): no rotation may follow",
                          crd_model_joint_type_name(joint->def.type), body, joint->body);
  before->count++;
  before->velocities += crd_model_joint_nv(joint->def.type);
  before->has_free |= is_free;
  before->has_ball |= joint->def.type == CRD_BALL;
  if (before->velocities > 6)
    return crd_build_fail(b, CRD_ERR_MODEL, &element,
                          "body \"%s\" (id %d) has %d degrees of freedom, at most 6 are allowed", body, joint->body,
                          before->velocities);
  return CRD_OK;
}

crd_status crd_check_joints(crd_build *b) {
  body_joints *before = crd_arena_alloc(&b->scratch, (size_t)b->in->body.count, sizeof *before);
  if (!before) return crd_build_no_memory(b);
  for (int i = 0; i < b->in->joint.count; i++) {
    const crd_joint_entry *joint = &b->joint_def[i];
    crd_element element = crd_element_joint(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->joint.names));
    CRD_TRY(crd_check_reference(b, &element, "body", joint->body, b->in->body.count));
    if (joint->body == 0) return crd_build_fail(b, CRD_ERR_MODEL, &element, "is in the world, which must not move");
    CRD_TRY(check_joint(b, &element, &joint->def));
    CRD_TRY(check_together(b, i, &before[joint->body]));
  }
  return CRD_OK;
}
