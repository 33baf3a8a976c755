/* Claims: the decompositions satisfy their definitions for every shape and rank. */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { N = 12, NN = N * N };

/* A (m x n) of rank at most r. */
static void random_matrix(random_stream *stream, int m, int n, int r, double *A) {
  double left[NN], right[NN];
  random_vector(stream, m * r, left), random_vector(stream, r * n, right);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      A[n * i + j] = 0;
      for (int k = 0; k < r; k++) A[n * i + j] += left[r * i + k] * right[n * k + j];
    }
}

/* C (a x c) = A (a x b) B (b x c) */
static void multiply(int a, int b, int c, const double *A, const double *B, double *C) {
  for (int i = 0; i < a; i++)
    for (int j = 0; j < c; j++) {
      C[c * i + j] = 0;
      for (int k = 0; k < b; k++) C[c * i + j] += A[b * i + k] * B[c * k + j];
    }
}

static void singular_values_rebuild_the_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    int m = random_int(&stream, 1, N), n = random_int(&stream, 1, N), k = m < n ? m : n;
    double A[NN], copy[NN], U[NN], V[NN], sigma[N], work[2 * NN], again[NN];
    random_matrix(&stream, m, n, random_int(&stream, 1, k), A);
    memcpy(copy, A, sizeof A);
    assert_true(crd_dense_svd_work(m, n) <= 2 * NN);
    assert_true(crd_dense_svd(m, n, copy, U, sigma, V, work));
    for (int i = 0; i < k; i++) {
      assert_true(sigma[i] >= 0 && (i == 0 || sigma[i] <= sigma[i - 1]));
      for (int j = 0; j < k; j++) {
        double left = 0;
        for (int r = 0; r < m; r++) left += U[k * r + i] * U[k * r + j];
        assert_true(fabs(left - (i == j)) < 1e-13);
        assert_true(fabs(crd_dense_dot(n, V + n * i, V + n * j) - (i == j)) < 1e-13);
      }
    }
    for (int i = 0; i < m; i++)
      for (int j = 0; j < k; j++) U[k * i + j] *= sigma[j];
    multiply(m, k, n, U, V, again);
    assert_true(max_difference(again, A, m * n) < 1e-13);
  }
}

/* Of a Gram matrix B B' of rank r exactly r rows are chosen, each once, and their own Gram matrix is regular. */
static void independent_rows_are_as_many_as_the_rank(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), r = random_int(&stream, 1, n), order[N], times[N] = {0};
    double B[NN], Bt[NN], A[NN], copy[NN], chosen[NN], work[2 * N];
    random_vector(&stream, n * r, B);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < r; k++) Bt[n * k + i] = B[r * i + k];
    multiply(n, r, n, B, Bt, A);
    memcpy(copy, A, sizeof A);
    assert_int_equal(crd_dense_independent_rows(n, A, 1e-10, order, work), r);
    for (int i = 0; i < n; i++) times[order[i]]++;
    for (int i = 0; i < n; i++) assert_int_equal(times[i], 1);
    for (int i = 0; i < r; i++)
      for (int j = 0; j < r; j++) chosen[r * i + j] = copy[n * order[i] + order[j]];
    assert_true(crd_dense_cholesky(r, chosen));
  }
}

/* Penrose's four conditions. */
static void the_pseudo_inverse_obeys_penrose(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    int m = random_int(&stream, 1, N), n = random_int(&stream, 1, N), r = random_int(&stream, 1, m < n ? m : n);
    double A[NN], B[NN], work[6 * NN + N], AB[NN], BA[NN], ABA[NN], BAB[NN];
    random_matrix(&stream, m, n, r, A);
    assert_true(crd_dense_pseudo_inverse_work(m, n) <= sizeof work / sizeof *work);
    assert_int_equal(crd_dense_pseudo_inverse(m, n, A, 1e-10, B, work), r);
    multiply(m, n, m, A, B, AB), multiply(n, m, n, B, A, BA);
    multiply(m, m, n, AB, A, ABA), multiply(n, n, m, BA, B, BAB);
    double size = fmax(1, max_abs(B, m * n));
    assert_true(max_difference(ABA, A, m * n) < 1e-12 * size);
    assert_true(max_difference(BAB, B, m * n) < 1e-12 * size * size);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) assert_true(fabs(AB[m * i + j] - AB[m * j + i]) < 1e-12 * size);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) assert_true(fabs(BA[n * i + j] - BA[n * j + i]) < 1e-12 * size);
  }
}

