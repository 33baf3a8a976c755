/* Rounding to single precision happens, also where the compiler works on neighbours together. */
#include <cradle/linalg.h>

#include "support/cmocka_all.h"

/* 1 + 2^-30 lies between two floats, 1 and 1 + 2^-23. */
static void neighbours_in_an_array_are_rounded(void **state) {
  (void)state;
  volatile double tiny = ldexp(1, -30);
  double x[3] = {1 + tiny, 2 + tiny, 3 + tiny};
  for (int k = 0; k < 3; k++) x[k] = crd_round_to_float(x[k]);
  for (int k = 0; k < 3; k++) assert_true(x[k] == k + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(neighbours_in_an_array_are_rounded)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
