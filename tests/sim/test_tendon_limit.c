/* Claim: a limit on a weighted sum of joints (MJCF fixed tendon) or on the length of a string (spatial), a rope, is a
 * unilateral constraint like the limit of a joint: its impulse acts along its coefficients and stops the approach; while
 * active it gives the closed form of the constrained motion; it is named, saved, and refused where the model cannot
 * represent it. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/assemble.h"
#include "support/cmocka_all.h"
#include "support/scene_text.h"
#include "support/simulation.h"

/* l = a + b is the position of b in the world, limited to 1. b stops there at t = 0.25; a, on which the impulse does not
 * act (M^-1 J' = (0, 1/m_b)), keeps its 1 m/s. */
static void the_impulse_acts_on_the_sum_alone(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by("sliders_under_tendon", simulation_integrators[i]);
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
  const double ma = 3, mb = 2, g = 9.81, fall = -(ma + mb) * g / (ma + mb + mb / 4), t = 0.5, h = 1e-3;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    const bool first = simulation_integrators[i] == CRD_SIM_EULER || simulation_integrators[i] == CRD_SIM_MOREAU;
    simulation *s = simulation_by("falling_slider_pushes_another", simulation_integrators[i]);
    simulation_run(s, t);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    assert_true(fabs(v[0] - fall * t) <= 1e-9 && fabs(v[1] + 0.5 * fall * t) <= 1e-9);
    /* a first-order method moves by the velocity at one end of each step: h a t / 2 */
    assert_true(fabs(q[0] - 0.5 * fall * t * t) <= 1e-6 + (first ? 0.5 * h * -fall * t : 0));
    assert_true(fabs(q[0] + 2 * q[1]) <= 1e-6);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ the contact problem */

static void both_sides_are_rows_of_their_coefficients(void **state) {
  (void)state;
  crd_model *model = model_from_text("hinges_under_tendon");
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
    const char *scene, *phrase;
    bool lenient; /* read in lenient mode, without the refused attribute */
  } cases[] = {
      {"hinges_under_tendon: rope.limited=true; rope.range=1 0", "expected the smaller number first", false},
      {"slider_with_tendon_armature: rope.armature=; rope.range=0 1; joint.coef=0", "coef is 0, must not be", false},
      {"hinges_under_tendon: joint.joint=x", "expected the name of a joint", false},
      {"hinges_under_tendon: joint.coef=nan", "expected finite numbers", false},
      {"hinges_under_tendon: rope.armature=3", "armature of a tendon that several joints move", true},
      {"three_sliders_and_tendons: all.range=0 1", "three mechanisms or more", false},
      {"mass_on_rope: element.prm=2", "expected a coefficient of restitution between 0 and 1", false},
      {"mass_on_rope: element.prm=.2; element.objname=string", "expected the name of a tendon", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    crd_model *model;
    crd_error err = {0};
    const crd_read_options lenient = {.lenient = true};
    char *text = scene_text(cases[i].scene);
    const size_t size = strlen(text);
    assert_true(crd_io_read_model_text(text, size, "t.xml", NULL, &model, NULL, &err) < CRD_OK);
    if (!strstr(err.text, cases[i].phrase)) fail_msg("case %zu: %s", i, err.text);
    crd_status status = crd_io_read_model_text(text, size, "t.xml", &lenient, &model, NULL, NULL);
    assert_int_equal(status == CRD_OK, cases[i].lenient);
    if (model) assert_int_equal(model->tendon[0].limited, strstr(cases[i].phrase, "armature") != NULL);
    crd_model_free(model);
    free(text);
  }
}

/* ------------------------------------------------------------------------------------------------ ropes */

/* The mass moves away from the origin at 4 m/s from x = 0.5; the rope stops it at x = 1, t = 0.125, and e = 0.25 sends it
 * back at 1 m/s. */
static void a_rope_returns_a_mass_by_its_restitution(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s =
        simulation_by("mass_on_rope: option.gravity=0 0 0; mass.pos=0.5 0 0; key.qvel=4 0 0 0 0 0; element.prm=0.25",
                      simulation_integrators[i]);
    simulation_run(s, 0.5);
    const double *q = crd_sim_qpos(s->sim), *v = crd_sim_qvel(s->sim);
    const double tolerance = simulation_integrators[i] == CRD_SIM_MOREAU ? 1e-2 : 1e-6; /* capture: within a step */
    if (!(fabs(v[0] + 1) <= 1e-9 && fabs(q[0] - (1 - 0.375)) <= tolerance)) fail_msg("%d: q %g v %g", i, q[0], v[0]);
    simulation_free(s);
  }
}

/* Released at 60 degrees on a taut rope of 1 m: a pendulum with the period T = 4 sqrt(l / g) K(sin 30 deg), K =
 * 1.685750354812596 [Abramowitz, Stegun, table 17.1]; at T / 2 it rests at -60 degrees. */
static void a_taut_rope_is_a_pendulum(void **state) {
  (void)state;
  const double period = 4 * sqrt(1 / 9.81) * 1.685750354812596, x = sqrt(0.75);
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    const bool first = simulation_integrators[i] == CRD_SIM_EULER || simulation_integrators[i] == CRD_SIM_MOREAU;
    simulation *s = simulation_by("mass_on_rope", simulation_integrators[i]);
    simulation_run(s, period / 2);
    const double *q = crd_sim_qpos(s->sim);
    const double tolerance = first ? 2e-2 : simulation_integrators[i] == CRD_SIM_EVENT ? 1e-9 : 2e-5;
    if (!(fabs(q[0] + x) <= tolerance && fabs(q[2] + 0.5) <= tolerance))
      fail_msg("%d: %g %g, expected %g -0.5", i, q[0], q[2], -x);
    assert_true(hypot(q[0], q[2]) <= 1 + 1e-5);
    simulation_free(s);
  }
}

/* The rope stays perpendicular to the velocity while its direction turns: no work is booked for it, up to rounding of the
 * m g l / 2 = 4.9 J that go to and fro. */
static void a_taut_rope_does_no_work(void **state) {
  (void)state;
  const crd_sim_integrator second[] = {CRD_SIM_RK4, CRD_SIM_MIDPOINT};
  for (int i = 0; i < 2; i++) {
    simulation *s = simulation_by("mass_on_rope", second[i]);
    simulation_run(s, 1);
    const crd_sim_energy e = crd_sim_energy_now(s->sim);
    if (!(fabs(e.contact) + fabs(e.impact) <= 1e-12)) fail_msg("%d: %g J, %g J", i, e.contact, e.impact);
    simulation_free(s);
  }
}

/* Two masses of 1 and 3 kg fly apart at 2 and -2 m/s; at their distance of 1 m the string makes them one: (2 - 6) / 4
 * = -1 m/s. */
static void a_rope_joins_two_bodies(void **state) {
  (void)state;
  for (int i = 0; i < SIMULATION_INTEGRATORS; i++) {
    simulation *s = simulation_by("two_masses_on_rope", simulation_integrators[i]);
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
      cmocka_unit_test(a_rope_returns_a_mass_by_its_restitution),
      cmocka_unit_test(a_taut_rope_is_a_pendulum),
      cmocka_unit_test(a_taut_rope_does_no_work),
      cmocka_unit_test(a_rope_joins_two_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
