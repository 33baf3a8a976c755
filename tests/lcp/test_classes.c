/* Claims: every answer agrees with exact integer determinants; every proof and counterexample holds on the matrix; the
 * known matrices of the literature are told apart; contact matrices are copositive [Halm & Posa, eq. 138] and not P;
 * limits give "undecided". */
#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

enum { N = 5 };

/* Determinant by expansion along the first row, exact for small integers. */
static double determinant(int k, const double *A) {
  if (k == 0) return 1;
  if (k == 1) return A[0];
  double sum = 0, minor[N * N];
  for (int c = 0; c < k; c++) {
    for (int i = 1; i < k; i++)
      for (int j = 0, b = 0; j < k; j++)
        if (j != c) minor[(i - 1) * (k - 1) + b++] = A[i * k + j];
    sum += (c % 2 ? -1 : 1) * A[c] * determinant(k - 1, minor);
  }
  return sum;
}

static int principal(int n, const double *A, unsigned set, double *B) {
  int at[N], k = 0;
  for (int i = 0; i < n; i++)
    if (set >> i & 1) at[k++] = i;
  for (int i = 0; i < k; i++)
    for (int j = 0; j < k; j++) B[i * k + j] = A[at[i] * n + at[j]];
  return k;
}

/* Keller's criterion (Hadeler 1983): a symmetric matrix is copositive if and only if every principal submatrix whose
 * last-row cofactors are nonnegative has a nonnegative determinant; strictly copositive with "positive" instead. */
static bool keller(int n, const double *A, bool strict) {
  double B[N * N], minor[N * N];
  for (unsigned set = 1; set < 1u << n; set++) {
    int k = principal(n, A, set, B);
    bool cofactors = true;
    for (int c = 0; c < k; c++) {
      for (int i = 0; i < k - 1; i++)
        for (int j = 0, b = 0; j < k; j++)
          if (j != c) minor[i * (k - 1) + b++] = B[i * k + j];
      double cofactor = ((k - 1 + c) % 2 ? -1 : 1) * determinant(k - 1, minor);
      cofactors &= strict ? cofactor > 0 : cofactor >= 0;
    }
    double det = determinant(k, B);
    if (cofactors && (strict ? det <= 0 : det < 0)) return false;
  }
  return true;
}

/* Least and greatest signs: are all principal minors > 0 (or >= 0)? */
static bool minors(int n, const double *A, bool strict) {
  double B[N * N];
  for (unsigned set = 1; set < 1u << n; set++) {
    double det = determinant(principal(n, A, set, B), B);
    if (strict ? det <= 0 : det < 0) return false;
  }
  return true;
}

static double form(int n, const double *W, const double *x) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) sum += x[i] * W[i * n + j] * x[j];
  return sum;
}

static double product(int n, const double *W, const double *x, int i) {
  double sum = 0;
  for (int j = 0; j < n; j++) sum += W[i * n + j] * x[j];
  return sum;
}

static void check_evidence(int n, const double *W, const crd_lcp_classification *c) {
  const crd_lcp_evidence *e = &c->of[CRD_LCP_POSITIVE_DEFINITE];
  if (e->answer == CRD_LCP_NO) assert_true(form(n, W, e->vector) <= 1e-12);
  e = &c->of[CRD_LCP_POSITIVE_SEMIDEFINITE];
  if (e->answer == CRD_LCP_NO) assert_true(form(n, W, e->vector) < 0);
  e = &c->of[CRD_LCP_P];
  if (e->answer == CRD_LCP_NO)
    for (int i = 0; i < n; i++) assert_true(e->vector[i] * product(n, W, e->vector, i) <= 1e-9);
  e = &c->of[CRD_LCP_K];
  if (e->answer == CRD_LCP_YES)
    for (int i = 0; i < n; i++) assert_true(e->vector[i] > 0 && product(n, W, e->vector, i) > 0);
  for (int k = CRD_LCP_STRICTLY_COPOSITIVE; k <= CRD_LCP_COPOSITIVE; k++) {
    e = &c->of[k];
    if (e->answer != CRD_LCP_NO) continue;
    double most = 0;
    for (int i = 0; i < n; i++) {
      assert_true(e->vector[i] >= 0);
      most = fmax(most, e->vector[i]);
    }
    assert_true(most > 0);
    assert_true(k == CRD_LCP_COPOSITIVE ? form(n, W, e->vector) < 0 : form(n, W, e->vector) <= 1e-12);
  }
}

