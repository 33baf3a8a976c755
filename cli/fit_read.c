/* Measured impacts as `cradle fit` takes them: problems with v_plus. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* No impact multiplies the kinetic energy so: units differ between the velocities before and after, or from those of M. */
static const double IMPOSSIBLE_GAIN = 1000;

crd_status fit_add_row(const crd_contact_problem *problem, const crd_measured *measured, size_t row, crd_fit_data *data,
                       crd_error *err) {
  if (!measured->v_plus)
    return crd_error_set(err, CRD_ERR_FORMAT, NULL, 0,
                         "v_plus: found nothing, expected the velocity measured after the impact");
  if (problem->nc == 0)
    return crd_error_set(err, CRD_ERR_FORMAT, NULL, 0, "contacts: found none, expected at least one");
  const int turning = crd_contact_problem_turning(problem);
  if (turning >= 0)
    return crd_error_set(err, CRD_ERR_FORMAT, NULL, 0,
                         "contacts[%d]: found torsional or rolling friction, expected friction of sliding alone: no "
                         "coefficients of others are fitted",
                         turning);
  double after = 0;
  for (int i = 0; i < problem->nv; i++)
    for (int k = 0; k < problem->nv; k++)
      after += 0.5 * measured->v_plus[i] * problem->M[problem->nv * i + k] * measured->v_plus[k];
  if (after > IMPOSSIBLE_GAIN * problem->kinetic_free && problem->kinetic_free > 0)
    return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0,
                         "v_plus: found %.4g J after the impact and %.4g J before it: the units cannot be the same",
                         after, problem->kinetic_free);
  crd_status status = crd_fit_add(data, problem, measured->v_plus, measured->sigma, measured->group, row + 1);
  return status == CRD_OK ? status : crd_error_set(err, status, NULL, 0, "%s", crd_status_text(status));
}

static int read_problems(const fit_settings *settings, const char *input, fit_input *read) {
  cli_batch batch;
  int code = cli_batch_open(&batch, "fit", input, &settings->common, settings->allow);
  crd_contact_problem *problem = crd_contact_problem_new();
  crd_measured measured = {0};
  if (!problem) code = CLI_SYSTEM;
  for (size_t row = 0; code == CLI_DONE && row < batch.count; row++) {
    crd_error err = {0};
    crd_status status = cli_batch_take(&batch, row, problem, &measured, &err);
    if (status == CRD_OK) status = fit_add_row(problem, &measured, row, &read->data, &err);
    if (status == CRD_ERR_MEMORY) code = CLI_SYSTEM;
    if (status != CRD_OK) json_decref(cli_batch_fault(&batch, row, &err));
  }
  read->rows = batch.count, read->bad = batch.bad;
  if (code == CLI_DONE) code = cli_batch_code(&batch, CLI_DONE);
  if (code == CLI_VERDICT) code = CLI_DONE; /* told; the rest is fitted, and the end says so again by its code */
  crd_contact_problem_free(problem);
  crd_io_measured_free(&measured);
  cli_batch_close(&batch);
  return code;
}

int fit_read(const fit_settings *settings, const char *input, fit_input *read) {
  if (settings->trajectories) return fit_read_tosses(settings, input, read);
  return settings->model ? fit_read_model(settings, input, read) : read_problems(settings, input, read);
}

void fit_input_free(fit_input *read) {
  crd_fit_data_free(&read->data);
  if (read->mechanism.model) cli_mechanism_free(&read->mechanism);
  free(read->qpos);
}
