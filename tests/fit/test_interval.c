/* Claims: from resamples that are normally distributed an interval is Student's, t sqrt(n / (n - 1)) standard deviations either
 * way, for any number of rows; numbers that are fitted besides count as rows less; where the range of single rows cannot hold
 * their median as often as the level says there is none. */
#include <math.h>

#include "fit/order.h"
#include "support/cmocka_all.h"

enum { RESAMPLES = 200001 };

/* Quantiles of a normal distribution in order, by bisection of its probability. */
static void normal_quantiles(double *x) {
  for (int i = 0; i < RESAMPLES; i++) {
    double low = -8, high = 8;
    for (int k = 0; k < 50; k++) {
      const double middle = 0.5 * (low + high);
      *(0.5 * erfc(-middle / sqrt(2)) < (i + 0.5) / RESAMPLES ? &low : &high) = middle;
    }
    x[i] = 0.5 * (low + high);
  }
}

static double resampled[RESAMPLES];

/* Quantiles 0.975 and 0.95 of Student's t, from any table. */
static void intervals_are_students(void **state) {
  (void)state;
  static const struct {
    int rows;
    double level, t;
  } table[] = {{6, 0.95, 2.5706},  {7, 0.95, 2.4469}, {10, 0.95, 2.2622}, {20, 0.95, 2.0930},
               {50, 0.95, 2.0096}, {6, 0.90, 2.0150}, {11, 0.90, 1.8125}, {100000, 0.95, 1.9600}};
  normal_quantiles(resampled);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    double low, high;
    const int n = table[k].rows;
    const double expected = table[k].t * sqrt(n / (n - 1.0));
    assert_true(fit_interval(n, 1, table[k].level, RESAMPLES, resampled, &low, &high));
    assert_true(fabs(low + expected) < 6e-3 && fabs(high - expected) < 6e-3);
    assert_true(fit_interval(n + 2, 3, table[k].level, RESAMPLES, resampled, &low, &high));
    assert_true(fabs(high - expected) < 6e-3);
  }
}

/* 1 - 2^(1 - n) >= 0.95 from n = 6 on, >= 0.5 from n = 2. */
static void few_rows_have_none(void **state) {
  (void)state;
  const double x[] = {1, 2, 3};
  double low, high;
  assert_false(fit_interval(1, 1, 0.5, 3, x, &low, &high));
  assert_true(isnan(low) && isnan(high));
  assert_true(fit_interval(2, 1, 0.5, 3, x, &low, &high));
  assert_false(fit_interval(5, 1, 0.95, 3, x, &low, &high));
  assert_true(fit_interval(6, 1, 0.95, 3, x, &low, &high));
  assert_false(fit_interval(6, 2, 0.95, 3, x, &low, &high));
  assert_false(fit_interval(0, 1, 0.95, 3, x, &low, &high));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(intervals_are_students), cmocka_unit_test(few_rows_have_none)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
