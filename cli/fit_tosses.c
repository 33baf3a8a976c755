/* Measured motions of a mechanism as `cradle fit --trajectories` takes them. */
#include <math.h>

#include "fit.h"

static const double ROUNDED = 1e-9; /* of a piece: times are sums of steps */

crd_status fit_add_motion(const crd_fit_toss *whole, const char *name, double piece, size_t number,
                          crd_fit_data *data) {
  const size_t nq = (size_t)whole->model->nq, nv = (size_t)whole->model->nv;
  const int end = whole->samples - 1;
  int from = 0;
  if (end < 1) return CRD_ERR_ARGUMENT;
  for (int i = 1; i <= end; i++) {
    const double *t = whole->t;
    const bool full = t[i] - t[from] >= piece * (1 - ROUNDED);
    if (i < end && (!full || t[end] - t[i] < piece)) continue;
    const size_t first = (size_t)from;
    const crd_fit_toss toss = {.model = whole->model,
                               .samples = i - from + 1,
                               .t = t + first,
                               .qpos = whole->qpos + first * nq,
                               .qvel = whole->qvel ? whole->qvel + first * nv : NULL};
    crd_status status = crd_fit_add_toss(data, &toss, name, number);
    if (status != CRD_OK) return status;
    from = i;
  }
  return CRD_OK;
}

static crd_status take(const fit_settings *settings, const char *input, const crd_measured_tosses *s, size_t k,
                       fit_input *read, crd_error *err) {
  if (s->fault[k]) return crd_error_set(err, CRD_ERR_FORMAT, input, s->line[k], "%s", s->fault[k]);
  const size_t from = s->first[k];
  const crd_fit_toss whole = {.model = read->mechanism.model,
                              .samples = (int)(s->first[k + 1] - from),
                              .t = s->t + from,
                              .qpos = s->qpos + from * (size_t)s->nq,
                              .qvel = s->qvel ? s->qvel + from * (size_t)s->nv : NULL};
  const char *name = s->name && s->name[from] ? s->name[from] : "";
  crd_status status = fit_add_motion(&whole, name, settings->piece, k + 1, &read->data);
  return status == CRD_OK ? status : crd_error_set(err, status, input, 0, "%s", crd_status_text(status));
}

int fit_read_tosses(const fit_settings *settings, const char *input, fit_input *read) {
  crd_error err = {0};
  crd_measured_tosses tosses = {0};
  int code = cli_mechanism_read(&read->mechanism, "fit", settings->model, &settings->common);
  if (code != CLI_DONE) return code;
  const crd_model *model = read->mechanism.model;
  cli_mechanism_warn(&read->mechanism, &settings->common);
  if (crd_io_read_measured_tosses(input, model->nq, model->nv, &tosses, &err) != CRD_OK) return cli_report(&err);
  if (!isnan(settings->piece) && !tosses.qvel)
    fprintf(
        stderr,
        "cradle fit: --piece: %s has no velocities: those at the start of a piece are taken from its first positions, "
        "which is wrong where an impact is among them\n",
        input);
  cli_batch batch = {.verb = "fit", .name = input, .common = &settings->common, .count = tosses.count};
  for (size_t k = 0; code == CLI_DONE && k < tosses.count; k++) {
    err = (crd_error){0};
    crd_status status = take(settings, input, &tosses, k, read, &err);
    if (status == CRD_ERR_MEMORY) code = CLI_SYSTEM;
    if (status != CRD_OK) json_decref(cli_batch_fault(&batch, k, &err));
  }
  read->rows = batch.count, read->bad = batch.bad;
  if (code == CLI_DONE) code = cli_batch_code(&batch, CLI_DONE);
  crd_io_measured_tosses_free(&tosses);
  return code == CLI_VERDICT ? CLI_DONE : code;
}
