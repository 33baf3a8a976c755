/* Laws fitted to measured impacts, and compared.
 *
 * Each law: the loss over a grid of e and mu, a simplex from its least entry, intervals by resampling (src/fit/resample.c), the
 * error of rows that took no part. Laws: differences of their losses row by row, with intervals by the same draws.
 * Cost: rows x (grid^2 + a few hundred) impacts a law. */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "fit/fit.h"
#include "fit/order.h"

enum { RESTARTS = 3 };                     /* of the simplex, which collapses early in many dimensions */
static const double EXPECTED_SEARCH = 500; /* impacts of a row besides the grid, for progress */
static const double TELLS_APART = 2;       /* standard errors of a difference in loss */
static const double ROUNDING = 1e-6;       /* of the loss, summed in single precision: differences that are none */
static const double FLAT = 0.5;            /* of a range: not determined */
static const double ROUNDED = 1e-4; /* width of an interval, below which exact data are found back, to rounding */

static const char *const names[CRD_FIT_PARAMETERS] = {"e", "mu", "e_t", "mu_static", "slope", "inertia", "offset"};

const char *crd_fit_parameter_name(crd_fit_parameter parameter) { return names[parameter]; }

crd_fit_options crd_fit_default(void) {
  return (crd_fit_options){.fitted = 1u << CRD_FIT_E | 1u << CRD_FIT_MU,
                           .value = {[CRD_FIT_INERTIA] = 1},
                           .high = {1, 1, 1, 1, 0.2, 2, 0.01},
                           .low = {0, 0, -1, 0, -0.2, 0.5, -0.01},
                           .inertia = {-1, -1},
                           .offset = -1,
                           .timestep = NAN,
                           .huber = 0.1,
                           .grid = 20,
                           .resamples = 400,
                           .level = 0.95,
                           .facets = 8,
                           .round_cone = true};
}

static int ints(crd_arena *arena, int count, int **out) {
  return (*out = crd_arena_alloc(arena, (size_t)count + 1, sizeof **out)) != NULL;
}

/* Do the coefficients to be fitted suit the data (motions: e and mu only) and state the velocities they belong to? */
static bool is_fittable(const fit_task *task) {
  const crd_fit_data *data = task->data;
  const crd_fit_options *o = task->options;
  const bool tossed = data->count > 0 && data->row[0].toss;
  if (tossed && (o->fitted & ~(1u << CRD_FIT_E | 1u << CRD_FIT_MU))) return false;
  if ((o->fitted & 1u << CRD_FIT_INERTIA) && o->inertia[0] < 0) return false;
  return !(o->fitted & 1u << CRD_FIT_OFFSET) || o->offset >= 0;
}

static crd_status begin(fit_task *task, int group, crd_arena *arena) {
  const crd_fit_data *data = task->data;
  const crd_fit_options *o = task->options;
  double *speed = crd_arena_alloc(arena, (size_t)data->count + 1, sizeof *speed);
  if (!speed || !ints(arena, data->count, &task->row) || !ints(arena, data->count, &task->fitted) ||
      !ints(arena, data->count, &task->judged))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < data->count; i++) {
    const crd_fit_row *row = &data->row[i];
    if (group >= 0 && row->group != group) continue;
    const bool unseen = o->folds == 1 && row->number % 2 == 1;
    if (!unseen) task->fitted[task->nfitted++] = task->count;
    if (unseen || o->folds != 1) task->judged[task->njudged++] = task->count;
    task->row[task->count++] = i;
    const int nv = row->toss ? row->toss->model->nv : row->problem->nv;
    if (nv > task->widest) task->widest = nv;
  }
  task->speed = fit_median_speed(data, group, speed);
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++)
    if (o->fitted & 1u << p) task->free[task->nfree++] = p;
  return task->nfitted > 0 && task->njudged > 0 && task->nfree > 0 && is_fittable(task) ? CRD_OK : CRD_ERR_ARGUMENT;
}

/* ------------------------------------------------------------------------------------------------ the grid */

typedef struct grid {
  int ne, nmu;
  fit_point *point; /* ne x nmu */
  float *loss;      /* nfitted x ne nmu */
  double *e, *mu;
} grid;

