/* Collisions in space: momentum, thin walls, mechanisms with loops. */
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

static void momentum_of(const simulation *s, double momentum[6]) {
  crd_workspace *work = crd_model_workspace_new(s->model);
  assert_non_null(work);
  crd_tree_kinematics(s->model, work, crd_sim_qpos(s->sim));
  crd_tree_velocity(s->model, work, crd_sim_qvel(s->sim));
  crd_tree_momentum(s->model, work, momentum, NULL);
  crd_model_workspace_free(work);
}

static void two_spinning_bodies_conserve_momentum_when_they_collide(void **state) {
  (void)state;
  simulation *s = simulation_from_text("box_meets_capsule", NULL);
  double before[6], after[6];
  momentum_of(s, before);
  simulation_run(s, 0.525); /* three impacts; later the bodies slide on each other for a while */
  momentum_of(s, after);
  assert_true(simulation_count(s, CRD_EVENT_IMPACT) >= 3);
  double size = 0;
  for (int i = 0; i < 6; i++) size = fmax(size, fabs(before[i]));
  /* the angular part also has the error of the free motion, which is of fourth order: nothing at this step */
  for (int i = 0; i < 6; i++) assert_true(fabs(after[i] - before[i]) <= 1e-12 * size);
  assert_true(crd_sim_energy_now(s->sim).gain_max <= 0);
  simulation_free(s);
}

static void the_impact_itself_conserves_momentum_to_rounding(void **state) {
  (void)state;
  /* two spheres at the instant of contact, spinning: one step of 1e-9 s is the impact and nothing else */
  simulation *s = simulation_from_text("spinning_balls_touch", NULL);
  double before[6], after[6];
  momentum_of(s, before);
  assert_int_equal(crd_sim_step(s->sim), CRD_OK);
  momentum_of(s, after);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 1);
  for (int i = 0; i < 6; i++) assert_true(fabs(after[i] - before[i]) <= 1e-12);
  simulation_free(s);
}

/* A ball falls from 1 m, rebounds with e v and meets the one behind it, which throws it down again: with equal masses it
 * takes over (1 - e) / 2 e v - (1 + e) / 2 v, so that the floor meets it with (1 + e^2) v / 2. That is no accumulation,
 * though it comes within a step. */
static void a_rebound_stopped_by_another_ball_keeps_its_restitution(void **state) {
  (void)state;
  const double e = 0.95, v = sqrt(2 * 9.81), down = 0.5 * (1 + e * e) * v;
  crd_sim_options options = crd_sim_default();
  options.e = e;
  simulation *s = simulation_from_text("two_balls_on_rail: option.timestep=0.01", &options);
  simulation_run(s, 0.6);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 2)->approach - down) <= 1e-4);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 2)->energy + 0.5 * (1 - e * e) * down * down) <= 1e-4);
  assert_int_equal(simulation_count(s, CRD_EVENT_ZENO), 0);
  simulation_free(s);
}

/* A ball that a spring-loaded floor lets go in the first step: the event names it. */
static void a_release_in_the_first_step_has_a_name(void **state) {
  (void)state;
  simulation *s =
      simulation_from_text("ball_on_rail: option.timestep=0.01; rail.stiffness=1000; rail.springref=1", NULL);
  simulation_run(s, 0.02);
  assert_string_equal(simulation_event(s, CRD_EVENT_RELEASE, 0)->contact, "ball");
  simulation_free(s);
}

static void fast_small_ball_does_not_pass_a_thin_wall(void **state) {
  (void)state;
  simulation *s = simulation_from_text("bullet_and_sheet", NULL);
  simulation_run(s, 0.1);
  assert_int_equal(simulation_count(s, CRD_EVENT_IMPACT), 1);
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->t - 0.985 / 300) <= 1e-9);
  assert_true(fabs(crd_sim_qvel(s->sim)[0] + 300) <= 1e-9);
  simulation_free(s);
}

static void four_bar_hits_a_wall_and_stays_closed(void **state) {
  (void)state;
  simulation *s = simulation_from_example("@four-bar", NULL);
  simulation_run(s, 2);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_true(counters.impacts >= 1);
  assert_true(counters.loop_max <= 1e-8);
  assert_true(counters.penetration_max <= 1e-6);
  assert_int_equal(counters.failed_solves, 0);
  assert_true(energy.gain_max <= 1e-9 * (fabs(energy.start) + 1));
  simulation_free(s);
}

/* A parallelogram of unit bars swings from a crank angle of 75 degrees to its wall at 60: bars 1 and 3 turn about their
 * ends, the coupler moves, T = (5/6) rate^2, V = 2 g sin. */
