/* Matrices of the form J M^-1 J' in JSON files. */
#include "io/problem/json_factored.h"

#include "linalg/dense.h"

enum { MOST_COLUMNS = 4096 }; /* of J: M is factored as a dense matrix */

double *crd_json_room(crd_json_reading *r, crd_arena *arena, size_t count) {
  double *memory = r->status ? NULL : crd_arena_alloc(arena, count, sizeof *memory);
  if (!memory) crd_json_fail(r, CRD_ERR_MEMORY, "out of memory");
  return memory;
}

void crd_json_factored(crd_json_reading *r, const json_t *object, crd_arena *arena, int n, int *nv, const double **J,
                       const double **L) {
  const json_t *jacobian = json_object_get(object, "J"), *mass = json_object_get(object, "M");
  const int columns = (int)json_array_size(json_array_get(jacobian, 0));
  if (r->status || !jacobian) {
    if (mass && !jacobian) crd_json_fail(r, CRD_ERR_FORMAT, "M: found without J, expected both");
    return;
  }
  if (columns < 1 || columns > MOST_COLUMNS)
    crd_json_fail(r, CRD_ERR_FORMAT, "J[0]: found %d entries, expected 1 to %d", columns, MOST_COLUMNS);
  crd_json_is_matrix(r, jacobian, "J", n, columns, "one row for each entry of w, all of one length");
  double *rows = crd_json_room(r, arena, (size_t)n * (size_t)columns);
  crd_json_matrix(r, jacobian, "J", n, columns, "", rows);
  *J = rows, *nv = columns;
  if (!mass) return;
  crd_json_is_matrix(r, mass, "M", columns, columns, "as many as columns of J");
  double *lower = crd_json_room(r, arena, (size_t)columns * (size_t)columns);
  crd_json_matrix(r, mass, "M", columns, columns, "", lower);
  for (int i = 0; i < columns && !r->status; i++)
    for (int j = 0; j < i; j++)
      if (lower[i * columns + j] != lower[j * columns + i])
        crd_json_fail(r, CRD_ERR_MODEL, "M[%d][%d]: found another number than in M[%d][%d]", i, j, j, i);
  if (!r->status && !crd_dense_cholesky(columns, lower))
    crd_json_fail(r, CRD_ERR_MODEL, "M: found a matrix that is not positive definite, expected a mass matrix");
  *L = lower;
}
