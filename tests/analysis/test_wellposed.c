/* Claims: the contact LCP, its classes, its solutions and Propositions 12-15 are those of the case files; the rod's
 * critical friction is least, 4/3, at tan(theta) = 2; a disk in a corner with equal slip signs has a P-matrix exactly
 * while mu1 mu2 < 1; the critical friction is where the P-property ends; the vector b of a mechanism is its derivation.
 */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

/* A uniform rod of half length l leaning at theta: h = y - l sin(theta). */
static crd_contact_problem *rod(double m, double l, double theta, double mu) {
  const double c = cos(theta), s = sin(theta), M[9] = {m, 0, 0, 0, m, 0, 0, 0, m * l * l / 3},
               rows[6] = {0, 1, -l * c, 1, 0, l * s}, v[3] = {0};
  return make_problem(&(problem_def){.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = mu});
}

static double critical_of_rod(double theta) {
  crd_quasi_basis b;
  double mu;
  crd_arena_reset(&arena);
  crd_contact_problem *problem = rod(2, 0.7, theta, 0);
  assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
  assert_int_equal(crd_analysis_wellposed_critical_least(&b, problem, &mu, &arena), CRD_OK);
  crd_contact_problem_free(problem);
  return mu;
}

static void check_rod_curve(const case_variant *variant) {
  double theta[16], found[16];
  int count = case_numbers(variant->inputs, "theta", theta, 16);
  for (int i = 0; i < count; i++) found[i] = critical_of_rod(theta[i]);
  case_check(variant, "mu_c", found, count);
}

static void check_rod(const case_variant *variant) {
  const json_t *in = variant->inputs;
  double m = case_number(in, "m"), l = case_number(in, "l"), theta = case_number(in, "theta"),
         omega = case_number(in, "omega"), slip[2] = {case_number(in, "xi"), 0};
  crd_contact_problem *problem = rod(m, l, theta, case_number(in, "mu"));
  crd_quasi_basis basis;
  crd_wellposed w;
  assert_int_equal(crd_analysis_quasi_form(&basis, problem, NULL, 0, &arena), CRD_OK);
  double b = (l * sin(theta) * omega * omega - case_number(in, "g")) / basis.norm[0], lambda[2], least;
  assert_int_equal(crd_analysis_wellposed_form(&w, &basis, problem, slip, &b, &arena), CRD_OK);
  case_check(variant, "D", w.D, 1);
  case_check(variant, "b", w.b, 1);
  case_check_number(variant, "n_solutions", w.solutions);
  assert_int_equal(crd_analysis_wellposed_critical_least(&basis, problem, &least, &arena), CRD_OK);
  case_check_number(variant, "mu_c", least);
  assert_int_equal(w.p_matrix == CRD_LCP_YES, w.D[0] > 0);
  for (int i = 0; i < w.solutions; i++) lambda[i] = w.lambda_bar[w.solutions - 1 - i];
  if (w.solutions == 1) case_check(variant, "lambda_bar", w.lambda_bar, 1);
  const char *regime = json_string_value(json_object_get(variant->outputs, "regime"));
  if (w.regime == CRD_REGIME_SEVERAL) {
    assert_string_equal(regime, "two solutions");
    assert_true(lambda[0] == 0 || lambda[1] == 0);
  } else {
    assert_string_equal(regime, crd_analysis_regime_name(w.regime));
  }
  crd_contact_problem_free(problem);
}

/* The box of 2.3.4, with C-07. */
static void check_box(const case_variant *variant) {
  const json_t *in = variant->inputs;
  double m = case_number(in, "m"), J = case_number(in, "J"), l = case_number(in, "l"), r = case_number(in, "r"),
         phi = case_number(in, "phi"), plus[2] = {1, 0}, minus[2] = {-1, 0}, mu;
  const double M[9] = {m, 0, 0, 0, m, 0, 0, 0, J}, v[3] = {0},
               rows[6] = {0, 1, l * sin(phi) - r * cos(phi), 1, 0, -(l * cos(phi) + r * sin(phi))};
  crd_contact_problem *problem =
      make_problem(&(problem_def){.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows});
  crd_quasi_basis b;
  assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
  case_check_number(variant, "coupling", b.nH[0] / b.norm[0]);
  assert_int_equal(crd_analysis_wellposed_critical(&b, problem, plus, &mu, &arena), CRD_OK);
  case_check_number(variant, "mu_c_xi_plus", mu);
  assert_int_equal(crd_analysis_wellposed_critical(&b, problem, minus, &mu, &arena), CRD_OK);
  case_check_number(variant, "mu_c_xi_minus", mu);
  crd_contact_problem_free(problem);
}

