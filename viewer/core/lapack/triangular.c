/* The factorizations by elimination that cradle takes from LAPACK, for the build that goes into the page: there is no LAPACK
 * for WebAssembly. Same names, arguments and layout (column-major, a leading dimension, pivots from 1), unblocked:
 * matrices in a page are small. Only the variants that cradle calls are here. */
#include "lapack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define AT(A, ld, i, j) (A)[(size_t)(ld) * (size_t)(j) + (size_t)(i)]

/* C = alpha op(A) op(B) + beta C */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *A, const int *lda, const double *B, const int *ldb, const double *beta, double *C,
            const int *ldc) {
  const bool ta = *transa == 'T', tb = *transb == 'T';
  for (int j = 0; j < *n; j++)
    for (int i = 0; i < *m; i++) {
      double sum = 0;
      for (int l = 0; l < *k; l++)
        sum += (ta ? AT(A, *lda, l, i) : AT(A, *lda, i, l)) * (tb ? AT(B, *ldb, j, l) : AT(B, *ldb, l, j));
      double *c = &AT(C, *ldc, i, j);
      *c = *alpha * sum + (*beta == 0 ? 0 : *beta * *c);
    }
}

/* ------------------------------------------------------------------------------------------------ Cholesky */

/* Upper: A = U'U in the upper triangle. info: the first leading minor that is not positive, from 1. */
void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info) {
  (void)uplo;
  *info = 0;
  for (int j = 0; j < *n; j++)
    for (int i = 0; i <= j; i++) {
      double sum = AT(A, *lda, i, j);
      for (int k = 0; k < i; k++) sum -= AT(A, *lda, k, i) * AT(A, *lda, k, j);
      if (i < j) {
        AT(A, *lda, i, j) = sum / AT(A, *lda, i, i);
      } else if (sum > 0) {
        AT(A, *lda, i, i) = sqrt(sum);
      } else {
        *info = j + 1;
        return;
      }
    }
}

void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *A, const int *lda, double *B,
             const int *ldb, int *info) {
  (void)uplo;
  *info = 0;
  for (int c = 0; c < *nrhs; c++) {
    double *x = B + (size_t)*ldb * (size_t)c;
    for (int i = 0; i < *n; i++) {
      for (int k = 0; k < i; k++) x[i] -= AT(A, *lda, k, i) * x[k];
      x[i] /= AT(A, *lda, i, i);
    }
    for (int i = *n - 1; i >= 0; i--) {
      for (int k = i + 1; k < *n; k++) x[i] -= AT(A, *lda, i, k) * x[k];
      x[i] /= AT(A, *lda, i, i);
    }
  }
}

static void swap_symmetric(int n, double *A, int lda, int p, int q) { /* rows and columns p < q, upper triangle */
  for (int i = 0; i < n; i++) {
    double *a, *b;
    if (i < p)
      a = &AT(A, lda, i, p), b = &AT(A, lda, i, q);
    else if (i > q)
      a = &AT(A, lda, p, i), b = &AT(A, lda, q, i);
    else if (i > p && i < q)
      a = &AT(A, lda, p, i), b = &AT(A, lda, i, q);
    else if (i == p)
      a = &AT(A, lda, p, p), b = &AT(A, lda, q, q);
    else
      continue;
    const double kept = *a;
    *a = *b, *b = kept;
  }
}

/* Upper, with complete pivoting: P'AP = U'U. It stops where no pivot exceeds tol (negative: n eps of the largest); info 1
 * then, and the rank says where. */
void dpstrf_(const char *uplo, const int *n, double *A, const int *lda, int *pivot, int *rank, const double *tol,
             double *work, int *info) {
  (void)uplo, (void)work;
  double largest = 0;
  *info = 0;
  for (int i = 0; i < *n; i++) pivot[i] = i + 1, largest = fmax(largest, AT(A, *lda, i, i));
  const double stop = *tol < 0 ? *n * (0.5 * DBL_EPSILON) * largest : *tol;
  for (int k = 0; k < *n; k++) {
    int best = k;
    for (int i = k + 1; i < *n; i++)
      if (AT(A, *lda, i, i) > AT(A, *lda, best, best)) best = i;
    if (!(AT(A, *lda, best, best) > (k == 0 ? 0 : stop))) {
      *rank = k, *info = 1;
      return;
    }
    if (best != k) {
      const int kept = pivot[k];
      pivot[k] = pivot[best], pivot[best] = kept;
      swap_symmetric(*n, A, *lda, k, best);
    }
    const double root = sqrt(AT(A, *lda, k, k));
    AT(A, *lda, k, k) = root;
    for (int j = k + 1; j < *n; j++) AT(A, *lda, k, j) /= root;
    for (int j = k + 1; j < *n; j++)
      for (int i = k + 1; i <= j; i++) AT(A, *lda, i, j) -= AT(A, *lda, k, i) * AT(A, *lda, k, j);
  }
  *rank = *n;
}

/* ------------------------------------------------------------------------------------------------ LU */

static void swap_rows(int columns, double *A, int lda, int p, int q) {
  for (int j = 0; j < columns && p != q; j++) {
    const double kept = AT(A, lda, p, j);
    AT(A, lda, p, j) = AT(A, lda, q, j), AT(A, lda, q, j) = kept;
  }
}

