/* Traces of runs that were killed. */
#include <cradle/io.h>
#include <string.h>

#include "cli.h"

bool cli_recover(const char *path) {
  const size_t length = strlen(path);
  bool recovered;
  crd_error err = {0};
  if (length < 3 || strcmp(path + length - 3, ".h5") != 0) return true;
  if (crd_io_trace_recover(path, &recovered, &err)) return cli_report(&err), false;
  if (recovered) fprintf(stderr, "cradle: wrote %s from what a run that was killed left beside it\n", path);
  return true;
}
