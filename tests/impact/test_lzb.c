/* Law lzb against closed forms: energy distributed between the contacts of a row of balls. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const crd_impact_solution *resolve(const crd_contact_problem *p, double exponent, const double *stiffness,
                                          crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  options.exponent = exponent, options.stiffness = stiffness;
  crd_status status = crd_impact_resolve(crd_impact_find("lzb"), p, &options, result);
  if (status != CRD_OK) fail_msg("lzb: %s", crd_status_text(status));
  return &result->solution[0];
}

/* Three balls and equal springs, e = 1. With unit stiffness the indentations are (s + d) / 2 and (s - d) / 2,
 * s = sin t, d = sin(sqrt 3 t) / sqrt 3 (eigenvalues 1 and 3 of W). Contact 1 opens where its indentation is zero again;
 * contact 2 then returns what it has: u_2+^2 = u_2^2 + 2 d_2^2, and half of its change comes from u_1. */
static void three_balls_with_equal_springs(void **state) {
  (void)state;
  const double w = sqrt(3);
  double low = 1.5, high = 3.1; /* the indentation is positive at the first and negative at the second */
  for (int k = 0; k < 60; k++) {
    double t = 0.5 * (low + high);
    if (sin(t) + sin(w * t) / w > 0)
      low = t;
    else
      high = t;
  }
  double t = low, u1 = -0.5 * (cos(t) + cos(w * t)), u2 = -0.5 * (cos(t) - cos(w * t)),
         d2 = 0.5 * (sin(t) - sin(w * t) / w), last = sqrt(u2 * u2 + 2 * d2 * d2);
  u1 -= 0.5 * (last - u2), u2 = last;
  crd_contact_problem *p = row_of_balls(3, NULL, NULL, 1);
  crd_impact_result result = {0};
  const crd_impact_solution *s = resolve(p, 1, NULL, &result);
  assert_true(u1 > 0 && fabs(s->u_plus[0] - u1) < 1e-10 && fabs(s->u_plus[1] - u2) < 1e-10);
  assert_true(fabs(s->kinetic_after - 0.5) < 1e-11);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* Balls that touch in a point, k d^(3/2), e = 1: velocities of the same springs as a system of second order, by the
 * classical Runge-Kutta method with a step of 5e-4 (computed outside this code). */
static void hertz_contacts_of_three_and_five_balls(void **state) {
  (void)state;
  static const double three[3] = {-0.0709523536, 0.0764030390, 0.9945493146};
  static const double five[5] = {-0.0710850171, -0.0302737641, -0.0144636290, 0.1270449861, 0.9887774242};
  crd_impact_result result = {0};
  for (int n = 3; n <= 5; n += 2) {
    crd_contact_problem *p = row_of_balls(n, NULL, NULL, 1);
    const crd_impact_solution *s = resolve(p, 1.5, NULL, &result);
    for (int i = 0; i < n; i++) assert_true(fabs(s->v_plus[i] - (n == 3 ? three[i] : five[i])) < 1e-9);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* A contact far softer than the one before is struck after it: one ball leaves. One far stiffer makes a single body of
 * the balls behind it: (-1/3, 2/3, 2/3). */
static void the_order_of_stiffness_spans_sequential_and_simultaneous(void **state) {
  (void)state;
  crd_contact_problem *p = row_of_balls(3, NULL, NULL, 1);
  crd_impact_result result = {0};
  const double softer[2] = {1, 1e-8}, stiffer[2] = {1e-6, 1};
  const double one_out[3] = {0, 0, 1}, together[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
  const crd_impact_solution *s = resolve(p, 1, softer, &result);
  for (int i = 0; i < 3; i++) assert_true(fabs(s->v_plus[i] - one_out[i]) < 1e-3);
  s = resolve(p, 1, stiffer, &result);
  for (int i = 0; i < 3; i++) assert_true(fabs(s->v_plus[i] - together[i]) < 2e-3);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

/* One contact is Newton's, whatever the exponent; a row without restitution ends in common motion. */
static void the_ends_of_the_law(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (int k = 0; k <= 4; k++) {
    double e = 0.25 * k;
    crd_contact_problem *p = row_of_balls(2, NULL, NULL, e);
    const crd_impact_solution *s = resolve(p, k % 2 ? 1 : 1.5, NULL, &result);
    if (fabs(s->u_plus[0] - e) > 1e-11) fail_msg("e = %g: %.15g", e, s->u_plus[0]);
    crd_contact_problem_free(p);
  }
  for (int n = 3; n <= 6; n++) {
    crd_contact_problem *p = row_of_balls(n, NULL, NULL, 0);
    const crd_impact_solution *s = resolve(p, 1.5, NULL, &result);
    for (int i = 0; i < n; i++) assert_true(fabs(s->v_plus[i] - 1.0 / n) < 1e-9);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* Without restitution the answer is the limit of small restitution, to the order of e. */
static void no_restitution_is_the_limit_of_little(void **state) {
  (void)state;
  crd_impact_result none = {0}, little = {0};
  for (uint64_t seed = 1; seed <= 40; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = 6, .nc = 2 + (int)(seed % 3)});
    crd_impact_options options = crd_impact_default();
    options.e = 0;
    assert_int_equal(crd_impact_resolve(crd_impact_find("lzb"), p, &options, &none), CRD_OK);
    options.e = 0.003;
    assert_int_equal(crd_impact_resolve(crd_impact_find("lzb"), p, &options, &little), CRD_OK);
    for (int c = 0; c < p->nc; c++) {
      double off = fabs(none.solution[0].u_plus[c] - little.solution[0].u_plus[c]);
      if (off > 0.02 * (1 + fabs(p->u[c]))) fail_msg("seed %d: off by %g", (int)seed, off);
    }
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&none), crd_impact_result_free(&little);
}

/* Rebounds that come ever faster, which e = 0 at some contacts brings about, end too: nothing approaches, nothing is
 * gained. */
static void every_random_impact_ends(void **state) {
  (void)state;
  random_stream stream = {.seed = 5};
  crd_impact_result result = {0};
  for (int k = 0; k < 600; k++) {
    random_problem_options o = {.nc = random_int(&stream, 1, 4), .nv = random_int(&stream, 1, 6)};
    o.redundant = random_in(&stream, 0, 1) < 0.25;
    crd_contact_problem *p = random_problem(&stream, o);
    for (int c = 0; c < p->nc; c++) p->contact[c].e = random_int(&stream, 0, 3) ? random_in(&stream, 0, 1) : 0;
    resolve_with("lzb", p, &result);
    const crd_impact_check *check = &result.solution[0].check;
    assert_false(check->penetrates || check->pulls || check->gains_energy);
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_balls_with_equal_springs),
      cmocka_unit_test(hertz_contacts_of_three_and_five_balls),
      cmocka_unit_test(the_order_of_stiffness_spans_sequential_and_simultaneous),
      cmocka_unit_test(the_ends_of_the_law),
      cmocka_unit_test(no_restitution_is_the_limit_of_little),
      cmocka_unit_test(every_random_impact_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
