/* Singular values, eigenvalues of symmetric matrices and orthonormal bases, by plane rotations and reflections.
 *
 *   singular values   one-sided Jacobi: columns of the taller of A and A' are turned in pairs until all are at right
 *                     angles, A Q = U diag(sigma) [Hestenes 1958; Demmel and Veselic 1992]; O(m n^2) a sweep, some ten sweeps
 *   eigenvalues       Householder's reflections to tridiagonal form, then QL steps with implicit shifts
 *                     [Golub and Van Loan 2013, 8.3]; 4 n^3 or so
 *
 * What LAPACK would do faster from a few hundred rows on, but with an order of operations that depends on BLAS' threads.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/simd.h"

enum { MOST_SWEEPS = 60, MOST_SHIFTS = 60 };

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

CRD_ALWAYS_INLINE void rotate(int n, double c, double s, double *restrict a, double *restrict b) {
  for (int i = 0; i < n; i++) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y, b[i] = s * x + c * y;
  }
}

static void exchange_rows(int n, double *a, double *b) {
  for (int i = 0; i < n; i++) {
    const double keep = a[i];
    a[i] = b[i], b[i] = keep;
  }
}

/* Divides A by the power of two beside its largest entry, so that squares neither vanish nor overflow. Returns it; 0: not
 * all entries are finite. */
static double scale(size_t count, double *A) {
  double most = 0;
  int exponent = 0;
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(A[i])) return 0;
    most = fmax(most, fabs(A[i]));
  }
  frexp(most, &exponent);
  for (size_t i = 0; i < count; i++) A[i] = ldexp(A[i], -exponent);
  return ldexp(1, exponent);
}

/* ------------------------------------------------------------------------------------------------ singular values */

/* One sweep over all pairs of the k rows of B (k x n), turned along in Q (k x k): how many had to be turned. Rows
 * that are nothing beside the largest are left: they count as zero. */
CRD_CLONES static int sweep(int k, int n, double *B, double *Q, double *square) {
  int turned = 0;
  double most = 0;
  for (int i = 0; i < k; i++) {
    square[i] = crd_v4_dot(n, B + (size_t)n * (size_t)i, B + (size_t)n * (size_t)i);
    most = fmax(most, square[i]);
  }
  const double nothing = most * (DBL_EPSILON * DBL_EPSILON), right = DBL_EPSILON * sqrt((double)n);
  for (int i = 0; i < k; i++)
    for (int j = i + 1; j < k; j++) {
      double *a = B + (size_t)n * (size_t)i, *b = B + (size_t)n * (size_t)j;
      if (!(square[i] > nothing) || !(square[j] > nothing)) continue;
      const double product = crd_v4_dot(n, a, b);
      if (fabs(product) <= right * sqrt(square[i]) * sqrt(square[j])) continue;
      const double z = (square[j] - square[i]) / (2 * product);
      const double t = copysign(1 / (fabs(z) + hypot(1, z)), z), c = 1 / hypot(1, t);
      rotate(n, c, c * t, a, b);
      rotate(k, c, c * t, Q + (size_t)k * (size_t)i, Q + (size_t)k * (size_t)j);
      square[i] = crd_v4_dot(n, a, a), square[j] = crd_v4_dot(n, b, b);
      turned++;
    }
  return turned;
}

/* Row r of B (k x n) becomes a unit vector at right angles to the rows before it: what is left of itself, or of the axis
 * that has most left, where nothing is. */
static void complete(int n, double *B, int r) {
  double *row = B + (size_t)n * (size_t)r;
  for (int axis = -1; axis < n; axis++) {
    if (axis >= 0) {
      memset(row, 0, sizeof *row * (size_t)n);
      row[axis] = 1;
    }
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < r; i++) {
        const double *other = B + (size_t)n * (size_t)i, along = crd_dense_dot(n, row, other);
        for (int j = 0; j < n; j++) row[j] -= along * other[j];
      }
    const double norm = sqrt(crd_dense_dot(n, row, row));
    /* some axis keeps at least sqrt((n - r) / n) of its length */
    if (axis < 0 || !(norm > 0.5 / sqrt((double)n))) continue;
    for (int j = 0; j < n; j++) row[j] /= norm;
    return;
  }
}

