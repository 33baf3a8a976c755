/* Laws and coefficients out of measured impacts: rows as Python hands them over, fitted by the library, printed by the
 * program's own printers (cli/fit_print.c). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "internal.h"
#include "view.h"

struct crdpy_fit {
  crd_fit_data data;
  crdpy_model *model; /* of motions; NULL: impacts */
  crd_fit_look look;
  crd_fit_toss_look toss_look;
  crd_fit_options options;
  fit_settings settings; /* of which the printers read what coverage was asked for */
  fit_view view;
  crdpy_watch watch;
};

crdpy_fit *crdpy_fit_new(void) { return calloc(1, sizeof(crdpy_fit)); }

void crdpy_fit_drop(crdpy_fit *fit) {
  if (!fit) return;
  for (int k = 0; fit->view.part && k < fit->view.count; k++) {
    crd_fit_result_free(&fit->view.part[k].result);
    crd_fit_coverage_free(&fit->view.part[k].coverage);
  }
  free(fit->view.part);
  crd_fit_look_free(&fit->look), crd_fit_toss_look_free(&fit->toss_look), crd_fit_data_free(&fit->data);
  if (fit->model) crdpy_model_drop(fit->model);
  free(fit);
}

/* ------------------------------------------------------------------------------------------------ rows */

crd_status crdpy_fit_add(crdpy_fit *fit, crd_contact_problem *problem, const crd_measured *measured, double mu,
                         double e, size_t row, crd_error *err) {
  cli_common common = cli_common_default();
  common.mu = mu, common.e = e;
  cli_problem_override(problem, &common);
  return fit_add_row(problem, measured, row, &fit->data, err);
}

crd_status crdpy_fit_add_motion(crdpy_fit *fit, crdpy_model *model, int samples, const double *t, const double *qpos,
                                const double *qvel, const char *group, double piece, size_t row) {
  if (!fit->model) fit->model = crdpy_model_hold(model);
  const crd_fit_toss whole = {.model = fit->model->model, .samples = samples, .t = t, .qpos = qpos, .qvel = qvel};
  return fit_add_motion(&whole, group, piece, row + 1, &fit->data);
}

int crdpy_fit_velocities(const crdpy_fit *fit) {
  int least = INT_MAX;
  for (int i = 0; i < fit->data.count; i++) {
    const crd_fit_row *row = &fit->data.row[i];
    const int nv = row->toss ? row->toss->model->nv : row->problem->nv;
    if (nv < least) least = nv;
  }
  return least;
}

int crdpy_fit_count(const crdpy_fit *fit) { return fit->data.count; }

/* ------------------------------------------------------------------------------------------------ answers */

static bool go_on(void *context, double share) {
  (void)share;
  return !crdpy_watch_stop(context);
}

/* The sets about the coefficients of the law that ranks first. */
static crd_status cover(crdpy_fit *fit, fit_part *part, const crd_outcome_box *box, uint64_t samples) {
  for (int k = 0; k < part->result.nlaw; k++) {
    const crd_fit_law *law = &part->result.law[k];
    if (law->status != CRD_OK || law->rank != 1) continue;
    part->covered = true;
    return crd_fit_cover(&fit->data, part->group, law->value, box, samples, &fit->options, &part->coverage);
  }
  return CRD_OK;
}

crd_status crdpy_fit_run(crdpy_fit *fit, int nlaw, const crd_impact_law *const *law, const crd_fit_options *options,
                         bool by_group, const crd_outcome_box *box, uint64_t samples) {
  fit_view *view = &fit->view;
  fit->options = *options;
  fit->options.progress = go_on, fit->options.context = &fit->watch;
  crdpy_watch_begin(&fit->watch), crdpy_team();
  const int parts = by_group ? fit->data.ngroup : 1;
  view->part = calloc((size_t)parts + 1, sizeof *view->part);
  if (!view->part) return CRD_ERR_MEMORY;
  view->count = parts;
  crd_status status =
      fit->model ? crd_fit_look_at_tosses(&fit->data, &fit->toss_look) : crd_fit_look_at(&fit->data, &fit->look);
  for (int k = 0; k < parts && !status; k++) {
    fit_part *part = &view->part[k];
    part->group = by_group ? k : -1;
    part->status = crd_fit_run(&fit->data, part->group, law, nlaw, &fit->options, &part->result);
    if (!part->status && box) part->status = cover(fit, part, box, samples);
    if (!by_group || part->status == CRD_ERR_MEMORY || part->status == CRD_STOPPED) status = part->status;
  }
  return fit->watch.stopped ? CRD_STOPPED : status;
}

char *crdpy_fit_print(crdpy_fit *fit, const char *input, const char *coverage, size_t rows, size_t bad, bool json) {
  cli_output w;
  if (!crdpy_print_begin(&w)) return NULL;
  fit->settings.coverage = coverage;
  fit_view view = fit->view;
  view.input = input, view.settings = &fit->settings, view.options = &fit->options, view.data = &fit->data;
  if (fit->model)
    view.toss_look = &fit->toss_look;
  else
    view.look = &fit->look;
  view.rows = rows, view.bad = bad;
  bool good = true;
  if (json)
    good = cli_json_print(w.file, fit_json(&view));
  else
    fit_print_text(w.file, &view);
  return crdpy_print_end(&w, good);
}
