/* Events that are told when the step stands (src/sim/told.c). */
#ifndef SRC_SIM_TOLD_H
#define SRC_SIM_TOLD_H

#include "sim/sim_state.h"

/* Keeps an event, with the state of the group at which it happened. */
void crd_told_keep(crd_group *group, const crd_sim_event *event);
/* Tells all events of all groups in the order of their instants. impulse: N s, of all contacts before the step.
 * CRD_ERR_MEMORY: there was no room for one. */
crd_status crd_told_all(crd_sim *sim, double impulse);

#endif
