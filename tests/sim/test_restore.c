/* A simulation is a function of what crd_sim_save writes: of random mechanisms and of robots under controls that
 * change, with every integrator, saved at random instants (in flight, in impacts, at rest, within phases). Another
 * simulation of the model, whatever it has done before, restored from these bytes, goes on with the same bits: state,
 * events, contacts, ledger, counters, and the bytes that it saves itself. Two runs save the same bytes. */
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/event_run.h"
#include "support/random_mechanism.h"
#include "support/random_tree.h"

enum { SAVES = 5, STEPS = 300 };

typedef struct bytes {
  void *data;
  size_t size;
} bytes;

static bytes save(const crd_sim *sim) {
  bytes b = {.size = crd_sim_saved_size(sim)};
  assert_non_null(b.data = malloc(b.size));
  assert_int_equal(crd_sim_save(sim, b.data, b.size), CRD_OK);
  return b;
}

/* A step under controls and pushes that depend on its number alone; a status that every run has. */
static crd_status step(simulation *s, uint64_t seed, int number) {
  random_stream stream = {seed, (uint64_t)number << 20};
  double *ctrl = crd_sim_ctrl(s->sim);
  for (int i = 0; i < s->model->nactuator && number % 20 == 0; i++) ctrl[i] = random_in(&stream, -0.5, 0.5);
  if (number % 50 == 17) {
    const double force[3] = {random_in(&stream, -1, 1), random_in(&stream, -1, 1), 0};
    assert_int_equal(crd_sim_wrench(s->sim, 1, force, NULL, NULL), CRD_OK);
  }
  return crd_sim_step(s->sim);
}

static void assert_same_doubles(const double *a, const double *b, int n) {
  if (n > 0) assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void assert_same_contacts(const simulation *a, const simulation *b) {
  int n, m;
  const crd_sim_contact *x = crd_sim_contacts(a->sim, &n), *y = crd_sim_contacts(b->sim, &m);
  assert_int_equal(n, m);
  for (int i = 0; i < n; i++) {
    assert_string_equal(x[i].contact.name, y[i].contact.name);
    assert_true(x[i].mode == y[i].mode && x[i].impulse_n == y[i].impulse_n && x[i].work == y[i].work);
  }
}

/* b has the last events of a. */
static void assert_same_events(const simulation *a, const simulation *b, int before) {
  assert_int_equal(a->count - before, b->count);
  for (int i = 0; i < b->count && before + i < SIMULATION_EVENTS; i++) {
    const crd_sim_event *x = &a->event[before + i], *y = &b->event[i];
    assert_true(x->t == y->t && x->kind == y->kind && x->count == y->count && x->approach == y->approach);
    assert_true(x->impulse == y->impulse && x->energy == y->energy && x->s == y->s);
  }
}

static void assert_same(const simulation *a, const simulation *b, int before) {
  assert_true(crd_sim_time(a->sim) == crd_sim_time(b->sim));
  assert_same_doubles(crd_sim_qpos(a->sim), crd_sim_qpos(b->sim), a->model->nq);
  assert_same_doubles(crd_sim_qvel(a->sim), crd_sim_qvel(b->sim), a->model->nv);
  assert_same_doubles(crd_sim_act(a->sim), crd_sim_act(b->sim), a->model->nact);
  crd_sim_energy x = crd_sim_energy_now(a->sim), y = crd_sim_energy_now(b->sim);
  assert_memory_equal(&x, &y, sizeof x);
  assert_same_contacts(a, b);
  assert_same_events(a, b, before);
  bytes first = save(a->sim), second = save(b->sim);
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.data, second.data, first.size);
  free(first.data), free(second.data);
}

