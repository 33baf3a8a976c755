/* cradle outcomes: the set of velocities that a simultaneous impact can lead to. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "outcomes.h"
#include "outcomes_sweep.h"
#include "progress.h"
#include "ranks.h"

static bool on_progress(void *context, uint64_t done) {
  cli_progress_show(context, (double)done);
  return !cli_interrupted();
}

/* The problem of this set, to be shown later: the input's own changes from one value of a sweep to the next. */
static crd_status keep_problem(const crd_contact_problem *problem, outcomes_result *result) {
  result->problem = crd_contact_problem_new();
  return result->problem ? crd_contact_problem_copy(problem, result->problem) : CRD_ERR_MEMORY;
}

/* Samples the set of every value, and hands it to the writer (NULL: none); stops at an interrupt. The number of sets.
 */
static int sample_all(const outcomes_settings *settings, const outcomes_sweep *sweep, cli_problem *input,
                      const crd_outcome_box *box, crd_outcome_options *options, outcomes_result *result,
                      crd_outcome_writer *writer) {
  cli_progress progress;
  int count = 0;
  options->progress = on_progress, options->context = &progress;
  for (; count < sweep->count && !(count && cli_interrupted()); count++) {
    outcomes_result *r = &result[count];
    r->value = outcomes_sweep_apply(sweep, count, settings, input, options, &r->status);
    cli_progress_begin(&progress, "outcomes", "samples", (double)options->samples);
    if (r->status == CRD_OK) r->status = keep_problem(input->problem, r);
    if (r->status == CRD_OK)
      r->status = box ? crd_outcome_sample_box(input->problem, box, options, &r->set)
                      : cli_ranks_sample(input->problem, options, &r->set);
    cli_progress_end(&progress);
    cli_writes(true);
    if (r->status == CRD_OK) r->status = outcomes_shape_find(input->problem, &r->set, settings->axes, &r->shape);
    if (r->status == CRD_OK && writer)
      crd_io_outcomes_add(
          writer, &(crd_outcome_record){.value = r->value, .problem = input->problem, .set = &r->set, .box = box});
    cli_writes(false);
  }
  options->progress = NULL, options->context = NULL; /* the bar ends with this function */
  return count;
}

