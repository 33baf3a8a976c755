/* The event-driven integrator on mechanisms: rolling disks, loops, limits, impacts without collision; and its promises
 * about saved states and equal bits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/random_mechanism.h"
#include "support/rolling_disk.h"

static const double G = 9.81;

/* ------------------------------------------------------------------------------------------------ rolling disks */

static void a_disk_rolls_in_steady_precession(void **state) {
  (void)state;
  const rolling_disk d = {0.3, 0.02, 1, 0.0225, 0.045, 1.0, 4};
  crd_sim_options options = event_options(0.1);
  simulation *s;
  double r[2], w3 = rolling_disk_spin(&d, r), R = rolling_disk_start(&d, w3, &options, &s);
  double period = 2 * acos(-1.0) / d.turn;
  for (int quarter = 1; quarter <= 4; quarter++) {
    double t = 0.25 * quarter * period;
    simulation_run(s, t);
    assert_near(crd_sim_qpos(s->sim)[0], R * cos(d.turn * t), 1e-8);
    assert_near(crd_sim_qpos(s->sim)[1], R * sin(d.turn * t), 1e-8);
    assert_near(crd_sim_qpos(s->sim)[2], -r[1], 1e-8);
    assert_near(crd_sim_qvel(s->sim)[5], w3, 1e-8);
  }
  assert_int_equal(s->count, 0);
  assert_ledger(s, 1e-9);
  simulation_free(s);
}

/* Euler's disk: its centre at rest, the contact runs round the rim with W^2 = 4 g / (a sin(alpha)) (thin disk). */
static void a_coin_turns_on_the_spot_at_its_own_rate(void **state) {
  (void)state;
  rolling_disk d = {0.3, 1e-6, 1, 0.0225, 0.045, 0.35, 0};
  d.turn = resting_disk_turn(&d);
  assert_near(d.turn, sqrt(4 * G / (d.a * sin(d.alpha))), 1e-4);
  crd_sim_options options = event_options(0.05);
  simulation *s;
  double r[2], w3 = rolling_disk_spin(&d, r), R = rolling_disk_start(&d, w3, &options, &s), t = 0.5;
  assert_near(R, 0, 1e-12);
  simulation_run(s, t);
  const double *q = crd_sim_qpos(s->sim);
  assert_near(hypot(q[0], q[1]), 0, 1e-7);
  assert_near(q[2], -r[1], 1e-8);
  /* the axis, third column of the rotation, has turned by W t about the vertical */
  double x = 2 * (q[4] * q[6] + q[3] * q[5]), y = 2 * (q[5] * q[6] - q[3] * q[4]);
  assert_near(remainder(atan2(y, x) - d.turn * t, 2 * acos(-1.0)), 0, 1e-6);
  simulation_free(s);
}

/* Not steady: the coin wobbles, and rolling does no work. */
static void a_wobbling_coin_keeps_its_energy_while_it_rolls(void **state) {
  (void)state;
  const rolling_disk d = {0.3, 0.02, 1, 0.0225, 0.045, 1.0, 4};
  crd_sim_options options = event_options(0.1);
  simulation *s;
  double r[2], w3 = 1.3 * rolling_disk_spin(&d, r);
  rolling_disk_start(&d, w3, &options, &s);
  simulation_run(s, 1);
  assert_int_equal(s->count, 0);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_near(e.kinetic + e.potential, e.start, 1e-9);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] + r[1]) > 1e-3);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ shared loads */

/* A pendulum swings on a sledge, which sticks and slides. Two sledges that are coupled, each with a share of mass and dry
 * friction, share the load in no unique way, and move as the one. */
