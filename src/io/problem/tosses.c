/* Measured motions of a model: CSV or HDF5.
 *
 * CSV: t, qpos (nq) and, where it was measured, qvel (nv) in a row, and after them the name of the motion where there is one.
 * HDF5: /t (samples), /qpos (samples x nq), /qvel (samples x nv) and /toss (samples, texts), which may be absent. Another name
 * begins another motion, and so does a time that is not after the last one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "io/file/path.h"
#include "io/hdf5/file.h"
#include "io/problem/row.h"
#include "io/problem/table.h"

typedef struct reading {
  crd_measured_tosses *tosses;
  const char *path;
  const char **fault; /* samples */
  int *line;          /* samples; NULL: HDF5 */
  crd_error *err;
} reading;

static crd_status no_memory(reading *r) { return crd_error_set(r->err, CRD_ERR_MEMORY, r->path, 0, "out of memory"); }

static void name_column(const void *tosses, size_t width, size_t k, char name[32]) {
  const size_t nq = (size_t)((const crd_measured_tosses *)tosses)->nq;
  (void)width;
  if (k == 0)
    snprintf(name, 32, "t");
  else if (k <= nq)
    snprintf(name, 32, "qpos[%zu]", k - 1);
  else
    snprintf(name, 32, "qvel[%zu]", k - 1 - nq);
}

static crd_status read_csv(reading *r) {
  crd_measured_tosses *s = r->tosses;
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, width[2] = {1 + nq, 1 + nq + nv};
  char expected[96];
  crd_number_table table;
  snprintf(expected, sizeof expected, "t, %d of qpos, and %d of qvel where they were measured", s->nq, s->nv);
  const crd_table_form form = {.nwidth = 2, .width = width, .expected = expected, .column = name_column, .context = s};
  crd_status status = crd_number_table_read(r->path, &form, &s->arena, &table, r->err);
  if (status != CRD_OK) return status;
  const bool fast = table.width == width[1];
  s->t = crd_arena_alloc(&s->arena, table.rows, sizeof *s->t);
  s->qpos = crd_arena_alloc(&s->arena, table.rows * nq, sizeof *s->qpos);
  if (fast) s->qvel = crd_arena_alloc(&s->arena, table.rows * nv, sizeof *s->qvel);
  if (!s->t || !s->qpos || (fast && !s->qvel)) return no_memory(r);
  for (size_t i = 0; i < table.rows; i++) {
    const double *from = table.value + i * table.width;
    s->t[i] = from[0];
    memcpy(s->qpos + i * nq, from + 1, nq * sizeof *from);
    if (fast) memcpy(s->qvel + i * nv, from + 1 + nq, nv * sizeof *from);
  }
  s->samples = table.rows, s->name = table.word, r->fault = table.fault, r->line = table.line;
  return CRD_OK;
}

/* Reports the first value of a sample of HDF5 that is not finite. */
static bool find_fault(reading *r, size_t i) {
  const crd_measured_tosses *s = r->tosses;
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv, width = 1 + nq + (s->qvel ? nv : 0);
  char text[96], column[32];
  for (size_t k = 0; k < width; k++) {
    const double x = k == 0 ? s->t[i] : k <= nq ? s->qpos[i * nq + k - 1] : s->qvel[i * nv + k - 1 - nq];
    if (isfinite(x)) continue;
    name_column(s, width, k, column);
    snprintf(text, sizeof text, "%s: found a number that is not finite", column);
    return (r->fault[i] = crd_arena_string(&r->tosses->arena, text)) != NULL;
  }
  return true;
}

static crd_status read_h5(reading *r) {
  crd_measured_tosses *s = r->tosses;
  crd_h5_input *file = NULL;
  crd_status status = crd_h5_open(r->path, &file, r->err);
  size_t n = CRD_H5_ANY;
  if (status == CRD_OK) status = crd_h5_read(file, "/t", CRD_H5_DOUBLE, 1, &n, &s->arena, &s->t, r->err);
  size_t qpos[2] = {n, (size_t)s->nq}, qvel[2] = {n, (size_t)s->nv};
  if (status == CRD_OK) status = crd_h5_read(file, "/qpos", CRD_H5_DOUBLE, 2, qpos, &s->arena, &s->qpos, r->err);
  if (status == CRD_OK && crd_h5_has(file, "/qvel"))
    status = crd_h5_read(file, "/qvel", CRD_H5_DOUBLE, 2, qvel, &s->arena, &s->qvel, r->err);
  if (status == CRD_OK && crd_h5_has(file, "/toss"))
    status = crd_h5_read(file, "/toss", CRD_H5_TEXT, 1, &n, &s->arena, &s->name, r->err);
  crd_h5_close(file);
  if (status != CRD_OK) return status;
  r->fault = crd_arena_alloc(&s->arena, n, sizeof *r->fault);
  if (!r->fault) return no_memory(r);
  s->samples = n;
  for (size_t i = 0; i < n; i++)
    if (!find_fault(r, i)) return no_memory(r);
  return CRD_OK;
}

static const char *name_of(const crd_measured_tosses *s, size_t i) { return s->name && s->name[i] ? s->name[i] : ""; }

/* Splits the samples. A motion with a bad sample is bad as a whole: what happened between its neighbours is not known. */
static crd_status split(reading *r) {
  crd_measured_tosses *s = r->tosses;
  if (CRD_TAKE(&s->arena, CRD_ARRAY(s->first, s->samples + 1), CRD_ARRAY(s->fault, s->samples),
               CRD_ARRAY(s->line, s->samples)))
    return no_memory(r);
  double last = NAN; /* the last good time of the motion */
  for (size_t i = 0; i < s->samples; i++) {
    const bool same = s->count > 0 && strcmp(name_of(s, i), name_of(s, i - 1)) == 0;
    if (!same || (!r->fault[i] && s->t[i] <= last)) s->first[s->count++] = i, last = NAN;
    const size_t toss = s->count - 1;
    if (!r->fault[i]) last = s->t[i];
    if (!r->fault[i] || s->fault[toss]) continue;
    s->fault[toss] = r->fault[i], s->line[toss] = r->line ? r->line[i] : 0;
  }
  s->first[s->count] = s->samples;
  for (size_t k = 0; k < s->count; k++) {
    if (s->first[k + 1] - s->first[k] >= 2 || s->fault[k]) continue;
    s->fault[k] = "found a motion of a single sample, expected two or more with rising t";
    s->line[k] = r->line ? r->line[s->first[k]] : 0;
  }
  return CRD_OK;
}

crd_status crd_io_read_measured_tosses(const char *path, int nq, int nv, crd_measured_tosses *tosses, crd_error *err) {
  crd_error own;
  crd_io_measured_tosses_free(tosses);
  tosses->nq = nq, tosses->nv = nv;
  reading r = {.tosses = tosses, .path = path, .err = err ? err : &own};
  const char *ending = crd_path_extension(path);
  const bool h5 = strcmp(ending, "h5") == 0 || strcmp(ending, "hdf5") == 0;
  crd_status status = h5 ? read_h5(&r) : read_csv(&r);
  if (status == CRD_OK && tosses->samples == 0)
    status = crd_error_set(r.err, CRD_ERR_FORMAT, path, 0, "found no sample, expected at least two");
  if (status == CRD_OK) status = split(&r);
  if (status != CRD_OK) crd_io_measured_tosses_free(tosses);
  return status;
}

void crd_io_measured_tosses_free(crd_measured_tosses *tosses) {
  crd_arena_free(&tosses->arena);
  *tosses = (crd_measured_tosses){0};
}
