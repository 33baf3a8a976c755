/* All solutions of one island, and their collection. */
#ifndef SRC_COULOMB_ENUMERATE_H
#define SRC_COULOMB_ENUMERATE_H

#include <cradle/coulomb.h>

/* Solutions found so far, told apart by their velocities. */
typedef struct coulomb_found {
  int count, capacity;
  crd_coulomb_solution *solution;
  crd_arena *arena; /* of the list and its entries */
} coulomb_found;

typedef struct coulomb_island_report {
  long modes; /* tried; 0 with CRD_LIMIT: too many */
  bool searched, undecided, every_slip;
} coulomb_island_report;

/* Every solution of the problem (G dense, input checked), not divided into islands. CRD_OK, CRD_LIMIT, CRD_ERR_MEMORY.
 * */
crd_status coulomb_enumerate_island(const crd_coulomb_problem *problem, const crd_coulomb_enumerate_options *options,
                                    coulomb_found *found, coulomb_island_report *report);

#endif
