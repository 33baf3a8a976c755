/* Claim: once a workspace has seen or reserved a problem as large, no solve asks for memory, by Newton's
 * method or by the interior path. Trying every mode, the last resort, does, as the header says. */
#include "support/allocation.h"
#include "support/cmocka_all.h"
#include "support/coulomb_campaign.h"

static void a_solve_within_the_reserve_allocates_nothing(void **state) {
  (void)state;
  crd_coulomb_work *work = crd_coulomb_work_new();
  assert_int_equal(crd_coulomb_reserve(work, KNOWN_ROWS, KNOWN_ROWS), CRD_OK);
  int settled[CRD_COULOMB_METHODS] = {0}, tried = 0;
  for (int k = 0; k < 600; k++) {
    static known_problem known;
    random_stream stream = {.seed = 31000 + (uint64_t)k};
    const known_options of = {.contacts = 8,
                              .mu = k % 2 ? 0.5 : 10,
                              .mass_ratio = 100,
                              .redundant = k % 3 == 0,
                              .spin = k % 5 == 0,
                              .others = k % 7 == 0,
                              .slides = k % 11 == 0};
    known_problem_make(&known, &stream, &of);
    double p[KNOWN_ROWS], u[KNOWN_ROWS];
    crd_mode mode[KNOWN_CONTACTS];
    crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
    crd_coulomb_report report;
    for (int pass = 0; pass < 3; pass++) {
      crd_coulomb_options options = crd_coulomb_default();
      options.warm = pass > 0, options.method = pass == 2 ? CRD_COULOMB_INTERIOR : CRD_COULOMB_AUTO;
      long before = requests;
      crd_status status = crd_coulomb_solve(work, &known.problem, &options, &answer, &report);
      bool modes = options.method == CRD_COULOMB_AUTO && (status != CRD_OK || report.settled[CRD_COULOMB_MODES]);
      if (!modes) assert_int_equal(requests, before);
      tried += modes;
      for (int m = 0; m < CRD_COULOMB_METHODS; m++) settled[m] += report.settled[m];
    }
  }
  assert_true(tried < 90); /* of 1800 */
  assert_true(settled[CRD_COULOMB_NEWTON] && settled[CRD_COULOMB_INTERIOR]);
  crd_coulomb_work_free(work);
}

static void a_second_solve_of_the_largest_problem_allocates_nothing(void **state) {
  (void)state;
  for (int k = 0; k < 20; k++) {
    static known_problem known;
    random_stream stream = {.seed = 32000 + (uint64_t)k};
    const known_options of = {.contacts = 8, .mu = 1, .mass_ratio = 10, .others = true, .spin = true};
    known_problem_make(&known, &stream, &of);
    double p[KNOWN_ROWS], u[KNOWN_ROWS];
    crd_mode mode[KNOWN_CONTACTS];
    crd_coulomb_state answer = {.p = p, .u = u, .mode = mode};
    crd_coulomb_work *work = crd_coulomb_work_new();
    long before = requests;
    crd_coulomb_solve(work, &known.problem, NULL, &answer, NULL);
    assert_true(requests > before); /* the count counts */
    before = requests;
    crd_coulomb_solve(work, &known.problem, NULL, &answer, NULL);
    assert_int_equal(requests, before);
    crd_coulomb_work_free(work);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_solve_within_the_reserve_allocates_nothing),
      cmocka_unit_test(a_second_solve_of_the_largest_problem_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
