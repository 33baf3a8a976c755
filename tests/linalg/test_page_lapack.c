/* Claims: the factorizations that stand in for LAPACK in the page's build (viewer/core/lapack) satisfy their definitions
 * for every shape and rank, and where a number is defined uniquely LAPACK gives the same. They are compiled here under
 * other names, column-major as LAPACK's. */
#define dgemm_ page_dgemm_
#define dpotrf_ page_dpotrf_
#define dpotrs_ page_dpotrs_
#define dpstrf_ page_dpstrf_
#define dgetrf_ page_dgetrf_
#define dgetrs_ page_dgetrs_
#define dgetri_ page_dgetri_
#define dgecon_ page_dgecon_
#define dgelqf_ page_dgelqf_
#define dorglq_ page_dorglq_
#define dgesvd_ page_dgesvd_
#define dsyev_ page_dsyev_
#define dsygv_ page_dsygv_
#define dgeev_ page_dgeev_
#include "../../viewer/core/lapack/triangular.c"

#include "../../viewer/core/lapack/eigen.c"
#include "../../viewer/core/lapack/orthogonal.c"
#undef dgecon_
#undef dgetrf_

#include "support/cmocka_all.h"
#include "support/random_tree.h"

extern void dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
extern void dgecon_(const char *norm, const int *n, const double *A, const int *lda, const double *anorm, double *rcond,
                    double *work, int *iwork, int *info);

enum { N = 12, NN = N * N, SEEDS = 300 };
static const double TOLERANCE = 1e-12; /* for matrices of order 12 with entries of order 1 */

#define ENTRY(A, i, j) (A)[N * (j) + (i)] /* all matrices have the leading dimension N */
static const int ld = N;
static const double PI = 3.14159265358979323846;

static void random_matrix(random_stream *stream, int m, int n, double *A) {
  for (int j = 0; j < n; j++) random_vector(stream, m, A + N * j);
}

/* G G' + I */
static void random_positive(random_stream *stream, int n, double *A) {
  double G[NN] = {0};
  const double one = 1, none = 0;
  random_matrix(stream, n, n, G);
  page_dgemm_("N", "T", &n, &n, &n, &one, G, &ld, G, &ld, &none, A, &ld);
  for (int i = 0; i < n; i++) ENTRY(A, i, i) += 1;
}

static double difference(int m, int n, const double *A, const double *B) {
  double largest = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) largest = fmax(largest, fabs(ENTRY(A, i, j) - ENTRY(B, i, j)));
  return largest;
}

static void lu_factors_solve_invert_and_know_their_condition(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), count = 3, info, pivot[N], own[N], iwork[N];
    const double one = 1, none = 0;
    double A[NN], F[NN], G[NN], X[NN], B[NN], product[NN], work[4 * N], norm = 0, rcond, lapack;
    random_matrix(&stream, n, n, A), random_matrix(&stream, n, count, X);
    for (int transposed = 0; transposed < 2; transposed++) {
      memcpy(F, A, sizeof A);
      page_dgetrf_(&n, &n, F, &ld, pivot, &info);
      assert_int_equal(info, 0);
      page_dgemm_(transposed ? "T" : "N", "N", &n, &count, &n, &one, A, &ld, X, &ld, &none, B, &ld);
      page_dgetrs_(transposed ? "T" : "N", &n, &count, F, &ld, pivot, B, &ld, &info);
      for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += fabs(ENTRY(A, i, j));
        norm = fmax(norm, sum);
      }
      page_dgecon_("1", &n, F, &ld, &norm, &rcond, work, iwork, &info);
      assert_true(difference(n, count, B, X) < TOLERANCE / rcond);
    }
    memcpy(G, A, sizeof A);
    dgetrf_(&n, &n, G, &ld, own, &info);
    dgecon_("1", &n, G, &ld, &norm, &lapack, work, iwork, &info);
    /* LAPACK estimates |A^-1| from below, seldom by more than a third */
    assert_true(rcond <= lapack * (1 + 1e-9) && lapack < 3 * rcond);
    assert_memory_equal(pivot, own, sizeof *own * (size_t)n);
    page_dgetri_(&n, F, &ld, pivot, work, &n, &info);
    page_dgemm_("N", "N", &n, &n, &n, &one, A, &ld, F, &ld, &none, product, &ld);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) assert_true(fabs(ENTRY(product, i, j) - (i == j)) < TOLERANCE / rcond);
  }
}

