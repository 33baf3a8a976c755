/* Actuators: ids of definitions become ids of the model; activations and rows of moments are numbered. */
#include <string.h>

#include "model/build.h"

/* The velocities that the actuator acts on, in the order of its moments. */
static crd_status list_velocities(crd_build *b, crd_actuator *actuator) {
  const crd_joint *joint = b->model->joint;
  const int one = actuator->joint;
  actuator->ndof = one >= 0 ? joint[one].nv : actuator->nterm;
  int *dof = crd_arena_alloc(b->arena, (size_t)actuator->ndof, sizeof *dof);
  if (!dof) return crd_build_no_memory(b);
  for (int k = 0; k < actuator->ndof; k++) dof[k] = one >= 0 ? joint[one].v + k : joint[actuator->term_joint[k]].v;
  actuator->dof = dof;
  actuator->moment = b->model->nmoment;
  b->model->nmoment += actuator->ndof;
  return CRD_OK;
}

crd_status crd_build_actuators(crd_build *b) {
  crd_actuator *actuator = crd_arena_alloc(b->arena, (size_t)b->model->nactuator, sizeof *actuator);
  if (!actuator) return crd_build_no_memory(b);
  for (int i = 0; i < b->model->nactuator; i++) {
    const crd_actuator_def *def = &b->actuator_def[i];
    int nterm = def->joint == -1 ? def->nterm : 0;
    int *term_joint = crd_arena_alloc(b->arena, (size_t)nterm, sizeof *term_joint);
    double *term_coef = crd_arena_alloc(b->arena, (size_t)nterm, sizeof *term_coef);
    if (!term_joint || !term_coef) return crd_build_no_memory(b);
    for (int k = 0; k < nterm; k++) {
      term_joint[k] = b->joint_id[def->term_joint[k]];
      term_coef[k] = def->term_coef[k];
    }
    actuator[i] = (crd_actuator){.name = crd_build_text(b, def->name),
                                 .joint = def->joint == -1 ? -1 : b->joint_id[def->joint],
                                 .in_parent = def->in_parent,
                                 .nterm = nterm,
                                 .term_joint = term_joint,
                                 .term_coef = term_coef,
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
