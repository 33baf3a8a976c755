/* Moments and quantiles of the contact velocities over the outcomes of a set.
 *
 *   mean u = 1/n sum u_k,    cov = 1/(n - 1) sum (u_k - mean)(u_k - mean)',    u_k = J v_k
 *   quantile q: order statistic at (n - 1) q, linear between neighbours
 *
 * They belong to the way of sampling (pattern, h), not to nature: the set itself says what can happen, not how often.
 */
#include <cradle/outcome.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

const double crd_outcome_levels[CRD_OUTCOME_LEVELS] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int by_value(const void *a, const void *b) {
  double x, y;
  memcpy(&x, a, sizeof x), memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

/* Velocities of one row over the outcomes. */
static void row_values(const crd_contact_problem *problem, const crd_outcome_set *set, int row, double *value) {
  size_t n = (size_t)set->nv, count = 0;
  for (uint64_t k = 0; k < set->samples; k++)
    if (set->ending[k] == CRD_OUTCOME_DONE)
      value[count++] = crd_dense_dot(set->nv, problem->J + n * (size_t)row, set->v_plus + n * k);
}

static double quantile(const double *sorted, size_t count, double level) {
  double at = level * (double)(count - 1);
  size_t below = (size_t)at;
  if (below + 1 >= count) return sorted[count - 1];
  return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

/* After the means; u has room for the rows. */
static void add_covariance(const crd_contact_problem *problem, const crd_outcome_set *set, double *u,
                           crd_outcome_statistics *s) {
  size_t n = (size_t)set->nv, rows = (size_t)s->rows;
  double share = s->count > 1 ? 1 / (double)(s->count - 1) : 0;
  for (uint64_t k = 0; k < set->samples; k++) {
    if (set->ending[k] != CRD_OUTCOME_DONE) continue;
    for (size_t i = 0; i < rows; i++)
      u[i] = crd_dense_dot(set->nv, problem->J + n * i, set->v_plus + n * k) - s->mean[i];
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < rows; j++) s->covariance[rows * i + j] += share * u[i] * u[j];
  }
}

crd_status crd_outcome_statistics_of(const crd_contact_problem *problem, const crd_outcome_set *set,
                                     crd_outcome_statistics *s, crd_arena *arena) {
  size_t rows = (size_t)set->nrow, count = (size_t)set->ended[CRD_OUTCOME_DONE];
  *s = (crd_outcome_statistics){.count = set->ended[CRD_OUTCOME_DONE], .rows = set->nrow};
  if (!problem->J || problem->nrow != set->nrow || problem->nv != set->nv) return CRD_ERR_ARGUMENT;
  if (CRD_TAKE(arena, CRD_ARRAY(s->mean, rows), CRD_MATRIX(s->covariance, rows, rows),
               CRD_MATRIX(s->quantile, rows, CRD_OUTCOME_LEVELS)))
    return CRD_ERR_MEMORY;
  if (count == 0) return CRD_OK;
  double *value = malloc(count * sizeof *value), *u = crd_arena_alloc(arena, rows, sizeof *u);
  for (size_t i = 0; value && u && i < rows; i++) {
    row_values(problem, set, (int)i, value);
    for (size_t k = 0; k < count; k++) s->mean[i] += value[k] / (double)count;
    qsort(value, count, sizeof *value, by_value);
    for (size_t l = 0; l < CRD_OUTCOME_LEVELS; l++)
      s->quantile[CRD_OUTCOME_LEVELS * i + l] = quantile(value, count, crd_outcome_levels[l]);
  }
  if (value && u) add_covariance(problem, set, u, s);
  bool done = value && u;
  free(value);
  return done ? CRD_OK : CRD_ERR_MEMORY;
}
