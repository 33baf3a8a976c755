/* Claim: a million random problems of known verdict (P, semidefinite, contact with redundant contacts and friction from
 * 0 to 1e5, mixed, infeasible, small integers; units from 1e-6 to 1e6) end in that verdict, with residuals below 1e-9
 * and no cycle. */
#include <stdio.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/lcp_campaign.h"

static void a_million_problems_end_in_their_verdict(void **state) {
  (void)state;
  campaign_count count = lcp_campaign(0, 1000000);
  print_message(
      "%ld wrong, %ld above 1e-9, worst residual %.2g, most pivots %ld; trivial %ld, lemke %ld, careful %ld, search "
      "%ld\n",
      count.wrong, count.above, count.worst, count.most_pivots, count.trivial, count.lemke, count.careful,
      count.search);
  assert_int_equal(count.wrong, 0);
  assert_int_equal(count.above, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_million_problems_end_in_their_verdict)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