/* A = P L U with partial pivoting. info: the first pivot that is exactly zero, from 1; the factors are completed. */
void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info) {
  const int steps = *m < *n ? *m : *n;
  *info = 0;
  for (int k = 0; k < steps; k++) {
    int best = k;
    for (int i = k + 1; i < *m; i++)
      if (fabs(AT(A, *lda, i, k)) > fabs(AT(A, *lda, best, k))) best = i;
    pivot[k] = best + 1;
    if (AT(A, *lda, best, k) == 0) {
      if (*info == 0) *info = k + 1;
      continue;
    }
    swap_rows(*n, A, *lda, k, best);
    for (int i = k + 1; i < *m; i++) AT(A, *lda, i, k) /= AT(A, *lda, k, k);
    for (int j = k + 1; j < *n; j++) {
      const double above = AT(A, *lda, k, j);
      if (above == 0) continue;
      for (int i = k + 1; i < *m; i++) AT(A, *lda, i, j) -= AT(A, *lda, i, k) * above;
    }
  }
}

static void swap_entries(double *x, int p, int q) {
  const double kept = x[p];
  x[p] = x[q], x[q] = kept;
}

static void solve_lu(int n, const double *A, int lda, const int *pivot, bool transposed, double *x) {
  if (!transposed) {
    for (int i = 0; i < n; i++) swap_entries(x, i, pivot[i] - 1);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < i; k++) x[i] -= AT(A, lda, i, k) * x[k];
    for (int i = n - 1; i >= 0; i--) {
      for (int k = i + 1; k < n; k++) x[i] -= AT(A, lda, i, k) * x[k];
      x[i] /= AT(A, lda, i, i);
    }
    return;
  }
  for (int i = 0; i < n; i++) { /* U'y = x, L'z = y, then the swaps backwards */
    for (int k = 0; k < i; k++) x[i] -= AT(A, lda, k, i) * x[k];
    x[i] /= AT(A, lda, i, i);
  }
  for (int i = n - 1; i >= 0; i--)
    for (int k = i + 1; k < n; k++) x[i] -= AT(A, lda, k, i) * x[k];
  for (int i = n - 1; i >= 0; i--) swap_entries(x, i, pivot[i] - 1);
}

void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda, const int *pivot,
             double *B, const int *ldb, int *info) {
  *info = 0;
  for (int c = 0; c < *nrhs; c++) solve_lu(*n, A, *lda, pivot, *trans == 'T', B + (size_t)*ldb * (size_t)c);
}

/* A^-1 from its factors: U^-1 column by column, then X L = U^-1 from the last column to the first. work: n. */
void dgetri_(const int *n, double *A, const int *lda, const int *pivot, double *work, const int *lwork, int *info) {
  (void)lwork;
  *info = 0;
  for (int j = 0; j < *n; j++) {
    if (AT(A, *lda, j, j) == 0) {
      *info = j + 1;
      return;
    }
    AT(A, *lda, j, j) = 1 / AT(A, *lda, j, j);
    for (int i = 0; i < j; i++) { /* row i needs the entries above j from row i on, which are still those of U */
      double sum = 0;
      for (int k = i; k < j; k++) sum += AT(A, *lda, i, k) * AT(A, *lda, k, j);
      AT(A, *lda, i, j) = -sum * AT(A, *lda, j, j);
    }
  }
  for (int j = *n - 2; j >= 0; j--) {
    for (int i = j + 1; i < *n; i++) work[i] = AT(A, *lda, i, j), AT(A, *lda, i, j) = 0;
    for (int k = j + 1; k < *n; k++)
      for (int i = 0; i < *n; i++) AT(A, *lda, i, j) -= AT(A, *lda, i, k) * work[k];
  }
  for (int j = *n - 1; j >= 0; j--)
    if (pivot[j] - 1 != j)
      for (int i = 0; i < *n; i++) {
        const double kept = AT(A, *lda, i, j);
        AT(A, *lda, i, j) = AT(A, *lda, i, pivot[j] - 1), AT(A, *lda, i, pivot[j] - 1) = kept;
      }
}

/* 1 / (|A| |A^-1|) in the 1-norm from the factors; the norm of the inverse is computed, where LAPACK estimates it.
 * work: n. */
void dgecon_(const char *norm, const int *n, const double *A, const int *lda, const double *anorm, double *rcond,
             double *work, int *iwork, int *info) {
  (void)norm, (void)iwork;
  *info = 0, *rcond = 0;
  double largest = 0;
  for (int j = 0; j < *n; j++) {
    if (AT(A, *lda, j, j) == 0) return;
    memset(work, 0, sizeof *work * (size_t)*n);
    work[j] = 1; /* P is no part of the factors here; it orders the columns of the inverse, which leaves the norm */
    for (int i = j; i < *n; i++)
      for (int k = j; k < i; k++) work[i] -= AT(A, *lda, i, k) * work[k];
    double sum = 0;
    for (int i = *n - 1; i >= 0; i--) {
      for (int k = i + 1; k < *n; k++) work[i] -= AT(A, *lda, i, k) * work[k];
      work[i] /= AT(A, *lda, i, i);
      sum += fabs(work[i]);
    }
    largest = fmax(largest, sum);
  }
  if (largest > 0 && *anorm > 0 && isfinite(largest)) *rcond = 1 / (*anorm * largest);
}
