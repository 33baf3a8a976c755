/* Bad options, impossible starts and scenes that break simulators: a clear refusal or a sound run. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/simulation.h"

#define SCENE(body)                                                                                         \
  "<mujoco><option gravity='0 0 -9.81' timestep='0.002'/><worldbody><geom type='plane' size='0 0 1'/>" body \
  "</worldbody></mujoco>"

static crd_model *model_of(const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "test.xml", NULL, &model, NULL, &err) != CRD_OK)
    fail_msg("%s", err.text);
  return model;
}

static void check_refused(const crd_sim_options *options, const char *word) {
  crd_model *model = model_of(SCENE("<body pos='0 0 1'><freejoint/><geom size='0.1'/></body>"));
  crd_sim *sim;
  crd_error err = {0};
  assert_true(crd_sim_new(model, options, &sim, &err) < 0);
  assert_null(sim);
  if (!strstr(err.text, word)) fail_msg("\"%s\" does not name %s", err.text, word);
  crd_model_free(model);
}

static void options_out_of_range_are_refused_by_name(void **state) {
  (void)state;
  crd_sim_options good = crd_sim_default(), bad;
  const double steps[] = {0, -1e-3, INFINITY};
  for (int i = 0; i < 3; i++) bad = good, bad.timestep = steps[i], check_refused(&bad, "time step");
  bad = good, bad.mu = -1, check_refused(&bad, "mu");
  bad = good, bad.e = 1.5, check_refused(&bad, "restitution");
  bad = good, bad.facets = 7, check_refused(&bad, "facets");
  bad = good, bad.gap_tolerance = 0, check_refused(&bad, "gap tolerance");
  bad = good, bad.loop_tolerance = NAN, check_refused(&bad, "loop tolerance");
  bad = good, bad.max_impacts = 0, check_refused(&bad, "impacts");
}

static void deep_initial_overlap_is_refused_with_name_and_depth(void **state) {
  (void)state;
  crd_model *model = model_of(SCENE("<body name='b' pos='0 0 0.05'><freejoint/><geom name='ball' size='0.1'/></body>"));
  crd_sim *sim;
  crd_error err = {0};
  assert_int_equal(crd_sim_new(model, NULL, &sim, &err), CRD_OK);
  assert_int_equal(crd_sim_step(sim), CRD_ERR_MODEL);
  assert_non_null(strstr(crd_sim_message(sim), "ball"));
  assert_int_equal(crd_sim_reset(sim, 0, NULL, NULL, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "0.05"));
  double q[7] = {0, 0, 0.2, 1, 0, 0, 0}, v[6] = {0};
  assert_int_equal(crd_sim_reset(sim, 0, q, v, &err), CRD_OK);
  assert_int_equal(crd_sim_step(sim), CRD_OK);
  q[2] = NAN;
  assert_int_equal(crd_sim_reset(sim, 0, q, v, &err), CRD_ERR_NUMBER);
  crd_sim_free(sim);
  crd_model_free(model);
}

static void check_sound(simulation *s, double t, double size) {
  simulation_run(s, t);
  for (int i = 0; i < s->model->nq; i++) assert_true(isfinite(crd_sim_qpos(s->sim)[i]));
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  if (counters.penetration_max > 1e-6 * size) fail_msg("penetration %g", counters.penetration_max);
  if (energy.law_gain_max > 1e-9 * (fabs(energy.start) + 1)) fail_msg("gain %g", energy.law_gain_max);
  assert_int_equal(counters.failed_solves, 0);
  simulation_free(s);
}

static void mass_ratio_of_a_million(void **state) {
  (void)state;
  check_sound(simulation_from_text(
                  SCENE("<body pos='0 0 0.1'><freejoint/><geom type='box' size='.1 .1 .1' mass='1e-3'/></body>"
                        "<body pos='0 0 0.35'><freejoint/><geom type='box' size='.1 .1 .1' mass='1e3'/></body>"),
                  NULL),
              0.6, 0.1);
}

static void friction_of_a_hundred_thousand(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.mu = 1e5;
  check_sound(simulation_from_text(SCENE("<body pos='0 0 0.3' euler='20 10 0'><freejoint/>"
                                         "<geom type='box' size='.2 .1 .1' mass='1'/></body>"),
                                   &options),
              1, 0.1);
}

static void two_hundred_redundant_contacts_on_one_face(void **state) {
  (void)state;
  char text[30000], *at = text;
  at += sprintf(at,
                "<mujoco><option gravity='0 0 -9.81' timestep='0.005'/><worldbody>"
                "<geom type='plane' size='0 0 1'/><body pos='0 0 0.1'><freejoint/>");
  for (int i = 0; i < 200; i++)
    at += sprintf(at, "<geom type='sphere' size='0.1' mass='0.1' pos='%g %g 0'/>", 0.25 * (i % 20), 0.25 * (i / 20));
  sprintf(at, "</body></worldbody></mujoco>");
  check_sound(simulation_from_text(text, NULL), 0.05, 0.1);
}

/* A box and a capsule fall on a floor, all lengths times s, all times times sqrt(s). */
static simulation *scaled(double s, crd_sim_options options) {
  char text[1500];
  options.timestep = 0.002 * sqrt(s);
  snprintf(
      text, sizeof text,
      "<mujoco><option gravity='0 0 -9.81'/><worldbody><geom type='plane' size='0 0 1'/>"
      "<body pos='0 0 %.17g' quat='0.9 0.3 0.2 0.1'><freejoint/><geom type='box' size='%.17g %.17g %.17g'/></body>"
      "<body pos='%.17g 0 %.17g' quat='0.7 0.3 0.5 0.1'><freejoint/><geom type='capsule' size='%.17g %.17g'/></body>"
      "</worldbody></mujoco>",
      0.3 * s, 0.2 * s, 0.1 * s, 0.1 * s, 0.05 * s, 0.8 * s, 0.05 * s, 0.1 * s);
  return simulation_from_text(text, &options);
}

