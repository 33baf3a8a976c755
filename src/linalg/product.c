#include "linalg/product.h"

#include <string.h>

#include "linalg/dense.h"

extern void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                   const double *alpha, const double *A, const int *lda, const double *B, const int *ldb,
                   const double *beta, double *C, const int *ldc);

/* For BLAS, which is column-major, the product is C' = B' A'. */
static void product(const char *transa, const char *transb, int m, int k, int n, const double *A, int lda,
                    const double *B, int ldb, double *C) {
  const double one = 1, zero = 0;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    memset(C, 0, sizeof *C * (size_t)m * (size_t)n);
    return;
  }
  dgemm_(transb, transa, &n, &m, &k, &one, B, &ldb, A, &lda, &zero, C, &n);
}

void crd_dense_multiply(int m, int k, int n, const double *A, const double *B, double *C) {
  product("N", "N", m, k, n, A, k, B, n, C);
}

void crd_dense_multiply_tn(int m, int k, int n, const double *A, const double *B, double *C) {
  product("T", "N", m, k, n, A, m, B, n, C);
}

void crd_dense_multiply_nt(int m, int k, int n, const double *A, const double *B, double *C) {
  product("N", "T", m, k, n, A, k, B, k, C);
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
