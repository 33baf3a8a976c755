/* Claims: a law that made exact data is found with its coefficients and ranked first, from rows it has not seen; intervals
 * hold the truth as often as they say (a shorter form of long_coverage), of a wrong inertia and a misplaced contact too; coefficients that the data do not determine are called so;
 * threads change no digit; a stop keeps the laws that are done; a row without a number is refused. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/fit_data.h"

enum { LAWS = 4 };
static const char *const name[LAWS] = {"routh", "poisson", "newton", "fremond"};

static void find_laws(const crd_impact_law *law[LAWS]) {
  for (int k = 0; k < LAWS; k++) assert_non_null(law[k] = crd_impact_find(name[k]));
}

static void every_law_finds_its_own_data(void **state) {
  (void)state;
  const crd_impact_law *law[LAWS];
  find_laws(law);
  for (int truth = 0; truth < LAWS; truth++) {
    crd_fit_data data;
    crd_fit_result result = {0};
    crd_fit_options options = crd_fit_default();
    options.threads = 1;
    const drop_def def = {.law = name[truth], .e = 0.62, .mu = 0.13, .slide = 1, .count = 60, .seed = 4};
    make_drops(&def, &data);
    options.folds = 1, options.resamples = 50;
    assert_int_equal(crd_fit_run(&data, -1, law, LAWS, &options, &result), CRD_OK);
    const crd_fit_law *own = &result.law[truth];
    assert_true(fabs(own->value[CRD_FIT_E] - def.e) < 2e-3 && fabs(own->value[CRD_FIT_MU] - def.mu) < 2e-3);
    assert_int_equal(own->rank, 1);
    assert_true(own->test < 5e-3 && own->behind == 0);
    assert_int_equal(result.fitted, 30);
    assert_int_equal(result.unseen, 30);
    for (int k = 0; k < LAWS; k++)
      if (k != truth) assert_true(result.law[k].behind_low > 0 && result.law[k].test > own->test);
    crd_fit_result_free(&result);
    crd_fit_data_free(&data);
  }
}

static void intervals_hold_the_truth(void **state) {
  (void)state;
  enum { SETS = 40 };
  const crd_impact_law *law = crd_impact_find("routh");
  int held[2] = {0};
  for (int set = 0; set < SETS; set++) {
    crd_fit_data data;
    crd_fit_result result = {0};
    crd_fit_options options = crd_fit_default();
    options.threads = 1;
    const drop_def def = {
        .law = "routh", .e = 0.6, .mu = 0.15, .noise = 0.03, .slide = 1, .count = 80, .seed = 100 + (uint64_t)set};
    make_drops(&def, &data);
    assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_OK);
    const crd_fit_law *l = &result.law[0];
    held[0] += l->low[CRD_FIT_E] <= def.e && def.e <= l->high[CRD_FIT_E];
    held[1] += l->low[CRD_FIT_MU] <= def.mu && def.mu <= l->high[CRD_FIT_MU];
    /* wide enough to hold it is no art: noise / sqrt(rows) is what e can be known to */
    assert_true(l->high[CRD_FIT_E] - l->low[CRD_FIT_E] < 0.1);
    crd_fit_result_free(&result);
    crd_fit_data_free(&data);
  }
  assert_true(held[0] >= fewest_successes(SETS, 0.95));
  assert_true(held[1] >= fewest_successes(SETS, 0.95));
}

/* Contacts are stated 2 mm off along the floor, the inertia 20 % too small: both are fitted besides e and mu. */
static void inertia_and_offset_are_found(void **state) {
  (void)state;
  enum { SETS = 20, FITTED = 4 };
  static const crd_fit_parameter fitted[FITTED] = {CRD_FIT_E, CRD_FIT_MU, CRD_FIT_INERTIA, CRD_FIT_OFFSET};
  const double truth[FITTED] = {0.6, 0.15, 1.25, 0.002};
  const crd_impact_law *law = crd_impact_find("routh");
  int held[FITTED] = {0};
  for (int set = 0; set < SETS; set++) {
    crd_fit_data data;
    crd_fit_result result = {0};
    crd_fit_options options = crd_fit_default();
    const drop_def def = {.law = "routh",
                          .e = truth[0],
                          .mu = truth[1],
                          .noise = 0.02,
                          .slide = 1,
                          .inertia = 1 / truth[2],
                          .offset = -truth[3],
                          .count = 80,
                          .seed = 700 + (uint64_t)set};
    make_drops(&def, &data);
    options.threads = 1, options.grid = 10, options.resamples = 200;
    for (int k = 0; k < FITTED; k++) options.fitted |= 1u << fitted[k];
    options.inertia[0] = options.inertia[1] = options.offset = 2;
    double M[9], J[6];
    memcpy(M, data.row[0].problem->M, sizeof M), memcpy(J, data.row[0].problem->J, sizeof J);
    assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_OK);
    for (int k = 0; k < FITTED; k++) {
      const double low = result.law[0].low[fitted[k]], high = result.law[0].high[fitted[k]];
      held[k] += low <= truth[k] && truth[k] <= high;
      assert_true(high > low && high - low < 0.4 * (options.high[fitted[k]] - options.low[fitted[k]]));
      assert_false(result.law[0].flat[fitted[k]]);
    }
    assert_memory_equal(data.row[0].problem->M, M, sizeof M); /* the problems are as stated again */
    assert_memory_equal(data.row[0].problem->J, J, sizeof J);
    crd_fit_result_free(&result);
    crd_fit_data_free(&data);
  }
  for (int k = 0; k < FITTED; k++) assert_true(held[k] >= fewest_successes(SETS, 0.95));
}

