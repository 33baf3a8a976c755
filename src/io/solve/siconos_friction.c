/* Plain text friction problems of the Siconos collection, local and global.
 *
 *   local   d, contacts, W (d contacts square), q, mu of each contact
 *   global  d, contacts, M (n x n), H (n x d contacts), f (n), b (d contacts), mu:   M v = H r + f,  u = H' v + b
 *
 * d is 2, 3, or 5 with rolling, where the coefficients of rolling follow those of sliding. A contact's rows are its
 * normal, tangents, rolling. Older files end with one more number, 0 or 1.
 */
#include <stdio.h>

#include "io/file/condense.h"
#include "io/solve/coulomb_file.h"
#include "io/solve/siconos_file.h"
#include "io/solve/siconos_matrix.h"

static double *read_vector(crd_scan *s, crd_arena *arena, int count, const char *name) {
  if (!crd_scan_has_room(s, (size_t)count, name)) return NULL;
  double *vector = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)count + 1, sizeof *vector));
  crd_scan_numbers(s, vector, count, 1, 1, 1, name);
  return vector;
}

static double *read_coefficients(crd_scan *s, crd_arena *arena, int count, const char *name) {
  if (!crd_scan_has_room(s, (size_t)count, name)) return NULL;
  double *mu = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)count + 1, sizeof *mu));
  for (int k = 0; k < count && !s->status; k++) {
    char what[80];
    snprintf(what, sizeof what, "a number of at least 0 (%s of contact %d)", name, k);
    crd_scan_skip(s);
    const crd_scan before = *s;
    mu[k] = crd_scan_number(s, what);
    if (!s->status && mu[k] < 0) {
      *s = before;
      crd_scan_fail(s, CRD_ERR_NUMBER, "%s", what);
    }
  }
  return mu;
}

/* M, H, f, b to W and q. */
static double *read_global(crd_scan *s, crd_arena *arena, crd_arena *scratch, int rows, const crd_entries *mass,
                           crd_entries *W) {
  crd_entries H, M_entries, H_entries;
  crd_siconos_matrix(s, scratch, mass->rows, rows, "H", &H);
  double *f = read_vector(s, scratch, mass->rows, "f"), *b = read_vector(s, scratch, rows, "b");
  double *q = s->status ? NULL : crd_scan_memory(s, crd_arena_alloc(arena, (size_t)rows, sizeof *q));
  if (s->status) return NULL;
  int row = 0;
  crd_status status = crd_entries_sparse(scratch, mass, &M_entries) && crd_entries_sparse(scratch, &H, &H_entries)
                          ? crd_condense(scratch, &M_entries, &H_entries, f, b, q, W, &row)
                          : CRD_ERR_MEMORY;
  if (status == CRD_ERR_MEMORY) crd_scan_memory(s, NULL);
  if (status == CRD_ERR_MODEL)
    s->status =
        crd_error_set(s->err, status, s->name, 0,
                      "found a matrix M that is singular or not positive definite in the rows coupled with row %d, "
                      "expected a mass matrix",
                      row);
  if (status == CRD_ERR_CAPACITY)
    s->status = crd_error_set(
        s->err, CRD_ERR_FORMAT, s->name, 0,
        "found a body of more than %d rows, or too many contacts of one body, in M, expected smaller ones",
        CRD_CONDENSE_ROWS);
  return q;
}

/* Behind the M of a global problem come storage and size of H. A W may be followed by a q that looks the same, but not
 * by as many numbers. */
static bool is_global(crd_scan *s, const crd_entries *matrix, int d, int ncontact) {
  const int rows = d * ncontact, behind = rows + ncontact * (d == 5 ? 2 : 1);
  double head[3] = {0};
  if (s->status) return false;
  const bool has_H = crd_scan_ahead(s, 3, head) == 3 && (head[0] == 0 || head[0] == 1 || head[0] == 2) &&
                     head[1] == matrix->rows && head[2] == rows;
  if (matrix->rows != rows && !has_H)
    s->status = crd_error_set(s->err, CRD_ERR_FORMAT, s->name, s->line,
                              "found a matrix of %d rows, expected %d (%d for each of %d contacts), or H behind it "
                              "(global problem)",
                              matrix->rows, rows, d, ncontact);
  const int more = crd_scan_ahead(s, behind + 2, NULL);
  return has_H && (matrix->rows != rows || (more != behind && more != behind + 1));
}

/* Files of the time when M was marked as symmetric or not. */
static void skip_flag(crd_scan *s) {
  double flag[2];
  crd_scan_skip(s);
  if (!s->status && crd_scan_ahead(s, 2, flag) == 1 && (flag[0] == 0 || flag[0] == 1))
    crd_scan_count(s, 0, 1, "0 or 1");
}

void crd_siconos_friction(crd_scan *s, crd_coulomb_file *file) {
  crd_arena scratch = {0};
  crd_entries matrix, W;
  const int d = crd_scan_count(s, 2, 5, "the dimension, 2, 3, or 5 with rolling");
  const int ncontact = crd_scan_count(s, 1, CRD_COULOMB_FILE_ROWS / 5, "the number of contacts, at least 1");
  const int rows = d * ncontact;
  crd_siconos_matrix(s, &scratch, -1, -1, "the matrix", &matrix);
  if (!s->status && matrix.rows != matrix.cols) crd_scan_fail(s, CRD_ERR_FORMAT, "a square matrix");
  const bool global = is_global(s, &matrix, d, ncontact);
  double *q = NULL;
  if (global) {
    q = read_global(s, &file->arena, &scratch, rows, &matrix, &W);
  } else {
    W = matrix;
    q = read_vector(s, &file->arena, rows, "q");
  }
  const double *mu = read_coefficients(s, &scratch, ncontact, "mu");
  const double *mu_roll = d == 5 ? read_coefficients(s, &scratch, ncontact, "mu of rolling") : NULL;
  skip_flag(s);
  crd_siconos_end(s, &file->arena, &file->comment);
  file->problem.w = q;
  file->format = global ? "siconos global friction" : "siconos friction", file->name = "";
  if (!s->status &&
      !(crd_coulomb_file_contacts(file, d, ncontact, mu, mu_roll, 0) && crd_coulomb_file_matrix(file, &W)))
    crd_scan_memory(s, NULL);
  crd_arena_free(&scratch);
}
