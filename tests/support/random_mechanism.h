/* Random arms and trees of bodies over a floor: every joint and geom type, limits, springs, dampers, dry friction. */
#ifndef TESTS_RANDOM_MECHANISM_H
#define TESTS_RANDOM_MECHANISM_H

#include "support/simulation.h"

/* The mechanism of a seed over its floor; clear_start is set. options NULL: the default. */
simulation *random_mechanism(uint64_t seed, const crd_sim_options *options);

/* Drops the mechanisms of the seeds 1 .. last, each for the time t. Broken promises are listed by seed, and fail the
 * test at the end: the time is not reached, a body enters another by more than 1e-6 of its size, a contact or an
 * impact brings energy, the integration line is more than this share of the energy. `open` (n seeds) are known to break one:
 * such a seed fails the test once it no longer does. */
void drop_random_mechanisms(const crd_sim_options *options, uint64_t last, double t, double integration,
                            const uint64_t *open, int n);

#endif
