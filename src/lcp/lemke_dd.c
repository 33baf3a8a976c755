/* Lemke's method in double-double arithmetic: the same path with rounding errors of 1e-32, for problems where double
 * leaves a doubt. */
#include <math.h>
#include <stddef.h>

#include "lcp/lemke.h"

#define NUM crd_dd
#define LEMKE(name) lcp_lemke_dd_##name
#define NUM_OF(a) dd_of(a)
#define NUM_ROUND(a) dd_round(a)
#define NUM_NEG(a) dd_neg(a)
#define NUM_DIV(a, b) dd_div(a, b)

/* Kernels; nv is not used, the rows are taken one by one. */

/* Effect of relative errors of size 1 in the data on B^-1 v, where x = B^-1 v and magnitude = |v|: |B^-1| (|v| + |B|
 * |x|). On entry `spread` has |v|; `amount` gets the result. */
static void lcp_lemke_dd_uncertainty(const lcp_lemke_dd_state *s, const crd_dd *x, double *spread, double *amount) {
  int n = s->n;
  for (int i = 0; i < n; i++) {
    int var = s->var[i];
    double size = fabs(x[i].hi);
    if (size == 0) continue;
    if (var < n) {
      spread[var] += size;
    } else if (var == 2 * n) {
      for (int k = 0; k < n; k++) spread[k] += size * s->cover[k];
    } else {
      const crd_dd *a = s->W + (ptrdiff_t)(var - n) * s->stride;
      for (int k = 0; k < n; k++) spread[k] += size * fabs(a[k].hi);
    }
  }
  for (int i = 0; i < n; i++) amount[i] = s->basic_y[i] != 0 ? spread[i] : 0;
  for (int t = 0; t < s->slots; t++) {
    double f = spread[s->member[t]];
    const crd_dd *column = s->B + (ptrdiff_t)t * s->stride;
    for (int i = 0; i < n; i++) amount[i] += f * fabs(column[i].hi);
  }
}

static void lcp_lemke_dd_column(lcp_lemke_dd_state *s, int j, int nv) {
  (void)nv;
  const crd_dd *a = s->W + (ptrdiff_t)j * s->stride;
  for (int i = 0; i < s->n; i++) s->x[i] = s->basic_y[i] != 0 ? dd_neg(a[i]) : dd_of(0);
  for (int t = 0; t < s->slots; t++) {
    crd_dd f = a[s->member[t]];
    if (f.hi == 0) continue;
    const crd_dd *column = s->B + (ptrdiff_t)t * s->stride;
    for (int i = 0; i < s->n; i++) s->x[i] = dd_sub(s->x[i], dd_mul(column[i], f));
  }
}

static int lcp_lemke_dd_lexicographic(lcp_lemke_dd_state *s, const int *tied, int count);

/* Entries and values that errors of s->data_error in the data could have made are zero. */
static void lcp_lemke_dd_clean(lcp_lemke_dd_state *s) {
  int n = s->n;
  if (s->entering >= n) {
    const crd_dd *a = s->W + (ptrdiff_t)(s->entering - n) * s->stride;
    for (int k = 0; k < n; k++) s->spread[k] = fabs(a[k].hi);
  } else {
    for (int k = 0; k < n; k++) s->spread[k] = k == s->entering;
  }
  lcp_lemke_dd_uncertainty(s, s->x, s->spread, s->x_error);
  for (int k = 0; k < n; k++) s->spread[k] = fabs(s->w[k]);
  lcp_lemke_dd_uncertainty(s, s->q, s->spread, s->q_error);
  for (int i = 0; i < n; i++) {
    s->x_error[i] *= s->data_error, s->q_error[i] *= s->data_error;
    if (fabs(s->x[i].hi) <= s->x_error[i]) s->x[i] = dd_of(0);
    if (s->q[i].hi <= s->q_error[i]) s->q[i] = dd_of(0);
  }
}

static int lcp_lemke_dd_choose(lcp_lemke_dd_state *s, int nv) {
  (void)nv;
  double theta = INFINITY, margin = 0;
  lcp_lemke_dd_clean(s);
  for (int i = 0; i < s->n; i++) {
    if (!(s->x[i].hi > s->zero_pivot)) continue;
    double ratio = dd_round(dd_div(s->q[i], s->x[i]));
    if (ratio < theta) theta = ratio, margin = (s->q_error[i] + ratio * s->x_error[i]) / s->x[i].hi;
  }
  if (theta == INFINITY) return -1;
  int count = 0;
  for (int i = 0; i < s->n; i++) {
    if (!(s->x[i].hi > s->zero_pivot)) continue;
    double ratio = dd_round(dd_div(s->q[i], s->x[i]));
    double here = (s->q_error[i] + ratio * s->x_error[i]) / s->x[i].hi;
    if (ratio - here <= theta * s->tie + margin) s->tied[count++] = i;
  }
  int row = count > 1 ? lcp_lemke_dd_lexicographic(s, s->tied, count) : s->tied[0];
  s->step = dd_div(s->q[row], s->x[row]);
  return row;
}

static void lcp_lemke_dd_values(lcp_lemke_dd_state *s, int r, int nv) {
  (void)nv;
  for (int i = 0; i < s->n; i++) {
    crd_dd term = dd_mul(s->x[i], s->step), value = dd_sub(s->q[i], term);
    s->q[i] = value.hi > s->zero_value * (1 + fabs(term.hi)) ? value : dd_of(0);
  }
  s->q[r] = s->step;
}

static void lcp_lemke_dd_pivot(lcp_lemke_dd_state *s, int r, int nv) {
  (void)nv;
  crd_dd inverse = dd_div(dd_of(1), s->x[r]);
  for (int t = 0; t < s->slots; t++) {
    crd_dd *column = s->B + (ptrdiff_t)t * s->stride;
    crd_dd f = dd_mul(column[r], inverse);
    if (f.hi == 0) continue;
    for (int i = 0; i < s->n; i++) column[i] = dd_sub(column[i], dd_mul(s->x[i], f));
    column[r] = f;
  }
  if (s->var[r] < s->n) {
    crd_dd *column = s->B + (ptrdiff_t)s->slots * s->stride;
    for (int i = 0; i < s->n; i++) column[i] = dd_neg(dd_mul(s->x[i], inverse));
    column[r] = inverse;
  }
}

static void lcp_lemke_dd_mark(lcp_lemke_dd_state *s, int j, double basic, int nv) {
  (void)nv;
  s->basic_y[j] = basic;
}

#include "lcp/lemke_core.h"

lemke_end lcp_lemke_dd_solve(lcp_lemke_dd_state *s, const double *cover) {
  s->cover = cover;
  for (int i = 0; i < s->n; i++) s->w[i] = dd_round(s->q[i]);
  return lcp_lemke_dd_from_start(s, cover, 0);
}
