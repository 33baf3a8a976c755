/* Rules for actuators and keyframes. */
#include "model/check.h"

/* The length of a transmission through a ball or free joint is not defined, so that no force may depend on it. */
static crd_status check_length_use(const crd_build *b, const crd_element *element, const crd_actuator_def *def) {
  const crd_joint_def *joint = &b->joint_def[def->joint].def;
  const bool affine = def->gain_law == CRD_FORCE_AFFINE && def->bias_law == CRD_FORCE_AFFINE;
  if (crd_model_joint_nv(joint->type) == 1 || (affine && def->gain[1] == 0 && def->bias[1] == 0)) return CRD_OK;
  if (!affine)
    return crd_build_fail(b, CRD_ERR_MODEL, element, "is a muscle on %s joint \"%s\", must act on a length",
                          crd_model_joint_type_name(joint->type), joint->name);
  return crd_build_fail(b, CRD_ERR_MODEL, element, "gain %g and bias %g on the length of %s joint \"%s\", must be 0",
                        def->gain[1], def->bias[1], crd_model_joint_type_name(joint->type), joint->name);
}

/* Parameters of a force law; those of a muscle in the order of crd_force_law. */
static crd_status check_law(const crd_build *b, const crd_element *element, const char *what, crd_force_law law,
                            const double *prm) {
  CRD_TRY(crd_check_finite(b, element, what, prm, CRD_FORCE_PARAMETERS));
  if (law == CRD_FORCE_AFFINE) return CRD_OK;
  CRD_TRY(crd_check_range(b, element, "range of the muscle", prm));
  CRD_TRY(crd_check_not_negative(b, element, "force of the muscle", prm + 2, 1));
  CRD_TRY(crd_check_positive(b, element, "vmax of the muscle", prm + 6, 1));
  if (!(prm[4] < 1 && prm[5] > 1))
    return crd_build_fail(b, CRD_ERR_MODEL, element, "lmin and lmax of the muscle are %g %g, 1 must lie between them",
                          prm[4], prm[5]);
  if (!(prm[8] > 1))
    return crd_build_fail(b, CRD_ERR_MODEL, element, "fvmax of the muscle is %g, must be greater than 1", prm[8]);
  return CRD_OK;
}

static crd_status check_dynamics(const crd_build *b, const crd_element *element, const crd_actuator_def *def) {
  if (def->dynamics == CRD_DYNAMICS_FILTER) CRD_TRY(crd_check_positive(b, element, "timeconst", def->time_constant, 1));
  if (def->dynamics == CRD_DYNAMICS_MUSCLE) {
    CRD_TRY(crd_check_positive(b, element, "timeconst", def->time_constant, 2));
    CRD_TRY(crd_check_not_negative(b, element, "tausmooth", &def->smoothing, 1));
  }
  return CRD_OK;
}

static crd_status check_transmission(const crd_build *b, const crd_element *element, const crd_actuator_def *def) {
  const int sites = b->in->site.count;
  switch (def->transmission) {
    case CRD_ON_JOINT:
      CRD_TRY(crd_check_reference(b, element, "joint", def->joint, b->in->joint.count));
      return check_length_use(b, element, def);
    case CRD_ON_BODY: return crd_check_reference(b, element, "body", def->body, b->in->body.count);
    case CRD_ON_TENDON: return crd_check_reference(b, element, "tendon", def->tendon, b->in->tendon.count);
    case CRD_ON_SITE:
      if (def->reference >= 0) CRD_TRY(crd_check_reference(b, element, "site", def->reference, sites));
      return crd_check_reference(b, element, "site", def->site, sites);
    case CRD_ON_CRANK:
      CRD_TRY(crd_check_reference(b, element, "site", def->reference, sites));
      CRD_TRY(crd_check_positive(b, element, "cranklength", &def->crank_length, 1));
      return crd_check_reference(b, element, "site", def->site, sites);
  }
  return crd_build_fail(b, CRD_ERR_ARGUMENT, element, "transmission is %d, must be a crd_transmission",
                        (int)def->transmission);
}

crd_status crd_check_actuators(const crd_build *b) {
  for (int i = 0; i < b->in->actuator.count; i++) {
    const crd_actuator_def *def = &b->actuator_def[i];
    crd_element element = crd_element_actuator(b, i);
    CRD_TRY(crd_check_name(b, &element, &b->in->actuator.names));
    CRD_TRY(crd_check_finite(b, &element, "gear", def->gear, 6));
    CRD_TRY(check_law(b, &element, "gain", def->gain_law, def->gain));
    CRD_TRY(check_law(b, &element, "bias", def->bias_law, def->bias));
    CRD_TRY(check_dynamics(b, &element, def));
    CRD_TRY(check_transmission(b, &element, def));
    if (def->gain_law == CRD_FORCE_MUSCLE || def->bias_law == CRD_FORCE_MUSCLE)
      CRD_TRY(crd_check_range(b, &element, "lengthrange", def->length_range));
    if (def->dynamics != CRD_DYNAMICS_NONE && def->act_limited)
      CRD_TRY(crd_check_range(b, &element, "actrange", def->act_range));
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
    if (key->def.act) CRD_TRY(crd_check_finite(b, &element, "act", key->def.act, key->nact));
    if (key->def.ctrl) CRD_TRY(crd_check_finite(b, &element, "ctrl", key->def.ctrl, key->nctrl));
  }
  return CRD_OK;
}
