/* Energetic consistency of a restitution matrix: [A] (53)-(56) with the errata.
 *
 *   K+ - K- = 1/2 u' (E' Q E - Q) u,      u = Z y: what normal velocities can be with the bilateral rows at rest
 *
 * Redundant rows and bilateral rows take away velocities, and the printed test speaks about them all the same. */
#include <math.h>
#include <string.h>

#include "analysis/restitution.h"
#include "base/layout.h"
#include "impact/oblique.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double GONE = 1e-10; /* of its length: what rounding leaves of a vector that was projected away */

/* The normals with the span of the bilateral rows taken out, A_u (I - V_b' V_b): what is left of a row that moves only
 * against them is rounding, and zero. */
static crd_status free_normals(const crd_contact_problem *problem, double *rows, crd_arena *arena) {
  int n = problem->nv, nc = problem->nc;
  int *row = crd_arena_alloc(arena, (size_t)problem->nb, sizeof *row);
  crd_oblique held;
  if (!row) return CRD_ERR_MEMORY;
  for (int b = 0; b < problem->nb; b++) row[b] = problem->nrow + b;
  crd_status status = crd_oblique_factor(&held, problem, problem->nb, row, arena);
  if (status != CRD_OK) return status;
  for (int c = 0; c < nc; c++) {
    double *x = rows + crd_at(n, c, 0);
    memcpy(x, problem->J + crd_at(n, problem->contact[c].row, 0), sizeof *x * (size_t)n);
    double before = sqrt(crd_dense_dot(n, x, x));
    for (int a = 0; a < held.rank; a++) {
      const double *V = held.V + crd_at(n, a, 0);
      double along = crd_dense_dot(n, V, x);
      for (int j = 0; j < n; j++) x[j] -= along * V[j];
    }
    if (sqrt(crd_dense_dot(n, x, x)) <= GONE * before) memset(x, 0, sizeof *x * (size_t)n);
  }
  return CRD_OK;
}

/* Z: the range of the free normals. */
static crd_status span_velocities(crd_restitution *r, const crd_contact_problem *problem, crd_arena *arena) {
  int n = problem->nv, nc = problem->nc;
  double *rows = crd_matrix(arena, nc, n);
  int *row = crd_arena_alloc(arena, (size_t)nc, sizeof *row);
  crd_oblique o;
  if (!rows || !row) return CRD_ERR_MEMORY;
  crd_status status = free_normals(problem, rows, arena);
  if (status != CRD_OK) return status;
  for (int c = 0; c < nc; c++) row[c] = c;
  crd_contact_problem euclidean = {.nv = n, .nb = nc, .J = rows, .X = rows};
  status = crd_oblique_factor(&o, &euclidean, nc, row, arena);
  if (status != CRD_OK) return status;
  r->dim = o.rank;
  r->Z = o.Q ? o.Q : crd_matrix(arena, nc, nc);
  if (!r->Z) return CRD_ERR_MEMORY;
  if (!o.Q) crd_dense_identity(nc, r->Z);
  return CRD_OK;
}

crd_status crd_analysis_restitution_form(crd_restitution *restitution, const crd_contact_problem *problem,
                                         crd_arena *arena) {
  crd_restitution r = {.contacts = problem->nc};
  int nc = problem->nc, m = nc + problem->nb, n = problem->nv;
  crd_status status = crd_analysis_projection_of_problem(&r.projection, problem, arena);
  if (status == CRD_OK) status = span_velocities(&r, problem, arena);
  if (status != CRD_OK) return status;
  double *QZ, *L;
  if (CRD_TAKE(arena, CRD_MATRIX(QZ, nc, r.dim), CRD_MATRIX(L, n, n), CRD_MATRIX(r.Q, nc, nc),
               CRD_MATRIX(r.K, r.dim, r.dim), CRD_MATRIX(r.M_inverse, n, n)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < nc; i++)
    for (int j = 0; j < nc; j++) r.Q[crd_at(nc, i, j)] = r.projection.Q[crd_at(m, i, j)];
  crd_dense_multiply(nc, nc, r.dim, r.Q, r.Z, QZ);
  crd_dense_multiply_tn(r.dim, nc, r.dim, r.Z, QZ, r.K);
  crd_dense_symmetrize(r.dim, r.K);
  memcpy(L, problem->M, sizeof *L * (size_t)n * (size_t)n);
  if (!crd_dense_cholesky(n, L)) return CRD_SINGULAR;
  crd_dense_identity(n, r.M_inverse);
  crd_dense_cholesky_solve(n, L, n, r.M_inverse);
  crd_dense_symmetrize(n, r.M_inverse);
  *restitution = r;
  return CRD_OK;
}

crd_status crd_restitution_energy_after(const crd_restitution *r, const double *E, double *H, crd_arena *arena) {
  int nc = r->contacts, d = r->dim;
  double *EZ, *QEZ;
  if (CRD_TAKE(arena, CRD_MATRIX(EZ, nc, d), CRD_MATRIX(QEZ, nc, d))) return CRD_ERR_MEMORY;
  crd_dense_multiply(nc, nc, d, E, r->Z, EZ);
  crd_dense_multiply(nc, nc, d, r->Q, EZ, QEZ);
  crd_dense_multiply_tn(d, nc, d, EZ, QEZ, H);
  crd_dense_symmetrize(d, H);
  return CRD_OK;
}

/* X over all rows; on bilateral rows E is zero (43). */
static crd_status energy_change(const crd_restitution *r, const double *E, double *X, crd_arena *arena) {
  int nc = r->contacts, m = r->projection.rows;
  double *QE, *EQE;
  if (CRD_TAKE(arena, CRD_MATRIX(QE, nc, nc), CRD_MATRIX(EQE, nc, nc))) return CRD_ERR_MEMORY;
  crd_dense_multiply(nc, nc, nc, r->Q, E, QE);
  crd_dense_multiply_tn(nc, nc, nc, E, QE, EQE);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++)
      X[crd_at(m, i, j)] = (i < nc && j < nc ? EQE[crd_at(nc, i, j)] : 0) - r->projection.Q[crd_at(m, i, j)];
  crd_dense_symmetrize(m, X);
  return CRD_OK;
}

