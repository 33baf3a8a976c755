/* Claims about groups of trees that keep their own time within a step: a group moves bit by bit as it would alone; an
 * impact costs its group and not the scene; what Moreau and Jean have to end is the step of one group; trees that would meet
 * within the step are one group, however fast, and no meeting is missed; one that is struck out of its bounds meets what it meets; a sleeper costs nothing beside others;
 * the ledger closes, events come in the order of their instants, a restored run goes on with the same bits, and so does one on
 * several threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double GRAVITY = 9.81, STEP = 1e-3;

static simulation *scene(const char *bodies, const crd_sim_options *options) {
  size_t size = strlen(bodies) + 512;
  char *text = malloc(size);
  snprintf(text, size,
           "<mujoco><option gravity='0 0 -9.81' timestep='0.001'/>"
           "<worldbody><geom name='floor' type='plane' size='9 9 1'/>%s</worldbody></mujoco>",
           bodies);
  simulation *s = simulation_from_text(text, options);
  free(text);
  return s;
}

/* ------------------------------------------------------------------------------------------------ alone and together */

/* A ball that bounces and a box that tumbles; a jointed pair of rods with a limit, and a ball: all fall at different instants.
 * Both have a smallest body of the same size, of which tolerances are shares. */
static const char LEFT[] =
    "<body pos='0 0 .31'><freejoint/><geom size='.1' mass='1'/></body>"
    "<body pos='.4 0 .4' euler='20 30 0'><freejoint/><geom type='box' size='.1 .12 .1' mass='2'/></body>";
static const char RIGHT[] =
    "<body pos='50 0 .6' euler='0 20 0'><freejoint/><geom type='capsule' size='.1 .2' mass='1'/>"
    "<body pos='0 0 .5'><joint type='hinge' axis='0 1 0' range='-60 60' limited='true' damping='.1'/>"
    "<geom type='capsule' size='.1 .2' pos='0 0 .25' mass='1'/></body></body>"
    "<body pos='50.5 0 .45'><freejoint/><geom size='.1' mass='.5'/></body>";

static void a_group_moves_as_it_would_alone(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  char both[2048];
  options.e = 0.5;
  snprintf(both, sizeof both, "%s%s", LEFT, RIGHT);
  simulation *left = scene(LEFT, &options), *right = scene(RIGHT, &options), *all = scene(both, &options);
  size_t nq = (size_t)left->model->nq, nv = (size_t)left->model->nv;
  for (int i = 0; i < 1500; i++) {
    assert_int_equal(crd_sim_step(left->sim), CRD_OK);
    assert_int_equal(crd_sim_step(right->sim), CRD_OK);
    assert_int_equal(crd_sim_step(all->sim), CRD_OK);
    const double *q = crd_sim_qpos(all->sim), *v = crd_sim_qvel(all->sim);
    assert_memory_equal(q, crd_sim_qpos(left->sim), nq * sizeof *q);
    assert_memory_equal(v, crd_sim_qvel(left->sim), nv * sizeof *v);
    assert_memory_equal(q + nq, crd_sim_qpos(right->sim), (size_t)right->model->nq * sizeof *q);
    assert_memory_equal(v + nv, crd_sim_qvel(right->sim), (size_t)right->model->nv * sizeof *v);
  }
  crd_sim_counters a = crd_sim_counters_now(left->sim), b = crd_sim_counters_now(right->sim),
                   c = crd_sim_counters_now(all->sim);
  assert_int_equal(c.impacts, a.impacts + b.impacts);
  assert_int_equal(c.moved, a.moved + b.moved);
  assert_true(a.impacts > 5 && b.impacts > 5);
  assert_int_equal(all->count, left->count + right->count);
  /* the end of a step and the sum of its pieces differ by rounding */
  for (int i = 1; i < all->count; i++) assert_true(all->event[i].t >= all->event[i - 1].t - 1e-12 * STEP);
  for (int i = 1; i < all->count; i++) assert_true(all->event[i].s >= all->event[i - 1].s - 1e-12 * STEP);
  simulation_free(left);
  simulation_free(right);
  simulation_free(all);
}

