/* cradle view: a trace or a file of outcomes as one self-contained HTML page. */
#include "view.h"

#include <string.h>

static int view_trace(const crd_trace *trace, const char *html) {
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

/* Either of the two may be NULL: not wanted. */
static int show_trace(const char *path, const char *html, const char *svg) {
  crd_trace trace = {0};
  crd_error err = {0};
  int code = crd_io_read_trace(path, &trace, &err) == CRD_OK ? CLI_DONE : cli_report(&err);
  if (code == CLI_DONE && html) code = view_trace(&trace, html);
  if (code == CLI_DONE && svg) code = view_trace_svg(&trace, svg);
  crd_trace_free(&trace);
  return code;
}

int view_trace_file(const char *path, const char *html) { return show_trace(path, html, NULL); }

/* The scene of a file of outcomes, where it has a model. */
static crd_status outcome_scene(const crd_outcome_file *file, const crd_contact_problem *problem, crd_arena *arena,
                                const char **scene, crd_error *err) {
  const crd_outcome_source *source = &file->source;
  const crd_trace shell = {.header = {.input = source->input,
                                      .nfile = source->nfile,
                                      .file = source->file,
                                      .lenient = source->lenient,
                                      .formulation = "tree"}};
  crd_model *model = NULL;
  crd_status status = crd_io_trace_model(&shell, &model, err);
  if (status == CRD_OK && (model->nq != source->nq || model->nv != source->nv))
    status = crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "found %d coordinates, expected the %d of the mechanism",
                           source->nq, model->nq);
  if (status == CRD_OK) status = crd_io_scene_text(model, source->qpos, source->qvel, problem, arena, scene, err);
  crd_model_free(model);
  return status;
}

/* Of a sweep the last set is shown. */
static int view_outcomes_file(const char *path, const char *html) {
  crd_outcome_file file = {0};
  crd_error err = {0};
  cli_page page = {0};
  const char *text = NULL, *scene = NULL;
  crd_status status = crd_io_read_outcomes(path, &file, &err);
  const int last = file.count - 1;
  if (status == CRD_OK && last < 0)
    status = crd_error_set(&err, CRD_ERR_FORMAT, path, 0, "found no set, expected at least one");
  if (status == CRD_OK)
    status = crd_io_outcomes_text(file.source.input, file.problem[last], &file.set[last], &page.arena, &text, &err);
  if (status == CRD_OK && file.source.nfile > 0)
    status = outcome_scene(&file, file.problem[last], &page.arena, &scene, &err);
  int code = status == CRD_OK ? CLI_DONE : cli_report(&err);
  cli_page_add_text(&page, "outcomes", text);
  if (scene) cli_page_add_text(&page, "scene", scene);
  if (code == CLI_DONE) code = cli_page_write(&page, html, "outcomes");
  crd_arena_free(&page.arena);
  crd_outcome_file_free(&file);
  return code;
}

int cmd_view(int argc, char **argv) {
  const char *input, *output = NULL, *svg = NULL, *kind;
  const cli_option table[2] = {{"-o", "FILE", CLI_TEXT, &output, 0, "the page, an .html file"},
                               {"--svg", "FILE", CLI_TEXT, &svg, 0, "energies of a trace over time as a picture"}};
  const cli_syntax syntax = {
      "view", "FILE.h5", "Turns a trace or a file of outcomes into one self-contained HTML page.", NULL, table, 2};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!output && !svg) return cli_complain("view", "found no -o, expected -o FILE for the page");
  crd_arena arena = {0};
  crd_error err = {0};
  int code;
  if (crd_io_file_kind(input, &arena, &kind, &err) != CRD_OK)
    code = cli_report(&err);
  else if (strcmp(kind, "trace/1") == 0)
    code = show_trace(input, output, svg);
  else if (strcmp(kind, "outcomes/1") == 0 && svg)
    code = cli_complain("view", "--svg: found a file of outcomes, expected a trace (`outcomes --svg` draws a set)");
  else if (strcmp(kind, "outcomes/1") == 0)
    code = view_outcomes_file(input, output);
  else
    code = cli_complain("view", "%s: found '%s', expected trace/1 or outcomes/1", input, kind);
  crd_arena_free(&arena);
  return code;
}
