/* Claim: torsional and rolling friction (condim 4 and 6) are moments of at most mu_s p_n about the normal and mu_r p_n
 * across it, in every integrator that steps: a ball spinning on the spot stops at t = I w / (mu_s m g), a rolling one
 * after the way on which mu_r m g per radian takes its energy; what cannot turn has no rows; where the moment is not
 * used up nothing turns. The pair's coefficients follow MuJoCo's rule. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/assemble.h"
#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double g = 9.81, m = 2, r = 0.1, mu_s = 0.01, mu_r = 0.002;

#define SCENE(plane, ball, qvel)                                                        \
  "<mujoco><option timestep='0.001'/><worldbody><geom type='plane' size='9 9 1' " plane \
  "/>"                                                                                  \
  "<body pos='0 0 0.1'><freejoint/><geom type='sphere' size='0.1' mass='2' " ball       \
  "/></body></worldbody>"                                                               \
  "<keyframe><key qvel='" qvel "'/></keyframe></mujoco>"
#define ROUGH "condim='6' friction='0.5 0.01 0.002'"

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static crd_model *read_text(const char *text) {
  crd_model *model;
  crd_error err = {0};
  if (crd_io_read_model_text(text, strlen(text), "t.xml", NULL, &model, NULL, &err)) fail_msg("%s", err.text);
  return model;
}

static simulation *start(const char *text, crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(text, &options);
}

/* w(t) = w0 - mu_s m g t / I until it stops, and the work is all of I w^2 / 2. */
static void a_spinning_ball_stops_after_I_w_over_mu_m_g(void **state) {
  (void)state;
  const double I = 0.4 * m * r * r, w0 = 10, slows = mu_s * m * g / I, stop = w0 / slows;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(SCENE(ROUGH, "", "0 0 0 0 0 10"), integrators[i]);
    simulation_run(s, 0.4);
    assert_true(fabs(crd_sim_qvel(s->sim)[5] - (w0 - slows * 0.4)) <= 1e-12 * w0);
    simulation_run(s, stop - fmod(stop, 0.001) + 0.001); /* the end of the step in which it stops */
    assert_true(fabs(crd_sim_qvel(s->sim)[5]) <= 1e-13 * w0);
    simulation_run(s, 0.5);
    assert_true(fabs(crd_sim_qvel(s->sim)[5]) <= 1e-13 * w0);
    const crd_sim_energy energy =
        crd_sim_energy_now(s->sim); /* moreau captures contacts: its first step is an impact */
    assert_true(fabs(energy.contact + energy.impact + 0.5 * I * w0 * w0) <= 1e-12);
    simulation_free(s);
  }
}

/* K = 7/10 m v^2, the moment mu_r m g acts over the angle x / r: it stops at x = 0.7 v^2 r / (mu_r g). In between
 * v = v0 - a t with a = mu_r g / (1.4 r). */
static void a_rolling_ball_stops_where_the_moment_has_taken_its_energy(void **state) {
  (void)state;
  const double v0 = 1, a = mu_r * g / (1.4 * r), way = 0.7 * v0 * v0 * r / (mu_r * g);
  for (int i = 0; i < INTEGRATORS; i++) {
    const double first_order = integrators[i] == CRD_SIM_EULER || integrators[i] == CRD_SIM_MOREAU ? 1e-3 : 1e-6;
    simulation *s = start(SCENE(ROUGH, "", "1 0 0 0 10 0"), integrators[i]);
    simulation_run(s, 4);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - (v0 - 4 * a)) <= 1e-6 * v0);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - r * crd_sim_qvel(s->sim)[4]) <= 1e-9);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - (4 * v0 - 8 * a)) <= first_order);
    simulation_run(s, 8);
    assert_true(fabs(crd_sim_qvel(s->sim)[0]) <= 1e-12);
    assert_true(fabs(crd_sim_qpos(s->sim)[0] - way) <= first_order);
    simulation_free(s);
  }
}