static void two_coupled_joints_share_their_friction_as_one(void **state) {
  (void)state;
  static const char *const scene =
      "<mujoco><worldbody><body><joint name='a' type='slide' axis='1 0 0' frictionloss='%g'/>"
      "<geom type='sphere' size='0.1' mass='%g' contype='0' conaffinity='0'/>"
      "<body><joint type='hinge' axis='0 1 0' ref='60'/>"
      "<geom type='sphere' size='0.1' pos='0.8660254037844386 0 -0.5' mass='1' contype='0' conaffinity='0'/></body>"
      "</body>%s</worldbody>%s</mujoco>";
  static const char *const second =
      "<body pos='0 1 0'><joint name='b' type='slide' axis='1 0 0' frictionloss='0.7'/>"
      "<geom type='sphere' size='0.1' mass='0.4' contype='0' conaffinity='0'/></body>";
  char text[2][1000];
  snprintf(text[0], sizeof text[0], scene, 2.0, 1.0, "", "");
  snprintf(text[1], sizeof text[1], scene, 1.3, 0.6, second, "<equality><joint joint1='a' joint2='b'/></equality>");
  simulation *s[2];
  crd_sim_options options = event_options(0.1);
  for (int i = 0; i < 2; i++) s[i] = simulation_from_text(text[i], &options);
  for (int step = 1; step <= 30; step++) {
    for (int i = 0; i < 2; i++) simulation_run(s[i], 0.1 * step);
    for (int k = 0; k < 2; k++) {
      assert_near(crd_sim_qpos(s[1]->sim)[k], crd_sim_qpos(s[0]->sim)[k], 1e-9);
      assert_near(crd_sim_qvel(s[1]->sim)[k], crd_sim_qvel(s[0]->sim)[k], 1e-9);
    }
  }
  /* it has moved, and the joint that came to its bound first stayed there: no more than two instants for one */
  assert_true(fabs(crd_sim_qpos(s[0]->sim)[0]) > 1e-2);
  assert_true(crd_sim_counters_now(s[1]->sim).solves <= 2 * crd_sim_counters_now(s[0]->sim).solves);
  for (int i = 0; i < 2; i++) assert_ledger(s[i], 1e-9), simulation_free(s[i]);
}

/* A block on a rough table is pulled by a spring across a weight's: sliding begins in one direction and turns. Stepping
 * approaches it. */
static void sliding_that_begins_turns_with_the_load(void **state) {
  (void)state;
  static const char *const scene = "block_pulled_by_spring_and_weight";
  const double q[4] = {0.05, 0, 0, 0}, v[4] = {0, 0, 0, 25};
  double error[2];
  crd_sim_options options = event_options(0.01);
  simulation *exact = simulation_from_text(scene, &options);
  assert_int_equal(crd_sim_reset(exact->sim, 0, q, v, NULL), CRD_OK);
  simulation_run(exact, 0.5);
  assert_true(fabs(crd_sim_qpos(exact->sim)[0] - 0.05) > 1e-2 && fabs(crd_sim_qpos(exact->sim)[1]) > 1e-3);
  assert_true(crd_sim_counters_now(exact->sim).solves < 100);
  assert_ledger(exact, 1e-9);
  for (int i = 0; i < 2; i++) {
    crd_sim_options steps = crd_sim_default();
    steps.timestep = i ? 1e-4 : 2e-3;
    simulation *s = simulation_from_text(scene, &steps);
    assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
    simulation_run(s, 0.5);
    error[i] = hypot(crd_sim_qpos(s->sim)[0] - crd_sim_qpos(exact->sim)[0],
                     crd_sim_qpos(s->sim)[1] - crd_sim_qpos(exact->sim)[1]);
    simulation_free(s);
  }
  assert_true(error[0] < 1e-3 && error[1] < 0.5 * error[0]);
  simulation_free(exact);
}

/* ------------------------------------------------------------------------------------------------ Painleve */

/* tan(angle) = 2, mu = 1.5: W_nn = 8/5, W_nt = 6/5, W_tt = 17/5, so that W_nn - mu W_nt = -1/5. Sliding with 1 m/s it
 * stops and then sticks: p = W^-1 (0, 1) = (0.3, 0.4), which loses 0.2 J. */
