/* Claims about driving a simulation from outside: controls in the array do what the same controls from a callback do, bit by
 * bit, and hold until they are written again; a push obeys Newton and Euler during one step and is felt by sensors; a
 * state set from outside is a line of the ledger and nothing else of it; all of it is saved, wakes what rests, and is
 * refused where it is no number. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static const double STEP = 0.002;

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU,
                                                 CRD_SIM_EVENT};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0], LEGS = 2 };

/* Two legs that kick a trunk off the floor. */
static const char hopper[] = "kicking_legs";

/* A brick without weight, centre of mass at (0, 0, .2) of its body: m = 2 kg, I = m/12 (a^2 + b^2). */
static const char brick[] = "free_brick";

static simulation *start(const char *text, crd_sim_integrator integrator, crd_sim_control control) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator, options.control = control;
  return simulation_from_text(text, &options);
}

static void step(simulation *s) {
  crd_status status = crd_sim_step(s->sim);
  if (status != CRD_OK) fail_msg("%s", crd_sim_message(s->sim));
}

static void assert_same_state(const simulation *a, const simulation *b) {
  assert_memory_equal(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), (size_t)a->model->nq * sizeof(double));
  assert_memory_equal(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), (size_t)a->model->nv * sizeof(double));
}

/* ------------------------------------------------------------------------------------------------ controls */

static void kick(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  (void)context, (void)t, (void)qpos, (void)qvel, (void)tau;
  ctrl[0] = 0.4, ctrl[1] = -0.3;
}

/* All integrators but the event-driven one, whose phases end with every step where there is a callback. */
static void the_array_is_the_callback(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    if (integrators[i] == CRD_SIM_EVENT) continue;
    simulation *array = start(hopper, integrators[i], NULL), *callback = start(hopper, integrators[i], kick);
    crd_sim_ctrl(array->sim)[0] = 0.4, crd_sim_ctrl(array->sim)[1] = -0.3;
    for (int k = 0; k < 300; k++) {
      step(array), step(callback);
      assert_same_state(array, callback);
    }
    assert_true(crd_sim_counters_now(array->sim).contacts > 0);
    simulation_free(array), simulation_free(callback);
  }
}

static void see(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  (void)t, (void)qpos, (void)qvel, (void)tau;
  memcpy(context, ctrl, LEGS * sizeof *ctrl);
  ctrl[1] = 0;
}

static void a_callback_finds_the_array_and_may_overwrite_it(void **state) {
  (void)state;
  double seen[LEGS] = {0};
  crd_sim_options options = crd_sim_default();
  options.control = see, options.control_context = seen;
  simulation *both = simulation_from_text(hopper, &options), *array = start(hopper, CRD_SIM_RK4, NULL);
  crd_sim_ctrl(both->sim)[0] = crd_sim_ctrl(array->sim)[0] = 0.5;
  crd_sim_ctrl(both->sim)[1] = 0.7;
  step(both), step(array);
  assert_true(seen[0] == 0.5 && seen[1] == 0.7);
  assert_same_state(both, array);
  assert_true(crd_sim_ctrl(both->sim)[1] == 0.7); /* the array stays the caller's */
  simulation_free(both), simulation_free(array);
}

/* A cart of 2 kg at rest: from the step after the control on v = F t / m, until the control is taken back. */
static void a_new_control_wakes_what_rests(void **state) {
  (void)state;
  static const char cart[] = "cart";
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(cart, integrators[i], NULL);
    double *ctrl = crd_sim_ctrl(s->sim);
    for (int k = 0; k < 20; k++) step(s);
    assert_true(crd_sim_qvel(s->sim)[0] == 0);
    ctrl[0] = 3;
    for (int k = 0; k < 10; k++) step(s);
    const double v = 3 * 10 * STEP / 2;
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - v) <= 1e-9 * v);
    assert_ptr_equal(ctrl, crd_sim_ctrl(s->sim));
    ctrl[0] = 0;
    for (int k = 0; k < 10; k++) step(s);
    assert_true(fabs(crd_sim_qvel(s->sim)[0] - v) <= 1e-9 * v);
    crd_error err;
    ctrl[0] = 5;
    assert_int_equal(crd_sim_reset(s->sim, 0, NULL, NULL, &err), CRD_OK);
    assert_true(ctrl[0] == 0);
    simulation_free(s);
  }
}