static void answers_agree_with_exact_determinants(void **state) {
  (void)state;
  crd_lcp_classification c = {0};
  double W[N * N], S[N * N];
  int count[CRD_LCP_CLASSES] = {0};
  for (uint64_t k = 0; k < 20000; k++) {
    lcp_random random = {.seed = 60000 + k};
    int n = 1 + lcp_integer(&random, N), span = 1 + lcp_integer(&random, 3), kind = lcp_integer(&random, 4);
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        W[i * n + j] = lcp_integer(&random, 2 * span + 1) - span;
        if (kind > 0 && i == j) W[i * n + j] = lcp_integer(&random, 2 * span + 1);
        if (kind == 2 && i != j) W[i * n + j] = -lcp_integer(&random, 2);
        if (kind == 3 && j < i) W[i * n + j] = W[j * n + i];
      }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) S[i * n + j] = W[i * n + j] + W[j * n + i];
    bool is_z = true;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) is_z &= i == j || W[i * n + j] <= 0;
    bool expected[CRD_LCP_CLASSES] = {
        minors(n, S, true),         minors(n, S, false), minors(n, W, true), minors(n, W, false), is_z,
        is_z && minors(n, W, true), keller(n, S, true),  keller(n, S, false)};
    assert_int_equal(crd_lcp_classify(n, W, 0, 0, &c), CRD_OK);
    for (int which = 0; which < CRD_LCP_CLASSES; which++) {
      if (c.of[which].answer != (expected[which] ? CRD_LCP_YES : CRD_LCP_NO))
        fail_msg("matrix %d of order %d: %s is %d", (int)k, n, crd_lcp_class_name(which), c.of[which].answer);
      count[which] += expected[which];
    }
    check_evidence(n, W, &c);
  }
  for (int which = 0; which < CRD_LCP_CLASSES; which++) assert_true(count[which] > 500);
  crd_lcp_classification_free(&c);
}

/* The Horn matrix is copositive, not strictly, and not the sum of a semidefinite and a nonnegative matrix. */
static void the_horn_matrix_is_copositive(void **state) {
  (void)state;
  double H[25] = {1, -1, 1, 1, -1, -1, 1, -1, 1, 1, 1, -1, 1, -1, 1, 1, 1, -1, 1, -1, -1, 1, 1, -1, 1};
  crd_lcp_classification c = {0};
  assert_int_equal(crd_lcp_classify(5, H, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_COPOSITIVE].answer, CRD_LCP_YES);
  assert_int_equal(c.of[CRD_LCP_STRICTLY_COPOSITIVE].answer, CRD_LCP_NO);
  assert_int_equal(c.of[CRD_LCP_POSITIVE_SEMIDEFINITE].answer, CRD_LCP_NO);
  /* a little off the diagonal makes it fail, a little on it makes it strict */
  for (int i = 0; i < 5; i++) H[i * 6] = 1 - 1e-6;
  assert_int_equal(crd_lcp_classify(5, H, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_COPOSITIVE].answer, CRD_LCP_NO);
  for (int i = 0; i < 5; i++) H[i * 6] = 1 + 1e-6;
  assert_int_equal(crd_lcp_classify(5, H, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_STRICTLY_COPOSITIVE].answer, CRD_LCP_YES);
  crd_lcp_classification_free(&c);
}

/* Murty's and Fathi's matrices are P although Lemke needs 2^n pivots on them; Murty's is not positive semidefinite. */
static void murty_and_fathi_are_p(void **state) {
  (void)state;
  double W[14 * 14], w[14];
  crd_lcp_classification c = {0};
  murty_lcp_fill(14, W, w);
  assert_int_equal(crd_lcp_classify(14, W, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_P].answer, CRD_LCP_YES);
  /* W + W' = 2 ee' is semidefinite, and W is no more than that */
  assert_int_equal(c.of[CRD_LCP_POSITIVE_SEMIDEFINITE].answer, CRD_LCP_YES);
  assert_int_equal(c.of[CRD_LCP_POSITIVE_DEFINITE].answer, CRD_LCP_NO);
  fathi_lcp_fill(14, W, w);
  assert_int_equal(crd_lcp_classify(14, W, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_POSITIVE_DEFINITE].answer, CRD_LCP_YES);
  crd_lcp_classification_free(&c);
}

