/* Law fremond against closed forms: percussions that depend on the mean velocity. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/impact_problem.h"

static const crd_impact_solution *resolve(const problem_def *def, const double *e, crd_contact_problem **problem,
                                          crd_impact_result *result) {
  *problem = make_problem(def);
  for (int c = 0; e && c < def->nc; c++) (*problem)->contact[c].e = e[c];
  resolve_with("fremond", *problem, result);
  assert_true(result->solution[0].residual < 1e-12);
  return &result->solution[0];
}

/* A contact alone returns e of its approach; its friction opposes the mean sliding. A ball with W_nn = 1, W_tt = 7/2
 * that slides through has p_t = -mu (1 + e) vz; one whose mean sliding friction can stop has U_t = 0: p_t = -2 vx / 3.5,
 * and rolls back as fast as it came. */
static void a_ball_alone(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 0.4}, rows[6] = {0, 1, 0, 1, 0, 1};
  crd_impact_result result = {0};
  crd_contact_problem *problem;
  for (int k = 0; k < 2; k++) {
    const double v[3] = {k ? 0.2 : 2, -1, 0};
    problem_def def = {.nv = 3, .nc = 1, .ntangent = 1, .M = M, .v = v, .contact = rows, .mu = 0.2, .e = 0.5};
    const crd_impact_solution *s = resolve(&def, NULL, &problem, &result);
    assert_true(fabs(s->p[0] - 1.5) < 1e-13);
    assert_true(fabs(s->p[1] - (k ? -0.4 / 3.5 : -0.3)) < 1e-13);
    if (k) assert_true(fabs(s->u_plus[1] + 0.2) < 1e-13);
    crd_contact_problem_free(problem);
  }
  crd_impact_result_free(&result);
}

/* Three balls, W = [2 -1; -1 2], u = (-1, 0). U = u + W p / 2 and C_i = (1 - e_i) / (1 + e_i):
 *   (1 + C_1) p_1 - p_2 / 2 = 1,   -p_1 / 2 + (1 + C_2) p_2 = 0,
 * as long as nothing approaches afterwards. */
static void three_balls_with_coefficients_of_their_own(void **state) {
  (void)state;
  const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v[3] = {1, 0, 0}, rows[6] = {-1, 1, 0, 0, -1, 1};
  const problem_def def = {.nv = 3, .nc = 2, .M = M, .v = v, .contact = rows};
  crd_impact_result result = {0};
  crd_contact_problem *problem;
  const double elastic[2] = {1, 1}, mixed[2] = {0.5, 1}, none[2] = {0, 0};
  const crd_impact_solution *s = resolve(&def, elastic, &problem, &result);
  /* C = 0: p = (4/3, 2/3), u+ = -u, Newton's answer */
  assert_true(fabs(s->p[0] - 4.0 / 3) < 1e-13 && fabs(s->p[1] - 2.0 / 3) < 1e-13);
  crd_contact_problem_free(problem);
  /* C = (1/3, 0): p_2 = p_1 / 2, p_1 (4/3 - 1/4) = 1, u+ = (5/13, 0) */
  s = resolve(&def, mixed, &problem, &result);
  assert_true(fabs(s->p[0] - 12.0 / 13) < 1e-13 && fabs(s->p[1] - 6.0 / 13) < 1e-13);
  assert_true(fabs(s->u_plus[0] - 5.0 / 13) < 1e-13);
  crd_contact_problem_free(problem);
  /* C = (1, 1): viscous percussions alone, (8/15, 2/15), would leave both approaching, u+ = (-1/15, -4/15); reactions
   * 1/6 and 1/3 stop them: common motion 1/3, p = (2/3, 1/3) */
  s = resolve(&def, none, &problem, &result);
  for (int i = 0; i < 3; i++) assert_true(fabs(s->v_plus[i] - 1.0 / 3) < 1e-13);
  crd_contact_problem_free(problem);
  crd_impact_result_free(&result);
}

/* Different coefficients and friction: where Newton's law may gain energy this one does not. */
static void no_energy_is_gained_whatever_the_coefficients(void **state) {
  (void)state;
  crd_impact_result result = {0};
  int newton_gains = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    random_stream stream = {.seed = seed};
    crd_contact_problem *p =
        random_problem(&stream, (random_problem_options){.nv = 6, .nc = 2 + (int)(seed % 2), .ntangent = 1});
    for (int c = 0; c < p->nc; c++) {
      p->contact[c].e = random_in(&stream, 0, 1);
      p->contact[c].mu = p->contact[c].mu_static = random_in(&stream, 0, 1.5);
    }
    resolve_with("fremond", p, &result);
    assert_true(result.solution[0].residual < 1e-9);
    assert_true(result.solution[0].check.energy_gain < 1e-12);
    crd_impact_options options = crd_impact_default();
    crd_impact_resolve(crd_impact_find("newton"), p, &options, &result);
    for (int k = 0; k < result.count; k++) newton_gains += result.solution[k].check.gains_energy;
    crd_contact_problem_free(p);
  }
  assert_true(newton_gains > 0);
  crd_impact_result_free(&result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_alone),
      cmocka_unit_test(three_balls_with_coefficients_of_their_own),
      cmocka_unit_test(no_energy_is_gained_whatever_the_coefficients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
