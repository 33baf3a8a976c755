/* Measured impacts looked at without a law: what the balance of momentum (src/fit/balance.h) says of every row and of all. If the
 * share of the unexplained falls when the sign of one entry of J is turned in all rows, or one inertia is multiplied, then that
 * is what is wrong with the data. O(rows nv nrow (nrow^3 + nv^2)). */
#include <cradle/fit.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "fit/balance.h"
#include "fit/order.h"
#include "fit/repeats.h"
#include "linalg/dense.h"

const double crd_fit_levels[CRD_FIT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

/* A normal distribution's standard deviation over its median absolute deviation; an outlier lies so many of them away, and so
 * much of the scale beyond rounding. */
static const double MAD = 1.4826, FAR = 6, ROUNDING = 1e-9, ROUNDED_ROOT = 1e-6;
/* Rebounds that laws with one e differ by in good data, of the fastest u_n: not noise, and no outliers either. */
static const double USUAL_REBOUND = 0.02;
/* A turned sign or another inertia is told where it leaves less than this share of what was unexplained, and an inertia
 * where its factor differs from 1 by so much and so many standard errors. */
static const double EXPLAINS = 0.5, EXPLAINS_SOME = 0.9, OTHER_INERTIA = 0.02, STANDARD_ERRORS = 6;
/* Rows that a statement about all of them needs. */
enum { FEWEST = 8 };
/* Share of a momentum's square that is spread and not rounding of the mean. */
static const double SPREADS = 1e-12;
/* Of an inertia's factor: the farthest that is looked for, and in its logarithm the first step, the distance of differences, and
 * when it is found. */
static const double MOST_INERTIA = 8, FIRST_STEP = 0.05, NEARBY = 1e-3, CONVERGED = 1e-12;
enum { MOST_HALVINGS = 60 };

static const fit_change NO_CHANGE = {.row = -1, .velocity = -1};

/* ------------------------------------------------------------------------------------------------ rows */

/* Findings for every row, and the rows that enter the statistics of all. */
typedef struct rows {
  const crd_fit_data *data;
  double *share, *restitution, *ratio; /* count; NaN: there is none */
  double *rebound; /* count: u_n+ minus its value at the median restitution, over the largest possible u_n */
  bool *taken;
  double *sorted;
} rows;

static void look_at_row(fit_balance *b, const crd_fit_row *row, int i, rows *r, crd_fit_look *look) {
  const crd_contact_problem *p = row->problem;
  double whole, rest;
  fit_balance_load(b, row, NO_CHANGE);
  fit_balance_measure(b, &whole, &rest);
  r->share[i] = whole > 0 ? sqrt(rest / whole) : 0;
  const int first = p->contact[0].row;
  const double after = crd_dense_dot(p->nv, p->J + p->nv * first, row->v_plus);
  r->restitution[i] = p->u[first] < 0 ? -after / p->u[first] : NAN;
  r->ratio[i] = NAN;
  const double energy = crd_dense_quadratic(p->nv, p->M, row->v_plus) / (2 * p->kinetic_free);
  look->gains += energy > 1 + ROUNDING;
  if (look->gain_row < 0 || energy > look->gain_max) look->gain_max = energy, look->gain_row = i;
  look->undetermined += !b->determined;
  if (!b->determined) return;
  double tangent = 0;
  for (int t = 1; t <= p->contact[0].ntangent; t++) tangent = hypot(tangent, b->p[first + t]);
  if (b->p[first] > 0) r->ratio[i] = tangent / b->p[first];
  /* an impulse larger than the unexplained velocity alone could cause */
  for (int c = 0; c < p->nc; c++) {
    const int n = p->contact[c].row;
    if (b->p[n] >= 0 || -b->p[n] * sqrt(p->W[(b->m + 1) * n]) <= sqrt(rest) + ROUNDING * sqrt(whole)) continue;
    look->tension++;
    break;
  }
}

/* Noise of u_n+ goes with the speed of the body, whatever u_n- was: its ratio to a small u_n- would be an outlier of good data. */
static void find_rebounds(const rows *r, double median) {
  for (int i = 0; i < r->data->count; i++) {
    const crd_contact_problem *p = r->data->row[i].problem;
    const int n = p->contact[0].row;
    const double after = crd_dense_dot(p->nv, p->J + p->nv * n, r->data->row[i].v_plus);
    r->rebound[i] = isfinite(r->restitution[i]) ? (after + median * p->u[n]) / crd_contact_problem_speed(p, n) : NAN;
  }
}

static int gather(const rows *r, const double *value) {
  int count = 0;
  for (int i = 0; i < r->data->count; i++)
    if (isfinite(value[i])) r->sorted[count++] = value[i];
  crd_fit_sort(count, r->sorted);
  return count;
}

static void quantiles(const rows *r, const double *value, double out[CRD_FIT_QUANTILES]) {
  const int count = gather(r, value);
  for (int k = 0; k < CRD_FIT_QUANTILES; k++) out[k] = crd_fit_quantile(count, r->sorted, crd_fit_levels[k]);
}

/* Rows whose value is far from the median, in robust standard deviations (no less than `least`); those known already keep the larger. */
static void find_far(rows *r, const double *value, double least, const char *why, crd_fit_look *look, double *size) {
  int count = gather(r, value);
  if (count < FEWEST) return;
  const double median = crd_fit_quantile(count, r->sorted, 0.5);
  for (int i = 0; i < count; i++) r->sorted[i] = fabs(r->sorted[i] - median);
  crd_fit_sort(count, r->sorted);
  const double deviation = fmax(least, MAD * crd_fit_quantile(count, r->sorted, 0.5));
  for (int i = 0; i < r->data->count; i++) {
    const double away = fabs(value[i] - median) / deviation;
    if (!(away > FAR)) continue;
    if (r->taken[i]) look->outlier[look->noutlier++] = i, look->outlier_why[i] = why;
    r->taken[i] = false;
    if (away > size[i]) size[i] = away, look->outlier_why[i] = why;
  }
}

/* The farthest first; size and reason of each beside it. */
static bool sort_outliers(crd_fit_look *look, const double *size) {
  const char **why = crd_arena_alloc(&look->arena, (size_t)look->noutlier, sizeof *why);
  look->outlier_size = crd_arena_alloc(&look->arena, (size_t)look->noutlier, sizeof *look->outlier_size);
  if (!why || !look->outlier_size) return false;
  for (int k = 1; k < look->noutlier; k++) {
    const int row = look->outlier[k];
    int at = k;
    for (; at > 0 && size[look->outlier[at - 1]] < size[row]; at--) look->outlier[at] = look->outlier[at - 1];
    look->outlier[at] = row;
  }
  for (int k = 0; k < look->noutlier; k++)
    why[k] = look->outlier_why[look->outlier[k]], look->outlier_size[k] = size[look->outlier[k]];
  look->outlier_why = why;
  return true;
}

/* ------------------------------------------------------------------------------------------------ all rows */

static bool takes_part(const rows *r, const crd_fit_look *look, int i) {
  const crd_contact_problem *p = r->data->row[i].problem;
  return r->taken[i] && p->nv == look->nv && p->nrow + p->nb == look->nrow;
}

static double share_with(fit_balance *b, const rows *r, const crd_fit_look *look, fit_change c) {
  double whole = 0, rest = 0;
  for (int i = 0; i < r->data->count; i++) {
    double own, left;
    if (!takes_part(r, look, i)) continue;
    fit_balance_load(b, &r->data->row[i], c);
    fit_balance_measure(b, &own, &left);
    whole += own, rest += left;
  }
  return whole > 0 ? rest / whole : 0;
}

/* R^2 of the prediction of momentum k; NaN: not determined. */
static double balance_of(fit_balance *b, const rows *r, const crd_fit_look *look, fit_change c, int k) {
  double count = 0, h = 0, hh = 0, rest = 0, pp = 0;
  for (int i = 0; i < r->data->count; i++) {
    double found;
    if (!takes_part(r, look, i)) continue;
    fit_balance_load(b, &r->data->row[i], c);
    if (!fit_balance_predict(b, k, &found)) return NAN;
    count++, h += b->h[k], hh += b->h[k] * b->h[k], pp += found * found;
    rest += (found - b->h[k]) * (found - b->h[k]);
  }
  const double spread = hh - h * h / count;
  return pp > 0 && spread > SPREADS * hh ? 1 - rest / spread : NAN; /* pp = 0: no impulse changes it */
}

/* Sums over the rows at an inertia multiplied by exp(x): of the slopes of what is unexplained, their squares, and |d|^2. */
typedef struct slopes {
  double count, sum, square, whole;
} slopes;

static slopes slopes_at(fit_balance *b, const rows *r, const crd_fit_look *look, int k, double x) {
  slopes s = {0};
  for (int i = 0; i < r->data->count; i++) {
    double whole, rest;
    if (!takes_part(r, look, i)) continue;
    fit_balance_load(b, &r->data->row[i], (fit_change){.row = -1, .velocity = k, .factor = exp(x)});
    fit_balance_measure(b, &whole, &rest);
    const double slope = fit_balance_slope(b, k);
    s.count++, s.sum += slope, s.square += slope * slope, s.whole += whole;
  }
  return s;
}

/* The factor of velocity k's inertia that leaves least unexplained, where its slope goes through zero, and the standard error that the
 * rows' slopes say of it; NaN: none does. */
static void factor_of(fit_balance *b, const rows *r, const crd_fit_look *look, int k, double *factor, double *error) {
  slopes at = slopes_at(b, r, look, k, 0), other;
  double x = 0, low = 0, high = 0, at_low, at_high;
  *factor = *error = NAN;
  at_low = at_high = at.sum;
  for (double step = FIRST_STEP; at.sum * (low < 0 ? at_low : at_high) > 0; step *= 2) { /* downhill */
    const double to = at.sum > 0 ? low - step : high + step;
    if (!(fabs(to) < log(MOST_INERTIA))) return;
    other = slopes_at(b, r, look, k, to);
    if (at.sum > 0)
      low = to, at_low = other.sum;
    else
      high = to, at_high = other.sum;
  }
  for (int i = 0; i < MOST_HALVINGS && high - low > CONVERGED && at_low != at_high; i++) {
    x = low - at_low * (high - low) / (at_high - at_low); /* false position, halved where it stays on one side */
    if (i % 3 == 2 || !(x > low && x < high)) x = 0.5 * (low + high);
    other = slopes_at(b, r, look, k, x);
    if (other.sum < 0)
      low = x, at_low = other.sum;
    else
      high = x, at_high = other.sum;
    if (other.sum == 0) break;
  }
  at = slopes_at(b, r, look, k, x);
  const double curvature =
      (slopes_at(b, r, look, k, x + NEARBY).sum - slopes_at(b, r, look, k, x - NEARBY).sum) / (2 * NEARBY);
  if (!(curvature > ROUNDED_ROOT * at.whole) || at.count < 2) return;
  *factor = exp(x);
  *error = *factor * sqrt(at.square * at.count / (at.count - 1)) / curvature;
}

static bool look_at_balance(fit_balance *b, const rows *r, crd_fit_look *look) {
  const size_t n = (size_t)look->nv;
  double **array[] = {&look->balance, &look->inertia, &look->inertia_error};
  for (int k = 0; k < 3; k++)
    if (!(*array[k] = crd_arena_alloc(&look->arena, n, sizeof(double)))) return false;
  for (int k = 0; k < look->nv; k++) {
    look->balance[k] = balance_of(b, r, look, NO_CHANGE, k);
    factor_of(b, r, look, k, &look->inertia[k], &look->inertia_error[k]);
  }
  return true;
}

static bool is_used(const rows *r, int row, int velocity) {
  const crd_contact_problem *first = r->data->row[0].problem;
  for (int i = 0; i < r->data->count; i++) {
    const crd_contact_problem *p = r->data->row[i].problem;
    if (p->nv == first->nv && row < p->nrow + p->nb && p->J[p->nv * row + velocity] != 0) return true;
  }
  return false;
}

/* Standard deviation of an entry's size over its mean. */
static double variation(const rows *r, const crd_fit_look *look, int row, int velocity) {
  double count = 0, sum = 0, square = 0;
  for (int i = 0; i < r->data->count; i++) {
    if (!takes_part(r, look, i)) continue;
    const double size = fabs(r->data->row[i].problem->J[look->nv * row + velocity]);
    count++, sum += size, square += size * size;
  }
  return sum > 0 ? sqrt(fmax(0, square * count / (sum * sum) - 1)) : 0;
}

/* The entry of J whose turned sign explains most. A change of a whole row is none, so that a row's only entry is passed over by
 * what it explains. */
static void find_turned(fit_balance *b, const rows *r, crd_fit_look *look) {
  double least = EXPLAINS * look->unexplained;
  for (int i = 0; i < look->nrow; i++)
    for (int k = 0; k < look->nv; k++) {
      if (!is_used(r, i, k)) continue;
      const fit_change turn = {.row = i, .velocity = k};
      const double share = share_with(b, r, look, turn);
      if (!(share < least)) continue;
      least = look->turned_unexplained = share, look->turned_row = i, look->turned_velocity = k;
    }
  if (look->turned_row < 0) return;
  /* turning one entry or all others of the row is the same: a direction is nearly that of all rows, an arm is not */
  for (int k = 0; k < look->nv; k++)
    if (is_used(r, look->turned_row, k) &&
        variation(r, look, look->turned_row, k) > variation(r, look, look->turned_row, look->turned_velocity) &&
        share_with(b, r, look, (fit_change){.row = look->turned_row, .velocity = k}) <= least * (1 + ROUNDED_ROOT))
      look->turned_velocity = k;
  look->turned_balance = balance_of(
      b, r, look, (fit_change){.row = look->turned_row, .velocity = look->turned_velocity}, look->turned_velocity);
}

static void find_inertia(fit_balance *b, const rows *r, crd_fit_look *look) {
  double least = EXPLAINS_SOME * look->unexplained;
  for (int k = 0; k < look->nv; k++) {
    const double factor = look->inertia[k], off = fabs(factor - 1);
    if (!(factor > 0) || off < OTHER_INERTIA || off < STANDARD_ERRORS * look->inertia_error[k]) continue;
    const double share = share_with(b, r, look, (fit_change){.row = -1, .velocity = k, .factor = factor});
    if (!(share < least)) continue;
    least = look->wrong_unexplained = share, look->wrong_inertia = k;
  }
}

static bool rows_begin(rows *r, crd_fit_look *look, crd_arena *arena) {
  const size_t count = (size_t)r->data->count;
  return !CRD_TAKE(arena, CRD_ARRAY(r->share, count), CRD_ARRAY(r->restitution, count), CRD_ARRAY(r->ratio, count),
                   CRD_ARRAY(r->sorted, count), CRD_ARRAY(r->rebound, count), CRD_ARRAY(r->taken, count)) &&
         !CRD_TAKE(&look->arena, CRD_ARRAY(look->outlier, count), CRD_ARRAY(look->outlier_why, count));
}

static crd_status look_at(const crd_fit_data *data, crd_fit_look *look, crd_arena *arena) {
  fit_balance b;
  rows r = {.data = data};
  double *size = crd_arena_alloc(arena, (size_t)data->count, sizeof *size);
  if (!size || fit_balance_begin(&b, data, arena) != CRD_OK || !rows_begin(&r, look, arena)) return CRD_ERR_MEMORY;
  crd_status status = fit_find_repeats(data, &look->repeats, look->repeated, arena);
  if (status != CRD_OK) return status;
  for (int i = 0; i < data->count; i++) r.taken[i] = true, look_at_row(&b, &data->row[i], i, &r, look);
  quantiles(&r, r.ratio, look->ratio);
  quantiles(&r, r.restitution, look->restitution);
  find_far(&r, r.share, ROUNDED_ROOT, "momentum that no impulse explains", look, size);
  find_rebounds(&r, look->restitution[CRD_FIT_QUANTILES / 2]);
  find_far(&r, r.rebound, USUAL_REBOUND, "normal rebound", look, size);
  if (!sort_outliers(look, size)) return CRD_ERR_MEMORY;
  look->unexplained = share_with(&b, &r, look, NO_CHANGE);
  if (!look_at_balance(&b, &r, look)) return CRD_ERR_MEMORY;
  if (data->count < FEWEST || !(look->unexplained > ROUNDING * ROUNDING)) return CRD_OK;
  find_turned(&b, &r, look);
  if (look->turned_row < 0) find_inertia(&b, &r, look);
  return CRD_OK;
}

crd_status crd_fit_look_at(const crd_fit_data *data, crd_fit_look *look) {
  crd_arena arena = {0};
  crd_fit_look_free(look);
  if (data->count == 0 || data->row[0].toss) return CRD_ERR_ARGUMENT;
  const crd_contact_problem *first = data->row[0].problem;
  look->rows = data->count, look->nv = first->nv, look->nrow = first->nrow + first->nb;
  look->wrong_inertia = look->turned_row = look->turned_velocity = look->gain_row = -1;
  crd_status status = look_at(data, look, &arena);
  crd_arena_free(&arena);
  return status;
}

void crd_fit_look_free(crd_fit_look *look) {
  crd_arena_free(&look->arena);
  *look = (crd_fit_look){0};
}
