/* Random arms and trees dropped on a floor keep the promises of a run; the campaign of long_mechanisms.c in small. */
#include "support/cmocka_all.h"
#include "support/random_mechanism.h"

static void random_mechanisms_keep_the_promises_of_a_run(void **state) {
  (void)state;
  drop_random_mechanisms(NULL, 40, 0.7, 0.02, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_mechanisms_keep_the_promises_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
