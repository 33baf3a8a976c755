#include "linalg/product.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/simd.h"

/* C row += sum over four rows of B, each times its factor */
CRD_ALWAYS_INLINE void add_four(int n, const double a[4], const double *restrict b, double *restrict c) {
  const double *b1 = b + n, *b2 = b1 + n, *b3 = b2 + n;
  for (int j = 0; j < n; j++) c[j] += a[0] * b[j] + a[1] * b1[j] + a[2] * b2[j] + a[3] * b3[j];
}

/* C (m x n) = A B, the entry (i, l) of A at A[i row + l column]: rows of C as sums of rows of B. */
CRD_CLONES static void product(int m, int k, int n, const double *A, size_t row, size_t column, const double *B,
                               double *C) {
  memset(C, 0, sizeof *C * (size_t)m * (size_t)n);
  for (int l = 0; l < k; l += 4) { /* four rows of B stay in the cache for all rows of C */
    const double *b = B + (size_t)n * (size_t)l;
    for (int i = 0; i < m; i++) {
      const double *a = A + row * (size_t)i + column * (size_t)l;
      double *restrict c = C + (size_t)n * (size_t)i;
      if (l + 4 <= k) {
        add_four(n, (const double[]){a[0], a[column], a[2 * column], a[3 * column]}, b, c);
        continue;
      }
      for (int r = 0; r < k - l; r++)
        for (int j = 0; j < n; j++) c[j] += a[column * (size_t)r] * b[(size_t)n * (size_t)r + (size_t)j];
    }
  }
}

CRD_CLONES static void product_of_rows(int m, int k, int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      C[(size_t)n * (size_t)i + (size_t)j] = crd_v4_dot(k, A + (size_t)k * (size_t)i, B + (size_t)k * (size_t)j);
}

void crd_dense_multiply(int m, int k, int n, const double *A, const double *B, double *C) {
  product(m, k, n, A, (size_t)k, 1, B, C);
}

void crd_dense_multiply_tn(int m, int k, int n, const double *A, const double *B, double *C) {
  product(m, k, n, A, 1, (size_t)m, B, C);
}

void crd_dense_multiply_nt(int m, int k, int n, const double *A, const double *B, double *C) {
  product_of_rows(m, k, n, A, B, C);
}

void crd_dense_apply(int m, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < m; i++) y[i] = crd_dense_dot(n, A + (size_t)n * (size_t)i, x);
}

void crd_dense_apply_transposed(int m, int n, const double *A, const double *x, double *y) {
  memset(y, 0, sizeof *y * (size_t)n);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) y[j] += A[(size_t)n * (size_t)i + (size_t)j] * x[i];
}

void crd_dense_symmetrize(int n, double *A) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      size_t lower = (size_t)n * (size_t)i + (size_t)j, upper = (size_t)n * (size_t)j + (size_t)i;
      A[lower] = A[upper] = 0.5 * (A[lower] + A[upper]);
    }
}

void crd_dense_identity(int n, double *A) {
  memset(A, 0, sizeof *A * (size_t)n * (size_t)n);
  for (int i = 0; i < n; i++) A[(size_t)(n + 1) * (size_t)i] = 1;
}
