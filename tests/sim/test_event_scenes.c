/* The event-driven integrator on everyday and on hostile scenes: closed forms of stick-slip, of a table that throws
 * what lies on it, of a ball that leaves an edge; the same motion as by steps, closer with every halving; and scenes
 * with redundant contacts, towers and unlike masses. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"

static const double G = 9.81;

static simulation *begin(const char *text, double timestep) {
  crd_sim_options options = event_options(timestep);
  return simulation_from_text(text, &options);
}

/* ------------------------------------------------------------------------------------------------ closed forms */

/* A block of mass 1 on a floor with mu = 0.4, pulled by a spring of 40 N/m whose other end moves at 0.3 m/s. It sticks
 * until the spring pulls with mu g; then the stretch d = d0 + (v/w) sin w tau, so that it moves with v (1 - cos w tau),
 * comes to rest for an instant after each period, at the limit of sticking, and goes on. The other end is a cart of
 * 1e12 kg. */
static void a_pulled_block_sticks_and_slides(void **state) {
  (void)state;
  const double mu = 0.4, k = 40, v = 0.3, w = sqrt(k), start = mu * G / k / v, times[] = {0.2, 0.5, 1.2, 1.9};
  simulation *r = begin("block_on_belt", 0.05);
  for (int i = 0; i < 4; i++) {
    simulation_run(r, times[i]);
    double tau = fmax(0, times[i] - start), s = v * tau - v / w * sin(w * tau);
    assert_near(crd_sim_qpos(r->sim)[0] + crd_sim_qpos(r->sim)[1], s, 1e-8);
  }
  assert_near(simulation_event(r, CRD_EVENT_SLIP, 0)->t, start, 1e-9);
  simulation_free(r);
}

/* A block (m) lies on a table (M) on a spring, both at equilibrium, thrown up with v0: they part where the spring is
 * relaxed, whatever the masses are; then one flies and the other swings with its own frequency until they meet. */
static void a_swinging_table_throws_a_block(void **state) {
  (void)state;
  const double M = 2, m = 0.5, k = 500, v0 = 1.2, w = sqrt(k / (M + m)), w1 = sqrt(k / M), A = (M + m) * G / k;
  simulation *r = begin("block_on_sprung_plate", 0.01);
  simulation_run(r, 0.5);
  double parting = asin(A * w / v0) / w, v1 = v0 * cos(w * parting), low = 1e-3, high = 4.5 / w1;
  assert_near(simulation_event(r, CRD_EVENT_RELEASE, 0)->t, parting, 1e-8);
  /* gap(t) = v1 t - g t^2/2 - [v1/w1 sin w1 t - M g/k (1 - cos w1 t)] */
  for (int i = 0; i < 200; i++) {
    double t = 0.5 * (low + high);
    double gap = v1 * t - G * t * t / 2 - v1 / w1 * sin(w1 * t) + M * G / k * (1 - cos(w1 * t));
    if (gap > 0)
      low = t;
    else
      high = t;
  }
  assert_near(simulation_event(r, CRD_EVENT_IMPACT, 0)->t, parting + low, 1e-8);
  assert_ledger(r, 1e-8);
  simulation_free(r);
}

