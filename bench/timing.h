/* Timing for the benchmarks: the smallest time per call over several rounds, and least-squares growth exponents. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <math.h>
#include <time.h>

static inline double now_seconds(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of the processor, which other programs on the machine do not lengthen; for one thread. */
static inline double cpu_seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Seconds per call of f(context): calls are repeated to fill about `budget` seconds in 7 rounds, the fastest round
 * counts. */
static inline double time_per_call(void (*f)(void *), void *context, double budget) {
  double start = now_seconds();
  f(context);
  double once = now_seconds() - start;
  long calls = (long)fmax(1, fmin(1e6, budget / 21 / fmax(once, 1e-8)));
  double best = INFINITY;
  for (int round = 0; round < 21; round++) {
    start = now_seconds();
    for (long i = 0; i < calls; i++) f(context);
    best = fmin(best, (now_seconds() - start) / (double)calls);
  }
  return best;
}

/* Slope of log t over log n. */
static inline double growth_exponent(const int *n, const double *t, int count) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < count; i++) {
    double x = log(n[i]), y = log(t[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

#endif
