#include "linalg/dense.h"

#include <math.h>
#include <string.h>

extern void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *A, const int *lda, double *B,
                    const int *ldb, int *info);
extern void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *A, const int *lda,
                    double *sigma, double *U, const int *ldu, double *VT, const int *ldvt, double *work,
                    const int *lwork, int *info);
extern void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *values,
                   double *work, const int *lwork, int *info);
extern void dgelqf_(const int *m, const int *n, double *A, const int *lda, double *tau, double *work, const int *lwork,
                    int *info);
extern void dorglq_(const int *m, const int *n, const int *k, double *A, const int *lda, const double *tau,
                    double *work, const int *lwork, int *info);
extern void dpstrf_(const char *uplo, const int *n, double *A, const int *lda, int *pivot, int *rank, const double *tol,
                    double *work, int *info);

bool crd_dense_cholesky(int n, double *A) {
  int info = 0;
  if (n == 0) return true;
  dpotrf_("U", &n, A, &n, &info);
  return info == 0;
}

void crd_dense_cholesky_solve(int n, const double *L, int count, double *x) {
  int info = 0;
  if (n == 0 || count == 0) return;
  dpotrs_("U", &n, &count, L, &n, x, &n, &info);
}

bool crd_dense_cholesky_envelope(int n, double *A, int *first) {
  for (int i = 0; i < n; i++) {
    double *row = A + (size_t)n * (size_t)i;
    for (first[i] = 0; first[i] < i && row[first[i]] == 0; first[i]++) continue;
    for (int j = first[i]; j <= i; j++) {
      const double *other = A + (size_t)n * (size_t)j;
      double sum = row[j];
      for (int k = first[i] > first[j] ? first[i] : first[j]; k < j; k++) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
      } else {
        if (!(sum > 0)) return false;
        row[i] = sqrt(sum);
      }
    }
  }
  return true;
}

void crd_dense_cholesky_envelope_solve(int n, const double *L, const int *first, double *x) {
  for (int i = 0; i < n; i++) {
    const double *row = L + (size_t)n * (size_t)i;
    for (int j = first[i]; j < i; j++) x[i] -= row[j] * x[j];
    x[i] /= row[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = L + (size_t)n * (size_t)i;
    x[i] /= row[i];
    for (int j = first[i]; j < i; j++) x[j] -= row[j] * x[i];
  }
}

double crd_dense_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

double crd_dense_quadratic(int n, const double *A, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * crd_dense_dot(n, A + (size_t)n * (size_t)i, x);
  return sum;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static int svd_work(int m, int n) { return 5 * smaller(m, n) + (m > n ? m : n) + 1; }

size_t crd_dense_svd_work(int m, int n) { return (size_t)svd_work(m, n); }

bool crd_dense_svd(int m, int n, double *A, double *U, double *sigma, double *V, double *work) {
  int info = 0, k = smaller(m, n), lwork = svd_work(m, n);
  if (k == 0) return true;
  /* for LAPACK this is A' (n x m): its left vectors, column by column, are our V row by row */
  dgesvd_("S", "S", &n, &m, A, &n, sigma, V, &n, U, &k, work, &lwork, &info);
  return info == 0;
}

bool crd_dense_eigen_symmetric(int n, double *A, double *values, double *work) {
  int info = 0, lwork = 3 * n;
  if (n == 0) return true;
  dsyev_("V", "U", &n, A, &n, values, work, &lwork, &info);
  return info == 0;
}

size_t crd_dense_pseudo_inverse_work(int m, int n) {
  size_t k = (size_t)smaller(m, n), rows = (size_t)m, columns = (size_t)n;
  return rows * columns + rows * k + k + k * columns + crd_dense_svd_work(m, n);
}

int crd_dense_pseudo_inverse(int m, int n, const double *A, double tolerance, double *inverse, double *work) {
  int k = smaller(m, n), rank = 0;
  size_t entries = (size_t)m * (size_t)n;
  double *copy = work, *U = copy + entries, *sigma = U + (size_t)m * (size_t)k, *V = sigma + k;
  memset(inverse, 0, sizeof *inverse * entries);
  if (k == 0) return 0;
  memcpy(copy, A, sizeof *A * entries);
  if (!crd_dense_svd(m, n, copy, U, sigma, V, V + (size_t)k * (size_t)n)) return -1;
  while (rank < k && sigma[rank] > tolerance * sigma[0]) rank++;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      for (int r = 0; r < rank; r++)
        inverse[(size_t)m * (size_t)j + (size_t)i] +=
            V[(size_t)n * (size_t)r + (size_t)j] * U[(size_t)k * (size_t)i + (size_t)r] / sigma[r];
  return rank;
}

void crd_dense_orthonormalize(int m, int n, double *A, double *work) {
  int info = 0;
  if (n == 0) return;
  /* for LAPACK this is A' (n x m): A' = L Q, and the rows of Q span what the columns of A span */
  dgelqf_(&n, &m, A, &n, work, work + n, &n, &info);
  dorglq_(&n, &m, &n, A, &n, work, work + n, &n, &info);
}

int crd_dense_independent_rows(int n, double *A, double tolerance, int *order, double *work) {
  int rank = 0, info = 0;
  if (n == 0) return 0;
  dpstrf_("U", &n, A, &n, order, &rank, &tolerance, work, &info);
  for (int i = 0; i < n; i++) order[i]--;
  return info < 0 ? 0 : rank;
}
