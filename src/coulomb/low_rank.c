#include "coulomb/low_rank.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/simd.h"
#include "linalg/small_lu.h"

static const double RANK = 1e-13;      /* of a unit diagonal: what rounding leaves of a row that depends on others */
static const double SYMMETRIC = 1e-12; /* of a unit diagonal */

static int is_symmetric(int n, const double *A) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      if (!(fabs(A[(size_t)n * (size_t)i + (size_t)j] - A[(size_t)n * (size_t)j + (size_t)i]) <= SYMMETRIC)) return 0;
  return 1;
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

int crd_low_rank_factor(int n, const double *A, int most, double *L, double *diagonal) {
  size_t stride = (size_t)most;
  if (!is_symmetric(n, A)) return -1;
  for (int i = 0; i < n; i++) diagonal[i] = A[(size_t)(n + 1) * (size_t)i];
  for (int k = 0; k < n; k++) {
    int best = 0;
    for (int i = 1; i < n; i++)
      if (diagonal[i] > diagonal[best]) best = i;
    if (!(diagonal[best] > RANK)) return k;
    if (k == most) return -1;
    const double *row = L + stride * (size_t)best;
    double root = sqrt(diagonal[best]);
    for (int i = 0; i < n; i++) {
      double *l = L + stride * (size_t)i;
      l[k] = i == best ? root : (A[(size_t)n * (size_t)best + (size_t)i] - dot(k, row, l)) / root;
    }
    for (int i = 0; i < n; i++) {
      double l = L[stride * (size_t)i + (size_t)k];
      diagonal[i] = i == best ? -1 : diagonal[i] - l * l; /* a pivot is not chosen again */
    }
  }
  return n <= most ? n : -1;
}

CRD_CLONES static void accumulate(int m, int r, const double *restrict Q, const double *restrict B,
                                  double *restrict matrix) {
  int i = 0;
  for (; i + 3 < m; i += 4) { /* four rows at a time: the matrix passes once for them */
    const double *q0 = Q + (size_t)r * (size_t)i, *q1 = q0 + r, *q2 = q1 + r, *q3 = q2 + r;
    const double *restrict b0 = B + (size_t)r * (size_t)i, *restrict b1 = b0 + r, *restrict b2 = b1 + r,
                           *restrict b3 = b2 + r;
    for (int k = 0; k < r; k++) {
      double *restrict to = matrix + (size_t)r * (size_t)k;
      for (int j = 0; j < r; j++) to[j] += q0[k] * b0[j] + q1[k] * b1[j] + q2[k] * b2[j] + q3[k] * b3[j];
    }
  }
  for (; i < m; i++)
    for (int k = 0; k < r; k++) {
      const double *restrict b = B + (size_t)r * (size_t)i;
      double q = Q[(size_t)r * (size_t)i + (size_t)k], *restrict to = matrix + (size_t)r * (size_t)k;
      for (int j = 0; j < r; j++) to[j] += q * b[j];
    }
}

double crd_low_rank_matrix(int m, int r, const double *Q, const double *B, double *matrix, int *pivot) {
  memset(matrix, 0, sizeof *matrix * (size_t)r * (size_t)r);
  for (int k = 0; k < r; k++) matrix[(size_t)(r + 1) * (size_t)k] = 1;
  accumulate(m, r, Q, B, matrix);
  return crd_small_lu_factor(r, matrix, r, pivot);
}
