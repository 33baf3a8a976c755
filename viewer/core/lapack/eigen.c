/* Eigenvalues, as LAPACK's (see triangular.c): symmetric matrices by Jacobi's turns, others by Francis' double shifts. */
#include "lapack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define AT(A, ld, i, j) (A)[(size_t)(ld) * (size_t)(j) + (size_t)(i)]

enum { JACOBI_SWEEPS = 60, MOST_STEPS = 60 };

/* ------------------------------------------------------------------------------------------------ symmetric */

/* Turns the plane p, q so that S_pq vanishes; S is whole. */
static void turn_symmetric(int n, double *S, double *V, int p, int q) {
  const double theta = (AT(S, n, q, q) - AT(S, n, p, p)) / (2 * AT(S, n, p, q));
  const double t = copysign(1, theta) / (fabs(theta) + hypot(1, theta)), c = 1 / hypot(1, t), s = c * t;
  for (int k = 0; k < n; k++) {
    const double a = AT(S, n, k, p), b = AT(S, n, k, q), x = AT(V, n, k, p), y = AT(V, n, k, q);
    AT(S, n, k, p) = c * a - s * b, AT(S, n, k, q) = s * a + c * b;
    AT(V, n, k, p) = c * x - s * y, AT(V, n, k, q) = s * x + c * y;
  }
  for (int k = 0; k < n; k++) {
    const double a = AT(S, n, p, k), b = AT(S, n, q, k);
    AT(S, n, p, k) = c * a - s * b, AT(S, n, q, k) = s * a + c * b;
  }
  AT(S, n, p, q) = AT(S, n, q, p) = 0;
}

static bool diagonalize(int n, double *S, double *V) {
  for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
    bool changed = false;
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        const double entry = fabs(AT(S, n, p, q));
        /* what is lost beside both diagonal entries is zero; next to the matrix as a whole it is after some sweeps */
        if (entry < DBL_MIN || (entry <= 0.1 * DBL_EPSILON * fabs(AT(S, n, p, p)) &&
                                entry <= 0.1 * DBL_EPSILON * fabs(AT(S, n, q, q))))
          continue;
        turn_symmetric(n, S, V, p, q);
        changed = true;
      }
    if (!changed) return true;
  }
  return false;
}

/* jobz "V", uplo "U": values in rising order, vectors in the columns of A. info 1: not converged, or no memory. */
void dsyev_(const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *values, double *work,
            const int *lwork, int *info) {
  (void)jobz, (void)uplo, (void)work, (void)lwork;
  const int size = *n;
  const size_t entries = (size_t)size * (size_t)size;
  double *S = malloc((2 * entries + 1) * sizeof *S), *V = S ? S + entries : NULL;
  *info = 1;
  if (!S) return;
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) {
      AT(S, size, i, j) = i <= j ? AT(A, *lda, i, j) : AT(A, *lda, j, i);
      AT(V, size, i, j) = i == j;
    }
  *info = diagonalize(size, S, V) ? 0 : 1;
  for (int k = 0; k < size; k++) { /* smallest first */
    int least = -1;
    for (int i = 0; i < size; i++)
      if (!isnan(AT(S, size, i, i)) && (least < 0 || AT(S, size, i, i) < AT(S, size, least, least))) least = i;
    if (least < 0) {
      *info = 1;
      break;
    }
    values[k] = AT(S, size, least, least);
    AT(S, size, least, least) = NAN; /* taken */
    for (int i = 0; i < size; i++) AT(A, *lda, i, k) = AT(V, size, i, least);
  }
  free(S);
}

