/* Claims: exact impacts of a law that the sets contain lie in the sets about the true coefficients; about an e that is too small by
 * more than the half width none does, and each is as far away as the rest of e takes it. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/fit_data.h"

enum { ROWS = 30, SAMPLES = 1024 };

static void sets_about_the_truth_hold_what_was_measured(void **state) {
  (void)state;
  crd_fit_data data;
  crd_fit_coverage coverage = {0};
  crd_fit_options options = crd_fit_default();
  crd_outcome_box box = crd_outcome_box_default();
  /* one contact without friction: Stronge's e is Newton's, u_n+ = -e u_n */
  const drop_def def = {.law = "routh", .e = 0.6, .mu = 0, .slide = 0.3, .count = ROWS, .seed = 6};
  make_drops(&def, &data);
  options.threads = 1, box.e = 0.1, box.mu = 0.05;
  double value[CRD_FIT_PARAMETERS] = {0};
  value[CRD_FIT_E] = 0.6;
  assert_int_equal(crd_fit_cover(&data, -1, value, &box, SAMPLES, &options, &coverage), CRD_OK);
  assert_int_equal(coverage.rows, ROWS);
  assert_int_equal(coverage.undecided, 0);
  /* the truth is a corner of the box (mu = 0): samples come near it and seldom beyond */
  for (int i = 0; i < ROWS; i++) assert_true(coverage.distance[i] < 0.02);
  value[CRD_FIT_E] = 0.3;
  assert_int_equal(crd_fit_cover(&data, -1, value, &box, SAMPLES, &options, &coverage), CRD_OK);
  assert_int_equal(coverage.inside, 0);
  assert_true(coverage.share == 0 && coverage.low == 0 && coverage.high < 0.2);
  for (int i = 0; i < ROWS; i++) {
    const crd_contact_problem *p = data.row[i].problem;
    assert_true(coverage.distance[i] >= (0.6 - 0.4) * -p->u[0] * (1 - 1e-9));
  }
  crd_fit_coverage_free(&coverage);
  crd_fit_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sets_about_the_truth_hold_what_was_measured)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