/* (56) with u = Z y: [K, Z'E'G'; G E Z, M^-1]. */
crd_status crd_restitution_lmi(const crd_restitution *r, const double *E, double **lmi, crd_arena *arena) {
  int nc = r->contacts, d = r->dim, n = r->projection.nv, m = r->projection.rows, size = d + n;
  double *EZ, *F;
  if (CRD_TAKE(arena, CRD_MATRIX(EZ, nc, d), CRD_MATRIX(F, size, size))) return CRD_ERR_MEMORY;
  crd_dense_multiply(nc, nc, d, E, r->Z, EZ);
  for (int i = 0; i < d; i++)
    for (int j = 0; j < d; j++) F[crd_at(size, i, j)] = r->K[crd_at(d, i, j)];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) F[crd_at(size, d + i, d + j)] = r->M_inverse[crd_at(n, i, j)];
    for (int j = 0; j < d; j++) {
      double sum = 0;
      for (int k = 0; k < nc; k++) sum += r->projection.G[crd_at(m, i, k)] * EZ[crd_at(d, k, j)];
      F[crd_at(size, d + i, j)] = F[crd_at(size, j, d + i)] = sum;
    }
  }
  *lmi = F;
  return CRD_OK;
}

/* First whether anything gains at all, which few faces decide, then how much. */
static crd_status find_worst(const crd_restitution *r, const double *E, crd_worst_velocity *worst, crd_arena *arena) {
  crd_worst_velocity gains;
  int faces = crd_restitution_faces(r);
  const double floor = 1 + CRD_ENERGY_TOLERANCE;
  crd_status status = crd_restitution_worst_above(&gains, r, E, faces, floor, arena);
  bool found = gains.gain > floor - 1, none = !found && gains.status == CRD_OK;
  if (status == CRD_OK) status = crd_analysis_restitution_worst(worst, r, E, faces, arena);
  if (status != CRD_OK) return status;
  if (none) worst->bound = fmin(worst->bound, CRD_ENERGY_TOLERANCE);
  if (found && gains.gain > worst->gain) {
    double bound = fmin(fmax(worst->bound, gains.gain), gains.bound);
    *worst = gains, worst->bound = bound;
    if (!(bound > gains.gain)) worst->status = CRD_OK;
  }
  return CRD_OK;
}

crd_status crd_analysis_restitution_check(crd_restitution_verdict *verdict, const crd_restitution *r, const double *E,
                                          crd_arena *arena) {
  int d = r->dim, m = r->projection.rows;
  crd_restitution_verdict v = {0};
  double *H, *difference, *K, *values, size;
  if (CRD_TAKE(arena, CRD_MATRIX(v.X, m, m), CRD_MATRIX(H, d, d), CRD_MATRIX(difference, d, d), CRD_MATRIX(K, d, d),
               CRD_MATRIX(values, d, 4)))
    return CRD_ERR_MEMORY;
  crd_status status = energy_change(r, E, v.X, arena);
  if (status == CRD_OK) status = crd_restitution_energy_after(r, E, H, arena);
  if (status != CRD_OK) return status;
  for (int i = 0; i < d * d; i++) difference[i] = H[i] - r->K[i];
  crd_dense_symmetric_range(m, v.X, NULL, &v.printed, arena);
  crd_dense_symmetric_range(d, difference, NULL, &v.restricted, arena);
  size = crd_dense_frobenius(m, m, v.X) + crd_dense_frobenius(m, m, r->projection.Q);
  v.printed_holds = !(v.printed > CRD_ENERGY_TOLERANCE * size);
  memcpy(K, r->K, sizeof *K * (size_t)d * (size_t)d);
  if (!crd_dense_eigen_pair(d, H, K, values, values + d)) return CRD_SINGULAR;
  v.gain_any = d > 0 ? values[d - 1] - 1 : -1;
  v.restricted_holds = v.gain_any <= CRD_ENERGY_TOLERANCE;
  status = crd_analysis_restitution_margin(r, E, CRD_LMI_EIGENVALUES, &v.margin, arena);
  if (status == CRD_OK) status = find_worst(r, E, &v.worst, arena);
  if (status != CRD_OK) return status;
  *verdict = v;
  return CRD_OK;
}
