/* Claims, at full length: the semidefinite solver and bisection agree to 1e-7 on 1000 systems with 2 to 6 contacts,
 * redundant and bilateral rows among them; of 10^4 random systems no verdict about energy is contradicted. */
#include "support/cmocka_all.h"
#include "support/consistency.h"

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

static void a_thousand_inequalities_have_one_answer(void **state) {
  (void)state;
  if (!crd_analysis_has_sdp()) skip();
  lmi_agreement(1017, 1000, &arena);
}

static void ten_thousand_verdicts_are_not_contradicted(void **state) {
  (void)state;
  consistency_campaign(1023, 10000, 100, &arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_thousand_inequalities_have_one_answer),
      cmocka_unit_test(ten_thousand_verdicts_are_not_contradicted),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
