/* Friction problems from HDF5 files of fclib, the Frictional Contact Library.
 *
 *   fclib_local            W, q, mu;      u = W r + V l + q,  0 = V' r + R l + s     (V, R, s may be absent)
 *   fclib_global           M, H, f, w, mu;   M v = H r + G l + f,  u = H' v + w,  0 = G' v + b     (G, b may be absent)
 *   fclib_global_rolling   the same with mu_r, five rows a contact
 *
 * l are the multipliers of equalities: bilateral rows behind those of the contacts. A global problem is condensed with
 * the columns [H G]. A matrix has m rows, n columns and nz: -1 compressed columns, -2 compressed rows, otherwise that
 * many entries with p and i as CSparse has them, columns and rows; a file that has them the other way, as fclib's
 * header says, is known by an index out of range where the matrix is not square, and does not matter where it is
 * symmetric.
 */
#include <math.h>
#include <stdio.h>

#include "io/file/condense.h"
#include "io/hdf5/file.h"
#include "io/solve/coulomb_file.h"

typedef struct reading {
  crd_h5_input *h5;
  const char *path;
  const char *group; /* "/fclib_local" */
  crd_arena *arena;  /* of what is needed while reading */
  crd_error *err;
  crd_status status;
} reading;

static void fail(reading *r, crd_status status, const char *name, const char *found, const char *expected) {
  if (r->status) return;
  r->status =
      crd_error_set(r->err, status, r->path, 0, "%s/%s: found %s, expected %s", r->group, name, found, expected);
}

static void *need(reading *r, void *memory) {
  if (!memory && !r->status) r->status = crd_error_set(r->err, CRD_ERR_MEMORY, r->path, 0, "out of memory");
  return memory;
}

/* The dataset group/name. */
static void *read_array(reading *r, const char *name, crd_h5_kind kind, size_t *size) {
  char place[96];
  void *value = NULL;
  snprintf(place, sizeof place, "%s/%s", r->group, name);
  if (!r->status) r->status = crd_h5_read(r->h5, place, kind, 1, size, r->arena, &value, r->err);
  return value;
}

static bool has(reading *r, const char *name) {
  char place[96];
  snprintf(place, sizeof place, "%s/%s", r->group, name);
  return !r->status && crd_h5_has(r->h5, place);
}

static int read_integer(reading *r, const char *name, int least, int most) {
  size_t size = 1;
  const int32_t *value = read_array(r, name, CRD_H5_INT32, &size);
  char found[24], expected[48];
  if (r->status) return least;
  snprintf(found, sizeof found, "%d", (int)*value);
  snprintf(expected, sizeof expected, "%d to %d", least, most);
  if (*value < least || *value > most) fail(r, CRD_ERR_FORMAT, name, found, expected);
  return r->status ? least : (int)*value;
}

static double *read_vector(reading *r, const char *name, int count) {
  char place[48];
  size_t size = (size_t)count;
  snprintf(place, sizeof place, "vectors/%s", name);
  double *value = read_array(r, place, CRD_H5_DOUBLE, &size);
  for (size_t i = 0; i < size && !r->status; i++)
    if (!isfinite(value[i])) fail(r, CRD_ERR_NUMBER, place, "a number that is not finite", "finite numbers");
  return value;
}

static double *read_coefficients(reading *r, const char *name, int count) {
  char place[48];
  double *mu = read_vector(r, name, count);
  snprintf(place, sizeof place, "vectors/%s", name);
  for (int k = 0; k < count && !r->status; k++)
    if (mu[k] < 0) fail(r, CRD_ERR_NUMBER, place, "a negative coefficient", "coefficients of at least 0");
  return mu;
}

/* ------------------------------------------------------------------------------------------------ matrices */

static bool fits(const int32_t *index, size_t count, int size) {
  for (size_t e = 0; e < count; e++)
    if (index[e] < 0 || index[e] >= size) return false;
  return true;
}

static void read_entries(reading *r, const char *name, size_t count, int32_t *p, int32_t *i, crd_entries *matrix) {
  const bool as_csparse = fits(i, count, matrix->rows) && fits(p, count, matrix->cols);
  if (!as_csparse && !(fits(p, count, matrix->rows) && fits(i, count, matrix->cols)))
    fail(r, CRD_ERR_FORMAT, name, "an index out of range", "rows below m and columns below n");
  matrix->row = as_csparse ? i : p, matrix->col = as_csparse ? p : i, matrix->count = count;
}

static void read_compressed(reading *r, const char *name, bool by_rows, size_t count, size_t pointers, const int32_t *p,
                            int32_t *i, crd_entries *matrix) {
  const int rows = matrix->rows, cols = matrix->cols, lines = by_rows ? rows : cols;
  double *value = matrix->value;
  bool ascends = pointers == (size_t)lines + 1 && p[0] == 0 && (size_t)p[lines] <= count;
  for (int k = 0; k < lines && ascends; k++) ascends = p[k] <= p[k + 1];
  if (!ascends) {
    fail(r, CRD_ERR_FORMAT, name, "pointers p that do not ascend from 0", "one for each line, and the end");
    return;
  }
  if (!fits(i, (size_t)p[lines], by_rows ? cols : rows)) {
    fail(r, CRD_ERR_FORMAT, name, "an index out of range", "rows below m and columns below n");
    return;
  }
  if (!crd_entries_from_compressed(r->arena, rows, cols, by_rows, p, i, value, matrix)) need(r, NULL);
}

