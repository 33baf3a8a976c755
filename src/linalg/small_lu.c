/* Columns are factored four at a time, so that the rest of the matrix passes through the cache once for four of them:
 *
 *   A = | P  U |    panel P of four columns with its pivots; U = L^-1 U;  R -= L U, two rows at a time
 *       | L  R |
 *
 * 2/3 n^3 operations. */
#include "linalg/small_lu.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "linalg/simd.h"

enum { PANEL = 4 };

CRD_ALWAYS_INLINE void swap_rows(int n, double *restrict a, double *restrict b) {
  for (int j = 0; j < n; j++) {
    double keep = a[j];
    a[j] = b[j], b[j] = keep;
  }
}

static int largest_in_column(int n, const double *A, size_t stride, int k) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A[stride * (size_t)i + (size_t)k]) > fabs(A[stride * (size_t)best + (size_t)k])) best = i;
  return best;
}

/* Four columns from k on, a row of them at a time in one vector; the next column's pivot is found on the way. Returns
 * the smallest pivot, 0 where one is zero or not finite. */
CRD_ALWAYS_INLINE double factor_panel(int n, double *A, size_t stride, int k, int *pivot) {
  double smallest = INFINITY;
  int best = largest_in_column(n, A, stride, k);
  for (int j = k; j < k + PANEL; j++) {
    double size = fabs(A[stride * (size_t)best + (size_t)j]);
    pivot[j] = best;
    if (!(size > 0) || !(size < INFINITY)) return 0;
    if (size < smallest) smallest = size;
    if (best != j) swap_rows(n, A + stride * (size_t)j, A + stride * (size_t)best);
    crd_v4 row = *(const crd_v4_unaligned *)(A + stride * (size_t)j + k);
    double inverse = 1 / row[j - k], next = -1;
    for (int lane = 0; lane <= j - k; lane++) row[lane] = 0;
    best = j + 1;
    for (int i = j + 1; i < n; i++) {
      double *a = A + stride * (size_t)i + k, l = a[j - k] * inverse;
      crd_v4 rest = *(crd_v4_unaligned *)a - CRD_V4_SPLAT(l) * row;
      *(crd_v4_unaligned *)a = rest;
      a[j - k] = l;
      double candidate = j + 1 < k + PANEL ? fabs(a[j + 1 - k]) : 0;
      if (candidate > next) next = candidate, best = i;
    }
  }
  return smallest;
}

/* The last columns, fewer than four. */
CRD_ALWAYS_INLINE double factor_last(int n, double *A, size_t stride, int k, int *pivot) {
  double smallest = INFINITY;
  for (int j = k; j < n; j++) {
    int best = pivot[j] = largest_in_column(n, A, stride, j);
    double size = fabs(A[stride * (size_t)best + (size_t)j]);
    if (!(size > 0) || !(size < INFINITY)) return 0;
    if (size < smallest) smallest = size;
    if (best != j) swap_rows(n, A + stride * (size_t)j, A + stride * (size_t)best);
    const double *row = A + stride * (size_t)j;
    for (int i = j + 1; i < n; i++) {
      double *a = A + stride * (size_t)i, l = a[j] /= row[j];
      for (int c = j + 1; c < n; c++) a[c] -= l * row[c];
    }
  }
  return smallest;
}

CRD_ALWAYS_INLINE void update_two(int count, const double *restrict l0, const double *restrict l1,
                                  const double *restrict u, size_t stride, double *restrict a, double *restrict b) {
  const double *u1 = u + stride, *u2 = u1 + stride, *u3 = u2 + stride;
  for (int j = 0; j < count; j++) {
    a[j] = a[j] - l0[0] * u[j] - l0[1] * u1[j] - l0[2] * u2[j] - l0[3] * u3[j];
    b[j] = b[j] - l1[0] * u[j] - l1[1] * u1[j] - l1[2] * u2[j] - l1[3] * u3[j];
  }
}

CRD_ALWAYS_INLINE void update_one(int count, const double *restrict l, const double *restrict u, size_t stride,
                                  double *restrict a) {
  const double *u1 = u + stride, *u2 = u1 + stride, *u3 = u2 + stride;
  for (int j = 0; j < count; j++) a[j] = a[j] - l[0] * u[j] - l[1] * u1[j] - l[2] * u2[j] - l[3] * u3[j];
}

