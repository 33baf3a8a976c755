/* Ctrl-C: the library asks `stop` often, Python is asked now and then. */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include <time.h>

#include "internal.h"

static const double PERIOD = 0.02; /* s between two questions to Python, each of which takes the GIL */

static double seconds_of(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double crdpy_seconds(void) { return seconds_of(CLOCK_MONOTONIC); }

/* Asked several times a step; Linux has a clock of some ms that costs a quarter. */
static double seconds_about(void) {
#ifdef CLOCK_MONOTONIC_COARSE
  return seconds_of(CLOCK_MONOTONIC_COARSE);
#else
  return crdpy_seconds();
#endif
}

void crdpy_watch_begin(crdpy_watch *watch) { *watch = (crdpy_watch){.next = seconds_about() + PERIOD}; }

bool crdpy_watch_stop(void *context) {
  crdpy_watch *watch = context;
  if (watch->stopped) return true;
  if (seconds_about() < watch->next) return false;
  watch->stopped = crdpy_signalled();
  watch->next = seconds_about() + PERIOD;
  return watch->stopped;
}
