/* Simulations driven by steps: control that Python writes between them, the mark of those in use, Ctrl-C, recorded runs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

/* ------------------------------------------------------------------------------------------------ callbacks */

static void apply_control(void *context, double t, const double *qpos, const double *qvel, double *ctrl, double *tau) {
  const crdpy_sim *sim = context;
  (void)t, (void)qpos, (void)qvel, (void)ctrl;
  for (int i = 0; i < sim->model->model->nv; i++) tau[i] += sim->tau[i];
}

static void on_event(void *context, const crd_sim *sim, const crd_sim_event *event) {
  const crdpy_sim *own = context;
  if (own->recorder) crdpy_recorder_event(own->recorder, sim, event);
}

/* ------------------------------------------------------------------------------------------------ life */

crd_status crdpy_sim_new(crdpy_model *model, const crd_sim_options *options, crdpy_sim **out, crd_error *err) {
  *out = NULL;
  if (!model) return CLOSED;
  const crd_model *m = model->model;
  crdpy_sim *made = calloc(1, sizeof *made);
  if (made) made->tau = calloc((size_t)m->nv + 1, sizeof *made->tau);
  if (!made || !made->tau) {
    free(made);
    return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  }
  made->model = crdpy_model_hold(model);
  made->options = *options;
  made->options.control = apply_control, made->options.control_apart = true, made->options.control_context = made;
  if (!made->options.law) made->options.law = crd_impact_find("poisson");
  made->options.stop = crdpy_watch_stop, made->options.stop_context = &made->watch;
  made->options.observer = (crd_sim_observer){.context = made, .event = on_event};
  crd_status status = crd_sim_new(m, &made->options, &made->sim, err);
  if (isnan(made->options.timestep)) made->options.timestep = m->timestep;
  if (status)
    crdpy_sim_drop(made);
  else
    made->ctrl = crd_sim_ctrl(made->sim), *out = made;
  return status;
}

void crdpy_sim_drop(crdpy_sim *sim) {
  if (!sim) return;
  crd_sim_free(sim->sim);
  crdpy_model_drop(sim->model);
  free(sim->tau), free(sim);
}

static crd_status take(crdpy_sim *sim) {
  if (!sim) return CLOSED;
  return __atomic_exchange_n(&sim->busy, 1, __ATOMIC_ACQUIRE) ? BUSY : CRD_OK;
}

static crd_status give(crdpy_sim *sim, crd_status status) {
  __atomic_store_n(&sim->busy, 0, __ATOMIC_RELEASE);
  return status;
}

crd_status crdpy_sim_take(crdpy_sim *sim) { return take(sim); }
void crdpy_sim_give(crdpy_sim *sim) { give(sim, CRD_OK); }

/* ------------------------------------------------------------------------------------------------ state */

crd_status crdpy_sim_reset(crdpy_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_reset(sim->sim, t, qpos, qvel, err));
}

crd_status crdpy_sim_set_state(crdpy_sim *sim, const double *qpos, const double *qvel, crd_error *err) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_set_state(sim->sim, qpos, qvel, err));
}

crd_status crdpy_sim_wrench(crdpy_sim *sim, int body, const double *force, const double *torque, const double *point) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_wrench(sim->sim, body, force, torque, point));
}

crd_status crdpy_sim_set_act(crdpy_sim *sim, const double *act, crd_error *err) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_set_act(sim->sim, act, err));
}

crd_status crdpy_sim_sensors(crdpy_sim *sim, double *data) {
  crd_status status = take(sim);
  if (status) return status;
  const int n = sim->model->model->nsensordata;
  if (n > 0) memcpy(data, crd_sim_sensors(sim->sim), (size_t)n * sizeof *data);
  return give(sim, CRD_OK);
}

crd_status crdpy_sim_sensor(crdpy_sim *sim, const char *name, double *data, int size) {
  crd_status status = take(sim);
  if (status) return status;
  int dim;
  const double *read = crd_sim_sensor(sim->sim, name, &dim);
  if (!read || dim != size) return give(sim, CRD_ERR_ARGUMENT);
  memcpy(data, read, (size_t)dim * sizeof *data);
  return give(sim, CRD_OK);
}

crd_status crdpy_sim_save(crdpy_sim *sim, void *buffer, size_t size) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_save(sim->sim, buffer, size));
}

crd_status crdpy_sim_restore(crdpy_sim *sim, const void *buffer, size_t size) {
  crd_status status = take(sim);
  return status ? status : give(sim, crd_sim_restore(sim->sim, buffer, size));
}

/* ------------------------------------------------------------------------------------------------ steps */

static bool driven_finitely(const crdpy_sim *sim) {
  double sum = 0;
  for (int i = 0; i < sim->model->model->nactuator; i++) sum += 0 * sim->ctrl[i];
  for (int i = 0; i < sim->model->model->nv; i++) sum += 0 * sim->tau[i];
  return sum == 0;
}

crd_status crdpy_sim_step(crdpy_sim *sim, long count) {
  crd_status status = take(sim);
  if (status) return status;
  if (!driven_finitely(sim)) return give(sim, CRD_ERR_NUMBER);
  sim->watch.stopped = false;
  for (long i = 0; i < count && !status; i++) status = crd_sim_step(sim->sim);
  if (sim->watch.stopped) status = CRD_STOPPED;
  return give(sim, status);
}

/* Whole steps as far as they go, then a shorter one to the very end. */
static crd_status advance(crdpy_sim *sim, double duration, long every) {
  const double h = sim->options.timestep, start = crd_sim_time(sim->sim);
  const double whole = floor(duration / h + 1e-6);
  crd_status status = CRD_OK;
  double steps = 0, recorded = 0;
  for (; steps < whole && !status; steps++) {
    status = crdpy_watch_stop(&sim->watch) ? CRD_STOPPED : crd_sim_step(sim->sim);
    if (!status && fmod(steps + 1, (double)every) == 0)
      crdpy_recorder_row(sim->recorder, sim->sim), recorded = steps + 1;
  }
  const double left = duration - whole * h;
  if (!status && left > 1e-6 * fmin(h, duration)) status = crd_sim_run(sim->sim, start + duration), steps++;
  if (!status && recorded != steps) crdpy_recorder_row(sim->recorder, sim->sim);
  return status;
}

crd_status crdpy_sim_run(crdpy_sim *sim, double duration, long every, crdpy_trace **out, crd_error *err) {
  *out = NULL;
  crd_status status = take(sim);
  if (status) return status;
  if (!driven_finitely(sim)) return give(sim, CRD_ERR_NUMBER);
  status = crdpy_recorder_new(sim, &sim->recorder);
  if (status) return give(sim, crd_error_set(err, status, NULL, 0, "out of memory"));
  crdpy_watch_begin(&sim->watch);
  const double begun = crdpy_seconds();
  crdpy_recorder_row(sim->recorder, sim->sim);
  status = advance(sim, duration, every);
  crdpy_recorder *recorder = sim->recorder;
  sim->recorder = NULL;
  crd_status kept = crdpy_recorder_end(recorder, sim, status, duration, every, crdpy_seconds() - begun, out);
  if (kept) return give(sim, crd_error_set(err, kept, NULL, 0, "out of memory"));
  if (sim->watch.stopped) status = CRD_STOPPED;
  if (status < 0) {
    crdpy_trace_drop(*out), *out = NULL;
    crd_error_set(err, status, NULL, 0, "%s", crd_sim_message(sim->sim));
  }
  return give(sim, status);
}
