/* The event-driven integrator against closed forms: times and places of impacts, sliding, rolling, rocking. */
#include <cradle/io.h>
#include <cradle/sim.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { MAX_EVENTS = 4096 };

static const double G = 9.81;

typedef struct record {
  int count;
  crd_sim_event event[MAX_EVENTS];
  char name[MAX_EVENTS][32];
  double height[MAX_EVENTS]; /* qpos[2] at the event */
} record;

typedef struct run {
  crd_model *model;
  crd_sim *sim;
  record *events;
} run;

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("found %.17g, expected %.17g, difference %g", found, expected, found - expected);
}

static void note(void *context, const crd_sim *sim, const crd_sim_event *event) {
  record *r = context;
  assert_true(r->count < MAX_EVENTS);
  r->event[r->count] = *event;
  snprintf(r->name[r->count], sizeof r->name[0], "%s", event->contact);
  if (crd_sim_model(sim)->nq > 2) r->height[r->count] = crd_sim_qpos(sim)[2];
  r->count++;
}

static crd_sim_options event_options(double timestep) {
  crd_sim_options options = crd_sim_default();
  options.integrator = CRD_SIM_EVENT, options.timestep = timestep;
  options.relative_tolerance = 1e-12, options.absolute_tolerance = 1e-14;
  return options;
}

static run start_text(const char *mjcf, crd_sim_options options, int key) {
  run r = {.events = calloc(1, sizeof *r.events)};
  crd_error err = {0};
  options.observer.context = r.events, options.observer.event = note;
  if (crd_io_read_model_text(mjcf, strlen(mjcf), "test.xml", NULL, &r.model, NULL, &err) != CRD_OK)
    fail_msg("%s", err.text);
  if (crd_sim_new(r.model, &options, &r.sim, &err) != CRD_OK) fail_msg("%s", err.text);
  if (key < r.model->nkey && crd_sim_reset(r.sim, 0, r.model->key[key].qpos, r.model->key[key].qvel, &err) != CRD_OK)
    fail_msg("%s", err.text);
  return r;
}

static run start_example(const char *spec, crd_sim_options options, int key) {
  crd_arena arena = {0};
  const char *text;
  crd_error err = {0};
  if (crd_io_example_text(spec, NULL, &arena, &text, &err) != CRD_OK) fail_msg("%s", err.text);
  run r = start_text(text, options, key);
  crd_arena_free(&arena);
  return r;
}

static void run_until(run *r, double t) {
  if (crd_sim_run(r->sim, t) != CRD_OK) fail_msg("%s", crd_sim_message(r->sim));
}

static void end(run *r) {
  crd_sim_free(r->sim);
  crd_model_free(r->model);
  free(r->events);
}

/* Events of one kind, in order. */
static const crd_sim_event *event_of(const run *r, crd_sim_event_kind kind, int index) {
  for (int i = 0; i < r->events->count; i++)
    if (r->events->event[i].kind == kind && index-- == 0) return &r->events->event[i];
  return NULL;
}

static int count_of(const run *r, crd_sim_event_kind kind) {
  int count = 0;
  while (event_of(r, kind, count)) count++;
  return count;
}

/* K + V = start + booked works, and nothing gained by contact. */
static void assert_ledger(const run *r, double tolerance) {
  crd_sim_energy e = crd_sim_energy_now(r->sim);
  assert_near(e.integration, 0, tolerance);
  assert_near(e.gain_max, 0, tolerance);
}

/* ------------------------------------------------------------------------------------------------ bouncing ball */

/* Dropped from 1 m: first impact t1 = sqrt(2/g), then t_k+1 = t_k + 2 e^k t1; heights e^2k m between them. */
static void a_ball_bounces_as_the_closed_form_says(void **state) {
  (void)state;
  const double restitution[3] = {0.5, 0.9, 1};
  for (int k = 0; k < 3; k++) {
    double e = restitution[k], t1 = sqrt(2 / G), t = t1, last = k == 0 ? 1.3 : 4;
    crd_sim_options options = event_options(0.03);
    options.e = e;
    run r = start_example("@bouncing-ball", options, 0);
    run_until(&r, last);
    double interval = 2 * e * t1;
    int impacts = 0;
    for (; t < last; impacts++, t += interval, interval *= e) {
      const crd_sim_event *event = event_of(&r, CRD_EVENT_IMPACT, impacts);
      assert_non_null(event);
      assert_near(event->t, t, 1e-9);
      assert_near(event->approach, sqrt(2 * G) * pow(e, impacts), 1e-9);
    }
    assert_int_equal(count_of(&r, CRD_EVENT_IMPACT), impacts);
    /* where it is now, in the flight that the last impact began */
    double since = last - event_of(&r, CRD_EVENT_IMPACT, impacts - 1)->t, up = sqrt(2 * G) * pow(e, impacts);
    assert_near(crd_sim_qpos(r.sim)[2], 0.1 + up * since - 0.5 * G * since * since, 1e-9);
    assert_ledger(&r, 1e-9);
    end(&r);
  }
}

