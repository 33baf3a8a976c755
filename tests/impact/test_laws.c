/* Claims about all laws at once: those that promise dissipation keep it over random problems; a single frictionless
 * contact is the same under every law; Newton's cradle; the verifier sees what is wrong with an answer. */
#include <cradle/impact.h>
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "support/cmocka_all.h"
#include "support/impact_problem.h"
#include "support/law_campaign.h"

static void laws_that_promise_dissipation_keep_it(void **state) {
  (void)state;
  assert_true(laws_keep_their_promises(1, 300, 4) > 1000);
}

/* One frictionless contact: all laws of restitution agree, p = -(1 + e) u / W; the inelastic ones give e = 0. */
static void a_single_frictionless_contact_is_the_same_under_every_law(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (uint64_t seed = 1; seed <= 200; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p = random_problem(&stream, (random_problem_options){.nv = 1 + (int)(seed % 7), .nc = 1});
    crd_impact_options options = crd_impact_default();
    options.e = 0.6;
    double plastic = -p->u[0] / p->W[0];
    for (int i = 0; crd_impact_law_at(i); i++) {
      const crd_impact_law *law = crd_impact_law_at(i);
      bool inelastic = strcmp(law->name, "anitescu-potra") == 0;
      if (crd_impact_resolve(law, p, &options, &result) != CRD_OK)
        fail_msg("%s: %s", law->name, crd_status_text(result.status));
      assert_int_equal(result.count, 1);
      if (fabs(result.solution[0].p[0] - (inelastic ? 1 : 1.6) * plastic) > 1e-10 * plastic)
        fail_msg("%s: %.15g, plastic impulse %.15g", law->name, result.solution[0].p[0], plastic);
      assert_true(result.solution[0].residual < 1e-9);
    }
    crd_contact_problem_free(p);
  }
  crd_impact_result_free(&result);
}

/* N equal balls in a row, the first coming with speed 1. */
static void balls(crd_contact_problem *p, int n, double e) {
  assert_int_equal(crd_contact_problem_resize(p, n, n - 1, n - 1, 0, true), CRD_OK);
  memset(p->J, 0, sizeof(double) * (size_t)((n - 1) * n));
  for (int i = 0; i < n * n; i++) p->M[i] = i % (n + 1) == 0;
  for (int i = 0; i < n; i++) p->v[i] = i == 0;
  for (int c = 0; c < n - 1; c++) {
    p->J[n * c + c] = -1, p->J[n * c + c + 1] = 1;
    p->contact[c] = (crd_contact){.name = "b", .row = c, .e = e, .body1 = -1, .body2 = -1};
  }
  assert_int_equal(crd_contact_problem_complete(p), CRD_OK);
}

/* Momentum is kept by every law; inelastic simultaneous laws end in common motion 1/n; with e = 1 the energy is kept by
 * the laws that know restitution. */
static void newtons_cradle_under_every_law(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  crd_impact_result result = {0};
  for (int n = 3; n <= 5; n += 2)
    for (int e = 0; e <= 1; e++) {
      balls(p, n, e);
      crd_impact_options options = crd_impact_default();
      for (int i = 0; crd_impact_law_at(i); i++) {
        const crd_impact_law *law = crd_impact_law_at(i);
        crd_status status = crd_impact_resolve(law, p, &options, &result);
        if (!strcmp(law->name, "stick-slip")) { /* a law of one contact */
          assert_int_equal(status, CRD_ERR_ARGUMENT);
          continue;
        }
        if (!strcmp(law->name, "sequential") && n == 5 && e == 0) { /* its collisions only converge */
          assert_int_equal(status, CRD_LIMIT);
          continue;
        }
        assert_int_equal(status, CRD_OK);
        for (int k = 0; k < result.count; k++) {
          double momentum = 0;
          for (int b = 0; b < n; b++) momentum += result.solution[k].v_plus[b];
          assert_true(fabs(momentum - 1) < 1e-12);
          if (e == 0 && strcmp(law->name, "sequential") != 0)
            for (int b = 0; b < n; b++)
              if (fabs(result.solution[k].v_plus[b] - 1.0 / n) > 1e-9) fail_msg("%s, ball %d", law->name, b);
        }
      }
      if (e == 0) continue;
      const char *elastic[2] = {"projection", "poisson"};
      for (int l = 0; l < 2; l++) {
        assert_int_equal(crd_impact_resolve(crd_impact_find(elastic[l]), p, &options, &result), CRD_OK);
        assert_true(fabs(result.solution[0].kinetic_after - 0.5) < 1e-12);
      }
    }
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

static void the_verifier_sees_what_is_wrong(void **state) {
  (void)state;
  crd_contact_problem *p = crd_contact_problem_new();
  crd_impact_options options = crd_impact_default();
  crd_impact_result result = {0};
  balls(p, 2, 0); /* W = 2, u = -1: p = 1/2 stops, p = 1 is elastic */
  crd_impact_solution *s = crd_impact_add(&result, p);
  s->p[0] = -0.5;
  crd_impact_complete(p, &options, s);
  assert_true(s->check.pulls && s->check.penetrates && s->check.gains_energy);
  s->p[0] = 0.25;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && s->check.penetrates && !s->check.gains_energy);
  s->p[0] = 1.5;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && !s->check.penetrates && s->check.gains_energy);
  assert_true(fabs(s->check.energy_gain - 1.5) < 1e-14); /* K: 0.5 -> 0.5 (0.25 + 2.25) = 1.25 */
  assert_true(fabs(s->work[0] - 0.75) < 1e-14);
  s->p[0] = 0.75;
  crd_impact_complete(p, &options, s);
  assert_true(!s->check.pulls && !s->check.penetrates && !s->check.gains_energy && s->check.momentum < 1e-15);
  crd_impact_result_free(&result);
  crd_contact_problem_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(laws_that_promise_dissipation_keep_it),
      cmocka_unit_test(a_single_frictionless_contact_is_the_same_under_every_law),
      cmocka_unit_test(newtons_cradle_under_every_law),
      cmocka_unit_test(the_verifier_sees_what_is_wrong),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
