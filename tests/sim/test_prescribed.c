/* Claims about prescribed motion: a joint follows it to the last bit whatever acts; everything else moves by the equations of
 * a mechanism with a driven joint, at the order of the integrator; contacts and impacts see a body that cannot yield; and
 * the ledger closes with the work that the drive does. Expected values: an independent integration of a pendulum's
 * equation, and closed forms. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double G = 9.81;

static const crd_sim_integrator driven[] = {CRD_SIM_RK4, CRD_SIM_MIDPOINT, CRD_SIM_EULER};
enum { DRIVEN = sizeof driven / sizeof driven[0] };

/* q = start + speed t + amplitude (1 - cos w t) + swing sin w t */
typedef struct motion {
  double start, speed, amplitude, swing, w;
} motion;

static void move(void *context, double t, int joint, double out[3]) {
  const motion *m = context;
  const double c = cos(m->w * t), s = sin(m->w * t);
  (void)joint;
  out[0] = m->start + m->speed * t + m->amplitude * (1 - c) + m->swing * s;
  out[1] = m->speed + m->w * (m->amplitude * s + m->swing * c);
  out[2] = m->w * m->w * (m->amplitude * c - m->swing * s);
}

static crd_sim_options options_of(const int *joint, int count, motion *m) {
  crd_sim_options options = crd_sim_default();
  options.prescribed = joint, options.nprescribed = count;
  options.motion = move, options.motion_context = m;
  return options;
}

static const int first[1] = {0};

/* ------------------------------------------------------------------------------------------------ pendulum */

/* A carriage of 2 kg on a slide along x; a bob of m = 0.5 kg, I = 0.01 kg m^2 at l = 0.4 m below a hinge about -y, so that
 * a positive angle carries it towards +x. */
static const double CARRIAGE = 2, BOB = 0.5, INERTIA = 0.01, LENGTH = 0.4;
static const char pendulum[] =
    "<mujoco><option timestep='0.002' gravity='0 0 -9.81'/><worldbody>"
    "<body name='carriage'><joint name='x' type='slide' axis='1 0 0' limited='true' range='-0.01 0.01'/>"
    "<inertial pos='0 0 0' mass='2' diaginertia='.1 .1 .1'/>"
    "<body name='bob'><joint name='swing' type='hinge' axis='0 -1 0'/>"
    "<inertial pos='0 0 -.4' mass='.5' diaginertia='.01 .01 .01'/></body></body></worldbody></mujoco>";

typedef struct swing {
  double angle, rate, work;
} swing;

/* (I + m l^2) a'' = -m l (g sin a + x'' cos a); the force on the carriage is (M + m) x'' + m l (a'' cos a - a'^2 sin a). */
static swing rate_of(const motion *m, double t, swing y) {
  double x[3];
  move((void *)(uintptr_t)m, t, 0, x);
  const double a = -BOB * LENGTH * (G * sin(y.angle) + x[2] * cos(y.angle)) / (INERTIA + BOB * LENGTH * LENGTH);
  const double force = (CARRIAGE + BOB) * x[2] + BOB * LENGTH * (a * cos(y.angle) - y.rate * y.rate * sin(y.angle));
  return (swing){y.rate, a, force * x[1]};
}

static swing beyond(swing y, double h, swing k) {
  return (swing){y.angle + h * k.angle, y.rate + h * k.rate, y.work + h * k.work};
}

