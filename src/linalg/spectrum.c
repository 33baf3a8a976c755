#include "linalg/spectrum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/product.h"

static const double RESOLVED = 0.01; /* two digits that an inverse should keep */

extern void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda, double *wr,
                   double *wi, double *VL, const int *ldvl, double *VR, const int *ldvr, double *work, const int *lwork,
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
  double work[4 * CRD_MOST_EIGENVALUES], none = 0;
  int info = 0, lwork = 4 * CRD_MOST_EIGENVALUES, one = 1;
  if (n > CRD_MOST_EIGENVALUES) return false;
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
  const size_t wide = (size_t)n;
  if (!crd_dense_cholesky(n, B)) return false;
  /* C = L^-1 A L^-T of the lower triangles, y = L' x */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[wide * (size_t)j + (size_t)i] = A[wide * (size_t)i + (size_t)j];
  for (int pass = 0; pass < 2; pass++) { /* rows times L^-T, and, A being symmetric, its columns */
    for (int r = 0; r < n; r++) {
      double *row = A + wide * (size_t)r;
      for (int i = 0; i < n; i++)
        row[i] = (row[i] - crd_dense_dot(i, row, B + wide * (size_t)i)) / B[(wide + 1) * (size_t)i];
    }
    for (int i = 0; pass == 0 && i < n; i++)
      for (int j = 0; j < i; j++) {
        const double keep = A[wide * (size_t)i + (size_t)j];
        A[wide * (size_t)i + (size_t)j] = A[wide * (size_t)j + (size_t)i], A[wide * (size_t)j + (size_t)i] = keep;
      }
  }
  crd_dense_symmetrize(n, A);
  if (!crd_dense_eigen_symmetric(n, A, values, work)) return false;
  for (int r = 0; r < n; r++) { /* x = L^-T y */
    double *x = A + wide * (size_t)r;
    for (int i = n - 1; i >= 0; i--) {
      const double *row = B + wide * (size_t)i, value = x[i] /= row[i];
      for (int j = 0; j < i; j++) x[j] -= row[j] * value;
    }
  }
  return true;
}

double *crd_dense_inverse(int n, const double *A, crd_arena *arena) {
  double *factor = copy_of(arena, (size_t)n * (size_t)n, A), *inverse = numbers(arena, (size_t)n * (size_t)n);
  int *pivot = crd_arena_alloc(arena, (size_t)n, sizeof *pivot);
  if (!inverse || !factor || !pivot) return NULL;
  if (n == 0) return inverse;
  double size = crd_dense_frobenius(n, n, A);
  if (!crd_lu_factor_bare(n, factor, pivot)) return NULL;
  crd_dense_identity(n, inverse);
  crd_lu_solve(n, factor, pivot, n, inverse); /* columns of A^-1, one after the other: */
  for (int i = 0; i < n; i++)                 /* row by row after this */
    for (int j = 0; j < i; j++) {
      double *a = &inverse[(size_t)n * (size_t)i + (size_t)j], *b = &inverse[(size_t)n * (size_t)j + (size_t)i];
      const double keep = *a;
      *a = *b, *b = keep;
    }
  /* a condition number beyond what double precision resolves is a singular matrix */
  if (!(size * crd_dense_frobenius(n, n, inverse) < RESOLVED / DBL_EPSILON)) return NULL;
  return inverse;
}
