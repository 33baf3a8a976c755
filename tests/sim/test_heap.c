/* Seeded random heaps: bodies of all kinds dropped on each other on a floor. Nothing penetrates, nothing gains energy,
 * every contact problem is solved. */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"
#include "support/simulation.h"

static simulation *heap(uint64_t seed, int bodies, double e) {
  static const char *shape[] = {"type='sphere' size='0.1'", "type='box' size='0.12 0.08 0.1'",
                                "type='capsule' size='0.06 0.1'", "type='box' size='0.1 0.1 0.1'"};
  random_stream stream = {seed, 0};
  char text[8000], *at = text;
  at += sprintf(at,
                "<mujoco><option gravity='0 0 -9.81' timestep='0.002'/>"
                "<custom><numeric name='cradle_restitution' data='%g'/></custom><default><geom friction='0.5 0 0'/>"
                "</default><worldbody><geom type='plane' size='0 0 1'/>",
                e);
  for (int i = 0; i < bodies; i++) {
    double quat[4];
    random_unit_quat(&stream, quat);
    at +=
        sprintf(at, "<body pos='%.6f %.6f %.6f' quat='%.6f %.6f %.6f %.6f'><freejoint/><geom %s density='800'/></body>",
                random_in(&stream, -0.1, 0.1), random_in(&stream, -0.1, 0.1), 0.25 + 0.36 * i, quat[0], quat[1],
                quat[2], quat[3], shape[random_int(&stream, 0, 3)]);
  }
  sprintf(at, "</worldbody></mujoco>");
  return simulation_from_text(text, NULL);
}

/* A slip that turns round within a step of h = 2 ms is pushed along by at most p (u1 - u0) / 2 with p <= mu m g h and
 * u1 - u0 of a few g h: m (g h)^2 = 4e-4 m, beside m g z with z = 0.5. */
static const double TURNS = 1e-4;

static void check_heap(uint64_t seed, int bodies, double e, double t) {
  simulation *s = heap(seed, bodies, e);
  crd_status status = crd_sim_run(s->sim, t);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  if (status != CRD_OK)
    fail_msg("seed %d: %s at t = %g: %s", (int)seed, crd_status_text(status), crd_sim_time(s->sim),
             crd_sim_message(s->sim));
  if (counters.penetration_max > 1e-6 * 0.1) fail_msg("seed %d: penetration %g", (int)seed, counters.penetration_max);
  if (counters.failed_solves) fail_msg("seed %d: %ld failed solves", (int)seed, counters.failed_solves);
  if (energy.law_gain_max > 1e-9 * energy.start) fail_msg("seed %d: gain %g", (int)seed, energy.law_gain_max);
  if (energy.gain_max > TURNS * energy.start) fail_msg("seed %d: positive work %g", (int)seed, energy.gain_max);
  if (energy.kinetic + energy.potential > energy.start * (1 + 1e-6)) fail_msg("seed %d: energy rises", (int)seed);
  for (int i = 0; i < s->model->nq; i++) assert_true(isfinite(crd_sim_qpos(s->sim)[i]));
  simulation_free(s);
}

static void heaps_of_three_without_restitution(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 30; seed++) check_heap(seed, 3, 0, 0.6);
}

static void heaps_of_five_with_restitution(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 7; seed++) check_heap(seed, 5, 0.4, 0.6);
}

/* Six hundred balls side by side: each is carried by its own contact, m g h a step, and none moves. */
static void what_rests_apart_is_carried_apart(void **state) {
  (void)state;
  enum { BALLS = 600 };
  static char text[BALLS * 100 + 400];
  char *at = text;
  at +=
      sprintf(at, "<mujoco><option gravity='0 0 -9.81' timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < BALLS; i++)
    at += sprintf(at, "<body pos='%g %g 0.1'><freejoint/><geom type='sphere' size='0.1' mass='%g'/></body>",
                  0.3 * (i % 25), 0.3 * (i / 25), 1 + 0.01 * i);
  sprintf(at, "</worldbody></mujoco>");
  simulation *s = simulation_from_text(text, NULL);
  crd_status status = crd_sim_run(s->sim, 0.006);
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  assert_int_equal(status, CRD_OK);
  assert_int_equal(count, BALLS);
  for (int i = 0; i < BALLS; i++) {
    double weight = (1 + 0.01 * (contact[i].contact.body1 + contact[i].contact.body2 - 1)) * 9.81 * 0.002;
    assert_true(fabs(contact[i].impulse_n - weight) <= 1e-12 * weight);
    assert_true(crd_sim_qpos(s->sim)[7 * i + 2] == 0.1);
  }
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(heaps_of_three_without_restitution),
      cmocka_unit_test(heaps_of_five_with_restitution),
      cmocka_unit_test(what_rests_apart_is_carried_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
