/* Results of `cradle fit`: laws first, then the findings without a law. */
#include <math.h>
#include <string.h>

#include "fit.h"

enum { SHOWN_OUTLIERS = 8 };

/* ------------------------------------------------------------------------------------------------ text */

static bool is_fitted(const fit_view *view, int p) { return view->options->fitted & 1u << p; }

static bool is_open_below(const fit_view *view, const crd_fit_law *law, int p) {
  return law->flat_low[p] <= view->options->low[p];
}

static bool is_open_above(const fit_view *view, const crd_fit_law *law, int p) {
  return law->flat_high[p] >= view->options->high[p];
}

/* The bound of an undetermined coefficient: where every contact sticks, mu has a lower bound. */
static void at_least_or_most(const fit_view *view, const crd_fit_law *law, int p, char *text, size_t size) {
  const bool below = is_open_below(view, law, p), above = is_open_above(view, law, p);
  if (below == above)
    snprintf(text, size, "not determined");
  else if (above)
    snprintf(text, size, ">= %.3g", law->flat_low[p]);
  else
    snprintf(text, size, "<= %.3g", law->flat_high[p]);
}

static void print_interval(FILE *file, const fit_view *view, const crd_fit_law *law, int p) {
  char text[64];
  if (law->flat[p])
    at_least_or_most(view, law, p, text, sizeof text);
  else if (isnan(law->low[p]))
    snprintf(text, sizeof text, "%.4f (too few rows)", law->value[p]);
  else
    snprintf(text, sizeof text, "%.4f [%.4f, %.4f]", law->value[p], law->low[p], law->high[p]);
  fprintf(file, " | %-25s", text);
}

/* The laws by rank, then those without an answer. */
static const crd_fit_law *ranked(const crd_fit_result *result, int place, int *unranked) {
  for (int k = 0; k < result->nlaw; k++)
    if (result->law[k].status == CRD_OK && result->law[k].rank == place) return &result->law[k];
  for (; *unranked < result->nlaw; ++*unranked)
    if (result->law[*unranked].status != CRD_OK) return &result->law[(*unranked)++];
  return NULL;
}

static void print_group(FILE *file, const fit_view *view, const fit_part *part) {
  const char *name = part->group < 0 ? "" : view->data->group[part->group];
  if (*name)
    fprintf(file, "group %s", name);
  else
    fprintf(file, "rows without a group");
}

static void print_laws(FILE *file, const fit_view *view, const fit_part *part) {
  const crd_fit_result *result = &part->result;
  const bool tested = view->options->folds > 0;
  if (part->group >= 0)
    fprintf(file, "\n"), print_group(file, view, part), fprintf(file, ": %d rows\n", result->fitted + result->unseen);
  fprintf(file, "%4s %-15s", "rank", "law");
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++)
    if (is_fitted(view, p)) fprintf(file, " | %-25s", crd_fit_parameter_name((crd_fit_parameter)p));
  fprintf(file, " | %8s | %8s | %s\n", "error", tested ? "unseen" : "", "more than the best");
  int unranked = 0;
  for (int place = 1; place <= result->nlaw; place++) {
    const crd_fit_law *law = ranked(result, place, &unranked);
    if (!law) break;
    if (law->status != CRD_OK) {
      fprintf(file, "%4s %-15s | %s\n", "-", law->law->name, crd_status_text(law->status));
      continue;
    }
    fprintf(file, "%4d %-15s", law->rank, law->law->name);
    for (int p = 0; p < CRD_FIT_PARAMETERS; p++)
      if (is_fitted(view, p)) print_interval(file, view, law, p);
    fprintf(file, " | %8.4f", law->loss);
    if (tested)
      fprintf(file, " | %8.4f", law->test);
    else
      fprintf(file, " | %8s", "");
    if (law->rank > 1 && isnan(law->behind_low)) fprintf(file, " | %.4f (too few rows)", law->behind);
    if (law->rank > 1 && !isnan(law->behind_low))
      fprintf(file, " | %.4f [%.4f, %.4f]", law->behind, law->behind_low, law->behind_high);
    fprintf(file, "\n");
  }
}

