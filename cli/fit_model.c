/* Measured impacts of a mechanism: states before and velocities after, the rows of J from the model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

static const double STRETCHED = 0.02; /* of a squared length: measured and printed quaternions are nearer to 1 */

typedef struct posed {
  crd_workspace *work;
  crd_contact_assembler *assembler;
  crd_contact_problem *problem;
  crd_contact_options options;
  crd_measured_states states;
} posed;

static int begin(posed *p, const fit_settings *settings, const char *input, fit_input *read) {
  crd_error err = {0};
  int code = cli_mechanism_read(&read->mechanism, "fit", settings->model, &settings->common);
  if (code != CLI_DONE) return code;
  cli_mechanism_warn(&read->mechanism, &settings->common);
  const crd_model *model = read->mechanism.model;
  p->options = crd_contact_default();
  p->options.distance = p->options.limit_distance = settings->gap;
  p->work = crd_model_workspace_new(model), p->assembler = crd_contact_assembler_new(model);
  p->problem = crd_contact_problem_new();
  if (!p->work || !p->assembler || !p->problem) return CLI_SYSTEM;
  return crd_io_read_measured_states(input, model->nq, model->nv, &p->states, &err) == CRD_OK ? CLI_DONE
                                                                                              : cli_report(&err);
}

static void end(posed *p) {
  crd_io_measured_states_free(&p->states);
  crd_contact_problem_free(p->problem);
  crd_contact_assembler_free(p->assembler);
  crd_model_workspace_free(p->work);
}

/* The first quaternion of qpos whose length is not 1; -1: none. */
static int find_stretched(const crd_model *model, const double *qpos) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (joint->type != CRD_BALL && joint->type != CRD_FREE) continue;
    const int at = joint->q + (joint->type == CRD_FREE ? 3 : 0);
    const double *q = qpos + at, square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(fabs(square - 1) < STRETCHED)) return at;
  }
  return -1;
}

static crd_status take(posed *p, const crd_model *model, const char *input, size_t row, crd_fit_data *data,
                       crd_error *err) {
  const crd_measured_states *s = &p->states;
  const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
  if (s->fault[row]) return crd_error_set(err, CRD_ERR_FORMAT, input, s->line[row], "%s", s->fault[row]);
  const int stretched = find_stretched(model, s->qpos + row * nq);
  if (stretched >= 0)
    return crd_error_set(err, CRD_ERR_NUMBER, input, s->line[row],
                         "columns %d to %d (qpos[%d] ..): found a quaternion whose length is not 1", stretched + 1,
                         stretched + 4, stretched);
  crd_status status =
      crd_contact_at_state(p->assembler, p->work, s->qpos + row * nq, s->qvel + row * nv, &p->options, p->problem);
  if (status != CRD_OK)
    return crd_error_set(err, status, input, s->line[row], "the contact problem: %s", crd_status_text(status));
  if (p->problem->nc == 0)
    return crd_error_set(err, CRD_ERR_FORMAT, input, s->line[row], "found no contact within %g m, expected one (--gap)",
                         p->options.distance);
  const crd_measured measured = {.v_plus = s->qvel_plus + row * nv,
                                 .group = s->group && s->group[row] ? s->group[row] : ""};
  return fit_add_row(p->problem, &measured, row, data, err);
}

int fit_read_model(const fit_settings *settings, const char *input, fit_input *read) {
  posed p = {0};
  cli_batch batch = {.verb = "fit", .name = input, .common = &settings->common};
  int code = begin(&p, settings, input, read);
  const size_t nq = (size_t)p.states.nq;
  batch.count = p.states.rows;
  if (code == CLI_DONE && !(read->qpos = calloc(batch.count * nq + 1, sizeof *read->qpos))) code = CLI_SYSTEM;
  for (size_t row = 0; code == CLI_DONE && row < p.states.rows; row++) {
    crd_error err = {0};
    crd_status status = take(&p, read->mechanism.model, input, row, &read->data, &err);
    if (status == CRD_ERR_MEMORY) code = CLI_SYSTEM;
    if (status != CRD_OK)
      json_decref(cli_batch_fault(&batch, row, &err));
    else
      memcpy(read->qpos + (size_t)(read->data.count - 1) * nq, p.states.qpos + row * nq, nq * sizeof *read->qpos);
  }
  read->rows = batch.count, read->bad = batch.bad;
  if (code == CLI_DONE) code = cli_batch_code(&batch, CLI_DONE);
  end(&p);
  return code == CLI_VERDICT ? CLI_DONE : code;
}
