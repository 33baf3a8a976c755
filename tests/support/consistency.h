/* Campaigns on random contact problems, shared by the tests of `make test` and the long ones. */
#ifndef TESTS_CONSISTENCY_H
#define TESTS_CONSISTENCY_H

#include <cradle/analysis.h>

/* The scaling of a random direction by the semidefinite solver and by bisection on the eigenvalue of the quadratic
 * inequality, and the interval of one coefficient by both methods, agree to 1e-7 on `systems` random systems with 2 to
 * 6 contacts; redundant and bilateral rows among them. */
void lmi_agreement(uint64_t seed, int systems, crd_arena *arena);

/* For `systems` random systems: where the verdict is "consistent", none of `samples` random approaching velocities
 * gains energy, computed through M and the impact law and nothing of the analysis; where it is not, the reported worst
 * velocity gains what is reported. */
void consistency_campaign(uint64_t seed, int systems, int samples, crd_arena *arena);

#endif