/* B (k x n, k <= n) = diag(sigma) with rows of B as unit vectors, and Q (k x k): rows of Q B_given = sigma B. */
static bool turn(int k, int n, double *B, double *Q, double *sigma) {
  int sweeps = 0;
  memset(Q, 0, sizeof *Q * (size_t)k * (size_t)k);
  for (int i = 0; i < k; i++) Q[(size_t)(k + 1) * (size_t)i] = 1;
  while (sweep(k, n, B, Q, sigma) > 0)
    if (++sweeps == MOST_SWEEPS) return false;
  for (int i = 0; i < k; i++) {
    const double *row = B + (size_t)n * (size_t)i;
    sigma[i] = sqrt(crd_dense_dot(n, row, row));
  }
  for (int i = 0; i < k; i++) { /* descending */
    int most = i;
    for (int j = i + 1; j < k; j++)
      if (sigma[j] > sigma[most]) most = j;
    if (most == i) continue;
    exchange_rows(1, sigma + i, sigma + most);
    exchange_rows(n, B + (size_t)n * (size_t)i, B + (size_t)n * (size_t)most);
    exchange_rows(k, Q + (size_t)k * (size_t)i, Q + (size_t)k * (size_t)most);
  }
  for (int i = 0; i < k; i++) {
    double *row = B + (size_t)n * (size_t)i;
    if (sigma[i] > larger(k, n) * DBL_EPSILON * sigma[0]) {
      for (int j = 0; j < n; j++) row[j] /= sigma[i];
    } else {
      complete(n, B, i);
    }
  }
  return true;
}

size_t crd_dense_svd_work(int m, int n) {
  const size_t k = (size_t)smaller(m, n);
  return k * (size_t)larger(m, n) + k * k;
}

static void transpose(int m, int n, const double *from, double *to) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) to[(size_t)m * (size_t)j + (size_t)i] = from[(size_t)n * (size_t)i + (size_t)j];
}

bool crd_dense_svd(int m, int n, double *A, double *U, double *sigma, double *V, double *work) {
  const int k = smaller(m, n);
  double *B = work, *Q = work + (size_t)k * (size_t)larger(m, n);
  if (k == 0) return true;
  const double unit = scale((size_t)m * (size_t)n, A);
  if (unit == 0) return false;
  if (m <= n) { /* Q A = diag(sigma) B:  A = Q' diag(sigma) B */
    memcpy(B, A, sizeof *A * (size_t)m * (size_t)n);
    if (!turn(k, n, B, Q, sigma)) return false;
    transpose(k, k, Q, U);
    memcpy(V, B, sizeof *B * (size_t)k * (size_t)n);
  } else { /* Q A' = diag(sigma) B:  A = B' diag(sigma) Q */
    transpose(m, n, A, B);
    if (!turn(k, m, B, Q, sigma)) return false;
    transpose(k, m, B, U);
    memcpy(V, Q, sizeof *Q * (size_t)k * (size_t)k);
  }
  for (int i = 0; i < k; i++) sigma[i] *= unit;
  return true;
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

/* ------------------------------------------------------------------------------------------------ eigenvalues */

/* The reflection I - beta v v' that turns x (n) to (alpha, 0, ..), v in place of x; returns beta, 0: nothing to do. */
static double reflect(int n, double *x, double *alpha) {
  double most = 0, square = 0;
  for (int i = 1; i < n; i++) most = fmax(most, fabs(x[i]));
  *alpha = x[0];
  if (!(most > 0)) return 0;
  most = fmax(most, fabs(x[0]));
  for (int i = 0; i < n; i++) square += (x[i] / most) * (x[i] / most);
  *alpha = -copysign(most * sqrt(square), x[0]);
  for (int i = 0; i < n; i++) x[i] /= most;
  x[0] -= *alpha / most;
  return -most / (*alpha * x[0]); /* 2 / v'v = 1 / (|x| (|x| + |x_0|)), in units of `most` */
}

/* A (lower triangle given) to tridiagonal form: d its diagonal, e[k] between k and k + 1; A becomes Q with rows of
 * Q A Q' = T. p: n of scratch. */
CRD_CLONES static void tridiagonalize(int n, double *A, double *d, double *e, double *p) {
  const size_t wide = (size_t)n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) A[wide * (size_t)j + (size_t)i] = A[wide * (size_t)i + (size_t)j];
  for (int k = 0; k + 2 < n; k++) {
    double *v = A + wide * (size_t)k + k + 1;
    const int left = n - k - 1;
    const double beta = reflect(left, v, &e[k]);
    d[k] = v[-1], v[-1] = beta; /* the diagonal's place keeps beta */
    if (beta == 0) continue;
    for (int i = 0; i < left; i++) p[i] = beta * crd_v4_dot(left, A + wide * (size_t)(k + 1 + i) + k + 1, v);
    const double half = 0.5 * beta * crd_v4_dot(left, p, v);
    for (int i = 0; i < left; i++) p[i] -= half * v[i];
    for (int i = 0; i < left; i++) {
      double *restrict row = A + wide * (size_t)(k + 1 + i) + k + 1;
      const double vi = v[i], pi = p[i];
      for (int j = 0; j < left; j++) row[j] -= vi * p[j] + pi * v[j];
    }
  }
  for (int k = n > 1 ? n - 2 : 0; k < n; k++) d[k] = A[(wide + 1) * (size_t)k];
  if (n > 1) e[n - 2] = A[wide * (size_t)(n - 1) + (size_t)(n - 2)];
  e[n - 1] = 0;
  for (int k = n > 1 ? n - 2 : 0; k < n; k++) /* the last two rows of Q are those of the identity */
    for (int j = n > 1 ? n - 2 : 0; j < n; j++) A[wide * (size_t)k + (size_t)j] = k == j;
  for (int k = n - 3; k >= 0; k--) {
    double *v = A + wide * (size_t)k + k + 1;
    const int left = n - k - 1;
    const double beta = v[-1];
    for (int i = 0; i < left && beta != 0; i++) {
      double *row = A + wide * (size_t)(k + 1 + i) + k + 1;
      const double along = beta * crd_v4_dot(left, row, v);
      for (int j = 0; j < left; j++) row[j] -= along * v[j];
    }
    v[-1] = 1;
    for (int i = 0; i < left; i++) v[i] = 0, A[wide * (size_t)(k + 1 + i) + (size_t)k] = 0;
  }
}

