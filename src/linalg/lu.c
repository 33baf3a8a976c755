#include "linalg/lu.h"

#include <math.h>
#include <stddef.h>

extern void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *A, const int *lda, const int *pivot,
                    double *B, const int *ldb, int *info);
extern void dgecon_(const char *norm, const int *n, const double *A, const int *lda, const double *anorm, double *rcond,
                    double *work, int *iwork, int *info);

/* LAPACK sees A', whose 1-norm is the largest row sum of A. */
static double norm_of_transpose(int n, const double *A) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[(size_t)n * (size_t)i + (size_t)j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

double crd_lu_factor(int n, double *A, int *pivot, double *work, int *iwork) {
  int info = 0;
  double norm = norm_of_transpose(n, A), rcond = 1;
  if (n == 0) return 1;
  dgetrf_(&n, &n, A, &n, pivot, &info);
  if (info != 0) return 0;
  dgecon_("1", &n, A, &n, &norm, &rcond, work, iwork, &info);
  return info == 0 ? rcond : 0;
}

bool crd_lu_factor_bare(int n, double *A, int *pivot) {
  int info = 0;
  if (n > 0) dgetrf_(&n, &n, A, &n, pivot, &info);
  return info == 0;
}

void crd_lu_solve(int n, const double *A, const int *pivot, int count, double *x) {
  int info = 0;
  if (n == 0 || count == 0) return;
  dgetrs_("T", &n, &count, A, &n, pivot, x, &n, &info);
}
