/* A step requests no memory once the simulation has met its largest number of contacts. */
#include "support/allocation.h"

#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/simulation.h"

static void check_quiet(simulation *s, double time) {
  simulation_run(s, time);
  /* the same motion once more: everything was met */
  crd_error err = {0};
  assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[0].qpos, s->model->key[0].qvel, &err), CRD_OK);
  long before = requests;
  crd_status status = crd_sim_run(s->sim, time);
  assert_int_equal(status, CRD_OK);
  assert_int_equal(requests - before, 0);
  simulation_free(s);
}

static void steps_allocate_nothing_in_free_flight_impacts_and_contact(void **state) {
  (void)state;
  check_quiet(simulation_from_example("@pendulum:6", NULL), 3);
  check_quiet(simulation_from_example("@rocking-block-zeno", NULL), 2.8);
  check_quiet(simulation_from_example("@disk-stack", NULL), 1);
  check_quiet(simulation_from_example("@four-bar", NULL), 1);
}

/* Oblique impacts in space under every law that a simulation is likely to be given. */
static void steps_allocate_nothing_in_impacts_in_space(void **state) {
  (void)state;
  const char *law[] = {"poisson", "anitescu-potra", "routh"};
  for (int k = 0; k < 3; k++) {
    crd_sim_options options = crd_sim_default();
    options.law = crd_impact_find(law[k]);
    check_quiet(simulation_from_text("thrown_box", &options), 1);
  }
}

/* Groups that keep their own time, whose events are kept until the step stands. */
static void steps_of_several_groups_allocate_nothing(void **state) {
  (void)state;
  check_quiet(simulation_from_text("thrown_box_and_balls", NULL), 1);
}

static void time_stepping_allocates_nothing(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.integrator = CRD_SIM_MOREAU;
  check_quiet(simulation_from_example("@pendulum:6", &options), 3);
  check_quiet(simulation_from_example("@disk-stack", &options), 1);
  check_quiet(simulation_from_example("@four-bar", &options), 1);
}

/* CVODE keeps its memory from phase to phase. */
static void event_driven_steps_allocate_nothing(void **state) {
  (void)state;
  if (!event_integrator_built()) skip();
  crd_sim_options options = event_options(0.02);
  check_quiet(simulation_from_example("@rocking-block-zeno", &options), 2.8);
  check_quiet(simulation_from_example("@bouncing-ball", &options), 1);
  check_quiet(simulation_from_example("@four-bar", &options), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_allocate_nothing_in_free_flight_impacts_and_contact),
      cmocka_unit_test(steps_allocate_nothing_in_impacts_in_space),
      cmocka_unit_test(steps_of_several_groups_allocate_nothing),
      cmocka_unit_test(time_stepping_allocates_nothing),
      cmocka_unit_test(event_driven_steps_allocate_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