/* One QL step with an implicit shift on the block l .. m, rows of Q turned along. False: the block has split. */
CRD_CLONES static bool ql_step(int n, int l, int m, double *d, double *e, double *Q) {
  double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1), s = 1, c = 1, p = 0;
  g = d[m] - d[l] + e[l] / (g + copysign(r, g));
  for (int i = m - 1; i >= l; i--) {
    const double f = s * e[i], b = c * e[i];
    e[i + 1] = r = hypot(f, g);
    if (r == 0) {
      d[i + 1] -= p, e[m] = 0;
      return false;
    }
    s = f / r, c = g / r;
    g = d[i + 1] - p, r = (d[i] - g) * s + 2 * c * b;
    p = s * r, d[i + 1] = g + p, g = c * r - b;
    rotate(n, c, s, Q + (size_t)n * (size_t)i, Q + (size_t)n * (size_t)(i + 1));
  }
  d[l] -= p, e[l] = g, e[m] = 0;
  return true;
}

bool crd_dense_eigen_symmetric(int n, double *A, double *values, double *work) {
  double *d = values, *e = work;
  if (n == 0) return true;
  const double unit = scale((size_t)n * (size_t)n, A);
  if (unit == 0) return false;
  tridiagonalize(n, A, d, e, work + n);
  for (int l = 0; l < n; l++)
    for (int steps = 0;; steps++) {
      int m = l;
      while (m < n - 1 && fabs(e[m]) > DBL_EPSILON * (fabs(d[m]) + fabs(d[m + 1]))) m++;
      if (m == l) break;
      if (steps == MOST_SHIFTS) return false;
      ql_step(n, l, m, d, e, A);
    }
  for (int i = 0; i < n; i++) { /* ascending */
    int least = i;
    for (int j = i + 1; j < n; j++)
      if (d[j] < d[least]) least = j;
    if (least == i) continue;
    exchange_rows(1, d + i, d + least);
    exchange_rows(n, A + (size_t)n * (size_t)i, A + (size_t)n * (size_t)least);
  }
  for (int i = 0; i < n; i++) d[i] *= unit;
  return true;
}

/* ------------------------------------------------------------------------------------------------ bases */

/* By Gram and Schmidt, each column twice, which is enough [Parlett 1998, 6.9]. */
void crd_dense_orthonormalize(int m, int n, double *A, double *work) {
  (void)work;
  for (int j = 0; j < n; j++) {
    double square = 0;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < j; i++) {
        double along = 0;
        for (int r = 0; r < m; r++)
          along += A[(size_t)n * (size_t)r + (size_t)i] * A[(size_t)n * (size_t)r + (size_t)j];
        for (int r = 0; r < m; r++)
          A[(size_t)n * (size_t)r + (size_t)j] -= along * A[(size_t)n * (size_t)r + (size_t)i];
      }
    for (int r = 0; r < m; r++) square += A[(size_t)n * (size_t)r + (size_t)j] * A[(size_t)n * (size_t)r + (size_t)j];
    for (int r = 0; r < m; r++) A[(size_t)n * (size_t)r + (size_t)j] /= sqrt(square);
  }
}
