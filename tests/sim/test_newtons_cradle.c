/* Newton's cradle: one ball in, one ball out; two in, two out; and the swing of the strings, under the law that strikes
 * pair after pair, beside the simultaneous ones. */
#include <cradle/impact.h>
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/example_problem.h"
#include "support/simulation.h"

static void resolve(const example_problem *example, const char *law, crd_impact_result *result) {
  crd_impact_options options = crd_impact_default();
  crd_status status = crd_impact_resolve(crd_impact_find(law), example->problem, &options, result);
  if (status != CRD_OK) fail_msg("%s: %s", law, crd_status_text(status));
}

static void one_in_one_out(void **state) {
  (void)state;
  crd_impact_result result = {0};
  for (int n = 2; n <= 8; n++) {
    char name[32];
    snprintf(name, sizeof name, "newtons-cradle:%d", n);
    example_problem example = example_problem_open(name);
    assert_int_equal(example.problem->nc, n - 1);
    resolve(&example, "sequential", &result);
    assert_int_equal(result.count, 1);
    for (int i = 0; i < n; i++) assert_true(fabs(result.solution[0].v_plus[i] - (i == n - 1)) < 1e-12);
    /* Simultaneous: the balls behind the first leave together, as one body of n - 1 masses. */
    const char *together[4] = {"newton", "moreau", "poisson", "routh"};
    for (int l = 0; l < 4; l++) {
      resolve(&example, together[l], &result);
      assert_true(fabs(result.solution[0].v_plus[0] - (2.0 / n - 1)) < 1e-9);
      for (int i = 1; i < n; i++) assert_true(fabs(result.solution[0].v_plus[i] - 2.0 / n) < 1e-9);
    }
    example_problem_close(&example);
  }
  crd_impact_result_free(&result);
}

/* Complete elliptic integral of the first kind, by the arithmetic-geometric mean. */
static double elliptic(double k) {
  double a = 1, b = sqrt(1 - k * k);
  for (int i = 0; i < 8; i++) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b), a = mean;
  }
  return acos(-1) / (2 * a);
}

/* Lifted by 30 degrees the first ball strikes after a quarter of the period of a pendulum with m (1 + 2/5 0.05^2) m^2,
 * the last one rises to 30 degrees within another quarter, and strikes after three. */
static void the_last_ball_rises_as_high_as_the_first_was(void **state) {
  (void)state;
  const double lift = acos(-1) / 6, quarter = elliptic(sin(lift / 2)) * sqrt((1 + 0.4 * 0.05 * 0.05) / 9.81);
  crd_sim_options options = crd_sim_default();
  options.law = crd_impact_find("sequential");
  simulation *s = simulation_from_example("@newtons-cradle:5", &options);
  double qpos[5] = {-lift};
  assert_int_equal(crd_sim_reset(s->sim, 0, qpos, NULL, NULL), CRD_OK);
  simulation_run(s, 2 * quarter);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - quarter) < 1e-6);
  for (int i = 0; i < 4; i++) assert_true(fabs(crd_sim_qpos(s->sim)[i]) < 1e-6);
  assert_true(fabs(crd_sim_qpos(s->sim)[4] - lift) < 1e-6);
  simulation_run(s, 4 * quarter);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 2);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 1)->t - 3 * quarter) < 1e-6);
  assert_true(fabs(crd_sim_qpos(s->sim)[0] + lift) < 1e-5 && fabs(crd_sim_qpos(s->sim)[4]) < 1e-5);
  simulation_free(s);
}

/* The two balls of the second state go out as two. */
static void two_in_two_out(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.law = crd_impact_find("sequential");
  simulation *s = simulation_from_example("@newtons-cradle:5", &options);
  assert_string_equal(s->model->key[1].name, "two");
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, s->model->key[1].qvel, NULL), CRD_OK);
  simulation_run(s, options.timestep > 0 ? options.timestep : 0.001);
  /* gravity takes g t^2 / (2 l) of 1 m/s in a step: 5e-6 for l = 1 m */
  for (int i = 0; i < 5; i++) assert_true(fabs(crd_sim_qvel(s->sim)[i] - (i >= 3)) < 1e-5);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_in_one_out),
      cmocka_unit_test(the_last_ball_rises_as_high_as_the_first_was),
      cmocka_unit_test(two_in_two_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