/* Where an interval ends with the range, the coefficient may be beyond: e is 0 to 1, e_t -1 to 1, friction no less than 0. */
static void print_ends(FILE *file, const fit_view *view, const crd_fit_law *law, int p) {
  static const double least[] = {0, 0, -1, 0, -INFINITY, 0, -INFINITY},
                      most[] = {1, INFINITY, 1, INFINITY, INFINITY, INFINITY, INFINITY};
  const double low = view->options->low[p], high = view->options->high[p];
  const bool less = (law->low[p] <= low || law->value[p] <= low) && low > least[p];
  const bool more = (law->high[p] >= high || law->value[p] >= high) && high < most[p];
  if (is_fitted(view, p) && (less || more))
    fprintf(file, "  %s: %s may be %s than %g, the end of the range where it is looked for (--range)\n", law->law->name,
            crd_fit_parameter_name((crd_fit_parameter)p), less ? "less" : "more", less ? low : high);
}

/* Questions that these data do not decide. */
static void print_valleys(FILE *file, const fit_view *view, const fit_part *part) {
  for (int k = 0; k < part->result.nlaw; k++) {
    const crd_fit_law *law = &part->result.law[k];
    if (law->status != CRD_OK) continue;
    for (int p = 0; p < CRD_FIT_PARAMETERS; p++)
      if (law->flat[p])
        fprintf(file, "  %s: %s is not determined: every value from %.3g to %.3g fits as well%s\n", law->law->name,
                crd_fit_parameter_name((crd_fit_parameter)p), law->flat_low[p], law->flat_high[p],
                p > CRD_FIT_MU ? ", the others as they are" : "");
      else
        print_ends(file, view, law, p);
    if (fabs(law->correlation) > 0.95)
      fprintf(file,
              "  %s: e and mu are tied to each other (correlation %.2f): one of them measured otherwise would tell the "
              "other\n",
              law->law->name, law->correlation);
    if (law->unanswered > 0) fprintf(file, "  %s: %d rows have no answer\n", law->law->name, law->unanswered);
  }
}

static void print_coverage(FILE *file, const fit_view *view, const fit_part *part) {
  const crd_fit_coverage *c = &part->coverage;
  if (!part->covered) return;
  fprintf(file, "  sets of outcomes (--coverage %s): %d of %d measured ones lie inside, %.1f %% [%.1f, %.1f]",
          view->settings->coverage, c->inside, c->rows - c->undecided, 100 * c->share, 100 * c->low, 100 * c->high);
  if (c->undecided > 0) fprintf(file, ", %d rows without a set", c->undecided);
  if (c->inside < c->rows - c->undecided)
    fprintf(file, "; median distance of the others %.3g m/s", c->outside[CRD_FIT_QUANTILES / 2]);
  fprintf(file, "\n");
}

static void print_warnings(FILE *file, const fit_view *view) {
  const crd_fit_look *look = view->look;
  if (look->turned_row >= 0)
    fprintf(file,
            "  WARNING: row %d of J has the sign of its entry %d turned, it seems: with it turned back %.3g of the "
            "change of momentum "
            "stay unexplained instead of %.3g, and R^2 of momentum %d is %.2f instead of %.2f\n",
            look->turned_row + 1, look->turned_velocity + 1, look->turned_unexplained, look->unexplained,
            look->turned_velocity + 1, look->turned_balance, look->balance[look->turned_velocity]);
  if (look->wrong_inertia >= 0)
    fprintf(file,
            "  WARNING: the inertia of velocity %d is wrong, it seems: multiplied by %.4f +- %.4f it leaves %.3g of "
            "the change of "
            "momentum unexplained instead of %.3g\n",
            look->wrong_inertia + 1, look->inertia[look->wrong_inertia], look->inertia_error[look->wrong_inertia],
            look->wrong_unexplained, look->unexplained);
  if (look->repeats > 0)
    fprintf(
        file,
        "  WARNING: %d rows say what an earlier one says to the last digit (row %zu is row %zu again): intervals take "
        "them for measurements of their own\n",
        look->repeats, view->data->row[look->repeated[1]].number, view->data->row[look->repeated[0]].number);
  if (look->noutlier == 0) return;
  fprintf(file, "  WARNING: %d rows of %d (%.1f %%) are outliers; the farthest, in robust standard deviations:\n",
          look->noutlier, look->rows, 100.0 * look->noutlier / look->rows);
  for (int k = 0; k < look->noutlier && k < SHOWN_OUTLIERS; k++)
    fprintf(file, "    row %zu: %.3g, %s\n", view->data->row[look->outlier[k]].number, look->outlier_size[k],
            look->outlier_why[k]);
}

