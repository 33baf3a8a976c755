/* The workspace of crd_coulomb_solve. */
#ifndef SRC_COULOMB_WORK_H
#define SRC_COULOMB_WORK_H

#include "coulomb/reduced.h"

struct crd_coulomb_work {
  crd_arena arena; /* for problems of n rows */
  int n;
  crd_islands islands;
  crd_coulomb_measures measures;
  crd_coulomb_measure *measure;      /* n */
  double *p, *u;                     /* n */
  double *error, *rounding;          /* n: of each row, then at an island's name of all of its rows */
  crd_coulomb_method *method;        /* n: at an island's name the one whose answer stands */
  long settled[CRD_COULOMB_METHODS]; /* of all solves */
  crd_memory memory;
};

#endif