static void a_singular_matrix_is_said_to_be_one(void **state) {
  (void)state;
  int n = 3, info, pivot[3];
  double A[NN] = {0};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 2; i++) ENTRY(A, i, j) = 1 + i * j; /* its last row is zero */
  page_dgetrf_(&n, &n, A, &ld, pivot, &info);
  assert_int_equal(info, 3);
  double B[NN] = {0}; /* [1 2; 2 1] is not positive definite: the second minor is -3 */
  ENTRY(B, 0, 0) = ENTRY(B, 1, 1) = 1, ENTRY(B, 0, 1) = 2, n = 2;
  page_dpotrf_("U", &n, B, &ld, &info);
  assert_int_equal(info, 2);
}

static void cholesky_factors_solve(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), count = 2, info;
    const double one = 1, none = 0;
    double A[NN], F[NN], X[NN], B[NN];
    random_positive(&stream, n, A), random_matrix(&stream, n, count, X);
    memcpy(F, A, sizeof A);
    page_dpotrf_("U", &n, F, &ld, &info);
    assert_int_equal(info, 0);
    page_dgemm_("N", "N", &n, &count, &n, &one, A, &ld, X, &ld, &none, B, &ld);
    page_dpotrs_("U", &n, &count, F, &ld, B, &ld, &info);
    assert_true(difference(n, count, B, X) < 100 * TOLERANCE);
  }
}

/* P'AP = U'U, the pivots fall, and the rank of G G' with r columns is r. */
static void pivoted_cholesky_finds_the_rank(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), r = random_int(&stream, 1, n), info, rank, pivot[N];
    const double one = 1, none = 0, tolerance = 1e-10;
    double G[NN], A[NN], F[NN], U[NN] = {0}, again[NN], work[2 * N];
    random_matrix(&stream, n, r, G);
    page_dgemm_("N", "T", &n, &n, &r, &one, G, &ld, G, &ld, &none, A, &ld);
    memcpy(F, A, sizeof A);
    page_dpstrf_("U", &n, F, &ld, pivot, &rank, &tolerance, work, &info);
    assert_int_equal(rank, r);
    assert_int_equal(info, r < n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i <= j && i < rank; i++) ENTRY(U, i, j) = ENTRY(F, i, j);
    for (int i = 1; i < rank; i++) assert_true(ENTRY(U, i, i) <= ENTRY(U, i - 1, i - 1) * (1 + 1e-12));
    page_dgemm_("T", "N", &n, &n, &rank, &one, U, &ld, U, &ld, &none, again, &ld);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        assert_true(fabs(ENTRY(again, i, j) - ENTRY(A, pivot[i] - 1, pivot[j] - 1)) < TOLERANCE);
  }
}

/* A = L Q with Q Q' = 1 and L lower triangular. */
static void lq_factors_rebuild_the_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int m = random_int(&stream, 1, N), n = random_int(&stream, m, N), info;
    const double one = 1, none = 0;
    double A[NN], F[NN], L[NN] = {0}, again[NN], tau[N], work[N];
    random_matrix(&stream, m, n, A);
    memcpy(F, A, sizeof A);
    page_dgelqf_(&m, &n, F, &ld, tau, work, &m, &info);
    for (int j = 0; j < m; j++)
      for (int i = j; i < m; i++) ENTRY(L, i, j) = ENTRY(F, i, j);
    page_dorglq_(&m, &n, &m, F, &ld, tau, work, &m, &info);
    page_dgemm_("N", "T", &m, &m, &n, &one, F, &ld, F, &ld, &none, again, &ld);
    for (int j = 0; j < m; j++)
      for (int i = 0; i < m; i++) assert_true(fabs(ENTRY(again, i, j) - (i == j)) < TOLERANCE);
    page_dgemm_("N", "N", &m, &n, &m, &one, L, &ld, F, &ld, &none, again, &ld);
    assert_true(difference(m, n, again, A) < TOLERANCE);
  }
}

