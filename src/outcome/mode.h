/* A mode of a step (75): what every contact does in it. Then the step is linear in x = (y, lambda_max).
 *
 *   normal     open     p_n = 0,        u_n' >= 0
 *              full     p_n = bound,    u_n' <= 0            (beta = -u_n')
 *              partial  u_n' = 0,       0 <= p_n <= bound
 *   friction   stick    u_t' = 0,       p_t in the polygon mu p_n conv(d_1 .. d_K)
 *              vertex j p_t = mu p_n d_j,                     d_j the direction most opposed to u_t'
 *              edge j   p_t on the edge between d_j and d_j+1, both equally opposed to u_t'
 *
 * A planar contact has the segment between d_1 = 1 and d_2 = -1: stick, slip to either side. The vertices of every
 * polytope of impulses that solve (75) have such a mode, so a list of all regular modes (those whose equations have one
 * solution) misses no v' unless v' itself is not determined by the modes, on a set of measure zero.
 */
#ifndef SRC_OUTCOME_MODE_H
#define SRC_OUTCOME_MODE_H

#include "contact/facets.h"
#include "outcome/reduced.h"

typedef enum outcome_normal { OUTCOME_OPEN, OUTCOME_FULL, OUTCOME_PARTIAL } outcome_normal;

/* Mode of one contact; friction: 0 stick, 1 .. K vertex, K + 1 .. 2 K edge (K > 2). Without friction: 0. */
typedef struct outcome_contact_mode {
  outcome_normal normal;
  int friction;
} outcome_contact_mode;

/* The linear map of a mode: y' = next x, valid where check x >= 0 (in units of velocity). */
typedef struct outcome_map {
  int rows;      /* of check; conditions that always hold are left out */
  double *check; /* rows x nx */
  double *next;  /* rank x nx */
  bool full;     /* a contact takes its whole bound */
} outcome_map;

typedef struct outcome_mode_work {
  const outcome_reduced *reduced;
  const crd_facets *facets;
  int max_rows;          /* of check, for any mode */
  double *A, *P, *U;     /* nrow x nrow, nx x nrow (right-hand sides one after the other), nrow x nx */
  double *column, *work; /* nrow, 4 nrow */
  int *pivot, *iwork;    /* nrow */
  outcome_map map;       /* result, with room for max_rows */
} outcome_mode_work;

crd_status outcome_mode_begin(outcome_mode_work *work, const outcome_reduced *reduced, const crd_facets *facets,
                              crd_arena *arena);

/* Friction states of a contact (1, 3 or 1 + 2 K) and the number of its modes (1 + 2 of them). */
int outcome_friction_states(const crd_facets *facets, int contact);
/* The number of modes of all contacts together, at most limit + 1 (then there are more than limit). */
long outcome_mode_count(const crd_facets *facets, long limit);
/* The code-th of these. */
void outcome_mode_decode(const crd_facets *facets, long code, outcome_contact_mode *mode);

/* work->map of the mode; false where its equations are singular. */
bool outcome_mode_map(outcome_mode_work *work, const outcome_contact_mode *mode);

#endif
