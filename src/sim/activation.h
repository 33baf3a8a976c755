/* Activations of actuators over a step (src/sim/activation.c). */
#ifndef SRC_SIM_ACTIVATION_H
#define SRC_SIM_ACTIVATION_H

#include "sim/group.h"

/* Rates at (now), whose controls crd_sim_drive has left in the stage: decay and drive of the start. */
void crd_activation_start(crd_group *group);
/* What drives the activations `act` at the state of the last crd_sim_drive, beyond their decay: into group->stage->drive[i]. */
void crd_activation_drive(crd_group *group, const double *act, int i);
/* to = activations h after `from` under the drive `first` (twice `second` less `first` where that is given). */
void crd_activation_advance(const crd_group *group, const double *from, double h, const double *first,
                            const double *second, double *to);
/* The trial's activations h after (now), under the drives n[0], n[1], n[2] at 0, node[0], node[1] of h. */
void crd_activation_finish(crd_group *group, double h, const double node[2], const double *const n[3]);
/* to = from, for the activations of the part. */
void crd_activation_copy(const crd_group *group, double *to, const double *from);
/* Do the trial's activations differ from those of (now)? */
bool crd_activation_moves(const crd_group *group);

#endif
