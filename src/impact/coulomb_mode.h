/* One mode of the frictional contact problem: its linear system and what a solution of it must satisfy. */
#ifndef SRC_IMPACT_COULOMB_MODE_H
#define SRC_IMPACT_COULOMB_MODE_H

#include "impact/coulomb.h"

typedef struct coulomb_work {
  const crd_cones *problem;
  crd_cones_mode *mode; /* nc */
  double *direction;    /* nc x 2: of slip, unit; planar: +-1, 0 */
  /* unknown j is the impulse along generator j and belongs to contact owner[j]; equation j is w = 0 in row[j]. The
   * generator of a slipping contact is n - mu (t d), of others the row itself. */
  int count, *row, *owner;
  double *A;          /* count x count, rows and columns scaled by 1/sqrt(W_rr) */
  double *scale;      /* m: 1/sqrt(W_rr) */
  double *x;          /* count */
  double *p, *w;      /* m */
  int *pivot, *iwork; /* count */
  double *work;
  double *many; /* m x 4: right-hand sides */
  int rank;     /* of A; below count where it is singular and svd holds U, V, values its decomposition */
  double *svd, *values;
  double *choice; /* room of coulomb_choose, NULL until it is needed */
  crd_impact_result *memory;
  crd_cones_sink sink;
  void *context;
  crd_cones_report *report;
} coulomb_work;

crd_status coulomb_work_new(coulomb_work *work, const crd_cones *problem, crd_impact_result *memory);

/* Lists the unknowns of the mode, without those of contact `without` (-1: all). */
void coulomb_collect(coulomb_work *work, int without);
/* Row r of W times generator j. */
double coulomb_generator(const coulomb_work *work, int r, int j);
/* Factors A. Returns the number of directions of x that it leaves undetermined: 0 where A is regular. */
int coulomb_factor(coulomb_work *work);
/* Solves A x = r for count right-hand sides of `count` entries each, in place; the x of least norm in the scaled
 * unknowns where A is singular. After coulomb_factor. */
void coulomb_solve(coulomb_work *work, int count, double *x);
/* p and w of the mode; x is left in work. After coulomb_factor. */
void coulomb_solve_mode(coulomb_work *work);
/* p from x, w = W p + b. */
void coulomb_expand(coulomb_work *work, const double *x);
void coulomb_velocity(coulomb_work *work);

/* p and w in a mode with undetermined impulses that satisfy its inequalities as well. CRD_NO_SOLUTION: there are none
 * (for spatial sticking: none with friction inside a polygon). After coulomb_solve_mode. */
crd_status coulomb_choose(coulomb_work *work);

/* Hands p to the sink if it satisfies every condition of the mode; if it does not and impulses are undetermined
 * (freedom), others are looked for. */
crd_status coulomb_offer(coulomb_work *work, int freedom);

/* All solutions of a mode in which spatial contacts slip. */
crd_status coulomb_spatial_slip(coulomb_work *work, int slipping);
/* The one that Newton's method finds from the present directions, if any. */
crd_status coulomb_slip_from_here(coulomb_work *work);

#endif
