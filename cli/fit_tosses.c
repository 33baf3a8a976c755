/* Measured motions of a mechanism as `cradle fit --trajectories` takes them. */
#include <math.h>

#include "fit.h"

/* The samples from..to of motion k as a row. */
static crd_status add_piece(const crd_measured_tosses *s, const crd_model *model, size_t from, size_t to, size_t number,
                            crd_fit_data *data) {
  const crd_fit_toss toss = {.model = model,
                             .samples = (int)(to - from + 1),
                             .t = s->t + from,
                             .qpos = s->qpos + from * (size_t)s->nq,
                             .qvel = s->qvel ? s->qvel + from * (size_t)s->nv : NULL};
  return crd_fit_add_toss(data, &toss, s->name && s->name[from] ? s->name[from] : "", number);
}

/* The motion whole, or in pieces, each of which begins with the sample that ends the last one. What remains at the end is
 * part of the last piece. */
static crd_status add_motion(const fit_settings *settings, const crd_measured_tosses *s, size_t k, fit_input *read) {
  const size_t end = s->first[k + 1] - 1;
  size_t from = s->first[k];
  for (size_t i = from + 1; i <= end; i++) {
    const bool full = s->t[i] - s->t[from] >= settings->piece * (1 - 1e-9);
    if (i < end && (!full || s->t[end] - s->t[i] < settings->piece)) continue;
    crd_status status = add_piece(s, read->mechanism.model, from, i, k + 1, &read->data);
    if (status != CRD_OK) return status;
    from = i;
  }
  return CRD_OK;
}

static crd_status take(const fit_settings *settings, const char *input, const crd_measured_tosses *s, size_t k,
                       fit_input *read, crd_error *err) {
  if (s->fault[k]) return crd_error_set(err, CRD_ERR_FORMAT, input, s->line[k], "%s", s->fault[k]);
  crd_status status = add_motion(settings, s, k, read);
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
