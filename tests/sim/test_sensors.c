/* Claim: what sensors of a simulation read needs no more than Newton's laws: at rest an accelerometer shows g, and a force
 * sensor between trunk and foot the weight of the trunk, by the contact forces under the foot; in free fall both show
 * nothing; what an accelerometer shows adds up to the change of velocity, impacts included. Sensors are found by name,
 * read without changing the motion, and survive save and restore. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double g = 9.81, trunk = 3;

/* A trunk on a foot that is welded to it; the foot stands on the plane (z = 0) or falls on it. */
#define SCENE(height)                                                                                           \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='9 9 1'/>"                              \
  "<body name='trunk' pos='0 0 " height                                                                         \
  "'><freejoint/><geom type='box' size='.2 .2 .1' pos='0 0 .3' mass='3' "                                       \
  "contype='0' conaffinity='0'/><site name='imu' pos='0 0 .3'/><site name='bare' pos='0 0 .3'/>"                \
  "<body name='foot'><geom name='foot' type='box' size='.1 .1 .05' pos='0 0 .05' mass='.5'/>"                   \
  "<site name='ankle' pos='0 0 .1'/></body></body></worldbody><sensor>"                                         \
  "<accelerometer name='imu' site='imu'/><force name='ankle' site='ankle'/><torque name='twist' site='ankle'/>" \
  "<framepos name='place' objtype='site' objname='imu'/><clock name='clock'/></sensor></mujoco>"

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MOREAU, CRD_SIM_EVENT};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static simulation *start(const char *text, crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(text, &options);
}

static double of(const simulation *s, const char *name, int i) {
  int dim = -1;
  const double *data = crd_sim_sensor(s->sim, name, &dim);
  assert_non_null(data);
  assert_true(i < dim);
  return data[i];
}

static void at_rest_they_show_the_weight(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SCENE("0"), integrators[i]);
    simulation_run(s, 0.1);
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(of(s, "imu", k) - (k == 2 ? g : 0)) <= 1e-8 * g);
      assert_true(fabs(of(s, "ankle", k) + (k == 2 ? trunk * g : 0)) <= 1e-8 * trunk * g);
      assert_true(fabs(of(s, "twist", k)) <= 1e-8 * trunk * g);
    }
    assert_true(fabs(of(s, "place", 2) - 0.3) <= 1e-6);
    assert_true(of(s, "clock", 0) == crd_sim_time(s->sim));
    simulation_free(s);
  }
}

/* A bench of 4 kg on two pairs of round feet 0.8 m apart with a load of 1 kg 0.2 m right of the middle: of the moments about the left
 * pair, the right one carries (4 * 0.4 + 1 * 0.6) g / 0.8 and the left one the rest. A site high above, whose shape no ray out of the
 * feet meets, feels nothing; one around all feels the weight. */
static void touch_shows_the_weight_under_the_site(void **state) {
  (void)state;
  const char *text = "bench_on_four_feet";
  /* the centre of mass at 0.04 is that of 4 kg in the middle and 1 kg at 0.2 */
  const double right = 5 * g * (0.4 + 0.04) / 0.8, left = 5 * g - right;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(text, integrators[i]);
    simulation_run(s, 0.1);
    assert_true(fabs(of(s, "right", 0) - right) <= 1e-6 * right);
    assert_true(fabs(of(s, "left", 0) - left) <= 1e-6 * left);
    assert_true(fabs(of(s, "all", 0) - 5 * g) <= 1e-6 * 5 * g);
    assert_true(of(s, "none", 0) == 0);
    assert_true(of(s, "cut", 0) == 7);
    simulation_free(s);
  }
}

/* A body of 2 kg at (3, 0, 4), tilted by 60 degrees about y: straight down it is 4 m, along its own -z axis 8 m; its string
 * from the origin is 5 m long and grows at (3 v_x + 4 v_z) / 5. */
static void ranges_lengths_and_energies_are_those_of_the_place(void **state) {
  (void)state;
  const char *text = "sensors_of_a_falling_ball";
  simulation *s = start(text, CRD_SIM_RK4);
  assert_true(fabs(of(s, "ahead", 0) - 8) <= 1e-12 && fabs(of(s, "down", 0) - 4) <= 1e-12);
  assert_true(of(s, "up", 0) == -0.5 && of(s, "cut", 0) == 5); /* nothing is -1, clamped as in MuJoCo 3 */
  assert_true(fabs(of(s, "length", 0) - 5) <= 1e-12 && fabs(of(s, "rate", 0) - 11. / 5) <= 1e-12);
  assert_true(fabs(of(s, "potential", 0) - 2 * g * 4) <= 1e-12 * 80 && fabs(of(s, "kinetic", 0) - 5) <= 1e-12);
  simulation_free(s);
}

static void in_free_fall_they_show_nothing(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SCENE("1"), integrators[i]);
    simulation_run(s, 0.1);
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(of(s, "imu", k)) <= 1e-9);
      assert_true(fabs(of(s, "ankle", k)) <= 1e-9);
    }
    simulation_free(s);
  }
}