/* Without friction, over a sharp edge with v0: v^2 = v0^2 + 2 g r (1 - cos a), and it leaves where v^2 = g r cos a. */
static void a_ball_leaves_the_edge_of_a_table(void **state) {
  (void)state;
  const double v0 = 0.5, r0 = 0.1, cosine = (2 + v0 * v0 / (G * r0)) / 3;
  simulation *r = begin("ball_over_edge", 0.01);
  simulation_run(r, 0.4);
  assert_int_equal(simulation_count(r, CRD_EVENT_RELEASE), 1);
  assert_near(crd_sim_qvel(r->sim)[0], sqrt(G * r0 * cosine) * cosine, 1e-8);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* ------------------------------------------------------------------------------------------------ beside stepping */

typedef struct scene {
  const char *name, *text;
  double until, within; /* of the steps, at 1 ms, in all coordinates */
} scene;

#define FLOOR(mu) "<mujoco><worldbody><geom type='plane' size='0 0 1' friction='" mu " 0 0'/>"
#define END(key) "</worldbody><keyframe><key " key "/></keyframe></mujoco>"

static const scene scenes[] = {
    {"a box slides to rest",
     FLOOR(".3") "<body><freejoint/><geom type='box' size='.2 .1 .1' mass='1' friction='.3 0 0'/></body>" END(
         "qpos='0 0 .1 1 0 0 0' qvel='2 0 0 0 0 0'"),
     1, 1e-5},
    {"a box topples",
     FLOOR("1") "<body><freejoint/><geom type='box' size='.05 .1 .2' mass='1' friction='1 0 0'/></body>" END(
         "qpos='0 0 .2 1 0 0 0' qvel='0 0 0 0 2.9 0'"),
     1, 1e-4},
    {"a ladder slips down a wall",
     FLOOR(".2") "<geom type='plane' size='0 0 1' zaxis='1 0 0' friction='.2 0 0'/><body><freejoint/>"
                 "<geom type='capsule' size='.02 .5' mass='1' friction='.2 0 0'/></body>" END(
                     "qpos='.34139380484326964 0 .4030222215594890 .9396926207859084 0 -.3420201433256687 0'"),
     1, 1e-5},
    {"a ball is thrown up a slope and rolls back",
     "<mujoco><option gravity='3 0 -9.3'/><worldbody><geom type='plane' size='0 0 1' friction='.3 0 0'/>"
     "<body><freejoint/><geom type='sphere' size='.1' mass='1' friction='.3 0 0'/></body>" END(
         "qpos='0 0 .1 1 0 0 0' qvel='-1 .7 0 0 0 3'"),
     1, 2e-4},
    {"a leg with limits and a spring hops",
     "<mujoco><custom><numeric name='cradle_restitution' data='.3'/></custom><worldbody>"
     "<geom type='plane' size='0 0 1' friction='.8 0 0'/><body pos='0 0 .8'><joint type='slide' axis='0 0 1'/>"
     "<joint type='slide' axis='1 0 0'/><geom type='box' size='.1 .1 .1' mass='2'/><body pos='0 0 -.2'>"
     "<joint type='slide' axis='0 0 1' limited='true' range='-.15 .1' stiffness='300' damping='2'/>"
     "<geom type='capsule' size='.03' fromto='0 0 0 0 0 -.3' mass='.3' friction='.8 0 0'/></body></body>" END(
         "qpos='0 0 0' qvel='0 .3 0'"),
     1, 1e-5},
    {"an arm with dry friction in its joints falls on the floor",
     FLOOR(
         ".5") "<body pos='0 0 1'><joint type='hinge' axis='0 1 0' frictionloss='.5'/><geom type='capsule' size='.03' "
               "fromto='0 0 0 .5 0 0' mass='1'/><body pos='.5 0 0'><joint type='hinge' axis='0 1 0' "
               "frictionloss='.3'/><geom type='capsule' size='.03' fromto='0 0 0 .5 0 0' mass='.5'/></body></body>" END(
                   "qpos='0 0' qvel='1 -2'"),
     1, 1e-2},
    {"a rod jams and leaps (Painleve)",
     FLOOR(
         "2") "<body pos='0 0 .38802222155948901'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
              "<joint type='hinge' axis='0 1 0'/><geom type='capsule' size='.005 .5' mass='1' friction='2 0 0' "
              "quat='.9396926207859084 0 -.3420201433256687 0'/></body>" END("qpos='0 0 0' qvel='3 0 0'"),
     1, 5e-2},
};

static void final_position(const scene *s, crd_sim_integrator integrator, double timestep, double *q) {
  crd_sim_options options = event_options(timestep);
  options.integrator = integrator;
  simulation *r = simulation_from_text(s->text, &options);
  simulation_run(r, s->until);
  memcpy(q, crd_sim_qpos(r->sim), sizeof *q * (size_t)crd_sim_model(r->sim)->nq);
  if (integrator == CRD_SIM_EVENT) assert_ledger(r, 1e-8);
  simulation_free(r);
}

/* The difference is that of the steps: within a bound at 1 ms, and no more than half of it at a quarter, down to what
 * the tolerances of both leave. */
static void steps_and_events_tell_the_same_story(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    double event[16] = {0}, coarse[16] = {0}, fine[16] = {0}, far = 0, near = 0;
    final_position(&scenes[i], CRD_SIM_EVENT, 0.01, event);
    final_position(&scenes[i], CRD_SIM_RK4, 1e-3, coarse);
    final_position(&scenes[i], CRD_SIM_RK4, 2.5e-4, fine);
    for (int k = 0; k < 16; k++)
      far = fmax(far, fabs(coarse[k] - event[k])), near = fmax(near, fabs(fine[k] - event[k]));
    if (far > scenes[i].within || near > fmax(0.5 * far, 5e-9))
      fail_msg("%s: %g at 1 ms, %g at a quarter of it", scenes[i].name, far, near);
  }
}

