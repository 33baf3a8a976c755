/* Parts of bench_coulomb and bench_coulomb_large. */
#ifndef BENCH_COULOMB_PARTS_H
#define BENCH_COULOMB_PARTS_H

#include <time.h>

/* CPU time of this thread, s: others on the machine do not lengthen it. */
static inline double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Spheres falling into a box, `steps` steps of a millisecond (coulomb_heaps.c); prints one line. Returns the mean time
 * of a solve, s. */
double bench_heap(int spheres, int steps, double tolerance);

/* Every problem in a directory of Siconos' test data beside its NSGS (coulomb_siconos.c). */
void bench_siconos_data(const char *directory);

/* The table of ways of the built-in examples (coulomb_examples.c). */
void bench_examples(void);

#endif
