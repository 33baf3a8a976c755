/* Claims: the balance of momentum of exact data is whole; a tangent row with the sign of its arm turned, another inertia and a
 * tenth of the rows with another rebound are each found and named, and nothing is named that is not so; what a single drop
 * rebounds, and energy gained, is told. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/fit_data.h"

static drop_def base(void) {
  return (drop_def){.law = "routh", .e = 0.6, .mu = 0.2, .noise = 0.02, .slide = 1, .count = 300, .seed = 21};
}

static void look_at(const drop_def *def, crd_fit_look *look) {
  crd_fit_data data;
  make_drops(def, &data);
  assert_int_equal(crd_fit_look_at(&data, look), CRD_OK);
  crd_fit_data_free(&data);
}

static void good_data_are_not_suspected(void **state) {
  (void)state;
  crd_fit_look look = {0};
  drop_def def = base();
  for (uint64_t seed = 0; seed < 10; seed++) {
    def.seed = seed, def.noise = seed % 2 ? 0.02 : 0;
    look_at(&def, &look);
    assert_int_equal(look.turned_row, -1);
    assert_int_equal(look.wrong_inertia, -1);
    assert_true(look.noutlier <= 3);
    if (def.noise == 0) {
      assert_true(look.unexplained < 1e-12);
      assert_true(fabs(look.inertia[2] - 1) < 1e-9 && fabs(look.balance[2] - 1) < 1e-9);
      assert_true(look.tension == 0 && look.gains == 0 && look.gain_max < 1);
      assert_true(look.ratio[4] <= 0.2 + 1e-9); /* |p_t| <= mu p_n */
    }
  }
  crd_fit_look_free(&look);
}

static void a_turned_row_is_named(void **state) {
  (void)state;
  crd_fit_look look = {0};
  drop_def def = base();
  def.turned = true;
  for (int k = 0; k < 2; k++) {
    def.noise = k ? 0.02 : 0;
    look_at(&def, &look);
    assert_int_equal(look.turned_row, 1);
    assert_int_equal(look.turned_velocity, 2);
    assert_true(look.turned_balance > 0.9 && look.balance[2] < 0.5);
    assert_true(look.turned_unexplained < 0.1 * look.unexplained);
  }
  crd_fit_look_free(&look);
}

static void a_wrong_inertia_is_named(void **state) {
  (void)state;
  crd_fit_look look = {0};
  drop_def def = base();
  const double stated[] = {1.25, 0.7};
  for (int k = 0; k < 2; k++) {
    def.inertia = stated[k];
    look_at(&def, &look);
    assert_int_equal(look.turned_row, -1);
    assert_int_equal(look.wrong_inertia, 2);
    /* noise of the measured momentum draws the factor towards zero by its share of the variance */
    assert_true(fabs(look.inertia[2] * stated[k] - 1) < 0.06);
  }
  crd_fit_look_free(&look);
}

static void outliers_are_named(void **state) {
  (void)state;
  crd_fit_look look = {0};
  drop_def def = base();
  def.outliers = 0.1, def.law = "newton"; /* whose e is that of velocities */
  look_at(&def, &look);
  int made = 0, found = 0, wrong = 0;
  for (int i = 0; i < def.count; i++) made += is_outlier(&def, i);
  for (int k = 0; k < look.noutlier; k++) {
    if (is_outlier(&def, look.outlier[k]))
      found++, assert_string_equal(look.outlier_why[k], "normal rebound");
    else
      wrong++;
    if (k > 0) assert_true(look.outlier_size[k] <= look.outlier_size[k - 1]);
  }
  assert_true(made > 20 && found == made && wrong <= 3);
  assert_true(fabs(look.restitution[2] - 0.6) < 0.02); /* the median does not mind */
  crd_fit_look_free(&look);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_data_are_not_suspected),
      cmocka_unit_test(a_turned_row_is_named),
      cmocka_unit_test(a_wrong_inertia_is_named),
      cmocka_unit_test(outliers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
