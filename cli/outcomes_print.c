#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"
#include "table.h"

enum { TITLE = 64 }; /* of a column */

static double share(uint64_t part, uint64_t whole) { return whole ? (double)part / (double)whole : 0; }

static uint64_t computed(const crd_outcome_set *set) { return set->samples - set->ended[CRD_OUTCOME_MISSING]; }

/* ------------------------------------------------------------------------------------------------ JSON */

static json_t *range_json(crd_outcome_range range) {
  json_t *list = json_array();
  json_array_append_new(list, cli_json_number(range.min));
  json_array_append_new(list, cli_json_number(range.max));
  return list;
}

static json_t *contacts_json(const crd_contact_problem *problem, const crd_outcome_set *set) {
  json_t *list = json_array();
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    json_t *object = json_pack("{s:s}", "name", contact->name), *tangents = json_array();
    for (int t = 0; t < contact->ntangent; t++)
      json_array_append_new(tangents, range_json(set->extent[contact->row + 1 + t]));
    json_object_set_new(object, "n", range_json(set->extent[contact->row]));
    json_object_set_new(object, "t", tangents);
    json_array_append_new(list, object);
  }
  return list;
}

/* Of the contact velocities, row by row as in the Delassus matrix. */
static json_t *statistics_json(const crd_contact_problem *problem, const crd_outcome_set *set) {
  crd_outcome_statistics s;
  crd_arena arena = {0};
  json_t *object = json_object(), *names = json_array();
  if (crd_outcome_statistics_of(problem, set, &s, &arena) == CRD_OK && s.count > 0) {
    for (int c = 0; c < problem->nc; c++)
      for (int k = 0; k <= problem->contact[c].ntangent; k++) {
        const char *tangent = problem->contact[c].ntangent == 1 ? "t" : k == 1 ? "t1" : "t2";
        json_array_append_new(names, json_sprintf("%s.%s", problem->contact[c].name, k == 0 ? "n" : tangent));
      }
    json_object_set(object, "rows", names);
    json_object_set_new(object, "mean", cli_json_vector(s.rows, s.mean));
    json_object_set_new(object, "levels", cli_json_vector(CRD_OUTCOME_LEVELS, crd_outcome_levels));
    json_object_set_new(object, "quantiles", cli_json_matrix(s.rows, CRD_OUTCOME_LEVELS, s.quantile));
    json_object_set_new(object, "covariance", cli_json_matrix(s.rows, s.rows, s.covariance));
  }
  json_decref(names);
  crd_arena_free(&arena);
  return object;
}

static void add_result(json_t *object, const outcomes_view *view, const outcomes_result *result) {
  const crd_outcome_set *set = &result->set;
  json_object_set_new(object, "status", json_string(crd_status_text(result->status)));
  if (result->status != CRD_OK) return;
  json_object_set_new(object, "samples", json_integer((json_int_t)computed(set)));
  json_object_set_new(object, "terminated", json_integer((json_int_t)set->ended[CRD_OUTCOME_DONE]));
  json_object_set_new(object, "lcps_per_sample", cli_json_number(share(set->total_lcps, computed(set))));
  json_object_set_new(object, "lcps_max", json_integer(set->max_lcps));
  json_object_set_new(object, "wall_s", cli_json_number(set->wall_s));
  json_object_set_new(object, "energy_ratio_max", cli_json_number(set->energy_ratio.max));
  json_object_set_new(object, "energy_ratio_min", cli_json_number(set->energy_ratio.min));
  json_object_set_new(object, "claim", json_string(crd_outcome_claim_name(set->claim)));
  json_object_set_new(object, "contacts", contacts_json(result->problem, set));
  json_object_set_new(object, "rest_fraction", cli_json_number(share(set->at_rest, set->ended[CRD_OUTCOME_DONE])));
  json_object_set_new(object, "statistics", statistics_json(result->problem, set));
  json_t *rejected = json_object();
  for (int e = CRD_OUTCOME_STEPS; e < CRD_OUTCOME_MISSING; e++)
    json_object_set_new(rejected, crd_outcome_end_name((crd_outcome_end)e), json_integer((json_int_t)set->ended[e]));
  json_object_set_new(object, "rejected", rejected);
  json_object_set_new(object, "theorems", outcomes_theorems_json(set));
  if (set->net.epsilon > 0) json_object_set_new(object, "net", outcomes_net_json(&set->net));
  json_object_set_new(object, "ambiguous_fraction", cli_json_number(share(set->ambiguous_lcps, set->total_lcps)));
  json_object_set_new(object, "ambiguity_proven", json_boolean(set->ambiguity_known));
  outcomes_shape_json(object, result->problem, &result->shape);
  const crd_outcome_options *o = &set->options;
  json_object_set_new(object, "h", cli_json_number(o->h));
  json_object_set_new(object, "steps", json_integer(o->steps));
  json_object_set_new(object, "seed", json_integer((json_int_t)o->seed));
  json_object_set_new(object, "facets", json_integer(o->facets));
  json_object_set_new(object, "pattern", json_string(crd_outcome_pattern_name(o->pattern)));
  json_object_set_new(object, "selection", json_string(crd_outcome_selection_name(o->selection)));
  json_object_set_new(object, "restitution", json_boolean(o->restitution));
  json_object_set_new(object, "modes", json_integer(set->modes));
  if (view->box)
    json_object_set_new(object, "box",
                        json_pack("{s:f, s:f, s:f, s:i}", "mu", view->box->mu, "e", view->box->e, "v", view->box->v,
                                  "draws", view->box->draws));
  json_object_set_new(object, "threads", json_integer(o->threads));
}

