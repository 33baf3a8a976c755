/* Cholesky factors and their uses. Loops run along rows, so that inner loops are dot products and sums of
 * rows; the order of operations is fixed, so that the bits depend neither on threads nor on the processor. */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "linalg/simd.h"

CRD_CLONES static bool factor_rows(int n, double *A) {
  const size_t wide = (size_t)n;
  for (int i = 0; i < n; i++) {
    double *row = A + wide * (size_t)i;
    for (int j = 0; j < i; j++) {
      const double *other = A + wide * (size_t)j;
      row[j] = (row[j] - crd_v4_dot(j, row, other)) / other[j];
    }
    const double square = row[i] - crd_v4_dot(i, row, row);
    if (!(square > 0) || !(square < INFINITY)) return false;
    row[i] = sqrt(square);
  }
  return true;
}

bool crd_dense_cholesky(int n, double *A) { return factor_rows(n, A); }

CRD_CLONES static void solve_factored(int n, const double *L, double *x) {
  const size_t wide = (size_t)n;
  for (int i = 0; i < n; i++) x[i] = (x[i] - crd_v4_dot(i, L + wide * (size_t)i, x)) / L[wide * (size_t)i + (size_t)i];
  for (int i = n - 1; i >= 0; i--) {
    const double *restrict row = L + wide * (size_t)i;
    const double value = x[i] /= row[i];
    for (int j = 0; j < i; j++) x[j] -= row[j] * value;
  }
}

void crd_dense_cholesky_solve(int n, const double *L, int count, double *x) {
  for (int k = 0; k < count; k++) solve_factored(n, L, x + (size_t)n * (size_t)k);
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

/* ------------------------------------------------------------------------------------------------ pivoted */

static void exchange(double *a, double *b) {
  const double keep = *a;
  *a = *b, *b = keep;
}

/* Rows and columns k < p of the lower triangle, whose columns before k are factors; diagonals are kept elsewhere. */
static void exchange_rows(int n, double *A, int k, int p) {
  const size_t wide = (size_t)n;
  double *a = A + wide * (size_t)k, *b = A + wide * (size_t)p;
  for (int j = 0; j < k; j++) exchange(&a[j], &b[j]);
  for (int i = k + 1; i < p; i++) exchange(&A[wide * (size_t)i + (size_t)k], &b[i]);
  for (int i = p + 1; i < n; i++) exchange(&A[wide * (size_t)i + (size_t)k], &A[wide * (size_t)i + (size_t)p]);
}

int crd_dense_independent_rows(int n, double *A, double tolerance, int *order, double *work) {
  const size_t wide = (size_t)n;
  double *left = work; /* of the diagonal */
  for (int i = 0; i < n; i++) order[i] = i, left[i] = A[(wide + 1) * (size_t)i];
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (left[i] > left[p]) p = i;
    if (!(left[p] > tolerance)) return k;
    if (p != k) {
      const int chosen = order[p];
      order[p] = order[k], order[k] = chosen;
      exchange(&left[p], &left[k]);
      exchange_rows(n, A, k, p);
    }
    const double *row = A + wide * (size_t)k, pivot = sqrt(left[k]);
    for (int i = k + 1; i < n; i++) {
      double *other = A + wide * (size_t)i;
      other[k] = (other[k] - crd_v4_dot(k, other, row)) / pivot;
      left[i] -= other[k] * other[k];
    }
  }
  return n;
}
