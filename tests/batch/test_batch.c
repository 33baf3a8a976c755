/* Claims about batches: every member moves bit by bit as a simulation alone, whatever the threads, integrator and number of
 * steps a call; a member that fails is told by number and stops nobody; resets and rollouts are what single resets and
 * steps are; a stop leaves whole steps; members are small. */
#include <cradle/batch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/simulation.h"

/* A trunk that kicks itself about on the floor with two legs, each with a muscle's memory, beside a loose ball: contacts that
 * come and go, joint limits, activations, a sensor that needs forces. */
static const char walker[] = "kicking_legs_and_ball";

enum { MEMBERS = 13, ROUNDS = 60, NU = 2, STEPS = 2 };

static const crd_sim_integrator integrators[] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT, CRD_SIM_MOREAU,
                                                 CRD_SIM_EVENT};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

typedef struct flock {
  simulation *host; /* has the model */
  crd_batch *batch;
  crd_batch_options options;
} flock;

static flock flock_from(const char *text, crd_sim_integrator integrator, int count, int threads) {
  flock f = {.options = crd_batch_default()};
  f.options.count = count, f.options.threads = threads, f.options.sim.integrator = integrator;
  f.host = simulation_from_text(text, &f.options.sim);
  crd_error err = {0};
  if (crd_batch_new(f.host->model, &f.options, &f.batch, &err) != CRD_OK) fail_msg("%s", err.text);
  return f;
}

static void flock_free(flock *f) {
  crd_batch_free(f->batch);
  simulation_free(f->host);
}

static double control_of(int round, int member, int a) {
  return 2 * crd_random_uniform(7, (uint32_t)(member * NU + a), (uint64_t)round / 5) - 1;
}

static void write_controls(crd_batch *batch, int round) {
  for (int i = 0; i < crd_batch_count(batch); i++)
    for (int a = 0; a < NU; a++) crd_batch_ctrl(batch)[NU * i + a] = control_of(round, i, a);
}

/* Heights of the trunk and spins of the ball, of each member its own. */
static void scatter(const crd_model *model, int count, double *q, double *v) {
  for (int i = 0; i < count; i++) {
    memcpy(q + (size_t)(model->nq * i), model->qpos0, (size_t)model->nq * sizeof *q);
    for (int k = 0; k < model->nv; k++) v[model->nv * i + k] = 0;
    q[model->nq * i + 9] += 0.02 * i, v[model->nv * i + 4] = i - 6;
  }
}

/* A simulation for member i, and its state beside the rows. */
static crd_sim *single(const flock *f, int i, const double *q, const double *v) {
  crd_sim *sim;
  crd_sim_options options = f->options.sim;
  options.seed += (uint64_t)i;
  crd_error err = {0};
  assert_int_equal(crd_sim_new(f->host->model, &options, &sim, &err), CRD_OK);
  if (crd_sim_reset(sim, 0, q, v, &err) != CRD_OK) fail_msg("%s", err.text);
  return sim;
}

static void assert_row(const double *rows, int i, int n, const double *expected) {
  assert_memory_equal(rows + (size_t)(n * i), expected, (size_t)n * sizeof *rows);
}

static void assert_member_is(const flock *f, int i, const crd_sim *sim) {
  const crd_model *model = f->host->model;
  assert_row(crd_batch_qpos(f->batch), i, model->nq, crd_sim_qpos(sim));
  assert_row(crd_batch_qvel(f->batch), i, model->nv, crd_sim_qvel(sim));
  assert_row(crd_batch_act(f->batch), i, model->nact, crd_sim_act(sim));
  assert_row(crd_batch_sensors(f->batch), i, model->nsensordata, crd_sim_sensors(sim));
  assert_true(crd_batch_time(f->batch)[i] == crd_sim_time(sim));
}

