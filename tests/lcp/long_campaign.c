/* Claim: of a million problems that have a solution every one is solved, with a scaled residual of at most 1e-9. */
#include "support/cmocka_all.h"
#include "support/lcp_campaign.h"

static void a_million_solvable_problems_are_solved(void **state) {
  (void)state;
  double largest = lcp_campaign(1000000, 1999999);
  print_message("largest scaled residual %.2e\n", largest);
  assert_true(largest <= 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_solvable_problems_are_solved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