static void the_rod_passes_its_paradox_by_an_impact_without_collision(void **state) {
  (void)state;
  crd_sim_options options = event_options(0.01);
  simulation *s = simulation_from_example("@painleve-rod", &options);
  double last = crd_sim_energy_now(s->sim).start;
  for (int i = 0; i < 80; i++) {
    simulation_run(s, 0.01 * (i + 1));
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(e.kinetic + e.potential <= last + 1e-9);
    last = e.kinetic + e.potential;
  }
  assert_int_equal(simulation_count(s, CRD_EVENT_PAINLEVE), 1);
  const crd_sim_event *event = simulation_event(s, CRD_EVENT_PAINLEVE, 0);
  assert_near(event->t, 0, 0);
  assert_near(event->impulse, 0.3, 1e-9);
  assert_near(event->energy, -0.2, 1e-9);
  int count;
  const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
  assert_int_equal(count, 1);
  assert_int_equal(contact[0].mode, CRD_MODE_STICK);
  assert_ledger(s, 1e-9);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ mechanisms */

/* A four-bar that swings towards its wall: the impact is where the wall is, and the loop stays closed. */
static void a_four_bar_hits_its_wall(void **state) {
  (void)state;
  crd_sim_options options = event_options(0.05);
  options.e = 0.5;
  simulation *s = simulation_from_example("@four-bar", &options);
  /* a parallelogram: crank at 75 deg instead of 60, turning towards the wall */
  const double degree = acos(-1.0) / 180, crank = 75 * degree;
  const double q[3] = {crank, -crank, -(acos(-1.0) - crank)}, v[3] = {-1, 1, -1};
  assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
  simulation_run(s, 1);
  const crd_sim_event *hit = simulation_event(s, CRD_EVENT_IMPACT, 0);
  /* energy at the impact: crank angle 60 deg. Bars 1 and 3 turn about their ends (1/3 each), the coupler moves (1):
   * T = (5/6) rate^2; V = g (1/2 + 1 + 1/2) sin */
  double rate = sqrt(1 + 2 * G * (sin(crank) - sin(60 * degree)) / (5.0 / 6));
  assert_near(hit->approach, rate * sin(60 * degree), 1e-8);
  assert_true(crd_sim_counters_now(s->sim).loop_max <= 1e-8);
  assert_ledger(s, 1e-8);
  simulation_free(s);
}

/* Crank and rod of 1 m at angles a and -a. All that moves is a function of a, I(a) a'^2 is constant, with
 * I = 0.3 + 0.2 + 2 (9 sin^2 a + cos^2 a) / 4 + 0.5 4 sin^2 a, and the slider is at 2 cos a - 2. At a = 90 deg the slider passes the
 * pivot and the loop loses a row: from there crank and rod could as well turn together, with the slider at rest. */
static void a_mechanism_that_folds_goes_on_as_it_came(void **state) {
  (void)state;
  static const double tolerances[] = {1e-12, 1e-11, 1e-10, 1e-9};
  for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
    crd_sim_options options = event_options(0.01);
    options.relative_tolerance = tolerances[i];
    simulation *s = simulation_from_text("folding_crank", &options);
    const double degree = acos(-1.0) / 180, start = 60 * degree, rate = 3;
    /* turns about y go from x to -z */
    const double q[3] = {start, -2 * start, 2 * cos(start) - 2}, v[3] = {rate, -2 * rate, -2 * sin(start) * rate};
    assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
    simulation_run(s, 0.5);
    const double *now = crd_sim_qpos(s->sim), a = now[0], c2 = cos(a) * cos(a), c0 = cos(start) * cos(start);
    const double inertia = 0.5 + 0.5 * (9 - 8 * c2) + 2 * (1 - c2), before = 0.5 + 0.5 * (9 - 8 * c0) + 2 * (1 - c0);
    assert_true(a > 100 * degree);
    assert_near(now[2], 2 * cos(a) - 2, 1e-7);
    assert_near(now[1], -2 * a, 1e-7);
    assert_near(crd_sim_qvel(s->sim)[0], rate * sqrt(before / inertia), 1e-6);
    assert_ledger(s, 1e-6);
    simulation_free(s);
  }
}

