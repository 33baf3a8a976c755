#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number) {
  (void)number;
  interrupted = 1;
}

bool cli_interrupted(void) { return interrupted; }

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const char *verb, const char *unit, double total) {
  *progress = (cli_progress){.verb = verb, .unit = unit, .total = total, .start = seconds()};
  progress->shown = progress->start, progress->visible = isatty(STDERR_FILENO);
  struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
}

void cli_progress_show(cli_progress *progress, double done) {
  double now = seconds(), passed = now - progress->start;
  if (!progress->visible || now - progress->shown < 0.2 || passed <= 0 || done <= 0) return;
  enum { WIDTH = 30 };
  char bar[WIDTH + 1];
  double share = done / progress->total;
  for (int i = 0; i < WIDTH; i++) bar[i] = i < share * WIDTH ? '#' : '.';
  bar[WIDTH] = 0;
  fprintf(stderr, "\r%s [%s] %3.0f %%  %.3g %s/s  %.0f s left  %-24s", progress->verb, bar, 100 * share, done / passed,
          progress->unit, passed * (1 - share) / share, progress->note);
  progress->shown = now;
}

void cli_progress_end(cli_progress *progress) {
  if (progress->visible) fprintf(stderr, "\r%110s\r", "");
}
