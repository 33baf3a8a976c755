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

/* The velocities of inertia and offset have to be there in all rows. */
static bool fits_rows(const crd_fit_options *options, const crd_fit_data *data) {
  const int last = options->inertia[1] > options->offset ? options->inertia[1] : options->offset;
  for (int i = 0; i < data->count && last >= 0; i++)
    if (last >= data->row[i].problem->nv)
      return cli_complain("fit", "--fit: found velocity %d, expected at most %d: row %zu has no more", last + 1,
                          data->row[i].problem->nv, data->row[i].number),
             false;
  return true;
}

/* Parts, fitted and written. */
static int run_parts(fit_view *view, crd_fit_options *options, const crd_impact_law **law, int nlaw) {
  const fit_settings *settings = view->settings;
  crd_outcome_box box;
  if (settings->coverage && !outcomes_box_read("fit", "--coverage", settings->coverage, &box)) return CLI_BAD_INPUT;
  for (int k = 0; k < view->count; k++) view->part[k].group = settings->by_group ? k : -1;
  if (!fit_parts(view, options, settings->coverage ? &box : NULL, law, nlaw)) return CLI_SYSTEM;
  if (!settings->by_group && view->part[0].status == CRD_ERR_ARGUMENT)
    return cli_complain("fit", "%s: found %d %s, too few to fit and to judge by", view->input, view->data->count,
                        settings->trajectories ? "motions" : "impacts");
  int code = picture_wanted(&settings->picture) ? fit_picture_write(&settings->picture, view) : CLI_DONE;
  if (code == CLI_DONE && settings->html) code = fit_page_write(settings->html, view);
  return code == CLI_DONE ? show(settings, view) : code;
}

static int fit_and_print(const fit_settings *settings, const char *name, crd_fit_options *options,
                         const crd_impact_law **law, int nlaw, const fit_input *read) {
  const crd_fit_data *data = &read->data;
  crd_fit_look look = {0};
  crd_fit_toss_look toss_look = {0};
  fit_view view = {.input = name,
                   .settings = settings,
                   .options = options,
                   .data = data,
                   .mechanism = read->mechanism.model ? &read->mechanism : NULL,
                   .qpos = read->qpos,
                   .rows = read->rows,
                   .bad = read->bad,
                   .count = settings->by_group ? data->ngroup : 1};
  if (settings->trajectories)
    view.toss_look = &toss_look;
  else
    view.look = &look;
  if (!fits_rows(options, data)) return CLI_BAD_INPUT;
  view.part = calloc((size_t)view.count, sizeof *view.part);
  const crd_status looked = view.toss_look ? crd_fit_look_at_tosses(data, &toss_look) : crd_fit_look_at(data, &look);
  int code = view.part && looked == CRD_OK ? run_parts(&view, options, law, nlaw) : CLI_SYSTEM;
  for (int k = 0; view.part && k < view.count; k++) {
    crd_fit_result_free(&view.part[k].result);
    crd_fit_coverage_free(&view.part[k].coverage);
  }
  free(view.part);
  crd_fit_look_free(&look), crd_fit_toss_look_free(&toss_look);
  return code;
}

/* Options for motions only, and options not for motions. */
static bool settings_fit(const fit_settings *s, const crd_fit_options *options) {
  if (s->trajectories && !s->model)
    return cli_complain("fit", "--trajectories: found no --model, expected the mechanism that moves"), false;
  if (s->trajectories && s->coverage)
    return cli_complain("fit", "--coverage: found it with --trajectories, expected impacts"), false;
  if (s->trajectories && options->fitted & ~(1u << CRD_FIT_E | 1u << CRD_FIT_MU))
    return cli_complain("fit", "--fit: found other coefficients than e and mu with --trajectories"), false;
  if (!s->trajectories && (!isnan(s->dt) || !isnan(s->piece)))
    return cli_complain("fit", "--dt, --piece: found no --trajectories, expected motions"), false;
  return true;
}

static const double DEFAULT_GAP = 1e-3; /* m: measured positions are not exact */
enum { TOSS_GRID = 8 };                 /* simulations cost a thousand times as much as impacts */

int cmd_fit(int argc, char **argv) {
  const char *name;
  const crd_fit_options defaults = crd_fit_default();
  fit_settings settings = {.common = cli_common_default(),
                           .law = "all",
                           .huber = defaults.huber,
                           .gap = DEFAULT_GAP,
                           .dt = NAN,
                           .piece = NAN,
                           .resamples = (uint64_t)defaults.resamples,
                           .facets = (uint64_t)defaults.facets};
  enum { OWN = 19 };
  cli_option table[CLI_COMMON_OPTIONS + OWN + PICTURE_OPTIONS];
  cli_common_options(&settings.common, table);
  const cli_option own[OWN] = {
      {"--law", "NAME,...", CLI_WORDS, &settings.law, 0, "the laws, separated by commas (default: all)",
       cli_law_names(true)},
      {"--model", "FILE", CLI_INPUT, &settings.model, 0,
       "INPUT is CSV or HDF5: rows of qpos, qvel before, qvel after, of this mechanism"},
      {"--trajectories", NULL, CLI_FLAG, &settings.trajectories, 0,
       "with --model: INPUT is CSV or HDF5 of whole motions, t, qpos and perhaps qvel in a row, compared by "
       "simulation"},
      {"--dt", "X", CLI_NUMBER, &settings.dt, 1e-12, "with --trajectories: step of the simulation, s (the model's)"},
      {"--piece", "X", CLI_NUMBER, &settings.piece, 1e-12,
       "with --trajectories: compare pieces of so many seconds, each from its measured start (default: whole)"},
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
      {"--grid", "N", CLI_COUNT, &settings.grid, 2, "values of e and of mu to begin with (20; with --trajectories 8)"},
      {"--resamples", "N", CLI_COUNT, &settings.resamples, 10, "of the bootstrap, for intervals (400)"},
      {"--facets", "K", CLI_COUNT, &settings.facets, 4, "facets of the friction cone of a spatial contact, even (8)"},
      {"--html", "FILE", CLI_OUTPUT, &settings.html, 0,
       "write a page: point at an impact, see its motion and all laws"},
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
  if (settings.grid == 0) settings.grid = settings.trajectories ? TOSS_GRID : (uint64_t)defaults.grid;
  const crd_impact_law *law[CLI_MAX_LAWS];
  crd_fit_options options;
  const int nlaw = cli_choose_laws("fit", settings.law, law);
  if (nlaw < 0 || !fit_options_read(&settings, &options) || !settings_fit(&settings, &options)) return CLI_BAD_INPUT;
  fit_input read = {0};
  int code = fit_read(&settings, name, &read);
  if (code == CLI_DONE) code = fit_and_print(&settings, name, &options, law, nlaw, &read);
  fit_input_free(&read);
  return code;
}
