/* A trial: the motion over a time from the present state, contacts held. It reads (now) and the forecast and writes
 * (trial), sim->held and sim->seen: the same question gets the same bits, and what is not accepted leaves no trace. */
#include <string.h>

#include "sim/sim_state.h"

/* The points in the band at the end of the trial. */
static crd_status detect_end(crd_sim *sim) {
  const crd_sim_touches *before = sim->seen.held ? &sim->held : &sim->now.touches;
  crd_sim_place(sim, sim->trial.q);
  crd_status status = crd_sim_detect(sim, sim->trial.q, sim->closed, before, &sim->trial.touches);
  for (int i = 0; i < sim->trial.touches.count; i++) {
    crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (!sim->seen.held)
      touch->touching = false; /* nothing was held */
    else if (touch->source >= 0)
      touch->gap_before = sim->held.item[touch->source].gap_before; /* at the start of the step */
  }
  return status;
}

crd_status crd_sim_trial(crd_sim *sim, const crd_sim_ask *ask) {
  sim->seen = (crd_sim_seen){0};
  crd_status status = crd_sim_free_motion(sim, ask);
  if (status != CRD_OK) return status;
  memcpy(sim->stage_q, sim->trial.q, (size_t)sim->model->nq * sizeof *sim->stage_q);
  memcpy(sim->free_v, sim->trial.v, (size_t)sim->model->nv * sizeof *sim->free_v);
  status = crd_sim_hold(sim, ask);
  return status == CRD_OK && !sim->seen.lost ? detect_end(sim) : status;
}
