/* cradle view: a trace or a file of outcomes as one self-contained HTML page. */
#include "view.h"

int view_trace(const crd_trace *trace, const char *html) {
  cli_page page = {0};
  crd_model *model = NULL;
  crd_error err = {0};
  const char *run = NULL, *scene = NULL;
  crd_status status = crd_io_trace_model(trace, &model, &err);
  if (status == CRD_OK && (model->nq != trace->nq || trace->nrow == 0))
    status = crd_error_set(&err, CRD_ERR_MODEL, NULL, 0,
                           "the trace has %zu rows of %d coordinates, expected rows of the %d of its mechanism",
                           trace->nrow, trace->nq, model->nq);
  if (status == CRD_OK) status = crd_io_scene_text(model, trace->qpos, trace->qvel, NULL, &page.arena, &scene, &err);
  if (status == CRD_OK) status = crd_io_run_text(trace, &page.arena, &run, &err);
  cli_page_add_text(&page, "run", run);
  cli_page_add_text(&page, "scene", scene);
  crd_model_free(model);
  if (status == CRD_OK) return cli_page_write(&page, html, "run");
  crd_arena_free(&page.arena);
  return cli_report(&err);
}

int view_trace_file(const char *path, const char *html) {
  crd_trace trace = {0};
  crd_error err = {0};
  int code = crd_io_read_trace(path, &trace, &err) == CRD_OK ? view_trace(&trace, html) : cli_report(&err);
  crd_trace_free(&trace);
  return code;
}

int cmd_view(int argc, char **argv) {
  const char *input, *output = NULL;
  const cli_option table[1] = {{"-o", "FILE", CLI_TEXT, &output, 0, "the page, an .html file"}};
  const cli_syntax syntax = {"view", "FILE.h5", "Turns a trace of `run` into one self-contained HTML page.",
                             NULL,   table,     1};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!input) return cli_complain("view", "found no file, expected FILE.h5 (`cradle view --help` tells more)");
  if (!output) return cli_complain("view", "found no -o, expected -o FILE for the page");
  return view_trace_file(input, output);
}