static void four_bar_reaches_its_wall_with_the_speed_of_its_fall(void **state) {
  (void)state;
  const double degree = acos(-1.0) / 180, crank = 75 * degree, g = 9.81;
  const double q[3] = {crank, -crank, -(acos(-1.0) - crank)}, v[3] = {-1, 1, -1};
  crd_sim_options options = crd_sim_default();
  options.e = 0.5, options.timestep = 1e-3;
  simulation *s = simulation_from_example("@four-bar", &options);
  assert_int_equal(crd_sim_reset(s->sim, 0, q, v, NULL), CRD_OK);
  simulation_run(s, 0.3);
  double rate = sqrt(1 + 2 * g * (sin(crank) - sin(60 * degree)) / (5.0 / 6));
  assert_true(fabs(simulation_event(s, CRD_EVENT_IMPACT, 0)->approach - rate * sin(60 * degree)) <= 1e-6);
  assert_true(crd_sim_counters_now(s->sim).loop_max <= 1e-8);
  simulation_free(s);
}

static void double_pendulum_on_the_floor_loses_energy_only(void **state) {
  (void)state;
  simulation *s = simulation_from_example("@double-pendulum-floor", NULL);
  simulation_run(s, 2);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  crd_sim_energy energy = crd_sim_energy_now(s->sim);
  assert_true(counters.impacts >= 1);
  assert_true(counters.penetration_max <= 1e-6);
  assert_int_equal(counters.failed_solves, 0);
  assert_true(energy.law_gain_max <= 1e-9 * (fabs(energy.start) + 1));
  assert_true(energy.impact < 0 && energy.contact <= 0);
  simulation_free(s);
}

/* Kane's pendulum: Newton's law would bring energy [fric_03], so it gets as much restitution as brings none, and the
 * tip still leaves the floor. */
static void a_law_that_would_bring_energy_brings_none(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.law = crd_impact_find("newton");
  simulation *s = simulation_from_example("@double-pendulum-floor", &options);
  double start = crd_sim_energy_now(s->sim).start;
  simulation_run(s, 0.002);
  const crd_sim_event *impact = simulation_event(s, CRD_EVENT_IMPACT, 0);
  assert_int_equal(crd_sim_counters_now(s->sim).drawn_back, 1);
  assert_float_equal(impact->energy, 0, 1e-12 * start);
  assert_true(crd_sim_energy_now(s->sim).gain_max <= 1e-12 * start);
  simulation_free(s);
}

/* The same law run as stated: rods of unit mass and length at a = 20 and b = 30 degrees from the vertical, e = mu = 1/2.
 * The tip sticks, (sin a, sin b; cos a, cos b) (a', b')+ = (-e u_n, 0), and K = a'^2 2/3 + a' b' cos(a - b)/2 + b'^2/6
 * grows to 1.587 of itself [fric_03]. The ledger has it as a gain. */
static void a_law_that_gains_energy_does_so_as_stated(void **state) {
  (void)state;
  const crd_sim_integrator integrator[] = {CRD_SIM_RK4, CRD_SIM_EVENT};
  const double a = 20 * acos(-1.0) / 180, b = 30 * acos(-1.0) / 180, v[2] = {-0.1, -0.2};
  const double u = sin(a) * v[0] + sin(b) * v[1], det = sin(a) * cos(b) - cos(a) * sin(b);
  const double after[2] = {-0.5 * u * cos(b) / det, 0.5 * u * cos(a) / det};
  double kinetic[2];
  for (int k = 0; k < 2; k++) {
    const double *w = k ? after : v;
    kinetic[k] = 2.0 / 3 * w[0] * w[0] + 0.5 * cos(a - b) * w[0] * w[1] + w[1] * w[1] / 6;
  }
  for (int k = 0; k < 2; k++) {
    crd_sim_options options = crd_sim_default();
    options.law = crd_impact_find("newton"), options.as_stated = true, options.integrator = integrator[k];
    simulation *s = simulation_from_example("@double-pendulum-floor", &options);
    simulation_run(s, 0.002);
    double gain = simulation_event(s, CRD_EVENT_IMPACT, 0)->energy;
    crd_sim_energy energy = crd_sim_energy_now(s->sim);
    assert_true(fabs(gain - (kinetic[1] - kinetic[0])) <= 1e-9);
    assert_true(fabs(energy.gain_max - (gain)) <= 1e-15);
    assert_true(fabs(energy.impact - (gain)) <= 1e-15);
    assert_int_equal(crd_sim_counters_now(s->sim).drawn_back, 0);
    simulation_free(s);
  }
}

/* The law of one contact that sticks or slips does not apply to the two corners of a block that lands flat. Nothing
 * takes its place unsaid: by steps the event `limit` follows, event driven the corners are compressed and all of
 * m v^2 / 2 goes. */
static void a_law_without_an_answer_is_told(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.law = crd_impact_find("stick-slip");
  for (int k = 0; k < 2; k++) {
    options.integrator = k ? CRD_SIM_EVENT : CRD_SIM_RK4;
    simulation *s = simulation_from_example("@rocking-block", &options);
    double kinetic = crd_sim_energy_now(s->sim).kinetic;
    simulation_run(s, 0.01);
    const crd_sim_event *event = simulation_event(s, CRD_EVENT_UNRESOLVED, 0);
    assert_int_equal(crd_sim_counters_now(s->sim).unresolved, 1);
    assert_true(event->approach > 0);
    if (k == 0) assert_true(simulation_event(s, CRD_EVENT_LIMIT, 0) > event);
    assert_true(fabs(event->energy - (k ? -kinetic : 0)) <= 1e-12);
    simulation_free(s);
  }
}

