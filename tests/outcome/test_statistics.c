/* Moments and quantiles of outcomes: by hand on five samples, and symmetry of the rocking block. */
#include <cradle/outcome.h>
#include <math.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"
#include "support/impact_problem.h"

/* Samples v = 5, 1, 4, 2, 3 and one that was given up; rows v and -2 v: mean 3 and -6, variance 5/2, covariance -5 and 10;
 * quartiles 2, 3, 4; the 5 % quantile lies a fifth of the way from 1 to 2. */
static void five_samples_by_hand(void **state) {
  (void)state;
  const double M[1] = {1}, v[1] = {-1}, rows[2] = {1, -2};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .nc = 2, .M = M, .v = v, .contact = rows});
  double v_plus[6] = {5, 1, 99, 4, 2, 3};
  unsigned char ending[6] = {CRD_OUTCOME_DONE, CRD_OUTCOME_DONE, CRD_OUTCOME_STEPS,
                             CRD_OUTCOME_DONE, CRD_OUTCOME_DONE, CRD_OUTCOME_DONE};
  crd_outcome_set set = {.nv = 1, .nc = 2, .nrow = 2, .samples = 6, .v_plus = v_plus, .ending = ending};
  set.ended[CRD_OUTCOME_DONE] = 5, set.ended[CRD_OUTCOME_STEPS] = 1;
  crd_outcome_statistics s;
  crd_arena arena = {0};
  assert_int_equal(crd_outcome_statistics_of(p, &set, &s, &arena), CRD_OK);
  assert_int_equal(s.count, 5);
  const double mean[2] = {3, -6}, covariance[4] = {2.5, -5, -5, 10};
  const double first[CRD_OUTCOME_LEVELS] = {1.2, 2, 3, 4, 4.8}, second[CRD_OUTCOME_LEVELS] = {-9.6, -8, -6, -4, -2.4};
  for (int i = 0; i < 2; i++) assert_true(fabs(s.mean[i] - mean[i]) < 1e-14);
  for (int i = 0; i < 4; i++) assert_true(fabs(s.covariance[i] - covariance[i]) < 1e-14);
  for (int l = 0; l < CRD_OUTCOME_LEVELS; l++) {
    assert_true(fabs(s.quantile[l] - first[l]) < 1e-14);
    assert_true(fabs(s.quantile[CRD_OUTCOME_LEVELS + l] - second[l]) < 1e-14);
  }
  crd_arena_free(&arena);
  crd_contact_problem_free(p);
}

/* The block is symmetric: both corners have the same mean within its standard error. Only one corner leaves, so that their
 * covariance is minus the product of the means. */
static void the_rocking_block_is_symmetric(void **state) {
  (void)state;
  example_problem e = example_problem_open("rocking-block");
  crd_outcome_options options = crd_outcome_default();
  options.h = 0.3, options.steps = 10, options.samples = 1 << 14;
  crd_outcome_set set = {0};
  crd_outcome_statistics s;
  crd_arena arena = {0};
  assert_int_equal(crd_outcome_sample(e.problem, &options, &set), CRD_OK);
  assert_int_equal(crd_outcome_statistics_of(e.problem, &set, &s, &arena), CRD_OK);
  int A = e.problem->contact[0].row, B = e.problem->contact[1].row, n = s.rows;
  double variance = s.covariance[n * A + A], error = sqrt(variance / (double)s.count);
  assert_true(fabs(s.mean[A] - s.mean[B]) < 6 * error);
  assert_true(fabs(s.covariance[n * A + B] + s.mean[A] * s.mean[B] * (double)s.count / (double)(s.count - 1)) < 1e-9);
  assert_true(s.quantile[CRD_OUTCOME_LEVELS * A] < 1e-8); /* a third of the samples come to rest */
  crd_outcome_free(&set);
  crd_arena_free(&arena);
  example_problem_close(&e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(five_samples_by_hand),
      cmocka_unit_test(the_rocking_block_is_symmetric),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
