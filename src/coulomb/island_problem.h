/* The islands of a problem, each as a dense problem of its own. */
#ifndef SRC_COULOMB_ISLAND_PROBLEM_H
#define SRC_COULOMB_ISLAND_PROBLEM_H

#include "coulomb/problem.h"

typedef struct crd_island_problem {
  crd_coulomb_problem problem; /* G dense */
  int *row, *contact;          /* of the whole problem: rows of this one in its order, contacts */
} crd_island_problem;

/* Memory comes from the arena. CRD_ERR_MEMORY. */
crd_status crd_island_problems(const crd_coulomb_problem *problem, crd_arena *arena, crd_island_problem **island,
                               int *count);

#endif
