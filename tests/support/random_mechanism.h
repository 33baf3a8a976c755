/* Random arms and trees of bodies over a floor: every joint and geom type, limits, springs, dampers, dry friction. */
#ifndef TESTS_RANDOM_MECHANISM_H
#define TESTS_RANDOM_MECHANISM_H

#include "support/simulation.h"

/* Drops the mechanism of the seed and fails the test where it does not reach time t, a body enters another by more
 * than 1e-6 of its size, a contact or an impact brings energy, or the ledger does not add up. */
void drop_random_mechanism(uint64_t seed, double t);

#endif