/* Routh's law has no tangential restitution, and contacts that slide tell nothing of static friction: neither gets an interval. */
static void a_parameter_without_effect_is_told(void **state) {
  (void)state;
  crd_fit_data data;
  crd_fit_result result = {0};
  const crd_impact_law *law = crd_impact_find("routh");
  crd_fit_options options = crd_fit_default();
  const drop_def def = {.law = "routh", .e = 0.5, .mu = 0.2, .noise = 0.02, .slide = 1, .count = 60, .seed = 3};
  make_drops(&def, &data);
  options.threads = 1, options.grid = 10;
  options.fitted |= 1u << CRD_FIT_E_T | 1u << CRD_FIT_SLOPE;
  assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_OK);
  assert_true(result.law[0].flat[CRD_FIT_E_T]);
  assert_true(result.law[0].low[CRD_FIT_E_T] == -1 && result.law[0].high[CRD_FIT_E_T] == 1);
  assert_false(result.law[0].flat[CRD_FIT_SLOPE]);
  assert_true(result.law[0].low[CRD_FIT_SLOPE] < 0 && result.law[0].high[CRD_FIT_SLOPE] > 0);
  crd_fit_result_free(&result);
  options.fitted |= 1u << CRD_FIT_INERTIA; /* of no velocity */
  assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_ERR_ARGUMENT);
  crd_fit_result_free(&result);
  crd_fit_data_free(&data);
}

/* A law without friction says nothing of mu, one with friction does. */
static void a_valley_is_told(void **state) {
  (void)state;
  crd_fit_data data;
  crd_fit_result result = {0};
  const crd_impact_law *law[2] = {crd_impact_find("routh"), crd_impact_find("moreau")};
  crd_fit_options options = crd_fit_default();
  options.threads = 1;
  const drop_def def = {.law = "routh", .e = 0.5, .mu = 0.3, .noise = 0.01, .slide = 1, .count = 60, .seed = 9};
  make_drops(&def, &data);
  assert_int_equal(crd_fit_run(&data, -1, law, 2, &options, &result), CRD_OK);
  assert_false(result.law[0].flat[CRD_FIT_MU]);
  assert_true(result.law[1].flat[CRD_FIT_MU]); /* moreau has no friction */
  assert_true(result.law[1].low[CRD_FIT_MU] == 0 && result.law[1].high[CRD_FIT_MU] == 1);
  assert_false(result.law[1].flat[CRD_FIT_E]);
  crd_fit_result_free(&result);
  crd_fit_data_free(&data);
}

/* Plates that hardly move along the floor stick: mu is known to be no less than something below the truth, and that is said. */
static void sticking_bounds_mu_from_below(void **state) {
  (void)state;
  const crd_impact_law *law = crd_impact_find("newton");
  crd_fit_data data;
  crd_fit_result result = {0};
  crd_fit_options options = crd_fit_default();
  const drop_def def = {.law = "newton", .e = 0.6, .mu = 0.9, .noise = 0.01, .slide = 0.02, .count = 60, .seed = 12};
  make_drops(&def, &data);
  options.threads = 1, options.high[CRD_FIT_MU] = 4;
  assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_OK);
  const crd_fit_law *l = &result.law[0];
  assert_true(l->flat[CRD_FIT_MU] && !l->flat[CRD_FIT_E]);
  assert_true(l->flat_high[CRD_FIT_MU] == 4 && l->flat_low[CRD_FIT_MU] > 0.1 && l->flat_low[CRD_FIT_MU] < 0.9);
  assert_true(l->low[CRD_FIT_MU] < 0.9 && l->high[CRD_FIT_MU] == 4);
  crd_fit_result_free(&result);
  crd_fit_data_free(&data);
}

