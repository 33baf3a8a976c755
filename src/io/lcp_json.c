/* Complementarity problems from JSON.
 *
 *   { "cradle": "lcp/1", "W": [[..]], "w": [..], "free": [0, 3], "J": [[..]], "M": [[..]] }
 *
 * The matrix is W + J M^-1 J'. W may be absent where J is there, J with M where W is; M is the identity where it is
 * absent. "free" lists rows that hold with equality, counted from 0.
 */
#include <stdio.h>
#include <string.h>

#include "io/json_read.h"
#include "io/lcp_file.h"
#include "linalg/dense.h"

static double *take(crd_json_reading *r, crd_lcp_file *file, size_t count) {
  double *memory = r->status ? NULL : crd_arena_alloc(&file->arena, count, sizeof *memory);
  if (!memory) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  return memory;
}

/* Are all rows of the matrix lists of `cols` entries? Checked before memory is taken. */
static void check_shape(crd_json_reading *r, const json_t *matrix, const char *path, int rows, int cols,
                        const char *what) {
  if (!crd_json_is_list(r, matrix, path, rows, what)) return;
  for (int i = 0; i < rows; i++) {
    char place[48];
    snprintf(place, sizeof place, "%s[%d]", path, i);
    crd_json_is_list(r, json_array_get(matrix, (size_t)i), place, cols, what);
  }
}

static void read_free(crd_json_reading *r, const json_t *list, crd_lcp_file *file, int n) {
  if (r->status || !list) return;
  if (!json_is_array(list)) {
    crd_json_fail(r, CRD_ERR_FORMAT, "free: found %s, expected a list of rows", crd_json_type_name(list));
    return;
  }
  unsigned char *flags = crd_arena_alloc(&file->arena, (size_t)n, 1);
  if (!flags) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  for (size_t k = 0; k < json_array_size(list) && !r->status; k++) {
    const json_t *entry = json_array_get(list, k);
    json_int_t row = json_is_integer(entry) ? json_integer_value(entry) : -1;
    if (row < 0 || row >= n)
      crd_json_fail(r, CRD_ERR_FORMAT, "free[%zu]: found something else than a row, expected 0 to %d", k, n - 1);
    else
      flags[row] = 1;
  }
  file->problem.free_row = flags;
}

/* J, and the factor of M. */
static void read_factored(crd_json_reading *r, json_t *root, crd_lcp_file *file, int n) {
  const json_t *J = json_object_get(root, "J"), *M = json_object_get(root, "M");
  int nv = (int)json_array_size(json_array_get(J, 0));
  if (r->status || !J) {
    if (M && !J) crd_json_fail(r, CRD_ERR_FORMAT, "M: found without J, expected both");
    return;
  }
  if (nv < 1 || nv > CRD_LCP_FILE_ROWS)
    crd_json_fail(r, CRD_ERR_FORMAT, "J[0]: found %d entries, expected 1 to %d", nv, CRD_LCP_FILE_ROWS);
  check_shape(r, J, "J", n, nv, "one row for each entry of w, all of one length");
  double *rows = take(r, file, (size_t)n * (size_t)nv);
  crd_json_matrix(r, J, "J", n, nv, "", rows);
  file->problem.J = rows, file->problem.nv = nv;
  if (!M) return;
  check_shape(r, M, "M", nv, nv, "as many as columns of J");
  double *L = take(r, file, (size_t)nv * (size_t)nv);
  crd_json_matrix(r, M, "M", nv, nv, "", L);
  for (int i = 0; i < nv && !r->status; i++)
    for (int j = 0; j < i; j++)
      if (L[i * nv + j] != L[j * nv + i])
        crd_json_fail(r, CRD_ERR_MODEL, "M[%d][%d]: found another number than in M[%d][%d]", i, j, j, i);
  if (!r->status && !crd_dense_cholesky(nv, L))
    crd_json_fail(r, CRD_ERR_MODEL, "M: found a matrix that is not positive definite, expected a mass matrix");
  file->problem.L = L;
}

static void read_root(crd_json_reading *r, json_t *root, crd_lcp_file *file) {
  static const char *const names[] = {"cradle", "W", "w", "free", "J", "M"};
  const char *format = json_string_value(json_object_get(root, "cradle"));
  const json_t *w = json_object_get(root, "w"), *W = json_object_get(root, "W");
  size_t n = json_array_size(w);
  if (!format || strcmp(format, "lcp/1") != 0)
    crd_json_fail(r, CRD_ERR_FORMAT, "cradle: found %s%s%s, expected \"lcp/1\"", format ? "\"" : "",
                  format ? format : crd_json_type_name(json_object_get(root, "cradle")), format ? "\"" : "");
  crd_json_members(r, root, "", names, sizeof names / sizeof *names);
  if (!r->status && (n < 1 || n > CRD_LCP_FILE_ROWS))
    crd_json_fail(r, CRD_ERR_FORMAT, "w: found %s of %zu entries, expected a list of 1 to %d numbers",
                  crd_json_type_name(w), n, CRD_LCP_FILE_ROWS);
  if (!W && !json_object_get(root, "J"))
    crd_json_fail(r, CRD_ERR_FORMAT, "found neither W nor J, expected one of them");
  if (W) check_shape(r, W, "W", (int)n, (int)n, "as many as entries of w");
  double *rhs = take(r, file, n), *matrix = W ? take(r, file, n * n) : NULL;
  crd_json_vector(r, w, "w", (int)n, "", rhs);
  if (W) crd_json_matrix(r, W, "W", (int)n, (int)n, "", matrix);
  file->problem = crd_lcp_dense((int)n, matrix, rhs);
  read_free(r, json_object_get(root, "free"), file, (int)n);
  read_factored(r, root, file, (int)n);
  const json_t *comment = json_object_get(root, "comment");
  file->comment = crd_arena_string(&file->arena, comment ? json_string_value(comment) : "");
  if (!file->comment) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  file->format = "lcp/1";
}

crd_status crd_lcp_file_json(const char *text, size_t size, const char *name, crd_lcp_file *file, crd_error *err) {
  crd_json_reading r = {.file = name, .err = err};
  json_error_t where;
  json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &where);
  if (!root)
    return crd_error_set(err, CRD_ERR_FORMAT, name, where.line > 0 ? where.line : 0, "not JSON: %s", where.text);
  read_root(&r, root, file);
  json_decref(root);
  return r.status;
}
