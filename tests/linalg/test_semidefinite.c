/* The pseudo-inverse of a semidefinite matrix is the one with Penrose's four properties. */
#include <math.h>
#include <stdlib.h>

#include "linalg/semidefinite.h"
#include "linalg/spectrum.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MOST = 24 };

/* X = the pseudo-inverse of A = B B', B n x rank, column by column. */
static int invert(int n, const double *A, double *X) {
  double factor[2 * MOST * MOST + MOST + 1];
  int order[MOST];
  assert_true(crd_semidefinite_size(n) <= sizeof factor / sizeof *factor);
  int rank = crd_semidefinite_factor(n, A, 1e-11, factor, order);
  for (int j = 0; j < n; j++) {
    double x[MOST] = {0};
    x[j] = 1;
    crd_semidefinite_solve(n, rank, factor, x);
    for (int i = 0; i < n; i++) X[n * i + j] = x[i];
  }
  return rank;
}

static void multiply(int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      C[n * i + j] = 0;
      for (int k = 0; k < n; k++) C[n * i + j] += A[n * i + k] * B[n * k + j];
    }
}

static void assert_equal(int n, const double *A, const double *B, double scale) {
  for (int i = 0; i < n * n; i++) assert_true(fabs(A[i] - B[i]) <= 1e-9 * scale);
}

static double largest(int n, const double *A) {
  double most = 0;
  for (int i = 0; i < n * n; i++) most = fmax(most, fabs(A[i]));
  return most;
}

static void penrose_conditions_hold_for_every_rank(void **state) {
  (void)state;
  random_stream stream = {.seed = 3};
  int checked = 0;
  for (int trial = 0; trial < 200; trial++) {
    int n = random_int(&stream, 1, MOST), rank = random_int(&stream, 0, n);
    double B[MOST * MOST], A[MOST * MOST] = {0}, X[MOST * MOST], AX[MOST * MOST], XA[MOST * MOST], T[MOST * MOST];
    for (int i = 0; i < n * rank; i++) B[i] = random_in(&stream, -1, 1);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < rank; k++) A[n * i + j] += B[rank * i + k] * B[rank * j + k];
    int found = invert(n, A, X);
    double conditioned = largest(n, X) * largest(n, A);
    if (conditioned > 1e5) continue; /* rounding decides the rank of a factor that nearly loses it */
    checked++;
    assert_int_equal(found, rank);
    multiply(n, A, X, AX), multiply(n, X, A, XA);
    multiply(n, AX, A, T), assert_equal(n, T, A, largest(n, A));
    multiply(n, XA, X, T), assert_equal(n, T, X, largest(n, X));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        assert_true(fabs(AX[n * i + j] - AX[n * j + i]) <= 1e-9);
        assert_true(fabs(XA[n * i + j] - XA[n * j + i]) <= 1e-9);
      }
  }
  assert_true(checked >= 150);
}

/* Own shares by the inverse of the whole matrix, of banded ones and full ones; just below the least of them all rows are
 * independent, just above not, and the rank with pivots is full then. */
static void own_shares_are_those_of_the_inverse(void **state) {
  (void)state;
  enum { N = 12 };
  random_stream stream = {.seed = 9};
  crd_arena arena = {0};
  int checked = 0;
  for (int round = 0; round < 50; round++) {
    double J[N * N] = {0}, A[N * N], factor[2 * N * N + N + 1], least = 1;
    int first[N], width = round % N;
    for (int i = 0; i < N; i++) {
      double length = 0;
      for (int k = 0; k < N; k++)
        if (abs(i - k) <= width) J[N * i + k] = random_in(&stream, -1, 1), length = hypot(length, J[N * i + k]);
      for (int k = 0; k < N; k++) J[N * i + k] /= length;
    }
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        A[N * i + j] = 0;
        for (int k = 0; k < N; k++) A[N * i + j] += J[N * i + k] * J[N * j + k];
      }
    crd_arena_reset(&arena);
    const double *Z = crd_dense_inverse(N, A, &arena);
    for (int i = 0; Z && i < N; i++) least = fmin(least, 1 / Z[(N + 1) * i]);
    if (!Z || least < 1e-9) continue; /* rounding decides */
    checked++;
    assert_true(crd_semidefinite_independent(N, A, least * (1 - 1e-4), factor, first));
    assert_false(crd_semidefinite_independent(N, A, least * (1 + 1e-4), factor, first));
    assert_int_equal(crd_semidefinite_rank(N, A, least * (1 - 1e-4), factor, first), N);
    for (int k = 0; k < N; k++) A[N * 5 + k] = A[N * 3 + k]; /* a row twice */
    for (int k = 0; k < N; k++) A[N * k + 5] = A[N * k + 3];
    A[N * 5 + 5] = A[N * 3 + 3];
    assert_false(crd_semidefinite_independent(N, A, 1e-8, factor, first));
  }
  assert_true(checked >= 40);
  crd_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(penrose_conditions_hold_for_every_rank),
                                     cmocka_unit_test(own_shares_are_those_of_the_inverse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