json_t *outcomes_json(const outcomes_view *view) {
  json_t *object = json_object();
  if (!view->parameter) {
    add_result(object, view, &view->result[0]);
    if (view->measured.v_plus)
      json_object_set_new(object, "measured", outcomes_measured_json(&view->measured, view->result[0].problem->nv));
    if (view->compliant) json_object_set_new(object, "compliant", outcomes_compliant_json(view->compliant));
    return object;
  }
  json_t *sets = json_array();
  for (int i = 0; i < view->count; i++) {
    json_t *one = json_object();
    json_object_set_new(one, "value", cli_json_number(view->result[i].value));
    add_result(one, view, &view->result[i]);
    json_array_append_new(sets, one);
  }
  json_object_set_new(object, "sweep", json_string(view->parameter));
  json_object_set_new(object, "sets", sets);
  return object;
}

/* ------------------------------------------------------------------------------------------------ text */

/* "min .. max"; what is within the tolerance of zero is zero. */
static void add_range(cli_table *table, crd_outcome_range range, double tolerance) {
  double min = fabs(range.min) <= tolerance ? 0 : range.min, max = fabs(range.max) <= tolerance ? 0 : range.max;
  cli_table_add(table, "%.6g .. %.6g", min, max);
}

static void print_contacts(FILE *file, const crd_contact_problem *problem, const crd_outcome_set *set) {
  static const char *const title[] = {"contact", "normal velocity (m/s)", "tangential", ""};
  cli_table table;
  cli_table_begin(&table, sizeof title / sizeof *title, title);
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    cli_table_add(&table, "%s", contact->name);
    for (int i = 0; i <= contact->ntangent; i++)
      add_range(&table, set->extent[contact->row + i], crd_outcome_rest_speed(problem, &set->options));
    for (int i = contact->ntangent; i < 2; i++) cli_table_add(&table, "%s", "");
  }
  fputc('\n', file);
  cli_table_print(file, &table, 0);
}

static void print_rejected(FILE *file, const crd_outcome_set *set) {
  if (set->ended[CRD_OUTCOME_STEPS])
    fprintf(file, "rejected: %llu samples still approach after %d steps (--steps)\n",
            (unsigned long long)set->ended[CRD_OUTCOME_STEPS], set->options.steps);
  if (set->ended[CRD_OUTCOME_UNSOLVED])
    fprintf(file, "rejected: %llu samples met a step that could not be solved\n",
            (unsigned long long)set->ended[CRD_OUTCOME_UNSOLVED]);
  if (set->ended[CRD_OUTCOME_MISSING])
    fprintf(file, "interrupted: %llu samples were not computed\n", (unsigned long long)set->ended[CRD_OUTCOME_MISSING]);
}

/* Does any contact have restitution that is not used? */
static bool leaves_restitution(const crd_contact_problem *problem, const crd_outcome_set *set) {
  bool any = false;
  for (int c = 0; c < problem->nc; c++) any = any || problem->contact[c].e > 0;
  return any && !set->options.restitution;
}

static void print_ambiguity(FILE *file, const crd_outcome_set *set) {
  static const char *const RULE[CRD_OUTCOME_SELECTIONS] = {"one of them is drawn", "one of them is drawn",
                                                           "Lemke's is taken",
                                                           "Lemke's with a random covering vector is taken"};
  double ambiguous = 100 * share(set->ambiguous_lcps, set->total_lcps);
  if (set->ambiguous_lcps)
    fprintf(file, "%.3g %% of the steps had several solutions%s: %s\n", ambiguous,
            set->ambiguity_known ? "" : " that we know of", RULE[set->options.selection]);
  else
    fprintf(file, set->ambiguity_known ? "every step had one solution\n" : "no step with several solutions was met\n");
}

