/* cradle check: are restitution and friction consistent here, and is contact well-posed here? */
#include <cradle/analysis.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "check_print.h"
#include "check_region.h"
#include "motions.h"
#include "page.h"
#include "progress.h"

typedef struct check_options {
  cli_common common;
  const char *region, *scan, *html;
  picture_files picture;
  uint64_t steps, modes;
  bool allow, criteria;
} check_options;

static bool is_stopped(void *context) {
  (void)context;
  return cli_interrupted();
}

/* "joint:from:to" */
static bool read_scan(const char *text, const cli_problem *input, crd_critical_scan *scan, check_scan *result,
                      crd_arena *arena) {
  const char *colon = strchr(text, ':');
  char *end, *name = crd_arena_string(arena, text);
  if (!input->from_model) {
    cli_complain("check", "--scan: found a problem file, expected a mechanism with joints");
    return false;
  }
  if (name && colon) name[colon - text] = '\0';
  const crd_model *model = input->mechanism.model;
  scan->joint = name && colon ? crd_model_find_joint(model, name) : -1;
  if (scan->joint < 0 || model->joint[scan->joint].nq != 1) {
    cli_hint hint = cli_hint_begin(name && colon ? name : text);
    for (int i = 0; i < model->njoint; i++) cli_hint_add(&hint, model->joint[i].name);
    cli_complain("check", "--scan: found '%s', expected a hinge or slide joint of the model, then :from:to%s", text,
                 hint.text);
    return false;
  }
  result->joint = name;
  result->from = strtod(colon + 1, &end);
  bool good = end != colon + 1 && *end == ':';
  const char *second = good ? end + 1 : "";
  result->to = strtod(second, &end);
  if (!good || end == second || *end || !isfinite(result->from) || !(result->to > result->from) ||
      !isfinite(result->to)) {
    cli_complain("check", "--scan: found '%s', expected joint:from:to with two rising numbers", text);
    return false;
  }
  if (input->problem->nc == 0 || input->problem->contact[0].joint >= 0) { /* limits come last */
    cli_complain("check", "--scan: nothing touches at this state, expected a contact to keep closed");
    return false;
  }
  scan->model = model, scan->qpos = input->mechanism.qpos;
  scan->body1 = input->problem->contact[0].body1, scan->body2 = input->problem->contact[0].body2;
  return true;
}

static int run_scan(const check_options *options, const cli_problem *input, check_scan *result, crd_arena *arena) {
  crd_critical_scan scan = {0};
  if (!read_scan(options->scan, input, &scan, result, arena)) return CLI_BAD_INPUT;
  result->count = (int)options->steps + 1;
  result->mu = crd_arena_alloc(arena, (size_t)result->count + 1, sizeof *result->mu);
  if (!result->mu) return CLI_SYSTEM;
  crd_status status = crd_analysis_critical_range(&scan, result->from, result->to, result->count, result->mu,
                                                  &result->at, &result->least, arena);
  if (status == CRD_NO_SOLUTION) result->at = result->least = NAN;
  return status < 0 ? cli_exit_code(status) : CLI_DONE;
}

/* Between two contacts. */
static bool show_contact(void *context, int contact) {
  cli_progress_show(context, contact);
  return !cli_interrupted();
}

enum { PAGE_STEPS = 120 }; /* of the region in a page: cells of two or three pixels */

static int write_page(const char *path, const check_view *view) {
  cli_page page = {0};
  cli_page_add(&page, "check", check_json(view));
  cli_page_add(&page, "region", check_region_page(view, PAGE_STEPS));
  cli_page_add_scene(&page, view->input);
  return cli_page_write(&page, path, "check");
}

/* Everything that is decided about the problem; the exit code, after a message where it is not CLI_DONE. */
static int decide(const check_options *options, const cli_problem *input, check_view *view, crd_check *check,
                  crd_persistent *persistent, bool alone, crd_arena *arena) {
  cli_progress progress = {0}; /* unseen where the problem is one of many */
  const crd_contact_problem *problem = input->problem;
  const double *b = NULL;
  crd_status status = CRD_OK;
  if (!cli_problem_slides_only("check", input->input, problem)) return CLI_BAD_INPUT;
  if (alone) cli_doing("check: the motions of contacts at rest");
  if ((input->from_model || problem->force) && cli_contacts_last(problem))
    status = cli_motions_find(input->from_model ? &input->mechanism : NULL, input->work, problem, (int)options->modes,
                              is_stopped, persistent, &b, arena);
  if (persistent->applies) view->persistent = persistent;
  if (alone) cli_doing("check: energy, friction and contact forces");
  if (status == CRD_OK) status = crd_analysis_check(check, problem, b, isnan(options->common.e), arena);
  if (alone)
    cli_progress_begin(&progress, "check", "contacts", problem->nc); /* its rate is that of the intervals alone */
  if (status == CRD_OK) status = check_limits(view, show_contact, &progress, arena);
  if (alone) cli_progress_end(&progress);
  if (status == CRD_OK) return CLI_DONE;
  fprintf(stderr, "cradle check: '%s': %s\n", input->input,
          status == CRD_ERR_ARGUMENT ? "a contact's normal row is zero" : crd_status_text(status));
  return cli_exit_code(status);
}