static int axis(const crd_fit_options *o, int p, double *value) {
  if (!(o->fitted & 1u << p)) return value[0] = o->value[p], 1;
  for (int i = 0; i < o->grid; i++) value[i] = o->low[p] + (o->high[p] - o->low[p]) * i / (o->grid - 1);
  return o->grid;
}

static bool grid_begin(grid *g, const fit_task *task, crd_arena *kept, crd_arena *arena) {
  const crd_fit_options *o = task->options;
  const size_t each = (size_t)o->grid;
  g->e = crd_arena_alloc(kept, each, sizeof *g->e), g->mu = crd_arena_alloc(kept, each, sizeof *g->mu);
  if (!g->e || !g->mu) return false;
  g->ne = axis(o, CRD_FIT_E, g->e), g->nmu = axis(o, CRD_FIT_MU, g->mu);
  const size_t count = (size_t)(g->ne * g->nmu);
  g->point = crd_arena_alloc(arena, count, sizeof *g->point);
  g->loss = crd_arena_alloc(arena, count * (size_t)task->nfitted, sizeof *g->loss);
  for (size_t k = 0; g->point && k < count; k++) {
    memcpy(g->point[k].x, o->value, sizeof o->value);
    g->point[k].x[CRD_FIT_E] = g->e[k / (size_t)g->nmu], g->point[k].x[CRD_FIT_MU] = g->mu[k % (size_t)g->nmu];
  }
  return g->point && g->loss;
}

/* Fills the surface; the place of its least entry. */
static crd_status scan(fit_task *task, grid *g, double *surface, int *least) {
  const int count = g->ne * g->nmu;
  crd_status status = fit_evaluate(task, task->fitted, task->nfitted, g->point, count, g->loss, NULL, NULL);
  if (status != CRD_OK) return status;
  for (size_t i = 0; i < (size_t)count * (size_t)task->nfitted; i++) {
    g->loss[i] = (float)fit_loss(task->options, g->loss[i]);
    surface[i % (size_t)count] += g->loss[i] / task->nfitted;
  }
  *least = 0;
  for (int k = 1; k < count; k++)
    if (surface[k] < surface[*least]) *least = k;
  return CRD_OK;
}

/* Can the loss at point k not be told from that at the best one, row by row? loss: rows x count. */
static bool is_as_good(int rows, const float *loss, int count, int k, int best) {
  double mean = 0, whole = 0, square = 0;
  for (int i = 0; i < rows; i++) {
    const float *own = loss + (size_t)i * (size_t)count;
    mean += ((double)own[k] - own[best]) / rows, whole += own[best] / (double)rows;
  }
  for (int i = 0; i < rows; i++) {
    const float *own = loss + (size_t)i * (size_t)count;
    square += pow((double)own[k] - own[best] - mean, 2);
  }
  const double error = rows > 1 ? sqrt(square / (rows - 1) / rows) : 0; /* one row tells no spread */
  return mean <= TELLS_APART * error + ROUNDING * whole;
}

/* Values of e and mu on the grid whose loss cannot be told from the least. */
static void find_valley(const fit_task *task, const grid *g, int least, crd_fit_law *law) {
  const int count = g->ne * g->nmu;
  for (int p = CRD_FIT_E; p <= CRD_FIT_MU; p++) law->flat_low[p] = INFINITY, law->flat_high[p] = -INFINITY;
  for (int k = 0; k < count; k++) {
    if (!is_as_good(task->nfitted, g->loss, count, k, least)) continue;
    for (int p = CRD_FIT_E; p <= CRD_FIT_MU; p++) {
      law->flat_low[p] = fmin(law->flat_low[p], g->point[k].x[p]);
      law->flat_high[p] = fmax(law->flat_high[p], g->point[k].x[p]);
    }
  }
  const crd_fit_options *o = task->options;
  for (int p = CRD_FIT_E; p <= CRD_FIT_MU; p++)
    law->flat[p] = o->fitted & 1u << p && law->flat_high[p] - law->flat_low[p] >= FLAT * (o->high[p] - o->low[p]);
}

