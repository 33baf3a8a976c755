/* Held contacts: the problem of an island contact by contact against closed forms, and the work of actuators on bodies
 * that contacts keep from moving. */
#include <math.h>
#include <string.h>

#include "sim/hold_island.h"
#include "support/cmocka_all.h"
#include "support/event_run.h"

/* A point mass of 1 on a floor, rows n, t1, t2, then a loop row on a mass of 2 and a dry joint on a mass of 4, each by
 * itself: G is diagonal. */
static void sweep(const double w[5], double mu, double bound, double p[5], crd_mode *mode, double slide[2]) {
  double G[25] = {0}, u[5], copy[5];
  crd_hold_contact contact = {.ntangent = 2, .mu = mu, .slide = {1, 0}};
  crd_hold_dry dry = {.bound = bound};
  crd_hold_memory memory = {0};
  G[0] = G[6] = G[12] = 1, G[18] = 0.5, G[24] = 0.25;
  memcpy(copy, w, sizeof copy);
  memset(p, 0, sizeof copy);
  crd_hold_island island = {.n = 5, .ncontact = 1, .nb = 1, .ndry = 1, .first_b = 3, .first_dry = 4};
  island.contact = &contact, island.dry = &dry, island.G = G, island.w = copy, island.p = p, island.u = u;
  assert_int_equal(crd_hold_reserve(&memory, 5), CRD_OK);
  assert_true(crd_hold_by_sweeps(&memory, &island, 1e-12) <= 1e-12);
  *mode = contact.mode, memcpy(slide, contact.slide, sizeof contact.slide);
  crd_hold_free(&memory);
}

static void sweeps_slide_against_the_velocity_with_all_friction(void **state) {
  (void)state;
  double p[5], slide[2];
  crd_mode mode;
  sweep((double[5]){-2, 3, 4, 0.5, 1}, 0.5, 1, p, &mode, slide);
  assert_near(p[0], 2, 1e-10); /* stops the approach; friction 0.5 * 2 along -(3, 4) / 5 */
  assert_near(p[1], -0.6, 1e-10), assert_near(p[2], -0.8, 1e-10);
  assert_near(p[3], -1, 1e-10); /* loop: 0.5 + 0.5 p = 0 */
  assert_near(p[4], -1, 1e-10); /* dry friction at its bound: 1 - 0.25 > 0 goes on */
  assert_int_equal(mode, CRD_MODE_SLIP);
  assert_near(slide[0], 0.6, 1e-10), assert_near(slide[1], 0.8, 1e-10);
}

static void sweeps_stick_within_the_cone_and_open_what_parts(void **state) {
  (void)state;
  double p[5], slide[2];
  crd_mode mode;
  sweep((double[5]){-2, 0.3, -0.4, 0, 0.1}, 0.5, 1, p, &mode, slide);
  assert_near(p[0], 2, 1e-10), assert_near(p[1], -0.3, 1e-10), assert_near(p[2], 0.4, 1e-10);
  assert_near(p[4], -0.4, 1e-10); /* 0.1 + 0.25 p = 0, within the bound */
  assert_int_equal(mode, CRD_MODE_STICK);
  sweep((double[5]){0.1, 1, 1, 0, 0}, 0.5, 1, p, &mode, slide);
  for (int i = 0; i < 5; i++) assert_near(p[i], 0, 0);
  assert_int_equal(mode, CRD_MODE_NONE);
}

/* A weight on the floor that a motor presses down does not move: nobody works. */
static void a_motor_that_moves_nothing_does_no_work(void **state) {
  (void)state;
  simulation *s = simulation_from_text(
      "<mujoco><option timestep='0.01'/><worldbody><geom type='plane' size='0 0 1'/>"
      "<body pos='0 0 0.1'><joint name='z' type='slide' axis='0 0 1' damping='3'/>"
      "<geom type='sphere' size='0.1' mass='2'/></body></worldbody>"
      "<actuator><general joint='z' gainprm='0' biastype='affine' biasprm='-30 0 0'/></actuator></mujoco>",
      NULL);
  simulation_run(s, 1);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_near(crd_sim_qpos(s->sim)[0], 0, 1e-9);
  assert_near(energy.actuation, 0, 1e-3 * 30); /* the free fall of every step alone would book 3.7 J */
  assert_near(energy.integration, 0, 1e-3 * 30);
  simulation_free(s);
}

static void what_is_no_number_is_no_answer(void **state) {
  (void)state;
  double G[1] = {1}, w[1] = {-1}, p[1] = {NAN}, u[1] = {NAN};
  crd_hold_contact contact = {.ntangent = 0};
  crd_hold_island island = {.n = 1, .ncontact = 1, .first_b = 1, .first_dry = 1, .contact = &contact};
  island.G = G, island.w = w, island.p = p, island.u = u;
  assert_true(crd_hold_violation(&island) == INFINITY);
  p[0] = 1, u[0] = 0;
  assert_near(crd_hold_violation(&island), 0, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_number_is_no_answer),
      cmocka_unit_test(sweeps_slide_against_the_velocity_with_all_friction),
      cmocka_unit_test(sweeps_stick_within_the_cone_and_open_what_parts),
      cmocka_unit_test(a_motor_that_moves_nothing_does_no_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
