/* The workspace of crd_coulomb_solve. */
#ifndef SRC_COULOMB_WORK_H
#define SRC_COULOMB_WORK_H

#include "coulomb/reduced.h"
#include "coulomb/sweep.h"

struct crd_coulomb_work {
  crd_arena arena; /* lists, for problems of n rows */
  int n;
  int *owner;                                           /* n: scratch of the checks, then parent of a row's island */
  int *rows;                                            /* n: of the island that the row stands for */
  int *contact, *bilateral, *bounded;                   /* n: indices by island, */
  int *first_contact, *first_bilateral, *first_bounded; /* n + 1: where those of an island begin */
  double *p, *u;                                        /* n */
  crd_dense_memory dense;
  crd_sweep_memory sweep;
  bool missed;    /* an island is above its own tolerance */
  double loosest; /* tolerance of the islands met so far */
};

#endif
