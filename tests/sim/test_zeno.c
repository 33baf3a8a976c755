/* When impacts of a pair accumulate, and when they only come ever sooner. */
#include <math.h>

#include "sim/zeno.h"
#include "support/cmocka_all.h"

static const double G = 9.81;

/* Impact k of a ball: speed v e^k, next one after 2 v e^(k+1)/g; t* = t0 + (2 v/g) e/(1 - e). */
static void a_bouncing_ball_accumulates_where_its_series_does(void **state) {
  (void)state;
  const double v = 3;
  for (double e = 0.1; e < 0.99; e += 0.1) {
    crd_zeno_series series = {0};
    double t = 0.4, limit = t + 2 * v / G * e / (1 - e);
    for (int k = 0; k < 10; k++) {
      crd_zeno_add(&series, t, v * pow(e, k));
      if (k < 3) assert_true(isinf(crd_zeno_limit(&series)));
      if (k >= 3) assert_true(fabs(crd_zeno_limit(&series) - limit) < 1e-9 * limit);
      if (k > 0) assert_true(crd_zeno_returned(&series));
      crd_zeno_leave(&series, v * pow(e, k + 1), G);
      t += 2 * v * pow(e, k + 1) / G;
    }
  }
}

static void elastic_rebounds_do_not_accumulate(void **state) {
  (void)state;
  crd_zeno_series series = {0};
  for (int k = 0; k < 8; k++) crd_zeno_add(&series, 0.6 * k, 3);
  assert_true(isinf(crd_zeno_limit(&series)));
}

/* A light elastic ball between the floor and a plate that comes down at speed w. The ball leaves the floor with u when
 * the plate is at height h, meets it after h/(u + w) and comes down with u + 2 w: intervals shrink, speeds grow. */
static void a_ball_beneath_a_plate_that_comes_down_does_not_accumulate(void **state) {
  (void)state;
  crd_zeno_series series = {0};
  double t = 0, h = 1, u = 10;
  const double w = 1;
  for (int k = 0; k < 12; k++) {
    crd_zeno_add(&series, t, u);
    assert_true(isinf(crd_zeno_limit(&series)));
    assert_false(crd_zeno_returned(&series));
    crd_zeno_leave(&series, u, G);
    const double up = h / (u + w), down = u * up / (u + 2 * w);
    t += up + down, h -= w * (up + down), u += 2 * w;
  }
}

/* Two equal balls fall together, e = 0.95: the lower one rebounds from the floor with 4.208 m/s, meets the upper one
 * after 1.2e-8 s and is back on the floor at once with 4.2135 m/s. No force but gravity pulled it. */
static void a_rebound_stopped_by_another_body_is_no_return(void **state) {
  (void)state;
  crd_zeno_series series = {0};
  crd_zeno_add(&series, 0.451523641, 4.429447), crd_zeno_leave(&series, 4.207975, G);
  crd_zeno_add(&series, 0.4515236641, 4.21351);
  assert_false(crd_zeno_returned(&series));
}

static void another_point_of_the_pair_at_the_same_instant_is_the_same_impact(void **state) {
  (void)state;
  crd_zeno_series series = {0};
  crd_zeno_add(&series, 1, 2), crd_zeno_add(&series, 1, 3);
  assert_int_equal(series.count, 1);
  assert_true(series.impact[0].approach == 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bouncing_ball_accumulates_where_its_series_does),
      cmocka_unit_test(elastic_rebounds_do_not_accumulate),
      cmocka_unit_test(a_ball_beneath_a_plate_that_comes_down_does_not_accumulate),
      cmocka_unit_test(a_rebound_stopped_by_another_body_is_no_return),
      cmocka_unit_test(another_point_of_the_pair_at_the_same_instant_is_the_same_impact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
