/* Rules for loops, actuators and keyframes. */
#include "model/check.h"

/* A reference to a joint with one coordinate. */
static crd_status check_scalar_joint(const crd_build *b, const crd_element *element, int id) {
  CRD_TRY(crd_check_reference(b, element, "joint", id, b->in->joint.count));
  const crd_joint_def *joint = &b->joint_def[id].def;
  if (crd_joint_nv(joint->type) == 1) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "joint \"%s\" (id %d) is a %s joint, must be hinge or slide",
                        joint->name, id, crd_joint_type_name(joint->type));
}

static crd_status check_joint_loop(const crd_build *b, const crd_element *element, const crd_loop_def *def) {
  CRD_TRY(check_scalar_joint(b, element, def->joint1));
  if (def->joint2 != -1) CRD_TRY(check_scalar_joint(b, element, def->joint2));
  if (def->joint1 == def->joint2)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "both joints are joint %d, must be two", def->joint1);
  return crd_check_finite(b, element, "polycoef", def->polycoef, 5);
}

static crd_status check_body_loop(const crd_build *b, const crd_element *element, const crd_loop_def *def) {
  CRD_TRY(crd_check_reference(b, element, "body", def->body1, b->in->body.count));
  CRD_TRY(crd_check_reference(b, element, "body", def->body2, b->in->body.count));
  if (def->body1 == def->body2)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "both bodies are body %d, must be two", def->body1);
  bool weld = def->type == CRD_LOOP_WELD;
  if (!weld) CRD_TRY(crd_check_finite(b, element, "anchor", def->anchor1, 3));
  if (weld || !def->at_qpos0) CRD_TRY(crd_check_finite(b, element, "anchor", def->anchor2, 3));
  if (weld && !def->at_qpos0) {
    CRD_TRY(crd_check_finite(b, element, "relpose", def->relpos, 3));
    CRD_TRY(crd_check_direction(b, element, "relpose quat", def->relquat, 4));
  }
  return CRD_OK;
}

crd_status crd_check_loops(const crd_build *b) {
  for (int i = 0; i < b->in->loop.count; i++) {
    const crd_loop_def *def = &b->loop_def[i];
    crd_element element = crd_element_loop(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->loop.names));
    switch (def->type) {
      case CRD_LOOP_CONNECT:
      case CRD_LOOP_WELD: CRD_TRY(check_body_loop(b, &element, def)); break;
      case CRD_LOOP_JOINT: CRD_TRY(check_joint_loop(b, &element, def)); break;
      default:
        return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "type is %d, must be one of crd_loop_type",
                              (int)def->type);
    }
  }
  return CRD_OK;
}

/* A weighted sum of joints: at least one, each with one coordinate. */
static crd_status check_terms(const crd_build *b, const crd_element *element, const crd_actuator_def *def) {
  if (def->nterm < 1)
    return crd_build_fail(b, CRD_ERR_ARGUMENT, element,
                          "acts on joint %d and %d weighted joints, must act on something", def->joint, def->nterm);
  for (int k = 0; k < def->nterm; k++) CRD_TRY(check_scalar_joint(b, element, def->term_joint[k]));
  return crd_check_finite(b, element, "coef", def->term_coef, def->nterm);
}

/* The length of a transmission through a ball or free joint is not defined, so that no force may depend on it. */
static crd_status check_length_use(const crd_build *b, const crd_element *element, const crd_actuator_def *def) {
  const crd_joint_def *joint = &b->joint_def[def->joint].def;
  if (crd_joint_nv(joint->type) == 1 || (def->gain[1] == 0 && def->bias[1] == 0)) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "gain %g and bias %g on the length of %s joint \"%s\", must be 0",
                        def->gain[1], def->bias[1], crd_joint_type_name(joint->type), joint->name);
}

crd_status crd_check_actuators(const crd_build *b) {
  for (int i = 0; i < b->in->actuator.count; i++) {
    const crd_actuator_def *def = &b->actuator_def[i];
    crd_element element = crd_element_actuator(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->actuator.names));
    CRD_TRY(crd_check_finite(b, &element, "gear", def->gear, 6));
    CRD_TRY(crd_check_finite(b, &element, "gain", def->gain, 3));
    CRD_TRY(crd_check_finite(b, &element, "bias", def->bias, 3));
    if (def->joint == -1) {
      CRD_TRY(check_terms(b, &element, def));
    } else {
      CRD_TRY(crd_check_reference(b, &element, "joint", def->joint, b->in->joint.count));
      CRD_TRY(check_length_use(b, &element, def));
    }
    if (def->ctrl_limited) CRD_TRY(crd_check_range(b, &element, "ctrlrange", def->ctrl_range));
    if (def->force_limited) CRD_TRY(crd_check_range(b, &element, "forcerange", def->force_range));
  }
  return CRD_OK;
}

/* Lengths are checked where the model's sizes are known. */
crd_status crd_check_keys(const crd_build *b) {
  for (int i = 0; i < b->in->key.count; i++) {
    const crd_key_entry *key = &b->key_def[i];
    crd_element element = crd_element_key(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->key.names));
    CRD_TRY(crd_check_finite(b, &element, "time", &key->def.time, 1));
    if (key->def.qpos) CRD_TRY(crd_check_finite(b, &element, "qpos", key->def.qpos, key->nqpos));
    if (key->def.qvel) CRD_TRY(crd_check_finite(b, &element, "qvel", key->def.qvel, key->nqvel));
    if (key->def.ctrl) CRD_TRY(crd_check_finite(b, &element, "ctrl", key->def.ctrl, key->nctrl));
  }
  return CRD_OK;
}