static void an_elastic_ball_keeps_its_energy_over_a_thousand_bounces(void **state) {
  (void)state;
  crd_sim_options options = event_options(1);
  options.e = 1;
  run r = start_example("@bouncing-ball", options, 0);
  double period = 2 * sqrt(2 / G);
  run_until(&r, 1000 * period);
  assert_int_equal(count_of(&r, CRD_EVENT_IMPACT), 1000);
  crd_sim_energy e = crd_sim_energy_now(r.sim);
  assert_near((e.kinetic + e.potential) / e.start, 1, 1e-9);
  assert_int_equal(count_of(&r, CRD_EVENT_ZENO), 0);
  end(&r);
}

/* Infinitely many bounces until t* = t1 (1 + e)/(1 - e), then rest. */
static void bounces_accumulate_where_the_series_does(void **state) {
  (void)state;
  const double restitution[2] = {0.5, 0.9};
  for (int k = 0; k < 2; k++) {
    double e = restitution[k], limit = sqrt(2 / G) * (1 + e) / (1 - e);
    crd_sim_options options = event_options(0.5);
    options.e = e;
    run r = start_example("@bouncing-ball", options, 0);
    run_until(&r, limit + 1);
    assert_int_equal(count_of(&r, CRD_EVENT_ZENO), 1);
    assert_near(event_of(&r, CRD_EVENT_ZENO, 0)->t, limit, 1e-9);
    assert_near(crd_sim_qpos(r.sim)[2], 0.1, 1e-12);
    assert_near(crd_sim_qvel(r.sim)[2], 0, 1e-12);
    assert_ledger(&r, 1e-9);
    end(&r);
  }
}

/* ------------------------------------------------------------------------------------------------ rocking block */

/* Impact times and accumulation of EXAMPLES.md (independent quadrature of the pendulum motion between impacts). */
static void a_rocking_block_comes_to_rest_through_infinitely_many_impacts(void **state) {
  (void)state;
  const double times[6] = {0.987327807316, 1.53126984641, 1.8845703372, 2.12422174284, 2.28957526491, 2.40453215564};
  run r = start_example("@rocking-block-zeno", event_options(0.1), 0);
  run_until(&r, 4);
  for (int i = 0; i < 6; i++) {
    const crd_sim_event *event = event_of(&r, CRD_EVENT_IMPACT, i);
    assert_near(event->t, times[i], 1e-9);
    assert_near(event->approach, pow(0.7, i), 1e-9);
  }
  assert_int_equal(count_of(&r, CRD_EVENT_ZENO), 1);
  assert_near(event_of(&r, CRD_EVENT_ZENO, 0)->t, 2.67142139837, 1e-8);
  for (int i = 0; i < 3; i++) assert_near(crd_sim_qvel(r.sim)[i], 0, 1e-12);
  assert_near(crd_sim_qpos(r.sim)[2], 0, 1e-12);
  assert_ledger(&r, 1e-9);
  end(&r);
}

/* ------------------------------------------------------------------------------------------------ sliding and rolling
 */

static const char *const SLIDER =
    "<mujoco><option gravity='%.17g 0 %.17g'/><worldbody><geom type='plane' size='0 0 1' friction='%g'/>"
    "<body pos='0 0 0.1'><freejoint/><geom type='%s' size='%s' mass='1' friction='%g'/></body></worldbody></mujoco>";

static run start_slider(double slope, double mu, const char *type, const char *size, crd_sim_options options) {
  char text[700];
  snprintf(text, sizeof text, SLIDER, G * sin(slope), -G * cos(slope), mu, type, size, mu);
  return start_text(text, options, 0);
}

