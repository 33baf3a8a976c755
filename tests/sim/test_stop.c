/* A step can be stopped: it leaves the state as it was, is asked often enough, and the run goes on as if nothing had been.
 * Event-driven phases go on over steps where it is known when the control changes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

/* Counts down to a stop; measures the processor time between two questions. */
typedef struct watch {
  long left; /* questions until it stops, and stays so; negative: never */
  long asked;
  clock_t last;
  double longest; /* s */
} watch;

static bool ask(void *context) {
  watch *w = context;
  clock_t now = clock();
  if (w->asked++ > 0) w->longest = fmax(w->longest, (double)(now - w->last) / CLOCKS_PER_SEC);
  w->last = now;
  if (w->left > 0) w->left--;
  return w->left == 0;
}

/* n^3 balls above a floor, in rows that touch when they land. */
static simulation *balls(int n, const crd_sim_options *options) {
  static char text[60000];
  char *to = text;
  to += sprintf(to, "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < n * n * n; i++)
    to +=
        sprintf(to, "<body pos='%g %g %g'><freejoint/><geom size='0.1' mass='1' friction='0.5 0 0'/></body>",
                0.22 * (i % n) + 0.013 * (i / n % 3), 0.23 * (i / n % n) + 0.007 * (i % 2), 0.11 + 0.23 * (i / n / n));
  sprintf(to, "</worldbody></mujoco>");
  return simulation_from_text(text, options);
}

static void a_stopped_step_leaves_the_state_and_the_run_goes_on_with_the_same_bits(void **state) {
  (void)state;
  const crd_sim_integrator integrator[] = {CRD_SIM_RK4, CRD_SIM_MOREAU};
  for (int k = 0; k < 2; k++) {
    watch w = {.left = -1};
    crd_sim_options options = crd_sim_default();
    options.integrator = integrator[k];
    simulation *plain = balls(2, &options);
    options.stop = ask, options.stop_context = &w;
    simulation *s = balls(2, &options);
    simulation_run(plain, 0.3);
    for (int stops = 0; crd_sim_time(s->sim) < 0.3 - 1e-9;) {
      double t = crd_sim_time(s->sim), q[56], v[48];
      memcpy(q, crd_sim_qpos(s->sim), sizeof q), memcpy(v, crd_sim_qvel(s->sim), sizeof v);
      w.left = 1 + stops++ % 7;
      crd_status status = crd_sim_step(s->sim);
      w.left = -1;
      if (status == CRD_OK) continue;
      assert_int_equal(status, CRD_STOPPED);
      assert_true(crd_sim_time(s->sim) == t);
      assert_memory_equal(q, crd_sim_qpos(s->sim), sizeof q);
      assert_memory_equal(v, crd_sim_qvel(s->sim), sizeof v);
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    }
    assert_true(simulation_count(plain, CRD_EVENT_IMPACT) + simulation_count(plain, CRD_EVENT_LIMIT) > 0 || k == 1);
    assert_memory_equal(crd_sim_qpos(plain->sim), crd_sim_qpos(s->sim), 56 * sizeof(double));
    assert_memory_equal(crd_sim_qvel(plain->sim), crd_sim_qvel(s->sim), 48 * sizeof(double));
    simulation_free(plain), simulation_free(s);
  }
}

static void a_stopped_event_driven_step_leaves_the_state(void **state) {
  (void)state;
  watch w = {.left = -1};
  crd_sim_options options = crd_sim_default();
  options.integrator = CRD_SIM_EVENT, options.stop = ask, options.stop_context = &w;
  simulation *s = simulation_from_example("@rocking-block-zeno", &options);
  simulation_run(s, 1);
  double q[7];
  size_t bytes = sizeof(double) * (size_t)s->model->nq;
  memcpy(q, crd_sim_qpos(s->sim), bytes);
  w.left = 10;
  crd_status status;
  double t = 1;
  for (; (status = crd_sim_step(s->sim)) == CRD_OK; t = crd_sim_time(s->sim)) {
    assert_true(t < 2);
    memcpy(q, crd_sim_qpos(s->sim), bytes);
  }
  assert_int_equal(status, CRD_STOPPED);
  assert_true(crd_sim_time(s->sim) == t);
  assert_memory_equal(q, crd_sim_qpos(s->sim), bytes);
  w.left = -1;
  simulation_run(s, 3);
  /* t* of docs/verb-run.md */
  assert_true(fabs(simulation_event(s, CRD_EVENT_ZENO, 0)->t - (2.6714)) <= 1e-4);
  simulation_free(s);
}

/* 50 ms of the processor at most, in heaps by both schemes of stepping and event driven. */
static void a_step_is_never_long_without_a_question(void **state) {
  (void)state;
  const struct {
    crd_sim_integrator integrator;
    int n;
    double t;
  } run[] = {{CRD_SIM_RK4, 3, 0.2}, {CRD_SIM_MOREAU, 5, 0.2}, {CRD_SIM_EVENT, 2, 0.2}};
  for (int k = 0; k < 3; k++) {
    watch w = {.left = -1};
    crd_sim_options options = crd_sim_default();
    options.integrator = run[k].integrator, options.stop = ask, options.stop_context = &w;
    simulation *s = balls(run[k].n, &options);
    w.asked = 0;
    simulation_run(s, run[k].t);
    assert_true(w.asked > 100);
    assert_true(w.longest <= 0.05);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ control */

/* 3 N until 0.3 s, -1 N from then on. */
static void two_forces(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  (void)qpos, (void)qvel, (void)ctrl;
  ++*(long *)context;
  tau[0] += t < 0.3 ? 3 : -1;
}

static double jump(void *context, double t) {
  (void)context;
  return t < 0.3 ? 0.3 : INFINITY;
}

/* A mass of 2 kg on a spring-free slide: v(1) = (3 * 0.3 - 0.7) / 2, x(1) from it, to the last digits whatever the
 * steps; and a thousand steps ask the control no more often than one does. */
static void phases_outlast_steps_where_the_control_says_when_it_changes(void **state) {
  (void)state;
  long asked[2];
  for (int k = 0; k < 2; k++) {
    asked[k] = 0;
    crd_sim_options options = crd_sim_default();
    options.integrator = CRD_SIM_EVENT, options.timestep = k ? 1e-3 : 0.5;
    options.control = two_forces, options.control_next = jump, options.control_context = &asked[k];
    simulation *s = simulation_from_text("slider: ball.mass=2", &options);
    simulation_run(s, 1);
    double v = 1.5 * 0.3, x = 0.5 * 1.5 * 0.09 + v * 0.7 - 0.25 * 0.49;
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - (v - 0.35)) <= 1e-10);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - (x)) <= 1e-10);
    simulation_free(s);
  }
  assert_true(asked[1] <= 2 * asked[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stopped_step_leaves_the_state_and_the_run_goes_on_with_the_same_bits),
      cmocka_unit_test(a_stopped_event_driven_step_leaves_the_state),
      cmocka_unit_test(a_step_is_never_long_without_a_question),
      cmocka_unit_test(phases_outlast_steps_where_the_control_says_when_it_changes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