static void members_move_as_single_simulations(void **state) {
  (void)state;
  for (int k = 0; k < INTEGRATORS; k++)
    for (int threads = 1; threads <= 3; threads++) {
      flock f = flock_from(walker, integrators[k], MEMBERS, threads);
      const crd_model *model = f.host->model;
      double q[MEMBERS * 16], v[MEMBERS * 14];
      crd_sim *sim[MEMBERS];
      const int rounds = integrators[k] == CRD_SIM_EVENT ? ROUNDS / 4 : ROUNDS; /* which go over their phases again */
      scatter(model, MEMBERS, q, v);
      assert_int_equal(crd_batch_reset(f.batch, NULL, MEMBERS, q, v), CRD_OK);
      assert_int_equal(crd_batch_failures(f.batch, NULL), 0);
      for (int i = 0; i < MEMBERS; i++) sim[i] = single(&f, i, q + model->nq * i, v + model->nv * i);
      for (int round = 0; round < rounds; round++) {
        write_controls(f.batch, round);
        assert_int_equal(crd_batch_step(f.batch, STEPS), CRD_OK);
        for (int i = 0; i < MEMBERS; i++) {
          for (int a = 0; a < NU; a++) crd_sim_ctrl(sim[i])[a] = control_of(round, i, a);
          for (int s = 0; s < STEPS; s++) assert_int_equal(crd_sim_step(sim[i]), CRD_OK);
          assert_member_is(&f, i, sim[i]);
        }
      }
      long contacts = 0;
      for (int i = 0; i < MEMBERS; i++) contacts += crd_sim_counters_now(sim[i]).contacts, crd_sim_free(sim[i]);
      assert_true(contacts > 0);
      flock_free(&f);
    }
}

static void a_rollout_is_its_steps(void **state) {
  (void)state;
  for (int k = 0; k < INTEGRATORS - 1; k++) {
    flock f = flock_from(walker, integrators[k], MEMBERS, 2), g = flock_from(walker, integrators[k], MEMBERS, 1);
    const crd_model *model = f.host->model;
    const size_t all = (size_t)ROUNDS * MEMBERS;
    double *ctrl = malloc(all * NU * sizeof *ctrl), *time = malloc(all * sizeof *time);
    crd_batch_record record = {.time = time,
                               .qpos = malloc(all * (size_t)model->nq * sizeof(double)),
                               .qvel = malloc(all * (size_t)model->nv * sizeof(double)),
                               .act = malloc(all * (size_t)model->nact * sizeof(double)),
                               .sensors = malloc(all * (size_t)model->nsensordata * sizeof(double))};
    for (int t = 0; t < ROUNDS; t++)
      for (int i = 0; i < MEMBERS; i++)
        for (int a = 0; a < NU; a++) ctrl[(t * MEMBERS + i) * NU + a] = control_of(t, i, a);
    assert_int_equal(crd_batch_rollout(f.batch, ROUNDS, STEPS, ctrl, &record), CRD_OK);
    for (int t = 0; t < ROUNDS; t++) {
      write_controls(g.batch, t);
      assert_int_equal(crd_batch_step(g.batch, STEPS), CRD_OK);
      const size_t from = (size_t)t * MEMBERS;
      assert_memory_equal(time + from, crd_batch_time(g.batch), MEMBERS * sizeof *time);
      assert_memory_equal(record.qpos + from * (size_t)model->nq, crd_batch_qpos(g.batch),
                          (size_t)(MEMBERS * model->nq) * sizeof(double));
      assert_memory_equal(record.qvel + from * (size_t)model->nv, crd_batch_qvel(g.batch),
                          (size_t)(MEMBERS * model->nv) * sizeof(double));
      assert_memory_equal(record.act + from * (size_t)model->nact, crd_batch_act(g.batch),
                          (size_t)(MEMBERS * model->nact) * sizeof(double));
      assert_memory_equal(record.sensors + from * (size_t)model->nsensordata, crd_batch_sensors(g.batch),
                          (size_t)(MEMBERS * model->nsensordata) * sizeof(double));
    }
    for (int i = 0; i < MEMBERS * NU; i++) assert_true(crd_batch_ctrl(f.batch)[i] == 0); /* the caller's */
    /* and without controls of its own it goes on with those of the array */
    write_controls(f.batch, 3), write_controls(g.batch, 3);
    assert_int_equal(crd_batch_rollout(f.batch, 4, 1, NULL, NULL), CRD_OK);
    assert_int_equal(crd_batch_step(g.batch, 4), CRD_OK);
    assert_memory_equal(crd_batch_qpos(f.batch), crd_batch_qpos(g.batch),
                        (size_t)(MEMBERS * model->nq) * sizeof(double));
    free(ctrl), free(time), free(record.qpos), free(record.qvel), free(record.act), free(record.sensors);
    flock_free(&f), flock_free(&g);
  }
}

