/* Claim: an adhesion actuator with the force F draws each of the n points in which its body touches others together by
 * F / n: a plate hangs from a ceiling while F > m g and falls when it does not; the force that pulls it off is F; a block
 * on a wall is held by mu F > m g; friction on the ground is mu (m g + F); what rests goes on resting, and a control that
 * ends it wakes it. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double g = 9.81;
static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static simulation *start(const char *text, crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(text, &options);
}

/* A plate of 2 kg below a ceiling at z = 1. */
#define CEILING                                                                                                       \
  "<mujoco><option timestep='0.002'/><worldbody><geom type='box' size='1 1 0.1' pos='0 0 1.1' friction='0.5'/><body " \
  "name='plate' pos='0 0 0.95'><freejoint/><geom type='box' size='0.2 0.2 0.05' mass='2' friction='0.5'/></body>"     \
  "</worldbody><actuator><adhesion name='glue' body='plate' ctrlrange='0 1' gain='30'/></actuator></mujoco>"

static void a_plate_hangs_while_the_force_carries_it(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(CEILING, integrators[i]);
    crd_sim_ctrl(s->sim)[0] = 1; /* 30 N carry 19.62 N */
    simulation_run(s, 0.5);
    assert_true(fabs(crd_sim_qpos(s->sim)[2] - 0.95) <= 1e-9);
    const crd_sim_energy held = crd_sim_energy_now(s->sim);
    assert_true(fabs(held.contact) + fabs(held.impact) <= 1e-9);
    crd_sim_ctrl(s->sim)[0] = 0.6; /* 18 N do not */
    simulation_run(s, 1);
    assert_true(crd_sim_qpos(s->sim)[2] < 0.95 - 0.5 * g * 0.48 * 0.48);
    /* it falls freely once it does not touch: 0.5 s, less what the pull of a step or two keeps */
    assert_true(fabs(crd_sim_qvel(s->sim)[2] + g * 0.5) <= 2 * g * 0.002);
    simulation_free(s);
  }
}

static void a_control_out_of_range_is_clamped(void **state) {
  (void)state;
  simulation *s = start(CEILING, CRD_SIM_RK4);
  crd_sim_ctrl(s->sim)[0] = -5; /* 0: nothing is pushed either */
  simulation_run(s, 0.2);
  assert_true(fabs(crd_sim_qvel(s->sim)[2] + g * 0.2) <= 1e-9);
  simulation_free(s);
}

/* On the ground: a = mu (g + F / m), with the pull spread over four corners. */
static void friction_grows_with_the_pull(void **state) {
  (void)state;
  const double mu = 0.3, m = 2, F = 10, v0 = 3, t = 0.4;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(
        "<mujoco><option timestep='0.002'/><worldbody><geom type='plane' size='0 0 1' friction='0.3'/>"
        "<body name='b' pos='0 0 0.1'><freejoint/><geom type='box' size='0.3 0.3 0.1' mass='2' "
        "friction='0.3'/></body></worldbody><actuator><adhesion body='b' ctrlrange='0 10'/></actuator>"
        "<keyframe><key qvel='3 0 0 0 0 0' ctrl='10'/></keyframe></mujoco>",
        integrators[i]);
    crd_sim_ctrl(s->sim)[0] = F;
    simulation_run(s, t);
    const double error = integrators[i] == CRD_SIM_MOREAU ? 1e-6 : 1e-8;
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - (v0 - mu * (g + F / m) * t)) <= error);
    simulation_free(s);
  }
}

