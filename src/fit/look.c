/* Measured impacts looked at without a law.
 *
 * Whatever the law, M d = J' p with d = v+ - v_free. The impulses that leave least unexplained in the kinetic metric solve
 * W p = J d, and what remains is |d|^2_M - (J d)' W^-1 (J d): zero for exact data. If the share of the remainder falls when the
 * sign of one entry of J is turned in all rows, or one inertia is multiplied, then that is what is wrong with the data.
 *
 * Balance of one momentum k: impulses from the others, in the metric 1 / M_jj, predict h_k = (M d)_k. The slope of the
 * prediction over h_k is the factor its inertia should have. O(rows nv nrow (nrow^3 + nv^2)). */
#include <cradle/fit.h>
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "fit/order.h"
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
/* Of the trace, added to the diagonal of dependent rows: the solution of least change, to 13 digits. */
static const double LEAST_CHANGE = 1e-13;

/* What a row is computed with. */
typedef struct bench {
  int n, m;
  double *M, *L, *J, *X, *W, *d, *h, *p;
} bench;

static bool bench_begin(bench *b, const crd_fit_data *data, crd_arena *arena) {
  size_t n = 0, m = 0;
  for (int i = 0; i < data->count; i++) {
    const crd_contact_problem *p = data->row[i].problem;
    if ((size_t)p->nv > n) n = (size_t)p->nv;
    if ((size_t)(p->nrow + p->nb) > m) m = (size_t)(p->nrow + p->nb);
  }
  double **array[] = {&b->M, &b->L, &b->J, &b->X, &b->W, &b->d, &b->h, &b->p};
  const size_t size[] = {n * n, n * n, m * n, m * n, m * m, n, n, m};
  for (int k = 0; k < 8; k++)
    if (!(*array[k] = crd_arena_alloc(arena, size[k], sizeof(double)))) return false;
  return true;
}

static void load(bench *b, const crd_fit_row *row) {
  const crd_contact_problem *p = row->problem;
  b->n = p->nv, b->m = p->nrow + p->nb;
  memcpy(b->M, p->M, sizeof *b->M * (size_t)(b->n * b->n));
  memcpy(b->J, p->J, sizeof *b->J * (size_t)(b->m * b->n));
  for (int k = 0; k < b->n; k++) b->d[k] = row->v_plus[k] - p->v_free[k];
  for (int k = 0; k < b->n; k++) b->h[k] = crd_dense_dot(b->n, b->M + b->n * k, b->d);
}

/* Solves the m equations W p = p, of dependent rows with the least change. */
static bool solve(bench *b) {
  double trace = 0;
  for (int i = 0; i < b->m; i++) trace += b->W[(b->m + 1) * i];
  for (int i = 0; i < b->m; i++) b->W[(b->m + 1) * i] += LEAST_CHANGE * trace;
  if (!crd_dense_cholesky(b->m, b->W)) return false;
  crd_dense_cholesky_solve(b->m, b->W, 1, b->p);
  return true;
}

/* |d|^2_M and what of it no impulse explains; p is left in b->p. */
static void measure(bench *b, double *whole, double *unexplained) {
  const int n = b->n, m = b->m;
  *whole = crd_dense_quadratic(n, b->M, b->d), *unexplained = *whole;
  memcpy(b->L, b->M, sizeof *b->L * (size_t)(n * n));
  memcpy(b->X, b->J, sizeof *b->X * (size_t)(m * n));
  if (!crd_dense_cholesky(n, b->L)) return;
  crd_dense_cholesky_solve(n, b->L, m, b->X);
  for (int i = 0; i < m; i++) {
    b->p[i] = crd_dense_dot(n, b->J + n * i, b->d);
    for (int j = 0; j < m; j++) b->W[m * i + j] = crd_dense_dot(n, b->J + n * i, b->X + n * j);
  }
  if (!solve(b)) return;
  for (int i = 0; i < m; i++) *unexplained -= b->p[i] * crd_dense_dot(n, b->J + n * i, b->d);
  *unexplained = fmax(0, *unexplained);
}

