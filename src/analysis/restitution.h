/* Shared by the analyses of restitution. */
#ifndef SRC_ANALYSIS_RESTITUTION_H
#define SRC_ANALYSIS_RESTITUTION_H

#include <cradle/analysis.h>

#include "analysis/matrix.h"

/* A relative energy gain below this is rounding. */
#define CRD_ENERGY_TOLERANCE 1e-10

/* H (dim x dim) = Z' E' Q E Z: twice the energy after the impact, of u = Z y. */
crd_status crd_restitution_energy_after(const crd_restitution *restitution, const double *E, double *H,
                                        crd_arena *arena);

/* Faces that a search for the worst velocity may look at within a tenth of a second. */
int crd_restitution_faces(const crd_restitution *restitution);
/* crd_analysis_restitution_worst that asks only for velocities with K+/K- above the floor: with a floor of 1 a feasible LMI costs
 * one eigenvalue problem. gain = floor - 1 and u = 0 where there is none. */
crd_status crd_restitution_worst_above(crd_worst_velocity *worst, const crd_restitution *restitution, const double *E,
                                       int max_faces, double floor, crd_arena *arena);

/* Smallest eigenvalue and the matrix of the LMI (56), restricted; size dim + n. */
crd_status crd_restitution_lmi(const crd_restitution *restitution, const double *E, double **F, crd_arena *arena);

/* A linear matrix inequality in one unknown, F0 + x F1 >= 0 (size x size, symmetric) with low <= x <= high; solved by
 * the semidefinite solver: the largest x (sense 1) or the smallest (sense -1). CRD_NO_SOLUTION: no x satisfies it;
 * CRD_LIMIT: the solver stopped early; CRD_ERR_ARGUMENT: this build has none. */
typedef struct crd_lmi {
  int size;
  const double *F0, *F1;
  double low, high;
} crd_lmi;
crd_status crd_lmi_extreme(const crd_lmi *lmi, int sense, double *x, crd_arena *arena);

#endif
