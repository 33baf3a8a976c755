/* The first attempt at a problem without free rows: Lemke's method on the data where they lie.
 *
 * Nothing is copied or equilibrated: two numbers bring the largest w and the largest entry of the worst row near 1,
 * columns are fetched when they enter, and the answer is checked from the columns in use. Whatever leaves a doubt, a
 * small pivot, a ray, a residual above LCP_SURE, is left to the full solver. Columns of up to four vectors (16 rows)
 * have loops of constant length.
 */
#include "lcp/kernel_vector.h"
#include "lcp/kernels.h"
#include "lcp/lemke_double.h"

static inline uint64_t bits_of(double a) {
  uint64_t bits;
  memcpy(&bits, &a, sizeof bits);
  return bits;
}

/* 2^-e for a = f 2^e, 1 <= f < 2, a not denormal */
static inline double inverse_power(double a) {
  uint64_t bits = (2046 - (bits_of(a) >> 52)) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

static const double quick_limit = 1e150; /* data between its inverse and it are safe from overflow in products */

/* Largest absolute value. */
CRD_ALWAYS_INLINE double greatest_of(const double *a, int n, int nv) {
  crd_v4 most = {0, 0, 0, 0};
  for (int k = 0; k < nv; k++) most = crd_v4_max(crd_v4_abs(lcp_load(a, n, k)), most);
  return crd_v4_greatest(most);
}

/* Least entry; padding is zero and can win only where no entry is negative. */
CRD_ALWAYS_INLINE double least_of(const double *w, int n, int nv) {
  crd_v4 low = CRD_V4_SPLAT(INFINITY);
  for (int k = 0; k < nv; k++) low = crd_v4_min(lcp_load(w, n, k), low);
  return crd_v4_least(low);
}

/* The row of the first exchange: least w_i / d_i, the last of equals. */
CRD_ALWAYS_INLINE int first_row(const double *w, const double *cover, int n, double least) {
  int r = n - 1;
  if (!cover) {
    while (r > 0 && w[r] != least) r--;
    return r;
  }
  for (int i = n - 1; i >= 0; i--)
    if (w[i] * cover[r] < w[r] * cover[i]) r = i;
  return r;
}

CRD_ALWAYS_INLINE void start(lcp_lemke_double_state *s, const double *w, const double *cover, double w_scale, int r,
                             int nv) {
  int n = s->n;
  s->stride = 4 * nv;
  s->slots = 0;
  s->least_pivot = INFINITY;
  for (int k = 0; k < nv; k++) {
    crd_v4_mask index = {4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3};
    crd_v4 one = (crd_v4)((crd_v4_mask)CRD_V4_SPLAT(1.0) & (index < (crd_v4_mask){n, n, n, n}));
    crd_v4 value = lcp_load(w, n, k) * w_scale, d = cover ? lcp_load(cover, n, k) : one;
    ((crd_v4 *)s->q)[k] = ((crd_v4 *)(s->W + (ptrdiff_t)n * 4 * nv))[k] = value;
    ((crd_v4 *)(s->W + (ptrdiff_t)(n + 1) * 4 * nv))[k] = d;
    ((crd_v4 *)s->basic_y)[k] = one;
    ((crd_v4 *)s->x)[k] = -d;
  }
  for (int i = 0; i < 4 * nv; i++) s->var[i] = i;
  for (int i = 0; i < 4 * nv; i++) s->slot[i] = -1;
  lcp_lemke_double_first(s, r, nv);
}

/* The largest violation over the size of its row's terms (an upper bound of the scaled residual); infinite far out. */
CRD_ALWAYS_INLINE double check(const lcp_lemke_double_state *s, const double *w, double w_scale, int nv) {
  int n = s->n;
  crd_v4 worst = {0, 0, 0, 0}, most = worst;
  for (int k = 0; k < nv; k++) {
    crd_v4 y = lcp_load(w, n, k) * w_scale, size = crd_v4_abs(y);
    for (int t = 0; t < s->slots; t++) {
      int j = s->member[t];
      crd_v4 term = ((const crd_v4 *)(s->W + (ptrdiff_t)j * 4 * nv))[k] * s->q[s->z_row[j]];
      y += term;
      size += crd_v4_abs(term);
    }
    /* rows of the basis hold with equality, the others from one side */
    crd_v4 violation = crd_v4_max(-y, crd_v4_abs(y) * (1 - ((const crd_v4 *)s->basic_y)[k]));
    worst = crd_v4_max(violation / (size + 1e-280), worst);
    most = crd_v4_max(size, most);
  }
  return crd_v4_greatest(most) < LCP_FAR_OUT ? crd_v4_greatest(worst) : INFINITY;
}

static void keep_basis(lcp_basis *basis, const lcp_lemke_double_state *s) {
  basis->n = s->n;
  basis->k = s->slots;
  basis->factored = false;
  for (int t = 0; t < s->slots; t++) basis->row[t] = basis->col[t] = s->member[t];
}

CRD_ALWAYS_INLINE bool attempt(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report,
                               int nv) {
  lcp_lemke_double_state *s = &work->lemke;
  const double *W = work->W, *w = work->w;
  int n = work->n;
  double w_size = greatest_of(w, n, nv), least = least_of(w, n, nv);
  double sum = lcp_sum(W, n, n, work->ld) + lcp_sum(w, 1, n, n);
  if (!(fabs(sum) < quick_limit) || !(w_size < quick_limit)) return false;
  if (least >= 0) {
    memset(z, 0, sizeof(double) * (size_t)n);
    work->basis.n = n, work->basis.k = 0, work->basis.factored = false;
    report->path = CRD_LCP_PATH_TRIVIAL;
    return true;
  }
  int r = first_row(w, options->cover, n, least);
  double W_size = greatest_of(W + (ptrdiff_t)r * work->ld, n, nv);
  if (!(W_size > 1 / quick_limit) || !(w_size > 1 / quick_limit)) return false;
  double w_scale = inverse_power(w_size);
  s->n = n;
  s->scale = inverse_power(W_size);
  s->rows = W, s->row_stride = work->ld;
  s->zero_pivot = LCP_ZERO_PIVOT, s->zero_value = LCP_ZERO_VALUE, s->tie = LCP_TIE, s->same = LCP_SAME;
  start(s, w, options->cover, w_scale, r, nv);
  lemke_end end = lcp_lemke_double_run(s, nv);
  report->pivots = s->pivots;
  report->runs = 1;
  if (end != LEMKE_SOLVED || s->least_pivot < LCP_DOUBTFUL) return false;
  report->residual = check(s, w, w_scale, nv);
  if (!(report->residual <= LCP_SURE) || !(report->residual <= options->tolerance)) return false;
  memset(z, 0, sizeof(double) * (size_t)n);
  double z_scale = s->scale / w_scale;
  for (int t = 0; t < s->slots; t++) z[s->member[t]] = s->q[s->z_row[s->member[t]]] * z_scale;
  keep_basis(&work->basis, s);
  report->path = CRD_LCP_PATH_LEMKE;
  return true;
}

bool LCP_KERNEL(quick)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  int nv = crd_v4_count(work->n);
  switch (nv) {
    case 1: return attempt(work, options, z, report, 1);
    case 2: return attempt(work, options, z, report, 2);
    case 3: return attempt(work, options, z, report, 3);
    case 4: return attempt(work, options, z, report, 4);
    default: return attempt(work, options, z, report, nv);
  }
}
