/* Claims: laws say the same of a problem in all units, and nothing of its rounding errors: a slider between walls whose
 * normal velocity is rounding is not struck and has a solution; numbers that are not finite are refused; a row a
 * billion times shorter than the others loses no digits; copies of a contact with different coefficients are noted;
 * bilateral rows that move before the impact are stopped by every law; during and after are two words. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.15g, expected %.15g", found, expected);
}

static const char *const LAWS[] = {"projection", "newton",         "moreau",     "matrix", "implicit",
                                   "poisson",    "anitescu-potra", "sequential", "routh"};
enum { COUNT = sizeof LAWS / sizeof *LAWS };

/* A particle that slides between two walls, u_n = -+1e-17 of its speed: no law may find an impact, or a contradiction. */
static void a_slider_between_walls_is_not_struck_by_rounding(void **state) {
  (void)state;
  const double M[4] = {1, 0.3, 0.3, 1}, rows[8] = {0, 1, 1, 0, 0, -1, 1, 0};
  for (double unit = 1e-9; unit < 1e10; unit *= 1e6)
    for (double noise = -1e-15; noise <= 1e-15; noise += 1e-16) {
      const double v[2] = {unit, unit * noise};
      crd_contact_problem *p =
          make_problem(&(problem_def){.nv = 2, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = 0.1});
      p->contact[0].e = 0.5, p->contact[1].e = 0.2;
      assert_false(crd_contact_problem_approaches(p, 0) || crd_contact_problem_approaches(p, 1));
      crd_impact_result result = {0};
      for (int i = 0; i < COUNT; i++) {
        resolve_with(LAWS[i], p, &result);
        bool free = false; /* one of its answers lets the slider go on */
        for (int k = 0; k < result.count; k++) free = free || fabs(result.solution[k].v_plus[0] - unit) < 1e-9 * unit;
        if (!free) fail_msg("%s stops the slider at noise %g", LAWS[i], noise);
      }
      crd_impact_result_free(&result);
      crd_contact_problem_free(p);
    }
}

static void numbers_that_are_not_finite_are_refused(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, rows[4] = {0, 1, 1, 0}, v[2] = {1, -1};
  for (int which = 0; which < 5; which++)
    for (int i = 0; i < COUNT; i++) {
      crd_contact_problem *p =
          make_problem(&(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = 0.1});
      if (which == 0) p->contact[0].e = NAN;
      if (which == 1) p->v[0] = NAN;
      if (which == 2) p->J[1] = INFINITY;
      if (which == 3) p->contact[0].mu = NAN;
      if (which == 4) p->impulse[1] = NAN;
      crd_contact_problem_complete(p);
      crd_impact_options options = crd_impact_default();
      crd_impact_result result = {0};
      crd_status status = crd_impact_resolve(crd_impact_find(LAWS[i]), p, &options, &result);
      if (status != CRD_ERR_NUMBER || result.count) fail_msg("%s, case %d: status %d", LAWS[i], which, status);
      crd_impact_result_free(&result);
      crd_contact_problem_free(p);
    }
}