/* ------------------------------------------------------------------------------------------------ cost */

enum { BALLS = 40 };

/* Ball k falls from a height of its own: it strikes after sqrt(2 h / g), and each impact costs the trials of its ball
 * alone, however many others there are. */
static void an_impact_costs_its_group(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.e = 0.8;
  char text[BALLS * 96], *end = text;
  long moved = 0;
  for (int k = 0; k < BALLS; k++) {
    char one[96];
    snprintf(one, sizeof one, "<body pos='%d 0 %.3f'><freejoint/><geom size='.1' mass='1'/></body>", 2 * k,
             0.15 + 0.017 * k);
    end += sprintf(end, "%s", one);
    simulation *alone = scene(one, &options);
    simulation_run(alone, 0.5);
    moved += crd_sim_counters_now(alone->sim).moved;
    simulation_free(alone);
  }
  simulation *all = scene(text, &options);
  simulation_run(all, 0.5);
  crd_sim_counters counters = crd_sim_counters_now(all->sim);
  assert_int_equal(counters.moved, moved);
  assert_int_equal(counters.groups, BALLS * counters.steps);
  assert_true(moved < 2 * BALLS * counters.steps);
  crd_sim_energy e = crd_sim_energy_now(all->sim);
  assert_true(fabs(e.integration) <= 1e-9 * e.start);
  simulation_free(all);
}

/* ------------------------------------------------------------------------------------------------ crowds */

/* Twelve balls side by side strike the floor in one step, which is more than max_impacts: Moreau and Jean end it for
 * them. The ball far away strikes in the same step, at its instant and with its restitution. */
static void a_crowd_does_not_capture_others(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.e = 0.5;
  const double fall = 0.2, t = sqrt(2 * fall / GRAVITY), v = GRAVITY * t;
  char text[2048], *end = text;
  for (int k = 0; k < 12; k++)
    end += sprintf(end, "<body pos='%.2f %.2f .3'><freejoint/><geom size='.1' mass='1'/></body>", 0.201 * (k % 4),
                   0.201 * (k / 4));
  sprintf(end, "<body pos='40 0 .3'><freejoint/><geom name='quiet' size='.1' mass='1'/></body>");
  simulation *s = scene(text, &options);
  simulation_run(s, ceil(t / STEP) * STEP);
  assert_true(crd_sim_counters_now(s->sim).retries[CRD_RETRY_CROWDED] >= 1);
  assert_int_equal(simulation_count(s, CRD_EVENT_LIMIT), 1);
  const double after = crd_sim_time(s->sim) - t;
  bool found = false;
  for (int i = 0; i < s->count; i++)
    found = found || (s->event[i].kind == CRD_EVENT_IMPACT && fabs(s->event[i].t - t) <= 1e-9 &&
                      fabs(s->event[i].approach - v) <= 1e-9 * v && s->event[i].count == 1);
  assert_true(found);
  assert_true(fabs(crd_sim_qvel(s->sim)[12 * 6 + 2] - (0.5 * v - GRAVITY * after)) <= 1e-9 * v);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ fast and thin */

/* It flies through half a metre of free space within the step, and strikes a plate a centimetre thick: two bodies of equal mass
 * and e = 1 exchange their velocities at t = (0.5 - 0.005 - 0.01) / 800 s. */
static void a_bullet_meets_its_plate(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.e = 1, options.mu = 0;
  const double speed = 800, strikes = (0.5 - 0.005 - 0.01) / speed, gone = STEP - strikes;
  simulation *s = scene(
      "<body pos='0 0 5'><freejoint/><geom size='.01' mass='1'/></body>"
      "<body pos='.5 0 5'><freejoint/><geom type='box' size='.005 .2 .2' mass='1'/></body>"
      "<body pos='30 0 5'><freejoint/><geom size='.01' mass='1'/></body>",
      &options);
  double v[18] = {speed};
  crd_error err;
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, v, &err), CRD_OK);
  assert_int_equal(crd_sim_step(s->sim), CRD_OK);
  assert_int_equal(crd_sim_counters_now(s->sim).groups, 2);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - strikes) <= 1e-9 * STEP);
  assert_true(fabs(crd_sim_qpos(s->sim)[7] - 0.5 - speed * gone) <= 1e-6);
  assert_true(fabs(crd_sim_qvel(s->sim)[6] - speed) <= 1e-6 * speed && fabs(crd_sim_qvel(s->sim)[0]) <= 1e-6 * speed);
  simulation_free(s);
}