/* The change of momentum k that the impulses ask for which the others do; false: they do not determine it. */
static bool predict(bench *b, int k, double *change) {
  const int n = b->n, m = b->m;
  if (n - 1 < m) return false;
  for (int i = 0; i < m; i++) {
    b->p[i] = 0;
    for (int j = 0; j < m; j++) b->W[m * i + j] = 0;
    for (int q = 0; q < n; q++) {
      if (q == k) continue;
      const double weighted = b->J[n * i + q] / b->M[(n + 1) * q];
      b->p[i] += weighted * b->h[q];
      for (int j = 0; j < m; j++) b->W[m * i + j] += weighted * b->J[n * j + q];
    }
  }
  double least = INFINITY, most = 0;
  for (int i = 0; i < m; i++) least = fmin(least, b->W[(m + 1) * i]), most = fmax(most, b->W[(m + 1) * i]);
  if (!(least > ROUNDING * most) || !solve(b)) return false;
  *change = 0;
  for (int i = 0; i < m; i++) *change += b->J[n * i + k] * b->p[i];
  return isfinite(*change);
}

/* ------------------------------------------------------------------------------------------------ rows */

/* What is found of every row, and which take part in what is said of all. */
typedef struct rows {
  const crd_fit_data *data;
  double *share, *restitution, *ratio; /* count; NaN: there is none */
  double *rebound; /* count: u_n+ less what the median restitution asks for, over the fastest that u_n could be */
  bool *taken;
  double *sorted;
} rows;