static void a_control_that_is_no_number_is_refused_by_name(void **state) {
  (void)state;
  simulation *s = start(hopper, CRD_SIM_RK4, NULL), *other = start(hopper, CRD_SIM_RK4, NULL);
  crd_sim_ctrl(s->sim)[1] = NAN;
  assert_int_equal(crd_sim_step(s->sim), CRD_ERR_NUMBER);
  assert_non_null(strstr(crd_sim_message(s->sim), "ctrl[1] of actuator \"rear\""));
  assert_true(crd_sim_time(s->sim) == 0);
  crd_sim_ctrl(s->sim)[1] = 0;
  step(s), step(other);
  assert_same_state(s, other);
  simulation_free(s), simulation_free(other);
}

/* ------------------------------------------------------------------------------------------------ pushes */

static const double MASS = 2, SPIN = 2.0 / 3 * (0.2 * 0.2 + 0.3 * 0.3); /* kg; kg m^2 about x: m/3 (b^2 + c^2) */

/* A force through the centre of mass: the centre gains F h / m, nothing turns; and nothing is left in the next step. */
static void a_push_is_newtons(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(brick, integrators[i], NULL);
    const double force[3] = {1, -2, 3}, half[3] = {0.5, -1, 1.5};
    const double *v = crd_sim_qvel(s->sim), *seen;
    const int body = crd_model_find_body(s->model, "brick");
    for (int k = 0; k < 5; k++) step(s);
    assert_int_equal(crd_sim_wrench(s->sim, body, force, NULL, NULL), CRD_OK);
    step(s);
    for (int j = 0; j < 3; j++) assert_true(fabs(v[j] - force[j] * STEP / MASS) <= 1e-12);
    for (int j = 3; j < 6; j++) assert_true(fabs(v[j]) <= 1e-12);
    seen = crd_sim_sensor(s->sim, "imu", NULL);
    for (int j = 0; j < 3; j++) assert_true(fabs(seen[j] - force[j] / MASS) <= 1e-8);
    for (int j = 0; j < 3; j++) assert_true(fabs(crd_sim_qacc(s->sim)[j] - force[j] / MASS) <= 1e-8);
    step(s);
    for (int j = 0; j < 3; j++) assert_true(fabs(v[j] - force[j] * STEP / MASS) <= 1e-12);
    for (int j = 0; j < 2; j++) assert_int_equal(crd_sim_wrench(s->sim, body, half, NULL, NULL), CRD_OK);
    step(s); /* two halves are a whole */
    for (int j = 0; j < 3; j++) assert_true(fabs(v[j] - 2 * force[j] * STEP / MASS) <= 1e-12);
    crd_sim_energy e = crd_sim_energy_now(s->sim);
    if (integrators[i] != CRD_SIM_EULER && integrators[i] != CRD_SIM_MOREAU) /* whose works are of first order */
      assert_true(fabs(e.actuation - e.kinetic) <= 1e-9 * e.kinetic && e.kinetic > 0);
    simulation_free(s);
  }
}

