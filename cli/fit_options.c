/* The options of `cradle fit` as those of the library. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

#define FITTED "e, mu, e_t, mu_static, slope, inertia:K or inertia:K-L, offset:K (K, L: velocities, from 1)"

enum { MOST_GRID = 200, MOST_RESAMPLES = 100000, MOST_FOLDS = 1000 };

/* The parameter whose name begins the text and is followed by one of the ends, or by nothing; -1: none. */
static int parameter_of(const char *text, size_t length) {
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++) {
    const char *name = crd_fit_parameter_name((crd_fit_parameter)p);
    if (strlen(name) == length && strncmp(name, text, length) == 0) return p;
  }
  return -1;
}

/* ":3" or ":4-6", velocities counted from 1, as an interval from 0. */
static bool read_velocities(const char *text, size_t length, bool many, int velocity[2]) {
  int from = 0, to = 0, used = 0;
  if (sscanf(text, ":%4d%n", &from, &used) != 1 || from < 1) return false;
  to = from;
  if (many && text[used] == '-') {
    int more = 0;
    if (sscanf(text + used, "-%4d%n", &to, &more) != 1) return false;
    used += more;
  }
  velocity[0] = from - 1, velocity[1] = to - 1;
  return (size_t)used == length && from <= to;
}

static bool read_fitted(const char *text, crd_fit_options *options) {
  options->fitted = 0;
  for (const char *at = text; *at;) {
    const size_t length = strcspn(at, ","), name = strcspn(at, ":,");
    const int p = parameter_of(at, name);
    int velocity[2] = {-1, -1};
    const bool placed = p == CRD_FIT_INERTIA || p == CRD_FIT_OFFSET;
    if (p < 0 ||
        (placed ? !read_velocities(at + name, length - name, p == CRD_FIT_INERTIA, velocity) : name != length)) {
      cli_complain("fit", "--fit: found '%.*s', expected some of " FITTED, (int)length, at);
      return false;
    }
    if (p == CRD_FIT_INERTIA) memcpy(options->inertia, velocity, sizeof velocity);
    if (p == CRD_FIT_OFFSET) options->offset = velocity[0];
    options->fitted |= 1u << p;
    at += length + (at[length] == ',');
  }
  if (options->fitted == 0) cli_complain("fit", "--fit: found nothing, expected some of " FITTED);
  return options->fitted != 0;
}

/* "mu=0:2,e=0.3:0.9" */
static bool read_range(const char *text, crd_fit_options *options) {
  for (const char *at = text; *at;) {
    const size_t name = strcspn(at, "=,"), whole = strcspn(at, ",");
    const int p = parameter_of(at, name);
    double low = NAN, high = NAN;
    int used = 0;
    if (p >= 0 && at[name] == '=') sscanf(at + name + 1, "%lf:%lf%n", &low, &high, &used);
    const bool allowed = p == CRD_FIT_E_T || p == CRD_FIT_SLOPE || p == CRD_FIT_OFFSET || low >= 0;
    if (p < 0 || !(low < high) || !allowed || name + 1 + (size_t)used != whole || (p == CRD_FIT_E && high > 1) ||
        (p == CRD_FIT_INERTIA && !(low > 0))) {
      cli_complain("fit", "--range: found '%.*s', expected PARAMETER=FROM:TO, FROM below TO", (int)whole, at);
      return false;
    }
    options->low[p] = low, options->high[p] = high;
    at += whole + (at[whole] == ',');
  }
  return true;
}

static bool read_test(const char *text, crd_fit_options *options) {
  uint64_t folds;
  if (strcmp(text, "odd") == 0) return options->folds = 1, true;
  if (cli_take_count(text, &folds) && folds >= 2 && folds <= MOST_FOLDS) return options->folds = (int)folds, true;
  cli_complain("fit", "--test: found '%s', expected odd, or a number of parts from 2 to %d", text, MOST_FOLDS);
  return false;
}

static bool read_loss(const char *text, crd_fit_options *options) {
  static const char *const name[] = {"mean", "squares", "huber"};
  for (int k = 0; k < 3; k++)
    if (strcmp(text, name[k]) == 0) return options->loss = (crd_fit_loss)k, true;
  cli_complain("fit", "--loss: found '%s', expected mean, squares or huber", text);
  return false;
}

/* A coefficient that is given is not fitted. */
static void fix(crd_fit_options *options, crd_fit_parameter p, double value) {
  if (isnan(value)) return;
  options->fitted &= ~(1u << p), options->value[p] = value;
}

bool fit_options_read(const fit_settings *settings, crd_fit_options *options) {
  *options = crd_fit_default();
  if (settings->fitted && !read_fitted(settings->fitted, options)) return false;
  if (settings->range && !read_range(settings->range, options)) return false;
  if (settings->test && !read_test(settings->test, options)) return false;
  if (settings->loss && !read_loss(settings->loss, options)) return false;
  fix(options, CRD_FIT_E, settings->common.e), fix(options, CRD_FIT_MU, settings->common.mu);
  if (options->fitted == 0)
    return cli_complain("fit", "--e, --mu: found all coefficients given, expected one to fit"), false;
  if (settings->grid > MOST_GRID || settings->resamples > MOST_RESAMPLES)
    return cli_complain("fit", "--grid, --resamples: expected at most %d and %d", MOST_GRID, MOST_RESAMPLES), false;
  if (settings->facets % 2 || settings->facets > 256)
    return cli_complain("fit", "--facets: expected an even number from 4 to 256"), false;
  options->huber = settings->huber, options->grid = (int)settings->grid, options->resamples = (int)settings->resamples;
  options->facets = (int)settings->facets, options->round_cone = !settings->polygon;
  options->timestep = settings->dt;
  options->seed = settings->common.seed, options->threads = (int)settings->common.threads;
  return true;
}
