/* Is everything that `check` says true? Random problems, each verdict confirmed by what it speaks of: the law, the
 * complementarity problem, or the event-driven simulation's choice of modes. */
#ifndef TESTS_CHECK_TRUTH_H
#define TESTS_CHECK_TRUTH_H

#include <cradle/analysis.h>

/* `count` random problems with one to four contacts: approaching, mixed, resting, grazing (normal velocities that are
 * rounding), redundant, held by bilateral rows; velocities, lengths and masses scaled by 1e-9 .. 1e9. */
void check_truth_campaign(uint64_t seed, int count, crd_arena *arena);

#endif
