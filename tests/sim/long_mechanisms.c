/* A thousand random arms and trees dropped on a floor. */
#include "support/cmocka_all.h"
#include "support/random_mechanism.h"

static void a_thousand_mechanisms_keep_the_promises_of_a_run(void **state) {
  (void)state;
  drop_random_mechanisms(NULL, 1000, 1.5, 0.02, NULL, 0); /* none is known to break one */
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_mechanisms_keep_the_promises_of_a_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
