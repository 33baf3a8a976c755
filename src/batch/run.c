/* Members moved and reset by all threads: each takes some members, restores one after the other into its simulation, does
 * the work, and saves it. A member's work reads nothing but what is its own, so that neither the number of threads nor the
 * order shows in the results.
 *
 * The thread that called asks the caller whether to stop: within steps, between members, and while it waits for
 * the others. */
#define _POSIX_C_SOURCE 199309L /* nanosleep */
#include <math.h>
#include <string.h>
#include <time.h>

#include "batch/members.h"
#ifdef _OPENMP
#include <omp.h>
#endif

enum {
  SHARES = 8,       /* of the members, at least, that each thread takes one after the other, so that none waits long, */
  MOST_AT_ONCE = 32 /* members at most: what is taken is fast beside their steps */
};
static const struct timespec PAUSE = {.tv_nsec = 1000000}; /* 1 ms: between questions to the caller while waiting */

bool batch_stops(void *context) {
  const batch_worker *worker = context;
  crd_batch *batch = worker->batch;
  const crd_sim_options *options = &batch->options.sim;
  if (worker->asks && options->stop && options->stop(options->stop_context)) atomic_store(&batch->stopped, true);
  return atomic_load(&batch->stopped);
}

/* Work on members item[0] .. item[n - 1], NULL: 0 .. n - 1. */
typedef struct batch_job {
  void (*work)(const struct batch_job *job, crd_batch *batch, crd_sim *sim, int i); /* i: of the item */
  const int *item;
  int n;
  const double *qpos, *qvel; /* of a reset */
  int length, steps;         /* of a rollout */
  const double *ctrl;
  crd_batch_record record;
} batch_job;

static void work_through(const batch_job *job, batch_worker *worker, atomic_int *next, atomic_int *done, int at_once) {
  crd_batch *batch = worker->batch;
  for (;;) {
    const int from = atomic_fetch_add(next, at_once);
    if (from >= job->n) break;
    const int to = job->n - from < at_once ? job->n : from + at_once;
    for (int i = from; i < to; i++) job->work(job, batch, worker->sim, i);
    atomic_fetch_add(done, to - from);
  }
  if (!worker->asks || !batch->options.sim.stop) return;
  while (atomic_load(done) < job->n && !batch_stops(worker)) nanosleep(&PAUSE, NULL);
}

