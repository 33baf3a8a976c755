/* Claim: no verdict of `check` is contradicted by the law, the complementarity problem or the integrator it speaks of;
 * resting, grazing, redundant and held contacts among the problems, in units from 1e-9 to 1e9. A share of
 * long_check_truth. */
#include "support/check_truth.h"
#include "support/cmocka_all.h"

static void three_hundred_problems_confirm_their_verdicts(void **state) {
  (void)state;
  crd_arena arena = {0};
  check_truth_campaign(1601, 300, &arena);
  crd_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(three_hundred_problems_confirm_their_verdicts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
