/* Steps short enough that no body passes through another unseen. */
#ifndef SRC_SIM_TUNNEL_H
#define SRC_SIM_TUNNEL_H

#include "sim/group.h"

/* Radius of a sphere that fits into the geom; infinite for a plane. */
double crd_sim_thickness(const crd_model *model, int geom);

/* After crd_sim_try(dt): the time of at most dt within which no body can have passed through another. */
double crd_sim_safe_time(const crd_group *group, double dt);

#endif