static void nothing(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  (void)context, (void)t, (void)qpos, (void)qvel, (void)ctrl, (void)tau;
}

/* Balls that grow lighter by ten: each leaves nearly twice as fast as it was struck, so that the last one leaves the bounds of
 * its group and strikes what was outside them. As when all trees are one group, which a control that may look at all of them
 * makes them. */
static void a_ball_that_is_struck_out_of_its_bounds(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.e = 1, options.mu = 0, options.max_impacts = 20;
  const char bodies[] =
      "<body pos='0 0 5'><freejoint/><geom size='.01' mass='1'/></body>"
      "<body pos='.025 0 5'><freejoint/><geom size='.01' mass='.1'/></body>"
      "<body pos='.05 0 5'><freejoint/><geom size='.01' mass='.01'/></body>"
      "<body pos='.3 0 5'><freejoint/><geom size='.01' mass='.01'/></body>";
  simulation *a = scene(bodies, &options);
  options.control = nothing;
  simulation *b = scene(bodies, &options);
  double v[24] = {100};
  crd_error err;
  assert_int_equal(crd_sim_reset(a->sim, 0, NULL, v, &err), CRD_OK);
  assert_int_equal(crd_sim_reset(b->sim, 0, NULL, v, &err), CRD_OK);
  assert_int_equal(crd_sim_step(a->sim), CRD_OK);
  assert_int_equal(crd_sim_step(b->sim), CRD_OK);
  assert_true(crd_sim_counters_now(a->sim).retries[CRD_RETRY_STRAYS] >= 1);
  assert_int_equal(crd_sim_counters_now(b->sim).retries[CRD_RETRY_STRAYS], 0);
  assert_true(crd_sim_qvel(a->sim)[18] > 300);
  assert_int_equal(a->count, b->count);
  assert_int_equal(crd_sim_counters_now(a->sim).impacts, crd_sim_counters_now(b->sim).impacts);
  for (int i = 0; i < a->model->nv; i++)
    assert_true(fabs(crd_sim_qvel(a->sim)[i] - crd_sim_qvel(b->sim)[i]) <= 1e-9 * 400);
  simulation_free(a);
  simulation_free(b);
}

/* ------------------------------------------------------------------------------------------------ nothing is missed */

static double draw(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (*seed >> 8) / 16777216.0;
}

/* The deepest overlap of any two geoms, whatever group they were in. */
static double overlap(const crd_model *model, crd_workspace *work, crd_collider *collider, const double *qpos) {
  enum { GEOMS = 64, POINTS = 512 };
  double pos[3 * GEOMS], R[9 * GEOMS], deepest = 0;
  crd_contact_point point[POINTS];
  crd_collide_options options = crd_collide_default();
  int count;
  assert_true(model->ngeom <= GEOMS);
  crd_tree_kinematics(model, work, qpos);
  for (int g = 0; g < model->ngeom; g++) crd_tree_geom_pose(model, work, g, pos + 3 * g, R + 9 * g);
  assert_int_equal(crd_collide_all(collider, pos, R, &options, point, POINTS, &count), CRD_OK);
  for (int i = 0; i < count; i++) deepest = fmax(deepest, -point[i].gap);
  return deepest;
}