static void look_at_row(bench *b, const crd_fit_row *row, int i, rows *r, crd_fit_look *look) {
  const crd_contact_problem *p = row->problem;
  double whole, rest;
  load(b, row);
  measure(b, &whole, &rest);
  r->share[i] = whole > 0 ? sqrt(rest / whole) : 0;
  const int first = p->contact[0].row;
  const double after = crd_dense_dot(p->nv, p->J + p->nv * first, row->v_plus);
  r->restitution[i] = p->u[first] < 0 ? -after / p->u[first] : NAN;
  double tangent = 0;
  for (int t = 1; t <= p->contact[0].ntangent; t++) tangent = hypot(tangent, b->p[first + t]);
  r->ratio[i] = b->p[first] > 0 ? tangent / b->p[first] : NAN;
  /* an impulse beyond what the unexplained velocity could make of nothing */
  for (int c = 0; c < p->nc; c++) {
    const int n = p->contact[c].row;
    if (b->p[n] >= 0 || -b->p[n] * sqrt(p->W[(b->m + 1) * n]) <= sqrt(rest) + ROUNDING * sqrt(whole)) continue;
    look->tension++;
    break;
  }
  const double ratio = crd_dense_quadratic(p->nv, p->M, row->v_plus) / (2 * p->kinetic_free);
  look->gains += ratio > 1 + ROUNDING;
  if (look->gain_row < 0 || ratio > look->gain_max) look->gain_max = ratio, look->gain_row = i;
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

/* A change to all rows: the sign of an entry of J, or a factor of an inertia. */
typedef struct change {
  int row, velocity; /* -1: none */
  double factor;     /* of the inertia; 0: none */
} change;

static void apply(bench *b, change c) {
  if (c.row >= 0) b->J[b->n * c.row + c.velocity] *= -1;
  for (int k = 0; c.factor > 0 && k < b->n; k++) {
    b->M[b->n * c.velocity + k] *= sqrt(c.factor);
    b->M[b->n * k + c.velocity] *= sqrt(c.factor);
  }
  for (int k = 0; k < b->n; k++) b->h[k] = crd_dense_dot(b->n, b->M + b->n * k, b->d);
}

static double share_with(bench *b, const rows *r, const crd_fit_look *look, change c) {
  double whole = 0, rest = 0;
  for (int i = 0; i < r->data->count; i++) {
    double own, left;
    if (!takes_part(r, look, i)) continue;
    load(b, &r->data->row[i]);
    apply(b, c);
    measure(b, &own, &left);
    whole += own, rest += left;
  }
  return whole > 0 ? rest / whole : 0;
}

/* R^2 of the prediction of momentum k, slope of prediction over momentum and its standard error; NaN: not determined. */
static void balance_of(bench *b, const rows *r, const crd_fit_look *look, change c, int k, double *square,
                       double *slope, double *error) {
  double count = 0, h = 0, hh = 0, ph = 0, pp = 0;
  *square = *slope = *error = NAN;
  for (int i = 0; i < r->data->count; i++) {
    double found;
    if (!takes_part(r, look, i)) continue;
    load(b, &r->data->row[i]);
    apply(b, c);
    if (!predict(b, k, &found)) return;
    count++, h += b->h[k], hh += b->h[k] * b->h[k], ph += found * b->h[k], pp += found * found;
  }
  const double spread = hh - h * h / count, rest = hh - 2 * ph + pp;
  if (count < 2 || !(spread > 0) || pp == 0) return; /* pp: no impulse changes it */
  *square = 1 - rest / spread;
  *slope = ph / hh;
  *error = sqrt(fmax(0, pp - ph * ph / hh) / (count - 1) / hh);
}

static bool look_at_balance(bench *b, const rows *r, crd_fit_look *look) {
  const size_t n = (size_t)look->nv;
  double **array[] = {&look->balance, &look->inertia, &look->inertia_error};
  for (int k = 0; k < 3; k++)
    if (!(*array[k] = crd_arena_alloc(&look->arena, n, sizeof(double)))) return false;
  for (int k = 0; k < look->nv; k++)
    balance_of(b, r, look, (change){.row = -1, .velocity = k}, k, &look->balance[k], &look->inertia[k],
               &look->inertia_error[k]);
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
static void find_turned(bench *b, const rows *r, crd_fit_look *look) {
  double least = EXPLAINS * look->unexplained, slope, error;
  for (int i = 0; i < look->nrow; i++)
    for (int k = 0; k < look->nv; k++) {
      if (!is_used(r, i, k)) continue;
      const change turn = {.row = i, .velocity = k};
      const double share = share_with(b, r, look, turn);
      if (!(share < least)) continue;
      least = look->turned_unexplained = share, look->turned_row = i, look->turned_velocity = k;
    }
  if (look->turned_row < 0) return;
  /* turning one entry or all others of the row is the same: a direction is nearly that of all rows, an arm is not */
  for (int k = 0; k < look->nv; k++)
    if (is_used(r, look->turned_row, k) &&
        variation(r, look, look->turned_row, k) > variation(r, look, look->turned_row, look->turned_velocity) &&
        share_with(b, r, look, (change){.row = look->turned_row, .velocity = k}) <= least * (1 + ROUNDED_ROOT))
      look->turned_velocity = k;
  balance_of(b, r, look, (change){.row = look->turned_row, .velocity = look->turned_velocity}, look->turned_velocity,
             &look->turned_balance, &slope, &error);
}

static void find_inertia(bench *b, const rows *r, crd_fit_look *look) {
  double least = EXPLAINS_SOME * look->unexplained;
  for (int k = 0; k < look->nv; k++) {
    const double factor = look->inertia[k], off = fabs(factor - 1);
    if (!(factor > 0) || off < OTHER_INERTIA || off < STANDARD_ERRORS * look->inertia_error[k]) continue;
    const double share = share_with(b, r, look, (change){.row = -1, .velocity = k, .factor = factor});
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
  bench b;
  rows r = {.data = data};
  double *size = crd_arena_alloc(arena, (size_t)data->count, sizeof *size);
  if (!size || !bench_begin(&b, data, arena) || !rows_begin(&r, look, arena)) return CRD_ERR_MEMORY;
  for (int i = 0; i < data->count; i++) r.taken[i] = true, look_at_row(&b, &data->row[i], i, &r, look);
  quantiles(&r, r.ratio, look->ratio);
  quantiles(&r, r.restitution, look->restitution);
  find_far(&r, r.share, ROUNDED_ROOT, "momentum that no impulse explains", look, size);
  find_rebounds(&r, look->restitution[CRD_FIT_QUANTILES / 2]);
  find_far(&r, r.rebound, USUAL_REBOUND, "normal rebound", look, size);
  if (!sort_outliers(look, size)) return CRD_ERR_MEMORY;
  look->unexplained = share_with(&b, &r, look, (change){.row = -1});
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