/* Member 3 gets a control that is no number, member 8 one that throws it out of the range of numbers. */
static void one_that_fails_stops_nobody(void **state) {
  (void)state;
  flock f = flock_from(walker, CRD_SIM_RK4, MEMBERS, 2), g = flock_from(walker, CRD_SIM_RK4, MEMBERS, 2);
  const int nq = f.host->model->nq;
  for (int round = 0; round < 20; round++) {
    write_controls(f.batch, round), write_controls(g.batch, round);
    if (round == 10) crd_batch_ctrl(f.batch)[NU * 3 + 1] = NAN, crd_batch_ctrl(f.batch)[NU * 8] = 1e300;
    assert_int_equal(crd_batch_step(f.batch, 1), CRD_OK);
    assert_int_equal(crd_batch_step(g.batch, 1), CRD_OK);
  }
  int first = 0;
  assert_int_equal(crd_batch_failures(f.batch, &first), 2);
  assert_int_equal(first, 3);
  assert_int_equal(crd_batch_status(f.batch)[3], CRD_ERR_NUMBER);
  assert_non_null(strstr(crd_batch_message(f.batch, 3), "actuator \"rear\""));
  assert_true(crd_batch_status(f.batch)[8] > 0 && crd_batch_message(f.batch, 8)[0]);
  for (int i = 0; i < MEMBERS; i++) {
    const bool stands = i == 3 || i == 8;
    assert_true(fabs(crd_batch_time(f.batch)[i] - (stands ? 10 : 20) * 0.004) <= 1e-12);
    for (int k = 0; k < nq; k++) assert_true(isfinite(crd_batch_qpos(f.batch)[nq * i + k]));
    if (stands) continue;
    assert_row(crd_batch_qpos(f.batch), i, nq, crd_batch_qpos(g.batch) + nq * i);
    assert_string_equal(crd_batch_message(f.batch, i), "");
  }
  double *rows = malloc((size_t)(2 * MEMBERS * nq) * sizeof *rows); /* rows of those that stand are no numbers */
  assert_int_equal(crd_batch_rollout(f.batch, 2, 1, NULL, &(crd_batch_record){.qpos = rows}), CRD_OK);
  for (int i = 0; i < MEMBERS; i++) assert_int_equal(isnan(rows[nq * (MEMBERS + i)]), i == 3 || i == 8);
  free(rows);
  assert_int_equal(crd_batch_reset(f.batch, (const int[]){8}, 1, NULL, NULL), CRD_OK);
  assert_int_equal(crd_batch_failures(f.batch, &first), 1);
  assert_int_equal(first, 3);
  assert_string_equal(crd_batch_message(f.batch, 8), "");
  assert_null(crd_batch_message(f.batch, MEMBERS));
  flock_free(&f), flock_free(&g);
}

