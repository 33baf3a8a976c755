/* Projection operators of [A] from the factors of the oblique projection (impact/oblique.h), for every rank of the
 * rows:
 *
 *   D A = U diag(sigma) V,   A^+ = V' diag(1/sigma) U' D Pi,   P = I - V' V,   S = Y' K^-1 V,   Q = W^+
 *   M_o^+ = N' (N M N')^-1 N  with N an orthonormal basis of the null space
 *
 * O(n^3 + m^2 n). */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "base/layout.h"
#include "impact/oblique.h"
#include "linalg/dense.h"
#include "linalg/product.h"

static const double DEPENDENT = 1e-9; /* share of a row outside the range: less is rounding */

static bool allocate(crd_projection *p, crd_arena *arena) {
  int n = p->nv, m = p->rows, free = n - p->rank;
  p->A = crd_matrix(arena, m, n), p->A_plus = crd_matrix(arena, n, m);
  p->range = crd_matrix(arena, p->rank, n), p->null = crd_matrix(arena, free, n);
  p->P = crd_matrix(arena, n, n), p->S = crd_matrix(arena, n, n), p->R = crd_matrix(arena, n, n);
  p->Mo_plus = crd_matrix(arena, n, n), p->inertia = crd_matrix(arena, n, n);
  p->G = crd_matrix(arena, n, m), p->Q = crd_matrix(arena, m, m), p->dependence = crd_matrix(arena, m, 1);
  return p->A && p->A_plus && p->range && p->null && p->P && p->S && p->R && p->Mo_plus && p->inertia && p->G && p->Q &&
         p->dependence;
}

/* A^+, column by column: the projected unit vector through U, sigma and V. Rows whose own column of Pi is not the unit
 * vector depend on others. */
static void invert_rows(crd_projection *p, const crd_oblique *o, double *x) {
  for (int i = 0; i < p->rows; i++) {
    memset(x, 0, sizeof *x * (size_t)p->rows);
    x[i] = 1;
    crd_oblique_project_range(o, x);
    double missing = 1 - x[i];
    p->dependence[i] = missing > DEPENDENT ? missing : 0;
    for (int a = 0; a < o->rank; a++) {
      double along = 0;
      for (int k = 0; k < p->rows; k++) along += o->U[crd_at(o->rank, k, a)] * o->D[k] * x[k];
      for (int j = 0; j < p->nv; j++)
        p->A_plus[crd_at(p->rows, j, i)] += o->V[crd_at(p->nv, a, j)] * along / o->sigma[a];
    }
  }
}

/* Rows of W^+. */
static void invert_delassus(crd_projection *p, const crd_oblique *o) {
  for (int i = 0; i < p->rows; i++) {
    p->Q[crd_at(p->rows, i, i)] = 1;
    crd_oblique_solve(o, p->Q + crd_at(p->rows, i, 0));
  }
  crd_dense_symmetrize(p->rows, p->Q);
}

/* P, its null-space basis (the eigenvectors of P with value 1) and S. */
static crd_status project(crd_projection *p, const crd_oblique *o, crd_arena *arena) {
  int n = p->nv, r = p->rank;
  double *copy, *values, *KV, *KVt;
  if (CRD_TAKE(arena, CRD_MATRIX(copy, n, n), CRD_MATRIX(values, n, 4), CRD_MATRIX(KV, n, r), CRD_MATRIX(KVt, r, n)))
    return CRD_ERR_MEMORY;
  crd_dense_multiply_tn(n, r, n, o->V, o->V, p->P);
  for (int i = 0; i < n * n; i++) p->P[i] = -p->P[i];
  for (int i = 0; i < n; i++) p->P[crd_at(n, i, i)] += 1;
  crd_dense_symmetrize(n, p->P);
  memcpy(copy, p->P, sizeof *copy * (size_t)n * (size_t)n);
  if (!crd_dense_eigen_symmetric(n, copy, values, values + n)) return CRD_SINGULAR;
  memcpy(p->null, copy + crd_at(n, r, 0), sizeof *copy * (size_t)(n - r) * (size_t)n);
  memcpy(p->range, o->V, sizeof *copy * (size_t)r * (size_t)n);
  for (int j = 0; j < n; j++)
    for (int a = 0; a < r; a++) KV[crd_at(r, j, a)] = o->V[crd_at(n, a, j)];
  crd_dense_cholesky_solve(r, o->L, n, KV);
  for (int j = 0; j < n; j++)
    for (int a = 0; a < r; a++) KVt[crd_at(n, a, j)] = KV[crd_at(r, j, a)];
  crd_dense_multiply_tn(n, r, n, o->Y, KVt, p->S);
  for (int i = 0; i < n * n; i++) p->R[i] = -2 * p->S[i];
  for (int i = 0; i < n; i++) p->R[crd_at(n, i, i)] += 1;
  return CRD_OK;
}