/* The same of the other parameters, one at a time from low to high with the rest at the optimum, which comes last. */
static crd_status find_slices(fit_task *task, crd_fit_law *law, crd_arena *arena) {
  const crd_fit_options *o = task->options;
  const int n = task->nfitted, count = o->grid + 1;
  fit_point *point = crd_arena_alloc(arena, (size_t)count, sizeof *point);
  float *loss = crd_arena_alloc(arena, (size_t)count * (size_t)n, sizeof *loss);
  if (!point || !loss) return CRD_ERR_MEMORY;
  for (int p = CRD_FIT_MU + 1; p < CRD_FIT_PARAMETERS; p++) {
    if (!(o->fitted & 1u << p)) continue;
    for (int k = 0; k < count; k++) {
      memcpy(point[k].x, law->value, sizeof law->value);
      if (k < o->grid) point[k].x[p] = o->low[p] + (o->high[p] - o->low[p]) * k / (o->grid - 1);
    }
    crd_status status = fit_evaluate(task, task->fitted, n, point, count, loss, NULL, NULL);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < (size_t)count * (size_t)n; i++) loss[i] = (float)fit_loss(o, loss[i]);
    law->flat_low[p] = law->flat_high[p] = law->value[p];
    for (int k = 0; k < o->grid; k++) {
      if (!is_as_good(n, loss, count, k, o->grid)) continue;
      law->flat_low[p] = fmin(law->flat_low[p], point[k].x[p]);
      law->flat_high[p] = fmax(law->flat_high[p], point[k].x[p]);
    }
    law->flat[p] = law->flat_high[p] - law->flat_low[p] >= FLAT * (o->high[p] - o->low[p]);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ one law */

static crd_status find_intervals(const fit_task *task, const double *optimum, crd_fit_law *law, crd_arena *arena) {
  const int B = task->options->resamples, n = task->nfree;
  double *x = crd_arena_alloc(arena, (size_t)B, sizeof *x), mean[2] = {0}, square[3] = {0};
  if (!x) return CRD_ERR_MEMORY;
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++) law->low[p] = law->high[p] = law->value[p];
  for (int k = 0; k < n; k++) {
    const int p = task->free[k];
    for (int b = 0; b < B; b++) x[b] = optimum[b * n + k];
    crd_fit_sort(B, x);
    if (!fit_interval(task->nfitted, n, task->options->level, B, x, &law->low[p], &law->high[p])) continue;
    law->low[p] = fmin(law->value[p], law->low[p]), law->high[p] = fmax(law->value[p], law->high[p]);
    if (law->flat[p])
      law->low[p] = fmin(law->low[p], law->flat_low[p]), law->high[p] = fmax(law->high[p], law->flat_high[p]);
  }
  law->correlation = NAN;
  if (n < 2 || task->free[0] != CRD_FIT_E || task->free[1] != CRD_FIT_MU || isnan(law->low[CRD_FIT_E])) return CRD_OK;
  for (int b = 0; b < B; b++)
    for (int k = 0; k < 2; k++) mean[k] += optimum[b * n + k] / B;
  for (int b = 0; b < B; b++) {
    const double d = optimum[b * n] - mean[0], q = optimum[b * n + 1] - mean[1];
    square[0] += d * d, square[1] += q * q, square[2] += d * q;
  }
  if (square[0] > 0 && square[1] > 0 && law->high[CRD_FIT_E] - law->low[CRD_FIT_E] > ROUNDED &&
      law->high[CRD_FIT_MU] - law->low[CRD_FIT_MU] > ROUNDED)
    law->correlation = square[2] / sqrt(square[0] * square[1]);
  return CRD_OK;
}

/* Losses of the rows judged by: at the optimum, or with k parts at that of the other parts. */
static crd_status judge(fit_task *task, const fit_table *table, const crd_fit_law *law, const double *error,
                        double *judged, crd_arena *arena) {
  const crd_fit_options *o = task->options;
  for (int i = 0; i < task->njudged; i++) judged[i] = fit_loss(o, error[task->judged[i]]);
  if (o->folds < 2) return CRD_OK;
  double *weight, *sum, x[CRD_FIT_PARAMETERS];
  int *part;
  float *found;
  if (CRD_TAKE(arena, CRD_ARRAY(weight, task->nfitted), CRD_ARRAY(sum, table->npoint), CRD_ARRAY(part, task->nfitted),
               CRD_ARRAY(found, task->nfitted)))
    return CRD_ERR_MEMORY;
  for (int f = 0; f < o->folds; f++) {
    int count = 0;
    for (int i = 0; i < task->nfitted; i++) {
      weight[i] = i % o->folds != f;
      if (weight[i] == 0) part[count++] = task->fitted[i];
    }
    fit_point point;
    memcpy(point.x, law->value, sizeof point.x);
    fit_table_optimum(table, task->nfitted, weight, sum, x);
    for (int k = 0; k < table->nfree; k++) point.x[table->parameter[k]] = x[k];
    crd_status status = fit_evaluate(task, part, count, &point, 1, found, NULL, NULL);
    if (status != CRD_OK) return status;
    for (int i = 0, k = 0; i < task->nfitted; i++)
      if (weight[i] == 0) judged[i] = fit_loss(o, found[k++]);
  }
  return CRD_OK;
}

