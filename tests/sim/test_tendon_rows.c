/* Claim: tendons rub and are coupled as their lengths say. Dry friction along a tendon brings its length to rest at the
 * time of the closed form and then holds it up to its bound; a coupling of lengths is Atwood's machine, a rod, a curve, in
 * every integrator; the rates of the rows of strings are those of the geometry; the inertia of a length is that of M. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/assemble.h"
#include "support/cmocka_all.h"
#include "support/simulation.h"

static bool is_first_order(crd_sim_integrator integrator) {
  return integrator == CRD_SIM_EULER || integrator == CRD_SIM_MOREAU;
}

static void expect(double found, double wanted, double tolerance, const char *what, int integrator) {
  if (!(fabs(found - wanted) <= tolerance))
    fail_msg("integrator %d, %s: %.12g, expected %.12g", integrator, what, found, wanted);
}

#define SLIDE(name, axis, mass, place, inner)                                                                    \
  "<body pos='" place "'><joint name='" name "' type='slide' axis='" axis "'/><inertial pos='0 0 0' mass='" mass \
  "' diaginertia='1 1 1'/>" inner "</body>"

/* ------------------------------------------------------------------------------------------------ friction */

/* l = a - b of two bodies of 1 and 2 kg that nothing else joins; a runs at 6 m/s. Friction of 3 N slows l' by 3 (1 + 1/2)
 * = 4.5 m/s^2: both move alike, at 6 / 3 = 2 m/s, from t = 4/3 s on. */
static void friction_along_a_tendon_joins_two_bodies(void **state) {
  (void)state;
  const char *text = "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>" SLIDE("a", "1 0 0", "1", "0 0 0", "")
      SLIDE("b", "1 0 0", "2", "0 1 0", "") "</worldbody><tendon><fixed frictionloss='3'><joint joint='a' coef='1'/>"
      "<joint joint='b' coef='-1'/></fixed></tendon><keyframe><key qvel='6 0'/></keyframe></mujoco>";
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(text, simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    simulation_run(s, 1);
    expect(v[0], 6 - 3, 1e-9, "velocity of a while it slips", i);
    expect(v[1], 1.5, 1e-9, "velocity of b while it slips", i);
    simulation_run(s, 2);
    expect(v[0], 2, 1e-9, "common velocity", i);
    expect(v[1], 2, 1e-9, "common velocity", i);
    /* l = 6 t - 4.5 t^2 / 2 at t = 4/3 */
    expect(q[0] - q[1], 4, is_first_order(simulation_integrators[i]) ? 5e-3 : 1e-5, "way of slipping", i);
    /* its work: the kinetic energy of the relative motion, 1/2 (2/3) 36 */
    expect(crd_sim_energy_now(s->sim).damping, -12, is_first_order(simulation_integrators[i]) ? 2e-2 : 1e-4, "work", i);
    simulation_free(s);
  }
}

/* 2 kg hang on a string (through a fixed eye and over a pulley that halves it) with friction: 30 N / 2 do not hold
 * 19.62 N, and let them fall at g - 15 / 2; 50 N / 2 hold them for good. */
static void friction_along_a_string_holds_a_weight(void **state) {
  (void)state;
  static const char *const loss[] = {"30", "50"};
  static const double fall[] = {9.81 - 7.5, 0};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
      char text[2048];
      snprintf(text, sizeof text,
               "<mujoco><option timestep='0.001'/><worldbody><site name='o'/>%s</worldbody><tendon><spatial "
               "frictionloss='%s'><pulley divisor='2'/><site site='o'/><site site='m'/></spatial></tendon></mujoco>",
               SLIDE("z", "0 0 1", "2", "0 0 -1", "<site name='m'/>"), loss[k]);
      simulation *s = simulation_by(text, simulation_integrators[i]);
      simulation_run(s, 0.5);
      expect(crd_sim_qvel(s->sim)[0], -0.5 * fall[k], 1e-9, "velocity", i);
      expect(crd_sim_qpos(s->sim)[0], -0.125 * fall[k], is_first_order(simulation_integrators[i]) ? 2e-3 : 1e-8, "way",
             i);
      simulation_free(s);
    }
}