static void check_matrix(const case_variant *variant) {
  double xi[4], slip[8] = {0}, b[4], listed[16];
  crd_quasi_basis basis;
  crd_wellposed w;
  json_object_set_new(variant->inputs, "qd_minus", json_pack("[f,f,f]", 0.0, 0.0, 0.0));
  crd_contact_problem *problem = case_problem(variant);
  int p = problem->nc;
  case_numbers(variant->inputs, "xi", xi, 4);
  case_numbers(variant->inputs, "b", b, 4);
  for (int c = 0; c < p; c++) slip[2 * c] = xi[c];
  assert_int_equal(crd_analysis_quasi_form(&basis, problem, NULL, 0, &arena), CRD_OK);
  assert_int_equal(crd_analysis_wellposed_form(&w, &basis, problem, slip, b, &arena), CRD_OK);
  case_check(variant, "D", w.D, p * p);
  double det = w.D[0] * w.D[3] - w.D[1] * w.D[2], diagonal = fmin(w.D[0], w.D[3]);
  case_check_number(variant, "det", det);
  /* not fmin of fmin: clang 19 crashes on it */
  case_check_number(variant, "min_principal_minor", det < diagonal ? det : diagonal);
  case_check_number(variant, "P_matrix", w.p_matrix == CRD_LCP_YES);
  case_check_number(variant, "positive_definite", w.positive_definite == CRD_LCP_YES);
  case_check_number(variant, "strictly_copositive", w.strictly_copositive == CRD_LCP_YES);
  case_check_number(variant, "copositive", w.copositive == CRD_LCP_YES);
  case_check_number(variant, "prop14_lhs", w.prop14.value);
  case_check_number(variant, "prop14_rhs", w.prop14.bound);
  case_check_number(variant, "prop14_verdict", w.prop14.holds);
  case_check_number(variant, "prop14_spectral_verdict", w.prop14_spectral.holds);
  case_check_number(variant, "n_lcp_solutions", w.solutions);
  if (case_has(variant->outputs, "lcp_solutions") && w.solutions > 0) {
    assert_int_equal(case_numbers(variant->outputs, "lcp_solutions", listed, 16), w.solutions * p);
    for (int i = 0; i < w.solutions; i++) {
      double nearest = INFINITY;
      for (int k = 0; k < w.solutions; k++)
        nearest = fmin(nearest, fmax(fabs(listed[p * i] - w.lambda_bar[p * k]),
                                     fabs(listed[p * i + 1] - w.lambda_bar[p * k + 1])) /
                                    (1 + fabs(listed[p * i])));
      assert_true(nearest < 1e-9);
    }
  }
  crd_contact_problem_free(problem);
}

/* (85) of the frictional impact oscillator: mu_c = tan(theta) + m1/m2 / tan(theta). */
static void check_oscillator(const case_variant *variant) {
  double m1 = case_number(variant->inputs, "m1"), m2 = case_number(variant->inputs, "m2"), least = INFINITY;
  for (int i = 0; i <= 2000; i++) {
    double theta = i < 2000 ? 0.01 + 1.5 * i / 2000 : case_number(variant->outputs, "theta_min"), mu;
    const double s = sin(theta), c = cos(theta), M[4] = {m1, 0, 0, m2}, rows[4] = {s, c, c, 0}, v[2] = {0};
    crd_contact_problem *problem =
        make_problem(&(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows});
    crd_quasi_basis b;
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
    assert_int_equal(crd_analysis_wellposed_critical_least(&b, problem, &mu, &arena), CRD_OK);
    least = fmin(least, mu);
    crd_contact_problem_free(problem);
  }
  case_check_number(variant, "mu_c_min", least);
}

static void check_variant(const case_variant *variant) {
  crd_arena_reset(&arena);
  if (strcmp(variant->name, "rod_mu_c") == 0)
    check_rod_curve(variant);
  else if (strncmp(variant->name, "rod_lcp", 7) == 0)
    check_rod(variant);
  else if (strncmp(variant->name, "box", 3) == 0)
    check_box(variant);
  else if (strncmp(variant->name, "oscillator", 10) == 0)
    check_oscillator(variant);
  else
    check_matrix(variant);
}

static void every_case_file_is_reproduced(void **state) {
  (void)state;
  for_case_variants("quasi_13", check_variant);
}

