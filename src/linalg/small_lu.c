/* Columns are factored four at a time, so that the rest of the matrix passes through the cache once for four of them:
 *
 *   A = | P  U |    panel P of four columns with its pivots; U = L^-1 U;  R -= L U, two rows at a time
 *       | L  R |
 *
 * 2/3 n^3 operations. */
#include "linalg/small_lu.h"

#include <math.h>
#include <stddef.h>

#include "linalg/simd.h"

enum { PANEL = 4 };

static void swap_rows(int n, double *a, double *b) {
  for (int j = 0; j < n; j++) {
    double keep = a[j];
    a[j] = b[j], b[j] = keep;
  }
}

/* One column of the panel: its pivot, and the panel's columns behind it. */
static double factor_column(int n, double *A, size_t stride, int k, int end, int *pivot) {
  int best = k;
  for (int i = k + 1; i < n; i++)
    if (fabs(A[stride * (size_t)i + (size_t)k]) > fabs(A[stride * (size_t)best + (size_t)k])) best = i;
  double size = fabs(A[stride * (size_t)best + (size_t)k]);
  pivot[k] = best;
  if (!(size > 0) || !isfinite(size)) return 0;
  if (best != k) swap_rows(n, A + stride * (size_t)k, A + stride * (size_t)best);
  const double *row = A + stride * (size_t)k;
  double inverse = 1 / row[k];
  for (int i = k + 1; i < n; i++) {
    double *a = A + stride * (size_t)i, l = a[k] *= inverse;
    for (int j = k + 1; j < end; j++) a[j] -= l * row[j];
  }
  return size;
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

CRD_CLONES static void update_rest(int n, double *A, size_t stride, int k) {
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

double crd_small_lu_factor(int n, double *A, int stride, int *pivot) {
  double smallest = INFINITY;
  for (int k = 0; k < n; k += PANEL) {
    int end = k + PANEL < n ? k + PANEL : n;
    for (int j = k; j < end; j++) {
      double size = factor_column(n, A, (size_t)stride, j, end, pivot);
      if (size == 0) return 0;
      if (size < smallest) smallest = size;
    }
    if (end < n) update_rest(n, A, (size_t)stride, k);
  }
  return smallest;
}

static double dot(int n, const double *a, const double *b) {
  double sum[4] = {0, 0, 0, 0};
  int j = 0;
  for (; j + 3 < n; j += 4)
    for (int k = 0; k < 4; k++) sum[k] += a[j + k] * b[j + k];
  for (; j < n; j++) sum[0] += a[j] * b[j];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void crd_small_lu_solve(int n, const double *A, int stride, const int *pivot, double *x) {
  for (int k = 0; k < n; k++) {
    double keep = x[k];
    x[k] = x[pivot[k]], x[pivot[k]] = keep;
  }
  for (int i = 1; i < n; i++) x[i] -= dot(i, A + (size_t)stride * (size_t)i, x);
  for (int i = n - 1; i >= 0; i--) {
    const double *row = A + (size_t)stride * (size_t)i;
    x[i] = (x[i] - dot(n - 1 - i, row + i + 1, x + i + 1)) / row[i];
  }
}
