/* The bootstrap [Efron 1979] without new solves: rows are drawn with replacement, and the optimum of every draw is found on a table of
 * the rows' losses about the optimum of all, by the quadratic through the least entry and its neighbours, of three parameters
 * and more by that through the whole table. The table grows where optima fall on its rim, and shrinks where they fall into
 * few of its cells. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"
#include "fit/quadratic.h"

enum { MOST_TABLES = 7, MOST_ON_GRID = 2, DESIGN_VALUES = 3 };
static const int values_each[MOST_ON_GRID + 1] = {1, 17, 9}; /* by the number of parameters */
/* How far beyond a design its quadratic is believed, in its half width. */
static const double BEYOND = 1.5;
/* Share of optima on the rim from which the table is widened, and of a cell that they spread over at least. */
static const double ON_RIM = 0.02, SPREAD = 0.5, WIDER = 2, NARROWER = 0.3;
static const double NARROWEST = 1e-6; /* of the range of the parameter: a grid is made no narrower */
/* Of a design, whose cells are its half width: optima may lie beyond its points, and its kinks should be few. */
static const double DESIGN_RIM = 0.45, DESIGN_SPREAD = 0.2, DESIGN_NARROWER = 0.5;

int fit_draw(const crd_fit_options *options, int b, int k, int count) {
  return (int)(crd_random_uniform(options->seed, (uint32_t)b, (uint64_t)k) * count);
}

/* ------------------------------------------------------------------------------------------------ tables */

static void place_points(fit_table *t, const fit_point *about) {
  double at[CRD_FIT_PARAMETERS];
  for (int g = 0; g < t->npoint; g++) {
    t->point[g] = *about;
    if (t->solver) {
      fit_design_point(t->nfree, g, at);
      for (int k = 0; k < t->nfree; k++) t->point[g].x[t->parameter[k]] = t->first[k] + t->step[k] * (1 + at[k]);
      continue;
    }
    for (int k = t->nfree - 1, rest = g; k >= 0; rest /= t->size[k--])
      t->point[g].x[t->parameter[k]] = t->first[k] + t->step[k] * (rest % t->size[k]);
  }
}

static crd_status tabulate(fit_task *task, const fit_point *about, const double *half, fit_table *t, crd_arena *arena) {
  const crd_fit_options *o = task->options;
  const bool on_grid = task->nfree <= MOST_ON_GRID;
  const int each = on_grid ? values_each[task->nfree] : DESIGN_VALUES;
  t->nfree = task->nfree, t->npoint = on_grid ? 1 : fit_design_points(task->nfree);
  if (!on_grid && !t->solver && !(t->solver = fit_design_solver(task->nfree, arena))) return CRD_ERR_MEMORY;
  for (int k = 0; k < t->nfree; k++) {
    const int p = t->parameter[k] = task->free[k];
    const double low = fmax(o->low[p], about->x[p] - half[k]), high = fmin(o->high[p], about->x[p] + half[k]);
    t->size[k] = each, t->first[k] = low, t->step[k] = (high - low) / (each - 1);
    if (on_grid) t->npoint *= each;
    t->least[k] = fmax(-BEYOND, (o->low[p] - low) / t->step[k] - 1);
    t->most[k] = fmin(BEYOND, (o->high[p] - low) / t->step[k] - 1);
  }
  const size_t count = (size_t)t->npoint;
  if (!t->point) t->point = crd_arena_alloc(arena, count, sizeof *t->point);
  if (!t->loss) t->loss = crd_arena_alloc(arena, count * (size_t)task->nfitted, sizeof *t->loss);
  if (!t->point || !t->loss) return CRD_ERR_MEMORY;
  place_points(t, about);
  crd_status status = fit_evaluate(task, task->fitted, task->nfitted, t->point, t->npoint, t->loss, NULL, NULL);
  for (size_t i = 0; i < count * (size_t)task->nfitted; i++) t->loss[i] = (float)fit_loss(o, t->loss[i]);
  return status;
}

/* Place of the entry with these numbers along the parameters. */
static int place(const fit_table *t, const int *at) {
  int g = 0;
  for (int k = 0; k < t->nfree; k++) g = g * t->size[k] + at[k];
  return g;
}

/* Minimum of the quadratic through the 3^n entries about `at`, in cells from there; false: it has none nearby. */
static bool quadratic_step(const fit_table *t, const double *f, const int *at, double *move) {
  enum { N = CRD_FIT_PARAMETERS };
  double g[N], H[N][N];
  int q[N];
  const int n = t->nfree;
  for (int a = 0; a < n; a++) {
    for (int b = 0; b <= a; b++) {
      double corner[2][2];
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
          memcpy(q, at, sizeof(int) * (size_t)n);
          q[a] += i ? 1 : -1;
          if (b != a) q[b] += j ? 1 : -1;
          corner[i][j] = f[place(t, q)];
        }
      if (a == b)
        g[a] = 0.5 * (corner[1][0] - corner[0][0]), H[a][a] = corner[1][0] + corner[0][0] - 2 * f[place(t, at)];
      else
        H[a][b] = H[b][a] = 0.25 * (corner[1][1] - corner[1][0] - corner[0][1] + corner[0][0]);
    }
  }
  for (int a = 0; a < n; a++) { /* elimination without exchange: H has to be positive definite */
    if (!(H[a][a] > 0)) return false;
    for (int b = a + 1; b < n; b++) {
      const double factor = H[b][a] / H[a][a];
      for (int c = a; c < n; c++) H[b][c] -= factor * H[a][c];
      g[b] -= factor * g[a];
    }
  }
  for (int a = n - 1; a >= 0; a--) {
    move[a] = -g[a];
    for (int b = a + 1; b < n; b++) move[a] -= H[a][b] * move[b];
    move[a] /= H[a][a];
    if (!(fabs(move[a]) <= 1)) return false;
  }
  return true;
}