/* Error, prediction and answer of every row at the optimum. */
static crd_status predict_rows(fit_task *task, crd_fit_law *law, crd_arena *arena) {
  const size_t n = (size_t)task->count;
  int *all;
  float *error;
  bool *answered;
  double *kept, *v_plus;
  if (CRD_TAKE(arena, CRD_ARRAY(error, n), CRD_ARRAY(answered, n), CRD_ARRAY(all, n)) ||
      CRD_TAKE(task->arena, CRD_ARRAY(kept, n), CRD_MATRIX(v_plus, n, task->widest)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < task->count; i++) all[i] = i;
  fit_point point;
  memcpy(point.x, law->value, sizeof point.x);
  crd_status status = fit_evaluate(task, all, task->count, &point, 1, error, v_plus, answered);
  law->unanswered = 0;
  for (int i = 0; i < task->count; i++) kept[i] = error[i], law->unanswered += !answered[i];
  law->error = kept, law->v_plus = v_plus;
  return status == CRD_OK && law->unanswered == task->count ? CRD_NO_SOLUTION : status;
}

static double mean_of(int count, const double *x) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += x[i];
  return sum / count;
}

static crd_status fit_law(fit_task *task, grid *g, crd_fit_law *law, double *judged, crd_arena *arena) {
  const crd_fit_options *o = task->options;
  double *surface = crd_arena_alloc(task->arena, (size_t)(g->ne * g->nmu), sizeof *surface);
  double *optimum = crd_arena_alloc(arena, (size_t)o->resamples * (size_t)task->nfree, sizeof *optimum);
  double step[CRD_FIT_PARAMETERS], half[CRD_FIT_PARAMETERS], loss;
  int least;
  if (!surface || !optimum) return CRD_ERR_MEMORY;
  law->surface = surface, law->test = NAN;
  crd_status status = scan(task, g, surface, &least);
  if (status != CRD_OK) return status;
  find_valley(task, g, least, law);
  fit_point best = g->point[least];
  for (int p = 0; p < CRD_FIT_PARAMETERS; p++) step[p] = 0.5 * (o->high[p] - o->low[p]) / (o->grid - 1);
  for (int k = 0; k < task->nfree; k++) half[k] = step[task->free[k]];
  for (int k = 0; k < (task->nfree > 2 ? RESTARTS : 1) && status == CRD_OK; k++)
    status = fit_search(task, step, &best, &loss);
  if (status != CRD_OK) return status;
  memcpy(law->value, best.x, sizeof best.x);
  law->loss = fit_reported(o, loss);
  status = predict_rows(task, law, arena);
  if (status == CRD_OK) status = find_slices(task, law, arena);
  if (status != CRD_OK) return status;
  fit_table table = {0};
  status = fit_resample(task, &best, half, &table, optimum, arena);
  if (status == CRD_OK) status = find_intervals(task, optimum, law, arena);
  if (status == CRD_OK) status = judge(task, &table, law, law->error, judged, arena);
  if (status == CRD_OK && o->folds > 0) law->test = fit_reported(o, mean_of(task->njudged, judged));
  return status;
}

/* ------------------------------------------------------------------------------------------------ all laws */

static double judged_by(const crd_fit_law *law) { return isnan(law->test) ? law->loss : law->test; }

