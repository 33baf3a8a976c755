/* Claims: the residual is zero at solutions, names each violation in its own unit, and its scaled part does not change
 * when rows and columns change their units; rounding noise passes, a point far out does not; NaN and infinity are
 * refused with their index; misuse is named. */
#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

static crd_lcp_residual_parts residual(int n, const double *W, const double *w, int free_rows, const double *z) {
  crd_lcp_work *work = crd_lcp_work_new(n, 0);
  crd_lcp_problem problem = crd_lcp_dense(n, W, w);
  crd_lcp_residual_parts parts;
  problem.free_leading = free_rows;
  assert_int_equal(crd_lcp_residual(work, &problem, z, &parts), CRD_OK);
  crd_lcp_work_free(work);
  return parts;
}

/* W = I, w = (-1, 2): the solution is (1, 0). */
static void each_violation_is_named(void **state) {
  (void)state;
  double W[4] = {1, 0, 0, 1}, w[2] = {-1, 2};
  crd_lcp_residual_parts p = residual(2, W, w, 0, (double[2]){1, 0});
  assert_true(p.scaled == 0 && p.natural == 0);
  p = residual(2, W, w, 0, (double[2]){0.75, 0}); /* y = (-1/4, 2), size of row 0 is 7/4 */
  assert_true(p.y_negative == 0.25 && p.natural == 0.25 && fabs(p.scaled - 1.0 / 7) < 1e-15 && p.worst_row == 0);
  p = residual(2, W, w, 0, (double[2]){1, 0.5}); /* z and y are positive in row 1 */
  assert_true(p.complementarity == 0.5 && p.natural == 0.5 && fabs(p.scaled - 0.2) < 1e-15 && p.worst_row == 1);
  p = residual(2, W, w, 0, (double[2]){1, -0.5});
  assert_true(p.z_negative == 0.5 && p.natural == 0.5 && p.scaled > 0.1);
  p = residual(2, W, w, 1, (double[2]){1.5, 0}); /* a free row has to be zero from both sides */
  assert_true(p.equality == 0.5 && p.natural == 0.5);
}

static void units_do_not_matter(void **state) {
  (void)state;
  enum { N = 6 };
  double W[N * N], w[N], z[N], V[N * N], v[N], x[N], r[N], c[N];
  for (uint64_t k = 0; k < 500; k++) {
    lcp_random random = {.seed = 20 + k};
    for (int i = 0; i < N; i++) {
      r[i] = ldexp(1, lcp_integer(&random, 41) - 20), c[i] = ldexp(1, lcp_integer(&random, 41) - 20);
      w[i] = lcp_normal(&random), z[i] = lcp_integer(&random, 2) ? fabs(lcp_normal(&random)) : 0;
    }
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++) W[i * N + j] = lcp_normal(&random), V[i * N + j] = W[i * N + j] * r[i] * c[j];
      v[i] = w[i] * r[i], x[i] = z[i] / c[i];
    }
    double a = residual(N, W, w, 0, z).scaled, b = residual(N, V, v, 0, x).scaled;
    assert_true(fabs(a - b) < 0.3 * a); /* equilibration takes powers of two */
  }
}

/* A row of rounding noise is no violation; the same point with an error of 1e-6 is one. */
static void noise_passes_and_errors_do_not(void **state) {
  (void)state;
  double W[4] = {1, 1, 1, -1}, w[2] = {-1, 0}, z[2] = {1, 1e-17};
  w[1] = -1; /* y = (1e-17, -1e-17 or 0) */
  assert_true(residual(2, W, w, 0, z).scaled < 1e-12);
  z[0] += 1e-6;
  assert_true(residual(2, W, w, 0, z).scaled > 1e-7);
}

/* W = [1 -1; -1 1], w = (-1, -1) has no solution, and y / (its terms) goes to zero along (1, 1). */
static void a_point_far_out_is_no_solution(void **state) {
  (void)state;
  double W[4] = {1, -1, -1, 1}, w[2] = {-1, -1}, z[2] = {1e15, 1e15};
  assert_true(residual(2, W, w, 0, z).scaled >= 1e-3);
}