static void print_impact_look(FILE *file, const fit_view *view) {
  const crd_fit_look *look = view->look;
  print_warnings(file, view);
  fprintf(file, "  %.3g of the change of momentum is explained by no impulse at the contacts\n", look->unexplained);
  fprintf(file, "  %-10s %12s %24s\n", "momentum", "R^2", "factor of its inertia");
  for (int k = 0; k < look->nv; k++) {
    fprintf(file, "  %-10d", k + 1);
    if (isnan(look->balance[k]))
      fprintf(file, " %12s", "-");
    else
      fprintf(file, " %12.4g", look->balance[k]);
    if (isnan(look->inertia[k]))
      fprintf(file, " %24s\n", "not determined");
    else
      fprintf(file, " %14.4g +- %.2g\n", look->inertia[k], look->inertia_error[k]);
  }
  fprintf(file, "  %-28s %9s %9s %9s %9s %9s\n", "quantiles", "5 %", "25 %", "50 %", "75 %", "95 %");
  fprintf(file, "  %-28s", "-u_n+ / u_n- (rebound)");
  for (int k = 0; k < CRD_FIT_QUANTILES; k++) fprintf(file, " %9.4f", look->restitution[k]);
  fprintf(file, "\n  %-28s", "|p_t| / p_n");
  for (int k = 0; k < CRD_FIT_QUANTILES && !isnan(look->ratio[0]); k++) fprintf(file, " %9.4f", look->ratio[k]);
  if (isnan(look->ratio[0])) fprintf(file, " not determined");
  if (look->undetermined > 0)
    fprintf(file, "\n  of %d rows the velocities do not determine the impulses: p_n and p_t of these are not looked at",
            look->undetermined);
  fprintf(file, "\n  %d rows pull (p_n < 0), %d gain kinetic energy", look->tension, look->gains);
  if (look->gains > 0)
    fprintf(file, " (row %zu by a factor %.4g)", view->data->row[look->gain_row].number, look->gain_max);
  fprintf(file, "\n");
}

static const double RATE_OFF = 0.1,
                    RATE_LOOSE = 0.8; /* slope from 1, correlation: from where velocities are suspected */

static void print_toss_look(FILE *file, const fit_view *view) {
  const crd_fit_toss_look *look = view->toss_look;
  for (int k = 0; k < look->nv; k++)
    if (fabs(look->slope[k] - 1) > RATE_OFF || look->correlation[k] < RATE_LOOSE)
      fprintf(
          file,
          "  WARNING: qvel[%d] is not the rate of the positions, it seems: these move %.3g times as fast (correlation "
          "%.2f). Angular velocities are about the body's own axes\n",
          k, look->slope[k], look->correlation[k]);
  fprintf(file, "  %ld samples over %.4g s\n", look->samples, look->duration);
  fprintf(file, "  %-10s %22s %12s\n", "velocity", "rate of the positions", "correlation");
  for (int k = 0; k < look->nv; k++) {
    if (isnan(look->slope[k]))
      fprintf(file, "  %-10d %22s %12s\n", k, "not stated", "-");
    else
      fprintf(file, "  %-10d %22.4g %12.4f\n", k, look->slope[k], look->correlation[k]);
  }
  if (look->gain_row >= 0)
    fprintf(file, "  energy rises above its start by %.3g of the largest kinetic energy at most (row %zu)\n",
            look->gain_max, view->data->row[look->gain_row].number);
}

