/* The closed contacts as a Coulomb problem at acceleration level. */
#ifndef SRC_SIM_EVENT_COULOMB_H
#define SRC_SIM_EVENT_COULOMB_H

#include "sim/event_force.h"

/* Accelerations below this share of an island's scale are zero. */
#define CRD_FORCE_ZERO 1e-8

/* Forces and accelerations that solve the problem. Contacts that part have neither. */
typedef struct crd_force_solution {
  double *f, *a; /* nrow + nb: N; m/s^2 */
  double *zero;  /* nc: m/s^2; smaller accelerations at this contact are none */
} crd_force_solution;

/* Solves the problem island by island; arguments as of crd_force_choose. force->sign tells which joints begin to move.
 * Memory comes from the arena of the tools. CRD_OK with a verdict (CRD_FORCE_NONE: nothing is solved); CRD_LIMIT:
 * nothing was found, and nothing excluded. */
crd_status crd_force_coulomb(const crd_force_problem *force, const double *slip, const crd_held *before,
                             const bool *known, const crd_force_tools *tools, crd_force_solution *solution,
                             crd_force_verdict *verdict);

#endif
