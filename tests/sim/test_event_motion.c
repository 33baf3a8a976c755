/* The event-driven integrator against closed forms: times and places of impacts, sliding, rolling, rocking. */
#include <math.h>
#include <stdio.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"

static const double G = 9.81;

/* ------------------------------------------------------------------------------------------------ bouncing ball */

/* Dropped from 1 m: first impact t1 = sqrt(2/g), then t_k+1 = t_k + 2 e^k t1; heights e^2k m between them. */
static void a_ball_bounces_as_the_closed_form_says(void **state) {
  (void)state;
  const double restitution[3] = {0.5, 0.9, 1};
  for (int k = 0; k < 3; k++) {
    double e = restitution[k], t1 = sqrt(2 / G), t = t1, last = k == 0 ? 1.3 : 4;
    crd_sim_options options = event_options(0.03);
    options.e = e;
    simulation *r = simulation_from_example("@bouncing-ball", &options);
    simulation_run(r, last);
    double interval = 2 * e * t1;
    int impacts = 0;
    for (; t < last; impacts++, t += interval, interval *= e) {
      const crd_sim_event *event = simulation_event(r, CRD_EVENT_IMPACT, impacts);
      assert_near(event->t, t, 1e-9);
      assert_near(event->approach, sqrt(2 * G) * pow(e, impacts), 1e-9);
    }
    assert_int_equal(simulation_count(r, CRD_EVENT_IMPACT), impacts);
    /* where it is now, in the flight that the last impact began */
    double since = last - simulation_event(r, CRD_EVENT_IMPACT, impacts - 1)->t, up = sqrt(2 * G) * pow(e, impacts);
    assert_near(crd_sim_qpos(r->sim)[2], 0.1 + up * since - 0.5 * G * since * since, 1e-9);
    assert_ledger(r, 1e-9);
    simulation_free(r);
  }
}

static void an_elastic_ball_keeps_its_energy_over_a_thousand_bounces(void **state) {
  (void)state;
  crd_sim_options options = event_options(1);
  options.e = 1;
  simulation *r = simulation_from_example("@bouncing-ball", &options);
  double period = 2 * sqrt(2 / G);
  simulation_run(r, 1000 * period);
  assert_int_equal(simulation_count(r, CRD_EVENT_IMPACT), 1000);
  crd_sim_energy e = crd_sim_energy_now(r->sim);
  assert_near((e.kinetic + e.potential) / e.start, 1, 1e-9);
  assert_int_equal(simulation_count(r, CRD_EVENT_ZENO), 0);
  simulation_free(r);
}

/* Infinitely many bounces until t* = t1 (1 + e)/(1 - e), then rest. */
static void bounces_accumulate_where_the_series_does(void **state) {
  (void)state;
  const double restitution[2] = {0.5, 0.9};
  for (int k = 0; k < 2; k++) {
    double e = restitution[k], limit = sqrt(2 / G) * (1 + e) / (1 - e);
    crd_sim_options options = event_options(0.5);
    options.e = e;
    simulation *r = simulation_from_example("@bouncing-ball", &options);
    simulation_run(r, limit + 1);
    assert_int_equal(simulation_count(r, CRD_EVENT_ZENO), 1);
    assert_near(simulation_event(r, CRD_EVENT_ZENO, 0)->t, limit, 1e-9);
    assert_near(crd_sim_qpos(r->sim)[2], 0.1, 1e-12);
    assert_near(crd_sim_qvel(r->sim)[2], 0, 1e-12);
    assert_ledger(r, 1e-9);
    simulation_free(r);
  }
}

/* Two equal balls fall 1 m to the floor, 1e-7 m apart, e = 0.95. With v = sqrt(2 g): the floor throws the lower one up
 * with e v; the upper one comes with v and gives it -(1 + e)/2 v + (1 - e)/2 e v = -(1 + e^2)/2 v; with that it strikes
 * the floor again, which takes (1 - e^2)/2 of its square. Its rebounds are stopped by the other ball: no limit is
 * taken.
 */
