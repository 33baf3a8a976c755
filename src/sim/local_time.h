/* A step in which groups of trees keep their own time (src/sim/local_time.c). */
#ifndef SRC_SIM_LOCAL_TIME_H
#define SRC_SIM_LOCAL_TIME_H

#include "sim/sim_state.h"

/* Moves all groups over h from (now), each by `move`. A failure: (now) is the start of the step. */
crd_status crd_sim_move_groups(crd_sim *sim, double h, crd_status (*move)(crd_group *group, double h));

#endif