/* Three parallel cranks of 1 m carry a coupler, one more than it needs; the third is longer by 2e-5, so that to the
 * letter nothing can move. It is the mechanism that was meant: with cranks of 1 kg and a coupler of 3 kg it swings as
 * 4 w^2 / 2 + 4.5 g (1 - cos), and from its wall it returns with e times the speed. The third crank shows its misfit. */
static void loops_that_depend_but_for_the_digits_of_a_file_move(void **state) {
  (void)state;
  crd_sim_options options = crd_sim_default();
  options.timestep = 1e-3;
  simulation *s = simulation_from_text("misfit_linkage", &options);
  const double g = 9.81, wall = asin(0.479425538604203), lift = 1 - cos(wall);
  double rate = sqrt(16 - 2 * 4.5 * g * lift / 4); /* the tip's way to the wall is sin(wall) */
  simulation_run(s, 0.3);
  const crd_sim_event *impact = simulation_event(s, CRD_EVENT_IMPACT, 0);
  crd_sim_counters counters = crd_sim_counters_now(s->sim);
  assert_true(fabs(impact->approach - (rate * cos(wall))) <= 1e-4);
  assert_true(fabs(impact->energy - (-0.75 * 4 * rate * rate / 2)) <= 1e-4);
  assert_int_equal(counters.failed_solves, 0);
  assert_int_equal(counters.unresolved, 0);
  /* its tip beside the coupler's height where the others hold the coupler and it follows sideways */
  double misfit = 2e-5 * (lift + sin(wall) * tan(wall));
  assert_true(counters.loop_max > 1e-7 && counters.loop_max <= 1.01 * misfit);
  simulation_free(s);
}

/* Work of the contacts whose names begin so, over all steps to time t. */
static void sum_work(simulation *s, double t, const char *first, const char *second, double sum[2]) {
  sum[0] = sum[1] = 0;
  while (crd_sim_time(s->sim) < t - 1e-9) {
    int count;
    assert_int_equal(crd_sim_step(s->sim), CRD_OK);
    const crd_sim_contact *contact = crd_sim_contacts(s->sim, &count);
    for (int i = 0; i < count; i++) {
      if (strncmp(contact[i].contact.name, first, strlen(first)) == 0) sum[0] += contact[i].work;
      if (strncmp(contact[i].contact.name, second, strlen(second)) == 0) sum[1] += contact[i].work;
    }
  }
}

/* A ball that falls by h and rebounds with e loses m g h (1 - e^2); a box that slides to rest, m v^2 / 2. */
static void every_contact_tells_its_own_loss(void **state) {
  (void)state;
  const crd_sim_integrator integrator[] = {CRD_SIM_RK4, CRD_SIM_EVENT};
  for (int k = 0; k < 2; k++) {
    crd_sim_options options = crd_sim_default();
    options.integrator = integrator[k], options.timestep = 0.001;
    simulation *s = simulation_from_text("two_balls_and_slider", &options);
    double ball[2], fallen = 0.35; /* after the first landings, at 0.319 s and 0.247 s, before the second ones */
    sum_work(s, fallen, "light", "heavy", ball);
    assert_float_equal(ball[0], -1 * 9.81 * 0.5 * 0.75, 1e-6);
    assert_float_equal(ball[1], -2 * 9.81 * 0.3 * 0.75, 1e-6);
    assert_int_equal(crd_sim_reset(s->sim, 0, s->model->key[0].qpos, s->model->key[0].qvel, NULL), CRD_OK);
    sum_work(s, fallen, "slider", "nobody", ball); /* it stops after 0.178 s */
    assert_float_equal(ball[0], -0.5 * 3 * 0.7 * 0.7, 2e-3 * 0.735);
    simulation_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_that_would_bring_energy_brings_none),
      cmocka_unit_test(a_law_that_gains_energy_does_so_as_stated),
      cmocka_unit_test(a_law_without_an_answer_is_told),
      cmocka_unit_test(loops_that_depend_but_for_the_digits_of_a_file_move),
      cmocka_unit_test(every_contact_tells_its_own_loss),
      cmocka_unit_test(two_spinning_bodies_conserve_momentum_when_they_collide),
      cmocka_unit_test(the_impact_itself_conserves_momentum_to_rounding),
      cmocka_unit_test(a_rebound_stopped_by_another_ball_keeps_its_restitution),
      cmocka_unit_test(a_release_in_the_first_step_has_a_name),
      cmocka_unit_test(fast_small_ball_does_not_pass_a_thin_wall),
      cmocka_unit_test(four_bar_hits_a_wall_and_stays_closed),
      cmocka_unit_test(four_bar_reaches_its_wall_with_the_speed_of_its_fall),
      cmocka_unit_test(double_pendulum_on_the_floor_loses_energy_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
