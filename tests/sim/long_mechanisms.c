/* A thousand random arms and trees dropped on a floor. */
#include "support/cmocka_all.h"
#include "support/random_mechanism.h"

static void a_thousand_mechanisms_keep_the_promises_of_a_run(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 1000; seed++) drop_random_mechanism(seed, 1.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_mechanisms_keep_the_promises_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
