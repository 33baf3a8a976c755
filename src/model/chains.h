/* Velocities that move some of a set of links, and those that change their relative position. */
#ifndef CRADLE_MODEL_CHAINS_H
#define CRADLE_MODEL_CHAINS_H

#include "model/build.h"

typedef struct crd_chains {
  int *chain, nchain; /* velocities that move any of the links, ascending */
  int *dof, ndof;     /* those that do not move all of them */
  int *joint, njoint; /* joints of dof */
} crd_chains;

/* Links may be -1 (fixed) and come repeatedly. Arrays in the model's memory. */
crd_status crd_chains_find(crd_build *b, const int *link, int count, crd_chains *found);

#endif