/* A torque turns, w = n h / I; a force at a point is that force and the moment of its arm. */
static void a_push_is_eulers(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    const double torque[3] = {0.6, 0, 0}, force[3] = {0, 0, 3}, point[3] = {0, 0.2, 0.2};
    simulation *turned = start(brick, integrators[i], NULL), *pushed = start(brick, integrators[i], NULL);
    const int body = crd_model_find_body(turned->model, "brick");
    assert_int_equal(crd_sim_wrench(turned->sim, body, NULL, torque, NULL), CRD_OK);
    assert_int_equal(crd_sim_wrench(pushed->sim, body, force, NULL, point), CRD_OK);
    step(turned), step(pushed);
    const double w = 0.6 * STEP / SPIN;
    assert_true(fabs(crd_sim_qvel(turned->sim)[3] - w) <= 1e-9 * w);
    assert_true(fabs(crd_sim_qvel(pushed->sim)[3] - w) <= 1e-9 * w);
    /* of the origin, 0.2 m below the centre, which the turn has pulled by w^2 r h at most */
    assert_true(fabs(crd_sim_qvel(pushed->sim)[2] - 3 * STEP / MASS) <= w * w * 0.2 * STEP);
    simulation_free(turned), simulation_free(pushed);
  }
}

/* A box of 1 kg that rests on the floor, pushed up with twice its weight for a step. */
static void a_push_wakes_what_rests(void **state) {
  (void)state;
  static const char box[] = "box_on_floor: option.timestep=0.002; box.size=0.1 0.1 0.1";
  static const double g = 9.81;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(box, integrators[i], NULL);
    for (int k = 0; k < 20; k++) step(s);
    const double up[3] = {0, 0, 2 * g};
    assert_int_equal(crd_sim_wrench(s->sim, 1, up, NULL, NULL), CRD_OK);
    step(s);
    assert_true(fabs(crd_sim_qvel(s->sim)[2] - g * STEP) <= 1e-9);
    step(s);
    assert_true(fabs(crd_sim_qvel(s->sim)[2]) <= 1e-9); /* the weight has taken it back */
    simulation_free(s);
  }
}

static void a_push_that_cannot_be_is_refused(void **state) {
  (void)state;
  simulation *s = start(brick, CRD_SIM_RK4, NULL);
  const double nonsense[3] = {0, INFINITY, 0}, force[3] = {1, 0, 0};
  assert_int_equal(crd_sim_wrench(s->sim, 0, force, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_sim_wrench(s->sim, 3, force, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_sim_wrench(s->sim, 2, nonsense, NULL, NULL), CRD_ERR_NUMBER);
  assert_non_null(strstr(crd_sim_message(s->sim), "\"brick\""));
  assert_int_equal(crd_sim_wrench(s->sim, crd_model_find_body(s->model, "wall"), force, NULL, NULL), CRD_OK);
  step(s);
  for (int i = 0; i < 6; i++) assert_true(crd_sim_qvel(s->sim)[i] == 0);
  simulation_free(s);
}

/* ------------------------------------------------------------------------------------------------ states */

static double balance(const crd_sim_energy *e) {
  return e->kinetic + e->potential - e->start - e->actuation - e->damping - e->impact - e->contact - e->loop -
         e->imposed - e->integration;
}

/* Lifted by d and set in motion with v: m g d + m v^2 / 2 is imposed; all other lines go on. */
static void a_state_that_is_set_is_a_line_of_the_ledger(void **state) {
  (void)state;
  static const double g = 9.81, mass = 3.8;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(hopper, integrators[i], NULL);
    for (int k = 0; k < 100; k++) step(s);
    crd_sim_energy before = crd_sim_energy_now(s->sim);
    double q[9], v[8] = {0}, t = crd_sim_time(s->sim);
    crd_error err;
    memcpy(q, crd_sim_qpos(s->sim), sizeof q);
    q[2] += 0.4;
    memcpy(v, crd_sim_qvel(s->sim), sizeof v);
    assert_int_equal(crd_sim_set_state(s->sim, q, v, &err), CRD_OK);
    crd_sim_energy after = crd_sim_energy_now(s->sim);
    assert_true(fabs(after.imposed - mass * g * 0.4) <= 1e-9);
    memset(v, 0, sizeof v);
    assert_int_equal(crd_sim_set_state(s->sim, NULL, v, &err), CRD_OK);
    v[0] = 2;
    const double rest = crd_sim_energy_now(s->sim).imposed;
    assert_true(fabs(rest - (mass * g * 0.4 - after.kinetic)) <= 1e-9);
    assert_int_equal(crd_sim_set_state(s->sim, NULL, v, &err), CRD_OK);
    after = crd_sim_energy_now(s->sim);
    assert_true(fabs(after.imposed - rest - mass * 2 * 2 / 2) <= 1e-9);
    assert_true(after.impact == before.impact && after.contact == before.contact && after.start == before.start);
    assert_true(fabs(after.integration - before.integration) <= 1e-9);
    assert_true(crd_sim_time(s->sim) == t && crd_sim_counters_now(s->sim).steps == 100);
    assert_true(isnan(crd_sim_qacc(s->sim)[0]));
    for (int k = 0; k < 300; k++) step(s);
    after = crd_sim_energy_now(s->sim);
    assert_true(fabs(balance(&after)) <= 1e-9);
    assert_true(after.imposed > 0 && crd_sim_counters_now(s->sim).steps == 400);
    simulation_free(s);
  }
}

static void a_state_that_is_refused_changes_nothing(void **state) {
  (void)state;
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(hopper, integrators[i], NULL), *other = start(hopper, integrators[i], NULL);
    for (int k = 0; k < 150; k++) step(s), step(other);
    double q[9];
    crd_error err;
    memcpy(q, crd_sim_qpos(s->sim), sizeof q);
    q[2] = 0; /* the trunk in the floor */
    assert_int_equal(crd_sim_set_state(s->sim, q, NULL, &err), CRD_ERR_MODEL);
    q[2] = NAN;
    assert_int_equal(crd_sim_set_state(s->sim, q, NULL, &err), CRD_ERR_NUMBER);
    for (int k = 0; k < 50; k++) {
      step(s), step(other);
      assert_same_state(s, other);
    }
    simulation_free(s), simulation_free(other);
  }
}