static crd_status run(crd_batch *batch, const batch_job *job) {
  const int shares = job->n / (batch->threads * SHARES);
  const int at_once = shares < 1 ? 1 : shares > MOST_AT_ONCE ? MOST_AT_ONCE : shares;
  atomic_int next = 0, done = 0;
  atomic_store(&batch->stopped, false);
#ifdef _OPENMP
#pragma omp parallel num_threads(batch->threads)
  work_through(job, &batch->worker[omp_get_thread_num()], &next, &done, at_once);
#else
  work_through(job, &batch->worker[0], &next, &done, at_once);
#endif
  return atomic_load(&batch->stopped) ? CRD_STOPPED : CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ steps */

/* The row of member i in round t of an array of length x count x n. */
static size_t row_of(const crd_batch *batch, int t, int i, int n) {
  return ((size_t)t * (size_t)batch->options.count + (size_t)i) * (size_t)n;
}

static void write_row(const crd_batch *batch, double *rows, int t, int i, int n, const double *from) {
  if (rows && n > 0) memcpy(rows + row_of(batch, t, i, n), from, (size_t)n * sizeof *rows);
}

static void record_state(const crd_batch *batch, const crd_batch_record *record, int t, int i, const crd_sim *sim) {
  const crd_model *model = batch->model;
  const double time = crd_sim_time(sim);
  write_row(batch, record->time, t, i, 1, &time);
  write_row(batch, record->qpos, t, i, model->nq, crd_sim_qpos(sim));
  write_row(batch, record->qvel, t, i, model->nv, crd_sim_qvel(sim));
  write_row(batch, record->act, t, i, model->nact, crd_sim_act(sim));
  if (record->sensors) write_row(batch, record->sensors, t, i, model->nsensordata, crd_sim_sensors(sim));
}

static void blank_row(const crd_batch *batch, double *rows, int t, int i, int n) {
  for (int k = 0; rows && k < n; k++) rows[row_of(batch, t, i, n) + (size_t)k] = NAN;
}

static void record_nothing(const crd_batch *batch, const crd_batch_record *record, int t, int i) {
  const crd_model *model = batch->model;
  blank_row(batch, record->time, t, i, 1);
  blank_row(batch, record->qpos, t, i, model->nq);
  blank_row(batch, record->qvel, t, i, model->nv);
  blank_row(batch, record->act, t, i, model->nact);
  blank_row(batch, record->sensors, t, i, model->nsensordata);
}

static void roll_out(const batch_job *job, crd_batch *batch, crd_sim *sim, int i) {
  const int n = batch->model->nactuator;
  int t = 0;
  crd_status status = batch->status[i];
  const bool moves = status == CRD_OK && !atomic_load(&batch->stopped);
  if (moves) status = batch_load(batch, i, sim);
  for (; moves && t < job->length && status == CRD_OK; t++) {
    const double *ctrl = job->ctrl ? job->ctrl + row_of(batch, t, i, n) : batch->ctrl + row_of(batch, 0, i, n);
    if (n > 0) memcpy(crd_sim_ctrl(sim), ctrl, (size_t)n * sizeof *ctrl);
    for (int k = 0; k < job->steps && status == CRD_OK; k++) status = crd_sim_step(sim);
    if (status != CRD_OK) break;
    record_state(batch, &job->record, t, i, sim);
  }
  for (; t < job->length; t++) record_nothing(batch, &job->record, t, i);
  if (!moves) return;
  const crd_status stored = batch_store(batch, i, sim);
  if (stored != CRD_OK)
    batch_note(batch, i, stored, "no memory for its state");
  else if (status != CRD_STOPPED)
    batch_note(batch, i, status, crd_sim_message(sim));
}

crd_status crd_batch_rollout(crd_batch *batch, int length, int steps, const double *ctrl,
                             const crd_batch_record *record) {
  if (length < 1 || steps < 1) return CRD_ERR_ARGUMENT;
  if (record && record->sensors && !batch->options.sensors) return CRD_ERR_ARGUMENT;
  const crd_batch_record none = {0};
  const batch_job job = {.work = roll_out,
                         .n = batch->options.count,
                         .length = length,
                         .steps = steps,
                         .ctrl = ctrl,
                         .record = record ? *record : none};
  return run(batch, &job);
}

crd_status crd_batch_step(crd_batch *batch, int steps) { return crd_batch_rollout(batch, 1, steps, NULL, NULL); }

/* ------------------------------------------------------------------------------------------------ resets */

static void reset(const batch_job *job, crd_batch *batch, crd_sim *sim, int k) {
  const crd_model *model = batch->model;
  const int i = job->item ? job->item[k] : k, n = model->nactuator;
  const double *q = job->qpos ? job->qpos + (size_t)model->nq * (size_t)k : NULL;
  const double *v = job->qvel ? job->qvel + (size_t)model->nv * (size_t)k : NULL;
  crd_error err = {0};
  if (atomic_load(&batch->stopped)) return;
  for (int a = 0; a < n; a++) batch->ctrl[row_of(batch, 0, i, n) + (size_t)a] = 0;
  crd_status status = crd_sim_reset(sim, 0, q, v, &err);
  if (status == CRD_OK) status = batch_store(batch, i, sim);
  batch_note(batch, i, status, err.text);
}

static crd_status check_members(crd_batch *batch, const int *member, int n) {
  crd_status status = CRD_OK;
  int listed = 0;
  for (; listed < n && status == CRD_OK; listed++) {
    const int i = member[listed];
    if (i < 0 || i >= batch->options.count || batch->listed[i]) status = CRD_ERR_ARGUMENT;
    if (status == CRD_OK) batch->listed[i] = true;
  }
  for (int k = 0; k < listed; k++)
    if (member[k] >= 0 && member[k] < batch->options.count) batch->listed[member[k]] = false;
  return status;
}

crd_status crd_batch_reset(crd_batch *batch, const int *member, int n, const double *qpos, const double *qvel) {
  if (n < 0 || n > batch->options.count || (!member && n != batch->options.count)) return CRD_ERR_ARGUMENT;
  const crd_status status = member ? check_members(batch, member, n) : CRD_OK;
  const batch_job job = {.work = reset, .item = member, .n = n, .qpos = qpos, .qvel = qvel};
  return status == CRD_OK && n > 0 ? run(batch, &job) : status;
}