/* Bodies that fly at each other with up to 20 m/s and 60 rad/s, which lets groups form, part and stray. */
static void no_meeting_is_missed(void **state) {
  (void)state;
  enum { BODIES = 27, STEPS = 200 };
  const char *geom[] = {"size='.1'", "type='box' size='.1 .12 .08'", "type='capsule' size='.06 .1'"};
  long impacts = 0, groups = 0, steps = 0;
  for (uint32_t seed = 1; seed <= 10; seed++) {
    char text[BODIES * 128], *end = text;
    uint32_t random = 7919 * seed;
    double v[6 * BODIES];
    crd_error err;
    for (int k = 0; k < BODIES; k++)
      end += sprintf(end, "<body pos='%g %g %g'><freejoint/><geom %s mass='1'/></body>",
                     0.5 * (k % 3) + 0.1 * draw(&random), 0.5 * (k / 3 % 3) + 0.1 * draw(&random), 0.3 + 0.5 * (k / 9),
                     geom[(int)(3 * draw(&random))]);
    for (int i = 0; i < 6 * BODIES; i++)
      v[i] = (draw(&random) < 0.2 ? 40 : 4) * (draw(&random) - 0.5) * (i % 6 < 3 ? 1 : 3);
    crd_sim_options options = crd_sim_default();
    options.e = 0.5;
    simulation *s = scene(text, &options);
    crd_workspace *work = crd_model_workspace_new(s->model);
    crd_collider *collider = crd_collide_new(s->model);
    assert_int_equal(crd_sim_reset(s->sim, 0, NULL, v, &err), CRD_OK);
    for (int i = 0; i < STEPS; i++) {
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
      assert_true(overlap(s->model, work, collider, crd_sim_qpos(s->sim)) <= 1e-6 * 0.1);
    }
    crd_sim_counters counters = crd_sim_counters_now(s->sim);
    impacts += counters.impacts, groups += counters.groups, steps += counters.steps;
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(fabs(e.integration) <= 1e-3 * e.start && e.law_gain_max <= 1e-9 * e.start);
    crd_model_workspace_free(work);
    crd_collide_free(collider);
    simulation_free(s);
  }
  assert_true(impacts > 200 && groups > 2 * steps && groups < BODIES * steps); /* there was something to miss */
}

/* ------------------------------------------------------------------------------------------------ sleep, saved states */

static const char SLEEPERS[] =
    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body pos='3 0 .1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
    "<body pos='6 0 .3'><freejoint/><geom size='.1' mass='1'/></body>";

/* Of the boxes two trials each, of the ball all; the contacts of the boxes go on carrying them. */
static void a_sleeper_costs_nothing(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.e = 0.9;
  simulation *s = scene(SLEEPERS, &options), *ball = scene(strstr(SLEEPERS, "<body pos='6"), &options);
  for (int i = 0; i < 400; i++) {
    int count;
    double weight = 0;
    assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
    for (int c = 0; c < count; c++)
      if (!strstr(contact[c].contact.name, "geom 3")) weight += contact[c].impulse_n / STEP;
    if (count >= 8) assert_true(weight >= 2 * GRAVITY * (1 - 1e-9));
    assert_true(count >= 8);
  }
  simulation_run(ball, 400 * STEP);
  assert_int_equal(crd_sim_counters_now(s->sim).moved, crd_sim_counters_now(ball->sim).moved + 4);
  simulation_free(s);
  simulation_free(ball);
}

static void a_restored_run_goes_on(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  char text[4096];
  options.e = 0.5;
  snprintf(text, sizeof text, "%s%s", LEFT, RIGHT);
  simulation *a = scene(text, &options), *b = scene(text, &options);
  simulation_run(a, 0.4);
  size_t size = crd_sim_saved_size(a->sim);
  void *saved = malloc(size);
  assert_int_equal(crd_sim_save(a->sim, saved, size), CRD_OK);
  assert_int_equal(crd_sim_restore(b->sim, saved, size), CRD_OK);
  simulation_run(a, 0.8);
  simulation_run(b, 0.8);
  size_t end = crd_sim_saved_size(a->sim);
  void *last[2] = {malloc(end), malloc(end)};
  assert_int_equal(crd_sim_saved_size(b->sim), end);
  assert_int_equal(crd_sim_save(a->sim, last[0], end), CRD_OK);
  assert_int_equal(crd_sim_save(b->sim, last[1], end), CRD_OK);
  assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), (size_t)a->model->nq * sizeof(double));
  assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), (size_t)a->model->nv * sizeof(double));
  assert_true(crd_sim_energy_now(a->sim).integration == crd_sim_energy_now(b->sim).integration);
  free(saved), free(last[0]), free(last[1]);
  simulation_free(a);
  simulation_free(b);
}