/* Kane's double pendulum on its rough floor: whatever it does, no contact gains energy and none sinks in. */
static void the_double_pendulum_on_the_floor_loses_energy_only(void **state) {
  (void)state;
  crd_sim_options options = event_options(0.02);
  simulation *s = simulation_from_example("@double-pendulum-floor", &options);
  double last = crd_sim_energy_now(s->sim).start;
  for (int i = 0; i < 50; i++) {
    simulation_run(s, 0.02 * (i + 1));
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(e.kinetic + e.potential <= last + 1e-9);
    last = e.kinetic + e.potential;
  }
  assert_int_equal(simulation_count(s, CRD_EVENT_ZENO), 1);
  assert_true(crd_sim_counters_now(s->sim).penetration_max < 1e-6);
  assert_ledger(s, 1e-9);
  simulation_free(s);
}

/* A pendulum released from the horizontal strikes its stop at the vertical with sqrt(2 g m l / I) and returns with e.
 */
static void a_joint_bounces_off_its_limit(void **state) {
  (void)state;
  const char *text = "pendulum_on_stop";
  crd_sim_options options = event_options(0.05);
  options.e = 0.5;
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 1.2);
  const crd_sim_event *hit = simulation_event(s, CRD_EVENT_IMPACT, 0);
  assert_near(hit->approach, sqrt(2 * G / 1.001), 1e-8);
  assert_near(hit->energy, -0.75 * G, 1e-7);
  assert_ledger(s, 1e-8);
  simulation_free(s);
}

/* A ball of 1 kg below a carriage of 3 kg, the joint between them half a micrometre before its limit, all at 1 m/s: the
 * floor stops the ball with 1 kg m/s, for the limit is open, and half a microsecond later the limit stops the carriage
 * with 3, which the floor takes up, too. */
static void a_limit_that_is_not_reached_takes_no_part_in_an_impact(void **state) {
  (void)state;
  const char *text = "stop_and_floor_together";
  crd_sim_options options = event_options(0.1);
  options.e = 0;
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 0.6);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 2);
  assert_near(simulation_event(s, CRD_EVENT_IMPACT, 0)->t, 0.4, 1e-12);
  assert_near(simulation_event(s, CRD_EVENT_IMPACT, 0)->impulse, 1, 1e-12);
  assert_near(simulation_event(s, CRD_EVENT_IMPACT, 1)->t, 0.4 + 5e-7, 1e-12);
  assert_near(simulation_event(s, CRD_EVENT_IMPACT, 1)->impulse, 3 + 3, 1e-12);
  assert_near(crd_sim_qvel(s->sim)[0], 0, 1e-12);
  simulation_free(s);
}

/* A carriage of 2 kg with 1 m/s and 0.5 N of dry friction stops after m v/F = 4 s and m v^2/(2 F) = 2 m. A bar of
 * weight torque 9.81 N m, held horizontal by 12 N m of friction, does not move. One with 3 N m first comes to rest
 * where g sin(angle) = 3 angle, angle from the horizontal, and goes on from there: friction takes what gravity gave. */
static void joints_with_dry_friction_stop_and_stick(void **state) {
  (void)state;
  const char *text = "dry_joints";
  const double v[3] = {1, 0, 0};
  crd_sim_options options = event_options(0.3);
  simulation *s = simulation_from_text(text, &options);
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, v, NULL), CRD_OK);
  simulation_run(s, 1);
  assert_near(crd_sim_qvel(s->sim)[0], 1 - 0.25, 1e-10);
  double low = 1, high = 3; /* g sin - 3 angle falls through zero */
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (G * sin(middle) > 3 * middle)
      low = middle;
    else
      high = middle;
  }
  double highest = 0;
  for (double t = 1; t < 2; t += 0.01) {
    simulation_run(s, t);
    highest = fmax(highest, crd_sim_qpos(s->sim)[2]);
  }
  assert_near(highest, low, 1e-3); /* the turning point lies between two samples */
  assert_true(highest <= low + 1e-9);
  simulation_run(s, 15);
  assert_near(crd_sim_qpos(s->sim)[0], 2, 1e-9);
  assert_near(crd_sim_qpos(s->sim)[1], 0, 1e-12);
  for (int i = 0; i < 3; i++) assert_near(crd_sim_qvel(s->sim)[i], 0, 1e-12);
  double angle = crd_sim_qpos(s->sim)[2];
  assert_true(fabs(G * cos(angle)) <= 3);
  assert_near(crd_sim_energy_now(s->sim).damping, -1 - G * sin(angle), 1e-9);
  assert_ledger(s, 1e-9);
  simulation_free(s);
}

