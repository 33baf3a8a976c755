/* Claims: free rows hold with equality; redundant ones are solved with multipliers of least norm, contradicting ones
 * are refused with a proof; a singular block of free rows is no obstacle where the whole problem has a solution;
 * factored and dense W give the same answer. */
#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

/* Rows of W = J J' for J with the given rows (nv columns), w = J v. */
static void delassus(int n, int nv, const double *J, const double *v, double *W, double *w) {
  for (int i = 0; i < n; i++) {
    w[i] = 0;
    for (int l = 0; l < nv; l++) w[i] += J[i * nv + l] * v[l];
    for (int j = 0; j < n; j++) {
      W[i * n + j] = 0;
      for (int l = 0; l < nv; l++) W[i * n + j] += J[i * nv + l] * J[j * nv + l];
    }
  }
}

/* A point on a floor (row 2) guided along x (rows 0 and 1, the second twice the first): v = (3, -1) gives impulses with
 * lambda_0 + 2 lambda_1 = -3, of least norm -3 (1, 2) / 5, and 1 from the floor. */
static void redundant_rows_get_least_norm_multipliers(void **state) {
  (void)state;
  double J[6] = {1, 0, 2, 0, 0, 1}, v[2] = {3, -1}, W[9], w[3], z[3];
  delassus(3, 2, J, v, W, w);
  crd_lcp_work *work = crd_lcp_work_new(3, 2);
  crd_lcp_problem problem = crd_lcp_dense(3, W, w);
  problem.free_leading = 2;
  crd_lcp_report report;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, &report), CRD_OK);
  assert_int_equal(report.rank_dropped, 1);
  assert_true(fabs(z[0] + 0.6) < 1e-14 && fabs(z[1] + 1.2) < 1e-14 && fabs(z[2] - 1) < 1e-14);

  /* the same through the mask, the factored form and a warm start */
  unsigned char mask[3] = {1, 1, 0};
  crd_lcp_problem factored = {.n = 3, .w = w, .free_row = mask, .nv = 2, .J = J};
  double other[3];
  assert_int_equal(crd_lcp_solve(work, &factored, NULL, other, NULL), CRD_OK);
  for (int i = 0; i < 3; i++) assert_true(fabs(other[i] - z[i]) < 1e-14);
  crd_lcp_options warm = crd_lcp_default();
  warm.warm = true;
  assert_int_equal(crd_lcp_solve(work, &factored, &warm, other, &report), CRD_OK);
  assert_int_equal(report.path, CRD_LCP_PATH_WARM);
  for (int i = 0; i < 3; i++) assert_true(fabs(other[i] - z[i]) < 1e-14);
  crd_lcp_work_free(work);
}

static void contradicting_rows_are_refused_with_proof(void **state) {
  (void)state;
  double J[6] = {1, 0, 2, 0, 0, 1}, v[2] = {3, -1}, W[9], w[3], z[3] = {7, 7, 7};
  delassus(3, 2, J, v, W, w);
  w[1] += 0.5;
  crd_lcp_work *work = crd_lcp_work_new(3, 0);
  crd_lcp_problem problem = crd_lcp_dense(3, W, w);
  problem.free_leading = 2;
  crd_lcp_report report;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, &report), CRD_NO_SOLUTION);
  assert_int_equal(report.proof, CRD_LCP_PROOF_BILATERAL);
  assert_true(z[0] == 7 && z[1] == 7 && z[2] == 7);
  crd_lcp_work_free(work);
}

/* The free block is zero, yet the problem has the solution (u, v) = (2, 1): 0 u + v - 1 = 0, y = -u + v + 1 = 0. */
static void a_singular_free_block_is_no_obstacle(void **state) {
  (void)state;
  double W[4] = {0, 1, -1, 1}, w[2] = {-1, 1}, z[2];
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  problem.free_leading = 1;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_OK);
  /* y >= 0 asks for u <= 2 and v = 1 > 0 for y = 0 */
  assert_true(fabs(z[0] - 2) < 1e-14 && fabs(z[1] - 1) < 1e-14);
  crd_lcp_work_free(work);
}

/* Bodies with contacts, joints (free rows) and joints that are written twice, scaled: solved, and the multipliers of a
 * doubled row are in the ratio of its factors, which is what least norm means there. */
static void contacts_with_redundant_joints_are_solved(void **state) {
  (void)state;
  enum { N = 40, NV = 18 };
  crd_lcp_work *work = crd_lcp_work_new(N, NV);
  double *J = malloc(sizeof(double) * N * NV), *W = malloc(sizeof(double) * N * N), w[N], z[N], again[N], v[NV];
  for (uint64_t k = 0; k < 3000; k++) {
    lcp_random random = {.seed = 5000 + k};
    int joints = 1 + lcp_integer(&random, 5), doubles = lcp_integer(&random, joints + 1);
    int contacts = 1 + lcp_integer(&random, 10), free_rows = joints + doubles, n = free_rows + contacts;
    double factor[5];
    for (int i = 0; i < n; i++)
      for (int l = 0; l < NV; l++) J[i * NV + l] = lcp_normal(&random);
    for (int d = 0; d < doubles; d++) {
      factor[d] = lcp_uniform(&random, 0.5, 2);
      for (int l = 0; l < NV; l++) J[(joints + d) * NV + l] = factor[d] * J[d * NV + l];
    }
    double scale = pow(10, lcp_uniform(&random, -3, 3));
    for (int i = 0; i < n * NV; i++) J[i] *= scale;
    for (int l = 0; l < NV; l++) v[l] = lcp_normal(&random);
    delassus(n, NV, J, v, W, w);
    crd_lcp_problem dense = crd_lcp_dense(n, W, w), factored = {.n = n, .w = w, .nv = NV, .J = J};
    dense.free_leading = factored.free_leading = free_rows;
    crd_lcp_report report;
    crd_lcp_residual_parts parts;
    assert_int_equal(crd_lcp_solve(work, &dense, NULL, z, &report), CRD_OK);
    assert_int_equal(report.rank_dropped, doubles);
    assert_int_equal(crd_lcp_residual(work, &dense, z, &parts), CRD_OK);
    assert_true(parts.scaled < 1e-10);
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(z[i]));
    for (int d = 0; d < doubles; d++) assert_true(fabs(z[joints + d] - factor[d] * z[d]) < 1e-9 * most);
    assert_int_equal(crd_lcp_solve(work, &factored, NULL, again, NULL), CRD_OK);
    for (int i = 0; i < n; i++) assert_true(fabs(again[i] - z[i]) < 1e-9 * most);
  }
  free(J), free(W);
  crd_lcp_work_free(work);
}

static void only_free_rows_is_a_linear_system(void **state) {
  (void)state;
  double W[4] = {2, 1, 1, 3}, w[2] = {-3, -4}, z[2];
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  problem.free_leading = 2;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_OK);
  assert_true(fabs(z[0] - 1) < 1e-15 && fabs(z[1] - 1) < 1e-15);
  crd_lcp_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(redundant_rows_get_least_norm_multipliers),
      cmocka_unit_test(contradicting_rows_are_refused_with_proof),
      cmocka_unit_test(a_singular_free_block_is_no_obstacle),
      cmocka_unit_test(contacts_with_redundant_joints_are_solved),
      cmocka_unit_test(only_free_rows_is_a_linear_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