static void the_rod_is_most_critical_where_tan_theta_is_2(void **state) {
  (void)state;
  double at = atan(2);
  assert_true(fabs(critical_of_rod(at) - 4.0 / 3) < 1e-12);
  for (int i = 1; i < 90; i++) assert_true(critical_of_rod(i * acos(-1) / 180) >= 4.0 / 3 - 1e-12);
  assert_true(critical_of_rod(at - 1e-3) > 4.0 / 3 && critical_of_rod(at + 1e-3) > 4.0 / 3);
}

static void a_disk_in_a_corner_is_wellposed_exactly_while_the_product_is_below_1(void **state) {
  (void)state;
  random_stream stream = {.seed = 2};
  const double M[9] = {2, 0, 0, 0, 2, 0, 0, 0, 0.25}, rows[12] = {0, 1, 0, 1, 0, 0.5, 1, 0, 0, 0, 1, -0.5}, v[3] = {0};
  for (int trial = 0; trial < 400; trial++) {
    double mu[2] = {random_in(&stream, 0, 3), random_in(&stream, 0, 3)}, sign = trial % 2 ? -1 : 1,
           slip[4] = {sign, 0, sign, 0};
    crd_contact_problem *problem =
        make_problem(&(problem_def){.nv = 3, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows});
    crd_quasi_basis b;
    crd_wellposed w;
    crd_arena_reset(&arena);
    for (int c = 0; c < 2; c++) problem->contact[c].mu = mu[c];
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
    assert_int_equal(crd_analysis_wellposed_form(&w, &b, problem, slip, NULL, &arena), CRD_OK);
    if (fabs(mu[0] * mu[1] - 1) > 1e-9) assert_int_equal(w.p_matrix == CRD_LCP_YES, mu[0] * mu[1] < 1);
    assert_true(fabs(w.mu_critical - 1) < 1e-12);
    slip[2] = -sign; /* opposite signs: always, whatever the friction (C-08) */
    assert_int_equal(crd_analysis_wellposed_form(&w, &b, problem, slip, NULL, &arena), CRD_OK);
    assert_true(w.p_matrix == CRD_LCP_YES && isinf(w.mu_critical));
    crd_contact_problem_free(problem);
  }
}

/* Below mu_critical D is a P-matrix, just above it is not; sufficient criteria hold only where D is positive definite.
 */
static void critical_friction_is_where_the_p_property_ends(void **state) {
  (void)state;
  random_stream stream = {.seed = 6};
  int finite = 0, fourteen = 0;
  for (int trial = 0; trial < 300; trial++) {
    int nc = 1 + trial % 4;
    crd_contact_problem *problem = random_problem(
        &stream, (random_problem_options){.nv = 3 * nc + 1, .nc = nc, .ntangent = 1 + trial % 2, .nb = trial % 3 == 0});
    crd_quasi_basis b;
    crd_wellposed w;
    crd_arena_reset(&arena);
    for (int c = 0; c < nc; c++) problem->contact[c].mu = random_in(&stream, 0, 0.3);
    assert_int_equal(crd_analysis_quasi_form(&b, problem, NULL, 0, &arena), CRD_OK);
    assert_int_equal(crd_analysis_wellposed_form(&w, &b, problem, NULL, NULL, &arena), CRD_OK);
    if (w.prop14.holds) assert_true(w.prop14_spectral.holds);
    if (w.prop14_spectral.holds) assert_true(w.positive_definite == CRD_LCP_YES && w.p_matrix == CRD_LCP_YES);
    if (w.prop13.holds) assert_true(w.positive_definite == CRD_LCP_YES);
    fourteen += w.prop14.holds;
    double mu = w.mu_critical;
    if (isinf(mu))
      mu = 100;
    else
      finite++;
    for (int side = 0; side < 2; side++) {
      for (int c = 0; c < nc; c++) problem->contact[c].mu = mu * (side ? 1 + 1e-6 : 1 - 1e-6);
      if (side && isinf(w.mu_critical)) continue;
      crd_wellposed other;
      assert_int_equal(crd_analysis_wellposed_form(&other, &b, problem, NULL, NULL, &arena), CRD_OK);
      assert_int_equal(other.p_matrix, side ? CRD_LCP_NO : CRD_LCP_YES);
    }
    crd_contact_problem_free(problem);
  }
  assert_true(finite > 100 && fourteen > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_file_is_reproduced),
      cmocka_unit_test(the_rod_is_most_critical_where_tan_theta_is_2),
      cmocka_unit_test(a_disk_in_a_corner_is_wellposed_exactly_while_the_product_is_below_1),
      cmocka_unit_test(critical_friction_is_where_the_p_property_ends),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
