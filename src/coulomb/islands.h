/* Islands: rows without an entry of G between them are solved apart. */
#ifndef SRC_COULOMB_ISLANDS_H
#define SRC_COULOMB_ISLANDS_H

#include "coulomb/problem.h"

/* Sets parent[row] to the lowest row of its island, for all n rows. Cost: one look at every entry of G. */
void crd_coulomb_find_islands(const crd_coulomb_problem *problem, int *parent);

#endif
