/* Kernels of Lemke's method in double arithmetic, four rows at a time; see lemke_core.h. */
#ifndef SRC_LCP_LEMKE_DOUBLE_H
#define SRC_LCP_LEMKE_DOUBLE_H

#include <math.h>
#include <stddef.h>

#include "lcp/lemke.h"

/* Columns of up to this many vectors are changed by whole vectors: a single stored lane would make the next load of its
 * vector wait for the store. */
enum { LEMKE_SMALL = 4 };

#define NUM double
#define LEMKE(name) lcp_lemke_double_##name
#define NUM_OF(a) (a)
#define NUM_ROUND(a) (a)
#define NUM_NEG(a) (-(a))
#define NUM_DIV(a, b) ((a) / (b))

/* Column j of the row-major matrix, into its place in W. */
CRD_ALWAYS_INLINE void lcp_lemke_double_fetch(lcp_lemke_double_state *s, int j, int nv) {
  int n = s->n, last = n - 1;
  ptrdiff_t ld = s->row_stride;
  const double *restrict from = s->rows + j;
  double *restrict to = s->W + (ptrdiff_t)j * 4 * nv;
  for (int k = 0; k < nv - 1; k++, from += 4 * ld)
    ((crd_v4 *)to)[k] = (crd_v4){from[0], from[ld], from[2 * ld], from[3 * ld]} * s->scale;
  int left = last - 4 * (nv - 1);
  crd_v4 tail = {from[0], left > 0 ? from[ld] : 0, left > 1 ? from[2 * ld] : 0, left > 2 ? from[3 * ld] : 0};
  ((crd_v4 *)to)[nv - 1] = tail * s->scale;
}

CRD_ALWAYS_INLINE void lcp_lemke_double_block(lcp_lemke_double_state *s, int j, int nv, int first, int width) {
  int stride = 4 * nv, slots = s->slots;
  const double *restrict a = s->W + (ptrdiff_t)j * stride;
  const double *restrict B = s->B;
  const int *restrict member = s->member;
  crd_v4 sum[4];
  for (int k = 0; k < width; k++) sum[k] = -((const crd_v4 *)a)[first + k] * ((const crd_v4 *)s->basic_y)[first + k];
  for (int t = 0; t < slots; t++) {
    const crd_v4 *column = (const crd_v4 *)(B + (ptrdiff_t)t * stride) + first;
    double f = a[member[t]];
    for (int k = 0; k < width; k++) sum[k] -= column[k] * f;
  }
  for (int k = 0; k < width; k++) ((crd_v4 *)s->x)[first + k] = sum[k];
}

/* x = -B^-1 W_j: rows with a basic y take W_j itself, each y that is not basic its column of the inverse. */
CRD_ALWAYS_INLINE void lcp_lemke_double_column(lcp_lemke_double_state *s, int j, int nv) {
  if (s->rows && j < s->n) lcp_lemke_double_fetch(s, j, nv);
  /* blocks of four vectors stay in registers while the slots pass by */
  int first = 0;
  for (; first + 4 <= nv; first += 4) lcp_lemke_double_block(s, j, nv, first, 4);
  if (nv % 4 == 3) lcp_lemke_double_block(s, j, nv, first, 3);
  if (nv % 4 == 2) lcp_lemke_double_block(s, j, nv, first, 2);
  if (nv % 4 == 1) lcp_lemke_double_block(s, j, nv, first, 1);
}

static int lcp_lemke_double_lexicographic(lcp_lemke_double_state *s, const int *tied, int count);

__attribute__((noinline)) static int lcp_lemke_double_break_tie(lcp_lemke_double_state *s, double theta) {
  int count = 0;
  for (int i = 0; i < s->n; i++)
    if (s->ratio[i] <= theta) s->tied[count++] = i;
  int row = lcp_lemke_double_lexicographic(s, s->tied, count);
  s->step = s->ratio[row];
  return row;
}

