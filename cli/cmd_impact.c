/* cradle impact: the impact at a state or of a problem file, resolved by one law, several or all, side by side. */
#include <cradle/impact.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "impact_print.h"
#include "laws.h"
#include "page.h"
#include "progress.h"

typedef struct impact_options {
  cli_common common;
  const char *law, *order, *rate, *stiffness, *html;
  double exponent;
  picture_files picture;
  uint64_t facets, max_impacts, max_solutions;
  uint64_t event; /* of a trace, or CLI_NO_EVENT */
  bool round, allow;
} impact_options;

/* --order A,B,C as contact numbers; the count, or -1 after a message. */
static int read_order(const char *text, const crd_contact_problem *problem, int *order, int capacity) {
  int count = 0;
  for (const char *at = text; *at;) {
    size_t length = strcspn(at, ",");
    int found = -1;
    for (int c = 0; c < problem->nc; c++)
      if (strlen(problem->contact[c].name) == length && strncmp(problem->contact[c].name, at, length) == 0) found = c;
    if (found < 0 || count == capacity) {
      char name[64];
      snprintf(name, sizeof name, "%.*s", (int)length, at);
      cli_hint hint = cli_hint_begin(name);
      for (int c = 0; c < problem->nc; c++) cli_hint_add(&hint, problem->contact[c].name);
      cli_complain("impact", "--order: found '%.*s', expected names of contacts separated by commas%s", (int)length, at,
                   hint.text);
      return -1;
    }
    order[count++] = found;
    at += length + (at[length] == ',');
  }
  return count;
}

/* --rate "1 2 0.5": one positive number per contact; false after a message. */
static bool read_per_contact(const char *option, const char *text, const crd_contact_problem *problem, double *rate) {
  const char *at = text;
  for (int c = 0; c < problem->nc; c++) {
    char *end;
    rate[c] = strtod(at, &end);
    if (end == at || !(rate[c] > 0) || !isfinite(rate[c])) {
      cli_complain("impact", "%s: found '%s', expected %d positive numbers", option, text, problem->nc);
      return false;
    }
    at = end;
  }
  if (strspn(at, " ,") == strlen(at)) return true;
  cli_complain("impact", "%s: found '%s', expected %d positive numbers", option, text, problem->nc);
  return false;
}

/* Exit code of a set of results: a law that does not apply is bad usage only where it was asked for by name. */
static int exit_code(const impact_view *view, bool by_name) {
  int code = CLI_DONE;
  for (int i = 0; i < view->count; i++) {
    crd_status status = view->result[i].status;
    if (status == CRD_OK || (status == CRD_ERR_ARGUMENT && !by_name)) continue;
    int own = cli_exit_code(status);
    if (own > code) code = own;
  }
  return code;
}

static int write_page(const char *path, const impact_view *view) {
  cli_page page = {0};
  cli_page_add(&page, "impact", impact_json(view));
  cli_page_add_scene(&page, view->input);
  return cli_page_write(&page, path, "impact");
}

/* Law by law; those that an interrupt leaves over are listed as not computed. */
static void resolve_all(const crd_contact_problem *problem, const crd_impact_options *options,
                        const crd_impact_law **law, int nlaw, crd_impact_result *result) {
  for (int i = 0; i < nlaw; i++) {
    cli_doing("impact by %s, law %d of %d", law[i]->name, i + 1, nlaw);
    if (!cli_interrupted()) crd_impact_resolve(law[i], problem, options, &result[i]);
    crd_impact_result_trim(&result[i], problem); /* all laws at once would need what they compute with at once */
    if (!*cli_interrupt_text()) continue;
    crd_impact_result_free(&result[i]);
    result[i].status = CRD_LIMIT;
    const char **why = crd_arena_alloc(&result[i].arena, 1, sizeof *why);
    if (why) *why = cli_interrupt_text(), result[i].note = why, result[i].nnote = 1;
  }
}

