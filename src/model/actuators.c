/* Actuators: ids of definitions become ids of the model. */
#include "model/build.h"

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
                                 .nterm = nterm,
                                 .term_joint = term_joint,
                                 .term_coef = term_coef,
                                 .ctrl_range = {def->ctrl_range[0], def->ctrl_range[1]},
                                 .force_range = {def->force_range[0], def->force_range[1]},
                                 .ctrl_limited = def->ctrl_limited,
                                 .force_limited = def->force_limited};
    for (int k = 0; k < 6; k++) actuator[i].gear[k] = def->gear[k];
    crd_vec3_copy(actuator[i].gain, def->gain);
    crd_vec3_copy(actuator[i].bias, def->bias);
  }
  b->model->actuator = actuator;
  return CRD_OK;
}