/* z_1 and z_2 may be as large as they like; that does not excuse an error of 1e-5 in row 0. */
static void a_huge_variable_does_not_hide_another_row(void **state) {
  (void)state;
  double W[9] = {1, 0, 0, 0, 0, 0, 0, 1, -1}, w[3] = {-1, 0, 0}, z[3] = {1 + 1e-5, 1e9, 1e9};
  assert_true(residual(3, W, w, 0, z).scaled > 1e-6);
}

static void numbers_that_are_none_are_refused_with_their_index(void **state) {
  (void)state;
  enum { N = 20 };
  const double bad[3] = {NAN, INFINITY, -INFINITY};
  crd_lcp_work *work = crd_lcp_work_new(N, 3);
  double W[N * N], w[N], z[N], J[N * 3];
  for (int n = 1; n <= N; n += 3)
    for (int k = 0; k < 3; k++)
      for (int where = 0; where < n * n + n; where++) {
        for (int i = 0; i < n * n; i++) W[i] = i % (n + 1) == 0 ? 2 : 0.01;
        for (int i = 0; i < n; i++) w[i] = i % 3 - 1, z[i] = 5;
        *(where < n * n ? &W[where] : &w[where - n * n]) = bad[k];
        crd_lcp_problem problem = crd_lcp_dense(n, W, w);
        crd_lcp_report report;
        assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, &report), CRD_ERR_NUMBER);
        assert_int_equal(report.bad_row, where < n * n ? where / n : where - n * n);
        assert_int_equal(report.bad_col, where < n * n ? where % n : -1);
        for (int i = 0; i < n; i++) assert_true(z[i] == 5);
      }
  for (int i = 0; i < N * 3; i++) J[i] = i;
  for (int i = 0; i < N; i++) w[i] = -1;
  J[17] = NAN;
  crd_lcp_problem factored = {.n = N, .w = w, .J = J, .nv = 3};
  crd_lcp_report report;
  assert_int_equal(crd_lcp_solve(work, &factored, NULL, z, &report), CRD_ERR_NUMBER);
  assert_true(report.bad_row == 5 && report.bad_col == 2);
  crd_lcp_work_free(work);
}

static void misuse_is_named(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, w[3] = {-1, -1, -1}, z[3], cover[2] = {1, 0};
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  crd_lcp_options options = crd_lcp_default();
  assert_int_equal(crd_lcp_solve(NULL, &problem, NULL, z, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, NULL, NULL), CRD_ERR_ARGUMENT);
  problem.n = 3;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_ERR_CAPACITY);
  problem.n = 0;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_ERR_ARGUMENT);
  problem = crd_lcp_dense(2, NULL, w);
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_ERR_ARGUMENT);
  problem = crd_lcp_dense(2, W, w);
  problem.row_stride = 1;
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_ERR_ARGUMENT);
  problem.row_stride = 3; /* the upper left block of a 3 x 3 matrix */
  assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, NULL), CRD_OK);
  assert_true(z[0] == 1 && z[1] == 1);
  options.cover = cover;
  assert_int_equal(crd_lcp_solve(work, &problem, &options, z, NULL), CRD_ERR_ARGUMENT);
  options.cover = NULL, options.tolerance = 0;
  assert_int_equal(crd_lcp_solve(work, &problem, &options, z, NULL), CRD_ERR_ARGUMENT);
  assert_null(crd_lcp_work_new(0, 0));
  crd_lcp_work_free(NULL);
  crd_lcp_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_violation_is_named),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(noise_passes_and_errors_do_not),
      cmocka_unit_test(a_point_far_out_is_no_solution),
      cmocka_unit_test(a_huge_variable_does_not_hide_another_row),
      cmocka_unit_test(numbers_that_are_none_are_refused_with_their_index),
      cmocka_unit_test(misuse_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
