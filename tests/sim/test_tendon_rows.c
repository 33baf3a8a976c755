/* Claim: friction, coupling and inertia of tendons act on their lengths. Dry friction along a tendon brings its length to
 * rest at the time of the closed form and then holds it up to its bound; a coupling of lengths is Atwood's machine, a rod,
 * a curve, in every integrator; the rates of the rows of strings follow from the geometry; the armature of a tendon is
 * part of M. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/assemble.h"
#include "support/cmocka_all.h"
#include "support/scene_text.h"
#include "support/simulation.h"

static bool is_first_order(crd_sim_integrator integrator) {
  return integrator == CRD_SIM_EULER || integrator == CRD_SIM_MOREAU;
}

/* Position error of a method: a first-order one moves by the velocity at one end of each step, which under an acceleration
 * a of constant sign is off by h a t / 2 at most; the others are exact there, up to their contact tolerances. */
static double position_error(crd_sim_integrator integrator, double a, double t, double others) {
  const double h = 1e-3; /* of the scenes, s */
  return others + (is_first_order(integrator) ? 0.5 * h * fabs(a) * t : 0);
}

static void expect(double found, double wanted, double tolerance, const char *what, int integrator) {
  if (!(fabs(found - wanted) <= tolerance))
    fail_msg("integrator %d, %s: %.12g, expected %.12g", integrator, what, found, wanted);
}

/* ------------------------------------------------------------------------------------------------ friction */

/* l = a - b of two bodies of 1 and 2 kg, otherwise free; a starts at 6 m/s. Friction of 3 N slows l' by 3 (1 + 1/2)
 * = 4.5 m/s^2: from t = 4/3 s on both move at 6 / 3 = 2 m/s. */
static void friction_along_a_tendon_joins_two_bodies(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by("sliders_with_tendon_friction", simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    simulation_run(s, 1);
    expect(v[0], 6 - 3, 1e-9, "velocity of a while it slips", i);
    expect(v[1], 1.5, 1e-9, "velocity of b while it slips", i);
    simulation_run(s, 2);
    expect(v[0], 2, 1e-9, "common velocity", i);
    expect(v[1], 2, 1e-9, "common velocity", i);
    /* l = 6 t - 4.5 t^2 / 2 at t = 4/3 */
    expect(q[0] - q[1], 4, position_error(simulation_integrators[i], 4.5, 4. / 3, 1e-5), "distance of slip", i);
    /* its work: the kinetic energy of the relative motion, 1/2 (2/3) 36, is 3 N along that distance */
    expect(crd_sim_energy_now(s->sim).damping, -12, 3 * position_error(simulation_integrators[i], 4.5, 4. / 3, 1e-5),
           "work", i);
    simulation_free(s);
  }
}

/* A pulley halves the friction of the string on which 2 kg hang: 30 N / 2 are less than 19.62 N, and the weight falls at
 * g - 15 / 2; 50 N / 2 hold it. */
static void friction_along_a_string_holds_a_weight(void **state) {
  (void)state;
  static const char *const scene[] = {"weight_on_rubbing_string", "weight_on_rubbing_string: string.frictionloss=50"};
  static const double fall[] = {9.81 - 7.5, 0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
      simulation *s = simulation_by(scene[k], simulation_integrators[i]);
      simulation_run(s, 0.5);
      expect(crd_sim_qvel(s->sim)[0], -0.5 * fall[k], 1e-9, "velocity", i);
      expect(crd_sim_qpos(s->sim)[0], -0.125 * fall[k], position_error(simulation_integrators[i], fall[k], 0.5, 1e-8),
             "distance", i);
      simulation_free(s);
    }
}

/* A state saved while the tendon slips and restored gives the same motion to the bit. */
static void friction_along_a_tendon_is_saved(void **state) {
  (void)state;
  simulation *s = simulation_by("sliders_with_tendon_friction: option.timestep=0.01", CRD_SIM_RK4);
  static char saved[1 << 16];
  double q[2];
  simulation_run(s, 1.3);
  assert_true(crd_sim_saved_size(s->sim) <= sizeof saved);
  assert_int_equal(crd_sim_save(s->sim, saved, sizeof saved), CRD_OK);
  simulation_run(s, 1.6);
  memcpy(q, crd_sim_qpos(s->sim), sizeof q);
  assert_int_equal(crd_sim_restore(s->sim, saved, sizeof saved), CRD_OK);
  simulation_run(s, 1.6);
  assert_memory_equal(q, crd_sim_qpos(s->sim), sizeof q);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ couplings */

/* Atwood: weights of 3 and 1 kg on strings with a constant sum of lengths fall and rise at g (3 - 1) / (3 + 1); a fixed
 * tendon in place of the first string, with twice its length coupled to twice the second, gives the same motion. */
static void coupled_strings_are_atwoods_machine(void **state) {
  (void)state;
  static const char *const scene[] = {"atwood_of_strings",
                                      "atwood_of_strings: machine.tendon1=doubled; machine.tendon2=l2_doubled"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
      simulation *s = simulation_by(scene[k], simulation_integrators[i]);
      const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim), t = 0.5, a = 9.81 / 2;
      simulation_run(s, t);
      expect(v[0], -a * t, 1e-8, "velocity down", i);
      expect(v[1], a * t, 1e-8, "velocity up", i);
      expect(q[0], -0.5 * a * t * t, position_error(simulation_integrators[i], a, t, 1e-6), "distance down", i);
      expect(q[0] + q[1], 0, 1e-6, "sum of lengths", i);
      simulation_free(s);
    }
}

