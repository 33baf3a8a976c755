/* What is asked of a contact problem: laws and sets of outcomes. */
#include <stdlib.h>

#include "internal.h"

/* ------------------------------------------------------------------------------------------------ impacts */

/* Results keep the workspaces of their laws; the last ones are used again. */
enum { RESULTS_KEPT = 16 };
static pthread_mutex_t results_lock = PTHREAD_MUTEX_INITIALIZER;
static crdpy_result *results;
static int nresults;

static crdpy_result *take_result(void) {
  pthread_mutex_lock(&results_lock);
  crdpy_result *r = results;
  if (r) results = r->next, nresults--;
  pthread_mutex_unlock(&results_lock);
  return r ? r : calloc(1, sizeof *r);
}

void crdpy_result_drop(crdpy_result *result) {
  if (!result) return;
  pthread_mutex_lock(&results_lock);
  const bool kept = nresults < RESULTS_KEPT;
  if (kept) result->next = results, results = result, nresults++;
  pthread_mutex_unlock(&results_lock);
  if (kept) return;
  crd_impact_result_free(&result->result);
  free(result);
}

crdpy_result *crdpy_resolve(const crd_impact_law *law, const crdpy_problem *problem, const crd_impact_options *options,
                            crd_status *status) {
  crdpy_result *r = take_result();
  crd_status found = CRD_ERR_MEMORY;
  if (r) {
    crd_impact_options own = *options;
    crdpy_watch_begin(&r->watch);
    own.stop = crdpy_watch_stop, own.context = &r->watch;
    found = crd_impact_resolve(law, problem->problem, &own, &r->result);
    if (r->watch.stopped) found = CRD_STOPPED;
  }
  const bool failed = found == CRD_STOPPED || found == CRD_ERR_MEMORY || found == CRD_ERR_NUMBER;
  if (status) *status = found;
  if (!failed) return r;
  crdpy_result_drop(r);
  return NULL;
}

/* ------------------------------------------------------------------------------------------------ outcomes */

static bool go_on(void *context, uint64_t done) {
  (void)done;
  return !crdpy_watch_stop(context);
}

crd_status crdpy_outcomes_sample(const crdpy_problem *problem, const crd_outcome_box *box,
                                 const crd_outcome_options *options, crdpy_outcomes **out) {
  *out = NULL;
  if (!problem) return CLOSED;
  crdpy_outcomes *made = calloc(1, sizeof *made);
  if (!made) return CRD_ERR_MEMORY;
  crd_outcome_options own = *options;
  crdpy_watch_begin(&made->watch), crdpy_team();
  own.progress = go_on, own.context = &made->watch;
  crd_status status = box ? crd_outcome_sample_box(problem->problem, box, &own, &made->set)
                          : crd_outcome_sample(problem->problem, &own, &made->set);
  if (made->watch.stopped) status = CRD_STOPPED;
  made->set.options.progress = NULL, made->set.options.context = NULL;
  if (status)
    crdpy_outcomes_drop(made);
  else
    *out = made;
  return status;
}

void crdpy_outcomes_drop(crdpy_outcomes *outcomes) {
  if (!outcomes) return;
  crd_outcome_free(&outcomes->set);
  free(outcomes);
}

crd_status crdpy_outcomes_write(const char *path, const crdpy_problem *problem, const crdpy_outcomes *outcomes,
                                crd_error *err) {
  const crdpy_model *model = problem->model;
  crd_outcome_source source = {.input = model ? model->input : "problem"};
  if (model) {
    source.nfile = model->nfile, source.file = model->file, source.lenient = model->lenient;
    source.nq = model->model->nq, source.nv = model->model->nv;
    source.qpos = problem->qpos, source.qvel = problem->qvel;
  }
  pthread_mutex_lock(&crdpy_one_at_a_time);
  crd_status status = crd_io_write_outcomes(path, &source, problem->problem, &outcomes->set, err);
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  return status;
}
