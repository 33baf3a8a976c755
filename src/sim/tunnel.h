/* Steps short enough that no body passes through another unseen. */
#ifndef SRC_SIM_TUNNEL_H
#define SRC_SIM_TUNNEL_H

#include "sim/group.h"

/* Radius of a sphere that fits into the geom, and its centre in the geom's frame; infinite for a plane. */
double crd_sim_sphere_inside(const crd_model *model, int geom, double centre[3]);
/* The centre of this sphere in the world, where the geom was placed last. */
void crd_sim_core(const crd_group *group, int geom, double core[3]);

/* After crd_sim_try(dt): the time of at most dt within which no body can have passed through another. */
double crd_sim_safe_time(const crd_group *group, double dt);

#endif