static bool is_undecided(const check_view *view) {
  const crd_check *check = view->check;
  return check->proposition[CRD_PROP2].unknown || check->wellposed.p_matrix == CRD_LCP_UNDECIDED ||
         (view->persistent && view->persistent->verdict.motion == CRD_MOTION_UNKNOWN);
}

static int check_and_print(const check_options *options, const cli_problem *input, crd_arena *arena) {
  crd_check check;
  crd_persistent persistent = {0};
  check_scan scan = {0};
  check_view view = {.input = input, .check = &check};
  cli_output output;
  int code = options->scan ? run_scan(options, input, &scan, arena) : CLI_DONE;
  if (code != CLI_DONE) return code;
  if (options->scan) view.scan = &scan;
  code = decide(options, input, &view, &check, &persistent, true, arena);
  if (code != CLI_DONE) return code;
  if (options->region) code = check_region_write(options->region, &view, (int)options->steps);
  if (code == CLI_DONE && picture_wanted(&options->picture)) code = check_picture_write(&options->picture, &view);
  if (code == CLI_DONE && options->html) code = write_page(options->html, &view);
  if (code != CLI_DONE) return code;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  bool done = true;
  if (options->common.json)
    done = cli_json_print(output.file, check_json(&view));
  else
    check_print_text(output.file, &view, options->criteria), cli_output_fit(&output);
  return cli_output_end(&output, options->common.output,
                        !done                 ? CLI_SYSTEM
                        : is_undecided(&view) ? CLI_VERDICT
                                              : CLI_DONE);
}

/* One of many problems. */
static int check_row(void *context, cli_problem *input, json_t **answer) {
  const check_options *options = context;
  crd_arena arena = {0};
  crd_check check;
  crd_persistent persistent = {0};
  check_view view = {.input = input, .check = &check};
  int code = decide(options, input, &view, &check, &persistent, false, &arena);
  if (code == CLI_DONE) {
    *answer = check_json(&view);
    if (is_undecided(&view)) code = CLI_VERDICT;
  }
  crd_arena_free(&arena);
  return code;
}

static int check_many(check_options *options, const char *name) {
  const char *found = options->region                     ? "--region"
                      : options->scan                     ? "--scan"
                      : options->html                     ? "--html"
                      : picture_wanted(&options->picture) ? "--svg or --png"
                                                          : NULL;
  if (found)
    return cli_complain("check", "%s: found it with '%s', expected a single problem: that is many", found, name);
  return cli_batch_run("check", name, &options->common, options->allow, check_row, options, true);
}

int cmd_check(int argc, char **argv) {
  const char *name;
  check_options options = {.common = cli_common_default(), .steps = 60, .modes = CRD_PERSISTENT_MODES};
  enum { OWN = 7 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS];
  cli_common_options(&options.common, table);
  const cli_option own[OWN] = {
      {"--region", "FILE", CLI_OUTPUT, &options.region, 0,
       "write the admissible (e, mu) of every contact: CSV, or JSON by ending"},
      {"--criteria", NULL, CLI_FLAG, &options.criteria, 0,
       "also print the propositions of the papers by number, with values and bounds, and the matrices behind them"},
      {"--html", "FILE", CLI_OUTPUT, &options.html, 0,
       "write a page with the verdicts, the admissible regions and the tables"},
      {"--scan", "JOINT:FROM:TO", CLI_TEXT, &options.scan, 0,
       "critical friction over a range of a joint, contact kept closed"},
      {"--steps", "N", CLI_COUNT, &options.steps, 1, "steps of the region and of the scan (default 60)"},
      {"--modes", "N", CLI_COUNT, &options.modes, 1,
       "modes of contacts at rest that are tried before the motion is called unknown (4096)"},
      {"--allow", NULL, CLI_FLAG, &options.allow, 0, "accept restitution outside 0 to 1"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  picture_options(&options.picture, table + CLI_COMMON_OPTIONS + OWN,
                  "write the admissible regions as a vector picture", "the same as a PNG picture");
  const cli_syntax syntax = {"check",
                             "INPUT",
                             "Are restitution and friction consistent at the state, and is contact well-posed there?",
                             NULL,
                             table,
                             CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS,
                             "@double-pendulum-floor --e 0.3"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &name);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!picture_possible(&options.picture, "check")) return CLI_BAD_INPUT;
  if (options.modes > 1 << 24) return cli_complain("check", "--modes: expected at most 16777216");
  if (options.steps > 2000) return cli_complain("check", "--steps: expected at most 2000");
  if (cli_is_batch(name)) return check_many(&options, name);
  cli_problem input;
  crd_arena arena = {0};
  int code = cli_problem_read(&input, "check", name, &options.common, options.allow);
  if (code == CLI_DONE) code = check_and_print(&options, &input, &arena);
  crd_arena_free(&arena);
  cli_problem_free(&input);
  return code;
}