/* A block on a wall: it stays while mu F >= m g, else it slides with a = g - mu F / m. */
static void a_block_on_a_wall_is_held_by_friction(void **state) {
  (void)state;
  static const double force[] = {50, 20};
  for (int i = 0; i < 2; i++) {
    simulation *s = start(
        "<mujoco><option timestep='0.002'/><worldbody><geom type='box' size='0.1 1 5' friction='0.5'/>"
        "<body name='b' pos='0.2 0 0'><joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 "
        "1'/><geom type='box' size='0.1 0.1 0.1' mass='2' friction='0.5'/></body></worldbody><actuator>"
        "<adhesion body='b' ctrlrange='0 100'/></actuator></mujoco>",
        CRD_SIM_RK4);
    crd_sim_ctrl(s->sim)[0] = force[i];
    simulation_run(s, 0.5);
    const double a = fmax(0, g - 0.5 * force[i] / 2);
    assert_true(fabs(crd_sim_qvel(s->sim)[1] + a * 0.5) <= 1e-8);
    assert_true(fabs(crd_sim_qpos(s->sim)[0]) <= 1e-9);
    simulation_free(s);
  }
}

/* Pulled by a force that grows, p t, the plate on the ground leaves it when p t = F + m g. */
static void a_growing_force_tears_it_off(void **state) {
  (void)state;
  simulation *s = start(
      "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='0 0 1'/><body name='b' "
      "pos='0 0 0.1'><joint name='z' type='slide' axis='0 0 1'/><geom type='box' size='0.3 0.3 0.1' "
      "mass='2'/></body></worldbody><actuator><adhesion body='b' ctrlrange='0 10'/><motor joint='z'/>"
      "</actuator></mujoco>",
      CRD_SIM_RK4);
  double t = 0, lifted = INFINITY;
  for (int k = 0; k < 500; k++, t += 0.001) {
    crd_sim_ctrl(s->sim)[0] = 10, crd_sim_ctrl(s->sim)[1] = 100 * t;
    simulation_run(s, t + 0.001);
    if (lifted == INFINITY && crd_sim_qvel(s->sim)[0] > 1e-9) lifted = t;
  }
  assert_true(fabs(lifted - (10 + 2 * g) / 100) <= 0.0021);
  simulation_free(s);
}

/* A filter's activation is the pull: with T = 0.1 s it stops carrying 19.62 N of 30 N at T ln(30 / 19.62). */
static void an_activation_is_the_input(void **state) {
  (void)state;
  simulation *s = start(
      "<mujoco><option timestep='0.001'/><worldbody><geom type='box' size='1 1 0.1' pos='0 0 1.1'/><body "
      "name='plate' pos='0 0 0.95'><freejoint/><geom type='box' size='0.2 0.2 0.05' mass='2'/></body>"
      "</worldbody><actuator><general body='plate' dyntype='filter' dynprm='0.1' gainprm='30'/></actuator>"
      "<keyframe><key act='1'/></keyframe></mujoco>",
      CRD_SIM_RK4);
  const double lets_go = 0.1 * log(30 / (2 * g));
  const double full = 1;
  crd_error err;
  assert_int_equal(crd_sim_set_act(s->sim, &full, &err), CRD_OK);
  simulation_run(s, lets_go - 0.002);
  assert_true(fabs(crd_sim_qpos(s->sim)[2] - 0.95) <= 1e-9);
  simulation_run(s, lets_go + 0.1);
  assert_true(crd_sim_qpos(s->sim)[2] < 0.95 - 0.01);
  simulation_free(s);
}

static void the_event_driven_integrator_refuses_it(void **state) {
  (void)state;
  crd_model *model;
  crd_sim *sim = NULL;
  crd_error err = {0};
  crd_sim_options options = crd_sim_default();
  assert_int_equal(crd_io_read_model_text(CEILING, strlen(CEILING), "t.xml", NULL, &model, NULL, &err), CRD_OK);
  options.integrator = CRD_SIM_EVENT;
  assert_int_equal(crd_sim_new(model, &options, &sim, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "adhesion"));
  crd_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plate_hangs_while_the_force_carries_it),
      cmocka_unit_test(a_control_out_of_range_is_clamped),
      cmocka_unit_test(friction_grows_with_the_pull),
      cmocka_unit_test(a_block_on_a_wall_is_held_by_friction),
      cmocka_unit_test(a_growing_force_tears_it_off),
      cmocka_unit_test(an_activation_is_the_input),
      cmocka_unit_test(the_event_driven_integrator_refuses_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
