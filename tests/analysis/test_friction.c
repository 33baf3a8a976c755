/* Claims: discriminator, critical friction, mu*, e* and the admissible set are those of the case files fric_*, agree
 * with closed forms, and (41) flags exactly the sticking impacts that gain energy. */
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

static void check_variant(const case_variant *variant) {
  crd_friction f;
  crd_arena_reset(&arena);
  crd_contact_problem *problem = case_problem(variant);
  assert_int_equal(crd_analysis_friction_form(&f, problem, 0, &arena), CRD_OK);
  int n = f.rows;
  case_check(variant, "v_minus", f.v, n);
  case_check(variant, "D", f.D, n * n);
  case_check(variant, "G", f.G, n * n);
  case_check(variant, "mu_cr", &f.mu_critical, 1);
  case_check(variant, "closed_form_mu_cr", &f.mu_critical, 1);
  if (case_has(variant->inputs, "mu_s")) {
    case_check(variant, "sigma", &f.sigma, 1);
    case_check(variant, "stick_impulse", f.stick, n);
    case_check(variant, "e_star", &f.e_star, 1);
    case_check(variant, "e_star_uniform", &f.e_star_uniform, 1);
    case_check(variant, "mu_star", &f.mu_star, 1);
    case_check_number(variant, "admissible_41", f.admissible);
    case_check_number(variant, "admissible_41_uniform", f.admissible_uniform);
    case_check(variant, "impulse", f.impulse, n);
    case_check(variant, "W", &f.work, 1);
    case_check(variant, "u", f.direction, n - 1);
    case_check(variant, "g", &f.g, 1);
    if (case_has(variant->outputs, "mode"))
      assert_string_equal(crd_analysis_friction_mode_name(f.mode),
                          json_string_value(json_object_get(variant->outputs, "mode")));
  } else if (case_has(variant->inputs, "E")) {
    case_check(variant, "impulse", f.stick, n);
  }
  crd_contact_problem_free(problem);
}

static void every_case_file_is_reproduced(void **state) {
  (void)state;
  for_case_variants("fric_", check_variant);
}

/* Erratum B-02: mu_cr(e) of Kane's configuration, which is not monotone, and e* in closed form. */
static void check_kane(const case_variant *variant) {
  crd_friction f;
  const double e[5] = {0, 0.3, 0.5, 0.7, 1}, expected[5] = {INFINITY, 0.2238, 0.4306, 0.5146, 0.5576};
  crd_arena_reset(&arena);
  crd_contact_problem *problem = case_problem(variant);
  assert_int_equal(crd_analysis_friction_form(&f, problem, 0, &arena), CRD_OK);
  for (int i = 0; i < 5; i++) {
    double found = crd_analysis_friction_critical(&f, e[i]);
    assert_true(found == expected[i] || fabs(found - expected[i]) < 5e-5);
  }
  crd_contact_problem_free(problem);
}

static void the_critical_friction_of_kane_is_that_of_the_errata(void **state) {
  (void)state;
  for_case_variants("fric_03", check_kane);
}

/* In the sticking region (41) with (30) is exact (B-11): flagged where the impact gains energy, and only there. */
static void sticking_impacts_are_flagged_where_they_gain_energy(void **state) {
  (void)state;
  random_stream stream = {.seed = 3};
  int stick = 0, gain = 0;
  for (int trial = 0; trial < 3000; trial++) {
    crd_contact_problem *problem = random_problem(
        &stream, (random_problem_options){.nv = 4, .nc = 1, .ntangent = 1 + trial % 2, .nb = trial % 3 == 0});
    crd_friction f;
    crd_arena_reset(&arena);
    problem->contact[0].e = random_in(&stream, 0, 1);
    problem->contact[0].e_t = trial % 5 == 0 ? random_in(&stream, -0.5, 0.5) : 0;
    problem->contact[0].mu = problem->contact[0].mu_static = random_in(&stream, 0, 2);
    assert_int_equal(crd_analysis_friction_form(&f, problem, 0, &arena), CRD_OK);
    if (f.mode == CRD_FRICTION_STICK && fabs(f.work) > 1e-9) {
      assert_int_equal(f.admissible, f.work < 0);
      stick++, gain += f.work > 0;
      if (f.admissible_uniform) assert_true(f.work < 0);
    }
    if (f.mode == CRD_FRICTION_SLIP) assert_true(f.g > 0 && f.work < 1e-12);
    assert_int_equal(f.mode == CRD_FRICTION_STICK, f.mode != CRD_FRICTION_NONE && f.mu_static >= f.mu_critical);
    assert_int_equal(crd_analysis_friction_admissible(&f, f.e, f.mu), f.admissible);
    crd_contact_problem_free(problem);
  }
  assert_true(stick > 300 && gain > 30);
}

/* Where mu < mu* no direction of slip makes g negative (38), (39). */
static void friction_below_mu_star_can_always_be_overcome(void **state) {
  (void)state;
  random_stream stream = {.seed = 9};
  for (int trial = 0; trial < 500; trial++) {
    crd_contact_problem *problem = random_problem(&stream, (random_problem_options){.nv = 5, .nc = 1, .ntangent = 2});
    crd_friction f;
    double least = INFINITY;
    crd_arena_reset(&arena);
    assert_int_equal(crd_analysis_friction_form(&f, problem, 0, &arena), CRD_OK);
    for (int k = 0; k < 360; k++) {
      double angle = k * acos(-1) / 180;
      least = fmin(least, f.D[0] - f.mu_star * (f.D[1] * cos(angle) + f.D[2] * sin(angle)));
    }
    assert_true(least > -1e-12 * f.D[0] && least < 1e-3 * f.D[0]);
    crd_contact_problem_free(problem);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_case_file_is_reproduced),
      cmocka_unit_test(the_critical_friction_of_kane_is_that_of_the_errata),
      cmocka_unit_test(sticking_impacts_are_flagged_where_they_gain_energy),
      cmocka_unit_test(friction_below_mu_star_can_always_be_overcome),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
