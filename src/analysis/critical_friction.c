/* The friction at which the contact LCP (26) of [C] stops having one solution for every b.
 *
 *   D(mu) = G - mu C,   C = n_q' H_T diag(1/|grad h_i|)
 *
 * is a P-matrix for small mu, and stops being one where the first principal minor vanishes: at the reciprocal of the
 * largest positive real eigenvalue of G_aa^-1 C_aa over all sets a of contacts. One contact: mu_c of Proposition 12. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "analysis/slip.h"
#include "linalg/dense.h"
#include "linalg/spectrum.h"

static const double REAL = 1e-9; /* relative imaginary part of an eigenvalue that is real */

/* Largest positive real eigenvalue of G_aa^-1 C_aa, 0 where there is none. */
static crd_status largest_root(int p, const double *G, const double *C, unsigned set, double *root) {
  double L[CRD_WELLPOSED_CONTACTS * CRD_WELLPOSED_CONTACTS], A[CRD_WELLPOSED_CONTACTS * CRD_WELLPOSED_CONTACTS],
      re[CRD_WELLPOSED_CONTACTS], im[CRD_WELLPOSED_CONTACTS];
  int member[CRD_WELLPOSED_CONTACTS], k = 0;
  for (int i = 0; i < p; i++)
    if (set >> i & 1) member[k++] = i;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) {
      L[k * i + j] = G[crd_at(p, member[i], member[j])];
      A[k * i + j] = C[crd_at(p, member[j], member[i])]; /* columns as right-hand sides */
    }
  if (!crd_dense_cholesky(k, L)) return CRD_SINGULAR;
  crd_dense_cholesky_solve(k, L, k, A);
  if (!crd_dense_eigenvalues(k, A, re, im)) return CRD_SINGULAR;
  for (int i = 0; i < k; i++)
    if (fabs(im[i]) <= REAL * fabs(re[i])) *root = fmax(*root, re[i]);
  return CRD_OK;
}

crd_status crd_analysis_wellposed_critical(const crd_quasi_basis *b, const crd_contact_problem *problem,
                                           const double *slip, double *mu_critical, crd_arena *arena) {
  int p = b->nc;
  double *C = crd_matrix(arena, p, p), root = 0;
  if (!C) return CRD_ERR_MEMORY;
  *mu_critical = NAN;
  if (p > CRD_WELLPOSED_CONTACTS || !b->independent) return CRD_OK;
  crd_slip_columns(b, problem, slip, p, b->nH, C);
  for (int i = 0; i < p * p; i++) C[i] /= b->norm[i % p];
  for (unsigned set = 1; set < 1u << p; set++) {
    crd_status status = largest_root(p, b->G, C, set, &root);
    if (status == CRD_SINGULAR) return CRD_OK;
    if (status != CRD_OK) return status;
  }
  *mu_critical = root > 0 ? 1 / root : INFINITY;
  return CRD_OK;
}

crd_status crd_analysis_wellposed_critical_least(const crd_quasi_basis *b, const crd_contact_problem *problem,
                                                 double *mu_critical, crd_arena *arena) {
  int p = b->nc, planar[CRD_WELLPOSED_CONTACTS], count = 0;
  double *slip = crd_matrix(arena, p, 2), least = INFINITY;
  if (!slip) return CRD_ERR_MEMORY;
  *mu_critical = NAN;
  if (p > CRD_WELLPOSED_CONTACTS) return CRD_OK;
  crd_analysis_slip_directions_of(problem, slip);
  for (int c = 0; c < p; c++)
    if (problem->contact[c].ntangent == 1) planar[count++] = c;
  for (unsigned signs = 0; signs < 1u << count; signs++) {
    double mu;
    for (int k = 0; k < count; k++) slip[2 * planar[k]] = signs >> k & 1 ? -1 : 1;
    crd_status status = crd_analysis_wellposed_critical(b, problem, slip, &mu, arena);
    if (status != CRD_OK) return status;
    if (isnan(mu)) return CRD_OK;
    least = fmin(least, mu);
  }
  *mu_critical = least;
  return CRD_OK;
}
