/* States before impacts with the velocities after them, for a model: CSV or HDF5.
 *
 * CSV: nq + 2 nv numbers a line, qpos, qvel before, qvel after, and after them the name of a group where there is one; lines that
 * begin with # and a first line of titles are passed over. HDF5: /qpos (rows x nq), /qvel_minus and /qvel_plus (rows x nv),
 * /group (rows, texts; may be absent). */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/file/number.h"
#include "io/file/path.h"
#include "io/hdf5/file.h"
#include "io/problem/row.h"

typedef struct reading {
  crd_measured_states *states;
  const char *path;
  size_t width; /* numbers a row */
  crd_error *err;
} reading;

static crd_status no_memory(reading *r) { return crd_error_set(r->err, CRD_ERR_MEMORY, r->path, 0, "out of memory"); }

static bool make_room(crd_measured_states *s, size_t rows, bool groups) {
  crd_arena *arena = &s->arena;
  s->qpos = crd_arena_alloc(arena, rows * (size_t)s->nq, sizeof(double));
  s->qvel = crd_arena_alloc(arena, rows * (size_t)s->nv, sizeof(double));
  s->qvel_plus = crd_arena_alloc(arena, rows * (size_t)s->nv, sizeof(double));
  s->fault = crd_arena_alloc(arena, rows, sizeof *s->fault), s->line = crd_arena_alloc(arena, rows, sizeof *s->line);
  if (groups) s->group = crd_arena_alloc(arena, rows, sizeof *s->group);
  return s->qpos && s->qvel && s->qvel_plus && s->fault && s->line && (s->group || !groups);
}

/* Where the k-th number of a row belongs, and the name of its column. */
static double *place(crd_measured_states *s, size_t row, size_t k, char name[32]) {
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  if (k < nq) return snprintf(name, 32, "qpos[%zu]", k), &s->qpos[row * nq + k];
  if (k < nq + nv) return snprintf(name, 32, "qvel before [%zu]", k - nq), &s->qvel[row * nv + k - nq];
  return snprintf(name, 32, "qvel after [%zu]", k - nq - nv), &s->qvel_plus[row * nv + k - nq - nv];
}

/* Notes what is wrong with a row; the first fault stays. */
static bool fault(reading *r, size_t row, const char *text) {
  if (!r->states->fault[row]) r->states->fault[row] = crd_arena_string(&r->states->arena, text);
  return r->states->fault[row] != NULL;
}

/* ------------------------------------------------------------------------------------------------ CSV */

static bool is_title(const char *line) {
  double x;
  line += strspn(line, " \t");
  return *line == '#' || !crd_number_read(line, &x);
}

/* One line, terminated; false: no memory. */
static bool read_line(reading *r, size_t row, char *line) {
  crd_measured_states *s = r->states;
  char text[160], name[32];
  size_t k = 0;
  for (char *at = line; at && k < r->width; k++) {
    double *to = place(s, row, k, name);
    at += strspn(at, " \t");
    const char *end = crd_number_read(at, to), *rest = end ? end + strspn(end, " \t\r") : NULL;
    const size_t length = strcspn(at, ",");
    if (!end || (*rest && *rest != ',') || !isfinite(*to)) {
      snprintf(text, sizeof text, "column %zu (%s): found '%.*s', expected a finite number", k + 1, name,
               (int)(length < 40 ? length : 40), at);
      return fault(r, row, text);
    }
    at = at[length] == ',' ? at + length + 1 : NULL;
    if (k + 1 < r->width) {
      if (at) continue;
      snprintf(text, sizeof text, "found %zu columns, expected %zu (%d of qpos, twice %d of qvel)", k + 1, r->width,
               s->nq, s->nv);
      return fault(r, row, text);
    }
    if (!at) continue;
    size_t size = strcspn(at, "\r");
    while (size > 0 && isspace((unsigned char)at[size - 1])) size--;
    at[size] = 0;
    s->group[row] = crd_arena_string(&s->arena, at + strspn(at, " \t"));
    if (!s->group[row]) return false;
  }
  return true;
}

static crd_status read_csv(reading *r) {
  crd_measured_states *s = r->states;
  char *text;
  size_t size, lines = 1;
  crd_status status = crd_path_read(&s->arena, r->path, &text, &size, r->err);
  if (status != CRD_OK) return status;
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  if (!make_room(s, lines, true)) return no_memory(r);
  bool first = true;
  int number = 0;
  for (char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    number++;
    if (line[strspn(line, " \t\r")] == 0 || line[strspn(line, " \t")] == '#' || (first && is_title(line))) continue;
    first = false;
    s->line[s->rows] = number;
    if (!read_line(r, s->rows++, line)) return no_memory(r);
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
  if (status == CRD_OK && !make_room(s, rows, false)) status = no_memory(r);
  if (status == CRD_OK && crd_h5_has(file, "/group"))
    status = crd_h5_read(file, "/group", CRD_H5_TEXT, 1, &size[0][0], &s->arena, &s->group, r->err);
  crd_h5_close(file);
  if (status != CRD_OK) return status;
  s->qpos = value[0], s->qvel = value[1], s->qvel_plus = value[2], s->rows = rows;
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < r->width; k++) {
      if (isfinite(*place(s, i, k, column))) continue;
      snprintf(text, sizeof text, "%s: found a number that is not finite", column);
      if (!fault(r, i, text)) return no_memory(r);
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
