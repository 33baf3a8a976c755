/* Law sequential with restitution against closed forms: rows of balls, pair by pair. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

enum { MOST = 8 };

/* Equal balls with e = 1 exchange velocities, so the row sorts them: k balls in, k balls out, in every order. */
static void as_many_balls_leave_as_came(void **state) {
  (void)state;
  const double mass[MOST] = {1, 1, 1, 1, 1, 1, 1, 1};
  crd_impact_result result = {0};
  for (int n = 2; n <= MOST; n++)
    for (int k = 1; k < n; k++) {
      double v[MOST] = {0};
      for (int i = 0; i < k; i++) v[i] = 1;
      crd_contact_problem *problem = row_of_balls(n, mass, v, 1);
      resolve_with("sequential", problem, &result);
      assert_int_equal(result.count, 1); /* all orders lead there */
      for (int i = 0; i < n; i++) assert_true(fabs(result.solution[0].v_plus[i] - (i >= n - k)) < 1e-14);
      assert_true(result.solution[0].residual < 1e-14);
      crd_contact_problem_free(problem);
    }
  crd_impact_result_free(&result);
}

/* Masses 1, 2, 1 with e = 1: the first impact leaves (-1/3, 2/3, 0), the second (-1/3, 2/9, 8/9), and nothing
 * approaches. */
static void a_heavy_ball_between_two_light_ones(void **state) {
  (void)state;
  const double mass[3] = {1, 2, 1}, v[3] = {1, 0, 0}, expected[3] = {-1.0 / 3, 2.0 / 9, 8.0 / 9};
  crd_contact_problem *problem = row_of_balls(3, mass, v, 1);
  crd_impact_result result = {0};
  resolve_with("sequential", problem, &result);
  assert_int_equal(result.count, 1);
  for (int i = 0; i < 3; i++) assert_true(fabs(result.solution[0].v_plus[i] - expected[i]) < 1e-14);
  assert_string_equal(result.solution[0].label, "1, 2");
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* Masses 1, 1/2, 1/4 falling in value, e = 1/2: pairs (m, m/2) give the front ball (1 + e) / (1 + 1/2) = 1 of what came
 * and the rear one 1 - (1 + e) / 3 = 1/2: (1/2, 1, 0), then (1/2, 1/2, 1): done, the first two with the same velocity. */
static void masses_that_halve_pass_the_velocity_on(void **state) {
  (void)state;
  const double mass[3] = {1, 0.5, 0.25}, v[3] = {1, 0, 0}, expected[3] = {0.5, 0.5, 1};
  crd_contact_problem *problem = row_of_balls(3, mass, v, 0.5);
  crd_impact_result result = {0};
  resolve_with("sequential", problem, &result);
  for (int i = 0; i < 3; i++) assert_true(fabs(result.solution[0].v_plus[i] - expected[i]) < 1e-14);
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* Equal balls with e = 0.9 do not end after two impacts: the first catches up again and again, each time with less.
 * The answer is bounded work, keeps momentum, takes energy, and leaves nothing approaching. */
static void imperfect_balls_end_after_many_impacts(void **state) {
  (void)state;
  const double mass[5] = {1, 1, 1, 1, 1}, v[5] = {1, 0, 0, 0, 0};
  crd_contact_problem *problem = row_of_balls(5, mass, v, 0.9);
  crd_impact_result result = {0};
  resolve_with("sequential", problem, &result);
  assert_true(result.count >= 1);
  for (int k = 0; k < result.count; k++) {
    const crd_impact_solution *s = &result.solution[k];
    double momentum = 0;
    for (int i = 0; i < 5; i++) momentum += s->v_plus[i];
    assert_true(fabs(momentum - 1) < 1e-13);
    assert_true(s->kinetic_after < 0.5 && !s->check.penetrates && !s->check.pulls);
    /* the last ball had one impact from a row that passed the velocity on four times, ((1 + e) / 2)^4, or more */
    assert_true(s->v_plus[4] >= pow(0.95, 4) - 1e-14);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

/* Without restitution five balls do not come to a common velocity in 100 impacts of pairs: a verdict, not an answer. */
static void a_sequence_without_end_is_a_verdict(void **state) {
  (void)state;
  const double mass[5] = {1, 1, 1, 1, 1}, v[5] = {1, 0, 0, 0, 0};
  crd_contact_problem *problem = row_of_balls(5, mass, v, 0);
  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  options.max_impacts = 20;
  assert_int_equal(crd_impact_resolve(crd_impact_find("sequential"), problem, &options, &result), CRD_LIMIT);
  assert_int_equal(result.count, 0);
  assert_true(has_note(&result, "still approaches after 20 impacts"));
  crd_impact_result_free(&result);
  crd_contact_problem_free(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_many_balls_leave_as_came),
      cmocka_unit_test(a_heavy_ball_between_two_light_ones),
      cmocka_unit_test(masses_that_halve_pass_the_velocity_on),
      cmocka_unit_test(imperfect_balls_end_after_many_impacts),
      cmocka_unit_test(a_sequence_without_end_is_a_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
