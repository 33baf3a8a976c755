#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/product.h"

static const double RESOLVED = 0.01; /* two digits that an inverse should keep */

extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda, double *wr,
                   double *wi, double *VL, const int *ldvl, double *VR, const int *ldvr, double *work, const int *lwork,
                   int *info);
extern void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *A, const int *lda,
                   double *B, const int *ldb, double *w, double *work, const int *lwork, int *info);
extern void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
extern void dgetri_(const int *n, double *A, const int *lda, const int *pivot, double *work, const int *lwork,
                    int *info);

static double *numbers(crd_arena *arena, size_t count) { return crd_arena_alloc(arena, count, sizeof(double)); }

static double *copy_of(crd_arena *arena, size_t count, const double *A) {
  double *copy = numbers(arena, count);
  if (copy && count > 0) memcpy(copy, A, sizeof *A * count);
  return copy;
}

double crd_dense_frobenius(int m, int n, const double *A) {
  double sum = 0;
  for (size_t i = 0; i < (size_t)m * (size_t)n; i++) sum += A[i] * A[i];
  return sqrt(sum);
}

double crd_dense_norm(int m, int n, const double *A, crd_arena *arena) {
  if (m == 0 || n == 0) return 0;
  size_t k = (size_t)(m < n ? m : n);
  double *copy = copy_of(arena, (size_t)m * (size_t)n, A), *sigma = numbers(arena, k);
  double *U = numbers(arena, (size_t)m * k), *V = numbers(arena, k * (size_t)n);
  double *work = numbers(arena, crd_dense_svd_work(m, n));
  if (!copy || !sigma || !U || !V || !work || !crd_dense_svd(m, n, copy, U, sigma, V, work)) return NAN;
  return sigma[0];
}

void crd_dense_symmetric_range(int n, const double *A, double *least, double *most, crd_arena *arena) {
  double low = INFINITY, high = -INFINITY;
  if (n > 0) {
    double *copy = copy_of(arena, (size_t)n * (size_t)n, A), *values = numbers(arena, 4 * (size_t)n);
    low = high = NAN;
    if (copy && values) {
      crd_dense_symmetrize(n, copy);
      if (crd_dense_eigen_symmetric(n, copy, values, values + n)) low = values[0], high = values[n - 1];
    }
  }
  if (least) *least = low;
  if (most) *most = high;
}

bool crd_dense_eigenvalues(int n, double *A, double *re, double *im) {
  double work[4 * 32], none = 0;
  int info = 0, lwork = 4 * 32, one = 1;
  if (n > 32) return false;
  if (n > 0) dgeev_("N", "N", &n, A, &n, re, im, &none, &one, &none, &one, work, &lwork, &info);
  return info == 0;
}

double crd_dense_spectral_radius(int n, const double *A, crd_arena *arena) {
  int info = 0, lwork = 4 * n, one = 1;
  if (n == 0) return 0;
  double *copy = copy_of(arena, (size_t)n * (size_t)n, A), *re = numbers(arena, 6 * (size_t)n);
  if (!copy || !re) return NAN;
  double *im = re + n, *work = im + n, none = 0, radius = 0;
  dgeev_("N", "N", &n, copy, &n, re, im, &none, &one, &none, &one, work, &lwork, &info);
  if (info != 0) return NAN;
  for (int i = 0; i < n; i++) radius = fmax(radius, hypot(re[i], im[i]));
  return radius;
}

bool crd_dense_eigen_pair(int n, double *A, double *B, double *values, double *work) {
  int info = 0, type = 1, lwork = 3 * n;
  if (n == 0) return true;
  dsygv_(&type, "V", "U", &n, A, &n, B, &n, values, work, &lwork, &info);
  return info == 0;
}

double *crd_dense_inverse(int n, const double *A, crd_arena *arena) {
  int info = 0;
  double *inverse = copy_of(arena, (size_t)n * (size_t)n, A), *work = numbers(arena, (size_t)n);
  int *pivot = crd_arena_alloc(arena, (size_t)n, sizeof *pivot);
  if (!inverse || !work || !pivot) return NULL;
  if (n == 0) return inverse;
  double size = crd_dense_frobenius(n, n, A);
  dgetrf_(&n, &n, inverse, &n, pivot, &info);
  if (info == 0) dgetri_(&n, inverse, &n, pivot, work, &n, &info);
  /* a condition number beyond what double precision resolves is a singular matrix */
  if (info != 0 || !(size * crd_dense_frobenius(n, n, inverse) < RESOLVED / DBL_EPSILON)) return NULL;
  return inverse;
}
