#include "linalg/dense.h"

extern void dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
extern void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *A, const int *lda, double *B,
                    const int *ldb, int *info);

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

double crd_dense_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