/* Froude's similarity: what happens in a scene of a hundredth of a millimetre is what happens in one of a kilometre. */
static void the_size_of_a_scene_does_not_matter(void **state) {
  (void)state;
  simulation *one = scaled(1, crd_sim_default());
  simulation_run(one, 0.4);
  assert_true(crd_sim_counters_now(one->sim).impacts >= 4);
  const double size[] = {1e-4, 1e-2, 1e1, 1e4};
  for (int k = 0; k < 4; k++) {
    simulation *other = scaled(size[k], crd_sim_default());
    simulation_run(other, 0.4 * sqrt(size[k]));
    for (int i = 0; i < 14; i++) {
      double unit = i % 7 < 3 ? size[k] : 1;
      if (!(fabs(crd_sim_qpos(other->sim)[i] / unit - crd_sim_qpos(one->sim)[i]) <= 1e-6))
        fail_msg("size %g, coordinate %d: %g", size[k], i, crd_sim_qpos(other->sim)[i] / unit);
    }
    check_sound(other, 0.6 * sqrt(size[k]), 0.1 * size[k]);
  }
  simulation_free(one);
}

/* The capsule rolls over an edge of the box: differences of its rows are noisier than the tolerance, and the integrator
 * must not go on for ever at steps that noise makes small. */
static void the_event_integrator_gets_through_noisy_contacts(void **state) {
  (void)state;
  if (!event_integrator_built()) skip();
  crd_sim_options options = event_options(0.002);
  simulation *s = scaled(1, options);
  simulation_run(s, 0.56);
  crd_sim_energy e = crd_sim_energy_now(s->sim);
  assert_true(fabs(e.integration) <= 1e-6 * e.start && e.gain_max <= 1e-9 * e.start);
  assert_true(crd_sim_counters_now(s->sim).penetration_max <= 1e-7);
  simulation_free(s);
}