/* A trestle: two legs, 0.2 m outward and 0.5 m high, held by 0.5 N m of dry friction at the hips, on feet that stick
 * (mu = 1). With N = m g/2 on each foot and F inward the hip carries N 0.2 - F 0.5, which is none at F = 0.4 N < mu N:
 * it stands whatever the hips carry within their bounds. A pendulum of I = 0.019 kg m^2 that swings on it from the
 * horizontal, m l = 0.06 kg m, shifts the loads all the time: I w^2/2 = m g l sin(angle). */
static void a_trestle_held_by_dry_joints_stands_while_a_pendulum_swings_on_it(void **state) {
  (void)state;
  const char *leg =
      "<inertial pos='%g 0 -0.25' mass='0.1' diaginertia='.001 .001 .001'/>"
      "<geom type='sphere' size='.01' pos='%g 0 -0.5' friction='1'/></body>";
  char text[2000], legs[2][300];
  for (int k = 0; k < 2; k++) snprintf(legs[k], sizeof legs[k], leg, k ? -0.1 : 0.1, k ? -0.2 : 0.2);
  snprintf(text, sizeof text,
           "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='0 0 1' friction='1'/>"
           "<body pos='0 0 0.51'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
           "<joint type='hinge' axis='0 1 0'/><inertial pos='0 0 0' mass='10' diaginertia='.1 .1 .1'/>"
           "<body><joint type='hinge' axis='0 1 0'/><inertial pos='0.3 0 0' mass='0.2' diaginertia='.001 .001 .001'/>"
           "</body><body pos='0.1 0 0'><joint type='hinge' axis='0 1 0' frictionloss='0.5'/>%s"
           "<body pos='-0.1 0 0'><joint type='hinge' axis='0 1 0' frictionloss='0.5'/>%s</body></worldbody></mujoco>",
           legs[0], legs[1]);
  crd_sim_options options = event_options(0.01);
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 1);
  for (int k = 0; k < 6; k++)
    if (k != 3) assert_near(crd_sim_qpos(s->sim)[k], 0, 1e-12), assert_near(crd_sim_qvel(s->sim)[k], 0, 1e-12);
  double w = crd_sim_qvel(s->sim)[3];
  assert_near(0.5 * 0.019 * w * w, 0.06 * G * sin(crd_sim_qpos(s->sim)[3]), 1e-9);
  assert_int_equal(s->count, 0);
  assert_ledger(s, 1e-9);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ promises */

static void every_run_has_the_same_bits_and_so_has_a_restored_one(void **state) {
  (void)state;
  const char *scene[3] = {"@rocking-block-zeno", "@bouncing-ball", "@double-pendulum-floor"};
  for (int k = 0; k < 3; k++) {
    crd_sim_options options = event_options(0.05);
    simulation *a = simulation_from_example(scene[k], &options), *b = simulation_from_example(scene[k], &options);
    simulation_run(a, 0.95), simulation_run(b, 0.95);
    size_t size = crd_sim_saved_size(a->sim), nq = (size_t)a->model->nq, nv = (size_t)a->model->nv;
    void *saved = malloc(size);
    assert_int_equal(crd_sim_save(a->sim, saved, size), CRD_OK);
    simulation_run(a, 2), simulation_run(b, 2);
    simulation *c = simulation_from_example(scene[k], &options);
    assert_int_equal(crd_sim_restore(c->sim, saved, size), CRD_OK);
    simulation_run(c, 2);
    assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), nq * sizeof(double));
    assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), nv * sizeof(double));
    assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(c->sim), nq * sizeof(double));
    assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(c->sim), nv * sizeof(double));
    free(saved);
    simulation_free(a), simulation_free(b), simulation_free(c);
  }
}

