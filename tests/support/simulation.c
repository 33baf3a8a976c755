#include "support/simulation.h"

#include <cradle/io.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/scene_text.h"

static void record(void *context, const crd_sim *sim, const crd_sim_event *event) {
  simulation *s = context;
  (void)sim;
  if (s->count < SIMULATION_EVENTS) s->event[s->count] = *event;
  s->count++;
}

simulation *simulation_from_model(crd_model *model, const crd_sim_options *options) {
  simulation *s = calloc(1, sizeof *s);
  crd_sim_options given = options ? *options : crd_sim_default();
  crd_error err = {0};
  assert_non_null(s);
  s->model = model;
  given.observer.context = s, given.observer.event = record;
  if (crd_sim_new(model, &given, &s->sim, &err) != CRD_OK) fail_msg("%s", err.text);
  if (model->nkey && crd_sim_reset(s->sim, 0, model->key[0].qpos, model->key[0].qvel, &err) != CRD_OK)
    fail_msg("%s", err.text);
  return s;
}

simulation *simulation_from_text(const char *source, const crd_sim_options *options) {
  return simulation_from_model(model_from_text(source), options);
}

const crd_sim_integrator simulation_integrators[SIMULATION_INTEGRATORS] = {CRD_SIM_RK4, CRD_SIM_EULER, CRD_SIM_MIDPOINT,
                                                                           CRD_SIM_MOREAU, CRD_SIM_EVENT};

simulation *simulation_by(const char *source, crd_sim_integrator integrator) {
  crd_sim_options options = crd_sim_default();
  options.integrator = integrator;
  return simulation_from_text(source, &options);
}

simulation *simulation_from_example(const char *spec, const crd_sim_options *options) {
  crd_arena arena = {0};
  const char *text;
  crd_error err = {0};
  if (crd_io_example_text(spec, NULL, &arena, &text, &err) != CRD_OK) fail_msg("%s", err.text);
  simulation *s = simulation_from_text(text, options);
  crd_arena_free(&arena);
  return s;
}

void simulation_free(simulation *s) {
  crd_sim_free(s->sim);
  crd_model_free(s->model);
  free(s);
}

void simulation_run(simulation *s, double t) {
  crd_status status = crd_sim_run(s->sim, t);
  if (status != CRD_OK)
    fail_msg("%s at t = %g: %s", crd_status_text(status), crd_sim_time(s->sim), crd_sim_message(s->sim));
}

int simulation_count(const simulation *s, crd_sim_event_kind kind) {
  int count = 0;
  for (int i = 0; i < s->count && i < SIMULATION_EVENTS; i++) count += s->event[i].kind == kind;
  return count;
}

const crd_sim_event *simulation_event(const simulation *s, crd_sim_event_kind kind, int n) {
  for (int i = 0; i < s->count && i < SIMULATION_EVENTS; i++)
    if (s->event[i].kind == kind && n-- == 0) return &s->event[i];
  fail_msg("no such event: %s", crd_sim_event_name(kind));
  return NULL;
}
