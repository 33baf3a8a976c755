/* Certificates from Lemke's ray.
 *
 * On a ray the basic variables grow along -x while the entering variable grows by 1: z + t r, z0 + t r0 with
 * u = W r + d r0 >= 0, r >= 0 and r_i u_i = 0. If moreover W' r <= 0 and w' r < 0, then r' (W z + w) < 0 for every z >=
 * 0, and the problem is not even feasible (Farkas).
 */
#include <math.h>
#include <string.h>

#include "lcp/work.h"

static const double ROUNDING = 1e-13; /* of the sum of the sizes of the terms: sums that are zero */
static const double slack = 1e-10;    /* relative violation that is rounding */

/* Growth of the eliminated free variables: W_kk r_k = -W_kc r_c. */
static bool extend_to_free(crd_lcp_work *work, double *r) {
  const lcp_reduction *reduction = &work->reduction;
  lcp_basis *basis = &work->basis;
  if (reduction->kept == 0) return true;
  lcp_reduction_basis(work, NULL, 0);
  if (!lcp_basis_factor(work)) return false;
  double *x = work->y;
  for (int a = 0; a < basis->k; a++) x[a] = 0;
  for (int j = 0; j < work->n; j++) {
    if (r[j] == 0) continue;
    const double *column = lcp_column(work, j);
    for (int a = 0; a < basis->k; a++) x[a] -= column[basis->row[a]] * r[j];
  }
  lcp_basis_solve(work, x);
  for (int a = 0; a < basis->k; a++) r[basis->col[a]] = x[a];
  return true;
}

bool lcp_ray_certificate(crd_lcp_work *work, const double *cover, const double *direction, double cover_growth) {
  const lcp_reduction *reduction = &work->reduction;
  int n = work->n;
  double *r = work->ray, most = 0;
  memset(r, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < reduction->m; k++) {
    int p = reduction->pairs, s = reduction->split;
    int j = k < p ? reduction->pair[k] : reduction->split_col[(k - p) % s];
    if (j >= 0 && direction[k] > 0) r[j] += (k >= p + s ? -1 : 1) * direction[k] * work->col_scale[j];
  }
  work->ray_cover = cover_growth > 0 ? cover_growth : 0;
  if (!extend_to_free(work, r)) return false;
  double *u = work->y, *size = work->size;
  for (int i = 0; i < n; i++) {
    double d = work->is_free[i] ? 0 : cover ? cover[i] : 1;
    u[i] = size[i] = d * work->ray_cover;
  }
  for (int j = 0; j < n; j++) {
    if (r[j] == 0) continue;
    most = fmax(most, fabs(r[j]));
    const double *column = lcp_column(work, j);
    for (int i = 0; i < n; i++) u[i] += column[i] * r[j], size[i] += fabs(column[i] * r[j]);
  }
  if (most == 0) return false;
  double natural = 0;
  for (int i = 0; i < n; i++) natural = fmax(natural, size[i] * work->row_scale[i]);
  for (int i = 0; i < n; i++) {
    size[i] = fmax(size[i], LCP_NATURAL * natural / work->row_scale[i]);
    bool tight = work->is_free[i] || r[i] > 0;
    if (u[i] < -slack * size[i] || (tight && u[i] > slack * size[i])) return false;
  }
  return true;
}

bool lcp_ray_proves_infeasible(crd_lcp_work *work) {
  int n = work->n;
  const double *r = work->ray;
  lcp_need_dense(work);
  double *sum = work->y, *size = work->size, value = 0, value_size = 0, natural = 0;
  for (int j = 0; j < n; j++) sum[j] = size[j] = 0;
  for (int i = 0; i < n; i++) {
    if (r[i] == 0) continue;
    const double *row = work->W + (ptrdiff_t)i * work->ld;
    for (int j = 0; j < n; j++) sum[j] += row[j] * r[i], size[j] += fabs(row[j] * r[i]);
    value += work->w[i] * r[i], value_size += fabs(work->w[i] * r[i]);
  }
  for (int j = 0; j < n; j++) natural = fmax(natural, size[j] * work->col_scale[j]);
  for (int j = 0; j < n; j++) {
    double limit = ROUNDING * fmax(size[j], natural / work->col_scale[j]);
    if (sum[j] > limit || (work->is_free[j] && sum[j] < -limit)) return false;
  }
  return value < -slack * value_size;
}
