/* Held contacts: the work of actuators on bodies that contacts keep from moving. */
#include <math.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"

/* A weight on the floor that a motor presses down does not move: nobody works. */
static void a_motor_that_moves_nothing_does_no_work(void **state) {
  (void)state;
  simulation *s = simulation_from_text("weight_pressed_down", NULL);
  simulation_run(s, 1);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_near(crd_sim_qpos(s->sim)[0], 0, 1e-9);
  assert_near(energy.actuation, 0, 1e-3 * 30); /* the free fall of every step alone would book 3.7 J */
  assert_near(energy.integration, 0, 1e-3 * 30);
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_motor_that_moves_nothing_does_no_work)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
