/* -o FILE.h5 of `cradle outcomes`: the samples of every set in one file. */
#include <string.h>

#include "outcomes.h"

bool outcomes_is_h5(const char *path) {
  size_t length = path ? strlen(path) : 0;
  return length > 3 && strcmp(path + length - 3, ".h5") == 0;
}

/* The files of a mechanism: those it was read from, or the text of a built-in example. */
static crd_status model_files(const cli_mechanism *mechanism, const crd_trace *trace, const cli_common *common,
                              crd_arena *arena, crd_outcome_source *source, crd_error *err) {
  if (trace->header.nfile > 0) { /* an event of a run, whose trace has the files */
    source->nfile = trace->header.nfile, source->file = trace->header.file;
    return CRD_OK;
  }
  if (mechanism->input[0] != '@') {
    source->nfile = mechanism->report.nfile;
    return crd_io_source_files(source->nfile, mechanism->report.file, arena, &source->file, err);
  }
  const char *text;
  crd_source_file *file = crd_arena_alloc(arena, 1, sizeof *file);
  crd_status status = crd_io_example_text(mechanism->input, &common->example, arena, &text, err);
  if (status != CRD_OK) return status;
  if (!file) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the text of the example");
  *file = (crd_source_file){"model.xml", text, strlen(text)};
  source->nfile = 1, source->file = file;
  return CRD_OK;
}

int outcomes_file_begin(const outcomes_settings *settings, const cli_problem *input, const char *parameter,
                        crd_outcome_writer **writer) {
  crd_arena arena = {0};
  crd_error err = {0};
  crd_outcome_source source = {.input = input->input, .lenient = settings->common.lenient, .parameter = parameter};
  crd_status status = CRD_OK;
  if (input->from_model) {
    const cli_mechanism *mechanism = &input->mechanism;
    source.nq = mechanism->model->nq, source.nv = mechanism->model->nv;
    source.qpos = mechanism->qpos, source.qvel = mechanism->qvel;
    status = model_files(mechanism, &input->trace, &settings->common, &arena, &source, &err);
  }
  if (status == CRD_OK) status = crd_io_outcomes_create(settings->common.output, &source, writer, &err);
  crd_arena_free(&arena);
  if (status == CRD_OK) return CLI_DONE;
  cli_report(&err);
  return CLI_SYSTEM;
}

int outcomes_file_end(crd_outcome_writer *writer, const char *path) {
  crd_error err = {0};
  cli_writes(true);
  const crd_status status = crd_io_outcomes_commit(writer, &err);
  cli_writes(false);
  if (status) return cli_report(&err), CLI_SYSTEM;
  cli_wrote(path);
  return CLI_DONE;
}
