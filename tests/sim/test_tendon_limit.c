/* Claim: a limit on a weighted sum of joints (MJCF fixed tendon) or on the length of a string (spatial), a rope, is a unilateral constraint like the limit of a joint: it
 * stops what runs into it by the impulse that its coefficients ask for, and holds with the closed form of the constrained
 * motion; it is named, saved and refused where it cannot be represented. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/assemble.h"
#include "support/cmocka_all.h"
#include "support/simulation.h"

#define BODY(joint, mass, inner) \
  "<body>" joint "<inertial pos='0 0 0' mass='" mass "' diaginertia='1 1 1'/>" inner "</body>"
#define FIXED(attributes, terms) "<tendon><fixed name='rope' " attributes ">" terms "</fixed></tendon>"
#define TERM(joint, coef) "<joint joint='" joint "' coef='" coef "'/>"

/* b slides on a; l = a + b is where b is in the world, and 1 is as far as it gets. At t = 0.25 it stops there, while a,
 * at which nothing pulls (M^-1 J' = (0, 1/m_b)), goes on at 1 m/s. */
static void the_impulse_acts_on_the_sum_alone(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(
        "<mujoco><option gravity='0 0 0' timestep='0.001'/><worldbody>" BODY(
            "<joint name='a' type='slide' axis='1 0 0'/>", "1",
            BODY("<joint name='b' type='slide' axis='1 0 0'/>", "2",
                 "")) "</worldbody>" FIXED("range='-9 1'",
                                           TERM("a", "1")
                                               TERM("b", "1")) "<keyframe><key qvel='1 3'/></keyframe></mujoco>",
        simulation_integrators[i]);
    simulation_run(s, 1);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    const double tolerance = simulation_integrators[i] == CRD_SIM_MOREAU ? 5e-3 : 1e-6; /* capture: within a step */
    assert_true(fabs(v[0] - 1) <= 1e-9 && fabs(v[0] + v[1]) <= 1e-9);
    assert_true(fabs(q[0] - 1) <= 1e-9 && fabs(q[0] + q[1] - 1) <= tolerance);
    assert_true(crd_sim_counters_now(s->sim).penetration_max <= 2e-6 * 9);
    /* 1/2 m_b (4 m/s)^2 are lost */
    const crd_sim_energy energy = crd_sim_energy_now(s->sim);
    assert_true(fabs(energy.impact + energy.contact + 0.5 * 2 * 16) <= 1e-9 && energy.loop == 0);
    simulation_free(s);
  }
}

/* a falls along z and carries b, which slides along x; a + 2 b >= 0 makes b give way: b = -a / 2, hence
 * (m_a + m_b + m_b / 4) a'' = -(m_a + m_b) g. */
