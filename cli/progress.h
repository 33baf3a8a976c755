/* A progress line on stderr, shown on a terminal only. */
#ifndef CRADLE_CLI_PROGRESS_H
#define CRADLE_CLI_PROGRESS_H

#include "cli.h"

typedef struct cli_progress {
  const char *verb, *unit; /* "outcomes", "samples" */
  double total;
  double start, shown; /* seconds */
  bool visible;
  char note[40]; /* shown at the end of the line, "" none; the verb's to write */
} cli_progress;

/* Starts the clock. */
void cli_progress_begin(cli_progress *progress, const char *verb, const char *unit, double total);
/* Redraws the line, a few times a second at most: share done, rate and time left. */
void cli_progress_show(cli_progress *progress, double done);
/* Wipes the line out. */
void cli_progress_end(cli_progress *progress);

/* What the program is doing, for whoever waits: from half a second on it stands on stderr with the time passed, on a
 * terminal only and not where a bar is shown. NULL: nothing from now on, the line is wiped out. */
void cli_doing(const char *format, ...) CRD_PRINTF(1, 2);

#endif
