/* Rules for loop closures. */
#include "model/check.h"

static crd_status check_joint_loop(const crd_build *b, const crd_element *element, const crd_loop_def *def) {
  CRD_TRY(crd_check_scalar_joint(b, element, def->joint1));
  if (def->joint2 != -1) CRD_TRY(crd_check_scalar_joint(b, element, def->joint2));
  if (def->joint1 == def->joint2)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "both joints are joint %d, must be two", def->joint1);
  return crd_check_finite(b, element, "polycoef", def->polycoef, 5);
}

static crd_status check_tendon_loop(const crd_build *b, const crd_element *element, const crd_loop_def *def) {
  CRD_TRY(crd_check_reference(b, element, "tendon", def->tendon1, b->in->tendon.count));
  if (def->tendon2 != -1) CRD_TRY(crd_check_reference(b, element, "tendon", def->tendon2, b->in->tendon.count));
  if (def->tendon1 == def->tendon2)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "both tendons are tendon %d, must be two", def->tendon1);
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
  bool guided = def->type == CRD_LOOP_HINGE || def->type == CRD_LOOP_SLIDE;
  if (guided) CRD_TRY(crd_check_direction(b, element, "axis", def->axis, 3));
  if (weld && !def->at_qpos0) CRD_TRY(crd_check_finite(b, element, "relpose", def->relpos, 3));
  if ((weld || guided) && !def->at_qpos0) CRD_TRY(crd_check_direction(b, element, "relpose quat", def->relquat, 4));
  return CRD_OK;
}

crd_status crd_check_loops(const crd_build *b) {
  for (int i = 0; i < b->in->loop.count; i++) {
    const crd_loop_def *def = &b->loop_def[i];
    crd_element element = crd_element_loop(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->loop.names));
    switch (def->type) {
      case CRD_LOOP_CONNECT:
      case CRD_LOOP_HINGE:
      case CRD_LOOP_SLIDE:
      case CRD_LOOP_WELD: CRD_TRY(check_body_loop(b, &element, def)); break;
      case CRD_LOOP_JOINT: CRD_TRY(check_joint_loop(b, &element, def)); break;
      case CRD_LOOP_TENDON: CRD_TRY(check_tendon_loop(b, &element, def)); break;
      default:
        return crd_build_fail(b, CRD_ERR_ARGUMENT, &element, "type is %d, must be one of crd_loop_type",
                              (int)def->type);
    }
  }
  return CRD_OK;
}
