/* Claims: a warm start from the right basis answers by itself, from a neighbouring one by block pivots, and in any case
 * gives the solution that a cold start gives where it is unique; the report says which path answered. */
#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

/* Random P-matrix: positive definite part plus a skew part; the solution is unique for every w. */
static void random_p_matrix(lcp_random *random, int n, double *W) {
  double *A = malloc(sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n * n; i++) A[i] = lcp_normal(random);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W[i * n + j] = A[i * n + j] - A[j * n + i] + (i == j ? 0.1 : 0);
      for (int l = 0; l < n; l++) W[i * n + j] += A[i * n + l] * A[j * n + l] / n;
    }
  free(A);
}

static void the_answer_does_not_depend_on_the_path(void **state) {
  (void)state;
  enum { N = 30 };
  crd_lcp_work *cold = crd_lcp_work_new(N, 0), *hot = crd_lcp_work_new(N, 0);
  double W[N * N], w[N], z[N], other[N];
  crd_lcp_options warm = crd_lcp_default();
  warm.warm = true;
  int paths[CRD_LCP_PATH_SEARCH + 1] = {0};
  for (uint64_t k = 0; k < 300; k++) {
    lcp_random random = {.seed = 300 + k};
    int n = 2 + lcp_integer(&random, N - 1);
    random_p_matrix(&random, n, W);
    for (int i = 0; i < n; i++) w[i] = lcp_normal(&random);
    for (int step = 0; step < 10; step++) {
      crd_lcp_problem problem = crd_lcp_dense(n, W, w);
      crd_lcp_report report;
      assert_int_equal(crd_lcp_solve(cold, &problem, NULL, z, NULL), CRD_OK);
      warm.same_matrix = step > 0;
      assert_int_equal(crd_lcp_solve(hot, &problem, &warm, other, &report), CRD_OK);
      paths[report.path]++;
      double most = 1;
      for (int i = 0; i < n; i++) most = fmax(most, fabs(z[i]));
      for (int i = 0; i < n; i++) assert_true(fabs(z[i] - other[i]) < 1e-9 * most);
      double change = pow(10, lcp_uniform(&random, -3, 0));
      for (int i = 0; i < n; i++) w[i] += change * lcp_normal(&random);
    }
  }
  assert_true(paths[CRD_LCP_PATH_WARM] > 300 && paths[CRD_LCP_PATH_BLOCK] > 300);
  crd_lcp_work_free(cold), crd_lcp_work_free(hot);
}

/* Contact problems along a slow motion: the matrix changes too. */
static void contact_problems_follow_a_motion(void **state) {
  (void)state;
  enum { N = 60 };
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  double W[N * N], w[N], change[N * N], change_w[N], z[N];
  crd_lcp_options warm = crd_lcp_default();
  warm.warm = true;
  int hits = 0, steps = 0;
  for (uint64_t k = 0; k < 50; k++) {
    lcp_random random = {.seed = 40 + k};
    contact_scene scene = {.contacts = 2 + lcp_integer(&random, 8), .facets = 4, .mu = 0.5, .length = 1, .bodies = 3};
    int n = contact_lcp_rows(&scene);
    lcp_random copy = random;
    contact_lcp_fill(&scene, &random, W, w, NULL, NULL);
    scene.length = 1.001;
    contact_lcp_fill(&scene, &copy, change, change_w, NULL, NULL);
    for (int step = 0; step < 10; step++) {
      crd_lcp_problem problem = crd_lcp_dense(n, W, w);
      crd_lcp_report report;
      crd_lcp_residual_parts parts;
      assert_int_equal(crd_lcp_solve(work, &problem, &warm, z, &report), CRD_OK);
      assert_int_equal(crd_lcp_residual(work, &problem, z, &parts), CRD_OK);
      assert_true(parts.scaled <= 1e-10);
      if (step > 0) steps++, hits += report.path == CRD_LCP_PATH_WARM || report.path == CRD_LCP_PATH_TRIVIAL;
      for (int i = 0; i < n * n; i++) W[i] += 0.1 * (change[i] - W[i]);
      for (int i = 0; i < n; i++) w[i] += 0.1 * (change_w[i] - w[i]);
    }
  }
  assert_true(hits > 0.8 * steps);
  crd_lcp_work_free(work);
}

static void a_basis_can_be_carried_to_another_workspace(void **state) {
  (void)state;
  double W[9] = {2, 1, 0, 1, 2, 1, 0, 1, 2}, w[3] = {-1, 1, -3}, z[3], other[3];
  crd_lcp_work *a = crd_lcp_work_new(3, 0), *b = crd_lcp_work_new(3, 0);
  crd_lcp_problem problem = crd_lcp_dense(3, W, w);
  unsigned char basis[3];
  assert_int_equal(crd_lcp_basis_get(a, basis), 0);
  assert_int_equal(crd_lcp_solve(a, &problem, NULL, z, NULL), CRD_OK);
  /* z = (1/2, 0, 3/2): y = (0, 3, 0) */
  assert_int_equal(crd_lcp_basis_get(a, basis), 3);
  assert_true(basis[0] == 1 && basis[1] == 0 && basis[2] == 1);
  assert_int_equal(crd_lcp_basis_set(b, 3, basis), CRD_OK);
  crd_lcp_options warm = crd_lcp_default();
  crd_lcp_report report;
  warm.warm = true;
  assert_int_equal(crd_lcp_solve(b, &problem, &warm, other, &report), CRD_OK);
  assert_int_equal(report.path, CRD_LCP_PATH_WARM);
  assert_true(fabs(other[0] - 0.5) < 1e-15 && other[1] == 0 && fabs(other[2] - 1.5) < 1e-15);
  assert_int_equal(crd_lcp_basis_set(b, 4, basis), CRD_ERR_CAPACITY);
  crd_lcp_work_free(a), crd_lcp_work_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_answer_does_not_depend_on_the_path),
      cmocka_unit_test(contact_problems_follow_a_motion),
      cmocka_unit_test(a_basis_can_be_carried_to_another_workspace),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