/* A tumbling box: impacts, series of rebounds, sliding. What the events tell of energy is the ledger's line. */
static void losses_of_the_events_sum_to_the_line_of_impacts(void **state) {
  (void)state;
  crd_sim_options options = event_options(0.01);
  options.e = 0.4;
  simulation *r = simulation_from_text(
      FLOOR(".6") "<body><freejoint/><geom type='box' size='.1 .15 .2' mass='1' friction='.6 0 0'/></body>" END(
          "qpos='0 0 .4 .9 .3 .2 .1' qvel='.5 .2 0 1 2 3'"),
      &options);
  simulation_run(r, 1.5);
  double sum = 0;
  assert_in_range(r->count, 10, SIMULATION_EVENTS);
  assert_in_range(simulation_count(r, CRD_EVENT_ZENO), 1, 100);
  for (int i = 0; i < r->count; i++) sum += r->event[i].energy;
  assert_near(sum, crd_sim_energy_now(r->sim).impact, 1e-12);
  assert_ledger(r, 1e-8);
  simulation_free(r);
}

/* ------------------------------------------------------------------------------------------------ hostile */

/* Total of the normal impulses of the last step over its length. */
static double load(const simulation *r, double timestep) {
  int count;
  double sum = 0;
  const crd_sim_contact *contact = crd_sim_contacts(r->sim, &count);
  for (int i = 0; i < count; i++) sum += contact[i].impulse_n;
  return sum / timestep;
}

static void two_hundred_feet_carry_a_table(void **state) {
  (void)state;
  char text[40000];
  int at = snprintf(text, sizeof text,
                    "<mujoco><worldbody><geom type='plane' size='0 0 1'/><body pos='0 0 .1'><freejoint/>");
  for (int i = 0; i < 200; i++)
    at += snprintf(text + at, sizeof text - (size_t)at, "<geom type='sphere' size='.1' mass='.1' pos='%g %g 0'/>",
                   0.25 * (i % 20), 0.25 * (i / 20));
  snprintf(text + at, sizeof text - (size_t)at, "</body></worldbody></mujoco>");
  simulation *r = begin(text, 0.002);
  simulation_run(r, 1);
  int count;
  crd_sim_contacts(r->sim, &count);
  assert_int_equal(count, 200);
  assert_near(load(r, 0.002), 20 * G, 1e-8);
  assert_near(crd_sim_qpos(r->sim)[2], 0.1, 1e-12);
  simulation_free(r);
}

static void a_tower_of_twenty_boxes_stands(void **state) {
  (void)state;
  char text[8000];
  int at = snprintf(text, sizeof text, "<mujoco><worldbody><geom type='plane' size='0 0 1'/>");
  for (int i = 0; i < 20; i++)
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "<body pos='0 0 %.17g'><freejoint/><geom type='box' size='.05 .05 .05' mass='1'/></body>",
                   0.05 + 0.1 * i);
  snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
  simulation *r = begin(text, 0.002);
  simulation_run(r, 1);
  assert_near(load(r, 0.002), 210 * G, 1e-6); /* 20 + 19 + ... + 1 */
  for (int i = 0; i < 20; i++) assert_near(crd_sim_qpos(r->sim)[7 * i + 2], 0.05 + 0.1 * i, 1e-12);
  simulation_free(r);
}

/* A thousand tons fall on a kilogram, and both lie still. */
static void a_mass_ratio_of_a_million_comes_to_rest(void **state) {
  (void)state;
  simulation *r = begin("stack", 0.02);
  simulation_run(r, 0.1);
  assert_near(crd_sim_qpos(r->sim)[2], 0.1, 1e-9);
  assert_near(crd_sim_qpos(r->sim)[9], 0.3, 1e-9);
  for (int k = 0; k < 12; k++) assert_near(crd_sim_qvel(r->sim)[k], 0, 1e-9);
  assert_near(load(r, 0.02), (2e6 + 1) * G, 1);
  simulation_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pulled_block_sticks_and_slides),
      cmocka_unit_test(a_swinging_table_throws_a_block),
      cmocka_unit_test(a_ball_leaves_the_edge_of_a_table),
      cmocka_unit_test(steps_and_events_tell_the_same_story),
      cmocka_unit_test(losses_of_the_events_sum_to_the_line_of_impacts),
      cmocka_unit_test(two_hundred_feet_carry_a_table),
      cmocka_unit_test(a_tower_of_twenty_boxes_stands),
      cmocka_unit_test(a_mass_ratio_of_a_million_comes_to_rest),
  };
  if (!event_integrator_built()) return EVENT_SKIPPED;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
