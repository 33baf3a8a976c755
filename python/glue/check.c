/* The check of a contact problem, as `cradle check` puts it together (cli/). */
#include <stdlib.h>

#include "check_print.h"
#include "internal.h"
#include "motions.h"
#include "view.h"

/* cli_motions_find asks without a context. */
static _Thread_local crdpy_watch *asked;
static bool is_stopped(void *context) {
  (void)context;
  return crdpy_watch_stop(asked);
}

static bool go_on(void *context, int contact) {
  (void)contact;
  return !crdpy_watch_stop(context);
}

static crd_status find_motions(crdpy_check *made, const crdpy_problem *problem, int max_modes, const double **bias) {
  const crd_contact_problem *contacts = problem->problem;
  if (!cli_contacts_last(contacts) || (!problem->model && !contacts->force)) return CRD_OK;
  cli_problem input;
  crdpy_view_input(problem, &input);
  crd_workspace *work = problem->model ? crd_model_workspace_new(problem->model->model) : NULL;
  asked = &made->watch;
  crd_status status = problem->model && !work
                          ? CRD_ERR_MEMORY
                          : cli_motions_find(problem->model ? &input.mechanism : NULL, work, contacts, max_modes,
                                             is_stopped, &made->persistent, bias, &made->arena);
  made->persists = made->persistent.applies;
  crd_model_workspace_free(work);
  return status;
}

void crdpy_view_check(const crdpy_check *check, const cli_problem *input, check_view *view) {
  *view = (check_view){.input = input,
                       .check = &check->check,
                       .culprit = check->culprit,
                       .limit = check->limit,
                       .e_low = check->e_low,
                       .e_high = check->e_high,
                       .e_status = check->e_status,
                       .persistent = check->persists ? &check->persistent : NULL};
}

crd_status crdpy_check_new(const crdpy_problem *problem, bool use_matrix, int max_modes, crdpy_check **out) {
  *out = NULL;
  if (!problem) return CLOSED;
  crdpy_check *made = calloc(1, sizeof *made);
  if (!made) return CRD_ERR_MEMORY;
  crdpy_watch_begin(&made->watch);
  const double *bias = NULL;
  check_view view = {.check = &made->check};
  crd_status status = find_motions(made, problem, max_modes, &bias);
  pthread_mutex_lock(&crdpy_one_at_a_time);
  if (status == CRD_OK) status = crd_analysis_check(&made->check, problem->problem, bias, use_matrix, &made->arena);
  if (status == CRD_OK) status = check_limits(&view, go_on, &made->watch, &made->arena);
  pthread_mutex_unlock(&crdpy_one_at_a_time);
  made->culprit = view.culprit, made->limit = view.limit;
  made->e_low = view.e_low, made->e_high = view.e_high, made->e_status = view.e_status;
  if (made->watch.stopped) status = CRD_STOPPED;
  if (status)
    crdpy_check_drop(made);
  else
    *out = made;
  return status;
}

void crdpy_check_drop(crdpy_check *check) {
  if (!check) return;
  crd_arena_free(&check->arena);
  free(check);
}

void crdpy_check_region(const crdpy_check *check, int contact, double mu_max, int nmu, int ne, unsigned char *inside) {
  const crd_friction *friction = &check->check.friction[contact];
  for (int i = 0; i < nmu; i++)
    for (int k = 0; k < ne; k++)
      inside[i * ne + k] = crd_analysis_friction_admissible(friction, (double)k / (ne - 1), mu_max * i / (nmu - 1));
}

crd_status crdpy_check_pair(const crdpy_check *check, int first, int second, int count, double *low, double *high) {
  crd_arena arena = {0};
  crd_status status = crd_analysis_restitution_region(&check->check.restitution, check->check.E, first, second,
                                                      CRD_LMI_EIGENVALUES, count, low, high, &arena);
  crd_arena_free(&arena);
  return status;
}