/* A x = lambda B x with itype 1, "V", "U": B = U'U, the symmetric problem of U^-T A U^-1, then x = U^-1 y. */
void dsygv_(const int *itype, const char *jobz, const char *uplo, const int *n, double *A, const int *lda, double *B,
            const int *ldb, double *w, double *work, const int *lwork, int *info) {
  (void)itype;
  dpotrf_(uplo, n, B, ldb, info);
  if (*info != 0) {
    *info += *n;
    return;
  }
  const int size = *n;
  for (int j = 0; j < size; j++)
    for (int i = j + 1; i < size; i++) AT(A, *lda, i, j) = AT(A, *lda, j, i);
  for (int j = 0; j < size; j++) /* columns: U^-T A */
    for (int i = 0; i < size; i++) {
      for (int k = 0; k < i; k++) AT(A, *lda, i, j) -= AT(B, *ldb, k, i) * AT(A, *lda, k, j);
      AT(A, *lda, i, j) /= AT(B, *ldb, i, i);
    }
  for (int i = 0; i < size; i++) /* rows: times U^-1 */
    for (int j = 0; j < size; j++) {
      for (int k = 0; k < j; k++) AT(A, *lda, i, j) -= AT(A, *lda, i, k) * AT(B, *ldb, k, j);
      AT(A, *lda, i, j) /= AT(B, *ldb, j, j);
    }
  dsyev_(jobz, uplo, n, A, lda, w, work, lwork, info);
  for (int c = 0; c < size; c++)
    for (int i = size - 1; i >= 0; i--) {
      for (int k = i + 1; k < size; k++) AT(A, *lda, i, c) -= AT(B, *ldb, i, k) * AT(A, *lda, k, c);
      AT(A, *lda, i, c) /= AT(B, *ldb, i, i);
    }
}

/* ------------------------------------------------------------------------------------------------ general */

/* v (length up to 3), beta with (I - beta v v') x along the first axis. */
static double reflector(int length, const double *x, double *v) {
  double size = 0, square = 0;
  for (int i = 0; i < length; i++) v[i] = 0, size = hypot(size, x[i]);
  if (size == 0) return 0;
  for (int i = 0; i < length; i++) v[i] = x[i] / size;
  v[0] += copysign(1, x[0]);
  for (int i = 0; i < length; i++) square += v[i] * v[i];
  return 2 / square;
}

static void reflect_rows(double *H, int ld, int row, int length, const double *v, double beta, int from, int to) {
  for (int j = from; j <= to; j++) {
    double sum = 0;
    for (int i = 0; i < length; i++) sum += v[i] * AT(H, ld, row + i, j);
    for (int i = 0; i < length; i++) AT(H, ld, row + i, j) -= beta * sum * v[i];
  }
}
static void reflect_columns(double *H, int ld, int column, int length, const double *v, double beta, int from, int to) {
  for (int i = from; i <= to; i++) {
    double sum = 0;
    for (int j = 0; j < length; j++) sum += v[j] * AT(H, ld, i, column + j);
    for (int j = 0; j < length; j++) AT(H, ld, i, column + j) -= beta * sum * v[j];
  }
}

/* Hessenberg form by elimination with pivoting, a similarity. */
static void to_hessenberg(int n, double *A, int ld) {
  for (int k = 1; k + 1 < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(AT(A, ld, i, k - 1)) > fabs(AT(A, ld, best, k - 1))) best = i;
    if (AT(A, ld, best, k - 1) == 0) continue;
    for (int j = 0; j < n && best != k; j++) {
      const double kept = AT(A, ld, k, j);
      AT(A, ld, k, j) = AT(A, ld, best, j), AT(A, ld, best, j) = kept;
    }
    for (int i = 0; i < n && best != k; i++) {
      const double kept = AT(A, ld, i, k);
      AT(A, ld, i, k) = AT(A, ld, i, best), AT(A, ld, i, best) = kept;
    }
    for (int i = k + 1; i < n; i++) {
      const double share = AT(A, ld, i, k - 1) / AT(A, ld, k, k - 1);
      for (int j = k - 1; j < n; j++) AT(A, ld, i, j) -= share * AT(A, ld, k, j);
      for (int r = 0; r < n; r++) AT(A, ld, r, k) += share * AT(A, ld, r, i);
      AT(A, ld, i, k - 1) = 0;
    }
  }
}

/* One implicit double step on rows low..high, with the shifts of trace s and determinant t
 * [Golub & Van Loan, Matrix Computations, algorithm 7.5.1]. */