/* Bodies at the same place, one inside the other, below the floor: moved apart by the least displacement, or refused.
 */
static void starts_that_overlap_deeply_are_cleared(void **state) {
  (void)state;
  const char *scene[] = {
      SCENE("<body pos='0 0 -0.5'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"),
      SCENE("<body pos='0 0 0.5'><freejoint/><geom type='sphere' size='.1'/></body>"
            "<body pos='0 0 0.5'><freejoint/><geom type='sphere' size='.1'/></body>"),
      SCENE("<body pos='0 0 0.5'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
            "<body pos='0 0 0.5'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"),
      SCENE("<body pos='0 0 0.5'><freejoint/><geom type='box' size='.3 .3 .3'/></body>"
            "<body pos='0 0 0.5'><freejoint/><geom type='sphere' size='.1'/></body>"),
  };
  crd_sim_options options = crd_sim_default();
  options.clear_start = true;
  for (int k = 0; k < 4; k++) check_sound(simulation_from_text(scene[k], &options), 0.3, 0.1);
}

/* A step as long as the whole fall: the ball is where it belongs, or the step says that it cannot. */
static void steps_of_any_length(void **state) {
  (void)state;
  const double steps[] = {1e-9, 0.3, 10, 1e300};
  for (int k = 0; k < 4; k++) {
    crd_sim_options options = crd_sim_default();
    options.timestep = steps[k];
    simulation *s = simulation_from_text(SCENE("<body pos='0 0 1.1'><freejoint/><geom size='.1'/></body>"), &options);
    double t = k == 0 ? 1e-6 : 0.4;
    simulation_run(s, t);
    assert_true(fabs(crd_sim_qpos(s->sim)[2] - (1.1 - 4.905 * t * t)) <= 1e-12);
    assert_true(fabs(crd_sim_time(s->sim) - t) <= 1e-12);
    simulation_free(s);
  }
}

/* Jointed bodies thrown at 300 m/s whose joints turn by nearly two radians in a step: more of their limits are struck than
 * have instants of their own, and the rest of the step, too long for the motion, is cut as its other parts are. Only gravity
 * and what the integrator misses may add energy. */
static void thrown_limbs_do_not_blow_up(void **state) {
  (void)state;
  uint32_t random = 5;
  for (int run = 0; run < 4; run++) {
    crd_model *model;
    double v[64] = {300, 0, 100};
    crd_error err = {0};
    assert_int_equal(crd_io_read_model(CRADLE_SOURCE_DIR "/models/ragdoll.xml", NULL, &model, NULL, &err), CRD_OK);
    crd_sim_options options = crd_sim_default();
    options.timestep = 2e-3;
    simulation *s = simulation_from_model(model, &options);
    assert_true(s->model->nv <= 64);
    for (int i = 3; i < s->model->nv; i++) {
      random = random * 1664525u + 1013904223u;
      v[i] = (random >> 16) % 2 ? 900 : -900;
    }
    assert_int_equal(crd_sim_reset(s->sim, 0, NULL, v, &err), CRD_OK);
    for (int i = 0; i < 50; i++) assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    assert_true(e.kinetic + e.potential <= 1.1 * e.start);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_out_of_range_are_refused_by_name),
      cmocka_unit_test(deep_initial_overlap_is_refused_with_name_and_depth),
      cmocka_unit_test(mass_ratio_of_a_million),
      cmocka_unit_test(friction_of_a_hundred_thousand),
      cmocka_unit_test(two_hundred_redundant_contacts_on_one_face),
      cmocka_unit_test(the_size_of_a_scene_does_not_matter),
      cmocka_unit_test(the_event_integrator_gets_through_noisy_contacts),
      cmocka_unit_test(starts_that_overlap_deeply_are_cleared),
      cmocka_unit_test(steps_of_any_length),
      cmocka_unit_test(thrown_limbs_do_not_blow_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