static void singular_values_rebuild_the_matrix(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int m = random_int(&stream, 1, N), n = random_int(&stream, 1, N), k = m < n ? m : n, info;
    int r = random_int(&stream, 0, k);
    const double one = 1, none = 0;
    double left[NN], right[NN], A[NN] = {0}, F[NN], U[NN], V[NN], sigma[N], gram[NN], work[1];
    random_matrix(&stream, m, r, left), random_matrix(&stream, r, n, right);
    page_dgemm_("N", "N", &m, &n, &r, &one, left, &ld, right, &ld, &none, A, &ld);
    memcpy(F, A, sizeof A);
    page_dgesvd_("S", "S", &m, &n, F, &ld, sigma, U, &ld, V, &ld, work, &m, &info);
    assert_int_equal(info, 0);
    for (int side = 0; side < 2; side++) {
      page_dgemm_(side ? "N" : "T", side ? "T" : "N", &k, &k, side ? &n : &m, &one, side ? V : U, &ld, side ? V : U,
                  &ld, &none, gram, &ld);
      for (int j = 0; j < k; j++)
        for (int i = 0; i < k; i++) assert_true(fabs(ENTRY(gram, i, j) - (i == j)) < TOLERANCE);
    }
    for (int j = 0; j < k; j++) {
      assert_true(sigma[j] >= 0 && (j == 0 || sigma[j] <= sigma[j - 1]));
      if (j >= r) assert_true(sigma[j] < TOLERANCE);
      for (int i = 0; i < m; i++) ENTRY(U, i, j) *= sigma[j];
    }
    page_dgemm_("N", "N", &m, &n, &k, &one, U, &ld, V, &ld, &none, F, &ld);
    assert_true(difference(m, n, F, A) < TOLERANCE);
  }
}

/* A X = B X diag(w), X' B X = 1, w rising; with B = 1 that is the symmetric problem. */
static void symmetric_eigenvectors_diagonalize(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), info, one_type = 1;
    const bool pencil = seed % 2;
    const double one = 1, none = 0;
    double A[NN], B[NN] = {0}, X[NN], F[NN], w[N], work[3 * N], AX[NN], BX[NN], gram[NN];
    random_matrix(&stream, n, n, A);
    for (int j = 0; j < n; j++)
      for (int i = j + 1; i < n; i++) ENTRY(A, i, j) = ENTRY(A, j, i);
    for (int i = 0; i < n; i++) ENTRY(B, i, i) = 1;
    if (pencil) random_positive(&stream, n, B);
    memcpy(X, A, sizeof A), memcpy(F, B, sizeof B);
    if (pencil)
      page_dsygv_(&one_type, "V", "U", &n, X, &ld, F, &ld, w, work, &n, &info);
    else
      page_dsyev_("V", "U", &n, X, &ld, w, work, &n, &info);
    assert_int_equal(info, 0);
    page_dgemm_("N", "N", &n, &n, &n, &one, A, &ld, X, &ld, &none, AX, &ld);
    page_dgemm_("N", "N", &n, &n, &n, &one, B, &ld, X, &ld, &none, BX, &ld);
    page_dgemm_("T", "N", &n, &n, &n, &one, X, &ld, BX, &ld, &none, gram, &ld);
    for (int j = 0; j < n; j++) {
      assert_true(j == 0 || w[j] >= w[j - 1]);
      for (int i = 0; i < n; i++) {
        assert_true(fabs(ENTRY(gram, i, j) - (i == j)) < TOLERANCE);
        assert_true(fabs(ENTRY(AX, i, j) - w[j] * ENTRY(BX, i, j)) < 10 * TOLERANCE);
      }
    }
  }
}