static void francis_step(double *H, int ld, int low, int high, double s, double t) {
  double x[3] = {AT(H, ld, low, low) * AT(H, ld, low, low) + AT(H, ld, low, low + 1) * AT(H, ld, low + 1, low) -
                     s * AT(H, ld, low, low) + t,
                 AT(H, ld, low + 1, low) * (AT(H, ld, low, low) + AT(H, ld, low + 1, low + 1) - s),
                 AT(H, ld, low + 1, low) * AT(H, ld, low + 2, low + 1)};
  double v[3];
  for (int k = low; k + 1 < high; k++) {
    const double beta = reflector(3, x, v);
    reflect_rows(H, ld, k, 3, v, beta, k > low ? k - 1 : low, high);
    reflect_columns(H, ld, k, 3, v, beta, low, k + 3 < high ? k + 3 : high);
    if (k > low) AT(H, ld, k + 1, k - 1) = AT(H, ld, k + 2, k - 1) = 0;
    x[0] = AT(H, ld, k + 1, k), x[1] = AT(H, ld, k + 2, k);
    if (k + 2 < high) x[2] = AT(H, ld, k + 3, k);
  }
  const double beta = reflector(2, x, v);
  reflect_rows(H, ld, high - 1, 2, v, beta, high - 2, high);
  reflect_columns(H, ld, high - 1, 2, v, beta, low, high);
  AT(H, ld, high, high - 2) = 0;
}

/* Both eigenvalues of a 2 x 2 block; a real pair without cancellation. */
static void pair_of(const double *H, int ld, int k, double *re, double *im) {
  const double a = AT(H, ld, k, k), b = AT(H, ld, k, k + 1), c = AT(H, ld, k + 1, k), d = AT(H, ld, k + 1, k + 1);
  const double half = 0.5 * (a - d), square = half * half + b * c;
  if (square >= 0) {
    const double z = half + copysign(sqrt(square), half);
    re[k] = d + z, re[k + 1] = z != 0 ? d - b * c / z : d;
    im[k] = im[k + 1] = 0;
  } else {
    re[k] = re[k + 1] = 0.5 * (a + d);
    im[k] = sqrt(-square), im[k + 1] = -im[k];
  }
}

/* Where the block that ends at `high` begins: below the last subdiagonal entry that is negligible, which is cleared. */
static int block_begin(double *H, int ld, int high) {
  for (int k = high; k > 0; k--) {
    const double beside = fabs(AT(H, ld, k, k)) + fabs(AT(H, ld, k - 1, k - 1));
    const double least = beside > 0 ? DBL_EPSILON * beside : DBL_MIN;
    if (fabs(AT(H, ld, k, k - 1)) > least) continue;
    AT(H, ld, k, k - 1) = 0;
    return k;
  }
  return 0;
}

/* "N", "N": the eigenvalues alone; A is overwritten. info: how many were not found. */
void dgeev_(const char *jobvl, const char *jobvr, const int *n, double *A, const int *lda, double *wr, double *wi,
            double *VL, const int *ldvl, double *VR, const int *ldvr, double *work, const int *lwork, int *info) {
  (void)jobvl, (void)jobvr, (void)VL, (void)ldvl, (void)VR, (void)ldvr, (void)work, (void)lwork;
  const int ld = *lda;
  *info = 0;
  to_hessenberg(*n, A, ld);
  for (int high = *n - 1, step = 0; high >= 0;) {
    const int low = block_begin(A, ld, high);
    if (low == high) {
      wr[high] = AT(A, ld, high, high), wi[high] = 0;
      high--, step = 0;
    } else if (low == high - 1) {
      pair_of(A, ld, low, wr, wi);
      high -= 2, step = 0;
    } else if (++step > MOST_STEPS) {
      *info = high + 1;
      return;
    } else {
      const double a = AT(A, ld, high - 1, high - 1), d = AT(A, ld, high, high);
      double s = a + d, t = a * d - AT(A, ld, high - 1, high) * AT(A, ld, high, high - 1);
      if (step % 10 == 0) { /* a cycle is broken by another shift [Wilkinson] */
        const double w = fabs(AT(A, ld, high, high - 1)) + fabs(AT(A, ld, high - 1, high - 2));
        s = 1.5 * w, t = w * w;
      }
      francis_step(A, ld, low, high, s, t);
    }
  }
}