static swing integrate_swing(const motion *m, swing y, double time, int steps) {
  const double h = time / steps;
  for (int i = 0; i < steps; i++) {
    const double t = i * h;
    const swing k1 = rate_of(m, t, y), k2 = rate_of(m, t + h / 2, beyond(y, h / 2, k1)),
                k3 = rate_of(m, t + h / 2, beyond(y, h / 2, k2)), k4 = rate_of(m, t + h, beyond(y, h, k3));
    y = beyond(beyond(beyond(beyond(y, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return y;
}

/* Angle, work and remainder of the ledger at the end of 2 s. */
static void swing_by(crd_sim_integrator integrator, double h, double *angle, double *work, double *remainder) {
  motion m = {.swing = 0.15, .w = 7};
  crd_sim_options options = options_of(first, 1, &m);
  options.integrator = integrator, options.timestep = h;
  simulation *s = simulation_from_text(pendulum, &options);
  const double q[2] = {0, 0.3};
  crd_error err;
  assert_int_equal(crd_sim_reset(s->sim, 0, q, NULL, &err), CRD_OK);
  simulation_run(s, 2);
  const crd_sim_energy e = crd_sim_energy_now(s->sim);
  *angle = crd_sim_qpos(s->sim)[1], *work = e.actuation, *remainder = e.integration;
  assert_true(e.damping == 0 && e.contact == 0 && e.impact == 0 && e.loop == 0 && e.imposed == 0);
  simulation_free(s);
}

/* The carriage leaves the limits of its joint by far: they do not act. */
static void a_pendulum_on_a_driven_carriage(void **state) {
  (void)state;
  const motion m = {.swing = 0.15, .w = 7};
  const swing exact = integrate_swing(&m, (swing){.angle = 0.3}, 2, 20000);
  assert_true(fabs(exact.work) > 0.05); /* the drive does do work */
  /* errors at h, and by how much less at h / 2: 2^order, with a margin for what is beyond the leading term */
  static const struct {
    double h, error, less;
  } expected[DRIVEN] = {{0.004, 1e-5, 12}, {0.004, 5e-3, 3.5}, {0.002, 0.1, 1.7}};
  for (int i = 0; i < DRIVEN; i++) {
    double angle[2], work[2], rest[2];
    for (int k = 0; k < 2; k++) swing_by(driven[i], expected[i].h / (1 + k), &angle[k], &work[k], &rest[k]);
    const double off = fabs(angle[0] - exact.angle), work_off = fabs(work[0] - exact.work);
    assert_true(off < expected[i].error && work_off < expected[i].error && fabs(rest[0]) < expected[i].error);
    assert_true(off > expected[i].less * fabs(angle[1] - exact.angle));
    assert_true(work_off > expected[i].less * fabs(work[1] - exact.work));
    assert_true(fabs(rest[0]) > expected[i].less * fabs(rest[1]));
  }
}

static void motion_is_followed_to_the_last_bit(void **state) {
  (void)state;
  for (int i = 0; i < DRIVEN; i++) {
    motion m = {.start = 0.3, .speed = -0.4, .amplitude = 0.1, .w = 11};
    crd_sim_options options = options_of(first, 1, &m);
    options.integrator = driven[i];
    simulation *s = simulation_from_text(pendulum, &options);
    for (int k = 0; k < 200; k++) {
      double x[3];
      move(&m, crd_sim_time(s->sim), 0, x);
      assert_true(crd_sim_qpos(s->sim)[0] == x[0] && crd_sim_qvel(s->sim)[0] == x[1]);
      const double push[3] = {1e3, 0, 50};
      assert_int_equal(crd_sim_wrench(s->sim, 2, push, NULL, NULL), CRD_OK);
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    }
    const double elsewhere[2] = {7, 0.1}, v[2] = {5, 0};
    double x[3];
    move(&m, crd_sim_time(s->sim), 0, x);
    assert_int_equal(crd_sim_set_state(s->sim, elsewhere, v, NULL), CRD_OK);
    assert_true(crd_sim_qpos(s->sim)[0] == x[0] && crd_sim_qvel(s->sim)[0] == x[1]);
    assert_true(crd_sim_qpos(s->sim)[1] == 0.1);
    simulation_free(s);
  }
}

/* A spring and a damper that are far too steep for the step: followed in pieces, and the ledger closes. On a carriage that
 * accelerates with a, the slider hangs back by m a / k. */
static void steep_forces_are_followed(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.002'/><worldbody>"
      "<body><joint type='slide' axis='1 0 0'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "<body><joint type='slide' axis='1 0 0' stiffness='5e5' damping='2e3'/>"
      "<inertial pos='0 0 0' mass='.5' diaginertia='1 1 1'/></body></body></worldbody></mujoco>";
  motion m = {.amplitude = 2, .w = 1};
  crd_sim_options options = options_of(first, 1, &m);
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 0.2);
  const double a = 2 * cos(0.2);
  assert_true(fabs(crd_sim_qpos(s->sim)[1] + 0.5 * a / 5e5) < 1e-3 * 0.5 * a / 5e5 + 1e-8);
  const crd_sim_energy e = crd_sim_energy_now(s->sim);
  const double v = 2 * sin(0.2);
  assert_true(fabs(e.actuation - 0.5 * 1.5 * v * v) < 1e-4 && fabs(e.integration) < 1e-6);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ contact */

/* A table of 3 kg on a vertical slide, its top at height 0, and a block of m = 0.2 kg, half height 0.05, upon it. */
static const char table[] =
    "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>"
    "<body name='table'><joint name='lift' type='slide' axis='0 0 1'/>"
    "<geom name='top' type='box' size='.5 .5 .1' pos='0 0 -.1' mass='3'/></body>"
    "<body name='block' pos='0 0 .05'><freejoint/>"
    "<geom name='block' type='box' size='.05 .05 .05' mass='.2'/></body></worldbody></mujoco>";

/* The acceleration A w^2 cos w t stays above -g: the block goes with the table. */
static void a_block_stays_on_a_gentle_table(void **state) {
  (void)state;
  for (int i = 0; i < DRIVEN; i++) {
    motion m = {.amplitude = 0.9 * G / (20 * 20), .w = 20};
    crd_sim_options options = options_of(first, 1, &m);
    options.integrator = driven[i];
    simulation *s = simulation_from_text(table, &options);
    for (int k = 1; k <= 20; k++) {
      simulation_run(s, 0.03 * k);
      double x[3];
      move(&m, crd_sim_time(s->sim), 0, x);
      assert_true(fabs(crd_sim_qpos(s->sim)[3] - 0.05 - x[0]) < 1e-6);
      assert_true(fabs(crd_sim_qvel(s->sim)[3] - x[1]) < 1e-9);
    }
    assert_int_equal(simulation_count(s, CRD_EVENT_RELEASE), 0);
    assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 0);
    const crd_sim_energy e = crd_sim_energy_now(s->sim);
    double x[3];
    move(&m, crd_sim_time(s->sim), 0, x);
    const double needed = 3.2 * (G * x[0] + 0.5 * x[1] * x[1]); /* lifts both, and moves both */
    /* a force of 32 N at 0.44 m/s, to second (Euler: first) order in the step */
    assert_true(fabs(e.actuation - needed) < (driven[i] == CRD_SIM_EULER ? 0.05 : 1e-3));
    assert_true(fabs(e.integration) < (driven[i] == CRD_SIM_EULER ? 0.05 : 1e-3));
    assert_true(fabs(e.contact) < 1e-9);
    simulation_free(s);
  }
}

/* It lifts off where the table falls away with g: cos w t = -g / (A w^2), and flies from there. */
static void a_block_lifts_off_where_the_table_falls_away(void **state) {
  (void)state;
  for (int i = 0; i < DRIVEN; i++) {
    motion m = {.amplitude = 2 * G / (20 * 20), .w = 20};
    crd_sim_options options = options_of(first, 1, &m);
    options.integrator = driven[i];
    simulation *s = simulation_from_text(table, &options);
    const double t = acos(-0.5) / 20, h = 0.001, after = 0.06;
    simulation_run(s, t + after);
    assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 0);
    /* The relative acceleration grows with j = A w^3 sin w t. Euler's positions q + h v1 leave the motion's by h^2 g / 2 a
     * step, which holds the block until h g / 2 = j s^2 / 2. */
    const double jerk = 2 * G * 20 * sin(acos(-0.5)), held = driven[i] == CRD_SIM_EULER ? sqrt(h * G / jerk) : 0;
    assert_true(fabs(simulation_event(s, CRD_EVENT_RELEASE, 0)->t - t) < 2 * h + held);
    double x[3];
    move(&m, t, 0, x);
    const double z = 0.05 + x[0] + x[1] * after - 0.5 * G * after * after;
    const double speed = 0.5 * jerk * (2 * h + held) * (2 * h + held); /* that it lost by going with the table */
    assert_true(fabs(crd_sim_qvel(s->sim)[3] - (x[1] - G * after)) < speed + 1e-6);
    assert_true(fabs(crd_sim_qpos(s->sim)[3] - z) <
                speed * after + (driven[i] == CRD_SIM_EULER ? G * after * h : 1e-5));
    assert_true(fabs(crd_sim_energy_now(s->sim).integration) < (driven[i] == CRD_SIM_EULER ? 0.05 : 1e-3));
    simulation_free(s);
  }
}

/* A block falls on a table that rises with V: u+ = V + e (V - u-); the drive gives V m (u+ - u-), the impact loses
 * m (1 - e^2) (V - u-)^2 / 2. Of these m V (u+ - u-) is more than is lost: the block gains energy, and is not drawn back. */
static void an_impact_on_a_rising_table(void **state) {
  (void)state;
  static const double bounce[] = {1, 0.5, 0};
  for (int k = 0; k < 3; k++) {
    const double V = 0.7, mass = 0.2, e = bounce[k];
    motion m = {.start = -0.5, .speed = V};
    crd_sim_options options = options_of(first, 1, &m);
    options.e = e;
    simulation *s = simulation_from_text(table, &options);
    /* 0.5 - V t - g t^2 / 2 = 0 */
    const double t = (-V + sqrt(V * V + 2 * G * 0.5)) / G, before = -G * t, up = V + e * (V - before);
    simulation_run(s, t - 1e-4);
    const crd_sim_energy a = crd_sim_energy_now(s->sim);
    simulation_run(s, t + 1e-4);
    const crd_sim_energy b = crd_sim_energy_now(s->sim);
    const crd_sim_event *event = simulation_event(s, CRD_EVENT_IMPACT, 0);
    const double loss = -0.5 * mass * (1 - e * e) * (V - before) * (V - before);
    assert_true(fabs(event->t - t) < 1e-6);
    assert_true(fabs(event->energy - loss) < 1e-5 && fabs(b.impact - loss) < 1e-5);
    const double carried = (3 + (e == 0 ? mass : 0)) * G * V * 1e-4 + 3 * G * V * 1e-4; /* in the time around it */
    assert_true(fabs(b.actuation - a.actuation - carried - V * mass * (up - before)) < 1e-4);
    assert_true(fabs(crd_sim_qvel(s->sim)[3] - (e == 0 ? up : up - G * 1e-4)) < 1e-5);
    assert_int_equal((int)crd_sim_counters_now(s->sim).drawn_back, 0);
    assert_true(fabs(b.integration) < 1e-4);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ loop */

static const char slider_crank[] =
    "<mujoco><option timestep='0.001' gravity='0 0 0'/><worldbody>"
    "<body><joint type='hinge' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/>"
    "<body name='rod' pos='.1 0 0'><joint type='hinge' axis='0 0 1'/>"
    "<inertial pos='.15 0 0' mass='.4' diaginertia='.003 .003 .003'/></body></body>"
    "<body pos='.4 0 0' name='slider'><joint type='slide' axis='1 0 0'/>"
    "<inertial pos='0 0 0' mass='.5' diaginertia='1 1 1'/></body></worldbody>"
    "<equality><connect body1='slider' body2='rod' anchor='0 0 0'/></equality></mujoco>";

/* A crank r = 0.1 m turns evenly and moves a slider by a rod l = 0.3 m: x = r cos a + sqrt(l^2 - r^2 sin^2 a). */
static void a_crank_moves_a_slider(void **state) {
  (void)state;
  static const double pace = 12;
  motion m = {.speed = pace};
  crd_sim_options options = options_of(first, 1, &m);
  simulation *s = simulation_from_text(slider_crank, &options);
  /* l sin b = -r sin a: the rod turns with -pace r / l at a = 0, and against the crank with */
  const double v0[3] = {pace, -pace - pace * 0.1 / 0.3, 0};
  double kinetic = 0;
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, v0, NULL), CRD_OK);
  for (int k = 1; k <= 10; k++) {
    simulation_run(s, 0.07 * k);
    const double a = pace * crd_sim_time(s->sim), r = 0.1, l = 0.3;
    const double foot = sqrt(l * l - r * r * sin(a) * sin(a)), x = r * cos(a) + foot;
    const double v = pace * (-r * sin(a) - r * r * sin(a) * cos(a) / foot);
    assert_true(fabs(crd_sim_qpos(s->sim)[2] - (x - 0.4)) < 1e-7);
    assert_true(fabs(crd_sim_qvel(s->sim)[2] - v) < 1e-6);
    const double turn = -pace * r * cos(a) / foot;                                 /* of the rod: l sin b = -r sin a */
    const double mx = 0.5 * (v - pace * r * sin(a)), my = 0.5 * pace * r * cos(a); /* of its middle */
    kinetic = 0.5 * (0.1 * pace * pace + 0.5 * v * v + 0.4 * (mx * mx + my * my) + 0.003 * turn * turn);
    const crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(fabs(e.kinetic - kinetic) < 1e-6);
    assert_true(fabs(e.start + e.actuation - kinetic) < 1e-5 && fabs(e.integration) < 1e-5 && fabs(e.loop) < 1e-5);
  }
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ refused */

static void nowhere(void *context, double t, int joint, double out[3]) {
  (void)context, (void)joint;
  out[0] = out[1] = 0, out[2] = t < 0.0101 ? 0 : NAN;
}

static void assert_refused(const char *text, const crd_sim_options *options, const char *words) {
  simulation *s = simulation_from_text(text, NULL);
  crd_sim *sim = NULL;
  crd_error err = {0};
  assert_true(crd_sim_new(s->model, options, &sim, &err) < CRD_OK);
  assert_null(sim);
  if (!strstr(err.text, words)) fail_msg("found: %s, expected: %s", err.text, words);
  simulation_free(s);
}

static void what_cannot_be_prescribed_is_refused(void **state) {
  (void)state;
  motion m = {0};
  static const int twice[] = {1, 1}, outside[] = {9}, before[] = {-1}, freely[] = {1};
  crd_sim_options options = options_of(twice, 2, &m);
  assert_refused(pendulum, &options, "\"swing\" twice");
  options = options_of(outside, 1, &m);
  assert_refused(pendulum, &options, "found joint 9, expected one from 0 to 1");
  options = options_of(before, 1, &m);
  assert_refused(pendulum, &options, "found joint -1");
  options = options_of(freely, 1, &m);
  assert_refused(table, &options, "found a free joint, expected a hinge or slide");
  options = options_of(first, 1, &m), options.motion = NULL;
  assert_refused(pendulum, &options, "no motion");
  options = options_of(NULL, 1, &m);
  assert_refused(pendulum, &options, "no list");
  options = options_of(first, 1, &m), options.integrator = CRD_SIM_EVENT;
  assert_refused(pendulum, &options, "integrator event: found prescribed motion");
  options.integrator = CRD_SIM_MOREAU;
  assert_refused(pendulum, &options, "integrator moreau: found prescribed motion");
  options = options_of(first, 1, &m);
  assert_refused(
      "<mujoco><worldbody><body><joint name='dry' type='hinge' frictionloss='.1'/><geom size='.1'/></body>"
      "</worldbody></mujoco>",
      &options, "\"dry\": found dry friction");
}

static void numbers_that_are_none_end_the_run(void **state) {
  (void)state;
  motion m = {0};
  crd_sim_options options = options_of(first, 1, &m);
  options.motion = nowhere;
  simulation *s = simulation_from_text(pendulum, &options);
  crd_status status = CRD_OK;
  for (int k = 0; k < 10 && status == CRD_OK; k++) status = crd_sim_step(s->sim);
  assert_int_equal(status, CRD_ERR_NUMBER);
  assert_non_null(strstr(crd_sim_message(s->sim), "joint \"x\": found the acceleration nan at t = "));
  assert_true(crd_sim_time(s->sim) < 0.0101 && isfinite(crd_sim_qpos(s->sim)[1]));
  simulation_free(s);
}

/* Bodies that only prescribed joints move pass through the floor, as fixed ones would. */
static void what_cannot_yield_does_not_touch(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='1 1 1'/>"
      "<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .05' mass='1'/></body>"
      "</worldbody></mujoco>";
  motion m = {.speed = -1};
  crd_sim_options options = options_of(first, 1, &m);
  simulation *s = simulation_from_text(text, &options);
  simulation_run(s, 0.2);
  assert_true(fabs(crd_sim_qpos(s->sim)[0] + 0.2) < 1e-15);
  assert_int_equal((int)crd_sim_counters_now(s->sim).contacts, 0);
  assert_true(fabs(crd_sim_energy_now(s->sim).actuation + G * 0.2) < 1e-9);
  simulation_free(s);
}

/* A slider that is free along x only is driven down onto the floor: no force stops it, and the run ends with a message. */
static void a_press_without_way_ends(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.001'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
      "<body pos='0 0 .1'><joint type='slide' axis='0 0 1'/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
      "<body><joint type='slide' axis='1 0 0'/><geom name='foot' type='box' size='.1 .1 .05' mass='1'/></body></body>"
      "</worldbody></mujoco>";
  for (int i = 0; i < DRIVEN; i++) {
    motion m = {.speed = -1};
    crd_sim_options options = options_of(first, 1, &m);
    options.integrator = driven[i];
    simulation *s = simulation_from_text(text, &options);
    crd_status status = CRD_OK;
    for (int k = 0; k < 100 && status == CRD_OK; k++) status = crd_sim_step(s->sim);
    assert_int_equal(status, CRD_ERR_MODEL);
    assert_non_null(strstr(crd_sim_message(s->sim), "the prescribed motion meets contact"));
    assert_true(crd_sim_time(s->sim) < 0.0501 && fabs(crd_sim_energy_now(s->sim).integration) < 1e-9);
    simulation_free(s);
  }
}

/* A block of m = 0.2 kg is put on a belt that runs with V: it slides until V / (mu g), then goes along. The belt's drive
 * gives mu m g V in that time, m V^2, of which one half becomes heat. */
static void friction_is_paid_by_the_drive(void **state) {
  (void)state;
  static const char text[] =
      "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><worldbody>"
      "<body><joint type='slide' axis='1 0 0'/><geom name='belt' type='box' size='5 .5 .1' pos='0 0 -.1' mass='3' "
      "friction='.3'/></body>"
      "<body pos='0 0 .02'><freejoint/><geom type='box' size='.1 .1 .02' mass='.2' friction='.3'/></body></worldbody>"
      "</mujoco>";
  for (int i = 0; i < DRIVEN; i++) {
    motion m = {.speed = 0.8};
    crd_sim_options options = options_of(first, 1, &m);
    options.integrator = driven[i];
    simulation *s = simulation_from_text(text, &options);
    const double slides = 0.8 / (0.3 * G), work = 0.2 * 0.8 * 0.8;
    simulation_run(s, slides / 2);
    assert_true(fabs(crd_sim_qvel(s->sim)[1] - 0.4) < 1e-9);
    assert_true(fabs(crd_sim_energy_now(s->sim).actuation - work / 2) < 1e-9);
    simulation_run(s, 0.5);
    const crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(fabs(crd_sim_qvel(s->sim)[1] - 0.8) < 1e-9);
    /* in the step in which it begins to stick a mean force acts along the mean velocity: off by the energy of mu g h */
    const double last = 0.2 * (0.3 * G * 0.001) * (0.3 * G * 0.001);
    assert_true(fabs(e.actuation - work) < last && fabs(e.contact + e.impact + work / 2) < last);
    assert_true(fabs(e.integration) < last);
    simulation_free(s);
  }
}

/* A crank and its slider, both driven, by motions that no rod follows. */
static void loops_that_cannot_follow_end(void **state) {
  (void)state;
  motion m = {.speed = 1};
  static const int both[] = {0, 2};
  crd_sim_options options = options_of(both, 2, &m);
  simulation *s = simulation_from_text(slider_crank, &options);
  crd_status status = CRD_OK;
  for (int k = 0; k < 100 && status == CRD_OK; k++) status = crd_sim_step(s->sim);
  assert_int_equal(status, CRD_ERR_MODEL);
  assert_non_null(strstr(crd_sim_message(s->sim), "loop"));
  simulation_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pendulum_on_a_driven_carriage),
      cmocka_unit_test(motion_is_followed_to_the_last_bit),
      cmocka_unit_test(steep_forces_are_followed),
      cmocka_unit_test(a_block_stays_on_a_gentle_table),
      cmocka_unit_test(a_block_lifts_off_where_the_table_falls_away),
      cmocka_unit_test(an_impact_on_a_rising_table),
      cmocka_unit_test(a_crank_moves_a_slider),
      cmocka_unit_test(what_cannot_be_prescribed_is_refused),
      cmocka_unit_test(numbers_that_are_none_end_the_run),
      cmocka_unit_test(what_cannot_yield_does_not_touch),
      cmocka_unit_test(friction_is_paid_by_the_drive),
      cmocka_unit_test(loops_that_cannot_follow_end),
      cmocka_unit_test(a_press_without_way_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
