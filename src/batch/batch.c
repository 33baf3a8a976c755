/* Life of a batch: memory, access, and members as bytes.
 *
 * A simulation holds work space for contacts, trees and solvers, of which a thread needs one set. What the future of a
 * member depends on is what crd_sim_save writes; the claim that a restored simulation goes on with the same bits is what
 * a batch rests on (tests/sim/test_inputs.c, tests/batch).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "batch/members.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MESSAGE = sizeof((crd_error *)0)->text };

crd_batch_options crd_batch_default(void) {
  return (crd_batch_options){.count = 1, .sensors = true, .sim = crd_sim_default()};
}

/* ------------------------------------------------------------------------------------------------ members */

crd_status batch_load(const crd_batch *batch, int i, crd_sim *sim) {
  const batch_member *member = &batch->member[i];
  const crd_status status = crd_sim_restore(sim, member->bytes, member->size);
  if (status == CRD_OK) crd_sim_set_seed(sim, batch->seed[i]);
  return status;
}

static void copy_row(double *rows, int row, int n, const double *from) {
  if (n > 0) memcpy(rows + (size_t)n * (size_t)row, from, (size_t)n * sizeof *rows);
}

crd_status batch_store(crd_batch *batch, int i, const crd_sim *sim) {
  const crd_model *model = batch->model;
  batch_member *member = &batch->member[i];
  const size_t size = crd_sim_saved_size(sim);
  if (size > member->room) {
    char *larger = realloc(member->bytes, size + size / 4); /* contacts come and go */
    if (!larger) return CRD_ERR_MEMORY;
    member->bytes = larger, member->room = size + size / 4;
  }
  const crd_status status = crd_sim_save(sim, member->bytes, member->room);
  if (status != CRD_OK) return status;
  member->size = size;
  copy_row(batch->qpos, i, model->nq, crd_sim_qpos(sim));
  copy_row(batch->qvel, i, model->nv, crd_sim_qvel(sim));
  copy_row(batch->act, i, model->nact, crd_sim_act(sim));
  if (batch->options.sensors) copy_row(batch->sensors, i, model->nsensordata, crd_sim_sensors(sim));
  batch->time[i] = crd_sim_time(sim);
  return CRD_OK;
}

void batch_note(crd_batch *batch, int i, crd_status status, const char *text) {
  batch_member *member = &batch->member[i];
  batch->status[i] = status;
  if (status == CRD_OK) {
    if (member->message) member->message[0] = 0;
    return;
  }
  if (!member->message) member->message = malloc(MESSAGE); /* few fail */
  if (member->message) snprintf(member->message, MESSAGE, "%s", text && text[0] ? text : crd_status_text(status));
}

/* ------------------------------------------------------------------------------------------------ life */

static crd_status take_arrays(crd_batch *batch) {
  const crd_model *model = batch->model;
  const size_t n = (size_t)batch->options.count, d = sizeof(double);
  const crd_layout table[] = {{&batch->member, n, sizeof *batch->member, 0},
                              {&batch->worker, (size_t)batch->threads, sizeof *batch->worker, 0},
                              {&batch->ctrl, n * (size_t)model->nactuator, d, 0},
                              {&batch->qpos, n * (size_t)model->nq, d, 0},
                              {&batch->qvel, n * (size_t)model->nv, d, 0},
                              {&batch->act, n * (size_t)model->nact, d, 0},
                              {&batch->sensors, n * (size_t)model->nsensordata, d, 0},
                              {&batch->time, n, d, 0},
                              {&batch->seed, n, sizeof *batch->seed, 0},
                              {&batch->status, n, sizeof *batch->status, 0},
                              {&batch->listed, n, sizeof *batch->listed, 0}};
  return crd_layout_renew(&batch->arena, table, sizeof table / sizeof *table);
}

static crd_status make_workers(crd_batch *batch, crd_error *err) {
  crd_status status = CRD_OK;
  for (int k = 0; k < batch->threads && status == CRD_OK; k++) {
    batch_worker *worker = &batch->worker[k];
    crd_sim_options options = batch->options.sim;
    *worker = (batch_worker){.batch = batch, .asks = k == 0};
    if (options.stop) options.stop = batch_stops, options.stop_context = worker;
    status = crd_sim_new(batch->model, &options, &worker->sim, err);
  }
  return status;
}

/* All members at the model's first state, or failed where it is none. */
static crd_status make_members(crd_batch *batch, crd_error *err) {
  crd_sim *sim = batch->worker[0].sim;
  crd_error first = {0};
  const crd_status start = crd_sim_reset(sim, 0, NULL, NULL, &first);
  for (int i = 0; i < batch->options.count; i++) {
    batch->seed[i] = batch->options.sim.seed + (uint64_t)i;
    if (batch_store(batch, i, sim) != CRD_OK)
      return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a batch of %d", batch->options.count);
    if (start != CRD_OK) batch_note(batch, i, start, first.text);
  }
  return CRD_OK;
}

