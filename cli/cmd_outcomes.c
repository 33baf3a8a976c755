/* cradle outcomes: the set of velocities that a simultaneous impact can lead to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"
#include "outcomes_sweep.h"
#include "progress.h"

static bool on_progress(void *context, uint64_t done) {
  cli_progress_show(context, (double)done);
  return !cli_interrupted();
}

/* Samples the set of every value; stops at an interrupt. The number of sets, or -1 after a message. */
static int sample_all(const outcomes_settings *settings, const outcomes_sweep *sweep, cli_problem *input,
                      crd_outcome_options *options, outcomes_result *result) {
  cli_progress progress;
  int count = 0;
  options->progress = on_progress, options->context = &progress;
  for (; count < sweep->count && !(count && cli_interrupted()); count++) {
    outcomes_result *r = &result[count];
    r->value = outcomes_sweep_apply(sweep, count, settings, input, options, &r->status);
    cli_progress_begin(&progress, "outcomes", "samples", (double)options->samples);
    if (r->status == CRD_OK) r->status = crd_outcome_sample(input->problem, options, &r->set);
    cli_progress_end(&progress);
  }
  return count;
}

/* Exit code of a single set that could not be sampled, after a message. */
static int complain_about(const cli_problem *input, crd_status status) {
  if (status == CRD_ERR_ARGUMENT && input->problem->nc == 0)
    return cli_complain("outcomes", "found no contact at this state of '%s', expected at least one", input->input);
  fprintf(stderr, "cradle outcomes: '%s': %s\n", input->input, crd_status_text(status));
  return cli_exit_code(status);
}

static int exit_code(const outcomes_view *view, int wanted) {
  int code = view->count < wanted ? CLI_VERDICT : CLI_DONE;
  for (int i = 0; i < view->count; i++) {
    const outcomes_result *r = &view->result[i];
    bool none = r->status == CRD_OK && r->set.ended[CRD_OUTCOME_DONE] == 0;
    if (none || (r->status == CRD_OK && r->set.claim == CRD_OUTCOME_TRUNCATED)) code = CLI_VERDICT;
  }
  return code;
}

static int run(const outcomes_settings *settings, cli_problem *input, crd_outcome_options *options) {
  outcomes_sweep sweep;
  if (!outcomes_sweep_read(&sweep, settings->sweep, input)) return CLI_BAD_INPUT;
  outcomes_result *result = calloc((size_t)sweep.count, sizeof *result);
  cli_output output;
  if (!result) return CLI_SYSTEM;
  int count = sample_all(settings, &sweep, input, options, result), code = CLI_DONE;
  if (sweep.kind == SWEEP_NONE && result[0].status != CRD_OK)
    code = complain_about(input, result[0].status);
  else if (!cli_output_begin(&output))
    code = CLI_SYSTEM;
  else {
    outcomes_view view = {.input = input, .result = result, .count = count};
    if (sweep.kind != SWEEP_NONE) view.parameter = sweep.name;
    bool done = true;
    if (settings->common.json)
      done = outcomes_print_json(output.file, &view);
    else
      outcomes_print_text(output.file, &view);
    code = cli_output_end(&output, settings->common.output, done ? exit_code(&view, sweep.count) : CLI_SYSTEM);
  }
  for (int i = 0; i < count; i++) crd_outcome_free(&result[i].set);
  free(result);
  return code;
}

int cmd_outcomes(int argc, char **argv) {
  const char *name;
  const crd_outcome_options defaults = crd_outcome_default();
  outcomes_settings settings = {
      .common = cli_common_default(), .facets = (uint64_t)defaults.facets, .tolerance = defaults.tolerance};
  enum { OWN = 9 };
  cli_option table[CLI_COMMON_OPTIONS + OWN];
  cli_common_options(&settings.common, table);
  const cli_option own[OWN] = {
      {"--samples", "M", CLI_TEXT, &settings.samples, 0,
       "number of samples, also as 2^k (2^16; the paper's for its examples)"},
      {"--steps", "N", CLI_COUNT, &settings.steps, 1, "steps before a sample is given up (100)"},
      {"--h", "X", CLI_NUMBER, &settings.h, 1e-300,
       "largest normal impulse in a step, N s (what stops the fastest contact)"},
      {"--pattern", "NAME", CLI_TEXT, &settings.pattern, 0,
       "how bounds are drawn: uniform, switched, corners, held, log, sequential, mixed"},
      {"--selection", "NAME", CLI_TEXT, &settings.selection, 0,
       "of several solutions of a step: auto, all-random, lemke, random-cover"},
      {"--facets", "K", CLI_COUNT, &settings.facets, 4, "facets of the friction cone of a spatial contact, even (8)"},
      {"--tolerance", "X", CLI_NUMBER, &settings.tolerance, 0, "a contact approaches below minus this, m/s (1e-8)"},
      {"--sweep", "P=A:B:K", CLI_TEXT, &settings.sweep, 0, "K sets for P from A to B: mu, e, h or a joint"},
      {"--allow", NULL, CLI_FLAG, &settings.allow, 0, "accept restitution outside 0 to 1"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  const cli_syntax syntax = {
      "outcomes", "INPUT", "The set of velocities after a simultaneous impact, by sampling impulses.",
      NULL,       table,   CLI_COMMON_OPTIONS + OWN};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &name);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  crd_outcome_options options;
  if (!outcomes_options(&settings, name, &options)) return CLI_BAD_INPUT;
  cli_problem input;
  int code = cli_problem_read(&input, "outcomes", name, &settings.common, settings.allow);
  if (code == CLI_DONE) code = run(&settings, &input, &options);
  cli_problem_free(&input);
  return code;
}
