/* A trial is a function of the state, the forecast and what is asked: it changes neither, and repeats bit by bit. */
#include <string.h>

#include "sim/sim_state.h"
#include "support/cmocka_all.h"
#include "support/simulation.h"

enum { MOST = 4096 };

/* All that a trial leaves, as bytes. */
static size_t bytes_of(const crd_group *group, const crd_sim_moment *moment, unsigned char *to) {
  size_t nq = (size_t)group->model->nq * sizeof(double), nv = (size_t)group->model->nv * sizeof(double), at = 0;
  const struct {
    const void *from;
    size_t size;
  } part[] = {{moment->q, nq},
              {moment->v, nv},
              {moment->load, nv},
              {moment->dry, nv},
              {&moment->work, sizeof moment->work},
              {&moment->t, sizeof moment->t}};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    assert_true(at + part[i].size <= MOST);
    memcpy(to + at, part[i].from, part[i].size);
    at += part[i].size;
  }
  return at;
}

static void check_steps(simulation *s, int steps) {
  crd_group *group = &s->sim->whole;
  unsigned char now[MOST], after[MOST], first[MOST], second[MOST];
  for (int i = 0; i < steps; i++) {
    double dt = 0.7 * group->options->timestep;
    size_t size = bytes_of(group, &group->now, now);
    assert_int_equal(crd_sim_begin_piece(group), CRD_OK);
    crd_sim_forecast_begin(group);
    crd_status status = crd_sim_attempt(group, dt);
    size_t found = bytes_of(group, group->trial, first);
    int touches = group->trial->touches.count;
    crd_sim_forecast_begin(group);
    assert_int_equal(crd_sim_attempt(group, dt), status);
    assert_int_equal(bytes_of(group, group->trial, second), found);
    if (status == CRD_OK) {
      assert_memory_equal(first, second, found);
      assert_int_equal(group->trial->touches.count, touches);
    }
    assert_int_equal(bytes_of(group, &group->now, after), size);
    assert_memory_equal(now, after, size);
    assert_int_equal(crd_sim_step(s->sim), CRD_OK);
  }
}

static void robots_and_examples_repeat(void **state) {
  (void)state;
  const char *name[] = {"@rocking-block", "@pendulum:6", "@four-bar", "@disk-stack", "@ramone"};
  for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
    simulation *s = simulation_from_example(name[i], NULL);
    check_steps(s, 300);
    simulation_free(s);
  }
}

/* Whatever was tried in between: a simulation that was asked for other trials goes on as one that was not. */
static void trials_leave_no_trace(void **state) {
  (void)state;
  simulation *a = simulation_from_example("@ramone", NULL), *b = simulation_from_example("@ramone", NULL);
  check_steps(a, 200);
  for (int i = 0; i < 200; i++) assert_int_equal(crd_sim_step(b->sim), CRD_OK);
  assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), (size_t)a->model->nq * sizeof(double));
  assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), (size_t)a->model->nv * sizeof(double));
  simulation_free(a);
  simulation_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(robots_and_examples_repeat),
                                     cmocka_unit_test(trials_leave_no_trace)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
