#define _XOPEN_SOURCE 700
#include "progress.h"

#include <signal.h>
#include <stdarg.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ what is being done */

enum { LINE = 100, TICK_MS = 500, DIGITS = 12 };

/* The signal's handler reads line[line_now] while the other one is written. */
static char line[2][LINE];
static volatile sig_atomic_t line_now, line_shown, ticks, bar_shown;

/* Appends tenths of a second as "12.5 s"; a handler may not call printf. */
static size_t append_time(char *text, size_t used, long tenths) {
  char digit[DIGITS];
  size_t count = 0;
  for (long whole = tenths / 10; count == 0 || whole > 0; whole /= 10) digit[count++] = (char)('0' + whole % 10);
  while (count > 0) text[used++] = digit[--count];
  text[used++] = '.', text[used++] = (char)('0' + tenths % 10), text[used++] = ' ', text[used++] = 's';
  return used;
}

static void on_tick(int number) {
  (void)number;
  char text[LINE + 2 * DIGITS] = "\r";
  const char *now = line[line_now];
  ticks = ticks + 1;
  if (bar_shown) return;
  size_t used = 1;
  for (; *now; now++) text[used++] = *now;
  text[used++] = ',', text[used++] = ' ';
  used = append_time(text, used, ticks * (TICK_MS / 100L));
  line_shown = write(STDERR_FILENO, text, used) > 0;
}

static void tick_every(long milliseconds) {
  const struct timeval period = {.tv_usec = milliseconds * 1000 % 1000000, .tv_sec = milliseconds / 1000};
  const struct itimerval timer = {period, period};
  setitimer(ITIMER_REAL, &timer, NULL);
}

static void wipe_line(void) {
  if (line_shown) fprintf(stderr, "\r%*s\r", LINE, "");
  line_shown = 0;
}

void cli_doing(const char *format, ...) {
  if (!isatty(STDERR_FILENO)) return;
  tick_every(0);
  wipe_line();
  if (!format) return;
  va_list args;
  va_start(args, format);
  vsnprintf(line[!line_now], LINE, format, args);
  va_end(args);
  line_now = !line_now;
  struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  tick_every(TICK_MS);
}

/* ------------------------------------------------------------------------------------------------ the bar */

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const char *verb, const char *unit, double total) {
  *progress = (cli_progress){.verb = verb, .unit = unit, .total = total, .start = seconds()};
  progress->shown = progress->start, progress->visible = isatty(STDERR_FILENO);
}

void cli_progress_show(cli_progress *progress, double done) {
  double now = seconds(), passed = now - progress->start;
  if (!progress->visible || now - progress->shown < 0.2 || passed <= 0 || done <= 0) return;
  enum { WIDTH = 30 };
  bar_shown = 1;
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
  bar_shown = 0;
}
