/* Claims: Philox 4x32-10 gives the reference words of Random123's published test vectors; the numbers depend on (seed,
 * stream, index) only and have the moments of their distributions. */
#include <cradle/base.h>
#include <math.h>

#include "support/cmocka_all.h"

/* Known answers of Philox 4x32-10 that Random123 publishes (kat_vectors): counter and key of zeros, of ones, of the
 * digits of pi. A block has its counter's last word 2 higher. */
static void counters_give_the_published_words(void **state) {
  (void)state;
  assert_int_equal(crd_random_bits(0, 0, 0), 0xe169c58d6627e8d5u);
  const struct {
    uint64_t seed, index;
    uint32_t stream, last, word[4];
  } known[] = {
      {0, 0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {0x299f31d0a4093822,
       0x85a308d3243f6a88,
       0x13198a2e,
       0x03707344,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    uint32_t word[4];
    crd_random_block(known[k].seed, known[k].stream, known[k].last - 2, known[k].index, word);
    assert_memory_equal(word, known[k].word, sizeof word);
  }
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
      cmocka_unit_test(counters_give_the_published_words),
      cmocka_unit_test(uniform_numbers_have_their_moments),
      cmocka_unit_test(normal_numbers_have_their_moments),
      cmocka_unit_test(seed_stream_and_index_all_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
