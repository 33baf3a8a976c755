/* The parts of `cradle run`: what defines a run, the run itself, what it came to. */
#ifndef CRADLE_CLI_RUN_H
#define CRADLE_CLI_RUN_H

#include <cradle/sim.h>

#include "common.h"
#include "progress.h"
#include "torque_file.h"

/* Everything a run needs; from the command line or from a trace. */
typedef struct run_job {
  const crd_model *model; /* as simulated: in full formulation every body is free */
  crd_trace_header header;
  double start;                    /* s: when it begins; header.time says when it ends */
  const double *qpos, *qvel, *act; /* initial state */
  const torque_file *torque;       /* NULL: none */
} run_job;

/* Where a repeated run first differs from the stored one. */
typedef struct run_comparison {
  const crd_trace *with;
  size_t row, event; /* compared so far */
  bool differs;
  const char *what; /* "qpos", "an event", ... */
  double t, by;     /* when, and by how much */
} run_comparison;

enum { RUN_EVENTS_KEPT = 100000 }; /* for --json; a trace has them all */

typedef struct run_result {
  crd_status status;
  char message[512]; /* why it ended, "" where it reached its time */
  char start[512];   /* what was moved at the start, "" where nothing was */
  bool interrupted, disk_failed;
  double t, wall, timestep;
  crd_sim_energy energy;
  crd_sim_counters counters;
  double *qpos, *qvel, *act; /* final */
  crd_sim_event *event;
  size_t nevent, event_room; /* events kept */
  size_t counts[CRD_EVENT_KINDS];
  json_t *work;      /* of each contact by its name, J; NULL: no memory */
  const char *trace; /* file written, NULL: none */
  uint64_t seed;
  crd_arena arena; /* names of contacts, final state */
} run_result;

void run_result_free(run_result *result);
/* Did it reach its time? */
bool run_complete(const run_result *result);

/* Called now and then with the simulated time and the number of contacts; may be NULL. */
typedef void (*run_report)(void *context, double t, int contacts);

/* Simulates the job; to a trace at path, or in memory (both NULL: none), compared with a stored one (NULL: not). The
 * caller frees *trace, which points into the job. The exit code after a message on stderr where the run could not begin or its trace could not be written; else that of the result. */
int run_execute(const run_job *job, const char *path, crd_trace *trace, run_comparison *comparison, run_report report,
                void *context, run_result *result);

/* The run that a trace defines, from its row `row` on; torque is read where the trace has one, and is the caller's to
 * free. false with *err set: its model is another than its rows are of. */
bool run_job_of_trace(const crd_trace *trace, size_t row, const crd_model *model, torque_file *torque, run_job *job,
                      crd_error *err);
/* --repeat FILE: reads a trace, simulates it again and compares every bit. */
int run_repeat(const char *path, bool json);

typedef struct run_view {
  const char *input;
  const run_job *job;
  const run_result *result;
  int count; /* of results */
  double wall;
} run_view;
void run_print_text(FILE *file, const run_view *view);
bool run_print_json(FILE *file, const run_view *view);

#endif