static void a_tendon_that_holds_turns_a_fall_into_sliding(void **state) {
  (void)state;
  const double ma = 3, mb = 2, g = 9.81, fall = -(ma + mb) * g / (ma + mb + mb / 4), t = 0.5;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    const bool first = simulation_integrators[i] == CRD_SIM_EULER || simulation_integrators[i] == CRD_SIM_MOREAU;
    simulation *s = simulation_by(
        "<mujoco><option timestep='0.001'/><worldbody>" BODY(
            "<joint name='a' type='slide' axis='0 0 1'/>", "3",
            BODY("<joint name='b' type='slide' axis='1 0 0'/>", "2",
                 "")) "</worldbody>" FIXED("limited='true' range='0 50'", TERM("a", "1") TERM("b", "2")) "</mujoco>",
        simulation_integrators[i]);
    simulation_run(s, t);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    assert_true(fabs(v[0] - fall * t) <= 1e-9 && fabs(v[1] + 0.5 * fall * t) <= 1e-9);
    assert_true(fabs(q[0] - 0.5 * fall * t * t) <= (first ? 5e-3 : 1e-6));
    assert_true(fabs(q[0] + 2 * q[1]) <= 1e-6);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ the contact problem */

#define CHAIN                                     \
  "<mujoco><worldbody>" BODY(                     \
      "<joint name='a'/>", "1",                   \
      BODY("<joint name='b' axis='1 0 0'/>", "1", \
           BODY("<joint name='c' axis='0 1 0'/>", "1", BODY("<joint name='d'/>", "1", "")))) "</worldbody>"

static void both_sides_are_rows_of_their_coefficients(void **state) {
  (void)state;
  const char *text =
      CHAIN FIXED("range='-0.1 0.1'", TERM("a", "2") TERM("c", "-3") TERM("b", "0") TERM("d", "0.5")) "</mujoco>";
  crd_model *model;
  assert_int_equal(crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, NULL), CRD_OK);
  assert_int_equal(model->ntendon, 1);
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_contact_options options = crd_contact_default();
  const double qpos[4] = {0.05, 0.7, 0.1, 0.2}, qvel[4] = {1, 10, 100, 1000};
  options.limit_distance = 1;
  assert_int_equal(crd_contact_at_state(assembler, work, qpos, qvel, &options, problem), CRD_OK);
  assert_int_equal(problem->nc, 2);
  const double length = 2 * 0.05 - 3 * 0.1 + 0.5 * 0.2, row[4] = {2, 0, -3, 0.5};
  for (int side = 0; side < 2; side++) {
    const crd_contact *c = &problem->contact[side];
    const double sign = side ? -1 : 1;
    assert_true(fabs(c->gap - (0.1 + sign * length)) <= 1e-15);
    assert_string_equal(c->name, side ? "rope:upper" : "rope:lower");
    assert_int_equal(c->ntangent, 0);
    for (int k = 0; k < 4; k++) assert_true(problem->J[c->row * 4 + k] == sign * row[k]);
    assert_true(fabs(problem->u[c->row] - sign * (2 - 300 + 500)) <= 1e-12);
  }
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* ------------------------------------------------------------------------------------------------ bad input */

static void what_cannot_be_represented_is_refused_by_name(void **state) {
  (void)state;
  static const struct {
    const char *text, *phrase;
    bool lenient; /* goes on without it */
  } cases[] = {
      {CHAIN FIXED("limited='true' range='1 0'", TERM("a", "1")) "</mujoco>", "expected the smaller number first",
       false},
      {CHAIN FIXED("range='0 1'", TERM("a", "0")) "</mujoco>", "coef is 0, must not be", false},
      {CHAIN FIXED("range='0 1'", TERM("x", "1")) "</mujoco>", "expected the name of a joint", false},
      {CHAIN FIXED("range='0 1'", TERM("a", "nan")) "</mujoco>", "expected finite numbers", false},
      {CHAIN FIXED("range='0 1' armature='3'", TERM("a", "1") TERM("b", "1")) "</mujoco>",
       "armature of a tendon that several joints move", true},
      {"<mujoco><worldbody>" BODY("<joint name='a'/>", "1", "") BODY("<joint name='b'/>", "1", "")
           BODY("<joint name='c'/>", "1", "") "</worldbody>" FIXED(
               "range='0 1'", TERM("a", "1") TERM("b", "1") TERM("c", "1")) "</mujoco>",
       "three mechanisms or more", false},
      {"<mujoco><custom><tuple name='cradle_restitution'><element objtype='tendon' objname='rope' prm='2'/></tuple>"
       "</custom></mujoco>",
       "expected a coefficient of restitution between 0 and 1", false},
      {"<mujoco><custom><tuple name='cradle_restitution'><element objtype='tendon' objname='rope' prm='.2'/></tuple>"
       "</custom></mujoco>",
       "expected the name of a tendon", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    const crd_read_options lenient = {.lenient = true};
    const size_t size = strlen(cases[i].text);
    assert_true(crd_io_read_model_text(cases[i].text, size, "t.xml", NULL, &model, NULL, &err) < CRD_OK);
    if (!strstr(err.text, cases[i].phrase)) fail_msg("case %zu: %s", i, err.text);
    crd_status status = crd_io_read_model_text(cases[i].text, size, "t.xml", &lenient, &model, NULL, NULL);
    assert_int_equal(status == CRD_OK, cases[i].lenient);
    if (model) assert_int_equal(model->tendon[0].limited, strstr(cases[i].phrase, "armature") != NULL);
    crd_model_free(model);
  }
}

/* ------------------------------------------------------------------------------------------------ ropes */

/* A free mass of 2 kg on a string of at most `range` from the origin. */
#define ROPE(gravity, place, velocity, e, range)                                                       \
  "<mujoco><option gravity='0 0 " gravity                                                              \
  "' timestep='0.001'/>"                                                                               \
  "<custom><tuple name='cradle_restitution'><element objtype='tendon' objname='rope' prm='" e          \
  "'/></tuple></custom>"                                                                               \
  "<worldbody><site name='o'/><body pos='" place                                                       \
  "'><freejoint/><inertial pos='0 0 0' mass='2' "                                                      \
  "diaginertia='1 1 1'/><site name='m'/></body></worldbody><tendon><spatial name='rope' range='" range \
  "'>"                                                                                                 \
  "<site site='o'/><site site='m'/></spatial></tendon><keyframe><key qvel='" velocity "'/></keyframe></mujoco>"

/* The mass leaves the origin's side at 4 m/s from x = 0.5 and is stopped by the string at x = 1, t = 0.125; with e =
 * 0.25 it comes back at 1 m/s. The motion across is not touched. */
static void a_rope_stops_what_runs_away(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(ROPE("0", "0.5 0 0", "4 0 0 0 0 0", "0.25", "0 1"), simulation_integrators[i]);
    simulation_run(s, 0.5);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    const double tolerance = simulation_integrators[i] == CRD_SIM_MOREAU ? 1e-2 : 1e-6; /* capture: within a step */
    if (!(fabs(v[0] + 1) <= 1e-9 && fabs(q[0] - (1 - 0.375)) <= tolerance)) fail_msg("%d: q %g v %g", i, q[0], v[0]);
    simulation_free(s);
  }
}

/* Let go at 60 degrees on a taut string of 1 m: a pendulum of the period T = 4 sqrt(l / g) K(sin 30 deg), with K =
 * 1.685750354812596 [Abramowitz, Stegun, table 17.1], which rests where it began after T. */
static void a_taut_rope_is_a_pendulum(void **state) {
  (void)state;
  const double period = 4 * sqrt(1 / 9.81) * 1.685750354812596, x = sqrt(0.75);
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    const bool first = simulation_integrators[i] == CRD_SIM_EULER || simulation_integrators[i] == CRD_SIM_MOREAU;
    simulation *s =
        simulation_by(ROPE("-9.81", "0.8660254037844386 0 -0.5", "0 0 0 0 0 0", "0", "0 1"), simulation_integrators[i]);
    simulation_run(s, period / 2);
    const double *q = crd_sim_qpos(s->sim);
    const double tolerance = first ? 2e-2 : simulation_integrators[i] == CRD_SIM_EVENT ? 1e-9 : 2e-5;
    if (!(fabs(q[0] + x) <= tolerance && fabs(q[2] + 0.5) <= tolerance))
      fail_msg("%d: %g %g, expected %g -0.5", i, q[0], q[2], -x);
    assert_true(hypot(q[0], q[2]) <= 1 + 1e-5);
    simulation_free(s);
  }
}

/* Two masses of 1 and 3 kg fly apart at 2 and -2 m/s; at their distance of 1 m the string makes them one: (2 - 6) / 4
 * = -1 m/s. */
static void a_rope_joins_two_bodies(void **state) {
  (void)state;
  const char *text = "two_masses_on_rope";
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by(text, simulation_integrators[i]);
    simulation_run(s, 0.4);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    assert_true(fabs(v[0] + 1) <= 1e-9 && fabs(v[6] + 1) <= 1e-9);
    assert_true(q[0] - q[7] <= 1 + 1e-5 && q[0] - q[7] >= 0.99);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_impulse_acts_on_the_sum_alone),
      cmocka_unit_test(a_tendon_that_holds_turns_a_fall_into_sliding),
      cmocka_unit_test(both_sides_are_rows_of_their_coefficients),
      cmocka_unit_test(what_cannot_be_represented_is_refused_by_name),
      cmocka_unit_test(a_rope_stops_what_runs_away),
      cmocka_unit_test(a_taut_rope_is_a_pendulum),
      cmocka_unit_test(a_rope_joins_two_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
