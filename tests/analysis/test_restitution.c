/* Claims: the quadratic and the linear matrix inequality of restitution give the figures of the case files, by
 * eigenvalues and by the semidefinite solver alike; redundant and bilateral rows do not spoil them; the exact condition
 * for approaching velocities is the closed form for two contacts, and the worst velocity it reports is the worst. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "support/case_file.h"
#include "support/cmocka_all.h"
#include "support/consistency.h"
#include "support/impact_problem.h"

/* by eigenvalues, and by the semidefinite solver where this build has it */
#define METHODS (crd_analysis_has_sdp() ? 2 : 1)

static crd_arena arena;

static int release(void **state) {
  (void)state;
  crd_arena_free(&arena);
  return 0;
}

static void diagonal(int n, const double *e, double *E) {
  memset(E, 0, sizeof *E * (size_t)(n * n));
  for (int i = 0; i < n; i++) E[i * n + i] = e[i];
}

/* The problem of a variant that may have no velocity. */
static crd_contact_problem *problem_of(const case_variant *variant) {
  if (!case_has(variant->inputs, "qd_minus")) {
    json_t *zero = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(variant->inputs, "M")); i++)
      json_array_append_new(zero, json_real(0));
    json_object_set_new(variant->inputs, "qd_minus", zero);
  }
  return case_problem(variant);
}

static void check_matrix(const case_variant *variant, const crd_restitution *r, const double *E) {
  crd_restitution_verdict v;
  double X[64], values[8], t;
  int nc = r->contacts;
  assert_int_equal(crd_analysis_restitution_check(&v, r, E, &arena), CRD_OK);
  for (int i = 0; i < nc * nc; i++) X[i] = v.X[i];
  case_check(variant, "X", X, nc * nc);
  case_check_number(variant, "lambda_max_QMI_printed", v.printed);
  case_check_number(variant, "lambda_max_QMI_restricted", v.restricted);
  case_check_number(variant, "lmi_min_eig", v.margin);
  case_check_number(variant, "admissible_all_velocities", v.restricted_holds);
  case_check_number(variant, "admissible_phid_le_0", v.worst.gain <= 1e-10);
  if (case_has(variant->outputs, "eigenvalues")) {
    case_numbers(variant->outputs, "eigenvalues", values, 8);
    assert_true(fabs(values[nc - 1] - v.printed) < 1e-8);
  }
  for (int method = 0; method < METHODS; method++) {
    assert_int_equal(crd_analysis_restitution_scaling(r, E, method ? CRD_LMI_SDP : CRD_LMI_EIGENVALUES, &t, &arena),
                     CRD_OK);
    case_check_number(variant, "t_max", t);
  }
  double margin = v.margin;
  if (crd_analysis_has_sdp())
    assert_int_equal(crd_analysis_restitution_margin(r, E, CRD_LMI_SDP, &margin, &arena), CRD_OK);
  assert_true(fabs(margin - v.margin) < 1e-7);
}

static void check_rays(const case_variant *variant, const crd_restitution *r) {
  double E[64], e[8], t;
  const json_t *rays = json_object_get(variant->outputs, "rays");
  for (size_t i = 0; i < json_array_size(rays); i++) {
    const json_t *ray = json_array_get(rays, i);
    diagonal(case_numbers(ray, "direction", e, 8), e, E);
    for (int method = 0; method < METHODS; method++) {
      assert_int_equal(crd_analysis_restitution_scaling(r, E, method ? CRD_LMI_SDP : CRD_LMI_EIGENVALUES, &t, &arena),
                       CRD_OK);
      assert_true(fabs(t - case_number(ray, "t_max")) < 1e-8);
    }
  }
}

static void check_slices(const case_variant *variant, const crd_restitution *r) {
  const json_t *slices = json_object_get(variant->outputs, "slices");
  for (size_t i = 0; i < json_array_size(slices); i++) {
    const json_t *slice = json_array_get(slices, i);
    double E[4], e[2] = {case_number(slice, "e1"), 0}, low, high;
    diagonal(2, e, E);
    for (int method = 0; method < METHODS; method++) {
      assert_int_equal(
          crd_analysis_restitution_interval(r, E, 1, method ? CRD_LMI_SDP : CRD_LMI_EIGENVALUES, &low, &high, &arena),
          CRD_OK);
      assert_true(fabs(low - case_number(slice, "e2_min")) < 1e-8);
      assert_true(fabs(high - case_number(slice, "e2_max")) < 1e-8);
    }
  }
}

