/* cradle view: a mechanism, a trace or a file of outcomes as one self-contained HTML page. */
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static int view_trace_file(const char *path, const char *html, const view_picture *wanted) {
  crd_trace trace = {0};
  crd_error err = {0};
  int code = crd_io_read_trace(path, &trace, &err) == CRD_OK ? CLI_DONE : cli_report(&err);
  if (code == CLI_DONE) code = view_trace(&trace, html, wanted, false);
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

static int write_mechanism(const cli_problem *problem, const char *html) {
  cli_page page = {0};
  cli_page_add_scene(&page, problem);
  return cli_page_write(&page, html, "view");
}

/* A mechanism is shown at a state, as impact and dynamics see it there. */
static int view_mechanism(const char *input, const cli_common *common, const char *html, const view_picture *wanted) {
  cli_problem problem;
  if (wanted->at) return cli_complain("view", "--at: found a mechanism, expected a trace");
  int code = cli_problem_read(&problem, "view", input, common, false);
  if (code == CLI_DONE && html) code = write_mechanism(&problem, html);
  if (code == CLI_DONE && picture_wanted(&wanted->files))
    code = view_mechanism_picture(&problem.mechanism, problem.problem, wanted);
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
  if (!cli_recover(input))
    code = CLI_BAD_INPUT;
  else if (crd_io_file_kind(input, &arena, &kind, &err) != CRD_OK)
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

/* "runs/rocking.h5" and "@disk-stack:3" give "rocking.html" and "disk-stack-3.html" in the present folder. The caller
 * frees it. */
static char *default_name(const char *input) {
  static const char ending[] = ".html";
  const char *slash = strrchr(input, '/'), *from = slash ? slash + 1 : input;
  from += *from == '@';
  char *name = malloc(strlen(from) + sizeof ending);
  if (!name) return NULL;
  strcpy(name, from);
  char *dot = strrchr(name, '.');
  if (dot && dot > name) *dot = 0;
  for (char *colon = name; (colon = strchr(colon, ':'));) *colon = '-';
  return strcat(name, ending);
}

extern char **environ;

/* Hands the page to the desktop's browser: the first of these programs that is there. */
static int open_page(const char *path) {
  char xdg_open[] = "xdg-open", open[] = "open", *const programs[] = {xdg_open, open};
  char *copy = strdup(path);
  bool opened = false;
  for (size_t i = 0; copy && !opened && i < sizeof programs / sizeof programs[0]; i++) {
    char *const words[] = {programs[i], copy, NULL};
    pid_t child;
    int ended;
    opened = posix_spawnp(&child, programs[i], NULL, NULL, words, environ) == 0 && waitpid(child, &ended, 0) == child &&
             WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
  }
  free(copy);
  if (!opened) fprintf(stderr, "cradle view: --open: found no browser to show %s (xdg-open, open)\n", path);
  return opened ? CLI_DONE : CLI_SYSTEM;
}

static int view_input(const char *input, const cli_common *common, const char *html, const view_picture *wanted) {
  if (input[0] == '@' || ends_with(input, ".xml") || ends_with(input, ".urdf"))
    return view_mechanism(input, common, html, wanted);
  if (common->state || common->qpos || common->qvel || !isnan(common->mu) || !isnan(common->e))
    return cli_complain("view", "--state, --qpos, --qvel, --mu, --e: found '%s', expected them with a mechanism",
                        input);
  return view_file(input, html, wanted);
}

int cmd_view(int argc, char **argv) {
  const char *input, *output = NULL;
  bool opens = false;
  cli_common common = cli_common_default();
  view_picture wanted = {.verb = "view", .look = "oblique"};
  enum { OWN = 9 };
  cli_option table[OWN + VIEW_PICTURE_OPTIONS] = {
      {"-o", "FILE", CLI_OUTPUT, &output, 0, "the page (INPUT's name with .html, in the present folder)"},
      {"--open", NULL, CLI_FLAG, &opens, 0, "show the page in the browser"},
      {"--state", "KEY", CLI_TEXT, &common.state, 0, "of a mechanism: the keyframe to begin with (the first)"},
      {"--qpos", "\"...\"", CLI_TEXT, &common.qpos, 0, "of a mechanism: positions instead of the keyframe's"},
      {"--qvel", "\"...\"", CLI_TEXT, &common.qvel, 0, "of a mechanism: velocities instead of the keyframe's"},
      {"--mu", "X", CLI_NUMBER, &common.mu, 0, "of a mechanism: friction of all contacts"},
      {"--e", "X", CLI_NUMBER, &common.e, 0, "of a mechanism: restitution of all contacts"},
      {"--lenient", NULL, CLI_FLAG, &common.lenient, 0, "leave out what is not understood, even where it matters"},
      {"--packages", "DIRS", CLI_TEXT, &common.package_path, 0, "where to search package:// files (a:b:c)"}};
  view_picture_options(&wanted, table + OWN);
  const cli_syntax syntax = {"view",
                             "INPUT|FILE.h5",
                             "Turns a mechanism, a trace or a file of outcomes into one self-contained HTML page or a "
                             "picture.",
                             NULL,
                             table,
                             OWN + VIEW_PICTURE_OPTIONS,
                             "@compass-gait --open"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &input);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!view_picture_possible(&wanted)) return CLI_BAD_INPUT;
  if (output && (ends_with(output, ".svg") || ends_with(output, ".png")))
    return cli_complain("view", "-o: found '%s', expected the name of a page; --svg and --png write pictures", output);
  char *own = !output && (opens || !picture_wanted(&wanted.files)) ? default_name(input) : NULL;
  if (own && !cli_add_output("view", "-o", own)) return free(own), CLI_BAD_INPUT;
  const char *html = output ? output : own;
  int code = view_input(input, &common, html, &wanted);
  if (code == CLI_DONE && opens) code = open_page(html);
  free(own);
  return code;
}
