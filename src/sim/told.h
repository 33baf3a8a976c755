/* Events that are told when the step stands (src/sim/told.c). */
#ifndef SRC_SIM_TOLD_H
#define SRC_SIM_TOLD_H

#include "sim/sim_state.h"

/* From now on events are kept; the next ones are of another group. */
void crd_told_begin(crd_sim *sim);
void crd_told_next_group(crd_sim *sim);
/* Keeps an event, with the state at which it happened. */
void crd_told_keep(crd_sim *sim, const crd_sim_event *event);
/* Tells all that are kept in the order of their instants, or forgets them. CRD_ERR_MEMORY: there was no room for one. */
crd_status crd_told_end(crd_sim *sim, bool all);

#endif
