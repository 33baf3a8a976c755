/* Gaps that close within a step. */
#ifndef SRC_SIM_TIME_OF_IMPACT_H
#define SRC_SIM_TIME_OF_IMPACT_H

#include "sim/group.h"

/* Has a point that is not held gone through the surface in the trial? */
bool crd_sim_penetrates(const crd_group *group, const crd_sim_touch *touch);
bool crd_sim_any_penetrates(const crd_group *group);

/* After an attempt over *tau that penetrates: leaves the trial at the instant at which the first gap closes, and that
 * time in *tau. CRD_UNKNOWN: it was not found. */
crd_status crd_sim_find_impact(crd_group *group, double *tau);

#endif
