/* Gaps that close within a step. */
#ifndef SRC_SIM_TIME_OF_IMPACT_H
#define SRC_SIM_TIME_OF_IMPACT_H

#include "sim/sim_state.h"

/* Has a point that is not held gone through the surface in the trial? */
bool crd_sim_penetrates(const crd_sim *sim, const crd_sim_touch *touch);
bool crd_sim_any_penetrates(const crd_sim *sim);

/* After crd_sim_try(dt) that penetrates: *tau in (0, dt] at which the first gap closes; leaves the trial there. */
crd_status crd_sim_find_impact(crd_sim *sim, double dt, double *tau);

#endif