CRD_ALWAYS_INLINE int lcp_lemke_double_choose(lcp_lemke_double_state *s, int nv) {
  const crd_v4 *restrict x = (const crd_v4 *)s->x, *restrict q = (const crd_v4 *)s->q;
  crd_v4 zero_pivot = CRD_V4_SPLAT(s->zero_pivot);
  crd_v4 best = CRD_V4_SPLAT(INFINITY);
  crd_v4 *restrict ratio = (crd_v4 *)s->ratio;
  for (int k = 0; k < nv; k++) {
    /* a row that does not block gets all bits set, a NaN, and loses every comparison */
    crd_v4 here = (crd_v4)((crd_v4_mask)(q[k] / x[k]) | (x[k] <= zero_pivot));
    ratio[k] = here;
    best = crd_v4_min(here, best);
  }
  double theta = crd_v4_least(best);
  if (theta == INFINITY) return -1;
  double tied = theta * s->tie;
  s->step = theta;
  int row = -1, count = 0;
  for (int k = 0; k < nv; k++) {
    unsigned bits = crd_v4_bits(ratio[k] <= CRD_V4_SPLAT(tied));
    if (nv <= 4) {
      count |= (int)(bits << 4 * k);
    } else if (bits) {
      count += row >= 0 || (bits & (bits - 1));
      row = 4 * k + __builtin_ctz(bits);
    }
  }
  if (nv <= 4) {
    row = __builtin_ctz((unsigned)count);
    count &= count - 1;
  }
  return count ? lcp_lemke_double_break_tie(s, tied) : row;
}

/* Lane r - 4k of vector k. */
CRD_ALWAYS_INLINE crd_v4_mask lcp_lemke_double_lane(int r, int k) {
  int64_t lane = r - 4 * k;
  return (crd_v4_mask){0, 1, 2, 3} == (crd_v4_mask){lane, lane, lane, lane};
}

CRD_ALWAYS_INLINE void lcp_lemke_double_values(lcp_lemke_double_state *s, int r, int nv) {
  const crd_v4 *restrict x = (const crd_v4 *)s->x;
  crd_v4 *restrict q = (crd_v4 *)s->q;
  crd_v4 zero_value = CRD_V4_SPLAT(s->zero_value);
  double step = s->step;
  for (int k = 0; k < nv; k++) {
    /* a difference is zero when it is small beside its terms */
    crd_v4 term = x[k] * step, value = q[k] - term;
    value = (crd_v4)((crd_v4_mask)value & (value > zero_value + zero_value * crd_v4_abs(term)));
    q[k] = nv <= LEMKE_SMALL ? crd_v4_select(lcp_lemke_double_lane(r, k), CRD_V4_SPLAT(step), value) : value;
  }
  if (nv > LEMKE_SMALL) s->q[r] = step;
}

CRD_ALWAYS_INLINE void lcp_lemke_double_pivot(lcp_lemke_double_state *s, int r, int nv) {
  int stride = 4 * nv, slots = s->slots;
  const crd_v4 *restrict x = (const crd_v4 *)s->x;
  double *restrict B = s->B;
  double inverse = 1 / s->x[r];
  for (int t = 0; t < slots; t++) {
    double *column = B + (ptrdiff_t)t * stride;
    double f = column[r] * inverse;
    crd_v4 *restrict c = (crd_v4 *)column;
    for (int k = 0; k < nv; k++) {
      crd_v4 value = c[k] - x[k] * f;
      c[k] = nv <= LEMKE_SMALL ? crd_v4_select(lcp_lemke_double_lane(r, k), CRD_V4_SPLAT(f), value) : value;
    }
    if (nv > LEMKE_SMALL) column[r] = f;
  }
  if (s->var[r] < s->n) {
    crd_v4 *restrict c = (crd_v4 *)(B + (ptrdiff_t)slots * stride);
    for (int k = 0; k < nv; k++) {
      crd_v4 value = -x[k] * inverse;
      c[k] = nv <= LEMKE_SMALL ? crd_v4_select(lcp_lemke_double_lane(r, k), CRD_V4_SPLAT(inverse), value) : value;
    }
    if (nv > LEMKE_SMALL) B[(ptrdiff_t)slots * stride + r] = inverse;
  }
}

CRD_ALWAYS_INLINE void lcp_lemke_double_mark(lcp_lemke_double_state *s, int j, double basic, int nv) {
  if (nv <= LEMKE_SMALL) {
    crd_v4 *mark = (crd_v4 *)s->basic_y;
    for (int k = 0; k < nv; k++) mark[k] = crd_v4_select(lcp_lemke_double_lane(j, k), CRD_V4_SPLAT(basic), mark[k]);
  } else {
    s->basic_y[j] = basic;
  }
}

#include "lcp/lemke_core.h"

#endif
