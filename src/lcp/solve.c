/* crd_lcp_solve: which way is tried when. */
#include <math.h>
#include <string.h>

#include "lcp/kernels.h"

crd_lcp_options crd_lcp_default(void) { return (crd_lcp_options){.tolerance = 1e-10, .block_steps = 12}; }

const char *crd_lcp_path_name(crd_lcp_path path) {
  static const char *const names[] = {"none", "trivial", "warm", "block", "lemke", "careful", "search"};
  return (unsigned)path < sizeof names / sizeof *names ? names[path] : "undefined path";
}

const char *crd_lcp_proof_name(crd_lcp_proof proof) {
  static const char *const names[] = {"none", "ray", "bilateral", "search"};
  return (unsigned)proof < sizeof names / sizeof *names ? names[proof] : "undefined proof";
}

static crd_status check_options(const crd_lcp_work *work, const crd_lcp_options *options) {
  if (!(options->tolerance > 0) || options->max_pivots < 0 || options->block_steps < 0 || options->search_nodes < 0)
    return CRD_ERR_ARGUMENT;
  if (options->cover)
    for (int i = 0; i < work->n; i++)
      if (!work->is_free[i] && !(options->cover[i] > 0 && isfinite(options->cover[i]))) return CRD_ERR_ARGUMENT;
  return CRD_OK;
}

static crd_status solve(crd_lcp_work *work, const crd_lcp_problem *problem, const crd_lcp_options *options, double *z,
                        crd_lcp_report *report) {
  unsigned stamp = work->stamp;
  crd_status status = lcp_begin(work, problem);
  if (status) return status;
  status = check_options(work, options);
  if (status) return status;
  int n = work->n;
  work->lemke.max_pivots = options->max_pivots ? options->max_pivots : 50 * n + 100000 / (n + 1);
  bool warm = options->warm && work->basis.n == n, plain = work->nfree == 0 && work->W;
  if (warm && options->same_matrix) work->stamp = stamp; /* columns fetched before are still those of W */
  if (warm && plain && work->kernels->warm(work, options, z, report)) return CRD_OK;
  work->warm.ready = false;
  if (!warm && plain && work->kernels->quick(work, options, z, report)) return CRD_OK;
  status = lcp_check_numbers(work, warm && options->same_matrix, report);
  if (status) return status;
  if (warm && lcp_warm(work, options, z, report)) return CRD_OK;
  if (warm && plain && work->kernels->quick(work, options, z, report)) return CRD_OK;
  lcp_full(work, options, z, report);
  if (report->status == CRD_RAY || report->status == CRD_UNKNOWN) lcp_fallback(work, options, z, report);
  return report->status;
}

crd_status crd_lcp_solve(crd_lcp_work *work, const crd_lcp_problem *problem, const crd_lcp_options *options, double *z,
                         crd_lcp_report *report) {
  crd_lcp_report unused;
  crd_lcp_options defaults;
  if (!work || !problem || !z) return CRD_ERR_ARGUMENT;
  if (!report) report = &unused;
  if (!options) defaults = crd_lcp_default(), options = &defaults;
  *report = (crd_lcp_report){.bad_row = -1, .bad_col = -1};
  report->status = solve(work, problem, options, z, report);
  return report->status;
}

int crd_lcp_basis_get(const crd_lcp_work *work, unsigned char *basis) {
  memset(basis, 0, (size_t)work->basis.n);
  for (int t = 0; t < work->basis.k; t++) basis[work->basis.col[t]] = 1;
  return work->basis.n;
}

crd_status crd_lcp_basis_set(crd_lcp_work *work, int n, const unsigned char *basis) {
  if (!work || !basis || n < 1) return CRD_ERR_ARGUMENT;
  if (n > work->capacity) return CRD_ERR_CAPACITY;
  lcp_basis *to = &work->basis;
  to->n = n, to->k = to->border = 0;
  to->factored = false;
  work->warm.ready = false;
  for (int i = 0; i < n; i++)
    if (basis[i]) to->row[to->k] = to->col[to->k] = i, to->k++;
  work->reduction.kept = work->reduction.dropped_cols = work->reduction.dropped_rows = 0;
  return CRD_OK;
}

const double *crd_lcp_ray(const crd_lcp_work *work, double *ray_cover) {
  if (ray_cover) *ray_cover = work->ray_cover;
  return work->ray;
}
