/* A guide to the mode that fits: the signs of eight or twelve linear forms of x tell which modes to try first.
 *
 * The forms are conditions of frequent modes, chosen so that pilot steps with the same signs have the same mode as
 * often as possible; for each combination the modes met there are listed, the most frequent first. It only
 * orders the search: a mode is taken where its own conditions hold, and where none of the list fits all are tried.
 */
#ifndef SRC_OUTCOME_GUIDE_H
#define SRC_OUTCOME_GUIDE_H

#include "outcome/table.h"

/* Steps of the pilot: x and the entry that fitted (its place in the sorted table, -1: none). */
typedef struct outcome_points {
  int count, stride;
  const double *x; /* count x stride */
  const int *entry;
} outcome_points;

/* Fills table->guide. scratch is used and may be released afterwards. */
crd_status outcome_guide_build(outcome_table *table, const outcome_points *points, crd_arena *arena,
                               crd_arena *scratch);

#endif
