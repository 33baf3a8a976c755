/* The factors of the oblique projection: O(rows^2 nv) for the singular value decomposition. */
#include "impact/oblique.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

static const double IN_RANGE = 1e-12; /* of the largest scaled entry: departure from the range that is rounding */

/* Rows of unit length whose smallest singular value is below this count as dependent, and rows shorter than this times
 * the longest as zero: positions known to about 1e-11 (angles written with 12 digits) do not make a singular linkage
 * regular. */
static const double rank_tolerance = 1e-10;

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Keeps the first `rank` columns of U, which has k columns. */
static void drop_columns(int rows, int k, int rank, double *U) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rank; j++) U[at(rank, i, j)] = U[at(k, i, j)];
}

/* D A = U diag(sigma) V and the rank. */
static crd_status decompose(crd_oblique *o, const crd_contact_problem *problem, const int *row, crd_arena *arena) {
  int n = o->nv, k = o->rows < n ? o->rows : n;
  double *A, *work;
  if (CRD_TAKE(arena, CRD_MATRIX(A, o->rows, n), CRD_ARRAY(work, crd_dense_svd_work(o->rows, n))))
    return CRD_ERR_MEMORY;
  double longest = 0;
  for (int i = 0; i < o->rows; i++) {
    const double *J = problem->J + at(n, row[i], 0);
    o->D[i] = sqrt(crd_dense_dot(n, J, J));
    longest = fmax(longest, o->D[i]);
  }
  for (int i = 0; i < o->rows; i++) {
    bool zero = o->D[i] <= rank_tolerance * longest;
    o->D[i] = zero ? 1 : 1 / o->D[i];
    for (int j = 0; j < n && !zero; j++) A[at(n, i, j)] = o->D[i] * problem->J[at(n, row[i], j)];
  }
  if (!crd_dense_svd(o->rows, n, A, o->U, o->sigma, o->V, work)) return CRD_SINGULAR;
  while (o->rank < k && o->sigma[o->rank] > rank_tolerance * o->sigma[0]) o->rank++;
  drop_columns(o->rows, k, o->rank, o->U);
  return CRD_OK;
}

/* Y = V M^-1 = diag(1/sigma) U' D (A M^-1), which the problem has as X, and the factor of K = Y V'. */
static crd_status factor_inertia(crd_oblique *o, const crd_contact_problem *problem, const int *row) {
  int n = o->nv, r = o->rank;
  for (int a = 0; a < r; a++) {
    if (crd_interrupted()) return CRD_LIMIT;
    for (int i = 0; i < o->rows; i++) {
      double weight = o->U[at(r, i, a)] * o->D[i] / o->sigma[a];
      for (int j = 0; j < n; j++) o->Y[at(n, a, j)] += weight * problem->X[at(n, row[i], j)];
    }
  }
  for (int a = 0; a < r; a++)
    for (int b = 0; b <= a; b++)
      o->L[at(r, a, b)] = 0.5 * (crd_dense_dot(n, o->Y + at(n, a, 0), o->V + at(n, b, 0)) +
                                 crd_dense_dot(n, o->Y + at(n, b, 0), o->V + at(n, a, 0)));
  return crd_dense_cholesky(r, o->L) ? CRD_OK : CRD_SINGULAR;
}

/* The range of A is D^-1 times that of D A. */
static void span_range(crd_oblique *o, double *work) {
  for (int i = 0; i < o->rows; i++)
    for (int a = 0; a < o->rank; a++) o->Q[at(o->rank, i, a)] = o->U[at(o->rank, i, a)] / o->D[i];
  crd_dense_orthonormalize(o->rows, o->rank, o->Q, work);
}

crd_status crd_oblique_factor(crd_oblique *oblique, const crd_contact_problem *problem, int rows, const int *row,
                              crd_arena *arena) {
  size_t m = (size_t)rows, n = (size_t)problem->nv, k = m < n ? m : n, d = sizeof(double);
  crd_oblique o = {.nv = problem->nv, .rows = rows};
  if (CRD_TAKE(arena, CRD_ARRAY(o.D, m), CRD_MATRIX(o.U, m, k), CRD_ARRAY(o.sigma, k), CRD_MATRIX(o.V, k, n),
               CRD_MATRIX(o.Y, k, n), CRD_MATRIX(o.L, k, k), CRD_ARRAY(o.work, m + 2 * k)))
    return CRD_ERR_MEMORY;
  crd_status status = decompose(&o, problem, row, arena);
  if (status == CRD_OK) status = factor_inertia(&o, problem, row);
  if (status != CRD_OK) return status;
  if (o.rank < rows) {
    o.Q = crd_arena_alloc(arena, m * (size_t)o.rank, d);
    if (!o.Q) return CRD_ERR_MEMORY;
    span_range(&o, o.work);
  }
  *oblique = o;
  return CRD_OK;
}

/* Velocities that the rows can have are left as they are, to the digits of each row's own length: D x = U U' D x. False:
 * x is not in the range. */
static bool in_range(const crd_oblique *o, double *x) {
  double *inside = o->work, size = 0, off = 0;
  memset(inside, 0, sizeof *inside * (size_t)o->rank);
  for (int i = 0; i < o->rows; i++)
    for (int a = 0; a < o->rank; a++) inside[a] += o->U[at(o->rank, i, a)] * o->D[i] * x[i];
  for (int i = 0; i < o->rows; i++) {
    double scaled = crd_dense_dot(o->rank, o->U + at(o->rank, i, 0), inside);
    size = fmax(size, fabs(o->D[i] * x[i])), off = fmax(off, fabs(scaled - o->D[i] * x[i]));
  }
  return off <= IN_RANGE * size;
}

void crd_oblique_project_range(const crd_oblique *o, double *x) {
  if (!o->Q || in_range(o, x)) return;
  double *inside = o->work;
  memset(inside, 0, sizeof *inside * (size_t)o->rank);
  for (int i = 0; i < o->rows; i++)
    for (int a = 0; a < o->rank; a++) inside[a] += o->Q[at(o->rank, i, a)] * x[i];
  for (int i = 0; i < o->rows; i++) x[i] = crd_dense_dot(o->rank, o->Q + at(o->rank, i, 0), inside);
}

void crd_oblique_solve(const crd_oblique *o, double *x) {
  double *y = o->work;
  crd_oblique_project_range(o, x);
  memset(y, 0, sizeof *y * (size_t)o->rank);
  for (int i = 0; i < o->rows; i++)
    for (int a = 0; a < o->rank; a++) y[a] += o->U[at(o->rank, i, a)] * o->D[i] * x[i];
  for (int a = 0; a < o->rank; a++) y[a] /= o->sigma[a];
  crd_dense_cholesky_solve(o->rank, o->L, 1, y);
  for (int a = 0; a < o->rank; a++) y[a] /= o->sigma[a];
  for (int i = 0; i < o->rows; i++) x[i] = o->D[i] * crd_dense_dot(o->rank, o->U + at(o->rank, i, 0), y);
  crd_oblique_project_range(o, x);
}