/* Inputs are of the saved state: those in force, those of the next step, and what the last one did. */
static void inputs_are_saved(void **state) {
  (void)state;
  const double force[3] = {3, 5, 40};
  for (int i = 0; i < INTEGRATORS; i++) {
    simulation *s = start(hopper, integrators[i], NULL), *restored = start(hopper, integrators[i], NULL);
    for (int k = 0; k < 200; k++) {
      if (k % 7 == 0) crd_sim_ctrl(s->sim)[k % 2] = sin(k);
      if (k % 11 == 0) assert_int_equal(crd_sim_wrench(s->sim, 1, force, NULL, NULL), CRD_OK);
      size_t size = crd_sim_saved_size(s->sim);
      void *saved = malloc(size);
      assert_int_equal(crd_sim_save(s->sim, saved, size), CRD_OK);
      assert_int_equal(crd_sim_restore(restored->sim, saved, size), CRD_OK);
      step(s), step(restored);
      assert_same_state(s, restored);
      free(saved);
    }
    simulation_free(s), simulation_free(restored);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_array_is_the_callback),
                                     cmocka_unit_test(a_callback_finds_the_array_and_may_overwrite_it),
                                     cmocka_unit_test(a_new_control_wakes_what_rests),
                                     cmocka_unit_test(a_control_that_is_no_number_is_refused_by_name),
                                     cmocka_unit_test(a_push_is_newtons),
                                     cmocka_unit_test(a_push_is_eulers),
                                     cmocka_unit_test(a_push_wakes_what_rests),
                                     cmocka_unit_test(a_push_that_cannot_be_is_refused),
                                     cmocka_unit_test(a_state_that_is_set_is_a_line_of_the_ledger),
                                     cmocka_unit_test(a_state_that_is_refused_changes_nothing),
                                     cmocka_unit_test(inputs_are_saved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
