/* The rows of a trial's Coulomb problem: found, stated, solved (src/sim/constrain.c has the scheme). */
#ifndef SRC_SIM_ROWS_H
#define SRC_SIM_ROWS_H

#include "sim/group.h"

/* The points that take part, in group->rows->touches, and their problem, where there are any. group->seen.misled: a persistent
 * one is not found where the forecast leads. */
crd_status crd_rows_find(crd_group *group, const crd_sim_scheme *scheme, double dt, bool *any);
/* m: a smaller gap is none; m/s: slower approach over dt is none. */
double crd_rows_no_gap(const crd_group *group);
double crd_rows_slowest(const crd_group *group, double dt);
/* The rows' share of a list of the forecast, times dt, into group->rows->p. */
void crd_rows_collect_forces(crd_group *group, const crd_touch_force *list, double dt);
/* Impulses, velocities and modes of the rows into group->rows->p, u and mode; their islands into group->rows->island. CRD_LIMIT:
 * no forces hold what persists. */
crd_status crd_rows_solve(crd_group *group, const crd_sim_scheme *scheme, double dt);

/* Impulses by which adhesion draws contacts together over dt, into group->rows->pull; false: there are none. To state
 * the problem of the pressure between the surfaces (sign 1), and from its solution back to what acts (-1): w and p. */
bool crd_rows_pull(crd_group *group, double dt);
void crd_rows_press(crd_group *group, double sign);

#endif
