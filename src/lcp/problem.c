/* The problem as the solver sees it: checked arguments, dense matrix or columns of it, free rows. */
#include <math.h>
#include <string.h>

#include "lcp/kernel_vector.h"
#include "lcp/work.h"

crd_lcp_problem crd_lcp_dense(int n, const double *W, const double *w) {
  return (crd_lcp_problem){.n = n, .W = W, .w = w};
}

crd_status lcp_begin(crd_lcp_work *work, const crd_lcp_problem *problem) {
  int n = problem->n;
  if (n < 1 || !problem->w || (!problem->W && !problem->J) ||
      (problem->W && problem->row_stride != 0 && problem->row_stride < n) || problem->free_leading < 0 ||
      problem->free_leading > n || (problem->J && problem->nv < 1))
    return CRD_ERR_ARGUMENT;
  if (n > work->capacity || (problem->J && problem->nv > work->nv_capacity)) return CRD_ERR_CAPACITY;
  work->problem = problem;
  work->n = n;
  work->stride = 4 * crd_v4_count(n);
  work->w = problem->w;
  work->W = problem->J ? NULL : problem->W;
  work->ld = problem->row_stride ? problem->row_stride : n;
  work->half_ready = work->scaled = false;
  work->nfree = 0;
  if (problem->free_leading > 0 || problem->free_row) {
    work->none_free = 0;
    for (int i = 0; i < n; i++) {
      work->is_free[i] = i < problem->free_leading || (problem->free_row && problem->free_row[i]);
      work->nfree += work->is_free[i];
    }
  } else if (work->none_free < n) {
    memset(work->is_free, 0, (size_t)n);
    work->none_free = n;
  }
  work->stamp++;
  return CRD_OK;
}

/* First entry of the rows x cols matrix that is not finite; lower restricts it to the lower triangle. */
static bool find_bad(const double *A, int rows, int cols, int ld, bool lower, crd_lcp_report *report) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < (lower ? i + 1 : cols); j++)
      if (!isfinite(A[(ptrdiff_t)i * ld + j])) {
        report->bad_row = i, report->bad_col = j;
        return true;
      }
  return false;
}

/* A finite sum has finite terms; only when the sum is not, the entries are looked at one by one. */
crd_status lcp_check_numbers(crd_lcp_work *work, bool same_matrix, crd_lcp_report *report) {
  const crd_lcp_problem *problem = work->problem;
  int n = work->n, nv = problem->nv;
  if (problem->W && !same_matrix && !isfinite(lcp_sum(problem->W, n, n, work->ld)) &&
      find_bad(problem->W, n, n, work->ld, false, report))
    return CRD_ERR_NUMBER;
  if (problem->J && !same_matrix && !isfinite(lcp_sum(problem->J, n, nv, nv)) &&
      find_bad(problem->J, n, nv, nv, false, report))
    return CRD_ERR_NUMBER;
  if (problem->J && problem->L && !same_matrix) {
    if (find_bad(problem->L, nv, nv, nv, true, report)) return CRD_ERR_NUMBER;
    for (int i = 0; i < nv; i++)
      if (!(problem->L[i * nv + i] > 0)) return CRD_ERR_ARGUMENT;
  }
  for (int i = 0; i < n; i++)
    if (!isfinite(problem->w[i])) {
      report->bad_row = i;
      return CRD_ERR_NUMBER;
    }
  return CRD_OK;
}

/* Rows of half are L^-1 J_i', so that J M^-1 J' = half half'. */
static void need_half(crd_lcp_work *work) {
  if (work->half_ready) return;
  const crd_lcp_problem *problem = work->problem;
  int nv = problem->nv;
  for (int i = 0; i < work->n; i++) {
    double *out = work->half + (ptrdiff_t)i * nv;
    memcpy(out, problem->J + (ptrdiff_t)i * nv, sizeof(double) * (size_t)nv);
    if (!problem->L) continue;
    for (int k = 0; k < nv; k++) {
      double value = out[k];
      for (int l = 0; l < k; l++) value -= problem->L[k * nv + l] * out[l];
      out[k] = value / problem->L[k * nv + k];
    }
  }
  work->half_ready = true;
}

static double entry(const crd_lcp_work *work, int i, int j) {
  const crd_lcp_problem *problem = work->problem;
  int nv = problem->nv;
  const double *a = work->half + (ptrdiff_t)i * nv, *b = work->half + (ptrdiff_t)j * nv;
  double sum = problem->W ? problem->W[(ptrdiff_t)i * work->ld + j] : 0;
  for (int k = 0; k < nv; k++) sum += a[k] * b[k];
  return sum;
}

void lcp_need_dense(crd_lcp_work *work) {
  if (work->W) return;
  int n = work->n;
  need_half(work);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) work->dense[(ptrdiff_t)i * n + j] = entry(work, i, j);
  work->W = work->dense;
  work->ld = n;
}

const double *lcp_column(crd_lcp_work *work, int j) {
  double *column = work->column + (ptrdiff_t)j * work->stride;
  if (work->column_stamp[j] == work->stamp) return column;
  work->column_stamp[j] = work->stamp;
  int n = work->n;
  if (work->W) {
    const double *from = work->W + j;
    for (int i = 0; i < n; i++) column[i] = from[(ptrdiff_t)i * work->ld];
  } else {
    need_half(work);
    for (int i = 0; i < n; i++) column[i] = entry(work, i, j);
  }
  for (int i = n; i < work->stride; i++) column[i] = 0;
  return column;
}

crd_status crd_lcp_form(crd_lcp_work *work, const crd_lcp_problem *problem, double *W) {
  if (!work || !problem || !W) return CRD_ERR_ARGUMENT;
  crd_status status = lcp_begin(work, problem);
  if (status) return status;
  lcp_need_dense(work);
  for (int i = 0; i < work->n; i++)
    memcpy(W + (ptrdiff_t)i * work->n, work->W + (ptrdiff_t)i * work->ld, sizeof(double) * (size_t)work->n);
  return CRD_OK;
}