/* Options of the laws that do not depend on the contacts. */
static crd_impact_options law_options(const impact_options *options) {
  crd_impact_options impact = crd_impact_default();
  impact.facets = (int)options->facets, impact.round_cone = options->round;
  impact.max_impacts = (int)options->max_impacts, impact.max_solutions = (int)options->max_solutions;
  impact.exponent = options->exponent;
  return impact;
}

/* Many problems: what speaks of the contacts or of a picture of one is refused. */
static int resolve_many(const impact_options *options, const char *name, const crd_impact_law **law, int nlaw) {
  const char *found = options->order                      ? "--order"
                      : options->rate                     ? "--rate"
                      : options->stiffness                ? "--stiffness"
                      : options->html                     ? "--html"
                      : picture_wanted(&options->picture) ? "--svg or --png"
                                                          : NULL;
  if (found)
    return cli_complain("impact", "%s: found it with '%s', expected a single problem: that is many", found, name);
  const crd_impact_options impact = law_options(options);
  return impact_batch_run(name, &options->common, options->allow, law, nlaw, &impact);
}

/* The options with one entry for each contact, into order, rate and stiffness (problem->nc + 1), to which impact points. */
static int read_contact_options(const impact_options *options, const crd_contact_problem *problem, int *order,
                                double *rate, double *stiffness, crd_impact_options *impact) {
  if (options->order) {
    impact->order = order;
    impact->norder = read_order(options->order, problem, order, problem->nc + 1);
    if (impact->norder < 0) return CLI_BAD_INPUT;
  }
  if (options->rate) {
    impact->rate = rate;
    if (!read_per_contact("--rate", options->rate, problem, rate)) return CLI_BAD_INPUT;
  }
  if (options->stiffness) {
    impact->stiffness = stiffness;
    if (!read_per_contact("--stiffness", options->stiffness, problem, stiffness)) return CLI_BAD_INPUT;
  }
  return CLI_DONE;
}

static int resolve_and_print(const impact_options *options, const cli_problem *input, const crd_impact_law **law,
                             int nlaw) {
  const crd_contact_problem *problem = input->problem;
  crd_impact_options impact = law_options(options);
  int code = CLI_DONE, capacity = problem->nc + 1;
  int *order = calloc((size_t)capacity, sizeof *order);
  double *rate = calloc((size_t)capacity, sizeof *rate), *stiffness = calloc((size_t)capacity, sizeof *stiffness);
  crd_impact_result *result = calloc((size_t)nlaw, sizeof *result);
  cli_output output;
  if (!order || !rate || !stiffness || !result) code = CLI_SYSTEM;
  if (code == CLI_DONE) code = read_contact_options(options, problem, order, rate, stiffness, &impact);
  if (code == CLI_DONE && !cli_output_begin(&output)) code = CLI_SYSTEM;
  if (code == CLI_DONE) {
    resolve_all(problem, &impact, law, nlaw, result);
    const impact_view view = {.input = input, .law = law, .result = result, .count = nlaw, .options = &impact};
    bool done = true;
    if (options->common.json)
      done = cli_json_print(output.file, impact_json(&view));
    else
      impact_print_text(output.file, &view), cli_output_fit(&output);
    code = done ? exit_code(&view, strcmp(options->law, "all") != 0) : CLI_SYSTEM;
    int page = options->html && code != CLI_SYSTEM ? write_page(options->html, &view) : CLI_DONE;
    if (page == CLI_DONE && code != CLI_SYSTEM && picture_wanted(&options->picture))
      page = impact_picture_write(&options->picture, &view);
    if (page != CLI_DONE) code = page;
    code = cli_output_end(&output, options->common.output, code);
  }
  for (int i = 0; result && i < nlaw; i++) crd_impact_result_free(&result[i]);
  free(order), free(rate), free(stiffness), free(result);
  return code;
}