/* S D S^-1 with D of real values and of blocks [a b; -b a] has the eigenvalues of D. */
static void eigenvalues_of_a_similar_block_matrix_are_those_of_its_blocks(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    random_stream stream = {.seed = seed};
    int n = random_int(&stream, 1, N), pairs = random_int(&stream, 0, n / 2), info, pivot[N];
    const double one = 1, none = 0;
    double D[NN] = {0}, S[NN], inverse[NN], T[NN], A[NN], value[N], re[N], im[N], work[4 * N], want[N];
    random_vector(&stream, n, value), random_positive(&stream, n, S);
    for (int i = 0; i < n; i++) {
      ENTRY(D, i, i) = want[i] = i + 0.3 * value[i], value[i] = 0; /* well apart */
      if (i / 2 >= pairs || i % 2 == 0) continue;
      ENTRY(D, i, i) = want[i] = want[i - 1];
      ENTRY(D, i - 1, i) = 0.7, ENTRY(D, i, i - 1) = -0.7;
      value[i] = value[i - 1] = 0.7;
    }
    memcpy(inverse, S, sizeof S);
    page_dgetrf_(&n, &n, inverse, &ld, pivot, &info), page_dgetri_(&n, inverse, &ld, pivot, work, &n, &info);
    page_dgemm_("N", "N", &n, &n, &n, &one, S, &ld, D, &ld, &none, T, &ld);
    page_dgemm_("N", "N", &n, &n, &n, &one, T, &ld, inverse, &ld, &none, A, &ld);
    page_dgeev_("N", "N", &n, A, &ld, re, im, work, &n, work, &n, work, &n, &info);
    assert_int_equal(info, 0);
    for (int i = 0; i < n; i++) { /* each is found once; a complex one exactly with its conjugate */
      double nearest = 1;
      for (int k = 0; k < n; k++) nearest = fmin(nearest, hypot(re[k] - want[i], fabs(im[k]) - value[i]));
      assert_true(nearest < 1e-8);
      if (im[i] > 0) assert_true(im[i + 1] == -im[i] && re[i + 1] == re[i]);
    }
  }
}

static void a_rotation_needs_the_exceptional_shift(void **state) {
  (void)state;
  int n = 4, info; /* the cyclic permutation: Francis' own shifts leave it as it is; its eigenvalues are i^k */
  double A[NN] = {0}, re[N], im[N], work[4 * N];
  for (int i = 0; i < 4; i++) ENTRY(A, (i + 1) % 4, i) = 1;
  page_dgeev_("N", "N", &n, A, &ld, re, im, work, &n, work, &n, work, &n, &info);
  assert_int_equal(info, 0);
  for (int i = 0; i < 4; i++) {
    double nearest = 1;
    for (int k = 0; k < 4; k++) nearest = fmin(nearest, hypot(re[k] - cos(i * PI / 2), im[k] - sin(i * PI / 2)));
    assert_true(nearest < 1e-9);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lu_factors_solve_invert_and_know_their_condition),
      cmocka_unit_test(a_singular_matrix_is_said_to_be_one),
      cmocka_unit_test(cholesky_factors_solve),
      cmocka_unit_test(pivoted_cholesky_finds_the_rank),
      cmocka_unit_test(lq_factors_rebuild_the_matrix),
      cmocka_unit_test(singular_values_rebuild_the_matrix),
      cmocka_unit_test(symmetric_eigenvectors_diagonalize),
      cmocka_unit_test(eigenvalues_of_a_similar_block_matrix_are_those_of_its_blocks),
      cmocka_unit_test(a_rotation_needs_the_exceptional_shift),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
