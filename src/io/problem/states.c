/* States before impacts with the velocities after them, for a model: CSV or HDF5.
 *
 * CSV: nq + 2 nv numbers a line, qpos, qvel before, qvel after, and after them the name of a group where there is one; lines that
 * begin with # and a first line of titles are passed over. HDF5: /qpos (rows x nq), /qvel_minus and /qvel_plus (rows x nv),
 * /group (rows, texts; may be absent). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "io/file/path.h"
#include "io/hdf5/file.h"
#include "io/problem/row.h"
#include "io/problem/table.h"

typedef struct reading {
  crd_measured_states *states;
  const char *path;
  size_t width; /* numbers a row */
  crd_error *err;
} reading;

static crd_status no_memory(reading *r) { return crd_error_set(r->err, CRD_ERR_MEMORY, r->path, 0, "out of memory"); }

static void name_column(const void *states, size_t width, size_t k, char name[32]) {
  const crd_measured_states *s = states;
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  (void)width;
  if (k < nq)
    snprintf(name, 32, "qpos[%zu]", k);
  else if (k < nq + nv)
    snprintf(name, 32, "qvel before [%zu]", k - nq);
  else
    snprintf(name, 32, "qvel after [%zu]", k - nq - nv);
}

static bool make_room(crd_measured_states *s, size_t rows) {
  return !CRD_TAKE(&s->arena, CRD_MATRIX(s->qpos, rows, s->nq), CRD_MATRIX(s->qvel, rows, s->nv),
                   CRD_MATRIX(s->qvel_plus, rows, s->nv));
}

/* ------------------------------------------------------------------------------------------------ CSV */

static crd_status read_csv(reading *r) {
  crd_measured_states *s = r->states;
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  char expected[80];
  crd_number_table table;
  snprintf(expected, sizeof expected, "%d of qpos, twice %d of qvel", s->nq, s->nv);
  const crd_table_form form = {
      .nwidth = 1, .width = &r->width, .expected = expected, .column = name_column, .context = s};
  crd_status status = crd_number_table_read(r->path, &form, &s->arena, &table, r->err);
  if (status != CRD_OK) return status;
  if (!make_room(s, table.rows)) return no_memory(r);
  s->rows = table.rows, s->group = table.word, s->fault = table.fault, s->line = table.line;
  for (size_t i = 0; i < table.rows; i++) {
    const double *from = table.value + i * r->width;
    memcpy(s->qpos + i * nq, from, nq * sizeof *from);
    memcpy(s->qvel + i * nv, from + nq, nv * sizeof *from);
    memcpy(s->qvel_plus + i * nv, from + nq + nv, nv * sizeof *from);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ HDF5 */

static crd_status read_h5(reading *r) {
  crd_measured_states *s = r->states;
  crd_h5_input *file = NULL;
  size_t size[3][2] = {{CRD_H5_ANY, (size_t)s->nq}, {CRD_H5_ANY, (size_t)s->nv}, {CRD_H5_ANY, (size_t)s->nv}};
  static const char *const name[3] = {"/qpos", "/qvel_minus", "/qvel_plus"};
  double *value[3] = {NULL};
  char text[96], column[32];
  crd_status status = crd_h5_open(r->path, &file, r->err);
  for (int k = 0; k < 3 && status == CRD_OK; k++) {
    status = crd_h5_read(file, name[k], CRD_H5_DOUBLE, 2, size[k], &s->arena, &value[k], r->err);
    if (k < 2) size[k + 1][0] = size[0][0];
  }
  const size_t rows = size[0][0];
  if (status == CRD_OK && crd_h5_has(file, "/group"))
    status = crd_h5_read(file, "/group", CRD_H5_TEXT, 1, &size[0][0], &s->arena, &s->group, r->err);
  crd_h5_close(file);
  if (status != CRD_OK) return status;
  s->qpos = value[0], s->qvel = value[1], s->qvel_plus = value[2], s->rows = rows;
  s->fault = crd_arena_alloc(&s->arena, rows, sizeof *s->fault);
  s->line = crd_arena_alloc(&s->arena, rows, sizeof *s->line);
  if (!s->fault || !s->line) return no_memory(r);
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < r->width && !s->fault[i]; k++) {
      const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
      const double x = k < nq        ? s->qpos[i * nq + k]
                       : k < nq + nv ? s->qvel[i * nv + k - nq]
                                     : s->qvel_plus[i * nv + k - nq - nv];
      if (isfinite(x)) continue;
      name_column(s, r->width, k, column);
      snprintf(text, sizeof text, "%s: found a number that is not finite", column);
      if (!(s->fault[i] = crd_arena_string(&s->arena, text))) return no_memory(r);
    }
  return CRD_OK;
}

crd_status crd_io_read_measured_states(const char *path, int nq, int nv, crd_measured_states *states, crd_error *err) {
  crd_error own;
  crd_io_measured_states_free(states);
  states->nq = nq, states->nv = nv;
  reading r = {.states = states, .path = path, .width = (size_t)nq + 2 * (size_t)nv, .err = err ? err : &own};
  const char *ending = crd_path_extension(path);
  const bool h5 = strcmp(ending, "h5") == 0 || strcmp(ending, "hdf5") == 0;
  crd_status status = h5 ? read_h5(&r) : read_csv(&r);
  if (status == CRD_OK && states->rows == 0)
    status = crd_error_set(r.err, CRD_ERR_FORMAT, path, 0, "found no row, expected at least one");
  if (status != CRD_OK) crd_io_measured_states_free(states);
  return status;
}

void crd_io_measured_states_free(crd_measured_states *states) {
  crd_arena_free(&states->arena);
  *states = (crd_measured_states){0};
}
