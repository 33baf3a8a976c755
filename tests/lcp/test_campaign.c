/* Claim: the first problems of the long campaign (long_campaign.c) end in their known verdict, with residuals below
 * 1e-9. */
#include "support/cmocka_all.h"
#include "support/lcp_campaign.h"

static void thirty_thousand_problems_end_in_their_verdict(void **state) {
  (void)state;
  campaign_count count = lcp_campaign(0, 30000);
  assert_int_equal(count.wrong, 0);
  assert_int_equal(count.above, 0);
  for (int kind = 0; kind < CAMPAIGN_KINDS; kind++) assert_true(count.problems[kind] > 4000);
  assert_true(count.careful > 0 && count.lemke > 0 && count.trivial > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(thirty_thousand_problems_end_in_their_verdict)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
