/* min |x - x0|^2 with K x = h (equal rows), K x >= h (the others): x = x0 + K' z, and z solves the mixed
 * complementarity problem with the matrix K K', which is positive semidefinite: Lemke's method finds z or proves that
 * no x exists. */
#include "impact/nearest.h"

#include "linalg/dense.h"

crd_status crd_nearest_point(crd_lcp_work *work, const crd_polyhedron *polyhedron, double *z, double *x) {
  int n = polyhedron->n, rows = polyhedron->rows;
  double *w = z + rows;
  for (int i = 0; i < rows; i++) w[i] = crd_dense_dot(n, polyhedron->K + (size_t)n * (size_t)i, x) - polyhedron->h[i];
  crd_lcp_problem problem = {.n = rows, .w = w, .free_leading = polyhedron->equal, .nv = n, .J = polyhedron->K};
  crd_lcp_report report;
  crd_status status = crd_lcp_solve(work, &problem, NULL, z, &report);
  if (status == CRD_RAY) return CRD_NO_SOLUTION; /* where the matrix is positive semidefinite a ray proves it */
  if (status != CRD_OK) return status;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < n; k++) x[k] += polyhedron->K[(size_t)n * (size_t)i + (size_t)k] * z[i];
  return CRD_OK;
}
