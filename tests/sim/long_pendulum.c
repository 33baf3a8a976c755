/* Ten million steps of the 30-link pendulum over floor and wall [Jain, V-E], thrown anew every 5000 steps with another
 * speed: not one contact problem without an answer. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/simulation.h"

static void no_solve_fails_in_ten_million_steps(void **state) {
  (void)state;
  enum { RUNS = 2000, STEPS = 5000 };
  simulation *s = simulation_from_example("@pendulum:30", NULL);
  random_stream stream = {7, 0};
  double qvel[30];
  long contacts = 0;
  for (int run = 0; run < RUNS; run++) {
    crd_error err = {0};
    for (int i = 0; i < 30; i++) qvel[i] = random_in(&stream, -0.5, 0.5);
    assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[0].qpos, qvel, &err), CRD_OK);
    for (int i = 0; i < STEPS; i++) {
      crd_status status = crd_sim_step(s->sim);
      if (status != CRD_OK)
        fail_msg("run %d, t = %g: %s, %s", run, crd_sim_time(s->sim), crd_status_text(status), crd_sim_message(s->sim));
    }
    crd_sim_counters counters = crd_sim_counters_now(s->sim);
    crd_sim_energy energy = crd_sim_energy_now(s->sim);
    if (counters.failed_solves) fail_msg("run %d: %ld failed solves", run, counters.failed_solves);
    if (energy.law_gain_max > 1e-9 * energy.start) fail_msg("run %d: gain %g", run, energy.law_gain_max);
    contacts += counters.contacts;
  }
  assert_true(contacts > 100000);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_solve_fails_in_ten_million_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
