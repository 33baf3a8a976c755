/* Claims about rest: what rests is not computed again, its contacts go on carrying its weight, many resting bodies are
 * as many small problems, a body that falls wakes what it hits, a run that is restored in its sleep goes on with the same
 * bits, and what a control does is never slept through. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double GRAVITY = 9.81, STEP = 1e-3;

/* Boxes of 1 kg side by side on a floor, and a ball above the first. */
static simulation *field(int boxes, const char *more, const crd_sim_options *options) {
  char *text = malloc(512 + 160 * (size_t)boxes), *end = text;
  end += sprintf(end,
                 "<mujoco><option gravity='0 0 -9.81' timestep='0.001'/><worldbody><geom type='plane' size='9 9 1'/>");
  for (int i = 0; i < boxes; i++)
    end += sprintf(end, "<body pos='%g %g .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>",
                   0.3 * (i % 16), 0.3 * (i / 16));
  sprintf(end, "%s</worldbody></mujoco>", more);
  simulation *s = simulation_from_text(text, options);
  free(text);
  return s;
}

static void resting_boxes_are_computed_twice(void **state) {
  (void)state;
  const int boxes = 80; /* 320 contacts, four of which act on each other */
  simulation *s = field(boxes, "", NULL);
  simulation_run(s, 100 * STEP);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  assert_int_equal(counters.trials, 2 * boxes); /* each: the first finds the forces, the second sees that they stay */
  assert_int_equal(counters.retries[CRD_RETRY_CROWDED], 0);
  assert_int_equal(s->count, 0);
  assert_int_equal(counters.contacts, 100 * 4 * boxes);
  int count;
  double weight = 0;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  for (int i = 0; i < count; i++) weight += contact[i].impulse_n / STEP;
  assert_true(fabs(weight - boxes * GRAVITY) <= 1e-9 * boxes * GRAVITY);
  assert_true(fabs(crd_sim_time(s->sim) - 100 * STEP) <= 1e-12);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_true(fabs(e.contact) <= 1e-15 && e.kinetic == 0);
  simulation_free(s);
}

/* It falls 0.1 m on a box that rests: t = sqrt(2 h / g), and everything comes to rest again. */
static void a_falling_ball_wakes_them(void **state) {
  (void)state;
  simulation *s = field(4, "<body pos='0 0 .4'><freejoint/><geom size='.1' mass='.5'/></body>", NULL);
  simulation_run(s, 1);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - sqrt(0.2 / GRAVITY)) <= 1e-6);
  long trials = crd_sim_counters_now(s->sim).trials;
  simulation_run(s, 1.1);
  assert_int_equal(crd_sim_counters_now(s->sim).trials, trials);
  assert_true(fabs(crd_sim_qpos(s->sim)[4 * 7 + 2] - 0.3) <= 1e-6);
  simulation_free(s);
}

static void a_restored_sleeper_goes_on(void **state) {
  (void)state;
  simulation *a = field(5, "", NULL), *b = field(5, "", NULL);
  simulation_run(a, 20 * STEP);
  size_t size = crd_sim_saved_size(a->sim);
  void *saved = malloc(size);
  assert_int_equal(crd_sim_save(a->sim, saved, size), CRD_OK);
  assert_int_equal(crd_sim_restore(b->sim, saved, size), CRD_OK);
  for (int i = 0; i < 10; i++) {
    assert_int_equal(crd_sim_step(a->sim), CRD_OK);
    assert_int_equal(crd_sim_step(b->sim), CRD_OK);
  }
  assert_true(crd_sim_time(a->sim) == crd_sim_time(b->sim));
  assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), (size_t)a->model->nq * sizeof(double));
  assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), (size_t)a->model->nv * sizeof(double));
  free(saved);
  simulation_free(a);
  simulation_free(b);
}

static void lift(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  (void)context, (void)qpos, (void)qvel, (void)ctrl;
  tau[2] = t < 0.1 - 1e-9 ? 0 : 2 * GRAVITY;
}

/* Rises with g from t = 0.1 on. */
static void a_control_that_begins_later_lifts_a_sleeper(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.control = lift;
  simulation *s = field(1, "", &options);
  simulation_run(s, 0.3);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - 0.1 - GRAVITY * 0.2 * 0.2 / 2) <= 1e-3 * GRAVITY * 0.2); /* h v */
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resting_boxes_are_computed_twice), cmocka_unit_test(a_falling_ball_wakes_them),
      cmocka_unit_test(a_restored_sleeper_goes_on), cmocka_unit_test(a_control_that_begins_later_lifts_a_sleeper)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
