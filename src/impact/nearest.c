/* min |x - x0|^2 with K x = h (equal rows), K x >= h (the others): x = x0 + K' z, and z solves the mixed
 * complementarity problem with the matrix K K', which is positive semidefinite: Lemke's method finds z or proves that
 * no x exists. */
#include "impact/nearest.h"

#include "linalg/dense.h"

size_t crd_nearest_room(int rows) { return (size_t)rows * ((size_t)rows + 2); }

crd_status crd_nearest_point(crd_lcp_work *work, const crd_polyhedron *polyhedron, double *room, double *x) {
  int n = polyhedron->n, rows = polyhedron->rows;
  size_t columns = (size_t)n, size = (size_t)rows;
  const double *K = polyhedron->K;
  double *z = room, *w = z + size, *W = w + size;
  if (rows == 0) return CRD_OK;
  for (int i = 0; i < rows; i++) {
    w[i] = crd_dense_dot(n, K + columns * (size_t)i, x) - polyhedron->h[i];
    for (int j = 0; j <= i; j++)
      W[size * (size_t)i + (size_t)j] = W[size * (size_t)j + (size_t)i] =
          crd_dense_dot(n, K + columns * (size_t)i, K + columns * (size_t)j);
  }
  crd_lcp_problem problem = crd_lcp_dense(rows, W, w);
  problem.free_leading = polyhedron->equal;
  crd_status status = crd_lcp_solve(work, &problem, NULL, z, NULL);
  if (status == CRD_RAY) return CRD_NO_SOLUTION; /* where the matrix is positive semidefinite a ray proves it */
  if (status != CRD_OK) return status;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++) x[k] += K[columns * (size_t)i + (size_t)k] * z[i];
  return CRD_OK;
}