static crd_status check_options(const crd_batch_options *o, crd_error *err) {
  if (o->count < 1)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "count: found %d, expected at least 1", o->count);
  if (o->threads < 0)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "threads: found %d, expected at least 0", o->threads);
  if (o->sim.control || o->sim.control_next)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                         "control: found a function, expected none; members are driven through crd_batch_ctrl");
  if (o->sim.observer.event || o->sim.observer.step)
    return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0, "observer: found a function, expected none");
  return CRD_OK;
}

static int thread_count(const crd_batch_options *options) {
  int threads = options->threads;
#ifdef _OPENMP
  if (threads == 0) threads = omp_get_max_threads();
#else
  threads = 1;
#endif
  return threads < options->count ? threads : options->count;
}

crd_status crd_batch_new(const crd_model *model, const crd_batch_options *options, crd_batch **out, crd_error *err) {
  *out = NULL;
  const crd_batch_options given = options ? *options : crd_batch_default();
  crd_status status = check_options(&given, err);
  if (status != CRD_OK) return status;
  crd_batch *batch = calloc(1, sizeof *batch);
  if (!batch) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a batch");
  batch->model = model, batch->options = given;
  batch->threads = thread_count(&given);
  if (take_arrays(batch) != CRD_OK)
    status = crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for a batch of %d", given.count);
  if (status == CRD_OK) status = make_workers(batch, err);
  if (status == CRD_OK) status = make_members(batch, err);
  if (status != CRD_OK) {
    crd_batch_free(batch);
    return status;
  }
  *out = batch;
  return CRD_OK;
}

void crd_batch_free(crd_batch *batch) {
  if (!batch) return;
  for (int i = 0; batch->member && i < batch->options.count; i++)
    free(batch->member[i].bytes), free(batch->member[i].message);
  for (int k = 0; batch->worker && k < batch->threads; k++) crd_sim_free(batch->worker[k].sim);
  crd_arena_free(&batch->arena);
  free(batch);
}

/* ------------------------------------------------------------------------------------------------ access */

const crd_model *crd_batch_model(const crd_batch *batch) { return batch->model; }
int crd_batch_count(const crd_batch *batch) { return batch->options.count; }
int crd_batch_threads(const crd_batch *batch) { return batch->threads; }
double *crd_batch_ctrl(crd_batch *batch) { return batch->ctrl; }
uint64_t *crd_batch_seeds(crd_batch *batch) { return batch->seed; }
const double *crd_batch_qpos(const crd_batch *batch) { return batch->qpos; }
const double *crd_batch_qvel(const crd_batch *batch) { return batch->qvel; }
const double *crd_batch_act(const crd_batch *batch) { return batch->act; }
const double *crd_batch_time(const crd_batch *batch) { return batch->time; }
const double *crd_batch_sensors(const crd_batch *batch) { return batch->sensors; }
const crd_status *crd_batch_status(const crd_batch *batch) { return batch->status; }

size_t crd_batch_bytes(const crd_batch *batch) {
  size_t bytes = sizeof *batch + batch->arena.allocated;
  for (int i = 0; i < batch->options.count; i++)
    bytes += batch->member[i].room + (batch->member[i].message ? MESSAGE : 0);
  return bytes;
}

static bool is_member(const crd_batch *batch, int i) { return i >= 0 && i < batch->options.count; }

const char *crd_batch_message(const crd_batch *batch, int i) {
  if (!is_member(batch, i)) return NULL;
  if (batch->status[i] == CRD_OK) return "";
  return batch->member[i].message ? batch->member[i].message : crd_status_text(batch->status[i]);
}

int crd_batch_failures(const crd_batch *batch, int *first) {
  int failed = 0, at = -1;
  for (int i = batch->options.count - 1; i >= 0; i--)
    if (batch->status[i] != CRD_OK) failed++, at = i;
  if (first) *first = at;
  return failed;
}

crd_status crd_batch_get(const crd_batch *batch, int i, crd_sim *sim) {
  if (!is_member(batch, i)) return CRD_ERR_ARGUMENT;
  if (crd_sim_model(sim) != batch->model) return CRD_ERR_FORMAT;
  const crd_status status = batch_load(batch, i, sim);
  const size_t n = (size_t)batch->model->nactuator;
  if (status == CRD_OK && n > 0) memcpy(crd_sim_ctrl(sim), batch->ctrl + n * (size_t)i, n * sizeof *batch->ctrl);
  return status;
}

crd_status crd_batch_put(crd_batch *batch, int i, const crd_sim *sim) {
  if (!is_member(batch, i)) return CRD_ERR_ARGUMENT;
  if (crd_sim_model(sim) != batch->model) return CRD_ERR_FORMAT;
  const size_t size = crd_sim_saved_size(sim);
  char *bytes = malloc(size);
  if (!bytes) return CRD_ERR_MEMORY;
  crd_sim *own = batch->worker[0].sim;
  crd_status status = crd_sim_save(sim, bytes, size);
  if (status == CRD_OK) status = crd_sim_restore(own, bytes, size); /* refuses another integrator's */
  free(bytes);
  if (status == CRD_OK) status = batch_store(batch, i, own);
  if (status != CRD_OK) return status;
  copy_row(batch->ctrl, i, batch->model->nactuator, crd_sim_ctrl(own));
  batch_note(batch, i, CRD_OK, NULL);
  return CRD_OK;
}
