/* Claims: LU factors, generalised eigenvectors, inverses and products satisfy their definitions for sizes beside and between
 * the widths of the kernels; the estimated condition number is a lower bound that is seldom far off, and says what is
 * singular; singular values and eigenvalues of known matrices are those of the closed form, also with hundreds of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { MOST = 40 };
static const double PI = 3.14159265358979323846;

static double entry(int n, const double *A, int i, int j) { return A[(size_t)n * (size_t)i + (size_t)j]; }

static void products_are_sums(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    random_stream stream = {.seed = seed};
    const int m = random_int(&stream, 1, 19), k = random_int(&stream, 1, 19), n = random_int(&stream, 1, 19);
    double A[19 * 19], At[19 * 19], B[19 * 19], Bt[19 * 19], C[3][19 * 19];
    random_vector(&stream, m * k, A), random_vector(&stream, k * n, B);
    for (int i = 0; i < m; i++)
      for (int l = 0; l < k; l++) At[m * l + i] = A[k * i + l];
    for (int l = 0; l < k; l++)
      for (int j = 0; j < n; j++) Bt[k * j + l] = B[n * l + j];
    crd_dense_multiply(m, k, n, A, B, C[0]);
    crd_dense_multiply_tn(m, k, n, At, B, C[1]);
    crd_dense_multiply_nt(m, k, n, A, Bt, C[2]);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int l = 0; l < k; l++) sum += A[k * i + l] * B[n * l + j];
        for (int way = 0; way < 3; way++) assert_true(fabs(C[way][n * i + j] - sum) <= 1e-14 * k);
      }
  }
}

/* rcond <= 1 / (|A| |A^-1|) times what an estimate that is a lower bound of |A^-1| allows, and rarely below a third of it. */
static void factors_solve_and_know_their_condition(void **state) {
  (void)state;
  int close = 0, all = 0;
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    const int n = random_int(&stream, 1, MOST);
    double A[MOST * MOST], F[MOST * MOST], inverse[MOST * MOST], work[4 * MOST], norm = 0, inverse_norm = 0;
    int pivot[MOST], iwork[MOST];
    random_vector(&stream, n * n, A);
    memcpy(F, A, sizeof A);
    const double rcond = crd_lu_factor(n, F, pivot, work, iwork);
    assert_true(rcond > 0 && rcond <= 1);
    crd_dense_identity(n, inverse);
    crd_lu_solve(n, F, pivot, n, inverse); /* its columns, one after the other */
    for (int i = 0; i < n; i++) {
      double row = 0, inverse_row = 0;
      for (int j = 0; j < n; j++) row += fabs(entry(n, A, i, j)), inverse_row += fabs(entry(n, inverse, j, i));
      norm = fmax(norm, row), inverse_norm = fmax(inverse_norm, inverse_row);
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += entry(n, A, i, k) * entry(n, inverse, j, k);
        assert_true(fabs(sum - (i == j)) <= 1e-13 / rcond);
      }
    }
    const double exact = 1 / (norm * inverse_norm);
    assert_true(rcond >= exact * (1 - 1e-9));
    all++, close += rcond <= 3 * exact;
  }
  assert_true(close >= 95 * all / 100);                   /* [Higham 2002, 15.3]: almost always within a factor of 3 */
  double zero[9] = {1, 2, 3, 2, 4, 6, 1, 0, 1}, work[12]; /* the second row is twice the first */
  int pivot[3], iwork[3];
  assert_true(crd_lu_factor(3, zero, pivot, work, iwork) <= 1e-15);
}

static void generalised_eigenvectors_and_inverses(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    random_stream stream = {.seed = seed};
    const int n = random_int(&stream, 1, 17);
    double R[17 * 17], A[17 * 17], B[17 * 17], X[17 * 17], L[17 * 17], values[17], work[51];
    random_vector(&stream, n * n, R), random_vector(&stream, n * n, A);
    crd_dense_symmetrize(n, A);
    crd_dense_multiply_nt(n, n, n, R, R, B);
    for (int i = 0; i < n; i++) B[(n + 1) * i] += 1; /* positive definite */
    memcpy(X, A, sizeof A), memcpy(L, B, sizeof B);
    assert_true(crd_dense_eigen_pair(n, X, L, values, work));
    for (int e = 0; e < n; e++) {
      const double *x = X + n * e;
      assert_true(e == 0 || values[e] >= values[e - 1]);
      for (int i = 0; i < n; i++) {
        double Ax = crd_dense_dot(n, A + n * i, x), Bx = crd_dense_dot(n, B + n * i, x);
        assert_true(fabs(Ax - values[e] * Bx) <= 1e-12 * n);
      }
      for (int f = 0; f < n; f++) {
        double product = 0;
        for (int i = 0; i < n; i++) product += X[n * f + i] * crd_dense_dot(n, B + n * i, x);
        assert_true(fabs(product - (e == f)) <= 1e-12 * n);
      }
    }
    crd_arena arena = {0};
    const double *inverse = crd_dense_inverse(n, B, &arena);
    assert_non_null(inverse);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int k = 0; k < n; k++) sum += entry(n, B, i, k) * entry(n, inverse, k, j);
        assert_true(fabs(sum - (i == j)) <= 1e-11);
      }
    crd_arena_free(&arena);
  }
}

