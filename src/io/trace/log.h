/* The log of a trace: what the program writes beside the HDF5 file while a run goes on, so that a run that is killed
 * keeps what was done.
 *
 * HDF5 cannot be read before it is closed. The log can: a head (the magic word, nq, nv, nact, nsensordata, then a whole trace without
 * rows, which holds what defines the run), then rows and events one behind the other, each with its length and a
 * checksum; a cut one ends the log. It goes to the disk every second and when 64 KiB have come together. The trace that
 * is committed takes its place; one that is left over becomes a trace by crd_trace_recover. */
#ifndef SRC_IO_TRACE_LOG_H
#define SRC_IO_TRACE_LOG_H

#include <cradle/io.h>

typedef struct crd_trace_log crd_trace_log;

/* Beside path. A log that cannot be written is given up silently: the trace itself reports a full disk. */
crd_trace_log *crd_trace_log_create(const char *path, const crd_trace_header *header, int nq, int nv);
void crd_trace_log_add(crd_trace_log *log, const crd_trace_row *row);
void crd_trace_log_event(crd_trace_log *log, const crd_sim_event *event, const double *qpos, const double *qvel);
/* Removes it; NULL is allowed. */
void crd_trace_log_end(crd_trace_log *log);

#endif