static void contact_matrices_are_copositive(void **state) {
  (void)state;
  enum { ROWS = 50 };
  double *W = malloc(sizeof(double) * ROWS * ROWS), w[ROWS];
  crd_lcp_classification c = {0};
  for (uint64_t k = 0; k < 200; k++) {
    lcp_random random = {.seed = 80 + k};
    contact_scene scene = {.contacts = 1 + lcp_integer(&random, 7), .facets = 4, .bodies = 2, .length = 1, .mu = 0.7};
    scene.duplicates = scene.contacts / 3;
    contact_lcp_fill(&scene, &random, W, w, NULL, NULL);
    assert_int_equal(crd_lcp_classify(contact_lcp_rows(&scene), W, 0, 2000, &c), CRD_OK);
    assert_int_equal(c.of[CRD_LCP_COPOSITIVE].answer, CRD_LCP_YES);
    assert_int_equal(c.of[CRD_LCP_STRICTLY_COPOSITIVE].answer, CRD_LCP_NO);
    assert_int_equal(c.of[CRD_LCP_P].answer, CRD_LCP_NO);
    assert_true(c.of[CRD_LCP_COPOSITIVE].steps < 100);
  }
  free(W);
  crd_lcp_classification_free(&c);
}

static void scaling_does_not_change_an_answer(void **state) {
  (void)state;
  crd_lcp_classification a = {0}, b = {0};
  double W[N * N], V[N * N], r[N];
  for (uint64_t k = 0; k < 2000; k++) {
    lcp_random random = {.seed = 91000 + k};
    for (int i = 0; i < N; i++) r[i] = pow(10, lcp_uniform(&random, -6, 6));
    for (int i = 0; i < N * N; i++) {
      W[i] = lcp_integer(&random, 7) - (i % (N + 1) == 0 ? 0 : 3);
      V[i] = W[i] * r[i / N] * r[i % N];
    }
    assert_int_equal(crd_lcp_classify(N, W, 0, 0, &a), CRD_OK);
    assert_int_equal(crd_lcp_classify(N, V, 0, 0, &b), CRD_OK);
    for (int which = 0; which < CRD_LCP_CLASSES; which++) assert_int_equal(a.of[which].answer, b.of[which].answer);
  }
  crd_lcp_classification_free(&a), crd_lcp_classification_free(&b);
}

/* Upper triangular with positive diagonal: every principal minor is a product of diagonal entries. Not definite with
 * large entries above, so the recursion has to go through all 2^20 - 1 minors. */
static void limits_and_bad_numbers_are_named(void **state) {
  (void)state;
  enum { ROWS = 20 };
  double W[ROWS * ROWS] = {0};
  crd_lcp_classification c = {0};
  for (int i = 0; i < ROWS; i++)
    for (int j = i; j < ROWS; j++) W[i * ROWS + j] = i == j ? 1 : 5;
  assert_int_equal(crd_lcp_classify(ROWS, W, 0, 100, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_P].answer, CRD_LCP_UNDECIDED);
  assert_int_equal(crd_lcp_classify(ROWS, W, 0, 0, &c), CRD_OK);
  assert_int_equal(c.of[CRD_LCP_P].answer, CRD_LCP_YES);
  assert_int_equal(c.of[CRD_LCP_P].steps, (1 << ROWS) - 1);
  W[7] = NAN;
  assert_int_equal(crd_lcp_classify(ROWS, W, 0, 0, &c), CRD_ERR_NUMBER);
  assert_int_equal(crd_lcp_classify(0, W, 0, 0, &c), CRD_ERR_ARGUMENT);
  crd_lcp_classification_free(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_agree_with_exact_determinants),
      cmocka_unit_test(the_horn_matrix_is_copositive),
      cmocka_unit_test(murty_and_fathi_are_p),
      cmocka_unit_test(contact_matrices_are_copositive),
      cmocka_unit_test(scaling_does_not_change_an_answer),
      cmocka_unit_test(limits_and_bad_numbers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