static void some_are_reset_and_the_others_go_on(void **state) {
  (void)state;
  flock f = flock_from(walker, CRD_SIM_RK4, MEMBERS, 2), g = flock_from(walker, CRD_SIM_RK4, MEMBERS, 1);
  const crd_model *model = f.host->model;
  double q[MEMBERS * 16], v[MEMBERS * 14];
  const int chosen[3] = {11, 2, 5};
  scatter(model, MEMBERS, q, v);
  for (int round = 0; round < 30; round++) {
    write_controls(f.batch, round), write_controls(g.batch, round);
    assert_int_equal(crd_batch_step(f.batch, 1), CRD_OK);
    assert_int_equal(crd_batch_step(g.batch, 1), CRD_OK);
  }
  assert_int_equal(crd_batch_reset(f.batch, chosen, 3, q, v), CRD_OK);
  for (int i = 0; i < MEMBERS; i++) {
    const int at = i == 11 ? 0 : i == 2 ? 1 : i == 5 ? 2 : -1;
    for (int a = 0; a < NU; a++) assert_true((crd_batch_ctrl(f.batch)[NU * i + a] == 0) == (at >= 0));
    if (at < 0) {
      assert_row(crd_batch_qpos(f.batch), i, model->nq, crd_batch_qpos(g.batch) + model->nq * i);
      continue;
    }
    crd_sim *sim = single(&f, i, q + model->nq * at, v + model->nv * at);
    assert_member_is(&f, i, sim);
    crd_sim_free(sim);
  }
  /* what cannot be */
  assert_int_equal(crd_batch_reset(f.batch, (const int[]){1, 4, 1}, 3, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_reset(f.batch, (const int[]){MEMBERS}, 1, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_reset(f.batch, (const int[]){-1}, 1, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_reset(f.batch, NULL, 3, NULL, NULL), CRD_ERR_ARGUMENT);
  const double t = crd_batch_time(f.batch)[4];
  q[9] = 0, q[model->nq] = NAN; /* the trunk in the floor; no number */
  assert_int_equal(crd_batch_reset(f.batch, (const int[]){4, 1, 7}, 3, q, v), CRD_OK);
  assert_int_equal(crd_batch_status(f.batch)[4], CRD_ERR_MODEL);
  assert_int_equal(crd_batch_status(f.batch)[1], CRD_ERR_NUMBER);
  assert_int_equal(crd_batch_status(f.batch)[7], CRD_OK);
  assert_true(crd_batch_time(f.batch)[4] == t && crd_batch_time(f.batch)[7] == 0);
  flock_free(&f), flock_free(&g);
}

static bool after_some(void *context) { return --*(int *)context < 0; }

/* Stopped at any moment, members stand after whole steps; with what is left they come where the others are. */
static void a_stop_leaves_whole_steps(void **state) {
  (void)state;
  enum { LENGTH = 40 };
  flock whole = flock_from(walker, CRD_SIM_RK4, MEMBERS, 2);
  write_controls(whole.batch, 0);
  assert_int_equal(crd_batch_step(whole.batch, LENGTH), CRD_OK);
  for (int asked = 0; asked < 400; asked += 57) {
    flock f = {.options = crd_batch_default()};
    int left = asked;
    f.options.count = MEMBERS, f.options.threads = 2, f.options.sim.stop = after_some,
    f.options.sim.stop_context = &left;
    assert_int_equal(crd_batch_new(whole.host->model, &f.options, &f.batch, NULL), CRD_OK);
    left = asked;
    write_controls(f.batch, 0);
    crd_status status = crd_batch_step(f.batch, LENGTH);
    assert_true(status == CRD_STOPPED || (status == CRD_OK && left >= 0));
    assert_int_equal(crd_batch_failures(f.batch, NULL), 0);
    left = 1 << 30;
    for (int i = 0; i < MEMBERS; i++) {
      const double steps = crd_batch_time(f.batch)[i] / 0.004;
      assert_true(fabs(steps - round(steps)) <= 1e-6);
      crd_sim *sim;
      assert_int_equal(crd_sim_new(whole.host->model, &f.options.sim, &sim, NULL), CRD_OK);
      assert_int_equal(crd_batch_get(f.batch, i, sim), CRD_OK);
      for (int k = (int)round(steps); k < LENGTH; k++) assert_int_equal(crd_sim_step(sim), CRD_OK);
      assert_member_is(&whole, i, sim);
      crd_sim_free(sim);
    }
    crd_batch_free(f.batch);
  }
  flock_free(&whole);
}

/* A member taken out, pushed, and put into another place goes on as the simulation does. */
static void members_come_and_go(void **state) {
  (void)state;
  flock f = flock_from(walker, CRD_SIM_RK4, MEMBERS, 2), other = flock_from(walker, CRD_SIM_EVENT, 1, 1);
  const double force[3] = {0, 30, 0};
  write_controls(f.batch, 0);
  assert_int_equal(crd_batch_step(f.batch, 10), CRD_OK);
  crd_sim *sim = single(&f, 0, NULL, NULL);
  assert_int_equal(crd_batch_get(f.batch, 4, sim), CRD_OK);
  assert_member_is(&f, 4, sim);
  assert_int_equal(crd_sim_wrench(sim, crd_model_find_body(f.host->model, "trunk"), force, NULL, NULL), CRD_OK);
  assert_int_equal(crd_batch_put(f.batch, 9, sim), CRD_OK);
  for (int k = 0; k < 10; k++) assert_int_equal(crd_sim_step(sim), CRD_OK);
  assert_int_equal(crd_batch_step(f.batch, 10), CRD_OK);
  assert_member_is(&f, 9, sim);
  assert_true(memcmp(crd_batch_qpos(f.batch) + 4 * f.host->model->nq, crd_sim_qpos(sim),
                     (size_t)f.host->model->nq * sizeof(double)) != 0);
  assert_int_equal(crd_batch_get(f.batch, MEMBERS, sim), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_put(f.batch, -1, sim), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_put(other.batch, 0, sim), CRD_ERR_FORMAT); /* another model */
  assert_int_equal(crd_batch_get(other.batch, 0, sim), CRD_ERR_FORMAT);
  crd_sim_free(sim);
  flock_free(&f), flock_free(&other);
}

/* A box that falls on one corner after the other: routh's rates are drawn, by members with the same seed alike. */
static void seeds_are_the_members_own(void **state) {
  (void)state;
  enum { STEPS_DOWN = 300 };
  static const char box[] = "box_on_floor: option.timestep=0.004; body.pos=0 0 0.3";
  flock f = {.options = crd_batch_default()};
  f.options.count = 6, f.options.threads = 2, f.options.sim.law = crd_impact_find("routh"), f.options.sim.seed = 40;
  f.options.sim.mu = 0.5;
  f.host = simulation_from_text(box, &f.options.sim);
  assert_int_equal(crd_batch_new(f.host->model, &f.options, &f.batch, NULL), CRD_OK);
  crd_batch_seeds(f.batch)[5] = 41; /* that of member 1 */
  double all[36] = {0};
  for (int i = 0; i < 6; i++) all[6 * i] = 1;
  assert_int_equal(crd_batch_reset(f.batch, NULL, 6, NULL, all), CRD_OK);
  assert_int_equal(crd_batch_step(f.batch, STEPS_DOWN), CRD_OK);
  for (int i = 0; i < 5; i++) {
    crd_sim *sim = single(&f, i, NULL, all);
    for (int k = 0; k < STEPS_DOWN; k++) assert_int_equal(crd_sim_step(sim), CRD_OK);
    assert_member_is(&f, i, sim);
    crd_sim_free(sim);
  }
  const double *end = crd_batch_qpos(f.batch);
  assert_row(end, 5, 7, end + 7);
  assert_true(memcmp(end, end + 7, 7 * sizeof *end) != 0);
  flock_free(&f);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  flock f = flock_from(walker, CRD_SIM_RK4, 2, 1);
  crd_batch *batch;
  crd_error err;
  crd_batch_options options = crd_batch_default();
  options.count = 0;
  assert_int_equal(crd_batch_new(f.host->model, &options, &batch, &err), CRD_ERR_ARGUMENT);
  assert_null(batch);
  assert_non_null(strstr(err.text, "count: found 0"));
  options.count = 1, options.threads = -1;
  assert_int_equal(crd_batch_new(f.host->model, &options, &batch, &err), CRD_ERR_ARGUMENT);
  options.threads = 0, options.sim.timestep = -1;
  assert_int_equal(crd_batch_new(f.host->model, &options, &batch, &err), CRD_ERR_ARGUMENT);
  options = crd_batch_default();
  options.sensors = false;
  assert_int_equal(crd_batch_new(f.host->model, &options, &batch, &err), CRD_OK);
  double sensors[3];
  assert_int_equal(crd_batch_rollout(batch, 1, 1, NULL, &(crd_batch_record){.sensors = sensors}), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_rollout(batch, 0, 1, NULL, NULL), CRD_ERR_ARGUMENT);
  assert_int_equal(crd_batch_step(batch, 0), CRD_ERR_ARGUMENT);
  assert_true(crd_batch_time(batch)[0] == 0);
  crd_batch_free(batch);
  flock_free(&f);
  /* a drawing from which no motion leads: members fail until they are reset to another state */
  flock g = flock_from("ball_in_floor", CRD_SIM_RK4, 3, 2);
  assert_int_equal(crd_batch_failures(g.batch, NULL), 3);
  assert_int_equal(crd_batch_status(g.batch)[2], CRD_ERR_MODEL);
  assert_non_null(strstr(crd_batch_message(g.batch, 2), "overlap"));
  const double above[21] = {0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0};
  assert_int_equal(crd_batch_reset(g.batch, NULL, 3, above, NULL), CRD_OK);
  assert_int_equal(crd_batch_failures(g.batch, NULL), 0);
  assert_int_equal(crd_batch_step(g.batch, 1), CRD_OK);
  flock_free(&g);
}

/* 4096 of them are to fit into a few tens of megabytes: at most 12 kB each, contacts included. */
static void members_are_small(void **state) {
  (void)state;
  flock f = flock_from(walker, CRD_SIM_RK4, 256, 2);
  write_controls(f.batch, 0);
  assert_int_equal(crd_batch_step(f.batch, 50), CRD_OK);
  assert_true(crd_batch_bytes(f.batch) <= 256 * (size_t)12000);
  flock_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(members_move_as_single_simulations),
                                     cmocka_unit_test(a_rollout_is_its_steps),
                                     cmocka_unit_test(one_that_fails_stops_nobody),
                                     cmocka_unit_test(some_are_reset_and_the_others_go_on),
                                     cmocka_unit_test(a_stop_leaves_whole_steps),
                                     cmocka_unit_test(members_come_and_go),
                                     cmocka_unit_test(seeds_are_the_members_own),
                                     cmocka_unit_test(what_cannot_be_is_refused),
                                     cmocka_unit_test(members_are_small)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