/* Takes all three simulations over. */
static void check(simulation *a, simulation *twin, simulation *b, uint64_t seed) {
  random_stream stream = {seed, 77};
  bytes saved[SAVES];
  int at[SAVES], events[SAVES], done = 0, last = STEPS;
  for (int k = 0; k < SAVES; k++) at[k] = (k * STEPS + random_int(&stream, 0, STEPS - 1)) / SAVES;
  for (int i = 0, k = 0; i < STEPS; i++) {
    for (; k < SAVES && at[k] == i; k++) saved[k] = save(a->sim), events[k] = a->count, done++;
    crd_status status = step(a, seed, i);
    assert_int_equal(step(twin, seed, i), status);
    if (status == CRD_OK) continue;
    last = i; /* the state before the step stands */
    break;
  }
  assert_same(a, twin, 0);
  for (int k = done - 1; k >= 0; k--) {
    assert_int_equal(crd_sim_restore(b->sim, saved[k].data, saved[k].size), CRD_OK);
    b->count = 0;
    for (int i = at[k]; i < last; i++) assert_int_equal(step(b, seed, i), CRD_OK);
    if (last < STEPS) assert_int_not_equal(step(b, seed, last), CRD_OK);
    assert_same(a, b, events[k]);
    free(saved[k].data);
  }
  simulation_free(a), simulation_free(twin), simulation_free(b);
}

static crd_sim_options options_of(crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return options;
}

static void check_mechanisms(crd_sim_integrator integrator, uint64_t last) {
  crd_sim_options options = options_of(integrator);
  for (uint64_t seed = 1; seed <= last; seed++) {
    print_message("%s, seed %d\n", crd_sim_integrator_name(integrator), (int)seed);
    check(random_mechanism(seed, &options), random_mechanism(seed, &options), random_mechanism(seed, &options), seed);
  }
}

static simulation *load(const char *path, crd_sim_integrator integrator) {
  crd_sim_options options = options_of(integrator);
  crd_model *model;
  crd_error err = {0};
  options.clear_start = options.ignore_overlaps = options.ignore_torsion = true;
  if (crd_io_read_model(path, NULL, &model, NULL, &err) != CRD_OK) fail_msg("%s", err.text);
  return simulation_from_model(model, &options);
}

/* `count` of them: event driven the pup, whose feet begin to slide under servos that jump, takes minutes. */
enum { MACHINES = 7, BUT_THE_PUP = 6 };
static void check_machines(crd_sim_integrator integrator, int count) {
  static const char *const machine[MACHINES] = {"ragdoll", "hopper",    "scissor_lift", "tendons",
                                                "gripper", "actuators", "pup"};
  for (int k = 0; k < count; k++) {
    char path[1000];
    snprintf(path, sizeof path, "%s/models/%s.xml", CRADLE_SOURCE_DIR, machine[k]);
    print_message("%s, %s\n", crd_sim_integrator_name(integrator), machine[k]);
    check(load(path, integrator), load(path, integrator), load(path, integrator), (uint64_t)k + 1);
  }
}

static void by_runge_kutta(void **state) {
  (void)state;
  check_mechanisms(CRD_SIM_RK4, 12), check_machines(CRD_SIM_RK4, MACHINES);
}

static void by_semi_implicit_euler(void **state) {
  (void)state;
  check_mechanisms(CRD_SIM_EULER, 4), check_machines(CRD_SIM_EULER, MACHINES);
}

static void by_the_midpoint_rule(void **state) {
  (void)state;
  check_mechanisms(CRD_SIM_MIDPOINT, 4), check_machines(CRD_SIM_MIDPOINT, MACHINES);
}

static void by_moreau_and_jean(void **state) {
  (void)state;
  check_mechanisms(CRD_SIM_MOREAU, 12), check_machines(CRD_SIM_MOREAU, MACHINES);
}

static void from_event_to_event(void **state) {
  (void)state;
  if (!event_integrator_built()) skip();
  check_mechanisms(CRD_SIM_EVENT, 4), check_machines(CRD_SIM_EVENT, BUT_THE_PUP);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_runge_kutta), cmocka_unit_test(by_semi_implicit_euler),
                                     cmocka_unit_test(by_the_midpoint_rule), cmocka_unit_test(by_moreau_and_jean),
                                     cmocka_unit_test(from_event_to_event)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
