/* Results of the projection operators of [A]: constraint inertia (8)-(9), motion (6), (13), (14), impact energy
 * (44), (52), activation (3), (15)-(17). */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"

crd_status crd_analysis_projection_inertia(crd_constraint_inertia *inertia, const crd_projection *p, double nu,
                                           crd_arena *arena) {
  int n = p->nv;
  if (!(nu > 0)) return CRD_ERR_ARGUMENT;
  double *MP, *L, *x, *values;
  crd_constraint_inertia c = {0};
  if (CRD_TAKE(arena, CRD_MATRIX(MP, n, n), CRD_MATRIX(L, n, n), CRD_MATRIX(x, n, n), CRD_MATRIX(values, n, 4),
               CRD_MATRIX(c.Mc, n, n), CRD_MATRIX(c.S, n, n)))
    return CRD_ERR_MEMORY;
  c.eigenvalues = values;
  crd_dense_multiply(n, n, n, p->M, p->P, MP);
  crd_dense_multiply(n, n, n, p->P, MP, c.Mc);
  for (int i = 0; i < n * n; i++) c.Mc[i] -= nu * p->P[i];
  for (int i = 0; i < n; i++) c.Mc[crd_at(n, i, i)] += nu;
  crd_dense_symmetrize(n, c.Mc);
  memcpy(L, c.Mc, sizeof *L * (size_t)n * (size_t)n);
  if (!crd_dense_eigen_symmetric(n, L, values, values + n)) return CRD_SINGULAR;
  c.cond = n > 0 ? values[n - 1] / values[0] : 1;
  memcpy(L, c.Mc, sizeof *L * (size_t)n * (size_t)n);
  if (!crd_dense_cholesky(n, L)) return CRD_SINGULAR;
  memcpy(x, MP, sizeof *x * (size_t)n * (size_t)n); /* row j of M P is column j of P M */
  crd_dense_cholesky_solve(n, L, n, x);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) c.S[crd_at(n, i, j)] = (i == j) - x[crd_at(n, j, i)];
  *inertia = c;
  return CRD_OK;
}

crd_status crd_analysis_projection_motion(crd_constrained_motion *motion, const crd_projection *p, const double *A_dot,
                                          const double *qd, const double *force, crd_arena *arena) {
  int n = p->nv, m = p->rows;
  crd_constrained_motion c = {0};
  double *AdotP, *turn, *x, *y;
  if (CRD_TAKE(arena, CRD_MATRIX(c.Lambda, n, n), CRD_MATRIX(c.Omega, n, n), CRD_MATRIX(c.P_dot, n, n),
               CRD_ARRAY(c.qdd, n), CRD_ARRAY(c.f, n), CRD_ARRAY(c.lambda, m), CRD_ARRAY(c.residual, m),
               CRD_MATRIX(AdotP, m, n), CRD_ARRAY(turn, n), CRD_ARRAY(x, n), CRD_ARRAY(y, m)))
    return CRD_ERR_MEMORY;
  crd_dense_multiply(m, n, n, A_dot, p->P, AdotP);
  crd_dense_multiply(n, m, n, p->A_plus, AdotP, c.Lambda);
  for (int i = 0; i < n * n; i++) c.Lambda[i] = -c.Lambda[i];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c.Omega[crd_at(n, i, j)] = c.Lambda[crd_at(n, i, j)] - c.Lambda[crd_at(n, j, i)];
      c.P_dot[crd_at(n, i, j)] = c.Lambda[crd_at(n, i, j)] + c.Lambda[crd_at(n, j, i)];
    }
  crd_dense_apply(n, n, c.Omega, qd, turn);
  /* (13) with (I - S) M^-1 = M_o^+ (11e) */
  crd_dense_apply(n, n, p->Mo_plus, force, c.qdd);
  crd_dense_apply(n, n, p->S, turn, x);
  for (int i = 0; i < n; i++) c.qdd[i] += x[i];
  /* (14): S' (h - u + M Omega qd) */
  crd_dense_apply(n, n, p->M, turn, x);
  for (int i = 0; i < n; i++) x[i] -= force[i];
  crd_dense_apply_transposed(n, n, p->S, x, c.f);
  crd_dense_apply_transposed(n, m, p->A_plus, c.f, c.lambda);
  crd_dense_apply(m, n, p->A, c.qdd, c.residual);
  crd_dense_apply(m, n, A_dot, qd, y);
  for (int i = 0; i < m; i++) c.residual[i] += y[i];
  *motion = c;
  return CRD_OK;
}

crd_status crd_analysis_projection_energy(crd_projection_impact *impact, const crd_projection *p, const double *E,
                                          crd_arena *arena) {
  int n = p->nv, m = p->rows;
  crd_projection_impact c = {0};
  double *EA, *x;
  if (CRD_TAKE(arena, CRD_MATRIX(c.E_tilde, n, n), CRD_MATRIX(c.energy, n, n), CRD_MATRIX(EA, m, n),
               CRD_MATRIX(x, n, n)))
    return CRD_ERR_MEMORY;
  crd_dense_multiply(m, m, n, E, p->A, EA);
  crd_dense_multiply(n, m, n, p->A_plus, EA, c.E_tilde);
  crd_dense_multiply(n, n, n, p->inertia, c.E_tilde, x);
  crd_dense_multiply_tn(n, n, n, c.E_tilde, x, c.energy);
  for (int i = 0; i < n * n; i++) c.energy[i] -= p->inertia[i];
  crd_dense_symmetrize(n, c.energy);
  *impact = c;
  return CRD_OK;
}

void crd_analysis_projection_activation(int count, const double *phi, const double *phid, const double *lambda,
                                        double tolerance, unsigned char *gamma, unsigned char *gamma_star) {
  for (int i = 0; i < count; i++) {
    bool closed = phi[i] <= tolerance;
    gamma[i] = closed && lambda[i] > 0;
    gamma_star[i] = closed && !gamma[i] && phid[i] < 0;
  }
}
