/* cradle fit: which law of impact, and which coefficients? Answered from measured impacts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "laws.h"
#include "outcomes.h"
#include "progress.h"

typedef struct fit_progress {
  cli_progress bar;
  int part, parts;
} fit_progress;

static bool on_progress(void *context, double share) {
  fit_progress *p = context;
  cli_progress_show(&p->bar, 100 * (p->part + share) / p->parts);
  return !cli_interrupted();
}

enum { COVERAGE_SAMPLES = 2048 };

/* The sets that the best law's coefficients predict, with the half widths of --coverage. */
static crd_status cover(const fit_view *view, const crd_fit_options *options, const crd_outcome_box *box,
                        fit_part *part) {
  for (int k = 0; k < part->result.nlaw; k++) {
    const crd_fit_law *law = &part->result.law[k];
    if (law->status != CRD_OK || law->rank != 1) continue;
    part->covered = true;
    return crd_fit_cover(view->data, part->group, law->value, box, COVERAGE_SAMPLES, options, &part->coverage);
  }
  return CRD_OK;
}

/* Fits all parts; those behind an interrupt stay empty. false: no memory. */
static bool fit_parts(fit_view *view, crd_fit_options *options, const crd_outcome_box *box, const crd_impact_law **law,
                      int nlaw) {
  fit_progress progress = {.parts = view->count};
  bool memory = true;
  cli_progress_begin(&progress.bar, "fit", "%", 100);
  options->progress = on_progress, options->context = &progress;
  for (int k = 0; k < view->count && memory; k++) {
    fit_part *part = &view->part[k];
    progress.part = k;
    part->status = CRD_STOPPED;
    if (cli_interrupted()) continue;
    part->status = crd_fit_run(view->data, part->group, law, nlaw, options, &part->result);
    memory = part->status != CRD_ERR_MEMORY;
  }
  for (int k = 0; box && k < view->count && memory && !cli_interrupted(); k++) {
    progress.part = k;
    crd_status status = cover(view, options, box, &view->part[k]);
    memory = status != CRD_ERR_MEMORY;
    if (status != CRD_OK) view->part[k].status = status;
  }
  options->progress = NULL, options->context = NULL;
  cli_progress_end(&progress.bar);
  return memory;
}

static int show(const fit_settings *settings, const fit_view *view) {
  cli_output output;
  bool done = true;
  int code = view->bad > 0 ? CLI_VERDICT : CLI_DONE;
  if (!cli_output_begin(&output)) return CLI_SYSTEM;
  if (settings->common.json)
    done = cli_json_print(output.file, fit_json(view));
  else
    fit_print_text(output.file, view);
  for (int k = 0; k < view->count; k++)
    if (view->part[k].status != CRD_OK) code = CLI_VERDICT;
  return cli_output_end(&output, settings->common.output, done ? code : CLI_SYSTEM);
}

static int fit_and_print(const fit_settings *settings, const char *input, crd_fit_options *options,
                         const crd_impact_law **law, int nlaw, const crd_fit_data *data, size_t rows, size_t bad) {
  crd_fit_look look = {0};
  crd_outcome_box box;
  if (settings->coverage && !outcomes_box_read("fit", "--coverage", settings->coverage, &box)) return CLI_BAD_INPUT;
  for (int i = 0; i < data->count; i++) {
    const int last = options->inertia[1] > options->offset ? options->inertia[1] : options->offset;
    if (last >= data->row[i].problem->nv)
      return cli_complain("fit", "--fit: found velocity %d, expected at most %d: row %zu has no more", last + 1,
                          data->row[i].problem->nv, data->row[i].number);
  }
  fit_view view = {
      .input = input, .settings = settings, .options = options, .data = data, .look = &look, .rows = rows, .bad = bad};
  view.count = settings->by_group ? data->ngroup : 1;
  view.part = calloc((size_t)view.count, sizeof *view.part);
  int code = view.part && crd_fit_look_at(data, &look) == CRD_OK ? CLI_DONE : CLI_SYSTEM;
  for (int k = 0; code == CLI_DONE && k < view.count; k++) view.part[k].group = settings->by_group ? k : -1;
  if (code == CLI_DONE && !fit_parts(&view, options, settings->coverage ? &box : NULL, law, nlaw)) code = CLI_SYSTEM;
  if (code == CLI_DONE && !settings->by_group && view.part[0].status == CRD_ERR_ARGUMENT)
    code = cli_complain("fit", "%s: found %d impacts, too few to fit and to judge by", input, data->count);
  if (code == CLI_DONE && picture_wanted(&settings->picture)) code = fit_picture_write(&settings->picture, &view);
  if (code == CLI_DONE) code = show(settings, &view);
  for (int k = 0; view.part && k < view.count; k++) {
    crd_fit_result_free(&view.part[k].result);
    crd_fit_coverage_free(&view.part[k].coverage);
  }
  free(view.part);
  crd_fit_look_free(&look);
  return code;
}

