/* LU factors with an estimate of the condition number, by the kernels of small_lu.c.
 *
 * The norm of A^-1 is estimated as LAPACK does: Hager's ascent on the convex function |A^-T x|_1, at most five steps, and
 * Higham's vector of alternating signs against its blind spots [Higham 2002, algorithm 15.4]. */
#include "linalg/lu.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "linalg/simd.h"
#include "linalg/small_lu.h"

enum { MOST_STEPS = 5 };

/* The largest row sum of A: the 1-norm of A'. */
static double norm_of_transpose(int n, const double *A) {
  double largest = 0;
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) sum += fabs(A[(size_t)n * (size_t)i + (size_t)j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* Solves A' x = b in place: U' y = b, L' z = y, and the exchanges of rows backwards. */
CRD_CLONES static void solve_transposed(int n, const double *A, const int *pivot, double *x) {
  for (int i = 0; i < n; i++) {
    const double *restrict row = A + (size_t)n * (size_t)i;
    const double value = x[i] /= row[i];
    for (int j = i + 1; j < n; j++) x[j] -= row[j] * value;
  }
  for (int i = n - 1; i > 0; i--) {
    const double *restrict row = A + (size_t)n * (size_t)i;
    const double value = x[i];
    for (int j = 0; j < i; j++) x[j] -= row[j] * value;
  }
  for (int i = n - 1; i >= 0; i--) {
    const double keep = x[i];
    x[i] = x[pivot[i]], x[pivot[i]] = keep;
  }
}

static double sum_of_magnitudes(int n, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

/* |A^-T|_1 from the factors; x, z: n of scratch each. */
static double norm_of_inverse(int n, const double *A, const int *pivot, double *x, double *z) {
  double estimate = 0;
  for (int i = 0; i < n; i++) x[i] = 1.0 / n;
  for (int step = 0, last = -1; step < MOST_STEPS; step++) {
    solve_transposed(n, A, pivot, x);
    const double found = sum_of_magnitudes(n, x);
    if (step > 0 && !(found > estimate)) break;
    estimate = found;
    for (int i = 0; i < n; i++) z[i] = x[i] < 0 ? -1 : 1;
    crd_small_lu_solve(n, A, n, pivot, z);
    int most = 0;
    for (int i = 1; i < n; i++)
      if (fabs(z[i]) > fabs(z[most])) most = i;
    if (most == last) break;
    memset(x, 0, sizeof *x * (size_t)n);
    x[most] = 1, last = most;
  }
  for (int i = 0; i < n; i++) x[i] = (i % 2 ? -1 : 1) * (1 + (n > 1 ? (double)i / (n - 1) : 0));
  solve_transposed(n, A, pivot, x);
  return fmax(estimate, 2 * sum_of_magnitudes(n, x) / (3 * n));
}

double crd_lu_factor(int n, double *A, int *pivot, double *work, int *iwork) {
  (void)iwork;
  if (n == 0) return 1;
  const double norm = norm_of_transpose(n, A);
  if (crd_small_lu_factor(n, A, n, pivot) == 0) return 0;
  const double rcond = 1 / (norm * norm_of_inverse(n, A, pivot, work, work + n));
  return rcond > 0 ? fmin(rcond, 1) : 0;
}

bool crd_lu_factor_bare(int n, double *A, int *pivot) { return n == 0 || crd_small_lu_factor(n, A, n, pivot) != 0; }

void crd_lu_solve(int n, const double *A, const int *pivot, int count, double *x) {
  for (int k = 0; k < count; k++) crd_small_lu_solve(n, A, n, pivot, x + (size_t)n * (size_t)k);
}