static void a_rebound_between_floor_and_ball_is_no_accumulation(void **state) {
  (void)state;
  const double e = 0.95, v = sqrt(2 * G), down = 0.5 * (1 + e * e) * v;
  crd_sim_options options = event_options(0.01);
  options.e = e;
  simulation *r = simulation_from_text("two_balls_on_rail: above.pos=0 0 1.3000001", &options);
  simulation_run(r, 0.6);
  assert_near(simulation_event(r, CRD_EVENT_IMPACT, 0)->energy, -0.5 * (1 - e * e) * v * v, 1e-6);
  assert_near(simulation_event(r, CRD_EVENT_IMPACT, 1)->energy, -0.25 * (1 - e * e) * (1 + e) * (1 + e) * v * v, 1e-6);
  assert_near(simulation_event(r, CRD_EVENT_IMPACT, 2)->approach, down, 1e-6);
  assert_near(simulation_event(r, CRD_EVENT_IMPACT, 2)->energy, -0.5 * (1 - e * e) * down * down, 1e-6);
  assert_int_equal(simulation_count(r, CRD_EVENT_ZENO), 0);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* A tripod whose feet are balls of a nanometre falls flat from 1 m: impacts at t1 = sqrt(2/g) and on, rest at
 * t1 (1 + e)/(1 - e), as any ball. Tolerances that are shares of the feet would be finer than rounding. */
static void feet_of_a_nanometre_bounce_to_rest(void **state) {
  (void)state;
  const double e = 0.5, t1 = sqrt(2 / G);
  crd_sim_options options = event_options(0.05);
  options.e = e;
  simulation *r = simulation_from_text("three_feet_land", &options);
  simulation_run(r, t1 * (1 + e) / (1 - e) + 0.5);
  double t = t1;
  for (int k = 0; k < 4; k++, t += 2 * t1 * pow(e, k)) {
    assert_near(simulation_event(r, CRD_EVENT_IMPACT, k)->t, t, 1e-9);
    assert_near(simulation_event(r, CRD_EVENT_IMPACT, k)->approach, sqrt(2 * G) * pow(e, k), 1e-8);
  }
  assert_near(simulation_event(r, CRD_EVENT_ZENO, 0)->t, t1 * (1 + e) / (1 - e), 1e-8);
  assert_near(crd_sim_qpos(r->sim)[2], 1e-9, 1e-12);
  for (int k = 0; k < 6; k++) assert_near(crd_sim_qvel(r->sim)[k], 0, 1e-9);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* ------------------------------------------------------------------------------------------------ rocking block */

/* Impact times and accumulation of EXAMPLES.md (independent quadrature of the pendulum motion between impacts). */
static void a_rocking_block_comes_to_rest_through_infinitely_many_impacts(void **state) {
  (void)state;
  const double times[6] = {0.987327807316, 1.53126984641, 1.8845703372, 2.12422174284, 2.28957526491, 2.40453215564};
  crd_sim_options options = event_options(0.1);
  simulation *r = simulation_from_example("@rocking-block-zeno", &options);
  simulation_run(r, 4);
  for (int i = 0; i < 6; i++) {
    const crd_sim_event *event = simulation_event(r, CRD_EVENT_IMPACT, i);
    assert_near(event->t, times[i], 1e-9);
    assert_near(event->approach, pow(0.7, i), 1e-9);
  }
  assert_int_equal(simulation_count(r, CRD_EVENT_ZENO), 1);
  assert_near(simulation_event(r, CRD_EVENT_ZENO, 0)->t, 2.67142139837, 1e-8);
  for (int i = 0; i < 3; i++) assert_near(crd_sim_qvel(r->sim)[i], 0, 1e-12);
  assert_near(crd_sim_qpos(r->sim)[2], 0, 1e-12);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* s of the time-augmented inclusion (53) is t plus the normal impulses, which balance the vertical momentum: p = m g t +
 * m (z'(t) - z'(0)). Along three impacts of the block, and beyond their accumulation at t* = 2.67142139837, s* =
 * 28.3780653164 (EXAMPLES.md). */
static void normal_impulses_balance_the_momentum_of_the_rocking_block(void **state) {
  (void)state;
  crd_sim_options options = event_options(0.1);
  simulation *r = simulation_from_example("@rocking-block-zeno", &options);
  double first = crd_sim_qvel(r->sim)[1];
  for (int k = 1; k <= 6; k++) {
    double t = 0.5 * k;
    simulation_run(r, t);
    assert_near(crd_sim_counters_now(r->sim).normal_impulse, 9.81 * t + crd_sim_qvel(r->sim)[1] - first, 1e-6);
  }
  assert_near(crd_sim_counters_now(r->sim).normal_impulse + 3, 28.3780653164 + (1 + 9.81) * (3 - 2.67142139837), 1e-6);
  simulation_free(r);
}

/* ------------------------------------------------------------------------------------------------ sliding and rolling
 */

static const char *const SLIDER =
    "ball_on_floor: option.gravity=%.17g 0 %.17g; floor.friction=%g; ball.type=%s; ball.size=%s; ball.friction=%g";

static simulation *start_slider(double slope, double mu, const char *type, const char *size, crd_sim_options options) {
  char text[700];
  snprintf(text, sizeof text, SLIDER, G * sin(slope), -G * cos(slope), mu, type, size, mu);
  return simulation_from_text(text, &options);
}

/* A block with v0 stops after v0/(mu g), having gone v0^2/(2 mu g); all corners slide in one direction. */
static void a_sliding_block_stops_where_it_should(void **state) {
  (void)state;
  double mu = 0.3, speed = 2, v[6] = {1.2, 1.6, 0, 0, 0, 0};
  simulation *r = start_slider(0, mu, "box", "0.3 0.2 0.1", event_options(0.2));
  assert_int_equal(crd_sim_reset(r->sim, 0, NULL, v, NULL), CRD_OK);
  simulation_run(r, 1);
  const crd_sim_event *stop = simulation_event(r, CRD_EVENT_STICK, 0);
  assert_near(stop->t, speed / (mu * G), 1e-9);
  double path = speed * speed / (2 * mu * G);
  assert_near(crd_sim_qpos(r->sim)[0], 0.6 * path, 1e-9);
  assert_near(crd_sim_qpos(r->sim)[1], 0.8 * path, 1e-9);
  assert_near(crd_sim_qpos(r->sim)[2], 0.1, 1e-12);
  assert_near(crd_sim_energy_now(r->sim).contact, -0.5 * speed * speed, 1e-9);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

static void a_brick_on_an_incline_sticks_below_the_friction_angle_and_slides_above(void **state) {
  (void)state;
  double mu = 0.5, angle = atan(mu);
  simulation *r = start_slider(0.99 * angle, mu, "box", "0.3 0.2 0.1", event_options(1));
  simulation_run(r, 20);
  for (int i = 0; i < 2; i++) assert_near(crd_sim_qpos(r->sim)[i], 0, 1e-12);
  simulation_free(r);
  double slope = 1.1 * angle, a = G * (sin(slope) - mu * cos(slope));
  r = start_slider(slope, mu, "box", "0.3 0.2 0.1", event_options(0.25));
  simulation_run(r, 1);
  assert_near(crd_sim_qpos(r->sim)[0], 0.5 * a, 1e-9);
  assert_near(crd_sim_qpos(r->sim)[1], 0, 1e-9);
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* A ball that starts sliding rolls after 2 v0/(7 mu g), with 5/7 of its velocity. */
static void a_sliding_ball_begins_to_roll(void **state) {
  (void)state;
  double mu = 0.2, v[6] = {1.5, -2, 0, 0, 0, 0}, speed = 2.5;
  simulation *r = start_slider(0, mu, "sphere", "0.1", event_options(0.1));
  assert_int_equal(crd_sim_reset(r->sim, 0, NULL, v, NULL), CRD_OK);
  simulation_run(r, 1);
  assert_int_equal(simulation_count(r, CRD_EVENT_STICK), 1);
  double t = 2 * speed / (7 * mu * G);
  assert_near(simulation_event(r, CRD_EVENT_STICK, 0)->t, t, 1e-9);
  for (int i = 0; i < 2; i++) {
    assert_near(crd_sim_qvel(r->sim)[i], 5.0 / 7 * v[i], 1e-9);
    double slid = v[i] * t - 0.5 * mu * G * v[i] / speed * t * t;
    assert_near(crd_sim_qpos(r->sim)[i], slid + 5.0 / 7 * v[i] * (1 - t), 1e-9);
  }
  assert_ledger(r, 1e-9);
  simulation_free(r);
}

/* A ball rolls down a fixed one, centres at distance 1: v^2 = v0^2 + (10/7) g (1 - cos), normal force g cos - v^2,
 * friction (2/7) g sin [textbook]. It begins to slide where friction reaches mu times the normal force. */
static double sliding_begins(double mu, double v0) {
  double low = 0, high = 1; /* rad; the reserve falls between them */
  for (int i = 0; i < 100; i++) {
    double angle = 0.5 * (low + high), normal = 17 * cos(angle) / 7 - 10.0 / 7 - v0 * v0 / G;
    if (mu * normal - 2.0 / 7 * sin(angle) > 0)
      low = angle;
    else
      high = angle;
  }
  return low;
}

static void a_ball_that_rolls_down_a_ball_begins_to_slide_and_leaves(void **state) {
  (void)state;
  const char *text = "ball_on_ball";
  double v0 = 0.5, v[6] = {v0, 0, 0, 0, v0 / 0.1, 0};
  crd_sim_options options = event_options(0.05);
  simulation *r = simulation_from_text(text, &options);
  assert_int_equal(crd_sim_reset(r->sim, 0, NULL, v, NULL), CRD_OK);
  simulation_run(r, 1);
  assert_int_equal(r->event[0].kind, CRD_EVENT_SLIP);
  assert_int_equal(r->event[1].kind, CRD_EVENT_RELEASE);
  assert_ledger(r, 1e-9);
  double slip = r->event[0].t;
  assert_int_equal(crd_sim_reset(r->sim, 0, NULL, v, NULL), CRD_OK);
  simulation_run(r, slip);
  assert_near(crd_sim_qpos(r->sim)[2], cos(sliding_begins(1, v0)), 1e-9);
  simulation_free(r);
}

int main(void) {
  if (!event_integrator_built()) return EVENT_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_as_the_closed_form_says),
      cmocka_unit_test(an_elastic_ball_keeps_its_energy_over_a_thousand_bounces),
      cmocka_unit_test(bounces_accumulate_where_the_series_does),
      cmocka_unit_test(a_rebound_between_floor_and_ball_is_no_accumulation),
      cmocka_unit_test(feet_of_a_nanometre_bounce_to_rest),
      cmocka_unit_test(a_rocking_block_comes_to_rest_through_infinitely_many_impacts),
      cmocka_unit_test(normal_impulses_balance_the_momentum_of_the_rocking_block),
      cmocka_unit_test(a_sliding_block_stops_where_it_should),
      cmocka_unit_test(a_brick_on_an_incline_sticks_below_the_friction_angle_and_slides_above),
      cmocka_unit_test(a_sliding_ball_begins_to_roll),
      cmocka_unit_test(a_ball_that_rolls_down_a_ball_begins_to_slide_and_leaves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
