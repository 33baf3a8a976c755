/* cradle view: a trace or a file of outcomes as one self-contained HTML page. */
#include "view.h"

#include <string.h>

static int view_trace(const crd_trace *trace, const char *html) {
  cli_page page = {0};
  crd_model *model = NULL;
  crd_visuals visuals = {0};
  crd_error err = {0};
  const char *run = NULL, *scene = NULL;
  crd_status status = crd_io_trace_model(trace, &model, &err);
  if (status == CRD_OK && (model->nq != trace->nq || trace->nrow == 0))
    status = crd_error_set(&err, CRD_ERR_MODEL, NULL, 0,
                           "the trace has %zu rows of %d coordinates, expected rows of the %d of its mechanism",
                           trace->nrow, trace->nq, model->nq);
  if (status == CRD_OK) status = crd_io_trace_visuals(trace, &visuals, &err);
  if (status == CRD_OK)
    status = crd_io_scene_text(model, trace->qpos, trace->qvel, NULL, &visuals, &page.arena, &scene, &err);
  if (status == CRD_OK) status = crd_io_run_text(trace, &page.arena, &run, &err);
  cli_page_add_text(&page, "run", run);
  cli_page_add_text(&page, "scene", scene);
  cli_note_visuals(&visuals);
  crd_io_visuals_free(&visuals);
  crd_model_free(model);
  if (status == CRD_OK) return cli_page_write(&page, html, "run");
  crd_arena_free(&page.arena);
  return cli_report(&err);
}

int view_trace_file(const char *path, const char *html, const view_picture *wanted) {
  crd_trace trace = {0};
  crd_error err = {0};
  int code = crd_io_read_trace(path, &trace, &err) == CRD_OK ? CLI_DONE : cli_report(&err);
  if (code == CLI_DONE && html) code = view_trace(&trace, html);
  if (code == CLI_DONE && picture_wanted(&wanted->files)) code = view_trace_picture(&trace, wanted);
  crd_io_trace_free(&trace);
  return code;
}

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
  crd_visuals visuals = {0};
  if (status == CRD_OK) status = crd_io_trace_visuals(&shell, &visuals, err);
  if (status == CRD_OK)
    status = crd_io_scene_text(model, source->qpos, source->qvel, problem, &visuals, arena, scene, err);
  cli_note_visuals(&visuals);
  crd_io_visuals_free(&visuals);
  crd_model_free(model);
  return status;
}

/* All sets of the file as records of a page; their number, -1: no memory. */
static int records_of(const crd_outcome_file *file, crd_arena *arena, const crd_outcome_record **records) {
  crd_outcome_record *record = crd_arena_alloc(arena, (size_t)file->count + 1, sizeof *record);
  for (int i = 0; record && i < file->count; i++)
    record[i] = (crd_outcome_record){.value = file->value[i],
                                     .problem = file->problem[i],
                                     .set = &file->set[i],
                                     .box = file->box[i].draws > 0 ? &file->box[i] : NULL,
                                     .nmark = file->nmark,
                                     .mark = file->mark};
  *records = record;
  return record ? file->count : -1;
}

static int view_outcomes(const crd_outcome_file *file, const char *html) {
  crd_error err = {0};
  cli_page page = {0};
  const char *text = NULL, *scene = NULL;
  const crd_outcome_record *record;
  const int count = records_of(file, &page.arena, &record);
  crd_status status = CRD_OK;
  if (count > 0)
    status = crd_io_outcomes_text(file->source.input, file->source.parameter, count, record, &page.arena, &text, &err);
  if (count > 0 && status == CRD_OK && file->source.nfile > 0)
    status = outcome_scene(file, file->problem[count - 1], &page.arena, &scene, &err);
  cli_page_add_text(&page, "outcomes", text);
  if (scene) cli_page_add_text(&page, "scene", scene);
  if (status == CRD_OK) return cli_page_write(&page, html, "outcomes");
  crd_arena_free(&page.arena);
  return cli_report(&err);
}

static int view_outcomes_file(const char *path, const char *html, const view_picture *wanted) {
  crd_outcome_file file = {0};
  crd_error err = {0};
  crd_status status = crd_io_read_outcomes(path, &file, &err);
  if (status == CRD_OK && file.count == 0)
    status = crd_error_set(&err, CRD_ERR_FORMAT, path, 0, "found no set, expected at least one");
  int code = status == CRD_OK ? CLI_DONE : cli_report(&err);
  if (code == CLI_DONE && wanted->at) code = cli_complain("view", "--at: found a file of outcomes, expected a trace");
  if (code == CLI_DONE && html) code = view_outcomes(&file, html);
  if (code == CLI_DONE && picture_wanted(&wanted->files)) code = view_outcomes_picture(&file, wanted);
  crd_io_outcome_file_free(&file);
  return code;
}

/* A mechanism is drawn at a state, as impact and dynamics see it there. */
static int view_mechanism(const char *input, const char *state, const char *html, const view_picture *wanted) {
  cli_problem problem;
  cli_common common = cli_common_default();
  common.state = state;
  if (html)
    return cli_complain(
        "view", "-o: found a mechanism, expected a trace or outcomes (`run --html` plays it; --svg and --png draw it)");
  if (wanted->at) return cli_complain("view", "--at: found a mechanism, expected a trace");
  int code = cli_problem_read(&problem, "view", input, &common, false);
  if (code == CLI_DONE) code = view_mechanism_picture(&problem.mechanism, problem.problem, wanted);
  cli_problem_free(&problem);
  return code;
}

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), own = strlen(ending);
  return length >= own && strcmp(text + length - own, ending) == 0;
}

static int view_file(const char *input, const char *html, const view_picture *wanted) {
  crd_arena arena = {0};
  crd_error err = {0};
  const char *kind;
  int code;
  if (crd_io_file_kind(input, &arena, &kind, &err) != CRD_OK)
    code = cli_report(&err);
  else if (strcmp(kind, "trace/2") == 0)
    code = view_trace_file(input, html, wanted);
  else if (strcmp(kind, "outcomes/2") == 0)
    code = view_outcomes_file(input, html, wanted);
  else
    code = cli_complain("view", "%s: found '%s', expected trace/2 or outcomes/2", input, kind);
  crd_arena_free(&arena);
  return code;
}

int cmd_view(int argc, char **argv) {
  const char *input, *output = NULL, *state = NULL;
  view_picture wanted = {.verb = "view", .look = "oblique"};
  enum { OWN = 2 };
  cli_option table[OWN + VIEW_PICTURE_OPTIONS] = {
      {"-o", "FILE", CLI_OUTPUT, &output, 0, "the page, an .html file"},
      {"--state", "KEY", CLI_TEXT, &state, 0, "of a mechanism: the keyframe to draw (the first)"}};
  view_picture_options(&wanted, table + OWN);
  const cli_syntax syntax = {
      "view",
      "FILE.h5|INPUT",
      "Turns a trace or a file of outcomes into one self-contained HTML page or a picture; draws a mechanism.",
      NULL,
      table,
      OWN + VIEW_PICTURE_OPTIONS,
      "@compass-gait --svg gait.svg"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!view_picture_possible(&wanted)) return CLI_BAD_INPUT;
  if (!output && !picture_wanted(&wanted.files))
    return cli_complain("view", "found no -o, --svg or --png, expected -o FILE for the page or a picture");
  if (input[0] == '@' || ends_with(input, ".xml") || ends_with(input, ".urdf"))
    return view_mechanism(input, state, output, &wanted);
  if (state) return cli_complain("view", "--state: found '%s', expected it with a mechanism", input);
  return view_file(input, output, &wanted);
}
