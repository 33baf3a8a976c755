/* cradle run --repeat: a stored run once more, from the trace alone, compared bit by bit. */
#include <stdlib.h>
#include <string.h>

#include "run.h"

bool run_job_of_trace(const crd_trace *trace, size_t row, const crd_model *model, torque_file *torque, run_job *job,
                      crd_error *err) {
  *job = (run_job){.model = model, .header = trace->header};
  if (row >= trace->nrow || model->nq != trace->nq || model->nv != trace->nv || model->nact != trace->header.nact) {
    crd_error_set(err, CRD_ERR_FORMAT, trace->header.input, 0,
                  "found %zu rows of %d positions, expected at least one of %d", trace->nrow, trace->nq, model->nq);
    return false;
  }
  if (trace->sensor && trace->header.nsensordata != model->nsensordata) {
    crd_error_set(err, CRD_ERR_FORMAT, trace->header.input, 0, "found %d numbers of sensors, expected %d",
                  trace->header.nsensordata, model->nsensordata);
    return false;
  }
  job->start = trace->t[row];
  if (trace->qpos) job->qpos = trace->qpos + row * (size_t)trace->nq;
  if (trace->qvel) job->qvel = trace->qvel + row * (size_t)trace->nv;
  if (trace->act) job->act = trace->act + row * (size_t)trace->header.nact;
  if (!trace->header.torque) return true;
  if (torque_file_read(torque, trace->header.torque, trace->header.torque_input, model, err)) return false;
  torque->linear = strcmp(trace->header.torque_hold, "linear") == 0;
  job->torque = torque;
  return true;
}

static bool print_answer(FILE *file, const char *path, const run_comparison *c, bool json) {
  const bool same = !c->differs;
  if (json)
    return cli_json_print(
        file, json_pack("{s:s, s:b, s:I, s:I, s:s, s:o, s:o}", "trace", path, "same", same, "rows", (json_int_t)c->row,
                        "events", (json_int_t)c->event, "differs_in", same ? "" : c->what, "t",
                        same ? json_null() : cli_json_number(c->t), "by", same ? json_null() : cli_json_number(c->by)));
  if (same)
    fprintf(file, "%s: repeated bit by bit, %zu rows and %zu events\n", path, c->row, c->event);
  else
    fprintf(file, "%s: differs from t = %g s on, first in %s, by %.3g (%zu rows compared)\n", path, c->t, c->what,
            c->by, c->row);
  return true;
}

static int repeat(const char *path, const crd_trace *trace, const crd_model *model, bool json) {
  torque_file torque = {0};
  run_job job;
  run_result result = {0};
  run_comparison comparison = {.with = trace};
  crd_error err = {0};
  cli_output output;
  int code = CLI_DONE;
  if (!run_job_of_trace(trace, 0, model, &torque, &job, &err)) {
    code = cli_report(&err);
  } else {
    if (trace->end.truncated) job.header.time = trace->t[trace->nrow - 1]; /* as far as it went */
    code = run_execute(&job, NULL, NULL, &comparison, NULL, NULL, &result);
    /* one that ended by a verdict ends so again */
    const bool ran = code == CLI_DONE || (code == CLI_VERDICT && !result.interrupted);
    if (ran && (comparison.row < trace->nrow || comparison.event < trace->nevent) && !comparison.differs)
      comparison.differs = true, comparison.what = "the number of rows or events", comparison.t = result.t;
    if (ran) code = comparison.differs ? CLI_VERDICT : CLI_DONE;
    if (ran && !cli_output_begin(&output))
      code = CLI_SYSTEM;
    else if (ran)
      code = cli_output_end(&output, NULL, print_answer(output.file, path, &comparison, json) ? code : CLI_SYSTEM);
  }
  run_result_free(&result);
  torque_file_free(&torque);
  return code;
}

int run_repeat(const char *path, bool json) {
  crd_trace trace = {0};
  crd_model *model = NULL;
  crd_error err = {0};
  int code;
  if (!cli_recover(path)) return CLI_BAD_INPUT;
  if (crd_io_read_trace(path, &trace, &err) || crd_io_trace_model(&trace, &model, &err))
    code = cli_report(&err);
  else
    code = repeat(path, &trace, model, json);
  crd_model_free(model);
  crd_io_trace_free(&trace);
  return code;
}
