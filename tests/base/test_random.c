/* Claims: Philox 4x32-10 gives the reference words of Random123's published test vectors; the numbers depend on (seed,
 * stream, index) only and have the moments of their distributions. */
#include <cradle/base.h>
#include <math.h>

#include "support/cmocka_all.h"

/* Known answer: Philox 4x32-10 of counter 0 and key 0 is 6627e8d5 e169c58d bc57ac4c 9b00dbd8 (Salmon et al. 2011). */
static void zero_counter_gives_the_published_words(void **state) {
  (void)state;
  assert_int_equal(crd_random_bits(0, 0, 0), 0xe169c58d6627e8d5u);
}

static void uniform_numbers_have_their_moments(void **state) {
  (void)state;
  enum { N = 200000 };
  double sum = 0, square = 0;
  for (uint64_t i = 0; i < N; i++) {
    double u = crd_random_uniform(7, 3, i);
    assert_true(u >= 0 && u < 1);
    sum += u, square += u * u;
  }
  /* five standard errors: sqrt(1/12/N) and sqrt(4/45/N) */
  assert_true(fabs(sum / N - 0.5) < 5 * sqrt(1.0 / 12 / N));
  assert_true(fabs(square / N - 1.0 / 3) < 5 * sqrt(4.0 / 45 / N));
}

static void normal_numbers_have_their_moments(void **state) {
  (void)state;
  enum { N = 200000 };
  double sum = 0, square = 0;
  for (uint64_t i = 0; i < N; i++) {
    double x = crd_random_normal(7, 3, i);
    sum += x, square += x * x;
  }
  assert_true(fabs(sum / N) < 5 / sqrt(N));
  assert_true(fabs(square / N - 1) < 5 * sqrt(2.0 / N));
}

static void seed_stream_and_index_all_matter(void **state) {
  (void)state;
  uint64_t here = crd_random_bits(1, 2, 3);
  assert_true(here == crd_random_bits(1, 2, 3));
  assert_true(here != crd_random_bits(2, 2, 3) && here != crd_random_bits(1, 3, 3) && here != crd_random_bits(1, 2, 4));
  assert_true(here != crd_random_bits(1, 2, 3 + (1ull << 32)) && here != crd_random_bits(1 + (1ull << 32), 2, 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_counter_gives_the_published_words),
      cmocka_unit_test(uniform_numbers_have_their_moments),
      cmocka_unit_test(normal_numbers_have_their_moments),
      cmocka_unit_test(seed_stream_and_index_all_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