void fit_print_look(FILE *file, const fit_view *view) {
  if (view->toss_look)
    print_toss_look(file, view);
  else
    print_impact_look(file, view);
}

void fit_print_text(FILE *file, const fit_view *view) {
  fprintf(file, "%s: %d %s", view->input, view->data->count, view->toss_look ? "motions" : "impacts");
  if (view->bad > 0) fprintf(file, ", %zu bad rows left out", view->bad);
  if (view->count == 1 && view->part[0].result.unseen > 0)
    fprintf(file, "; %d fitted, %d unseen", view->part[0].result.fitted, view->part[0].result.unseen);
  fprintf(file, "\n\n");
  for (int k = 0; k < view->count; k++) {
    if (view->part[k].result.nlaw > 0)
      print_laws(file, view, &view->part[k]), print_valleys(file, view, &view->part[k]),
          print_coverage(file, view, &view->part[k]);
    else
      print_group(file, view, &view->part[k]), fprintf(file, ": too few rows to fit\n");
  }
  fprintf(file, "\nwithout a law\n");
  fit_print_look(file, view);
}

/* ------------------------------------------------------------------------------------------------ JSON */

static void put(json_t *object, const char *key, double value) {
  json_object_set_new(object, key, cli_json_number(value));
}

static json_t *law_json(const fit_view *view, const fit_part *part, const crd_fit_law *law) {
  json_t *object = json_pack("{s:s, s:s}", "law", law->law->name, "status", crd_status_text(law->status));
  if (law->status != CRD_OK) return object;
  const crd_fit_result *result = &part->result;
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++) {
    json_t *value = json_object();
    put(value, "value", law->value[p]);
    if (is_fitted(view, p)) put(value, "low", law->low[p]), put(value, "high", law->high[p]);
    json_object_set_new(value, "fitted", json_boolean(is_fitted(view, p)));
    if (is_fitted(view, p)) {
      json_object_set_new(value, "determined", json_boolean(!law->flat[p]));
      json_object_set_new(value, "as_well",
                          json_pack("[o, o]", cli_json_number(law->flat_low[p]), cli_json_number(law->flat_high[p])));
    }
    json_object_set_new(object, crd_fit_parameter_name((crd_fit_parameter)p), value);
  }
  json_object_set_new(object, "rank", json_integer(law->rank));
  put(object, "error", law->loss), put(object, "test", law->test), put(object, "correlation", law->correlation);
  put(object, "behind", law->behind), put(object, "behind_low", law->behind_low),
      put(object, "behind_high", law->behind_high);
  json_object_set_new(object, "unanswered", json_integer(law->unanswered));
  json_object_set_new(object, "errors", cli_json_vector(result->fitted + result->unseen, law->error));
  if (view->look)
    json_object_set_new(object, "v_plus",
                        cli_json_matrix(result->fitted + result->unseen, result->widest, law->v_plus));
  json_object_set_new(object, "surface", cli_json_matrix(result->ne, result->nmu, law->surface));
  return object;
}

