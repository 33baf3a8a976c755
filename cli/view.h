/* Pages of traces, for `view` and for --html of the verbs that make them. */
#ifndef CRADLE_CLI_VIEW_H
#define CRADLE_CLI_VIEW_H

#include "page.h"

/* The page of a trace in an HDF5 file; the exit code, after a message on stderr where it is not CLI_DONE. */
int view_trace_file(const char *path, const char *html);

/* Energies of a trace over time as an SVG picture; the exit code. */
int view_trace_svg(const crd_trace *trace, const char *path);

#endif