/* Exit code of a single set that could not be sampled, after a message. */
static int complain_about(const cli_problem *input, const crd_outcome_options *options, crd_status status) {
  if (status == CRD_ERR_ARGUMENT && input->problem->nc == 0)
    return cli_complain("outcomes", "found no contact at this state of '%s', expected at least one", input->input);
  if (status == CRD_ERR_ARGUMENT && options->epsilon > 0)
    return cli_complain("outcomes", "--epsilon: found %g, expected less: its last step is larger than h",
                        options->epsilon);
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

/* Prints the results; returns the exit code. */
static int show(const outcomes_settings *settings, const outcomes_view *view, int wanted) {
  cli_output output;
  bool done = true;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  if (settings->common.json)
    done = cli_json_print(output.file, outcomes_json(view));
  else
    outcomes_print_text(output.file, view), cli_output_fit(&output);
  /* samples go to FILE.h5, and what is said about them to stdout */
  const char *path = outcomes_is_h5(settings->common.output) ? NULL : settings->common.output;
  return cli_output_end(&output, path, done ? exit_code(view, wanted) : CLI_SYSTEM);
}

/* Everything that is written about the sets: the file, which gets its last part here, pictures, page and text. */
static int report(const outcomes_settings *settings, outcomes_view *view, crd_outcome_writer *writer, int wanted) {
  outcomes_compliant compliant = {0};
  crd_arena arena = {0};
  int code = CLI_DONE;
  if (view->measured.v_plus && outcomes_measured_find(&view->result[0], &view->measured) == CRD_ERR_MEMORY)
    code = CLI_SYSTEM;
  if (code == CLI_DONE && (settings->compliant || settings->starts)) {
    view->compliant = &compliant;
    const outcomes_shape *shape = &view->result[0].shape;
    if (settings->starts)
      code = outcomes_compliant_starts(view->input, &settings->common, shape, settings->starts, &compliant);
    else if (!outcomes_compliant_run(view->input, &settings->common, shape, &compliant))
      code = CLI_SYSTEM;
    view->nmark =
        code == CLI_DONE ? outcomes_compliant_marks(&compliant, view->input->problem, &arena, &view->mark) : 0;
    if (view->nmark < 0) code = CLI_SYSTEM;
  }
  if (writer && code != CLI_DONE) crd_io_outcomes_discard(writer);
  if (writer && code == CLI_DONE) {
    crd_io_outcomes_mark(writer, view->nmark, view->mark, view->input->problem->nv);
    code = outcomes_file_end(writer, settings->common.output);
  }
  if (code == CLI_DONE && picture_wanted(&settings->picture)) code = outcomes_picture_view(&settings->picture, view);
  if (code == CLI_DONE && settings->html) code = outcomes_page_write(settings->html, view);
  if (code == CLI_DONE) code = show(settings, view, wanted);
  outcomes_compliant_free(&compliant);
  crd_arena_free(&arena);
  return code;
}

/* Everything behind the options: samples, and what is written about them. box and measured may be NULL. */
static int sample_and_report(const outcomes_settings *settings, cli_problem *input, crd_outcome_options *options,
                             const outcomes_sweep *sweep, const crd_outcome_box *box, const double *measured) {
  const char *parameter = sweep->kind == SWEEP_NONE ? NULL : sweep->name;
  if (box && box->e > 0) options->restitution = true;
  if (options->restitution && !settings->steps) options->steps = 0; /* the papers' N is that of inelastic impacts */
  const bool writes = cli_rank() == 0;
  crd_outcome_writer *writer = NULL;
  int code = CLI_DONE;
  if (outcomes_is_h5(settings->common.output) && writes)
    code = outcomes_file_begin(settings, input, parameter, &writer);
  if (code != CLI_DONE) return code;
  outcomes_result *result = calloc((size_t)sweep->count, sizeof *result);
  if (!result) return crd_io_outcomes_discard(writer), CLI_SYSTEM;
  int count = sample_all(settings, sweep, input, box, options, result, writer);
  if (!parameter && result[0].status != CRD_OK) {
    code = complain_about(input, options, result[0].status);
    crd_io_outcomes_discard(writer);
  } else {
    outcomes_view view = {.input = input, .result = result, .count = count, .parameter = parameter, .box = box};
    view.measured.v_plus = measured;
    if (writes) code = report(settings, &view, writer, sweep->count);
  }
  for (int i = 0; i < count; i++) {
    crd_outcome_free(&result[i].set);
    outcomes_shape_free(&result[i].shape);
    crd_contact_problem_free(result[i].problem);
  }
  free(result);
  return code;
}

static int run(const outcomes_settings *settings, cli_problem *input, crd_outcome_options *options) {
  outcomes_sweep sweep;
  outcomes_axes axes;
  if (!cli_problem_slides_only("outcomes", input->input, input->problem)) return CLI_BAD_INPUT;
  if (!outcomes_sweep_read(&sweep, settings->sweep, input)) return CLI_BAD_INPUT;
  if (settings->axes && !outcomes_axes_read(settings->axes, input->problem, &axes)) return CLI_BAD_INPUT;
  if (sweep.kind == SWEEP_E) options->restitution = true;
  const char *parameter = sweep.kind == SWEEP_NONE ? NULL : sweep.name;
  const bool compliant = settings->compliant || settings->starts;
  if (compliant && (!input->from_model || parameter))
    return cli_complain("outcomes", "--compliant: found %s, expected a mechanism at one state",
                        parameter ? "a sweep" : "an impact problem");
  crd_outcome_box box;
  if (settings->measured && parameter)
    return cli_complain("outcomes", "--measured: found it beside --sweep, expected a single set");
  if (settings->box && !outcomes_box_read("outcomes", "--box", settings->box, &box)) return CLI_BAD_INPUT;
  double *measured = calloc((size_t)input->problem->nv + 1, sizeof *measured);
  if (!measured) return CLI_SYSTEM;
  if (settings->measured && !outcomes_measured_read(settings->measured, input->problem, measured))
    return free(measured), CLI_BAD_INPUT;
  int code = sample_and_report(settings, input, options, &sweep, settings->box ? &box : NULL,
                               settings->measured ? measured : NULL);
  free(measured);
  return code;
}

/* One of many problems. */
static int sample_row(void *context, cli_problem *input, json_t **answer) {
  const outcomes_settings *settings = context;
  outcomes_sweep sweep;
  outcomes_axes axes;
  crd_outcome_box box;
  crd_outcome_options options;
  if (!cli_problem_slides_only("outcomes", input->input, input->problem)) return CLI_BAD_INPUT;
  if (!outcomes_options(settings, input->input, &options) || !outcomes_sweep_read(&sweep, NULL, input))
    return CLI_SYSTEM;
  if (settings->axes && !outcomes_axes_read(settings->axes, input->problem, &axes)) return CLI_BAD_INPUT;
  if (settings->box && !outcomes_box_read("outcomes", "--box", settings->box, &box)) return CLI_SYSTEM;
  if (settings->box && box.e > 0) options.restitution = true;
  if (options.restitution && !settings->steps) options.steps = 0;
  outcomes_result result = {0};
  sample_all(settings, &sweep, input, settings->box ? &box : NULL, &options, &result, NULL);
  outcomes_view view = {.input = input, .result = &result, .count = 1, .box = settings->box ? &box : NULL};
  *answer = outcomes_json(&view);
  int code = result.status == CRD_OK ? exit_code(&view, 1) : cli_exit_code(result.status);
  crd_outcome_free(&result.set);
  outcomes_shape_free(&result.shape);
  crd_contact_problem_free(result.problem);
  return code;
}

static int sample_many(outcomes_settings *settings, const char *name) {
  const char *found = settings->sweep                           ? "--sweep"
                      : settings->compliant || settings->starts ? "--compliant"
                      : settings->html                          ? "--html"
                      : picture_wanted(&settings->picture)      ? "--svg or --png"
                                                                : NULL;
  crd_outcome_box box;
  if (found)
    return cli_complain("outcomes", "%s: found it with '%s', expected a single problem: that is many", found, name);
  if (settings->box && !outcomes_box_read("outcomes", "--box", settings->box, &box)) return CLI_BAD_INPUT;
  return cli_batch_run("outcomes", name, &settings->common, settings->allow, sample_row, settings, false);
}

int cmd_outcomes(int argc, char **argv) {
  const char *name;
  const crd_outcome_options defaults = crd_outcome_default();
  outcomes_settings settings = {.common = cli_common_default(),
                                .event = CLI_NO_EVENT,
                                .facets = (uint64_t)defaults.facets,
                                .tolerance = defaults.tolerance};
  enum { OWN = 18 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS];
  cli_common_options(&settings.common, table);
  const cli_option own[OWN] = {
      {"--samples", "M", CLI_TEXT, &settings.samples, 0,
       "number of samples, also as 2^k (2^16; the paper's for its examples)"},
      {"--steps", "N", CLI_COUNT, &settings.steps, 1,
       "steps after which a sample is rejected (100, more with restitution)"},
      {"--h", "X", CLI_NUMBER, &settings.h, 1e-300,
       "largest normal impulse in a step, N s (default: the one that stops the contacts)"},
      {"--pattern", "NAME", CLI_TEXT, &settings.pattern, 0,
       "how bounds are drawn: uniform, switched, corners, held, log, sequential, mixed",
       "uniform switched corners held log sequential mixed"},
      {"--selection", "NAME", CLI_TEXT, &settings.selection, 0,
       "of several solutions of a step: auto, all-random, lemke, random-cover", "auto all-random lemke random-cover"},
      {"--facets", "K", CLI_COUNT, &settings.facets, 4, "facets of the friction cone of a spatial contact, even (8)"},
      {"--tolerance", "X", CLI_NUMBER, &settings.tolerance, 0,
       "a contact approaches below minus this share of its possible speed (1e-9)"},
      {"--sweep", "P=A:B:K", CLI_TEXT, &settings.sweep, 0, "K sets for P from A to B: mu, e, h or a joint"},
      {"--box", "mu=X,e=X,v=X", CLI_TEXT, &settings.box, 0,
       "uncertainty: problems drawn within these half widths (draws=64 of them)"},
      {"--measured", "\"...\"", CLI_TEXT, &settings.measured, 0,
       "a velocity measured after the impact: does it lie in the set, or how far from it?"},
      {"--axes", "A.n,B.n", CLI_TEXT, &settings.axes, 0,
       "axes of the hull, two or three: CONTACT.n, .t (spatial .t1, .t2), v[i] (the first normals)"},
      {"--html", "FILE", CLI_OUTPUT, &settings.html, 0, "write a page with the set, or all of a sweep"},
      {"--restitution", NULL, CLI_FLAG, &settings.restitution, 0,
       "contacts rebound with their e (Stronge's coefficient); without it all impacts are inelastic"},
      {"--epsilon", "X", CLI_NUMBER, &settings.epsilon, 1e-300,
       "Algorithm 2: a last step of X/(3 psi), and whether the samples are an X-net of the set"},
      {"--event", "K", CLI_COUNT, &settings.event, 0,
       "INPUT is a trace (run -o FILE.h5): the state before its event K, an impact; the first one is 0"},
      {"--compliant", NULL, CLI_FLAG, &settings.compliant, 0,
       "compare with stiff compliant contact, stiffness ratios 1e-5 to 1e5"},
      {"--compliant-starts", "JOINT:FROM:TO", CLI_TEXT, &settings.starts, 0,
       "the same with equal stiffness, from positions of the joint off by FROM to TO (m, rad)"},
      {"--allow", NULL, CLI_FLAG, &settings.allow, 0, "accept restitution outside 0 to 1"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  picture_options(&settings.picture, table + CLI_COMMON_OPTIONS + OWN,
                  "write the set (of a sweep up to six) in the first two axes as a vector picture",
                  "the same as a PNG picture");
  const cli_syntax syntax = {"outcomes",
                             "INPUT",
                             "The set of velocities after a simultaneous impact, by sampling impulses.",
                             NULL,
                             table,
                             CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS,
                             "@rocking-block --samples 2^14 --svg set.svg"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &name);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!picture_possible(&settings.picture, "outcomes")) return CLI_BAD_INPUT;
  crd_outcome_options options;
  if (!outcomes_options(&settings, name, &options)) return CLI_BAD_INPUT;
  if (settings.event == CLI_NO_EVENT && cli_is_batch(name)) return sample_many(&settings, name);
  cli_ranks_begin();
  cli_problem input;
  int code = settings.event != CLI_NO_EVENT
                 ? cli_problem_read_event(&input, "outcomes", name, &settings.common, settings.event, settings.allow)
                 : cli_problem_read(&input, "outcomes", name, &settings.common, settings.allow);
  if (code == CLI_DONE) code = run(&settings, &input, &options);
  cli_problem_free(&input);
  return cli_ranks_end(code);
}