/* A block with v0 stops after v0/(mu g), having gone v0^2/(2 mu g); all corners slide in one direction. */
static void a_sliding_block_stops_where_it_should(void **state) {
  (void)state;
  double mu = 0.3, speed = 2, v[6] = {1.2, 1.6, 0, 0, 0, 0};
  run r = start_slider(0, mu, "box", "0.3 0.2 0.1", event_options(0.2));
  assert_int_equal(crd_sim_reset(r.sim, 0, NULL, v, NULL), CRD_OK);
  run_until(&r, 1);
  const crd_sim_event *stop = event_of(&r, CRD_EVENT_STICK, 0);
  assert_non_null(stop);
  assert_near(stop->t, speed / (mu * G), 1e-9);
  double path = speed * speed / (2 * mu * G);
  assert_near(crd_sim_qpos(r.sim)[0], 0.6 * path, 1e-9);
  assert_near(crd_sim_qpos(r.sim)[1], 0.8 * path, 1e-9);
  assert_near(crd_sim_qpos(r.sim)[2], 0.1, 1e-12);
  assert_near(crd_sim_energy_now(r.sim).contact, -0.5 * speed * speed, 1e-9);
  assert_ledger(&r, 1e-9);
  end(&r);
}

static void a_brick_on_an_incline_sticks_below_the_friction_angle_and_slides_above(void **state) {
  (void)state;
  double mu = 0.5, angle = atan(mu);
  run r = start_slider(0.99 * angle, mu, "box", "0.3 0.2 0.1", event_options(1));
  run_until(&r, 20);
  for (int i = 0; i < 2; i++) assert_near(crd_sim_qpos(r.sim)[i], 0, 1e-12);
  end(&r);
  double slope = 1.1 * angle, a = G * (sin(slope) - mu * cos(slope));
  r = start_slider(slope, mu, "box", "0.3 0.2 0.1", event_options(0.25));
  run_until(&r, 1);
  assert_near(crd_sim_qpos(r.sim)[0], 0.5 * a, 1e-9);
  assert_near(crd_sim_qpos(r.sim)[1], 0, 1e-9);
  assert_ledger(&r, 1e-9);
  end(&r);
}

/* A ball that starts sliding rolls after 2 v0/(7 mu g), with 5/7 of its velocity. */
static void a_sliding_ball_begins_to_roll(void **state) {
  (void)state;
  double mu = 0.2, v[6] = {1.5, -2, 0, 0, 0, 0}, speed = 2.5;
  run r = start_slider(0, mu, "sphere", "0.1", event_options(0.1));
  assert_int_equal(crd_sim_reset(r.sim, 0, NULL, v, NULL), CRD_OK);
  run_until(&r, 1);
  assert_int_equal(count_of(&r, CRD_EVENT_STICK), 1);
  double t = 2 * speed / (7 * mu * G);
  assert_near(event_of(&r, CRD_EVENT_STICK, 0)->t, t, 1e-9);
  for (int i = 0; i < 2; i++) {
    assert_near(crd_sim_qvel(r.sim)[i], 5.0 / 7 * v[i], 1e-9);
    double slid = v[i] * t - 0.5 * mu * G * v[i] / speed * t * t;
    assert_near(crd_sim_qpos(r.sim)[i], slid + 5.0 / 7 * v[i] * (1 - t), 1e-9);
  }
  assert_ledger(&r, 1e-9);
  end(&r);
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
  const char *text =
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='sphere' size='0.9'/>"
      "<body pos='0 0 1'><freejoint/><geom type='sphere' size='0.1'/></body></worldbody></mujoco>";
  double v0 = 0.5, v[6] = {v0, 0, 0, 0, v0 / 0.1, 0};
  run r = start_text(text, event_options(0.05), 0);
  assert_int_equal(crd_sim_reset(r.sim, 0, NULL, v, NULL), CRD_OK);
  run_until(&r, 1);
  assert_int_equal(r.events->event[0].kind, CRD_EVENT_SLIP);
  assert_near(r.events->height[0], cos(sliding_begins(1, v0)), 1e-9);
  assert_int_equal(r.events->event[1].kind, CRD_EVENT_RELEASE);
  assert_ledger(&r, 1e-9);
  end(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_bounces_as_the_closed_form_says),
      cmocka_unit_test(an_elastic_ball_keeps_its_energy_over_a_thousand_bounces),
      cmocka_unit_test(bounces_accumulate_where_the_series_does),
      cmocka_unit_test(a_rocking_block_comes_to_rest_through_infinitely_many_impacts),
      cmocka_unit_test(a_sliding_block_stops_where_it_should),
      cmocka_unit_test(a_brick_on_an_incline_sticks_below_the_friction_angle_and_slides_above),
      cmocka_unit_test(a_sliding_ball_begins_to_roll),
      cmocka_unit_test(a_ball_that_rolls_down_a_ball_begins_to_slide_and_leaves)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