/* u+ = -e u for independent rows and copies alike, each to the digits of its own length. */
static void a_short_row_loses_no_digits(void **state) {
  (void)state;
  const double M[4] = {2, 0.5, 0.5, 1}, v[2] = {-1, -0.7}, s = 1e-9;
  for (int copies = 0; copies < 2; copies++) {
    const double rows[6] = {1, 0.2, s * 0.3, s * 1, copies ? s * 1 : s * 2, copies ? s * 0.2 : s * 0.1};
    crd_contact_problem *p = make_problem(&(problem_def){.nv = 2, .nc = 3, .M = M, .v = v, .contact = rows, .e = 0.5});
    crd_impact_result result = {0};
    resolve_with("projection", p, &result);
    for (int c = 0; c < 3; c++) {
      double u = 0;
      for (int k = 0; k < 2; k++) u += rows[2 * c + k] * result.solution[0].v_plus[k];
      assert_near(u / -p->u[c], 0.5, 1e-13);
    }
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

/* Copies carry half of the compression each, whatever their order: u+ = -(0.1 + 0.9)/2 u. With friction of a sliding point
 * too: of the tangential impulse -mu p_n in all, poisson returns none in decompression and poisson-coulomb its share. */
static void copies_with_different_coefficients_share_evenly(void **state) {
  (void)state;
  static const char *const LAW[2] = {"poisson", "poisson-coulomb"};
  const double M[4] = {1, 0, 0, 1}, v[2] = {5, -1}, rows[8] = {0, 1, 1, 0, 0, 1, 1, 0};
  for (int k = 0; k < 8; k++) {
    int law = k % 2, order = k / 2 % 2, friction = k / 4;
    crd_contact_problem *p = make_problem(
        &(problem_def){.nv = 2, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = friction ? 0.4 : 0});
    p->contact[order].e = 0.1, p->contact[!order].e = 0.9;
    crd_impact_result result = {0};
    resolve_with(LAW[law], p, &result);
    const crd_impact_solution *s = &result.solution[0];
    assert_true(fabs(s->u_plus[0] - 0.5) <= 1e-9);
    double normal = law ? 1.5 : 1; /* impulse that brings friction: compression alone, or decompression too */
    assert_true(fabs(s->u_plus[1] - (5 - (friction ? 0.4 * normal : 0))) <= 1e-9);
    assert_true(has_note(&result, "least impulses"));
    crd_impact_result_free(&result);
    crd_contact_problem_free(p);
  }
}

static void copies_with_different_coefficients_are_noted(void **state) {
  (void)state;
  const double M = 1, v = -1, rows[2] = {1, 1};
  crd_contact_problem *p = make_problem(&(problem_def){.nv = 1, .nc = 2, .M = &M, .v = &v, .contact = rows, .e = 0.9});
  crd_impact_result result = {0};
  resolve_with("poisson", p, &result);
  assert_false(has_note(&result, "different coefficients"));
  p->contact[1].e = 0.1;
  resolve_with("poisson", p, &result);
  assert_true(has_note(&result, "different coefficients"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* The bilateral row x' = 0 moves at 0.1 before the impact; whatever the law, it does not afterwards. */
static void bilateral_rows_that_move_are_stopped_by_every_law(void **state) {
  (void)state;
  const double M[9] = {1, 0.1, 0, 0.1, 1, 0.2, 0, 0.2, 1}, v[3] = {0.1, -1, -0.5}, fixed[3] = {1, 0, 0};
  const double rows[12] = {0, 1, 0, 0, 0.4, 1, 0, 0, 1, 1, 0.3, 0};
  crd_contact_problem *p = make_problem(&(problem_def){
      .nv = 3, .nc = 2, .ntangent = 1, .nb = 1, .M = M, .v = v, .contact = rows, .bilateral = fixed, .mu = 0.3});
  crd_impact_result result = {0};
  for (int i = 0; i < COUNT; i++) {
    resolve_with(LAWS[i], p, &result);
    for (int k = 0; k < result.count; k++) {
      assert_false(result.solution[k].check.breaks_rows);
      assert_near(result.solution[k].v_plus[0], 0, 1e-9);
    }
  }
  p->v[1] = p->v[2] = 1; /* and where nothing approaches */
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
  for (int i = 0; i < COUNT; i++) {
    resolve_with(LAWS[i], p, &result);
    assert_near(result.solution[0].v_plus[0], 0, 1e-9);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* A ball with e = 0.5 that does not slide: it sticks during the impact, and leaves afterwards. */
static void during_and_after_are_two_words(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 1}, rows[4] = {0, 1, 1, 0}, v[2] = {0, -1};
  crd_contact_problem *p = make_problem(
      &(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = 0.5, .e = 0.5});
  crd_impact_result result = {0};
  resolve_with("newton", p, &result);
  assert_int_equal(result.solution[0].mode[0], CRD_MODE_STICK);
  assert_int_equal(result.solution[0].after[0], CRD_MODE_SEPARATE);
  resolve_with("anitescu-potra", p, &result);
  assert_int_equal(result.solution[0].after[0], CRD_MODE_STICK);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slider_between_walls_is_not_struck_by_rounding),
      cmocka_unit_test(numbers_that_are_not_finite_are_refused),
      cmocka_unit_test(a_short_row_loses_no_digits),
      cmocka_unit_test(copies_with_different_coefficients_are_noted),
      cmocka_unit_test(copies_with_different_coefficients_share_evenly),
      cmocka_unit_test(bilateral_rows_that_move_are_stopped_by_every_law),
      cmocka_unit_test(during_and_after_are_two_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
