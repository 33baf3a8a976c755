/* The search as a solver: the first complementary piece whose vertex satisfies the problem, or the proof that every
 * piece is empty. Small problems only; the number of nodes is limited by the options. */
#include <string.h>

#include "lcp/search.h"

typedef struct first_solution {
  crd_lcp_work *work;
  double tolerance;
  double *z;
  crd_lcp_report *report;
  bool found, doubtful;
} first_solution;

static bool check_first(void *context, const unsigned char *basis, lcp_dictionary *dict) {
  first_solution *first = context;
  crd_lcp_work *work = first->work;
  lcp_basis *to = &work->basis;
  crd_lcp_residual_parts parts;
  lcp_search_point(work, dict, work->trial);
  to->k = to->border = 0;
  for (int i = 0; i < work->n; i++)
    if (basis[i]) to->row[to->k] = to->col[to->k] = i, to->k++;
  /* where the choice is a regular basis its point is solved afresh */
  for (int pass = 0; pass < 2; pass++) {
    if (pass && (!lcp_basis_factor(work) || !lcp_basis_point(work, work->trial, 1))) break;
    for (int i = 0; i < work->n; i++)
      if (work->trial[i] < 0 && !work->is_free[i]) work->trial[i] = 0;
    lcp_residual_bound(work, work->trial);
    lcp_residual_measure(work, work->trial, &parts);
    if (parts.scaled <= first->tolerance) {
      memcpy(first->z, work->trial, sizeof(double) * (size_t)work->n);
      first->report->residual = parts.scaled;
      first->found = true;
      to->n = to->factored ? work->n : 0;
      return false;
    }
  }
  first->doubtful = true;
  return true;
}

void lcp_fallback(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  int nodes = options->search_nodes ? options->search_nodes : report->status == CRD_UNKNOWN ? 20000 : 0;
  if (nodes == 0 || work->n > LCP_FALLBACK_ROWS) return;
  first_solution first = {.work = work, .tolerance = options->tolerance, .z = z, .report = report};
  lcp_search *search = work->search;
  search->max_nodes = nodes;
  search->visit = check_first;
  search->context = &first;
  lcp_need_dense(work);
  lcp_search_run(search, work);
  if (first.found) {
    report->status = CRD_OK, report->path = CRD_LCP_PATH_SEARCH;
  } else if (!search->truncated && !first.doubtful) {
    report->status = CRD_NO_SOLUTION, report->path = CRD_LCP_PATH_SEARCH, report->proof = CRD_LCP_PROOF_SEARCH;
  }
}
