/* The warm-started path: the last basis, then its neighbours.
 *
 * Factor the last basis, compute its point and check the signs. Where some are wrong, exchange all wrong indices at
 * once (block pivoting, Kostreva 1978); when that stops reducing their number, only the last of them (Murty's rule),
 * which is finite for P-matrices; and give up after a few steps. Neighbours are solved on top of the first factor as
 * long as they differ in at most LCP_BORDER indices. An answer has passed the same check as Lemke's.
 */
#include <math.h>
#include <string.h>

#include "lcp/work.h"

static const double NEGATIVE =
    1e-13; /* of the largest entry, or of the terms of a row: below minus this it is negative, not rounded */
static const double ZERO = 1e-14; /* of the largest entry: what rounding leaves of a zero */

static void mark_basis(crd_lcp_work *work) {
  memset(work->in_basis, 0, (size_t)work->n);
  for (int t = 0; t < work->basis.k; t++) work->in_basis[work->basis.col[t]] = 1;
}

/* Wrong signs at z: returns their number and lists them. Signs within rounding of zero are right. */
static int wrong_indices(crd_lcp_work *work, const double *z, int *wrong) {
  int n = work->n, count = 0;
  double least = 0;
  for (int j = 0; j < n; j++) least = fmax(least, fabs(z[j]));
  least *= NEGATIVE;
  for (int i = 0; i < n; i++) {
    if (work->is_free[i]) continue;
    if (work->in_basis[i] ? z[i] < -least : work->y[i] < -NEGATIVE * work->size[i]) wrong[count++] = i;
  }
  return count;
}

/* z with rounding noise taken as zero, checked; its least-norm equal where multipliers are not unique. */
static bool accept(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  int n = work->n;
  double *trial = work->trial, most = 0, residual = INFINITY;
  for (int j = 0; j < n; j++) most = fmax(most, fabs(work->z[j]));
  for (int refine = 0; refine < 2; refine++) {
    if (refine && !lcp_basis_point(work, work->z, 1)) return false;
    for (int j = 0; j < n; j++) trial[j] = work->is_free[j] || work->z[j] > ZERO * most ? work->z[j] : 0;
    if (work->reduction.dropped_cols > 0) lcp_least_norm(work, trial);
    residual = lcp_residual_bound(work, trial);
    if (residual <= LCP_SURE && residual <= options->tolerance) break;
    crd_lcp_residual_parts parts;
    lcp_residual_measure(work, trial, &parts);
    residual = parts.scaled;
    if (residual <= options->tolerance) break;
    if (work->reduction.dropped_cols > 0) return false; /* the factor is gone */
  }
  if (!(residual <= options->tolerance)) return false;
  memcpy(z, trial, sizeof(double) * (size_t)n);
  report->residual = residual;
  report->rank_dropped = work->reduction.dropped_rows;
  return true;
}

/* Exchanges the wrong indices in the sets; refactors where the border is full. */
static bool exchange(crd_lcp_work *work, const int *wrong, int count) {
  for (int t = 0; t < count; t++) {
    int index = wrong[t];
    bool add = !work->in_basis[index];
    if (!lcp_basis_toggle(work, index, add)) {
      lcp_basis_commit(work);
      if (!lcp_basis_factor(work) || !lcp_basis_toggle(work, index, add)) return false;
    }
    work->in_basis[index] = add;
  }
  return true;
}

bool lcp_warm(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  lcp_basis *basis = &work->basis;
  if (basis->n != work->n) return false;
  if (!(options->same_matrix && basis->factored) && !lcp_basis_factor(work)) return false;
  int *wrong = work->lemke.tied, fewest = work->n + 1, patience = 3;
  mark_basis(work);
  for (int step = 0;; step++) {
    if (!lcp_basis_point(work, work->z, 0)) return false;
    lcp_residual_bound(work, work->z);
    int count = wrong_indices(work, work->z, wrong);
    if (count == 0) {
      if (!accept(work, options, z, report)) return false;
      if (basis->border > 0) lcp_basis_commit(work);
      report->path = step ? CRD_LCP_PATH_BLOCK : CRD_LCP_PATH_WARM;
      report->block_steps = step;
      return true;
    }
    if (step == options->block_steps) return false;
    if (count < fewest) {
      fewest = count, patience = 3;
    } else if (patience-- <= 0) {
      wrong[0] = wrong[count - 1], count = 1;
    }
    if (!exchange(work, wrong, count)) return false;
    report->block_steps = step + 1;
  }
}