/* Without it (condim 3) the same ball rolls on. */
static void condim_3_rolls_and_spins_for_ever(void **state) {
  (void)state;
  simulation *s = start(SCENE("friction='0.5 0.01 0.002'", "", "1 0 0 0 10 5"), CRD_SIM_RK4);
  simulation_run(s, 1);
  const double *v = crd_sim_qvel(s->sim); /* angular velocities in the frame of the ball */
  assert_true(fabs(v[0] - 1) <= 1e-8);
  assert_true(fabs(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] - 125) <= 1e-6);
  simulation_free(s);
}

/* On a slope of angle b the moment holds the ball while tan b <= mu_r / r; beyond, it rolls down with
 * a = (g sin b - mu_r g cos b / r) / 1.4. */
static void rolling_friction_holds_a_ball_on_a_gentle_slope(void **state) {
  (void)state;
  const double angle[] = {0.019, 0.03};
  for (int i = 0; i < 2; i++) {
    char text[600];
    snprintf(text, sizeof text,
             "ball_on_floor: option.timestep=0.001; option.gravity=%.17g 0 %.17g; floor.condim=6; floor.friction=0.5 "
             "0.01 0.002; ball.mass=2",
             g * sin(angle[i]), -g * cos(angle[i]));
    simulation *s = start(text, CRD_SIM_RK4);
    simulation_run(s, 1);
    const double a = fmax(0, (g * sin(angle[i]) - mu_r * g * cos(angle[i]) / r) / 1.4);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - a) <= 1e-7);
    simulation_free(s);
  }
}

/* ------------------------------------------------------------------------------------------------ rows */

static crd_contact contact_of(const char *text) {
  crd_model *model = read_text(text);
  crd_workspace *work = crd_model_workspace_new(model);
  crd_contact_assembler *assembler = crd_contact_assembler_new(model);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_contact_options options = crd_contact_default();
  double qvel[6] = {0};
  options.torsion = true;
  assert_int_equal(crd_contact_at_state(assembler, work, model->qpos0, qvel, &options, problem), CRD_OK);
  assert_int_equal(problem->nc, 1);
  crd_contact contact = problem->contact[0];
  assert_int_equal(problem->nrow, crd_contact_rows(&contact));
  /* the rows are relative angular velocities: of unit mass matrix entries, so W is the inverse of the inertia */
  if (contact.nspin && model->nv == 6) {
    const int row = 1 + contact.ntangent, size = problem->nrow + problem->nb;
    assert_true(fabs(problem->W[row * size + row] - 1 / (0.4 * m * r * r)) <= 1e-9 / (m * r * r));
  }
  crd_contact_problem_free(problem);
  crd_contact_assembler_free(assembler);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return contact;
}

static void coefficients_follow_mujocos_rule_of_pairs(void **state) {
  (void)state;
  static const struct {
    const char *text;
    int nspin, nroll;
    double spin, roll;
  } cases[] = {
      {SCENE("", "", "0 0 0 0 0 0"), 0, 0, 0, 0},
      {SCENE("condim='4'", "", "0 0 0 0 0 0"), 1, 0, 0.005, 0}, /* the larger condim, MuJoCo's default */
      {SCENE("condim='4' friction='1 0.1 0.2'", "condim='6' friction='1 0.3 0.01'", "0 0 0 0 0 0"), 1, 2, 0.3, 0.2},
      {SCENE("condim='4' friction='1 0.1 0.2' priority='1'", "condim='6' friction='1 0.3 0.01'", "0 0 0 0 0 0"), 1, 0,
       0.1, 0},
      {SCENE("condim='6' friction='1 0 0.2'", "friction='1 0 0'", "0 0 0 0 0 0"), 0, 2, 0, 0.2},
      {"<mujoco><worldbody><geom name='p' type='plane' size='9 9 1'/><body pos='0 0 0.1'><freejoint/><geom name='b' "
       "type='sphere' size='0.1' mass='2'/></body></worldbody><contact><pair geom1='p' geom2='b' condim='6' "
       "friction='1 1 "
       "0.7 0.3 0.3'/></contact></mujoco>",
       1, 2, 0.7, 0.3},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const crd_contact c = contact_of(cases[i].text);
    assert_int_equal(c.nspin, cases[i].nspin);
    assert_int_equal(c.nroll, cases[i].nroll);
    if (c.nspin) assert_true(c.mu_spin == cases[i].spin);
    if (c.nroll) assert_true(c.mu_roll == cases[i].roll);
  }
}

