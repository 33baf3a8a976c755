/* The last basis of a small problem, tried on new data: z_B = -W_BB^-1 w_B, y = w + W_B z_B, and the check.
 *
 * The inverse of the basis matrix and the columns of the basis are kept side by side in whole vectors, so that a solve
 * with an unchanged matrix is two small matrix products. Larger bases, free rows and anything doubtful, a wrong sign or
 * a residual above LCP_SURE, are left to lcp_warm.
 */
#include <math.h>

#include "lcp/kernel_vector.h"
#include "lcp/kernels.h"

static const double PIVOT = 1e-10;    /* of its column: a basis with a smaller one is singular */
static const double NEGATIVE = 1e-13; /* of the largest entry: z below minus this is negative, not rounded */
static const double ZERO = 1e-14;     /* of the largest entry: what rounding leaves of a zero */

/* Columns of the basis, one after the other. */
CRD_ALWAYS_INLINE void fetch(crd_lcp_work *work) {
  const lcp_basis *basis = &work->basis;
  int n = work->n, nv = crd_v4_count(n), last = n - 4 * (nv - 1);
  ptrdiff_t ld = work->ld;
  for (int b = 0; b < basis->k; b++) {
    const double *from = work->W + basis->col[b];
    crd_v4 *to = (crd_v4 *)(work->warm.column + (ptrdiff_t)b * 4 * nv);
    for (int k = 0; k < nv - 1; k++, from += 4 * ld) to[k] = (crd_v4){from[0], from[ld], from[2 * ld], from[3 * ld]};
    to[nv - 1] = (crd_v4){from[0], last > 1 ? from[ld] : 0, last > 2 ? from[2 * ld] : 0, last > 3 ? from[3 * ld] : 0};
  }
}

/* One exchange of the inversion in place: row r of column p becomes the pivot. */
CRD_ALWAYS_INLINE void exchange(double *A, int k, int nk, int p, int r) {
  crd_v4 x[LCP_WARM_ORDER / 4];
  double inverse = 1 / A[p * 4 * nk + r];
  for (int v = 0; v < nk; v++) x[v] = ((crd_v4 *)(A + p * 4 * nk))[v];
  for (int j = 0; j < k; j++) {
    crd_v4 *c = (crd_v4 *)(A + j * 4 * nk);
    double f = A[j * 4 * nk + r] * inverse;
    for (int v = 0; v < nk; v++) c[v] -= x[v] * f;
    A[j * 4 * nk + r] = f;
  }
  for (int v = 0; v < nk; v++) ((crd_v4 *)(A + p * 4 * nk))[v] = -x[v] * inverse;
  A[p * 4 * nk + r] = inverse;
}

/* The inverse of the basis matrix, by columns. False where it is singular. */
CRD_ALWAYS_INLINE bool invert(crd_lcp_work *work, int nk) {
  const lcp_basis *basis = &work->basis;
  lcp_warm_map *map = &work->warm;
  double A[LCP_WARM_ORDER * LCP_WARM_ORDER] __attribute__((aligned(32)));
  int k = basis->k, row_of[LCP_WARM_ORDER];
  bool used[LCP_WARM_ORDER] = {false};
  for (int b = 0; b < k; b++) {
    const double *column = map->column + (ptrdiff_t)b * work->stride;
    for (int a = 0; a < k; a++) A[b * 4 * nk + a] = column[basis->row[a]];
    for (int a = k; a < 4 * nk; a++) A[b * 4 * nk + a] = 0;
  }
  for (int p = 0; p < k; p++) {
    int r = -1;
    double most = 0, size = 0;
    for (int a = 0; a < k; a++) {
      double value = fabs(A[p * 4 * nk + a]);
      if (value > size) size = value;
      if (!used[a] && value > most) most = value, r = a;
    }
    if (!(most > PIVOT * size)) return false;
    used[r] = true, row_of[p] = r;
    exchange(A, k, nk, p, r);
  }
  for (int b = 0; b < k; b++) {
    double *to = map->inverse + row_of[b] * LCP_WARM_ORDER;
    for (int a = 0; a < k; a++) to[a] = A[b * 4 * nk + row_of[a]];
    for (int a = k; a < 4 * nk; a++) to[a] = 0;
  }
  return true;
}