static json_t *part_json(const fit_view *view, const fit_part *part) {
  const crd_fit_result *result = &part->result;
  json_t *object = json_object(), *laws = json_array();
  json_object_set_new(object, "group", part->group < 0 ? json_null() : json_string(view->data->group[part->group]));
  json_object_set_new(object, "status", json_string(crd_status_text(part->status)));
  json_object_set_new(object, "fitted", json_integer(result->fitted));
  json_object_set_new(object, "unseen", json_integer(result->unseen));
  if (result->nlaw > 0) json_object_set_new(object, "e", cli_json_vector(result->ne, result->e));
  if (result->nlaw > 0) json_object_set_new(object, "mu", cli_json_vector(result->nmu, result->mu));
  for (int k = 0; k < result->nlaw; k++) json_array_append_new(laws, law_json(view, part, &result->law[k]));
  json_object_set_new(object, "laws", laws);
  if (!part->covered) return object;
  const crd_fit_coverage *c = &part->coverage;
  json_t *coverage = json_pack("{s:i, s:i, s:i}", "rows", c->rows, "inside", c->inside, "undecided", c->undecided);
  put(coverage, "share", c->share), put(coverage, "low", c->low), put(coverage, "high", c->high);
  json_object_set_new(coverage, "outside", cli_json_vector(CRD_FIT_QUANTILES, c->outside));
  json_object_set_new(coverage, "distance", cli_json_vector(c->rows, c->distance));
  json_object_set_new(object, "coverage", coverage);
  return object;
}

static json_t *look_json(const fit_view *view) {
  const crd_fit_look *look = view->look;
  json_t *object = json_object(), *outliers = json_array();
  put(object, "unexplained", look->unexplained);
  json_object_set_new(object, "balance", cli_json_vector(look->nv, look->balance));
  json_object_set_new(object, "inertia", cli_json_vector(look->nv, look->inertia));
  json_object_set_new(object, "inertia_error", cli_json_vector(look->nv, look->inertia_error));
  if (look->turned_row >= 0)
    json_object_set_new(object, "turned",
                        json_pack("{s:i, s:i, s:f, s:f}", "row", look->turned_row, "velocity", look->turned_velocity,
                                  "unexplained", look->turned_unexplained, "balance", look->turned_balance));
  if (look->wrong_inertia >= 0)
    json_object_set_new(object, "wrong_inertia",
                        json_pack("{s:i, s:f, s:f}", "velocity", look->wrong_inertia, "factor",
                                  look->inertia[look->wrong_inertia], "unexplained", look->wrong_unexplained));
  json_object_set_new(object, "undetermined", json_integer(look->undetermined));
  json_object_set_new(object, "repeats", json_integer(look->repeats));
  json_object_set_new(object, "tension", json_integer(look->tension));
  json_object_set_new(object, "gains", json_integer(look->gains));
  put(object, "gain_max", look->gain_max);
  json_object_set_new(object, "levels", cli_json_vector(CRD_FIT_QUANTILES, crd_fit_levels));
  json_object_set_new(object, "restitution", cli_json_vector(CRD_FIT_QUANTILES, look->restitution));
  json_object_set_new(object, "ratio", cli_json_vector(CRD_FIT_QUANTILES, look->ratio));
  for (int k = 0; k < look->noutlier; k++)
    json_array_append_new(
        outliers, json_pack("{s:I, s:f, s:s}", "row", (json_int_t)view->data->row[look->outlier[k]].number, "size",
                            look->outlier_size[k], "why", look->outlier_why[k]));
  json_object_set_new(object, "outliers", outliers);
  return object;
}

static json_t *toss_look_json(const fit_view *view) {
  const crd_fit_toss_look *look = view->toss_look;
  json_t *object = json_pack("{s:I}", "samples", (json_int_t)look->samples);
  put(object, "duration", look->duration);
  json_object_set_new(object, "slope", cli_json_vector(look->nv, look->slope));
  json_object_set_new(object, "correlation", cli_json_vector(look->nv, look->correlation));
  put(object, "gain_max", look->gain_max);
  return object;
}

json_t *fit_json(const fit_view *view) {
  json_t *object = json_pack("{s:s}", "input", view->input), *fits = json_array();
  json_object_set_new(object, "rows", json_integer((json_int_t)view->rows));
  json_object_set_new(object, "bad", json_integer((json_int_t)view->bad));
  for (int k = 0; k < view->count; k++) json_array_append_new(fits, part_json(view, &view->part[k]));
  json_object_set_new(object, "fits", fits);
  json_object_set_new(object, "look", view->look ? look_json(view) : toss_look_json(view));
  return object;
}
