/* All laws on random problems: what they promise holds. */
#ifndef TESTS_LAW_CAMPAIGN_H
#define TESTS_LAW_CAMPAIGN_H

#include <stdint.h>

/* Problems of 1 to max_contacts contacts (without friction, planar, spatial; some redundant, some with a bilateral
 * row), one per seed from first to last: every law that promises dissipation gains at most 1e-12, momentum balances,
 * bilateral rows stay at rest. Returns the number of answers looked at. */
long laws_keep_their_promises(uint64_t first, uint64_t last, int max_contacts);

#endif
