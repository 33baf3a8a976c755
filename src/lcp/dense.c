/* Dense LU and Cholesky factors of basis matrices, row-major.
 *
 * Bases have 1 to a few hundred rows, most of them fewer than twenty: calling LAPACK would cost more than the work, and
 * its threads would make the bits depend on their number. LU costs 2/3 k^3, Cholesky 1/3 k^3, a solve 2 k^2.
 */
#include <math.h>

#include "lcp/basis.h"
#include "linalg/simd.h"

static const double singular = 1e-14;

/* a -= f b */
CRD_ALWAYS_INLINE void subtract(double *restrict a, const double *restrict b, double f, int count) {
  for (int i = 0; i < count; i++) a[i] -= f * b[i];
}

/* a . b, four partial sums in a fixed order */
CRD_ALWAYS_INLINE double dot(const double *a, const double *b, int count) {
  crd_v4 sum = {0, 0, 0, 0};
  int i = 0;
  for (; i + 4 <= count; i += 4) sum += *(const crd_v4_unaligned *)(a + i) * *(const crd_v4_unaligned *)(b + i);
  double total = crd_v4_total(sum);
  for (; i < count; i++) total += a[i] * b[i];
  return total;
}

CRD_CLONES bool lcp_lu_factor(double *A, int k, int ld, int *swap, double *row_size) {
  for (int i = 0; i < k; i++) {
    double size = 0;
    for (int j = 0; j < k; j++) size = fabs(A[i * ld + j]) > size ? fabs(A[i * ld + j]) : size;
    if (!(size > 0)) return false;
    row_size[i] = size;
  }
  for (int p = 0; p < k; p++) {
    int best = p;
    double most = -1;
    for (int i = p; i < k; i++) {
      double value = fabs(A[i * ld + p]) / row_size[i];
      if (value > most) most = value, best = i;
    }
    if (!(most > singular)) return false;
    swap[p] = best;
    if (best != p) {
      for (int j = 0; j < k; j++) {
        double keep = A[p * ld + j];
        A[p * ld + j] = A[best * ld + j], A[best * ld + j] = keep;
      }
      row_size[best] = row_size[p];
    }
    double inverse = 1 / A[p * ld + p];
    for (int i = p + 1; i < k; i++) {
      double f = A[i * ld + p] * inverse;
      if (f == 0) continue;
      A[i * ld + p] = f;
      subtract(A + i * ld + p + 1, A + p * ld + p + 1, f, k - p - 1);
    }
  }
  return true;
}

CRD_CLONES void lcp_lu_solve(const double *A, int k, int ld, const int *swap, double *x) {
  for (int i = 0; i < k; i++) {
    double keep = x[swap[i]];
    x[swap[i]] = x[i], x[i] = keep;
  }
  for (int i = 1; i < k; i++) x[i] -= dot(A + i * ld, x, i);
  for (int i = k - 1; i >= 0; i--) x[i] = (x[i] - dot(A + i * ld + i + 1, x + i + 1, k - i - 1)) / A[i * ld + i];
}

CRD_CLONES bool lcp_cholesky_factor(double *A, int k, int ld) {
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < i; j++) A[i * ld + j] = (A[i * ld + j] - dot(A + i * ld, A + j * ld, j)) / A[j * ld + j];
    double before = A[i * ld + i], pivot = before - dot(A + i * ld, A + i * ld, i);
    if (!(pivot > singular * before)) return false;
    A[i * ld + i] = sqrt(pivot);
  }
  return true;
}

CRD_CLONES void lcp_cholesky_solve(const double *A, int k, int ld, double *x) {
  for (int i = 0; i < k; i++) x[i] = (x[i] - dot(A + i * ld, x, i)) / A[i * ld + i];
  for (int i = k - 1; i >= 0; i--) {
    x[i] /= A[i * ld + i];
    for (int j = 0; j < i; j++) x[j] -= A[i * ld + j] * x[i];
  }
}
