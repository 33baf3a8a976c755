/* Traces as CSV: one line a row, a line of titles above. Numbers in the shortest form that reads back exactly. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file/text.h"
#include "io/trace/beside.h"
#include "io/trace/trace.h"

struct crd_trace_csv {
  char *path;
  int nq, nv, nact, nsensordata;
  crd_beside beside;
  FILE *file;
  int failure; /* errno of the first failure, 0: none */
  crd_text line;
};

static void put_line(crd_trace_csv *trace) {
  if (trace->failure) return;
  errno = 0;
  if (trace->line.failed) {
    trace->failure = ENOMEM;
  } else if (fwrite(trace->line.data, 1, trace->line.size, trace->file) != trace->line.size) {
    trace->failure = errno ? errno : EIO;
  }
  trace->line.size = 0;
}

/* Each of the words, separated by blanks, as a title. */
static void put_words(crd_text *line, const char *at) {
  while (*at) {
    int length = 0;
    while (at[length] && at[length] != ' ') length++;
    crd_text_add(line, ",%.*s", length, at);
    at += length + (at[length] == ' ');
  }
}

static void put_titles(crd_trace_csv *trace, const char *sensors) {
  crd_text_add(&trace->line, "t");
  for (int i = 0; i < trace->nq; i++) crd_text_add(&trace->line, ",qpos%d", i);
  for (int i = 0; i < trace->nv; i++) crd_text_add(&trace->line, ",qvel%d", i);
  for (int i = 0; i < trace->nact; i++) crd_text_add(&trace->line, ",act%d", i);
  if (sensors) put_words(&trace->line, sensors);
  put_words(&trace->line, CRD_TRACE_ENERGY);
  crd_text_add(&trace->line, ",penetration,residual,contacts\n");
  put_line(trace);
}

static void put_numbers(crd_text *line, int count, const double *value) {
  for (int i = 0; i < count; i++) {
    crd_text_add(line, ",");
    crd_text_add_number(line, value[i]);
  }
}

crd_status crd_trace_csv_create(const char *path, const crd_trace_header *header, int nq, int nv, crd_trace_csv **out,
                                crd_error *err) {
  struct stat present;
  *out = NULL;
  if (stat(path, &present) == 0 && !S_ISREG(present.st_mode))
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "found a %s, expected the name of a file to write",
                         S_ISDIR(present.st_mode) ? "folder" : "device or pipe");
  crd_trace_csv *trace = calloc(1, sizeof *trace);
  if (trace) trace->path = strdup(path);
  if (!trace || !trace->path) {
    free(trace);
    return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the trace");
  }
  trace->nq = nq, trace->nv = nv, trace->nact = header->nact;
  trace->nsensordata = header->sensors ? header->nsensordata : 0;
  int descriptor;
  crd_status status = crd_beside_begin(&trace->beside, path, &descriptor, err);
  if (status == CRD_OK && !(trace->file = fdopen(descriptor, "w"))) {
    status = crd_file_failed(err, path, "cannot be written");
    close(descriptor);
  }
  if (status) {
    crd_trace_csv_discard(trace);
    return status;
  }
  put_titles(trace, header->sensors);
  *out = trace;
  return CRD_OK;
}

void crd_trace_csv_add(crd_trace_csv *trace, const crd_trace_row *row) {
  double energy[CRD_TRACE_ENERGIES];
  crd_trace_energy_pack(&row->energy, energy);
  crd_text_add_number(&trace->line, row->t);
  put_numbers(&trace->line, trace->nq, row->qpos);
  put_numbers(&trace->line, trace->nv, row->qvel);
  put_numbers(&trace->line, trace->nact, row->act);
  put_numbers(&trace->line, trace->nsensordata, row->sensor);
  put_numbers(&trace->line, CRD_TRACE_ENERGIES, energy);
  put_numbers(&trace->line, 1, &row->penetration);
  put_numbers(&trace->line, 1, &row->residual);
  crd_text_add(&trace->line, ",%d\n", row->ncontact);
  put_line(trace);
}

bool crd_trace_csv_failed(const crd_trace_csv *trace) { return trace->failure != 0; }

/* Everything on the disk; the first failure is kept. */
static void finish(crd_trace_csv *trace) {
  errno = 0;
  if (fflush(trace->file) != 0 && !trace->failure) trace->failure = errno ? errno : EIO;
  if (!trace->failure && !crd_file_flush(fileno(trace->file))) trace->failure = errno;
  if (fclose(trace->file) != 0 && !trace->failure) trace->failure = errno;
  trace->file = NULL;
}

crd_status crd_trace_csv_commit(crd_trace_csv *trace, const crd_trace_end *end, crd_error *err) {
  if (end->truncated) {
    crd_text_add(&trace->line, "# truncated: %s\n", end->status);
    put_line(trace);
  }
  finish(trace);
  crd_status status;
  if (trace->failure) {
    errno = trace->failure;
    status = crd_file_failed(err, trace->path, "cannot be written");
    if (trace->failure == ENOMEM) status = CRD_ERR_MEMORY;
  } else {
    status = crd_beside_commit(&trace->beside, trace->path, err);
  }
  crd_trace_csv_discard(trace);
  return status;
}

void crd_trace_csv_discard(crd_trace_csv *trace) {
  if (!trace) return;
  if (trace->file) fclose(trace->file);
  crd_beside_discard(&trace->beside);
  crd_text_free(&trace->line);
  free(trace->path);
  free(trace);
}
