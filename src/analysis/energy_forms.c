/* The loss of energy of v_norm+ = -E_nn v_norm- in the four forms of [C, (46)-(49)]: equal where E_nn is consistent with
 * the impact equations, written out so that they can be compared. With pbar = -G^-1 (I + E) v-,
 *
 *   (46)  (v+ + v-)' pbar / 2                            (47)  v-' (E - I)' G^-1 (E + I) v- / 2
 *   (48)  v-' (E' G^-1 E - G^-1) v- / 2                  (49)  -pbar' (I + E)^-1 (I - E) G pbar / 2   (C-14, xi = 0)
 */
#include <cradle/analysis.h>
#include <math.h>

#include "analysis/matrix.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/product.h"

/* x = (I + E)^-1 x; false: -1 is an eigenvalue of E. A: p x p, pivot: p. */
static bool solve_shifted(int p, const double *E, double *A, int *pivot, double *x) {
  for (int i = 0; i < p * p; i++) A[i] = E[i] + (i % (p + 1) == 0);
  if (!crd_lu_factor_bare(p, A, pivot)) return false;
  crd_lu_solve(p, A, pivot, 1, x);
  return true;
}

crd_status crd_analysis_quasi_energy_forms(const crd_quasi_basis *b, const double *Enn, double form[4],
                                           crd_arena *arena) {
  int p = b->nc;
  const double *v = b->norm_minus;
  double *Ev, *sum, *pbar, *x, *y, *A;
  int *pivot;
  if (CRD_TAKE(arena, CRD_MATRIX(Ev, p, 1), CRD_MATRIX(sum, p, 1), CRD_MATRIX(pbar, p, 1), CRD_MATRIX(x, p, 1),
               CRD_MATRIX(y, p, 1), CRD_MATRIX(A, p, p), CRD_ARRAY(pivot, (size_t)p + 1)))
    return CRD_ERR_MEMORY;
  crd_dense_apply(p, p, Enn, v, Ev);
  for (int i = 0; i < p; i++) sum[i] = v[i] + Ev[i];
  crd_dense_apply(p, p, b->D_n, sum, pbar); /* G^-1 (I + E) v-, which is -pbar */
  form[0] = form[1] = 0;
  for (int i = 0; i < p; i++) {
    form[0] += 0.5 * (v[i] - Ev[i]) * -pbar[i];
    form[1] += 0.5 * (Ev[i] - v[i]) * pbar[i];
  }
  form[2] = crd_analysis_quasi_energy_loss(b, Enn, NULL);
  crd_dense_apply(p, p, b->G, pbar, x);
  crd_dense_apply(p, p, Enn, x, y);
  for (int i = 0; i < p; i++) x[i] -= y[i];
  form[3] = solve_shifted(p, Enn, A, pivot, x) ? -0.5 * crd_dense_dot(p, pbar, x) : NAN;
  return CRD_OK;
}