static void few_rows_have_coefficients_and_no_intervals(void **state) {
  (void)state;
  const crd_impact_law *law[2] = {crd_impact_find("routh"), crd_impact_find("newton")};
  for (int count = 1; count <= 7; count++) {
    crd_fit_data data;
    crd_fit_result result = {0};
    crd_fit_options options = crd_fit_default();
    const drop_def def = {.law = "routh", .e = 0.6, .mu = 0.1, .slide = 1, .count = count, .seed = 2};
    make_drops(&def, &data);
    options.threads = 1;
    assert_int_equal(crd_fit_run(&data, -1, law, 2, &options, &result), CRD_OK);
    const crd_fit_law *l = &result.law[0];
    assert_true(l->loss < 1e-3);
    /* two coefficients: six rows more than one, and the difference of two laws: six */
    assert_true(isnan(l->low[CRD_FIT_E]) == (count < 7) && isnan(l->high[CRD_FIT_MU]) == (count < 7));
    assert_true(isnan(result.law[1].behind_low) == (count < 6));
    if (count < 7) assert_true(isnan(l->correlation));
    crd_fit_result_free(&result);
    crd_fit_data_free(&data);
  }
}

static bool stop_late(void *context, double share) {
  (void)context;
  return share < 0.6;
}

/* Counts its calls while draws are made, and stops at the ten-thousandth. */
static bool stop_at_ten_thousand(void *context, double share) {
  (void)share;
  return ++*(int *)context < 10000;
}

/* Half a million draws would take minutes; the impacts before them, 8 rows at some hundred points, ask
 * less often. */
static void draws_can_be_stopped(void **state) {
  (void)state;
  const crd_impact_law *law = crd_impact_find("newton");
  crd_fit_data data;
  crd_fit_result result = {0};
  crd_fit_options options = crd_fit_default();
  const drop_def def = {.law = "newton", .e = 0.4, .mu = 0.2, .noise = 0.05, .slide = 1, .count = 8, .seed = 5};
  int calls = 0;
  make_drops(&def, &data);
  options.threads = 1, options.grid = 4, options.resamples = 500000;
  options.progress = stop_at_ten_thousand, options.context = &calls;
  assert_int_equal(crd_fit_run(&data, -1, &law, 1, &options, &result), CRD_STOPPED);
  assert_int_equal(calls, 10000);
  assert_int_equal(result.law[0].status, CRD_STOPPED);
  crd_fit_result_free(&result);
  crd_fit_data_free(&data);
}

static void threads_change_nothing_and_a_stop_keeps_what_is_done(void **state) {
  (void)state;
  const crd_impact_law *law[LAWS];
  crd_fit_data data;
  crd_fit_result one = {0}, two = {0};
  crd_fit_options options = crd_fit_default();
  const drop_def def = {.law = "newton", .e = 0.4, .mu = 0.2, .noise = 0.05, .slide = 1, .count = 50, .seed = 5};
  find_laws(law);
  make_drops(&def, &data);
  options.threads = 1, options.folds = 5, options.loss = CRD_FIT_HUBER;
  assert_int_equal(crd_fit_run(&data, -1, law, LAWS, &options, &one), CRD_OK);
  options.threads = 2;
  assert_int_equal(crd_fit_run(&data, -1, law, LAWS, &options, &two), CRD_OK);
  for (int k = 0; k < LAWS; k++) {
    assert_memory_equal(one.law[k].value, two.law[k].value, sizeof one.law[k].value);
    assert_memory_equal(one.law[k].low, two.law[k].low, sizeof one.law[k].low);
    assert_true(one.law[k].test == two.law[k].test && one.law[k].test > 0);
  }
  options.progress = stop_late;
  assert_int_equal(crd_fit_run(&data, -1, law, LAWS, &options, &two), CRD_STOPPED);
  assert_int_equal(two.law[0].status, CRD_OK);
  assert_int_equal(two.law[LAWS - 1].status, CRD_STOPPED);
  assert_memory_equal(one.law[0].value, two.law[0].value, sizeof one.law[0].value);
  crd_fit_result_free(&one), crd_fit_result_free(&two);
  const double bad[3] = {0, NAN, 0}, good[3] = {0}, sigma[3] = {1, 0, 1};
  assert_int_equal(crd_fit_add(&data, data.row[0].problem, bad, NULL, NULL, 1), CRD_ERR_NUMBER);
  assert_int_equal(crd_fit_add(&data, data.row[0].problem, good, sigma, NULL, 1), CRD_ERR_NUMBER);
  assert_int_equal(data.count, 50);
  crd_fit_data_free(&data);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_finds_its_own_data),
      cmocka_unit_test(intervals_hold_the_truth),
      cmocka_unit_test(inertia_and_offset_are_found),
      cmocka_unit_test(a_parameter_without_effect_is_told),
      cmocka_unit_test(a_valley_is_told),
      cmocka_unit_test(sticking_bounds_mu_from_below),
      cmocka_unit_test(few_rows_have_coefficients_and_no_intervals),
      cmocka_unit_test(draws_can_be_stopped),
      cmocka_unit_test(threads_change_nothing_and_a_stop_keeps_what_is_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
