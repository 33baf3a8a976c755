/* Every law satisfies M d = J' p with d = v+ - v_free. Of all impulses p, those that leave least unexplained in the
 * metric G, the M that is stated, solve
 *
 *   (X' G X) p = X' G d,   X = M^-1 J',   and |d|^2_G - p' X' G d remains: zero for exact data.
 *
 * M is G itself, or has the inertia of one velocity multiplied by f. The metric stays: in that of M a small f would leave little
 * unexplained whatever the data. With noise of d that is alike in all directions of G the remainder is that of generalised least
 * squares for the momenta M d, whose covariance is then M G^-1 M, so that the f of least remainder is a consistent estimate
 * (the regression of one momentum on another is not: noise draws its slope towards zero).
 *
 * Balance of one momentum k: impulses from the others, in the metric 1 / M_jj, predict h_k = (M d)_k. */
#include "fit/balance.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

static const double ROUNDING = 1e-9;      /* of the largest: an entry of a diagonal that is none */
static const double LEAST_CHANGE = 1e-13; /* of the trace, for dependent rows: of their impulses the least */
static const double INDEPENDENT = 1e-9;   /* share of a pivot in its diagonal: the row does not follow from others */

crd_status fit_balance_begin(fit_balance *b, const crd_fit_data *data, crd_arena *arena) {
  size_t n = 0, m = 0;
  for (int i = 0; i < data->count; i++) {
    const crd_contact_problem *p = data->row[i].problem;
    if ((size_t)p->nv > n) n = (size_t)p->nv;
    if ((size_t)(p->nrow + p->nb) > m) m = (size_t)(p->nrow + p->nb);
  }
  return CRD_TAKE(arena, CRD_MATRIX(b->metric, n, n), CRD_MATRIX(b->M, n, n), CRD_MATRIX(b->L, n, n),
                  CRD_MATRIX(b->J, m, n), CRD_MATRIX(b->X, m, n), CRD_MATRIX(b->W, m, m), CRD_ARRAY(b->d, n),
                  CRD_ARRAY(b->h, n), CRD_ARRAY(b->image, n), CRD_ARRAY(b->rest, n), CRD_ARRAY(b->p, m),
                  CRD_ARRAY(b->asked, m), CRD_ARRAY(b->diagonal, m));
}

void fit_balance_load(fit_balance *b, const crd_fit_row *row, fit_change change) {
  const crd_contact_problem *p = row->problem;
  const int n = b->n = p->nv;
  b->m = p->nrow + p->nb;
  memcpy(b->metric, p->M, sizeof *b->M * (size_t)(n * n));
  memcpy(b->M, p->M, sizeof *b->M * (size_t)(n * n));
  memcpy(b->J, p->J, sizeof *b->J * (size_t)(b->m * n));
  if (change.row >= 0) b->J[n * change.row + change.velocity] *= -1;
  for (int k = 0; change.factor > 0 && k < n; k++) {
    b->M[n * change.velocity + k] *= sqrt(change.factor);
    b->M[n * k + change.velocity] *= sqrt(change.factor);
  }
  for (int k = 0; k < n; k++) b->d[k] = row->v_plus[k] - p->v_free[k];
  for (int k = 0; k < n; k++) b->h[k] = crd_dense_dot(n, b->M + n * k, b->d);
}

/* Solves the m equations W p = p, of dependent rows with the least change. */
static bool solve(fit_balance *b) {
  double trace = 0;
  b->determined = true;
  for (int i = 0; i < b->m; i++) trace += b->W[(b->m + 1) * i];
  for (int i = 0; i < b->m; i++) b->W[(b->m + 1) * i] += LEAST_CHANGE * trace;
  for (int i = 0; i < b->m; i++) b->diagonal[i] = b->W[(b->m + 1) * i];
  if (!crd_dense_cholesky(b->m, b->W)) return false;
  for (int i = 0; i < b->m; i++) {
    const double pivot = b->W[(b->m + 1) * i];
    b->determined = b->determined && pivot * pivot > INDEPENDENT * b->diagonal[i];
  }
  crd_dense_cholesky_solve(b->m, b->W, 1, b->p);
  return true;
}

void fit_balance_measure(fit_balance *b, double *whole, double *unexplained) {
  const int n = b->n, m = b->m;
  double explained = 0;
  memset(b->p, 0, sizeof *b->p * (size_t)m);
  *whole = crd_dense_quadratic(n, b->metric, b->d), *unexplained = *whole;
  memcpy(b->L, b->M, sizeof *b->L * (size_t)(n * n));
  memcpy(b->X, b->J, sizeof *b->X * (size_t)(m * n));
  if (!crd_dense_cholesky(n, b->L)) return;
  crd_dense_cholesky_solve(n, b->L, m, b->X);
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < n; k++) b->image[k] = crd_dense_dot(n, b->metric + n * k, b->X + n * i);
    for (int j = 0; j < m; j++) b->W[m * i + j] = crd_dense_dot(n, b->image, b->X + n * j);
    b->p[i] = b->asked[i] = crd_dense_dot(n, b->image, b->d);
  }
  if (!solve(b)) return;
  for (int i = 0; i < m; i++) explained += b->p[i] * b->asked[i];
  *unexplained = fmax(0, *whole - explained);
}

/* With r = d - X p and d M / d log f = (E M + M E) / 2, E zero except for E_kk = 1: p being a minimum,
 * d |r|^2_G / d log f = -2 r' G (d X / d log f) p = y_k (J' p)_k + (G r)_k (X p)_k,  y = M^-1 G r. */
double fit_balance_slope(fit_balance *b, int k) {
  const int n = b->n, m = b->m;
  double momentum = 0, velocity = 0;
  for (int i = 0; i < m; i++) momentum += b->J[n * i + k] * b->p[i], velocity += b->X[n * i + k] * b->p[i];
  for (int q = 0; q < n; q++) {
    b->rest[q] = b->d[q];
    for (int i = 0; i < m; i++) b->rest[q] -= b->X[n * i + q] * b->p[i];
  }
  for (int q = 0; q < n; q++) b->image[q] = crd_dense_dot(n, b->metric + n * q, b->rest);
  const double opposite = b->image[k];
  crd_dense_cholesky_solve(n, b->L, 1, b->image);
  return b->image[k] * momentum + opposite * velocity;
}

bool fit_balance_predict(fit_balance *b, int k, double *change) {
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
