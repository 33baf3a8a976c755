/* Laws routh and wang-mason with several contacts and restitution against closed forms. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const crd_impact_solution *resolve(const char *law, const crd_contact_problem *p, const double *rate,
                                          crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  options.rate = rate;
  crd_status status = crd_impact_resolve(crd_impact_find(law), p, &options, result);
  if (status != CRD_OK) fail_msg("%s: %s", law, crd_status_text(status));
  return &result->solution[0];
}

/* At equal rates the balls behind the first move as one mass n - 1: v+ of the first is 1 - (1 + e) (n - 1) / n, of the
 * others (1 + e) / n. */
static void at_equal_rates_the_row_moves_as_one(void **state) {
  (void)state;
  const char *law[2] = {"routh", "wang-mason"};
  crd_impact_result result = {0};
  for (int l = 0; l < 2; l++)
    for (int n = 3; n <= 6; n++) {
      double e = 0.25 * (n - 2);
      crd_contact_problem *p = row_of_balls(n, NULL, NULL, e);
      const crd_impact_solution *s = resolve(law[l], p, NULL, &result);
      assert_true(fabs(s->v_plus[0] - (1 - (1 + e) * (n - 1) / n)) < 1e-12);
      for (int i = 1; i < n; i++) assert_true(fabs(s->v_plus[i] - (1 + e) / n) < 1e-12);
      crd_contact_problem_free(p);
    }
  crd_impact_result_free(&result);
}

/* Three balls, e = 1, rates 1 and r < 1/2. W = [2 -1; -1 2]. While contact 1 presses u_1' = 2 - r, u_2' = -1 + 2 r: it
 * ends after 2 / (2 - r) with u_1 = 1 and u_2 = -(2 - 4 r) / (2 - r), contact 2 having stored
 * r (2 - 4 r) / (2 - r)^2. Contact 2 alone returns that and u_2^2 / 4, so that u_2+ = 2 sqrt(1 - 2 r) / (2 - r), and takes
 * half the change of u_2 from u_1. */
static void three_balls_with_rates_of_their_own(void **state) {
  (void)state;
  crd_contact_problem *p = row_of_balls(3, NULL, NULL, 1);
  crd_impact_result result = {0};
  for (int k = 1; k <= 4; k++) {
    double r = 0.1 * k, rate[2] = {1, r}, root = sqrt(1 - 2 * r);
    const crd_impact_solution *s = resolve("routh", p, rate, &result);
    assert_true(fabs(s->u_plus[0] - (1 - (root + 1 - 2 * r) / (2 - r))) < 1e-12);
    assert_true(fabs(s->u_plus[1] - 2 * root / (2 - r)) < 1e-12);
    assert_true(fabs(s->kinetic_after - 0.5) < 1e-12);
    /* Poisson's end doubles the impulse of compression, 1 / (2 - r) at contact 2: u_2+ = 2 / (2 - r), u_1+ = r / (2 -
     * r), and energy is gained */
    s = resolve("wang-mason", p, rate, &result);
    assert_true(fabs(s->u_plus[0] - r / (2 - r)) < 1e-12 && fabs(s->u_plus[1] - 2 / (2 - r)) < 1e-12);
    assert_true(s->check.gains_energy);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* Rates that fall by a million from contact to contact: pair after pair, one ball leaves. */
static void rates_far_apart_strike_pair_after_pair(void **state) {
  (void)state;
  const double rate[4] = {1, 1e-6, 1e-12, 1e-18};
  crd_contact_problem *p = row_of_balls(5, NULL, NULL, 1);
  crd_impact_result result = {0};
  const crd_impact_solution *s = resolve("routh", p, rate, &result);
  for (int i = 0; i < 5; i++) assert_true(fabs(s->v_plus[i] - (i == 4)) < 1e-5);
  assert_true(fabs(s->kinetic_after - 0.5) < 1e-12);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* Two contacts on bodies of their own, W = [1 0.8; 0.8 1] each, u = (-1, -0.42), mu = 0.3. Sliding stops after p1 =
 * 0.42 / 1.1 and then goes the other way (test_routh_single.c); compression ends with p_c = p1 + p2, u_n' = 0.76 from
 * there on. Stronge: the work -p1^2 1.24 / 2 ... comes back by e^2, with u_n from 0 at the rate 0.76; Poisson: e p_c. */
static void contacts_apart_are_single_contacts(void **state) {
  (void)state;
  const double det = 0.36, mu = 0.3, u0[2] = {-1, -0.42}, e = 0.5;
  double M[16] = {0}, v[4], rows[16] = {0};
  for (int b = 0; b < 2; b++) {
    M[10 * b] = M[10 * b + 5] = 1 / det, M[10 * b + 1] = M[10 * b + 4] = -0.8 / det;
    for (int i = 0; i < 2; i++) v[2 * b + i] = u0[i] * (b + 1), rows[5 * (2 * b + i)] = 1;
  }
  crd_contact_problem *p =
      make_problem(&(problem_def){.nv = 4, .nc = 2, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = mu, .e = e});
  double p1 = 0.42 / 1.1, un = -1 + 1.24 * p1, p2 = -un / 0.76;
  double work = -p1 + 0.62 * p1 * p1 - 0.5 * un * un / 0.76; /* of compression */
  double stronge = sqrt(-2 * e * e * work / 0.76), poisson = e * (p1 + p2);
  crd_impact_result result = {0};
  for (int l = 0; l < 2; l++) {
    const crd_impact_solution *s = resolve(l ? "wang-mason" : "routh", p, NULL, &result);
    double back = p2 + (l ? poisson : stronge);
    for (int b = 0; b < 2; b++) {
      assert_true(fabs(s->p[2 * b] - (b + 1) * (p1 + back)) < 1e-12);
      assert_true(fabs(s->p[2 * b + 1] - (b + 1) * mu * (p1 - back)) < 1e-12);
    }
  }
  /* and one of them alone */
  for (int l = 0; l < 2; l++) {
    const double one_M[4] = {1 / det, -0.8 / det, -0.8 / det, 1 / det}, one_rows[4] = {1, 0, 0, 1};
    crd_contact_problem *one = make_problem(
        &(problem_def){.nv = 2, .nc = 1, .ntangent = 1, .M = one_M, .v = u0, .contact = one_rows, .mu = mu, .e = e});
    const crd_impact_solution *s = resolve(l ? "wang-mason" : "routh", one, NULL, &result);
    double back = p2 + (l ? poisson : stronge);
    assert_true(fabs(s->p[0] - (p1 + back)) < 1e-12 && fabs(s->p[1] - mu * (p1 - back)) < 1e-12);
    crd_contact_problem_free(one);
  }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_equal_rates_the_row_moves_as_one),
      cmocka_unit_test(three_balls_with_rates_of_their_own),
      cmocka_unit_test(rates_far_apart_strike_pair_after_pair),
      cmocka_unit_test(contacts_apart_are_single_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