static bool prepare(crd_lcp_work *work) {
  lcp_warm_map *map = &work->warm;
  int k = work->basis.k, nk = crd_v4_count(k);
  fetch(work);
  if (k > 0 && !(nk == 1 ? invert(work, 1) : nk == 2 ? invert(work, 2) : invert(work, nk))) return false;
  map->order = k, map->ready = true;
  return true;
}

/* z of the basis; false where one is negative beyond rounding. */
CRD_ALWAYS_INLINE bool basic_values(const crd_lcp_work *work, double *z) {
  const lcp_basis *basis = &work->basis;
  const lcp_warm_map *map = &work->warm;
  int nk = crd_v4_count(map->order);
  crd_v4 sum[LCP_WARM_ORDER / 4], low = {0, 0, 0, 0}, high = low;
  for (int k = 0; k < nk; k++) sum[k] = low;
  for (int b = 0; b < map->order; b++) {
    double f = work->w[basis->row[b]];
    const crd_v4 *column = (const crd_v4 *)(map->inverse + b * LCP_WARM_ORDER);
    for (int k = 0; k < nk; k++) sum[k] -= column[k] * f;
  }
  for (int k = 0; k < nk; k++) low = crd_v4_min(sum[k], low), high = crd_v4_max(sum[k], high);
  double most = crd_v4_greatest(high);
  if (crd_v4_least(low) < -NEGATIVE * most) return false;
  crd_v4 noise = CRD_V4_SPLAT(ZERO * most);
  for (int k = 0; k < nk; k++) ((crd_v4 *)z)[k] = (crd_v4)((crd_v4_mask)sum[k] & (sum[k] > noise));
  return true;
}

/* The largest violation over the size of its row's terms, as in kernel_quick.c. */
CRD_ALWAYS_INLINE double check(const crd_lcp_work *work, const double *z, int nv) {
  const lcp_warm_map *map = &work->warm;
  int n = work->n, stride = 4 * nv;
  crd_v4 worst = {0, 0, 0, 0}, most = worst, w_most = worst, total = worst;
  for (int k = 0; k < nv; k++) {
    crd_v4 y = lcp_load(work->w, n, k), size = crd_v4_abs(y);
    w_most = crd_v4_max(size, w_most);
    for (int b = 0; b < map->order; b++) {
      crd_v4 term = ((const crd_v4 *)(map->column + (ptrdiff_t)b * stride))[k] * z[b];
      y += term;
      size += crd_v4_abs(term);
    }
    crd_v4 violation = crd_v4_max(-y, crd_v4_abs(y) * ((const crd_v4 *)map->tight)[k]);
    worst = crd_v4_max(violation / (size + 1e-300), worst);
    most = crd_v4_max(size, most);
    total += y;
  }
  if (!(fabs(crd_v4_total(total)) < INFINITY)) return INFINITY; /* a NaN, which loses every comparison */
  double far = LCP_FAR_OUT * crd_v4_greatest(w_most);
  return crd_v4_greatest(most) < far ? crd_v4_greatest(worst) : INFINITY;
}

static void mark_tight(crd_lcp_work *work) {
  lcp_warm_map *map = &work->warm;
  for (int i = 0; i < work->stride; i++) map->tight[i] = 0;
  for (int b = 0; b < map->order; b++) map->tight[work->basis.row[b]] = 1;
}

bool LCP_KERNEL(warm)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  lcp_warm_map *map = &work->warm;
  int n = work->n, nv = crd_v4_count(n);
  double value[LCP_WARM_ORDER] __attribute__((aligned(32)));
  if (work->basis.k > LCP_WARM_ORDER || work->basis.border > 0) return false;
  if (!(options->same_matrix && map->ready)) {
    map->ready = false;
    if (!(fabs(lcp_sum(work->W, n, n, work->ld)) < INFINITY) || !prepare(work)) return false;
    mark_tight(work);
  }
  if (!basic_values(work, value)) return false;
  double residual;
  switch (nv) {
    case 1: residual = check(work, value, 1); break;
    case 2: residual = check(work, value, 2); break;
    case 3: residual = check(work, value, 3); break;
    default: residual = check(work, value, nv);
  }
  if (!(residual <= LCP_SURE) || !(residual <= options->tolerance)) return false;
  for (int i = 0; i < n; i++) z[i] = 0;
  for (int b = 0; b < map->order; b++) z[work->basis.col[b]] = value[b];
  report->residual = residual;
  report->path = CRD_LCP_PATH_WARM;
  return true;
}