static void check_grid(const case_variant *variant, const crd_restitution *r) {
  static double lambda[441], any[441], approaching[441], interval[42], low[21], high[21], zero[4];
  if (!case_has(variant->outputs, "lambda_max")) return;
  for (int i = 0; i < 441; i++) {
    double E[4], e[2] = {0.05 * (i / 21), 0.05 * (i % 21)};
    crd_restitution_verdict v;
    diagonal(2, e, E);
    assert_int_equal(crd_analysis_restitution_check(&v, r, E, &arena), CRD_OK);
    lambda[i] = v.printed, any[i] = v.restricted_holds, approaching[i] = v.worst.gain <= 1e-10;
  }
  case_check(variant, "lambda_max", lambda, 441);
  case_check(variant, "admissible_all_velocities", any, 441);
  case_check(variant, "admissible_phid_le_0", approaching, 441);
  assert_int_equal(crd_analysis_restitution_region(r, zero, 0, 1, CRD_LMI_EIGENVALUES, 21, low, high, &arena), CRD_OK);
  for (int i = 0; i < 21; i++) interval[2 * i] = low[i], interval[2 * i + 1] = high[i];
  case_check(variant, "e2_interval", interval, 42);
}

static void check_interval(const case_variant *variant, const crd_restitution *r) {
  double E[64], e[8], found[2];
  int free = 0;
  if (!case_has(variant->inputs, "fixed")) return;
  int nc = case_numbers(variant->inputs, "fixed", e, 8);
  while (!isnan(e[free])) free++;
  e[free] = 0;
  diagonal(nc, e, E);
  bool none = json_is_null(json_object_get(variant->outputs, "interval"));
  for (int method = 0; method < METHODS; method++) {
    crd_status status = crd_analysis_restitution_interval(r, E, free, method ? CRD_LMI_SDP : CRD_LMI_EIGENVALUES, found,
                                                          found + 1, &arena);
    assert_int_equal(status, none ? CRD_NO_SOLUTION : CRD_OK);
    if (!none) case_check(variant, "interval", found, 2);
  }
}

static void check_variant(const case_variant *variant) {
  double E[64], e[8];
  crd_restitution r;
  crd_arena_reset(&arena);
  if (!case_has(variant->inputs, "A") || case_has(variant->inputs, "A_dot") || case_has(variant->inputs, "nu")) return;
  crd_contact_problem *problem = problem_of(variant);
  assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
  if (problem->restitution_matrix) check_matrix(variant, &r, problem->restitution_matrix);
  if (case_has(variant->inputs, "direction")) {
    diagonal(case_numbers(variant->inputs, "direction", e, 8), e, E);
    check_matrix(variant, &r, E);
  }
  check_rays(variant, &r);
  check_slices(variant, &r);
  check_grid(variant, &r);
  check_interval(variant, &r);
  crd_contact_problem_free(problem);
}

static void every_case_file_is_reproduced(void **state) {
  (void)state;
  for_case_variants("proj_06", check_variant);
  for_case_variants("proj_07", check_variant);
  for_case_variants("proj_09", check_variant);
}

/* One constraint written twice with e1 != e2: (55) as printed rejects it, though only the mean 0.5 acts. */
static void a_row_written_twice_does_not_spoil_the_verdict(void **state) {
  (void)state;
  const double M[4] = {1, 0, 0, 2}, rows[4] = {1, 0.5, 1, 0.5}, v[2] = {-1, 0}, E[4] = {0.9, 0, 0, 0.1};
  crd_contact_problem *problem = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows});
  crd_restitution r;
  crd_restitution_verdict verdict;
  assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
  assert_int_equal(r.dim, 1);
  assert_int_equal(crd_analysis_restitution_check(&verdict, &r, E, &arena), CRD_OK);
  assert_false(verdict.printed_holds);
  assert_true(verdict.restricted_holds && fabs(verdict.gain_any - (0.25 - 1)) < 1e-12);
  crd_contact_problem_free(problem);
}

/* A bilateral row beside the contact: e = 1 conserves energy exactly, (55) as printed rejects it. */
static void a_bilateral_row_does_not_spoil_the_verdict(void **state) {
  (void)state;
  const double M[9] = {2, 0.3, 0, 0.3, 1, 0.2, 0, 0.2, 3}, row[3] = {1, 0.4, 0.2}, held[3] = {0.5, -1, 0.3},
               v[3] = {-1, -0.5, 0}, E[1] = {1};
  crd_contact_problem *problem =
      make_problem(&(problem_def){.nv = 3, .nc = 1, .nb = 1, .M = M, .v = v, .contact = row, .bilateral = held});
  crd_restitution r;
  crd_restitution_verdict verdict;
  assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
  assert_int_equal(crd_analysis_restitution_check(&verdict, &r, E, &arena), CRD_OK);
  assert_false(verdict.printed_holds);
  assert_true(verdict.restricted_holds && fabs(verdict.gain_any) < 1e-12 && fabs(verdict.worst.gain) < 1e-12);
  crd_contact_problem_free(problem);
}

