/* Claim: over 10^5 random problems with 1 to 8 contacts the laws that promise dissipation keep it. */
#include "support/cmocka_all.h"
#include "support/law_campaign.h"

static void laws_keep_their_promises_over_many_problems(void **state) {
  (void)state;
  assert_true(laws_keep_their_promises(1000, 101000, 8) > 300000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(laws_keep_their_promises_over_many_problems)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
