/* From the mixed problem to a pure one and back; see reduce_core.h for the elimination. */
#include <math.h>
#include <string.h>

#include "lcp/work.h"

static const double FAIR_PIVOT = 0.1; /* of the largest entry: a diagonal one above it is taken, to keep symmetry */

#define NUM double
#define REDUCE(name) reduce_double_##name
#define LEMKE(name) lcp_lemke_double_##name
#define NUM_OF(a) (a)
#define NUM_ROUND(a) (a)
#define NUM_NEG(a) (-(a))
#define NUM_DIV(a, b) ((a) / (b))
#define NUM_SUB_MUL(a, b, c) ((a) - (b) * (c))
#include "lcp/reduce_core.h"
#undef NUM
#undef REDUCE
#undef LEMKE
#undef NUM_OF
#undef NUM_ROUND
#undef NUM_NEG
#undef NUM_DIV
#undef NUM_SUB_MUL

#define NUM crd_dd
#define REDUCE(name) reduce_dd_##name
#define LEMKE(name) lcp_lemke_dd_##name
#define NUM_OF(a) dd_of(a)
#define NUM_ROUND(a) dd_round(a)
#define NUM_NEG(a) dd_neg(a)
#define NUM_DIV(a, b) dd_div(a, b)
#define NUM_SUB_MUL(a, b, c) dd_sub(a, dd_mul(b, c))
#include "lcp/reduce_core.h"

static const double PIVOT = 1e-10;         /* of scaled rows: a smaller pivot is rounding of earlier ones */
static const double VIOLATION = 1e-9;      /* of scaled rows: a larger remainder contradicts the equation */
static const double CAREFUL_PIVOT = 1e-14; /* the same in twice the digits, where the data are what is rounded */
static const double CAREFUL_VIOLATION = 1e-11;

bool lcp_reduce(crd_lcp_work *work) {
  lcp_need_scales(work);
  return reduce_double_run(work, work->rows, &work->lemke, PIVOT, VIOLATION);
}

bool lcp_reduce_careful(crd_lcp_work *work) {
  lcp_need_scales(work);
  return reduce_dd_run(work, work->careful_rows, &work->careful, CAREFUL_PIVOT * work->n, CAREFUL_VIOLATION);
}

void lcp_reduction_basis(crd_lcp_work *work, const int *member, int count) {
  const lcp_reduction *reduction = &work->reduction;
  lcp_basis *basis = &work->basis;
  basis->n = work->n;
  basis->k = 0;
  basis->border = 0;
  basis->factored = false;
  for (int t = 0; t < reduction->kept; t++) {
    basis->row[basis->k] = reduction->kept_row[t];
    basis->col[basis->k++] = reduction->kept_col[t];
  }
  /* a turned pair is in the basis where its variable, y_c, is not */
  for (int k = 0; k < reduction->pairs; k++) {
    int c = reduction->pair[k];
    bool is_member = false;
    if (!reduction->turned[c]) continue;
    for (int t = 0; t < count; t++) is_member |= member[t] == k;
    if (!is_member) basis->row[basis->k] = basis->col[basis->k] = c, basis->k++;
  }
  for (int t = 0; t < count; t++) {
    int p = reduction->pairs, j = member[t];
    if (j < p && reduction->turned[reduction->pair[j]]) continue;
    int row = j < p ? reduction->pair[j] : reduction->split_row[(j - p) % reduction->split];
    int col = j < p ? reduction->pair[j] : reduction->split_col[(j - p) % reduction->split];
    if (row < 0 || col < 0) continue;
    basis->row[basis->k] = row, basis->col[basis->k++] = col;
  }
}

/* Null vectors of the free columns, one for each dropped column: its own entry 1, and minus the share of the kept
 * columns that makes up its column. Row t of N, n entries. */
static void null_vectors(crd_lcp_work *work, double *N) {
  const lcp_reduction *reduction = &work->reduction;
  int n = work->n, k = reduction->kept;
  memset(N, 0, sizeof(double) * (size_t)reduction->dropped_cols * (size_t)n);
  for (int t = 0; t < reduction->dropped_cols; t++, N += n) {
    const double *column = lcp_column(work, reduction->dropped_col[t]);
    for (int a = 0; a < k; a++) work->y[a] = column[reduction->kept_row[a]];
    lcp_basis_solve(work, work->y);
    for (int a = 0; a < k; a++) N[reduction->kept_col[a]] = -work->y[a];
    N[reduction->dropped_col[t]] = 1;
  }
}

/* The projection z - N' (N N')^-1 N z. N N' is the identity plus a positive semidefinite matrix, so it has a factor. */
static void project(crd_lcp_work *work, double *z, const double *N, double *gram, int count) {
  int n = work->n;
  double *t = work->y;
  for (int a = 0; a < count; a++) {
    t[a] = 0;
    for (int j = 0; j < n; j++) t[a] += N[(ptrdiff_t)a * n + j] * z[j];
    for (int b = 0; b < count; b++) {
      gram[a * count + b] = 0;
      for (int j = 0; j < n; j++) gram[a * count + b] += N[(ptrdiff_t)a * n + j] * N[(ptrdiff_t)b * n + j];
    }
  }
  if (!lcp_cholesky_factor(gram, count, count)) return;
  lcp_cholesky_solve(gram, count, count, t);
  for (int a = 0; a < count; a++)
    for (int j = 0; j < n; j++) z[j] -= N[(ptrdiff_t)a * n + j] * t[a];
}

void lcp_least_norm(crd_lcp_work *work, double *z) {
  const lcp_reduction *reduction = &work->reduction;
  lcp_basis *basis = &work->basis;
  if (reduction->dropped_cols == 0 || reduction->kept == 0) return;
  /* the kept pivots stand first in the basis */
  int k = basis->k, border = basis->border;
  basis->k = reduction->kept, basis->border = 0;
  if (lcp_basis_factor(work)) {
    null_vectors(work, work->rows);
    project(work, z, work->rows, (double *)work->careful_rows, reduction->dropped_cols);
  }
  basis->k = k, basis->border = border;
  basis->factored = false;
}