/* Sum of h (a + g) is v(t): through the impact, of which the foot passes the trunk's share, 3 (a - g), up. */
static void accelerations_add_up_to_the_velocity(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SCENE("0.05"), integrators[i]);
    double sum = 0, most = 0;
    for (int step = 0; step < 100; step++) {
      simulation_run(s, 0.002 * (step + 1));
      sum += 0.002 * (of(s, "imu", 2) - g);
      most = fmax(most, of(s, "imu", 2));
      assert_true(fabs(of(s, "ankle", 2) + trunk * of(s, "imu", 2)) <= 1e-7 * trunk * fmax(g, of(s, "imu", 2)));
      assert_true(fabs(sum - crd_sim_qvel(s->sim)[2]) <= 1e-9);
    }
    assert_true(most > 0.9 * sqrt(2 * g * 0.05) / 0.002); /* it has struck */
    simulation_free(s);
  }
}

/* A site without a sensor reads as the accelerometer and the gyro that could be there: as the one beside it, at rest,
 * falling and struck; turning with w at a distance r from the axis, whose direction the site's y has, r w^2 inwards. */
static void a_site_reads_as_an_inertial_measurement_unit(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SCENE("0.05"), integrators[i]);
    for (int step = 0; step < 100; step++) {
      assert_int_equal(crd_sim_step(s->sim), CRD_OK);
      for (int k = 0; k < 3; k++) assert_true(of(s, "bare", k) == of(s, "imu", k));
      for (int k = 3; k < CRD_SIM_INERTIAL; k++) assert_true(fabs(of(s, "bare", k)) <= 1e-9);
    }
    simulation_free(s);
  }
  const double w = 3, r = 0.5;
  simulation *s = start(
      "<mujoco><option gravity='0 0 0'/><worldbody><body><freejoint/><geom size='.1' mass='1'/>"
      "<site name='rim' pos='.5 0 0' quat='0.7071067811865476 0 0 0.7071067811865476'/></body>"
      "</worldbody></mujoco>",
      CRD_SIM_RK4);
  assert_int_equal(crd_sim_reset(s->sim, 0, NULL, (const double[]){0, 0, 0, 0, 0, w}, NULL), CRD_OK);
  int dim = 0;
  assert_non_null(crd_sim_sensor(s->sim, "rim", &dim));
  assert_int_equal(dim, 6);
  assert_true(isnan(of(s, "rim", 1)) && fabs(of(s, "rim", 5) - w) <= 1e-12);
  assert_int_equal(crd_sim_step(s->sim), CRD_OK);
  const double expected[] = {0, r * w * w, 0, 0, 0, w};
  for (int k = 0; k < CRD_SIM_INERTIAL; k++) assert_true(fabs(of(s, "rim", k) - expected[k]) <= 1e-9);
  simulation_free(s);
}

static void before_the_first_step_forces_are_not_known(void **state) {
  (void)state;
  simulation *s = start(SCENE("0"), CRD_SIM_RK4);
  assert_true(isnan(of(s, "imu", 0)) && isnan(of(s, "ankle", 2)));
  assert_true(fabs(of(s, "place", 2) - 0.3) <= 1e-12);
  int dim = 7;
  assert_null(crd_sim_sensor(s->sim, "nose", &dim));
  assert_int_equal(dim, 0);
  simulation_free(s);
}

/* Read after every step or not at all: the same bits; restored: the same numbers. */
static void reading_changes_nothing_and_restores(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *read = start(SCENE("0.03"), integrators[i]), *unread = start(SCENE("0.03"), integrators[i]);
    for (int step = 0; step < 60; step++) {
      assert_int_equal(crd_sim_step(read->sim), CRD_OK);
      assert_int_equal(crd_sim_step(unread->sim), CRD_OK);
      of(read, "ankle", 0);
    }
    const crd_model *model = crd_sim_model(read->sim);
    assert_memory_equal(crd_sim_qpos(read->sim), crd_sim_qpos(unread->sim), (size_t)model->nq * sizeof(double));
    assert_memory_equal(crd_sim_qvel(read->sim), crd_sim_qvel(unread->sim), (size_t)model->nv * sizeof(double));
    const size_t size = crd_sim_saved_size(read->sim);
    void *saved = malloc(size);
    double before[16];
    memcpy(before, crd_sim_sensors(read->sim), (size_t)model->nsensordata * sizeof *before);
    assert_int_equal(crd_sim_save(read->sim, saved, size), CRD_OK);
    assert_int_equal(crd_sim_step(read->sim), CRD_OK);
    assert_int_equal(crd_sim_restore(read->sim, saved, size), CRD_OK);
    assert_memory_equal(crd_sim_sensors(read->sim), before, (size_t)model->nsensordata * sizeof *before);
    free(saved);
    simulation_free(read), simulation_free(unread);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(at_rest_they_show_the_weight),
      cmocka_unit_test(in_free_fall_they_show_nothing),
      cmocka_unit_test(touch_shows_the_weight_under_the_site),
      cmocka_unit_test(ranges_lengths_and_energies_are_those_of_the_place),
      cmocka_unit_test(accelerations_add_up_to_the_velocity),
      cmocka_unit_test(a_site_reads_as_an_inertial_measurement_unit),
      cmocka_unit_test(before_the_first_step_forces_are_not_known),
      cmocka_unit_test(reading_changes_nothing_and_restores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
