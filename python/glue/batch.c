/* Batches: the library's, with a counted owner, the mark of those in use, and Ctrl-C. */
#include <stdlib.h>

#include "internal.h"

crd_status crdpy_batch_new(crdpy_model *model, const crd_batch_options *options, crdpy_batch **out, crd_error *err) {
  *out = NULL;
  if (!model) return CLOSED;
  crdpy_batch *made = calloc(1, sizeof *made);
  if (!made) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "out of memory");
  made->model = crdpy_model_hold(model);
  crd_batch_options own = *options;
  own.sim.stop = crdpy_watch_stop, own.sim.stop_context = &made->watch;
  crd_status status = crd_batch_new(model->model, &own, &made->batch, err);
  if (status)
    crdpy_batch_drop(made);
  else
    *out = made;
  return status;
}

void crdpy_batch_drop(crdpy_batch *batch) {
  if (!batch) return;
  crd_batch_free(batch->batch);
  crdpy_model_drop(batch->model);
  free(batch);
}

static crd_status take(crdpy_batch *batch) {
  if (!batch) return CLOSED;
  if (__atomic_exchange_n(&batch->busy, 1, __ATOMIC_ACQUIRE)) return BUSY;
  batch->watch.stopped = false;
  crdpy_team();
  return CRD_OK;
}

static crd_status give(crdpy_batch *batch, crd_status status) {
  __atomic_store_n(&batch->busy, 0, __ATOMIC_RELEASE);
  return batch->watch.stopped ? CRD_STOPPED : status;
}

crd_status crdpy_batch_take(crdpy_batch *batch) { return take(batch); }
void crdpy_batch_give(crdpy_batch *batch) { give(batch, CRD_OK); }

crd_status crdpy_batch_reset(crdpy_batch *batch, const int *member, int n, const double *qpos, const double *qvel) {
  crd_status status = take(batch);
  return status ? status : give(batch, crd_batch_reset(batch->batch, member, n, qpos, qvel));
}

crd_status crdpy_batch_step(crdpy_batch *batch, int steps) {
  crd_status status = take(batch);
  return status ? status : give(batch, crd_batch_step(batch->batch, steps));
}

crd_status crdpy_batch_rollout(crdpy_batch *batch, int length, int steps, const double *ctrl,
                               const crd_batch_record *record) {
  crd_status status = take(batch);
  return status ? status : give(batch, crd_batch_rollout(batch->batch, length, steps, ctrl, record));
}

/* Both, in this order; a simulation that is in use gives the batch back. */
static crd_status take_both(crdpy_batch *batch, crdpy_sim *sim) {
  crd_status status = take(batch);
  if (status) return status;
  if (!sim || __atomic_exchange_n(&sim->busy, 1, __ATOMIC_ACQUIRE)) return give(batch, sim ? BUSY : CLOSED);
  return CRD_OK;
}

static crd_status give_both(crdpy_batch *batch, crdpy_sim *sim, crd_status status) {
  __atomic_store_n(&sim->busy, 0, __ATOMIC_RELEASE);
  return give(batch, status);
}

crd_status crdpy_batch_get(crdpy_batch *batch, int member, crdpy_sim *sim) {
  crd_status status = take_both(batch, sim);
  return status ? status : give_both(batch, sim, crd_batch_get(batch->batch, member, sim->sim));
}

crd_status crdpy_batch_put(crdpy_batch *batch, int member, crdpy_sim *sim) {
  crd_status status = take_both(batch, sim);
  return status ? status : give_both(batch, sim, crd_batch_put(batch->batch, member, sim->sim));
}
