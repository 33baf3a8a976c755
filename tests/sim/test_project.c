/* The projection onto the constraints is the smallest displacement in the kinetic metric that parts what overlaps, and
 * pushes nothing into anything else. */
#include <math.h>
#include <stdio.h>

#include "sim/sim_state.h"
#include "support/cmocka_all.h"
#include "support/simulation.h"

/* Two balls of radius 0.1 on one line, the second at 0.2 + q; the first, of 1 kg, has its lower limit `room` behind it. */
static simulation *two_balls(double room) {
  char text[700];
  snprintf(text, sizeof text, "slider_between_limit_and_ball: limited.range=%.17g 1", -room);
  return simulation_from_text(text, NULL);
}

/* An overlap d is shared as 3 to 1, the inverse of the masses, until the first ball is at its limit: the rest of the way
 * is the second one's. */
static void a_limit_in_the_way_of_what_is_parted_holds(void **state) {
  (void)state;
  const double d = 4e-3, room[] = {1e-2, 2e-3, 0};
  for (int k = 0; k < 3; k++) {
    simulation *s = two_balls(room[k]);
    s->sim->whole.now.q[1] = -d;
    assert_int_equal(crd_sim_project_now(&s->sim->whole), CRD_OK);
    double first = -fmin(room[k], 0.75 * d), second = first;
    assert_true(fabs(s->sim->whole.now.q[0] - first) <= 1e-9);
    assert_true(fabs(s->sim->whole.now.q[1] - second) <= 1e-9);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_limit_in_the_way_of_what_is_parted_holds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
