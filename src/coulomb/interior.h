/* A cone of the central path (interior.c): its point, multiplier, step, and Nesterov and Todd's scaling there. */
#ifndef SRC_COULOMB_INTERIOR_H
#define SRC_COULOMB_INTERIOR_H

#include "coulomb/reduced.h"

typedef struct crd_interior_cone {
  int size;     /* 1: half line */
  int normal;   /* row of x_n, or of the bounded row */
  int row;      /* first row of x_f */
  double mu;    /* of x_n; +1 or -1 on a half line */
  double shift; /* c of a half line */
  double z[3], s[3], dz[3], ds[3];
  double root; /* sqrt(|y_f|^2 + eps^2) */
  double beta, w[3], v[3], lambda[3], Wd[3];
} crd_interior_cone;

/* A contact or bounded row of D = C' W^2 C, where A has low rank: the lower triangle. */
typedef struct crd_interior_block {
  int row, size;
  double d[1 + 2 * CRD_COULOMB_FRICTIONS][1 + 2 * CRD_COULOMB_FRICTIONS];
} crd_interior_block;

#endif