static void print_one(FILE *file, const outcomes_view *view, const outcomes_result *result) {
  const crd_outcome_set *set = &result->set;
  const crd_contact_problem *problem = result->problem;
  const crd_outcome_options *o = &set->options;
  uint64_t done = set->ended[CRD_OUTCOME_DONE], all = computed(set);
  fprintf(file, "%s: %d contact%s, %d velocities; claim: %s\n", view->input->input, problem->nc,
          problem->nc == 1 ? "" : "s", problem->nv, crd_outcome_claim_name(set->claim));
  fprintf(file, "%llu samples, steps of at most h = %g N s, %s, seed %llu\n", (unsigned long long)all, o->h,
          crd_outcome_pattern_name(o->pattern), (unsigned long long)o->seed);
  if (view->box)
    fprintf(file, "%d problems drawn with mu +- %g, e +- %g, v +- %g\n", view->box->draws, view->box->mu, view->box->e,
            view->box->v);
  if (all && set->total_lcps == 0) fprintf(file, "no contact approaches: there is no impact\n");
  fprintf(file, "%.6g %% ended, after %.4g steps in the mean and %u at most; %.4g %% of these at rest\n",
          100 * share(done, all), share(set->total_lcps, all), set->max_lcps, 100 * share(set->at_rest, done));
  if (done) {
    double least = set->energy_ratio.min < 1e-12 ? 0 : set->energy_ratio.min; /* below is rounding */
    fprintf(file, "K+/K-  %.6g .. %.6g\n", least, set->energy_ratio.max);
  }
  if (set->options.restitution)
    fprintf(file, "with restitution; every step by Lemke's method\n");
  else
    print_ambiguity(file, set);
  if (leaves_restitution(problem, set))
    fprintf(file, "inelastic: the contacts' restitution is not used (--restitution uses it)\n");
  print_rejected(file, set);
  outcomes_theorems_print(file, set);
  outcomes_net_print(file, set);
  if (done) print_contacts(file, problem, set);
  fprintf(file, "\n");
  outcomes_shape_print(file, problem, &result->shape);
  if (view->measured.v_plus) outcomes_measured_print(file, &view->measured);
  if (view->compliant) outcomes_compliant_print(file, view->compliant);
  fprintf(file, "\n%.3g us a sample on %d thread%s, %.3g s in all\n", 1e6 * set->wall_s / (all ? (double)all : 1),
          o->threads, o->threads == 1 ? "" : "s", set->wall_s);
}

/* One row for each value. */
static void add_set(cli_table *table, const crd_contact_problem *problem, const outcomes_result *result) {
  enum { DIGITS = 4 };
  const crd_outcome_set *set = &result->set;
  const bool known = result->status == CRD_OK && set->ended[CRD_OUTCOME_DONE] > 0 && set->nc == problem->nc;
  const uint64_t done = set->ended[CRD_OUTCOME_DONE], all = computed(set);
  cli_table_add_number(table, result->value, 6, 0);
  cli_table_add_number(table, result->status ? NAN : 100 * share(done, all), DIGITS, 0);
  cli_table_add_number(table, result->status ? NAN : share(set->total_lcps, all), DIGITS, 0);
  cli_table_add_number(table, known ? 100 * share(set->at_rest, done) : NAN, DIGITS, 0); /* no outcome, no range */
  cli_table_add_number(table, known ? set->energy_ratio.max : NAN, 6, 0);
  for (int c = 0; c < problem->nc; c++)
    cli_table_add_number(table, known ? set->extent[problem->contact[c].row].max : NAN, DIGITS,
                         known ? crd_outcome_rest_speed(problem, &set->options) : 0);
  if (result->status != CRD_OK)
    cli_table_add_note(table, result->status == CRD_ERR_ARGUMENT ? "no contact" : crd_status_text(result->status));
}

static void print_sweep(FILE *file, const outcomes_view *view) {
  enum { FIXED = 5 };
  const crd_contact_problem *problem = view->input->problem;
  const int columns = FIXED + problem->nc;
  char *text = calloc((size_t)columns, TITLE);
  const char **title = calloc((size_t)columns, sizeof *title);
  cli_table table;
  fprintf(file, "%s: sets of outcomes over %s; normal velocities (m/s) up to\n", view->input->input, view->parameter);
  for (int i = 0; text && title && i < columns; i++) {
    static const char *const fixed[FIXED] = {"", "ended %", "steps", "rest %", "K+/K- max"};
    title[i] = text + i * TITLE;
    snprintf(text + i * TITLE, TITLE, ">%s",
             i == 0      ? view->parameter
             : i < FIXED ? fixed[i]
                         : problem->contact[i - FIXED].name);
  }
  if (text && title) {
    cli_table_begin(&table, columns, title);
    for (int i = 0; i < view->count; i++) add_set(&table, problem, &view->result[i]);
    cli_table_print(file, &table, 0);
  }
  free(text), free(title);
}

void outcomes_print_text(FILE *file, const outcomes_view *view) {
  if (view->parameter)
    print_sweep(file, view);
  else
    print_one(file, view, &view->result[0]);
}
