/* The end of a sample: its velocity, and its part in the summary. */
#ifndef SRC_OUTCOME_FINISH_H
#define SRC_OUTCOME_FINISH_H

#include <cradle/outcome.h>

#include "outcome/reduced.h"

/* The maps from y to contact velocities and to v, packed as in table.h. */
typedef struct outcome_finish {
  int rank, nv, u_blocks, v_blocks;
  double *u_map, *v_map; /* rows of C; rows of T' */
  double *v_base;        /* 4 v_blocks: v = v_base + T' y */
  double rest;           /* m/s: a contact velocity up to this is zero */
} outcome_finish;

crd_status outcome_finish_begin(outcome_finish *finish, const outcome_reduced *reduced, double tolerance,
                                crd_arena *arena);

/* Counts and ranges over some of the samples: they do not depend on an order. */
typedef struct outcome_summary {
  uint64_t ended[CRD_OUTCOME_ENDS], lcps, at_rest;
  uint32_t max_lcps;
  double least_square, most_square; /* of |y|^2 */
  double *least, *most;             /* 4 u_blocks: contact velocities */
} outcome_summary;

crd_status outcome_summary_begin(outcome_summary *summary, const outcome_finish *finish, crd_arena *arena);
void outcome_summary_merge(outcome_summary *summary, const outcome_summary *other, const outcome_finish *finish);

#endif
