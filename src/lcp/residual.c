/* The one measure of a solution: violations of 0 <= z _|_ W z + w >= 0 and of the free rows, on the data as given.
 *
 * Row i is compared with the size of its terms, s_i = |w_i| + sum_j |W_ij z_j|, so that multiplying a row or a column
 * by a number changes nothing. A row whose terms are all rounding noise would be divided by the noise, so s_i counts at
 * least LCP_NATURAL times the natural size of the problem, max_k r_k s_k / r_i with the equilibration's r. A z_j that
 * is negative, or positive while y_j is, counts by what it moves, max_i |W_ij z_j| / s_i. Cost: 2 n per column in use.
 *
 * A problem without solution can have points far out whose violation is small beside their own terms. So a violation
 * also counts LCP_FAR times its part of the natural size of w alone: a point is no solution while the violation is as
 * large as what it was to remove. Terms LCP_FARTHEST times as large as w cancel to nothing but rounding: no verdict can
 * rest on such a point.
 */
#include <math.h>
#include <string.h>

#include "lcp/work.h"

/* y += z a, size += |z a| */
CRD_CLONES static void accumulate(double *restrict y, double *restrict size, const double *restrict a, double z,
                                  int n) {
  for (int i = 0; i < n; i++) {
    double term = a[i] * z;
    y[i] += term;
    size[i] += fabs(term);
  }
}

double lcp_residual_bound(crd_lcp_work *work, const double *z) {
  int n = work->n;
  double *y = work->y, *size = work->size, worst = 0, w_most = 0, most = 0;
  for (int i = 0; i < n; i++) {
    y[i] = work->w[i], size[i] = fabs(work->w[i]);
    w_most = size[i] > w_most ? size[i] : w_most;
  }
  for (int j = 0; j < n; j++)
    if (z[j] != 0) accumulate(y, size, lcp_column(work, j), z[j], n);
  for (int i = 0; i < n; i++) {
    double violation = work->is_free[i] || z[i] > 0 ? fabs(y[i]) : y[i] < 0 ? -y[i] : 0;
    if (z[i] < 0 && !work->is_free[i]) return INFINITY;
    if (violation > worst * size[i]) worst = violation / size[i];
    if (isnan(y[i])) return INFINITY;
    most = size[i] > most ? size[i] : most;
  }
  return most <= LCP_FAR_OUT * w_most ? worst : INFINITY;
}

/* The largest part of a row that z_j makes up; 1 where it moves nothing and therefore should be zero. */
static double influence(crd_lcp_work *work, int j, double z) {
  const double *a = lcp_column(work, j);
  double most = -1;
  for (int i = 0; i < work->n; i++)
    if (a[i] != 0) most = fmax(most, fabs(a[i] * z) / work->size[i]);
  return most < 0 ? 1 : most;
}

void lcp_residual_measure(crd_lcp_work *work, const double *z, crd_lcp_residual_parts *parts) {
  int n = work->n;
  double *y = work->y, *size = work->size, natural = 0, natural_w = 0;
  *parts = (crd_lcp_residual_parts){.worst_row = -1};
  lcp_need_scales(work);
  for (int i = 0; i < n; i++) {
    natural = fmax(natural, work->row_scale[i] * size[i]);
    natural_w = fmax(natural_w, work->row_scale[i] * fabs(work->w[i]));
  }
  for (int i = 0; i < n; i++) {
    size[i] = fmax(size[i], LCP_NATURAL * fmin(natural, LCP_LARGE * natural_w) / work->row_scale[i]);
    if (!(size[i] > 0)) size[i] = 1; /* every term of the problem is zero */
  }
  for (int i = 0; i < n; i++) {
    double far = natural_w > 0 ? LCP_FAR * fabs(y[i]) * work->row_scale[i] / natural_w : 0;
    double relative = fmax(fabs(y[i]) / size[i], far);
    if (work->is_free[i]) {
      parts->equality = fmax(parts->equality, fabs(y[i]));
      parts->natural = fmax(parts->natural, fabs(y[i]));
    } else {
      double least = fmin(z[i], y[i]);
      parts->natural = fmax(parts->natural, fabs(least));
      parts->z_negative = fmax(parts->z_negative, -z[i]);
      parts->y_negative = fmax(parts->y_negative, -y[i]);
      parts->complementarity = fmax(parts->complementarity, least);
      /* y_i < 0 counts by itself, y_i > 0 only as far as z_i is not zero, a negative z_i in any case */
      double part = z[i] == 0 || (z[i] > 0 && y[i] <= 0) ? 0 : influence(work, i, z[i]);
      if (y[i] >= 0)
        relative = z[i] < 0 ? part : fmin(relative, part);
      else if (z[i] < 0)
        relative = fmax(relative, part);
    }
    if (isnan(y[i]) || isnan(z[i])) relative = INFINITY;
    if (relative > parts->scaled || parts->worst_row < 0) parts->scaled = relative, parts->worst_row = i;
  }
  if (natural_w > 0 && natural > LCP_FARTHEST * natural_w) parts->scaled = fmax(parts->scaled, 1);
}

crd_status crd_lcp_residual(crd_lcp_work *work, const crd_lcp_problem *problem, const double *z,
                            crd_lcp_residual_parts *parts) {
  if (!work || !problem || !z || !parts) return CRD_ERR_ARGUMENT;
  crd_status status = lcp_begin(work, problem);
  if (status) return status;
  crd_lcp_report report = {0};
  status = lcp_check_numbers(work, false, &report);
  if (status) return status;
  /* the bound stops at the first negative z; y and size have been filled before that */
  lcp_residual_bound(work, z);
  lcp_residual_measure(work, z, parts);
  return CRD_OK;
}
