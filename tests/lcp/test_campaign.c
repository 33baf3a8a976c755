/* Claim: problems that have a solution are solved, with a scaled residual of at most 1e-9: P, singular semidefinite,
 * contact and step problems, degenerate, redundant, friction 0 to 1e5, scales 1e-6 to 1e6. A subset of the campaign in
 * long_campaign.c. */
#include "support/cmocka_all.h"
#include "support/lcp_campaign.h"

static void solvable_problems_are_solved(void **state) {
  (void)state;
  assert_true(lcp_campaign(1, 40000) <= 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solvable_problems_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
