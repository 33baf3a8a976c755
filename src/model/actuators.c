/* Actuators: ids of definitions become ids of the model; activations and rows of moments are numbered. */
#include <string.h>

#include "model/build.h"
#include "model/chains.h"

/* The velocities that the actuator acts on, in the order of its moments, and the joints where it is not on a joint. */
static crd_status list_velocities(crd_build *b, crd_actuator *actuator) {
  const crd_model *model = b->model;
  crd_chains found = {0};
  if (actuator->transmission == CRD_ON_TENDON) {
    const crd_tendon *tendon = &model->tendon[actuator->tendon];
    actuator->ndof = tendon->ndof, actuator->dof = tendon->dof;
    actuator->nterm = tendon->nterm, actuator->term_joint = tendon->joint;
  } else if (actuator->transmission == CRD_ON_JOINT) {
    const crd_joint *joint = &model->joint[actuator->joint];
    int *dof = crd_arena_alloc(b->arena, (size_t)joint->nv, sizeof *dof);
    if (!dof) return crd_build_no_memory(b);
    for (int k = 0; k < joint->nv; k++) dof[k] = joint->v + k;
    actuator->ndof = joint->nv, actuator->dof = dof;
  } else if (actuator->transmission == CRD_ON_BODY) {
    b->model->nadhesive++; /* it acts on no velocity, but between what touches */
  } else {
    const int link[2] = {model->site[actuator->site].link,
                         actuator->reference >= 0 ? model->site[actuator->reference].link : -1};
    CRD_TRY(crd_chains_find(b, link, 2, &found)); /* without a reference: relative to the world */
    actuator->ndof = found.ndof, actuator->dof = found.dof;
    actuator->nterm = found.njoint, actuator->term_joint = found.joint;
    b->model->needs_sites = true;
  }
  actuator->moment = b->model->nmoment;
  b->model->nmoment += actuator->ndof;
  return CRD_OK;
}

crd_status crd_build_actuators(crd_build *b) {
  crd_actuator *actuator = crd_arena_alloc(b->arena, (size_t)b->model->nactuator, sizeof *actuator);
  if (!actuator) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nactuator; i++) {
    const crd_actuator_def *def = &b->actuator_def[i];
    actuator[i] = (crd_actuator){.name = crd_build_text(b, def->name),
                                 .transmission = def->transmission,
                                 .joint = def->transmission == CRD_ON_JOINT ? b->joint_id[def->joint] : -1,
                                 .in_parent = def->in_parent,
                                 .tendon = def->tendon,
                                 .site = def->site,
                                 .reference = def->reference,
                                 .body = def->transmission == CRD_ON_BODY ? b->body_id[def->body] : -1,
                                 .crank_length = def->crank_length,
                                 .ctrl_range = {def->ctrl_range[0], def->ctrl_range[1]},
                                 .force_range = {def->force_range[0], def->force_range[1]},
                                 .act_range = {def->act_range[0], def->act_range[1]},
                                 .length_range = {def->length_range[0], def->length_range[1]},
                                 .time_constant = {def->time_constant[0], def->time_constant[1]},
                                 .smoothing = def->smoothing,
                                 .gain_law = def->gain_law,
                                 .bias_law = def->bias_law,
                                 .dynamics = def->dynamics,
                                 .act = def->dynamics == CRD_DYNAMICS_NONE ? -1 : b->model->nact++,
                                 .ctrl_limited = def->ctrl_limited,
                                 .force_limited = def->force_limited,
                                 .act_limited = def->act_limited};
    memcpy(actuator[i].gear, def->gear, sizeof def->gear);
    memcpy(actuator[i].gain, def->gain, sizeof def->gain);
    memcpy(actuator[i].bias, def->bias, sizeof def->bias);
    CRD_TRY(list_velocities(b, &actuator[i]));
  }
  b->model->actuator = actuator;
  return CRD_OK;
}