/* The second difference of n points: eigenvalues 4 sin^2(k pi / (2 (n + 1))), which are its singular values too. */
static void closed_forms_with_hundreds_of_rows(void **state) {
  (void)state;
  for (int n = 1; n <= 300; n = 3 * n + 1) {
    const size_t entries = (size_t)n * (size_t)n;
    double *A = calloc(entries, sizeof *A), *copy = malloc(entries * sizeof *copy), *U = malloc(entries * sizeof *U);
    double *V = malloc(entries * sizeof *V), *values = malloc((size_t)n * sizeof *values);
    double *work = malloc((crd_dense_svd_work(n, n) + 3 * (size_t)n) * sizeof *work);
    for (int i = 0; i < n; i++) {
      A[(size_t)(n + 1) * (size_t)i] = 2;
      if (i > 0) A[(size_t)n * (size_t)i + (size_t)i - 1] = A[(size_t)n * (size_t)(i - 1) + (size_t)i] = -1;
    }
    memcpy(copy, A, entries * sizeof *A);
    assert_true(crd_dense_eigen_symmetric(n, copy, values, work));
    for (int k = 0; k < n; k++) {
      const double root = 2 * sin((k + 1) * PI / (2 * (n + 1)));
      assert_true(fabs(values[k] - root * root) <= 1e-13);
    }
    memcpy(copy, A, entries * sizeof *A);
    if (n <= 121) { /* O(n^3) a sweep */
      assert_true(crd_dense_svd(n, n, copy, U, values, V, work));
      for (int k = 0; k < n; k++) {
        const double root = 2 * sin((n - k) * PI / (2 * (n + 1)));
        assert_true(fabs(values[k] - root * root) <= 1e-13);
      }
    }
    free(A), free(copy), free(U), free(V), free(values), free(work);
  }
}

/* Scales far apart, zeros, and what is no number. */
static void hard_cases(void **state) {
  (void)state;
  double large[4] = {3e200, 4e200, 0, 0}, tiny[4] = {3e-200, 0, 4e-200, 0}, U[4], V[4], sigma[2], work[8];
  assert_true(crd_dense_svd(2, 2, tiny, U, sigma, V, work));
  assert_true(fabs(sigma[0] - 5e-200) <= 1e-215 && sigma[1] <= 1e-215);
  assert_true(crd_dense_svd(2, 2, large, U, sigma, V, work));
  assert_true(fabs(sigma[0] - 5e200) <= 1e185 && sigma[1] <= 1e185);
  double zero[4] = {0}, none[4] = {NAN, 0, 0, 1}, values[2];
  assert_true(crd_dense_svd(2, 2, zero, U, sigma, V, work));
  assert_true(sigma[0] == 0 && sigma[1] == 0 && fabs(fabs(U[0]) + fabs(U[1]) - 1) <= 1e-15);
  assert_false(crd_dense_svd(2, 2, none, U, sigma, V, work));
  double symmetric[4] = {NAN, 0, 0, 1};
  assert_false(crd_dense_eigen_symmetric(2, symmetric, values, work));
  double graded[9] = {1e10, 0, 0, 1, 1, 0, 0, 1e-5, 1e-10}, three[3], more[9];
  assert_true(
      crd_dense_eigen_symmetric(3, graded, three, more)); /* the lower triangle counts, the upper must be finite */
  assert_true(fabs(three[2] - 1e10) <= 1e-5 && fabs(three[1] - 1) <= 1e-5);
  assert_false(crd_dense_cholesky(2, (double[]){1, 0, 2, 1}));
  assert_false(crd_dense_cholesky(2, (double[]){NAN, 0, 0, 1}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_are_sums), cmocka_unit_test(factors_solve_and_know_their_condition),
      cmocka_unit_test(generalised_eigenvectors_and_inverses), cmocka_unit_test(closed_forms_with_hundreds_of_rows),
      cmocka_unit_test(hard_cases)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
