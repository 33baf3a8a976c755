#include "linalg/semidefinite.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

/* L (n x n, row-major, columns beyond the rank zero), then the Cholesky factor of S = L'L, then scratch (n). */
size_t crd_semidefinite_size(int n) { return 2 * (size_t)n * (size_t)n + (size_t)n + 1; }

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Column k of L from the rows that are not chosen yet; `left` (n): their remaining diagonal entries. */
static void eliminate(int n, const double *A, double *L, int k, const int *order, double *left) {
  size_t stride = (size_t)n;
  int row = order[k];
  double *own = L + stride * (size_t)row, pivot = sqrt(left[row]);
  own[k] = pivot;
  for (int i = k + 1; i < n; i++) {
    double *other = L + stride * (size_t)order[i];
    other[k] = (A[stride * (size_t)order[i] + (size_t)row] - dot(k, other, own)) / pivot;
    left[order[i]] -= other[k] * other[k];
  }
}

/* S = L'L and its Cholesky factor; L has independent columns. */
static void factor_gram(int n, int rank, const double *L, double *S) {
  size_t stride = (size_t)n;
  for (int i = 0; i < rank; i++)
    for (int j = 0; j <= i; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += L[stride * (size_t)k + (size_t)i] * L[stride * (size_t)k + (size_t)j];
      S[stride * (size_t)i + (size_t)j] = sum;
    }
  for (int i = 0; i < rank; i++)
    for (int j = 0; j <= i; j++) {
      double *a = S + stride * (size_t)i, *b = S + stride * (size_t)j, rest = a[j] - dot(j, a, b);
      a[j] = i == j ? sqrt(rest) : rest / b[j];
    }
}

int crd_semidefinite_rank(int n, const double *A, double tolerance, double *factor, int *order) {
  size_t stride = (size_t)n;
  double *L = factor, *left = L + 2 * stride * stride, largest = 0;
  memset(L, 0, sizeof *L * stride * stride);
  for (int i = 0; i < n; i++) {
    order[i] = i, left[i] = A[(stride + 1) * (size_t)i];
    largest = fmax(largest, left[i]);
  }
  int rank = 0;
  for (; rank < n; rank++) {
    int best = rank;
    for (int i = rank + 1; i < n; i++)
      if (left[order[i]] > left[order[best]]) best = i;
    if (!(left[order[best]] > tolerance * largest)) break;
    int chosen = order[best];
    order[best] = order[rank], order[rank] = chosen;
    eliminate(n, A, L, rank, order, left);
  }
  return rank;
}

int crd_semidefinite_factor(int n, const double *A, double tolerance, double *factor, int *order) {
  int rank = crd_semidefinite_rank(n, A, tolerance, factor, order);
  factor_gram(n, rank, factor, factor + (size_t)n * (size_t)n);
  return rank;
}

/* Z_ij of Z = A^-1, j <= i, from the Z of later columns; rows beyond `last` have nothing in column j of L. */
static double inverse_entry(int n, const double *L, const double *Z, const int *first, int i, int j, int last) {
  size_t stride = (size_t)n;
  double pivot = L[(stride + 1) * (size_t)j], sum = i == j ? 1 / pivot : 0;
  for (int k = j + 1; k <= last; k++)
    if (first[k] <= j) {
      size_t row = (size_t)(i > k ? i : k), column = (size_t)(i > k ? k : i);
      sum -= L[stride * (size_t)k + (size_t)j] * Z[stride * row + column];
    }
  return sum / pivot;
}

/* With A = L L', L' Z = L^-1 has 1/L_jj on its diagonal and zeros above it, so that the entries of Z where L has some follow
 * from the last column to the first [Takahashi, Fagan, Chin 1973]. */
bool crd_semidefinite_independent(int n, const double *A, double share, double *factor, int *first) {
  size_t stride = (size_t)n;
  double *L = factor, *Z = factor + stride * stride;
  memcpy(L, A, sizeof *A * stride * stride);
  if (!crd_dense_cholesky_envelope(n, L, first)) return false;
  for (int j = n - 1; j >= 0; j--) {
    int last = j;
    for (int i = j + 1; i < n; i++)
      if (first[i] <= j) last = i;
    for (int i = last; i >= j; i--)
      if (i == j || first[i] <= j) Z[stride * (size_t)i + (size_t)j] = inverse_entry(n, L, Z, first, i, j, last);
    if (!(Z[(stride + 1) * (size_t)j] * share < 1)) return false;
  }
  return true;
}

void crd_semidefinite_solve(int n, int rank, double *factor, double *x) {
  size_t stride = (size_t)n;
  const double *L = factor, *S = L + stride * stride;
  double *y = factor + 2 * stride * stride; /* the scratch behind the factor */
  for (int k = 0; k < rank; k++) {
    y[k] = 0;
    for (int i = 0; i < n; i++) y[k] += L[stride * (size_t)i + (size_t)k] * x[i];
  }
  for (int twice = 0; twice < 2; twice++) {
    for (int i = 0; i < rank; i++) y[i] = (y[i] - dot(i, S + stride * (size_t)i, y)) / S[(stride + 1) * (size_t)i];
    for (int i = rank - 1; i >= 0; i--) {
      for (int j = i + 1; j < rank; j++) y[i] -= S[stride * (size_t)j + (size_t)i] * y[j];
      y[i] /= S[(stride + 1) * (size_t)i];
    }
  }
  for (int i = 0; i < n; i++) x[i] = dot(rank, L + stride * (size_t)i, y);
}
