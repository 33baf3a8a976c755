/* Complementarity problems from JSON.
 *
 *   { "cradle": "lcp/1", "W": [[..]], "w": [..], "free": [0, 3], "J": [[..]], "M": [[..]] }
 *
 * The matrix is W + J M^-1 J'. W may be absent where J is there, J with M where W is; M is the identity where it is
 * absent. "free" lists rows that hold with equality, counted from 0.
 */
#include <string.h>

#include "io/problem/json_factored.h"
#include "io/solve/lcp_file.h"

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
  if (W) crd_json_is_matrix(r, W, "W", (int)n, (int)n, "as many as entries of w");
  double *rhs = crd_json_room(r, &file->arena, n), *matrix = W ? crd_json_room(r, &file->arena, n * n) : NULL;
  crd_json_vector(r, w, "w", (int)n, "", rhs);
  if (W) crd_json_matrix(r, W, "W", (int)n, (int)n, "", matrix);
  file->problem = crd_lcp_dense((int)n, matrix, rhs);
  read_free(r, json_object_get(root, "free"), file, (int)n);
  crd_json_factored(r, root, &file->arena, (int)n, &file->problem.nv, &file->problem.J, &file->problem.L);
  const json_t *comment = json_object_get(root, "comment");
  file->comment = crd_arena_string(&file->arena, comment ? json_string_value(comment) : "");
  if (!file->comment) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  file->format = "lcp/1";
}

crd_status crd_lcp_file_json(json_t *root, const char *name, crd_lcp_file *file, crd_error *err) {
  crd_json_reading r = {.file = name, .err = err};
  read_root(&r, root, file);
  return r.status;
}