/* A state inside the phase in which it slips is saved and restored: the rest of the motion is the same to the bit. */
static void a_tendon_that_rubs_is_saved(void **state) {
  (void)state;
  const char *text = "<mujoco><option timestep='0.01'/><worldbody>" SLIDE("a", "1 0 0", "1", "0 0 0", "")
      SLIDE("b", "1 0 0", "2", "0 1 0", "") "</worldbody><tendon><fixed frictionloss='3'><joint joint='a' coef='1'/>"
      "<joint joint='b' coef='-1'/></fixed></tendon><keyframe><key qvel='6 0'/></keyframe></mujoco>";
  simulation *s = simulation_by(text, CRD_SIM_RK4);
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

/* Atwood: weights of 3 and 1 kg on strings whose lengths sum to a constant fall and rise at g (3 - 1) / (3 + 1); with a
 * fixed tendon in place of either string the same. */
static void coupled_strings_are_atwoods_machine(void **state) {
  (void)state;
  static const char *const tendons[] = {
      "<spatial name='l1'><site site='o1'/><site site='m1'/></spatial>"
      "<spatial name='l2'><site site='o2'/><site site='m2'/></spatial>",
      "<fixed name='l1'><joint joint='a' coef='-2'/></fixed>"
      "<spatial name='l2'><pulley divisor='0.5'/><site site='o2'/><site site='m2'/></spatial>"};
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
      char text[2048];
      snprintf(text, sizeof text,
               "<mujoco><option timestep='0.001'/><worldbody><site name='o1'/><site name='o2' pos='1 0 0'/>%s%s"
               "</worldbody><tendon>%s</tendon>"
               "<equality><tendon tendon1='l1' tendon2='l2' polycoef='0 -1'/></equality></mujoco>",
               SLIDE("a", "0 0 1", "3", "0 0 -2", "<site name='m1'/>"),
               SLIDE("b", "0 0 1", "1", "1 0 -2", "<site name='m2'/>"), tendons[k]);
      simulation *s = simulation_by(text, simulation_integrators[i]);
      const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim), t = 0.5, a = 9.81 / 2;
      simulation_run(s, t);
      expect(v[0], -a * t, 1e-8, "velocity down", i);
      expect(v[1], a * t, 1e-8, "velocity up", i);
      expect(q[0], -0.5 * a * t * t, is_first_order(simulation_integrators[i]) ? 5e-3 : 1e-6, "way down", i);
      expect(q[0] + q[1], 0, 1e-6, "sum of lengths", i);
      simulation_free(s);
    }
}

/* A string of constant length is a rod: the pendulum of 1 m let go at 60 degrees has the period T = 4 sqrt(l / g) K(sin
 * 30 deg), K = 1.685750354812596 [Abramowitz, Stegun, table 17.1], and is on the other side after half of it. */
static void a_string_of_constant_length_is_a_rod(void **state) {
  (void)state;
  const char *text =
      "<mujoco><option timestep='0.001'/><worldbody><site name='o'/><body pos='0.8660254037844386 0 -0.5'>"
      "<freejoint/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/><site name='m'/></body></worldbody>"
      "<tendon><spatial name='rod'><site site='o'/><site site='m'/></spatial></tendon>"
      "<equality><tendon tendon1='rod' polycoef='0'/></equality></mujoco>";
  const double period = 4 * sqrt(1 / 9.81) * 1.685750354812596;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(text, simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), tolerance = is_first_order(simulation_integrators[i]) ? 2e-2 : 2e-5;
    simulation_run(s, period / 2);
    expect(q[0], -sqrt(0.75), tolerance, "x", i);
    expect(q[2], -0.5, tolerance, "z", i);
    expect(hypot(q[0], q[2]), 1, 1e-6, "length", i);
    simulation_free(s);
  }
}

/* y = x^2 / 2 of two bodies of 1 kg that move freely otherwise: (1 + x^2) x'^2 is constant. From x = 0 with x' = 2 the
 * time to x is the integral of sqrt(1 + x^2) / 2: (x sqrt(1 + x^2) + asinh x) / 4. */