static void eigenvectors_of_a_symmetric_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N);
    double A[NN], vectors[NN], values[N], work[3 * N];
    random_vector(&stream, n * n, A);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) A[n * j + i] = A[n * i + j];
    memcpy(vectors, A, sizeof A);
    assert_true(crd_dense_eigen_symmetric(n, vectors, values, work));
    for (int i = 0; i < n; i++) {
      assert_true(i == 0 || values[i] >= values[i - 1]);
      for (int k = 0; k < n; k++)
        assert_true(fabs(crd_dense_dot(n, A + n * k, vectors + n * i) - values[i] * vectors[n * i + k]) < 1e-13);
      for (int j = 0; j < n; j++)
        assert_true(fabs(crd_dense_dot(n, vectors + n * i, vectors + n * j) - (i == j)) < 1e-13);
      assert_true(fabs(crd_dense_quadratic(n, A, vectors + n * i) - values[i]) < 1e-13);
    }
  }
}

static void orthonormal_columns_span_the_same_space(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    int m = random_int(&stream, 1, N), n = random_int(&stream, 1, m);
    double A[NN], Q[NN], work[2 * N];
    random_vector(&stream, m * n, A);
    memcpy(Q, A, sizeof A);
    crd_dense_orthonormalize(m, n, Q, work);
    for (int i = 0; i < n; i++) {
      double left[N] = {0}, rest[N];
      for (int j = 0; j < n; j++) {
        double product = 0;
        for (int r = 0; r < m; r++) product += Q[n * r + i] * Q[n * r + j], left[j] += Q[n * r + j] * A[n * r + i];
        assert_true(fabs(product - (i == j)) < 1e-13);
      }
      for (int r = 0; r < m; r++) rest[r] = A[n * r + i] - crd_dense_dot(n, Q + n * r, left);
      assert_true(max_abs(rest, m) < 1e-13);
    }
  }
}

static void empty_matrices_are_no_special_case(void **state) {
  (void)state;
  double none[1] = {0}, work[64];
  assert_true(crd_dense_svd(0, 3, none, none, none, none, work));
  assert_true(crd_dense_eigen_symmetric(0, none, none, work));
  assert_int_equal(crd_dense_pseudo_inverse(3, 0, none, 1e-10, none, work), 0);
  assert_true(crd_dense_cholesky(0, none));
}

/* L L' x = b for a matrix of bands and one far entry: what is zero stays out of the way. */
static void envelope_cholesky_solves_what_is_mostly_zero(void **state) {
  (void)state;
  enum { SIZE = 30 };
  double A[SIZE * SIZE] = {0}, L[SIZE * SIZE], x[SIZE], b[SIZE] = {0};
  int first[SIZE];
  for (int i = 0; i < SIZE; i++) {
    A[SIZE * i + i] = 5 + 0.1 * i;
    if (i >= 2) A[SIZE * i + i - 2] = A[SIZE * (i - 2) + i] = 1 + 0.01 * i;
  }
  A[SIZE * 20 + 3] = A[SIZE * 3 + 20] = -0.7;
  for (int i = 0; i < SIZE; i++) x[i] = sin(i);
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) b[i] += A[SIZE * i + j] * x[j];
  memcpy(L, A, sizeof L);
  assert_true(crd_dense_cholesky_envelope(SIZE, L, first));
  assert_int_equal(first[20], 3);
  assert_int_equal(first[25], 23);
  crd_dense_cholesky_envelope_solve(SIZE, L, first, b);
  for (int i = 0; i < SIZE; i++) assert_true(fabs(b[i] - x[i]) < 1e-14);
  memcpy(L, A, sizeof L);
  L[SIZE * 7 + 7] = -1;
  assert_false(crd_dense_cholesky_envelope(SIZE, L, first));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(envelope_cholesky_solves_what_is_mostly_zero),
      cmocka_unit_test(singular_values_rebuild_the_matrix),
      cmocka_unit_test(the_pseudo_inverse_obeys_penrose),
      cmocka_unit_test(independent_rows_are_as_many_as_the_rank),
      cmocka_unit_test(eigenvectors_of_a_symmetric_matrix),
      cmocka_unit_test(orthonormal_columns_span_the_same_space),
      cmocka_unit_test(empty_matrices_are_no_special_case),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