/* ------------------------------------------------------------------------------------------------ threads */

/* Sixty-four bodies that fall, bounce and come to rest, a group each. */
static void the_number_of_threads_changes_no_bit(void **state) {
  (void)state;
  enum { BODIES = 64, STEPS = 400, RUNS = 3 };
  const int threads[RUNS] = {1, 2, 5};
  char text[BODIES * 128], *end = text;
  uint32_t random = 4711;
  simulation *s[RUNS];
  for (int k = 0; k < BODIES; k++)
    end += sprintf(end, "<body pos='%g %g %g'><freejoint/><geom %s mass='1'/></body>", 0.5 * (k % 8),
                   0.5 * (k / 8) + 0.1 * draw(&random), 0.3 + 0.3 * draw(&random),
                   k % 3 ? "type='box' size='.1 .12 .08'" : "size='.1'");
  for (int r = 0; r < RUNS; r++) {
    crd_sim_options options = crd_sim_default();
    options.e = 0.4, options.threads = threads[r];
    s[r] = scene(text, &options);
    simulation_run(s[r], STEPS * STEP);
  }
  crd_sim_counters counters = crd_sim_counters_now(s[0]->sim);
  assert_true(counters.groups > 10 * counters.steps && counters.impacts > BODIES);
  crd_sim_energy energy = crd_sim_energy_now(s[0]->sim);
  int count, other;
  const crd_sim_contact *contact = crd_sim_contacts(s[0]->sim, &count);
  for (int r = 1; r < RUNS; r++) {
    crd_sim_counters c = crd_sim_counters_now(s[r]->sim);
    crd_sim_energy e = crd_sim_energy_now(s[r]->sim);
    const crd_sim_contact *own = crd_sim_contacts(s[r]->sim, &other);
    assert_memory_equal(&c, &counters, sizeof c);
    assert_memory_equal(&e, &energy, sizeof e);
    assert_memory_equal(crd_sim_qpos(s[r]->sim), crd_sim_qpos(s[0]->sim), 7 * BODIES * sizeof(double));
    assert_memory_equal(crd_sim_qvel(s[r]->sim), crd_sim_qvel(s[0]->sim), 6 * BODIES * sizeof(double));
    assert_int_equal(other, count);
    for (int i = 0; i < count; i++) {
      assert_string_equal(own[i].contact.name, contact[i].contact.name);
      assert_true(own[i].impulse_n == contact[i].impulse_n && own[i].work == contact[i].work);
    }
    assert_int_equal(s[r]->count, s[0]->count);
    for (int i = 0; i < s[0]->count; i++) {
      assert_true(s[r]->event[i].t == s[0]->event[i].t && s[r]->event[i].s == s[0]->event[i].s);
      assert_true(s[r]->event[i].energy == s[0]->event[i].energy);
    }
  }
  for (int r = 0; r < RUNS; r++) simulation_free(s[r]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_group_moves_as_it_would_alone),
                                     cmocka_unit_test(an_impact_costs_its_group),
                                     cmocka_unit_test(a_crowd_does_not_capture_others),
                                     cmocka_unit_test(a_bullet_meets_its_plate),
                                     cmocka_unit_test(a_ball_that_is_struck_out_of_its_bounds),
                                     cmocka_unit_test(no_meeting_is_missed),
                                     cmocka_unit_test(a_sleeper_costs_nothing),
                                     cmocka_unit_test(a_restored_run_goes_on),
                                     cmocka_unit_test(the_number_of_threads_changes_no_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
