/* Claims: the balance of momentum of exact data is whole; a tangent row with the sign of its arm turned, another inertia and a
 * tenth of the rows with another rebound are each found and named, and nothing is named that is not so, however noisy; rows stated
 * twice are named; impulses that are not unique are not judged. */
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
    assert_true(fabs(look.inertia[2] - 1 / stated[k]) < 4 * look.inertia_error[2]);
    assert_true(look.inertia_error[2] < 0.03);
  }
  crd_fit_look_free(&look);
}

/* A regression of one momentum on another would say 0.8 here: noise draws its slope towards zero. */
static void noise_is_no_wrong_inertia(void **state) {
  (void)state;
  enum { SETS = 20 };
  crd_fit_look look = {0};
  drop_def def = base();
  double sum[3] = {0}, worst = 0;
  def.noise = 0.1;
  for (int set = 0; set < SETS; set++) {
    def.seed = 900 + (uint64_t)set;
    look_at(&def, &look);
    assert_int_equal(look.wrong_inertia, -1);
    for (int k = 0; k < 3; k++) {
      const double off = (look.inertia[k] - 1) / look.inertia_error[k];
      sum[k] += off, worst = fmax(worst, fabs(off));
    }
  }
  /* of 60 normal numbers none beyond 4, of means of 20 none beyond 3.5 / sqrt(20), but one time in 250 and 700 */
  assert_true(worst < 4);
  for (int k = 0; k < 3; k++) assert_true(fabs(sum[k]) < 3.5 * sqrt(SETS));
  crd_fit_look_free(&look);
}

/* Two contacts of a plate have four rows, three velocities: p_t can go from one to the other. */
static void impulses_that_are_not_unique_are_not_judged(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  crd_fit_data data = {0};
  crd_fit_look look = {0};
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, J[12] = {0, 1, 1, 1, 0, 1, 0, 1, -1, 1, 0, 1};
  assert_int_equal(crd_contact_problem_resize(p, 3, 2, 4, 0, true), CRD_OK);
  memcpy(p->M, M, sizeof M), memcpy(p->J, J, sizeof J);
  p->contact[0] = (crd_contact){.name = "a", .ntangent = 1},
  p->contact[1] = (crd_contact){.name = "b", .row = 2, .ntangent = 1};
  p->v[1] = -1;
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  const double v_plus[3] = {0.1, 0.5, 0.2};
  assert_int_equal(crd_fit_add(&data, p, v_plus, NULL, NULL, 1), CRD_OK);
  assert_int_equal(crd_fit_look_at(&data, &look), CRD_OK);
  assert_int_equal(look.undetermined, 1);
  assert_true(look.tension == 0 && isnan(look.ratio[0]) && look.unexplained < 1e-9);
  crd_fit_look_free(&look);
  crd_fit_data_free(&data);
  crd_contact_problem_free(p);
}

/* Rows 3, 7 and 9 are row 2 again. */
static void repeated_rows_are_named(void **state) {
  (void)state;
  crd_fit_data data, again = {0};
  crd_fit_look look = {0};
  drop_def def = base();
  def.count = 10;
  make_drops(&def, &data);
  for (int i = 0; i < def.count; i++) {
    const crd_fit_row *row = &data.row[i == 2 || i == 6 || i == 8 ? 1 : i];
    assert_int_equal(crd_fit_add(&again, row->problem, row->v_plus, NULL, NULL, (size_t)i + 1), CRD_OK);
  }
  assert_int_equal(crd_fit_look_at(&again, &look), CRD_OK);
  assert_int_equal(look.repeats, 3);
  assert_true(look.repeated[0] == 1 && look.repeated[1] == 2);
  assert_int_equal(crd_fit_look_at(&data, &look), CRD_OK);
  assert_int_equal(look.repeats, 0);
  assert_int_equal(look.repeated[1], -1);
  crd_fit_look_free(&look);
  crd_fit_data_free(&data), crd_fit_data_free(&again);
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
      cmocka_unit_test(noise_is_no_wrong_inertia),
      cmocka_unit_test(impulses_that_are_not_unique_are_not_judged),
      cmocka_unit_test(repeated_rows_are_named),
      cmocka_unit_test(outliers_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