static const double DEFAULT_GAP = 1e-3; /* m: measured positions are not exact */

int cmd_fit(int argc, char **argv) {
  const char *name;
  const crd_fit_options defaults = crd_fit_default();
  fit_settings settings = {.common = cli_common_default(),
                           .law = "all",
                           .huber = defaults.huber,
                           .gap = DEFAULT_GAP,
                           .grid = (uint64_t)defaults.grid,
                           .resamples = (uint64_t)defaults.resamples,
                           .facets = (uint64_t)defaults.facets};
  enum { OWN = 15 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS];
  cli_common_options(&settings.common, table);
  const cli_option own[OWN] = {
      {"--law", "NAME,...", CLI_WORDS, &settings.law, 0, "the laws, separated by commas (default: all)",
       cli_law_names(true)},
      {"--model", "FILE", CLI_INPUT, &settings.model, 0,
       "INPUT is CSV or HDF5: rows of qpos, qvel before, qvel after, of this mechanism"},
      {"--gap", "X", CLI_NUMBER, &settings.gap, 0, "with --model: what is so near touches, m (1e-3)"},
      {"--fit", "e,mu,...", CLI_TEXT, &settings.fitted, 0,
       "what is fitted: e, mu, e_t, mu_static (beyond mu), slope (of e with speed), inertia:K (factor on the inertia "
       "of "
       "velocity K, from 1), offset:K (added to the normal's entry K); default e,mu"},
      {"--range", "P=A:B,...", CLI_TEXT, &settings.range, 0,
       "where to look (0 to 1; e_t from -1; slope -0.2 to 0.2 s/m; inertia 0.5 to 2; offset -0.01 to 0.01 m)"},
      {"--loss", "NAME", CLI_TEXT, &settings.loss, 0, "of the rows' errors: mean, squares or huber (default mean)"},
      {"--huber", "X", CLI_NUMBER, &settings.huber, 1e-12, "error from which Huber's loss is linear (0.1)"},
      {"--test", "odd|K", CLI_TEXT, &settings.test, 0,
       "odd: rows of odd number are not fitted, and judge; K: K parts, each of which judges what the others say"},
      {"--by-group", NULL, CLI_FLAG, &settings.by_group, 0, "coefficients of each group of rows"},
      {"--coverage", "mu=X,e=X,v=X", CLI_TEXT, &settings.coverage, 0,
       "how many measured outcomes lie in the sets of these half widths about the best law's coefficients"},
      {"--grid", "N", CLI_COUNT, &settings.grid, 2, "values of e and of mu to begin with (20)"},
      {"--resamples", "N", CLI_COUNT, &settings.resamples, 10, "of the bootstrap, for intervals (400)"},
      {"--facets", "K", CLI_COUNT, &settings.facets, 4, "facets of the friction cone of a spatial contact, even (8)"},
      {"--polygon", NULL, CLI_FLAG, &settings.polygon, 0, "polygons of friction instead of the round cone"},
      {"--allow", NULL, CLI_FLAG, &settings.allow, 0, "accept restitution outside 0 to 1 in the input"}};
  memcpy(table + CLI_COMMON_OPTIONS, own, sizeof own);
  picture_options(&settings.picture, table + CLI_COMMON_OPTIONS + OWN,
                  "write the errors over (mu, e), and measured against predicted, as a vector picture",
                  "the same as a PNG picture");
  const cli_syntax syntax = {"fit",
                             "INPUT",
                             "Finds the law of impact and its coefficients from measured impacts.",
                             NULL,
                             table,
                             CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS,
                             "drops.jsonl --law routh,poisson --test odd"};
  cli_parsed parsed = cli_parse(&syntax, argc, argv, &name);
  if (parsed != CLI_PARSED) return cli_parse_exit(parsed);
  if (!picture_possible(&settings.picture, "fit")) return CLI_BAD_INPUT;
  const crd_impact_law *law[CLI_MAX_LAWS];
  crd_fit_options options;
  const int nlaw = cli_choose_laws("fit", settings.law, law);
  if (nlaw < 0 || !fit_options_read(&settings, &options)) return CLI_BAD_INPUT;
  crd_fit_data data = {0};
  size_t rows, bad;
  int code = fit_read(&settings, name, &data, &rows, &bad);
  if (code == CLI_DONE) code = fit_and_print(&settings, name, &options, law, nlaw, &data, rows, bad);
  crd_fit_data_free(&data);
  return code;
}