/* Steps that are powers of two end at exactly the same instants. */
static void the_motion_does_not_depend_on_how_often_it_is_reported(void **state) {
  (void)state;
  const char *scene[4] = {"@pendulum:1", "@rocking-block-zeno", "@double-pendulum-floor", "@bouncing-ball"};
  for (int k = 0; k < 4; k++) {
    simulation *s[3];
    for (int i = 0; i < 3; i++) {
      crd_sim_options options = event_options(ldexp(1, -1 - 4 * i));
      s[i] = simulation_from_example(scene[k], &options);
      simulation_run(s[i], 2);
    }
    for (int i = 1; i < 3; i++) {
      size_t nq = (size_t)s[0]->model->nq, nv = (size_t)s[0]->model->nv;
      assert_int_equal(s[i]->count, s[0]->count);
      for (int e = 0; e < s[0]->count; e++) {
        assert_true(s[i]->event[e].kind == s[0]->event[e].kind && s[i]->event[e].t == s[0]->event[e].t);
        assert_true(s[i]->event[e].impulse == s[0]->event[e].impulse);
      }
      assert_memory_equal(crd_sim_qpos(s[i]->sim), crd_sim_qpos(s[0]->sim), nq * sizeof(double));
      assert_memory_equal(crd_sim_qvel(s[i]->sim), crd_sim_qvel(s[0]->sim), nv * sizeof(double));
    }
    for (int i = 0; i < 3; i++) simulation_free(s[i]);
  }
}

/* The same of random mechanisms, which slide, roll, stop at limits and rub: states and events to the bit, impulses, which
 * are sums over reports, to rounding. */
static void nor_does_that_of_random_mechanisms(void **state) {
  (void)state;
  for (uint64_t seed = 3; seed <= 9; seed++) {
    simulation *s[2];
    for (int i = 0; i < 2; i++) {
      crd_sim_options options = event_options(ldexp(1, i ? -9 : -4));
      s[i] = random_mechanism(seed, &options);
      simulation_run(s[i], 1);
    }
    assert_int_equal(s[0]->count, s[1]->count);
    for (int e = 0; e < s[0]->count && e < SIMULATION_EVENTS; e++) {
      const crd_sim_event *a = &s[0]->event[e], *b = &s[1]->event[e];
      assert_true(a->kind == b->kind && a->t == b->t && a->impulse == b->impulse && a->energy == b->energy);
      assert_near(a->s, b->s, 1e-12 * a->s);
    }
    assert_memory_equal(crd_sim_qpos(s[0]->sim), crd_sim_qpos(s[1]->sim), (size_t)s[0]->model->nq * sizeof(double));
    assert_memory_equal(crd_sim_qvel(s[0]->sim), crd_sim_qvel(s[1]->sim), (size_t)s[0]->model->nv * sizeof(double));
    for (int i = 0; i < 2; i++) simulation_free(s[i]);
  }
}

int main(void) {
  if (!event_integrator_built()) return EVENT_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_disk_rolls_in_steady_precession),
      cmocka_unit_test(a_coin_turns_on_the_spot_at_its_own_rate),
      cmocka_unit_test(a_wobbling_coin_keeps_its_energy_while_it_rolls),
      cmocka_unit_test(two_coupled_joints_share_their_friction_as_one),
      cmocka_unit_test(sliding_that_begins_turns_with_the_load),
      cmocka_unit_test(the_rod_passes_its_paradox_by_an_impact_without_collision),
      cmocka_unit_test(a_four_bar_hits_its_wall),
      cmocka_unit_test(a_mechanism_that_folds_goes_on_as_it_came),
      cmocka_unit_test(the_double_pendulum_on_the_floor_loses_energy_only),
      cmocka_unit_test(a_joint_bounces_off_its_limit),
      cmocka_unit_test(a_limit_that_is_not_reached_takes_no_part_in_an_impact),
      cmocka_unit_test(joints_with_dry_friction_stop_and_stick),
      cmocka_unit_test(a_trestle_held_by_dry_joints_stands_while_a_pendulum_swings_on_it),
      cmocka_unit_test(the_motion_does_not_depend_on_how_often_it_is_reported),
      cmocka_unit_test(nor_does_that_of_random_mechanisms),
      cmocka_unit_test(every_run_has_the_same_bits_and_so_has_a_restored_one)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