int cmd_impact(int argc, char **argv) {
  const char *name;
  const crd_impact_options defaults = crd_impact_default();
  impact_options options = {.common = cli_common_default(),
                            .law = "all",
                            .event = CLI_NO_EVENT,
                            .exponent = defaults.exponent,
                            .facets = (uint64_t)defaults.facets,
                            .max_impacts = (uint64_t)defaults.max_impacts,
                            .max_solutions = (uint64_t)defaults.max_solutions};
  enum { OWN = 12 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS];
  cli_common_options(&options.common, table);
  const cli_option own[OWN] = {
      {"--law", "NAME,...", CLI_WORDS, &options.law, 0, "the laws, separated by commas (default: all)",
       cli_law_names(true)},
      {"--facets", "K", CLI_COUNT, &options.facets, 4,
       "facets of the friction cone of a spatial contact, even (default 8)"},
      {"--round", NULL, CLI_FLAG, &options.round, 0,
       "refine the answer to the round friction cone, as `run` does (default: keep the facets' answer)"},
      {"--order", "A,B,...", CLI_TEXT, &options.order, 0,
       "sequential: contacts in the order to be struck (default: all orders)"},
      {"--rate", "\"...\"", CLI_TEXT, &options.rate, 0,
       "routh, wang-mason: relative rate of normal impulse of each contact (default: equal)"},
      {"--stiffness", "\"...\"", CLI_TEXT, &options.stiffness, 0,
       "lzb: relative stiffness of each contact (default: equal)"},
      {"--exponent", "ETA", CLI_NUMBER, &options.exponent, 0.01,
       "lzb: exponent of the contact force over the indentation (default 1.5)"},
      {"--event", "K", CLI_COUNT, &options.event, 0,
       "INPUT is a trace (run -o FILE.h5): the state before its event K, an impact; the first one is 0"},
      {"--html", "FILE", CLI_OUTPUT, &options.html, 0, "write a page with the laws side by side"},
      {"--max-impacts", "N", CLI_COUNT, &options.max_impacts, 1,
       "sequential: single impacts before giving up (default 100)"},
      {"--max-solutions", "N", CLI_COUNT, &options.max_solutions, 1, "answers listed, orders tried (default 64)"},
      {"--allow", NULL, CLI_FLAG, &options.allow, 0, "accept restitution outside 0 to 1"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  picture_options(&options.picture, table + CLI_COMMON_OPTIONS + OWN, "write the laws side by side as a vector picture",
                  "the same as a PNG picture");
  const cli_syntax syntax = {"impact",
                             "INPUT",
                             "Resolves the impact at the state by one law, several, or all of them side by side.",
                             NULL,
                             table,
                             CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS,
                             "@compass-gait --law newton,moreau,sequential"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &name);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!picture_possible(&options.picture, "impact")) return CLI_BAD_INPUT;
  if (options.facets % 2 || options.facets > 256)
    return cli_complain("impact", "--facets: found %llu, expected an even number from 4 to 256",
                        (unsigned long long)options.facets);
  if (options.max_impacts > 1000000 || options.max_solutions > 1000000)
    return cli_complain("impact", "--max-impacts, --max-solutions: expected at most 1000000");

  const crd_impact_law *law[CLI_MAX_LAWS];
  int nlaw = cli_choose_laws("impact", options.law, law);
  if (nlaw < 0) return CLI_BAD_INPUT;
  if (options.event == CLI_NO_EVENT && cli_is_batch(name)) return resolve_many(&options, name, law, nlaw);
  cli_problem input;
  int code = options.event != CLI_NO_EVENT
                 ? cli_problem_read_event(&input, "impact", name, &options.common, options.event, options.allow)
                 : cli_problem_read(&input, "impact", name, &options.common, options.allow);
  if (code == CLI_DONE) code = resolve_and_print(&options, &input, law, nlaw);
  cli_problem_free(&input);
  return code;
}