/* group/name of rows x cols, either negative: any. */
static void read_matrix(reading *r, const char *name, int rows, int cols, crd_entries *matrix) {
  enum { COLUMNS = -1, ROWS = -2 };
  char place[48];
  snprintf(place, sizeof place, "%s/m", name);
  matrix->rows = read_integer(r, place, rows < 0 ? 1 : rows, rows < 0 ? CRD_COULOMB_FILE_ROWS : rows);
  snprintf(place, sizeof place, "%s/n", name);
  matrix->cols = read_integer(r, place, cols < 0 ? 1 : cols, cols < 0 ? CRD_COULOMB_FILE_ROWS : cols);
  snprintf(place, sizeof place, "%s/nz", name);
  const int nz = read_integer(r, place, ROWS, INT32_MAX - 1);
  size_t pointers = CRD_H5_ANY, indices = CRD_H5_ANY, count = CRD_H5_ANY;
  snprintf(place, sizeof place, "%s/p", name);
  int32_t *p = read_array(r, place, CRD_H5_INT32, &pointers);
  snprintf(place, sizeof place, "%s/i", name);
  int32_t *i = read_array(r, place, CRD_H5_INT32, &indices);
  snprintf(place, sizeof place, "%s/x", name);
  matrix->value = read_array(r, place, CRD_H5_DOUBLE, &count);
  if (r->status) return;
  if (count > indices || (nz >= 0 && ((size_t)nz > count || (size_t)nz > pointers)))
    fail(r, CRD_ERR_FORMAT, name, "lists of different lengths", "an index and a value for each entry");
  else if (nz >= 0)
    read_entries(r, name, (size_t)nz, p, i, matrix);
  else
    read_compressed(r, name, nz == ROWS, count, pointers, p, i, matrix);
  for (size_t e = 0; e < matrix->count && !r->status; e++)
    if (!isfinite(matrix->value[e])) fail(r, CRD_ERR_NUMBER, name, "a number that is not finite", "finite numbers");
}

/* A larger matrix put together from parts. */
static void put(const crd_entries *part, int row, int col, bool transposed, crd_entries *matrix) {
  for (size_t k = 0; k < part->count; k++) {
    const size_t e = matrix->count++;
    matrix->row[e] = row + (transposed ? part->col[k] : part->row[k]);
    matrix->col[e] = col + (transposed ? part->row[k] : part->col[k]);
    matrix->value[e] = part->value[k];
  }
}

/* ------------------------------------------------------------------------------------------------ problems */

static void finish(reading *r, int d, int rows, const double *mu, const double *mu_roll, int nbilateral,
                   const double *w, const crd_entries *G, crd_coulomb_file *file) {
  if (r->status) return;
  const int n = rows + nbilateral;
  double *copy = need(r, crd_arena_alloc(&file->arena, (size_t)n, sizeof *copy));
  for (int i = 0; i < n && copy; i++) copy[i] = w[i];
  file->problem.w = copy;
  if (!crd_coulomb_file_contacts(file, d, rows / d, mu, mu_roll, nbilateral) || !crd_coulomb_file_matrix(file, G))
    need(r, NULL);
}

/* d rows for each contact. */
static int contacts(reading *r, const char *name, int rows, int d) {
  char found[24], expected[48];
  snprintf(found, sizeof found, "%d rows", rows);
  snprintf(expected, sizeof expected, "a multiple of %d, the rows of a contact", d);
  if (rows % d != 0) fail(r, CRD_ERR_FORMAT, name, found, expected);
  return rows / d;
}

static int read_dimension(reading *r, bool rolling) {
  const int d = read_integer(r, "spacedim", 2, 5);
  if (!r->status && (rolling ? d != 5 : d != 2 && d != 3)) {
    char found[24];
    snprintf(found, sizeof found, "%d", d);
    fail(r, CRD_ERR_FORMAT, "spacedim", found, rolling ? "5" : "2 or 3");
  }
  return d;
}

