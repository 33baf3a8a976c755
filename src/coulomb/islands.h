/* Islands: rows without an entry of G between them are solved apart. */
#ifndef SRC_COULOMB_ISLANDS_H
#define SRC_COULOMB_ISLANDS_H

#include "coulomb/problem.h"

/* Sets parent[row] to the lowest row of its island, for all n rows. Cost: one look at every entry of G. */
void crd_coulomb_find_islands(const crd_coulomb_problem *problem, int *parent);

/* The same of the problem that was solved last, found then. */
const int *crd_coulomb_islands(const crd_coulomb_work *work);

/* The islands of a problem; each is named by its lowest row r. */
typedef struct crd_islands {
  int *parent;                                          /* n: the name of the row's island */
  int *rows;                                            /* n: of island r; 0: r names none */
  int *contact, *bilateral, *bounded;                   /* n: indices in the problem's lists, by island */
  int *first_contact, *first_bilateral, *first_bounded; /* n + 1: those of island r begin at first[r] */
} crd_islands;

/* Memory for problems of n rows. False: there is none. */
bool crd_islands_alloc(crd_islands *islands, crd_arena *arena, int n);
void crd_islands_set(crd_islands *islands, const crd_coulomb_problem *problem);

/* One of them: indices in the problem's lists. */
typedef struct crd_island {
  const int *contact, *bilateral, *bounded;
  int ncontact, nbilateral, nbounded;
} crd_island;
crd_island crd_island_of(const crd_islands *islands, int r);

/* An island as a dense problem of its own: its contacts with their rows in the order of the whole problem, then its
 * bilateral and bounded rows. */
typedef struct crd_island_problem {
  crd_coulomb_problem problem; /* G dense */
  int *row, *contact;          /* of the whole problem: rows of this one in its order, contacts */
} crd_island_problem;

/* Memory comes from the arena; where: n, zero between calls. CRD_ERR_MEMORY. */
crd_status crd_island_extract(const crd_coulomb_problem *problem, const crd_island *island, int *where,
                              crd_arena *arena, crd_island_problem *out);
/* All of them. */
crd_status crd_island_problems(const crd_coulomb_problem *problem, crd_arena *arena, crd_island_problem **island,
                               int *count);

/* Is there a motion of this dense island that keeps its bilateral rows and closes no contact? velocity: m/s, what is
 * small beside it is rounding. CRD_OK; CRD_NO_SOLUTION: none, which is proved; CRD_LIMIT: not decided; CRD_ERR_MEMORY. */
crd_status crd_coulomb_attainable(const crd_coulomb_problem *island, double velocity, crd_arena *arena);

#endif