static void a_curve_is_followed(void **state) {
  (void)state;
  const char *text = "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>" SLIDE("x", "1 0 0", "1", "0 0 0", "")
      SLIDE("y", "1 0 0", "1", "0 1 0", "") "</worldbody><tendon><fixed name='x'><joint joint='x' coef='1'/></fixed>"
      "<fixed name='y'><joint joint='y' coef='1'/></fixed></tendon><equality><tendon tendon1='y' tendon2='x' "
      "polycoef='0 0 0.5'/></equality><keyframe><key qvel='2 0'/></keyframe></mujoco>";
  const double x = 1.5, t = (x * sqrt(1 + x * x) + asinh(x)) / 4;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(text, simulation_integrators[i]);
    const double *q = crd_sim_qpos(s->sim), tolerance = is_first_order(simulation_integrators[i]) ? 5e-3 : 1e-5;
    simulation_run(s, t);
    expect(q[0], x, tolerance, "x", i);
    expect(q[1], 0.5 * q[0] * q[0], 1e-6, "y", i);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ rows */

/* l^2 = r . r, l'' = (v . v - l'^2) / l where nothing accelerates: of a string between a free body (its site at its
 * centre) and the world, and twice that by a divisor of 1/2. */
static void rates_of_rows_are_those_of_the_geometry(void **state) {
  (void)state;
  const char *text =
      "<mujoco><worldbody><site name='o'/><body><freejoint/><inertial pos='0 0 0' mass='2' diaginertia="
      "'1 1 1'/><site name='m'/></body></worldbody><tendon><spatial name='l'><pulley divisor='0.5'/>"
      "<site site='o'/><site site='m'/></spatial></tendon><equality><tendon tendon1='l' polycoef='0'/>"
      "</equality></mujoco>";
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, &err) != CRD_OK) fail_msg("%s", err.text);
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  const double q[7] = {0.3, -0.4, 1.2, 1, 0, 0, 0}, v[6] = {2, -1, 0.5, 3, 4, 5}, l = 1.3;
  const double rate = (0.6 + 0.4 + 0.6) / l, speed2 = 4 + 1 + 0.25;
  double bias;
  assert_int_equal(crd_contact_at_state(assembler, work, q, v, NULL, problem), CRD_OK);
  assert_int_equal(problem->nb, 1);
  crd_contact_loop_bias(assembler, work, v, problem, &bias);
  expect(problem->residual[0], 2 * l, 1e-14, "residual (drawn at length 0)", 0);
  expect(problem->u[problem->nrow], 2 * rate, 1e-14, "velocity", 0);
  expect(bias, 2 * (speed2 - rate * rate) / l, 1e-10, "rate", 0);
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* 1/2 a l'^2 with l = -3 q adds 9 a to the inertia of the joint. */
static void inertia_of_a_length_is_in_m(void **state) {
  (void)state;
  const char *text = "<mujoco><worldbody>" SLIDE("a", "1 0 0", "2", "0 0 0", "") "</worldbody><tendon><fixed armature='0.5'>"
                     "<joint joint='a' coef='-3'/></fixed></tendon></mujoco>";
  crd_model *model;
  double M;
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, NULL), CRD_OK);
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
#define BODIES \
  SLIDE("a", "1 0 0", "1", "0 0 0", "") SLIDE("b", "1 0 0", "1", "0 1 0", "") SLIDE("c", "1 0 0", "1", "0 2 0", "")
#define TWO                                                                                            \
  "<mujoco><worldbody><site name='o'/><site name='p'/>" BODIES                                         \
  "</worldbody><tendon><fixed name='s'><joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed>" \
  "<fixed name='t'><joint joint='c' coef='1'/></fixed><spatial name='fixed'><site site='o'/><site "    \
  "site='p'/></spatial>"                                                                               \
  "</tendon><equality>"
  static const struct {
    const char *text, *phrase;
  } cases[] = {
      {TWO "<tendon tendon1='s' tendon2='t'/></equality></mujoco>", "couples three mechanisms or more"},
      {TWO "<tendon tendon1='s' tendon2='s'/></equality></mujoco>", "the same tendon twice"},
      {TWO "<tendon tendon2='s'/></equality></mujoco>", "tendon1"},
      {TWO "<tendon tendon1='x'/></equality></mujoco>", "expected the name of a tendon"},
      {TWO "<tendon tendon1='s' polycoef='nan'/></equality></mujoco>", "finite"},
      {TWO "<tendon tendon1='s' polycoef='1 2 3 4 5 6'/></equality></mujoco>", "polycoef"},
      {TWO "<tendon tendon1='fixed'/></equality></mujoco>", "tendons that nothing moves"},
      {"<mujoco><worldbody>" BODIES "</worldbody><tendon><fixed frictionloss='-1'><joint joint='a' coef='1'/></fixed>"
       "</tendon></mujoco>",
       "frictionloss is -1"},
      {"<mujoco><worldbody>" BODIES "</worldbody><tendon><fixed frictionloss='1'><joint joint='a' coef='1'/>"
       "<joint joint='b' coef='1'/><joint joint='c' coef='1'/></fixed></tendon></mujoco>",
       "rubs between three mechanisms or more"},
      {"<mujoco><worldbody>" BODIES "</worldbody><tendon><fixed armature='-1'><joint joint='a' coef='1'/></fixed>"
       "</tendon></mujoco>",
       "armature is -1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    assert_true(crd_io_read_model_text(cases[i].text, strlen(cases[i].text), "t.xml", NULL, &model, NULL, &err) <
                CRD_OK);
    if (!strstr(err.text, cases[i].phrase)) fail_msg("case %zu: %s", i, err.text);
    assert_null(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(friction_along_a_tendon_joins_two_bodies),
      cmocka_unit_test(friction_along_a_string_holds_a_weight),
      cmocka_unit_test(a_tendon_that_rubs_is_saved),
      cmocka_unit_test(coupled_strings_are_atwoods_machine),
      cmocka_unit_test(a_string_of_constant_length_is_a_rod),
      cmocka_unit_test(a_curve_is_followed),
      cmocka_unit_test(rates_of_rows_are_those_of_the_geometry),
      cmocka_unit_test(inertia_of_a_length_is_in_m),
      cmocka_unit_test(what_cannot_be_coupled_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
