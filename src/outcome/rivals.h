/* Which modes can hold for the same x and yet lead to different v'. */
#ifndef SRC_OUTCOME_RIVALS_H
#define SRC_OUTCOME_RIVALS_H

#include "outcome/table.h"

/* Finds the rivals of the entries that the pilot met, most frequent first, by linear programs, at most max_pairs pairs;
 * the others keep -1. The table must be sorted. */
crd_status outcome_rivals_prove(outcome_table *table, const outcome_reduced *reduced, long max_pairs, crd_arena *arena);

#endif