/* In a plane (two slides and a hinge) a ball cannot spin about the normal, and rolls about one axis; one that only
 * slides does neither. */
static void what_cannot_turn_has_no_rows(void **state) {
  (void)state;
#define PLANAR(joints)                                                                        \
  "<mujoco><worldbody><geom type='plane' size='9 9 1' " ROUGH "/><body pos='0 0 0.1'>" joints \
  "<geom type='sphere' size='0.1' mass='2'/></body></worldbody></mujoco>"
#define SLIDES "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 0 1'/>"
  crd_contact c = contact_of(PLANAR(SLIDES "<joint axis='0 1 0'/>"));
  assert_int_equal(c.nspin, 0);
  assert_int_equal(c.nroll, 1);
  assert_true(fabs(fabs(c.roll[0][1]) - 1) <= 1e-12);
  c = contact_of(PLANAR(SLIDES));
  assert_int_equal(c.nspin + c.nroll, 0);
  c = contact_of(PLANAR("<joint type='slide' axis='0 0 1'/><joint axis='0 0 1'/>"));
  assert_int_equal(c.nspin, 1);
  assert_int_equal(c.nroll, 0);
}

/* ------------------------------------------------------------------------------------------------ who has none */

static void the_event_driven_integrator_refuses_it_by_name(void **state) {
  (void)state;
  crd_model *model = read_text(SCENE(ROUGH, "", "0 0 0 0 0 0"));
  crd_sim_options options = crd_sim_default();
  crd_error err = {0};
  crd_sim *sim = NULL;
  options.integrator = CRD_SIM_EVENT;
  assert_int_equal(crd_sim_new(model, &options, &sim, &err), CRD_ERR_MODEL);
  assert_non_null(strstr(err.text, "condim 4 or 6"));
  options.ignore_torsion = true;
  assert_int_equal(crd_sim_new(model, &options, &sim, &err), CRD_OK);
  crd_sim_free(sim);
  crd_model_free(model);
}

/* The moments are part of the state that save writes: a restored run goes on with the same bits. */
static void a_saved_state_keeps_the_moments(void **state) {
  (void)state;
  simulation *s = start(SCENE(ROUGH, "", "1 0.5 0 3 10 20"), CRD_SIM_RK4);
  simulation *again = start(SCENE(ROUGH, "", "0 0 0 0 0 0"), CRD_SIM_RK4);
  char saved[20000];
  simulation_run(s, 0.3);
  assert_true(crd_sim_saved_size(s->sim) <= sizeof saved);
  assert_int_equal(crd_sim_save(s->sim, saved, sizeof saved), CRD_OK);
  assert_int_equal(crd_sim_restore(again->sim, saved, crd_sim_saved_size(s->sim)), CRD_OK);
  simulation_run(s, 0.5), simulation_run(again, 0.5);
  assert_memory_equal(crd_sim_qpos(s->sim), crd_sim_qpos(again->sim), 7 * sizeof(double));
  assert_memory_equal(crd_sim_qvel(s->sim), crd_sim_qvel(again->sim), 6 * sizeof(double));
  simulation_free(s), simulation_free(again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_spinning_ball_stops_after_I_w_over_mu_m_g),
      cmocka_unit_test(a_rolling_ball_stops_where_the_moment_has_taken_its_energy),
      cmocka_unit_test(condim_3_rolls_and_spins_for_ever),
      cmocka_unit_test(rolling_friction_holds_a_ball_on_a_gentle_slope),
      cmocka_unit_test(coefficients_follow_mujocos_rule_of_pairs),
      cmocka_unit_test(what_cannot_turn_has_no_rows),
      cmocka_unit_test(the_event_driven_integrator_refuses_it_by_name),
      cmocka_unit_test(a_saved_state_keeps_the_moments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