/* Two contacts with kinetic angle cosine -a: |e_i| <= 1 and a e1 e2 - a + sqrt((1 - e1^2)(1 - e2^2)) >= 0 (C-19). M is
 * the inverse of G = [1 a; a 1] and the rows are the axes. */
static void two_contacts_follow_the_closed_form(void **state) {
  (void)state;
  random_stream stream = {.seed = 5};
  const double rows[4] = {1, 0, 0, 1}, v[2] = {-1, -1};
  for (int trial = 0; trial < 500; trial++) {
    double a = random_in(&stream, -0.95, 0.95), e[2] = {random_in(&stream, 0, 1), random_in(&stream, 0, 1)}, E[4];
    const double det = 1 - a * a, M[4] = {1 / det, -a / det, -a / det, 1 / det};
    crd_contact_problem *problem = make_problem(&(problem_def){.nv = 2, .nc = 2, .M = M, .v = v, .contact = rows});
    crd_restitution r;
    crd_worst_velocity worst;
    crd_arena_reset(&arena);
    diagonal(2, e, E);
    assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
    assert_int_equal(crd_analysis_restitution_worst(&worst, &r, E, 100, &arena), CRD_OK);
    double form = a * e[0] * e[1] - a + sqrt((1 - e[0] * e[0]) * (1 - e[1] * e[1]));
    if (fabs(form) > 1e-9) assert_int_equal(worst.gain <= 0, form >= 0);
    crd_contact_problem_free(problem);
  }
}

/* Three equal balls, E = diag(1, 0): (55) fails with 0.138 but no approaching velocity gains. */
static void three_balls_with_one_elastic_contact_are_consistent(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, rows[6] = {-1, 1, 0, 0, -1, 1}, v[3] = {1, 0, 0},
               E[4] = {1, 0, 0, 0};
  crd_contact_problem *problem = make_problem(&(problem_def){.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows});
  crd_restitution r;
  crd_restitution_verdict verdict;
  double low, high;
  assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
  assert_int_equal(crd_analysis_restitution_check(&verdict, &r, E, &arena), CRD_OK);
  assert_true(fabs(verdict.printed - 0.1380711874576984) < 1e-12); /* (sqrt(2) - 1)/3 */
  assert_true(fabs(verdict.worst.gain) < 1e-12);
  assert_int_equal(crd_analysis_restitution_interval(&r, E, 1, CRD_LMI_APPROACHING, &low, &high, &arena), CRD_OK);
  assert_true(low == 0 && high == 1);
  crd_contact_problem_free(problem);
}

static void the_semidefinite_solver_agrees_with_bisection(void **state) {
  (void)state;
  if (!crd_analysis_has_sdp()) skip();
  lmi_agreement(17, 60, &arena);
}

static void a_verdict_is_never_contradicted(void **state) {
  (void)state;
  consistency_campaign(23, 400, 40, &arena);
}

static void a_search_that_is_cut_short_says_so_and_bounds_the_truth(void **state) {
  (void)state;
  random_stream stream = {.seed = 8};
  int cut = 0;
  for (int trial = 0; trial < 40; trial++) {
    crd_contact_problem *problem = random_problem(&stream, (random_problem_options){.nv = 12, .nc = 9});
    double E[81] = {0};
    crd_restitution r;
    crd_worst_velocity full, part;
    crd_arena_reset(&arena);
    for (int i = 0; i < 9; i++) E[i * 9 + i] = random_in(&stream, 0, 1);
    assert_int_equal(crd_analysis_restitution_form(&r, problem, &arena), CRD_OK);
    assert_int_equal(crd_analysis_restitution_worst(&full, &r, E, 100000, &arena), CRD_OK);
    assert_int_equal(crd_analysis_restitution_worst(&part, &r, E, 5, &arena), CRD_OK);
    assert_int_equal(full.status, CRD_OK);
    assert_true(part.gain <= full.gain + 1e-12 && part.bound >= full.gain - 1e-12);
    cut += part.status == CRD_UNKNOWN;
    crd_contact_problem_free(problem);
  }
  assert_true(cut > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_file_is_reproduced),
      cmocka_unit_test(a_row_written_twice_does_not_spoil_the_verdict),
      cmocka_unit_test(a_bilateral_row_does_not_spoil_the_verdict),
      cmocka_unit_test(two_contacts_follow_the_closed_form),
      cmocka_unit_test(three_balls_with_one_elastic_contact_are_consistent),
      cmocka_unit_test(the_semidefinite_solver_agrees_with_bisection),
      cmocka_unit_test(a_verdict_is_never_contradicted),
      cmocka_unit_test(a_search_that_is_cut_short_says_so_and_bounds_the_truth),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