static void read_local(reading *r, crd_coulomb_file *file) {
  crd_entries W = {0}, V = {0}, R = {0}, G = {0};
  const int d = read_dimension(r, false);
  read_matrix(r, "W", -1, -1, &W);
  const int rows = W.rows;
  if (!r->status && W.cols != rows) fail(r, CRD_ERR_FORMAT, "W/n", "another number than rows", "a square matrix");
  const int ncontact = contacts(r, "W/m", rows, d);
  const double *q = read_vector(r, "q", rows), *mu = read_coefficients(r, "mu", ncontact);
  if (!has(r, "V")) {
    finish(r, d, rows, mu, NULL, 0, q, &W, file);
    return;
  }
  read_matrix(r, "V", rows, -1, &V);
  const int p = V.cols;
  if (has(r, "R")) read_matrix(r, "R", p, p, &R);
  const double *s = read_vector(r, "s", p);
  double *w = r->status ? NULL : need(r, crd_arena_alloc(r->arena, (size_t)(rows + p), sizeof *w));
  if (!r->status && !crd_entries_alloc(r->arena, rows + p, rows + p, W.count + 2 * V.count + R.count, &G))
    need(r, NULL);
  if (r->status) return;
  G.count = 0;
  put(&W, 0, 0, false, &G), put(&V, 0, rows, false, &G), put(&V, rows, 0, true, &G), put(&R, rows, rows, false, &G);
  for (int i = 0; i < rows; i++) w[i] = q[i];
  for (int i = 0; i < p; i++) w[rows + i] = s[i];
  finish(r, d, rows, mu, NULL, p, w, &G, file);
}

static void read_global(reading *r, bool rolling, crd_coulomb_file *file) {
  crd_entries M = {0}, H = {0}, equalities = {0}, both = {0}, W = {0};
  const int d = read_dimension(r, rolling);
  read_matrix(r, "M", -1, -1, &M);
  if (!r->status && M.rows != M.cols) fail(r, CRD_ERR_FORMAT, "M/n", "another number than rows", "a square matrix");
  read_matrix(r, "H", M.rows, -1, &H);
  const int rows = H.cols, ncontact = contacts(r, "H/n", rows, d);
  if (has(r, "G")) read_matrix(r, "G", M.rows, -1, &equalities);
  const int p = equalities.cols, n = rows + p;
  const double *f = read_vector(r, "f", M.rows), *w = read_vector(r, "w", rows);
  const double *b = p ? read_vector(r, "b", p) : NULL, *mu = read_coefficients(r, "mu", ncontact);
  const double *mu_roll = rolling ? read_coefficients(r, "mu_r", ncontact) : NULL;
  double *free_velocity = r->status ? NULL : need(r, crd_arena_alloc(r->arena, 2 * (size_t)n, sizeof(double)));
  if (!r->status && !crd_entries_alloc(r->arena, M.rows, n, H.count + equalities.count, &both)) need(r, NULL);
  if (r->status) return;
  both.count = 0;
  put(&H, 0, 0, false, &both), put(&equalities, 0, rows, false, &both);
  double *constant = free_velocity + n;
  for (int i = 0; i < n; i++) constant[i] = i < rows ? w[i] : b[i - rows];
  int row = 0;
  crd_status status = crd_condense(r->arena, &M, &both, f, constant, free_velocity, &W, &row);
  char found[96];
  snprintf(found, sizeof found, "a singular or not positive definite matrix in the rows coupled with row %d", row);
  if (status == CRD_ERR_MEMORY) need(r, NULL);
  if (status == CRD_ERR_MODEL) fail(r, CRD_ERR_MODEL, "M", found, "a mass matrix");
  if (status == CRD_ERR_CAPACITY)
    fail(r, CRD_ERR_FORMAT, "M", "a body of more than 4096 rows or too many contacts", "smaller ones");
  finish(r, d, rows, mu, mu_roll, p, free_velocity, &W, file);
}

/* The first guess of the reactions, where there is one of the right size; a guess is never a reason to refuse. */
static void read_guess(reading *r, int rows, crd_coulomb_file *file) {
  const double *p = NULL;
  size_t size = (size_t)rows;
  crd_error ignored;
  if (r->status || crd_h5_read(r->h5, "/guesses/1/r", CRD_H5_DOUBLE, 1, &size, &file->arena, &p, &ignored)) return;
  double *guess = need(r, crd_arena_alloc(&file->arena, (size_t)file->problem.n, sizeof *guess));
  for (int i = 0; i < rows && guess; i++) guess[i] = p[i];
  for (int i = 0; i < rows && guess; i++)
    if (!isfinite(guess[i])) return;
  file->p = guess;
}

crd_status crd_coulomb_file_fclib(const char *path, crd_coulomb_file *file, crd_error *err) {
  crd_arena scratch = {0};
  reading r = {.path = path, .arena = &scratch, .err = err};
  r.status = crd_h5_open(path, &r.h5, err);
  if (r.status) return r.status;
  if (crd_h5_has(r.h5, "/fclib_local")) {
    r.group = "/fclib_local", file->format = "fclib local";
    read_local(&r, file);
  } else if (crd_h5_has(r.h5, "/fclib_global_rolling")) {
    r.group = "/fclib_global_rolling", file->format = "fclib global rolling";
    read_global(&r, true, file);
  } else if (crd_h5_has(r.h5, "/fclib_global")) {
    r.group = "/fclib_global", file->format = "fclib global";
    read_global(&r, false, file);
  } else {
    r.status = crd_error_set(err, CRD_ERR_FORMAT, path, 0,
                             "found none of the groups fclib_local, fclib_global and fclib_global_rolling, expected a "
                             "file of fclib");
  }
  read_guess(&r, file->problem.n - file->problem.nbilateral, file);
  file->name = file->comment = "";
  crd_h5_close(r.h5);
  crd_arena_free(&scratch);
  return r.status;
}