/* Interval of the mean of x by the draws that the laws share. */
static void interval_of_mean(const fit_task *task, const double *x, double *mean, double *low, double *high) {
  const crd_fit_options *o = task->options;
  for (int b = 0; b < o->resamples; b++) {
    mean[b] = 0;
    for (int k = 0; k < task->njudged; k++) mean[b] += x[fit_draw(o, b, k, task->njudged)] / task->njudged;
  }
  crd_fit_sort(o->resamples, mean);
  fit_interval(task->njudged, 1, o->level, o->resamples, mean, low, high);
}

static crd_status compare(const fit_task *task, crd_fit_result *result, double *const *judged, crd_arena *arena) {
  const size_t n = (size_t)task->njudged;
  double *difference = crd_arena_alloc(arena, n, sizeof *difference);
  double *mean = crd_arena_alloc(arena, (size_t)task->options->resamples, sizeof *mean);
  int best = -1;
  if (!difference || !mean) return CRD_ERR_MEMORY;
  for (int a = 0; a < result->nlaw; a++) {
    crd_fit_law *law = &result->law[a];
    if (law->status != CRD_OK) continue;
    law->rank = 1;
    for (int b = 0; b < result->nlaw; b++)
      law->rank += result->law[b].status == CRD_OK && (judged_by(&result->law[b]) < judged_by(law) ||
                                                       (b < a && judged_by(&result->law[b]) == judged_by(law)));
    if (law->rank == 1) best = a;
  }
  for (int a = 0; a < result->nlaw && best >= 0; a++) {
    crd_fit_law *law = &result->law[a];
    if (law->status != CRD_OK) continue;
    for (size_t i = 0; i < n; i++) difference[i] = judged[a][i] - judged[best][i];
    law->behind = mean_of((int)n, difference);
    interval_of_mean(task, difference, mean, &law->behind_low, &law->behind_high);
  }
  return CRD_OK;
}

static crd_status run_laws(fit_task *task, const crd_impact_law *const *law, crd_fit_result *result, crd_arena *arena) {
  grid g;
  double **judged = crd_arena_alloc(arena, (size_t)result->nlaw, sizeof *judged);
  if (!judged || !grid_begin(&g, task, task->arena, arena)) return CRD_ERR_MEMORY;
  result->ne = g.ne, result->nmu = g.nmu, result->e = g.e, result->mu = g.mu, result->widest = task->widest;
  result->fitted = task->nfitted, result->unseen = task->options->folds == 1 ? task->njudged : 0;
  task->expected = (double)result->nlaw * task->nfitted * (g.ne * g.nmu + EXPECTED_SEARCH);
  crd_status status = CRD_OK;
  for (int k = 0; k < result->nlaw; k++) {
    crd_fit_law *own = &result->law[k];
    crd_arena scratch = {0};
    *own = (crd_fit_law){.law = law[k], .status = CRD_STOPPED};
    judged[k] = crd_arena_alloc(arena, (size_t)task->njudged, sizeof **judged);
    if (!judged[k]) return CRD_ERR_MEMORY;
    task->law = law[k];
    if (status == CRD_OK) own->status = fit_law(task, &g, own, judged[k], &scratch);
    crd_arena_free(&scratch);
    if (own->status < CRD_OK) status = own->status;
    if (status == CRD_ERR_MEMORY) return status;
  }
  crd_status compared = compare(task, result, judged, arena);
  return compared != CRD_OK ? compared : status;
}

crd_status crd_fit_run(const crd_fit_data *data, int group, const crd_impact_law *const *law, int nlaw,
                       const crd_fit_options *options, crd_fit_result *result) {
  crd_arena arena = {0};
  crd_fit_result_free(result);
  fit_task task = {.data = data, .options = options, .arena = &result->arena};
  if (nlaw < 1 || options->grid < 2 || options->resamples < 1) return CRD_ERR_ARGUMENT;
  crd_status status = begin(&task, group, &arena);
  if (status == CRD_OK) {
    result->nlaw = nlaw;
    result->law = crd_arena_alloc(&result->arena, (size_t)nlaw, sizeof *result->law);
    status = result->law ? run_laws(&task, law, result, &arena) : CRD_ERR_MEMORY;
    fit_restore(data, options);
  }
  crd_arena_free(&arena);
  return status;
}

void crd_fit_result_free(crd_fit_result *result) {
  crd_arena_free(&result->arena);
  *result = (crd_fit_result){0};
}