static void optimum_of_sums(const fit_table *t, const double *f, double *x) {
  int least = 0, at[CRD_FIT_PARAMETERS];
  bool inside = true;
  double move[CRD_FIT_PARAMETERS] = {0};
  for (int g = 1; g < t->npoint; g++)
    if (f[g] < f[least]) least = g;
  for (int k = t->nfree - 1, rest = least; k >= 0; rest /= t->size[k--]) {
    at[k] = rest % t->size[k];
    inside = inside && at[k] > 0 && at[k] < t->size[k] - 1;
  }
  if (!inside || !quadratic_step(t, f, at, move)) memset(move, 0, sizeof move);
  for (int k = 0; k < t->nfree; k++) x[k] = t->first[k] + t->step[k] * (at[k] + move[k]);
}

void fit_table_optimum(const fit_table *table, int nrow, const double *weight, double *sum, double *x) {
  memset(sum, 0, sizeof *sum * (size_t)table->npoint);
  for (int i = 0; i < nrow; i++) {
    const float *loss = table->loss + (size_t)i * (size_t)table->npoint;
    const double w = weight ? weight[i] : 1;
    for (int g = 0; w > 0 && g < table->npoint; g++) sum[g] += w * loss[g];
  }
  if (!table->solver) {
    optimum_of_sums(table, sum, x);
    return;
  }
  fit_design_minimum(table->nfree, table->solver, sum, table->least, table->most, x);
  for (int k = 0; k < table->nfree; k++) x[k] = table->first[k] + table->step[k] * (1 + x[k]);
}

/* ------------------------------------------------------------------------------------------------ draws */

/* CRD_STOPPED: the caller asked for it, some draws being done. */
static crd_status draw_all(fit_task *task, const fit_table *t, double *optimum, double *sum, double *weight) {
  const crd_fit_options *o = task->options;
  for (int b = 0; b < o->resamples; b++) {
    if (o->progress && !o->progress(o->context, fmin(1, task->done / task->expected))) {
      task->stopped = true;
      return CRD_STOPPED;
    }
    memset(weight, 0, sizeof *weight * (size_t)task->nfitted);
    for (int k = 0; k < task->nfitted; k++) weight[fit_draw(o, b, k, task->nfitted)]++;
    fit_table_optimum(t, task->nfitted, weight, sum, optimum + (size_t)b * (size_t)t->nfree);
  }
  return CRD_OK;
}

/* Is the table wide enough for the optima? Otherwise half receives the width needed. */
static bool fits(const fit_task *task, const fit_table *t, const double *optimum, double *half) {
  const crd_fit_options *o = task->options;
  bool fit = true;
  for (int k = 0; k < t->nfree; k++) {
    const int p = t->parameter[k], B = o->resamples;
    const double last = t->first[k] + t->step[k] * (t->size[k] - 1),
                 near = (t->solver ? -DESIGN_RIM : 0.5) * t->step[k];
    double mean = 0, square = 0;
    int rim = 0;
    for (int b = 0; b < B; b++) {
      const double x = optimum[b * t->nfree + k];
      mean += x / B, square += x * x / B;
      rim += (x < t->first[k] + near && t->first[k] > o->low[p]) || (x > last - near && last < o->high[p]);
    }
    const double spread = sqrt(fmax(0, square - mean * mean));
    if (rim > ON_RIM * B)
      half[k] *= WIDER, fit = false;
    else if (spread < (t->solver ? DESIGN_SPREAD : SPREAD) * t->step[k] &&
             half[k] > NARROWEST * (o->high[p] - o->low[p]))
      half[k] *= t->solver ? DESIGN_NARROWER : NARROWER, fit = false;
  }
  return fit;
}

/* The quadratic's optimum of all rows is not quite the optimum found: draws are told by how far they are from the former. */
static void shift(const fit_task *task, const fit_table *t, const fit_point *about, double *optimum, double *sum) {
  const crd_fit_options *o = task->options;
  double all[CRD_FIT_PARAMETERS];
  fit_table_optimum(t, task->nfitted, NULL, sum, all);
  for (int b = 0; b < o->resamples; b++)
    for (int k = 0; k < t->nfree; k++) {
      const int p = t->parameter[k];
      double *x = &optimum[b * t->nfree + k];
      *x = fmin(o->high[p], fmax(o->low[p], *x + about->x[p] - all[k]));
    }
}

crd_status fit_resample(fit_task *task, const fit_point *about, const double first[CRD_FIT_PARAMETERS],
                        fit_table *table, double *optimum, crd_arena *arena) {
  double half[CRD_FIT_PARAMETERS], *sum = NULL;
  double *weight = crd_arena_alloc(arena, (size_t)task->nfitted, sizeof *weight);
  memcpy(half, first, sizeof half);
  if (!weight) return CRD_ERR_MEMORY;
  for (int round = 0; round < MOST_TABLES; round++) {
    crd_status status = tabulate(task, about, half, table, arena);
    if (status != CRD_OK) return status;
    if (!sum && !(sum = crd_arena_alloc(arena, (size_t)table->npoint, sizeof *sum))) return CRD_ERR_MEMORY;
    status = draw_all(task, table, optimum, sum, weight);
    if (status != CRD_OK) return status;
    if (fits(task, table, optimum, half)) break;
  }
  if (table->solver) shift(task, table, about, optimum, sum);
  return CRD_OK;
}
