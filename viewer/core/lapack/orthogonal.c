/* Householder reflections and singular values, as LAPACK's (see triangular.c). */
#include "lapack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define AT(A, ld, i, j) (A)[(size_t)(ld) * (size_t)(j) + (size_t)(i)]

/* ------------------------------------------------------------------------------------------------ A = L Q */

/* Rows below `row` times I - tau v v', where v = (1, the rest of `row` from column row + 1 on). */
static void reflect_below(int m, int n, double *A, int lda, int row, double tau) {
  for (int i = row + 1; i < m; i++) {
    double sum = AT(A, lda, i, row);
    for (int j = row + 1; j < n; j++) sum += AT(A, lda, i, j) * AT(A, lda, row, j);
    sum *= tau;
    AT(A, lda, i, row) -= sum;
    for (int j = row + 1; j < n; j++) AT(A, lda, i, j) -= sum * AT(A, lda, row, j);
  }
}

void dgelqf_(const int *m, const int *n, double *A, const int *lda, double *tau, double *work, const int *lwork,
             int *info) {
  (void)work, (void)lwork;
  const int steps = *m < *n ? *m : *n;
  *info = 0;
  for (int k = 0; k < steps; k++) {
    double rest = 0;
    for (int j = k + 1; j < *n; j++) rest = hypot(rest, AT(A, *lda, k, j));
    const double first = AT(A, *lda, k, k);
    tau[k] = 0;
    if (rest == 0) continue;
    const double beta = -copysign(hypot(first, rest), first);
    tau[k] = (beta - first) / beta;
    for (int j = k + 1; j < *n; j++) AT(A, *lda, k, j) /= first - beta;
    AT(A, *lda, k, k) = beta;
    reflect_below(*m, *n, A, *lda, k, tau[k]);
  }
}

/* The first m rows of Q = H(k) ... H(1) over the reflectors that dgelqf left. */
void dorglq_(const int *m, const int *n, const int *k, double *A, const int *lda, const double *tau, double *work,
             const int *lwork, int *info) {
  (void)work, (void)lwork;
  *info = 0;
  for (int i = *k; i < *m; i++)
    for (int j = 0; j < *n; j++) AT(A, *lda, i, j) = i == j;
  for (int r = *k - 1; r >= 0; r--) {
    reflect_below(*m, *n, A, *lda, r, tau[r]);
    for (int j = r + 1; j < *n; j++) AT(A, *lda, r, j) *= -tau[r];
    AT(A, *lda, r, r) = 1 - tau[r];
    for (int j = 0; j < r; j++) AT(A, *lda, r, j) = 0;
  }
}

/* ------------------------------------------------------------------------------------------------ A = U S V' */

/* `count` vectors of a length; entry k of vector i lies at base[i * between + k * along]. */
typedef struct vectors {
  double *base;
  size_t between, along;
  int count, length;
} vectors;

static double *entry(const vectors *v, int i, int k) {
  return v->base + (size_t)i * v->between + (size_t)k * v->along;
}
static double product(const vectors *v, int a, int b) {
  double sum = 0;
  for (int k = 0; k < v->length; k++) sum += *entry(v, a, k) * *entry(v, b, k);
  return sum;
}
static void turn(const vectors *v, int a, int b, double c, double s) {
  for (int k = 0; k < v->length; k++) {
    const double x = *entry(v, a, k), y = *entry(v, b, k);
    *entry(v, a, k) = c * x - s * y, *entry(v, b, k) = s * x + c * y;
  }
}
static void exchange(const vectors *v, int a, int b) {
  for (int k = 0; k < v->length && a != b; k++) {
    const double kept = *entry(v, a, k);
    *entry(v, a, k) = *entry(v, b, k), *entry(v, b, k) = kept;
  }
}

enum { MOST_SWEEPS = 60 }; /* one-sided Jacobi converges quadratically: ten are many */

/* Turns pairs of vectors until all are orthogonal [Hestenes 1958]; `turned` collects the turns. */
static bool orthogonalize(const vectors *v, const vectors *turned) {
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    bool changed = false;
    for (int a = 0; a < v->count; a++)
      for (int b = a + 1; b < v->count; b++) {
        const double alpha = product(v, a, a), beta = product(v, b, b), gamma = product(v, a, b);
        if (!(fabs(gamma) > DBL_EPSILON * sqrt(alpha) * sqrt(beta)) || fabs(gamma) < DBL_MIN) continue;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta)), c = 1 / hypot(1, t);
        turn(v, a, b, c, c * t), turn(turned, a, b, c, c * t);
        changed = true;
      }
    if (!changed) return true;
  }
  return false;
}

/* A unit vector orthogonal to the vectors before number i: the axis that they leave most of. */
static void complete(const vectors *v, int i) {
  for (int axis = 0; axis < v->length; axis++) {
    for (int k = 0; k < v->length; k++) *entry(v, i, k) = k == axis;
    for (int twice = 0; twice < 2; twice++)
      for (int other = 0; other < i; other++) {
        const double share = product(v, i, other);
        for (int k = 0; k < v->length; k++) *entry(v, i, k) -= share * *entry(v, other, k);
      }
    const double size = sqrt(product(v, i, i));
    /* of all axes together at least one unit is left, so one of them has its share of it */
    if (size * sqrt((double)v->length) < 0.5) continue;
    for (int k = 0; k < v->length; k++) *entry(v, i, k) /= size;
    return;
  }
}

/* The lengths, in falling order, and the vectors made unit vectors. */
static void normalize(const vectors *v, const vectors *turned, double *sigma) {
  for (int i = 0; i < v->count; i++) sigma[i] = sqrt(product(v, i, i));
  for (int i = 0; i < v->count; i++) {
    int largest = i;
    for (int k = i + 1; k < v->count; k++)
      if (sigma[k] > sigma[largest]) largest = k;
    const double kept = sigma[i];
    sigma[i] = sigma[largest], sigma[largest] = kept;
    exchange(v, i, largest), exchange(turned, i, largest);
  }
  for (int i = 0; i < v->count; i++) {
    if (sigma[i] > v->length * DBL_EPSILON * sigma[0] && sigma[i] > DBL_MIN)
      for (int k = 0; k < v->length; k++) *entry(v, i, k) /= sigma[i];
    else
      complete(v, i);
  }
}

/* jobu = jobvt = "S" only. The shorter side's vectors are turned in A itself and then copied. */
void dgesvd_(const char *jobu, const char *jobvt, const int *m, const int *n, double *A, const int *lda, double *sigma,
             double *U, const int *ldu, double *VT, const int *ldvt, double *work, const int *lwork, int *info) {
  (void)jobu, (void)jobvt, (void)work, (void)lwork;
  const bool tall = *m >= *n;
  const int k = tall ? *n : *m;
  const vectors long_side = tall ? (vectors){A, (size_t)*lda, 1, k, *m} : (vectors){A, 1, (size_t)*lda, k, *n};
  const vectors left = {U, (size_t)*ldu, 1, k, *m}, right = {VT, 1, (size_t)*ldvt, k, *n};
  const vectors *turned = tall ? &right : &left, *shown = tall ? &left : &right;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) *entry(turned, i, j) = i == j;
  *info = orthogonalize(&long_side, turned) ? 0 : 1;
  normalize(&long_side, turned, sigma);
  for (int i = 0; i < k; i++)
    for (int j = 0; j < long_side.length; j++) *entry(shown, i, j) = *entry(&long_side, i, j);
}