/* M_o^+ and the interval (9f) from N M N', whose eigenvalues are the nonzero ones of M_o. */
static crd_status invert_free_inertia(crd_projection *p, crd_arena *arena) {
  int n = p->nv, free = n - p->rank;
  double *MN, *K, *values, *scaled;
  if (CRD_TAKE(arena, CRD_MATRIX(MN, n, free), CRD_MATRIX(K, free, free), CRD_MATRIX(values, free, 4),
               CRD_MATRIX(scaled, free, n)))
    return CRD_ERR_MEMORY;
  p->nu_min = p->nu_max = NAN, p->cond_min = 1;
  if (free == 0) return CRD_OK;
  crd_dense_multiply_nt(n, n, free, p->M, p->null, MN);
  crd_dense_multiply(free, n, free, p->null, MN, K);
  crd_dense_symmetrize(free, K);
  if (!crd_dense_eigen_symmetric(free, K, values, values + free) || !(values[0] > 0)) return CRD_SINGULAR;
  p->nu_min = values[0], p->nu_max = values[free - 1], p->cond_min = p->nu_max / p->nu_min;
  crd_dense_multiply(free, free, n, K, p->null, scaled);
  for (int a = 0; a < free; a++)
    for (int j = 0; j < n; j++) scaled[crd_at(n, a, j)] /= sqrt(values[a]);
  crd_dense_multiply_tn(n, free, n, scaled, scaled, p->Mo_plus);
  return CRD_OK;
}

crd_status crd_analysis_projection_form(crd_projection *projection, int nv, const double *M, int rows, const double *A,
                                        crd_arena *arena) {
  crd_oblique oblique;
  double *X, *L, *x, *MS, *J;
  int *row;
  if (!M) return CRD_ERR_ARGUMENT;
  if (CRD_TAKE(arena, CRD_MATRIX(X, rows, nv), CRD_MATRIX(L, nv, nv), CRD_ARRAY(x, rows), CRD_MATRIX(MS, nv, nv),
               CRD_MATRIX(J, rows, nv), CRD_ARRAY(row, rows)))
    return CRD_ERR_MEMORY;
  memcpy(L, M, sizeof *L * (size_t)nv * (size_t)nv);
  if (!crd_dense_cholesky(nv, L)) return CRD_SINGULAR;
  if (rows > 0) {
    memcpy(J, A, sizeof *X * (size_t)rows * (size_t)nv);
    memcpy(X, A, sizeof *X * (size_t)rows * (size_t)nv);
  }
  crd_dense_cholesky_solve(nv, L, rows, X);
  for (int i = 0; i < rows; i++) row[i] = i;
  crd_contact_problem only_rows = {.nv = nv, .nb = rows, .J = J, .X = X};
  crd_status status = crd_oblique_factor(&oblique, &only_rows, rows, row, arena);
  if (status != CRD_OK) return status;
  crd_projection p = {.nv = nv, .rows = rows, .rank = oblique.rank, .M = M};
  if (!allocate(&p, arena)) return CRD_ERR_MEMORY;
  memcpy(p.A, J, sizeof *J * (size_t)rows * (size_t)nv);
  invert_rows(&p, &oblique, x);
  invert_delassus(&p, &oblique);
  status = project(&p, &oblique, arena);
  if (status == CRD_OK) status = invert_free_inertia(&p, arena);
  if (status != CRD_OK) return status;
  crd_dense_multiply(nv, nv, nv, M, p.S, MS);
  crd_dense_multiply_tn(nv, nv, nv, p.S, MS, p.inertia);
  crd_dense_symmetrize(nv, p.inertia);
  crd_dense_multiply(nv, nv, rows, p.S, p.A_plus, p.G); /* not M^-1 A' W^+, which has twice the condition */
  *projection = p;
  return CRD_OK;
}

crd_status crd_analysis_projection_of_problem(crd_projection *projection, const crd_contact_problem *problem,
                                              crd_arena *arena) {
  int n = problem->nv, rows = problem->nc + problem->nb;
  double *A = crd_matrix(arena, rows, n);
  if (!A) return CRD_ERR_MEMORY;
  for (int i = 0; i < rows; i++) {
    int row = i < problem->nc ? problem->contact[i].row : problem->nrow + i - problem->nc;
    memcpy(A + crd_at(n, i, 0), problem->J + crd_at(n, row, 0), sizeof *A * (size_t)n);
  }
  return crd_analysis_projection_form(projection, n, problem->M, rows, A, arena);
}