CRD_ALWAYS_INLINE void update_rest(int n, double *A, size_t stride, int k) {
  int first = k + PANEL, count = n - first;
  double *U = A + stride * (size_t)k + first;
  for (int r = 1; r < PANEL; r++) /* U = L^-1 U within the panel's rows */
    for (int c = 0; c < r; c++) {
      double l = A[stride * (size_t)(k + r) + (size_t)(k + c)];
      const double *restrict from = U + stride * (size_t)c;
      double *restrict to = U + stride * (size_t)r;
      for (int j = 0; j < count; j++) to[j] -= l * from[j];
    }
  int i = first;
  for (; i + 1 < n; i += 2) {
    double l0[PANEL], l1[PANEL], *a = A + stride * (size_t)i, *b = a + stride;
    for (int c = 0; c < PANEL; c++) l0[c] = a[k + c], l1[c] = b[k + c];
    update_two(count, l0, l1, U, stride, a + first, b + first);
  }
  for (; i < n; i++) {
    double l[PANEL], *a = A + stride * (size_t)i;
    for (int c = 0; c < PANEL; c++) l[c] = a[k + c];
    update_one(count, l, U, stride, a + first);
  }
}

CRD_CLONES double crd_small_lu_factor(int n, double *A, int stride, int *pivot) {
  double smallest = INFINITY;
  for (int k = 0; k < n; k += PANEL) {
    bool whole = k + PANEL <= n;
    double size = whole ? factor_panel(n, A, (size_t)stride, k, pivot) : factor_last(n, A, (size_t)stride, k, pivot);
    if (size == 0) return 0;
    if (size < smallest) smallest = size;
    if (k + PANEL < n) update_rest(n, A, (size_t)stride, k);
  }
  return smallest;
}

CRD_ALWAYS_INLINE double dot(int n, const double *a, const double *b) {
  crd_v4 sum = CRD_V4_SPLAT(0.0);
  double rest = 0;
  int j = 0;
  for (; j + 3 < n; j += 4) sum += *(const crd_v4_unaligned *)(a + j) * *(const crd_v4_unaligned *)(b + j);
  for (; j < n; j++) rest += a[j] * b[j];
  return crd_v4_total(sum) + rest;
}

/* x_i -= sum of A_ij b_j for four rows; their sums do not wait for each other. n is a multiple of four. */
CRD_ALWAYS_INLINE void subtract_four(int n, const double *A, size_t stride, const double *b, double *x) {
  crd_v4 sum[4] = {{0}, {0}, {0}, {0}};
  for (int j = 0; j < n; j += 4) {
    crd_v4 v = *(const crd_v4_unaligned *)(b + j);
    for (size_t r = 0; r < 4; r++) sum[r] += *(const crd_v4_unaligned *)(A + stride * r + j) * v;
  }
  for (int r = 0; r < 4; r++) x[r] -= crd_v4_total(sum[r]);
}

/* Four rows at a time; the remainder of each block is a triangle of four. */
CRD_CLONES void crd_small_lu_solve(int n, const double *A, int stride, const int *pivot, double *x) {
  size_t wide = (size_t)stride;
  int i = 0, k = n;
  for (int j = 0; j < n; j++) {
    double keep = x[j];
    x[j] = x[pivot[j]], x[pivot[j]] = keep;
  }
  for (; i + 3 < n; i += 4) {
    const double *a = A + wide * (size_t)i;
    subtract_four(i, a, wide, x, x + i);
    for (int r = 1; r < 4; r++)
      for (int c = 0; c < r; c++) x[i + r] -= a[wide * (size_t)r + (size_t)(i + c)] * x[i + c];
  }
  for (; i < n; i++) x[i] -= dot(i, A + wide * (size_t)i, x);
  for (; k > 3; k -= 4) {
    const double *a = A + wide * (size_t)(k - 4);
    subtract_four(n - k, a + k, wide, x + k, x + k - 4);
    for (int r = 3; r >= 0; r--) {
      const double *row = a + wide * (size_t)r + k - 4;
      for (int c = 3; c > r; c--) x[k - 4 + r] -= row[c] * x[k - 4 + c];
      x[k - 4 + r] /= row[r];
    }
  }
  for (k--; k >= 0; k--) {
    const double *row = A + wide * (size_t)k;
    x[k] = (x[k] - dot(n - 1 - k, row + k + 1, x + k + 1)) / row[k];
  }
}
