/* The forces that contacts had in the last step, carried over to this one: they make it a step of second order
 * (src/sim/constrain.c). Where the last trial over the same piece has shown others, these. */
#include <string.h>

#include "sim/sim_state.h"

void crd_sim_forget_forces(crd_sim *sim) {
  crd_part_clear_v(&sim->part, sim->now.load);
  crd_part_clear_v(&sim->part, sim->now.dry);
  for (int i = 0; i < sim->now.touches.count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    touch->force = (crd_touch_force){.mode = touch->force.mode};
  }
}

static bool any_nonzero(const crd_part *part, const double *x) {
  CRD_EACH (part, v, i)
    if (x[i] != 0) return true;
  return false;
}

static void take_forces(crd_sim *sim, const crd_sim_moment *of) {
  crd_sim_forecast *forecast = &sim->forecast;
  crd_part_copy_v(&sim->part, forecast->load, of->load);
  crd_part_copy_v(&sim->part, forecast->dry, of->dry);
  forecast->acts = any_nonzero(&sim->part, of->load);
}

void crd_sim_forecast_begin(crd_sim *sim) {
  take_forces(sim, &sim->now);
  sim->forecast.fresh = false;
  for (int i = 0; i < sim->now.touches.count; i++) {
    sim->forecast.force[i] = sim->now.touches.item[i].force;
    sim->forecast.guess[i] = sim->now.touches.item[i].guess;
  }
}

void crd_sim_forecast_adopt(crd_sim *sim) {
  take_forces(sim, &sim->trial);
  sim->forecast.fresh = true;
  for (int i = 0; i < sim->now.touches.count; i++) sim->forecast.force[i] = (crd_touch_force){.mode = CRD_MODE_NONE};
  for (int i = 0; i < sim->rows.touches.count; i++) {
    const crd_sim_touch *held = &sim->rows.touches.item[i];
    if (held->active && held->source >= 0) sim->forecast.force[held->source] = held->force;
  }
}

void crd_sim_forecast_warm(crd_sim *sim) {
  for (int i = 0; i < sim->rows.touches.count; i++) {
    const crd_sim_touch *held = &sim->rows.touches.item[i];
    if (held->source >= 0) sim->forecast.guess[held->source] = held->guess;
  }
}