/* A string of constant length is a rod: the pendulum of 1 m released at 60 degrees has the period T = 4 sqrt(l / g) K(sin
 * 30 deg), K = 1.685750354812596 [Abramowitz, Stegun, table 17.1], and is at -60 degrees at T / 2. */
static void a_string_of_constant_length_is_a_rod(void **state) {
  (void)state;
  const double period = 4 * sqrt(1 / 9.81) * 1.685750354812596;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by("mass_on_rod_of_string", simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), tolerance = is_first_order(simulation_integrators[i]) ? 2e-2 : 2e-5;
    simulation_run(s, period / 2);
    expect(q[0], -sqrt(0.75), tolerance, "x", i);
    expect(q[2], -0.5, tolerance, "z", i);
    expect(hypot(q[0], q[2]), 1, 1e-6, "length", i);
    simulation_free(s);
  }
}

/* y = x^2 / 2 couples two bodies of 1 kg, otherwise free: (1 + x^2) x'^2 is constant. From x = 0 with x' = 2 the
 * time to x is the integral of sqrt(1 + x^2) / 2: (x sqrt(1 + x^2) + asinh x) / 4. */
static void a_curve_is_followed(void **state) {
  (void)state;
  const double x = 1.5, t = (x * sqrt(1 + x * x) + asinh(x)) / 4;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by("sliders_on_a_curve", simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), tolerance = is_first_order(simulation_integrators[i]) ? 5e-3 : 1e-5;
    simulation_run(s, t);
    expect(q[0], x, tolerance, "x", i);
    expect(q[1], 0.5 * q[0] * q[0], 1e-6, "y", i);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ rows */

/* l^2 = r . r gives l'' = (v . v - l'^2) / l at zero acceleration, for a string between the centre of a free body and the
 * world; a divisor of 1/2 doubles it. */
static void rates_of_rows_are_those_of_the_geometry(void **state) {
  (void)state;
  crd_model *model = model_from_text("mass_on_doubled_string");
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  const double q[7] = {0.3, -0.4, 1.2, 1, 0, 0, 0}, v[6] = {2, -1, 0.5, 3, 4, 5}, l = 1.3;
  const double rate = (0.6 + 0.4 + 0.6) / l, speed2 = 4 + 1 + 0.25;
  double bias;
  assert_int_equal(crd_contact_at_state(assembler, work, q, v, NULL, problem), CRD_OK);
  assert_int_equal(problem->nb, 1);
  crd_contact_loop_bias(assembler, work, v, problem, &bias);
  expect(problem->residual[0], 2 * l, 1e-14, "residual (coupled at length 0)", 0);
  expect(problem->u[problem->nrow], 2 * rate, 1e-14, "velocity", 0);
  expect(bias, 2 * (speed2 - rate * rate) / l, 1e-10, "rate", 0);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* 1/2 a l'^2 with l = -3 q adds 9 a to the inertia of the joint. */
static void armature_of_a_tendon_is_in_m(void **state) {
  (void)state;
  crd_model *model = model_from_text("slider_with_tendon_armature");
  double M;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, model->qpos0);
  crd_tree_crba(model, work, &M);
  expect(M, 2 + 9 * 0.5, 1e-14, "M", 0);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ bad input */

static void what_cannot_be_coupled_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *scene, *phrase;
  } cases[] = {
      {"three_sliders_and_tendons: couple.tendon2=s", "couples three mechanisms or more"},
      {"three_sliders_and_tendons: couple.tendon2=t", "the same tendon twice"},
      {"three_sliders_and_tendons: couple.tendon1=; couple.tendon2=s", "tendon1"},
      {"three_sliders_and_tendons: couple.tendon1=x", "expected the name of a tendon"},
      {"three_sliders_and_tendons: couple.polycoef=nan", "finite"},
      {"three_sliders_and_tendons: couple.polycoef=1 2 3 4 5 6", "polycoef"},
      {"three_sliders_and_tendons: couple.tendon1=fixed", "tendons that nothing moves"},
      {"three_sliders_and_tendons: t.frictionloss=-1", "frictionloss is -1"},
      {"three_sliders_and_tendons: all.frictionloss=1", "rubs between three mechanisms or more"},
      {"three_sliders_and_tendons: t.armature=-1", "armature is -1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    char *text = scene_text(cases[i].scene);
    assert_true(crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, &err) < CRD_OK);
    if (!strstr(err.text, cases[i].phrase)) fail_msg("case %zu: %s", i, err.text);
    assert_null(model);
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_along_a_tendon_joins_two_bodies),
      cmocka_unit_test(friction_along_a_string_holds_a_weight),
      cmocka_unit_test(friction_along_a_tendon_is_saved),
      cmocka_unit_test(coupled_strings_are_atwoods_machine),
      cmocka_unit_test(a_string_of_constant_length_is_a_rod),
      cmocka_unit_test(a_curve_is_followed),
      cmocka_unit_test(rates_of_rows_are_those_of_the_geometry),
      cmocka_unit_test(armature_of_a_tendon_is_in_m),
      cmocka_unit_test(what_cannot_be_coupled_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
