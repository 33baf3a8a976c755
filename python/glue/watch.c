/* Ctrl-C: the library asks `stop` often, Python is asked now and then. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "internal.h"

static const double PERIOD = 0.02; /* s between two questions to Python, each of which takes the GIL */

double crdpy_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void crdpy_watch_begin(crdpy_watch *watch) { *watch = (crdpy_watch){.next = crdpy_seconds() + PERIOD}; }

bool crdpy_watch_stop(void *context) {
  crdpy_watch *watch = context;
  if (watch->stopped) return true;
  const double now = crdpy_seconds();
  if (now < watch->next) return false;
  watch->stopped = crdpy_signalled();
  watch->next = crdpy_seconds() + PERIOD;
  return watch->stopped;
}
