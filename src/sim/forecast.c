/* The forces that contacts had in the last step, carried over to this one: they make it a step of second order
 * (src/sim/constrain.c). Where the last trial over the same piece has shown others, these. */
#include <string.h>

#include "sim/group.h"

void crd_sim_forget_forces(crd_group *group) {
  crd_part_clear_v(group->part, group->now.load);
  crd_part_clear_dry(group->part, group->now.dry);
  for (int i = 0; i < group->now.touches.count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    touch->force = (crd_touch_force){.mode = touch->force.mode};
  }
}

static bool any_nonzero(const crd_part *part, const double *x) {
  CRD_EACH (part, v, i)
    if (x[i] != 0) return true;
  return false;
}

static void take_forces(crd_group *group, const crd_sim_moment *of) {
  crd_sim_forecast *forecast = group->forecast;
  crd_part_copy_v(group->part, forecast->load, of->load);
  crd_part_copy_dry(group->part, forecast->dry, of->dry);
  forecast->acts = any_nonzero(group->part, of->load);
}

void crd_sim_forecast_begin(crd_group *group) {
  take_forces(group, &group->now);
  group->forecast->fresh = false;
  for (int i = 0; i < group->now.touches.count; i++) {
    group->forecast->force[i] = group->now.touches.item[i].force;
    group->forecast->guess[i] = group->now.touches.item[i].guess;
  }
}

void crd_sim_forecast_adopt(crd_group *group) {
  take_forces(group, group->trial);
  group->forecast->fresh = true;
  for (int i = 0; i < group->now.touches.count; i++)
    group->forecast->force[i] = (crd_touch_force){.mode = CRD_MODE_NONE};
  for (int i = 0; i < group->rows->touches.count; i++) {
    const crd_sim_touch *held = &group->rows->touches.item[i];
    if (held->active && held->source >= 0) group->forecast->force[held->source] = held->force;
  }
}

void crd_sim_forecast_warm(crd_group *group) {
  for (int i = 0; i < group->rows->touches.count; i++) {
    const crd_sim_touch *held = &group->rows->touches.item[i];
    if (held->source >= 0) group->forecast->guess[held->source] = held->guess;
  }
}
