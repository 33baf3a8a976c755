/* A step requests no memory once the simulation has met its largest number of contacts. */
#include "support/allocation.h"

#include "support/cmocka_all.h"
#include "support/simulation.h"

static void check_quiet(const char *spec, double meet, double watch) {
  simulation *s = simulation_from_example(spec, NULL);
  simulation_run(s, meet);
  /* the same motion once more: everything was met */
  crd_error err = {0};
  assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[0].qpos, s->model->key[0].qvel, &err), CRD_OK);
  long before = requests;
  crd_status status = crd_sim_run(s->sim, watch);
  assert_int_equal(status, CRD_OK);
  assert_int_equal(requests - before, 0);
  simulation_free(s);
}

static void steps_allocate_nothing_in_free_flight_impacts_and_contact(void **state) {
  (void)state;
  check_quiet("@pendulum:6", 3, 3);
  check_quiet("@rocking-block-zeno", 2.8, 2.8);
  check_quiet("@disk-stack", 1, 1);
  check_quiet("@four-bar", 1, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_allocate_nothing_in_free_flight_impacts_and_contact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
