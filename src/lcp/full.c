/* The full solver: equilibrate, eliminate the free rows, run Lemke, refine on the data as given, confirm.
 *
 * The first run is in double arithmetic. Its basis is factored afresh and its point refined; if that satisfies the
 * problem the verdict stands. A doubtful end (small pivots, a ray with entries near zero, a point that does not satisfy
 * the problem) is repeated in double-double arithmetic with the same covering vector, then with variations of what
 * counts as zero and of the covering vector. A ray is believed when a run without doubt ends on one, and its
 * certificate holds on the data as given.
 *
 * A ray r with w'r >= 0 along which z0 does not grow is one that a copositive matrix cannot have [Halm & Posa, Prop.
 * 2]: contact problems with many redundant points end there by rounding, at a vertex where z0 is zero but did not
 * leave. Such a ray is no verdict before other covering vectors have been tried.
 */
#include <math.h>
#include <string.h>

#include "lcp/kernels.h"

static const double CAREFUL_DOUBTFUL =
    1e-12;                            /* least pivot of a run in twice the digits below which its end is doubted */
static const double RAY_ZERO = 1e-14; /* entry of a ray that is a rounded zero */
static const double CAREFUL_RAY_ZERO = 1e-20; /* the same in twice the digits */
static const double BALANCED = 1e-12;         /* of the terms of w r: what rounding leaves of zero */

typedef struct lcp_run {
  bool careful;                                        /* double-double */
  enum { COVER_GIVEN, COVER_EVEN, COVER_DRAWN } cover; /* the caller's; ones in the scaled problem; see draw_cover */
  double zero_pivot, zero_value, tie, same;
  double data_error; /* relative error of the data that decisions allow for */
} lcp_run;

static const lcp_run runs[] = {
    {false, COVER_GIVEN, LCP_ZERO_PIVOT, LCP_ZERO_VALUE, LCP_TIE, LCP_SAME, 0},
    {true, COVER_GIVEN, 1e-30, 1e-30, 1 + 1e-15, 1e-12, 1e-15},
    {true, COVER_EVEN, 1e-30, 1e-30, 1 + 1e-13, 1e-10, 1e-13},
    {true, COVER_GIVEN, 1e-26, 1e-28, 1, 1e-20, 0},
    {true, COVER_DRAWN, 1e-30, 1e-30, 1 + 1e-15, 1e-12, 1e-15}, /* DRAWN_RUNS times, after a ray that cannot be */
};
enum { RUNS = sizeof runs / sizeof runs[0] - 1, DRAWN_RUNS = 12 };

/* Result of a run, in double: members of the basis, or the growth along the ray. */
typedef struct lcp_outcome {
  lemke_end end;
  bool doubtful;
  double *value; /* [m] z of the pure problem, or its growth along the ray; scaled */
  double cover_growth;
} lcp_outcome;

#define OUTCOME(state, ROUND)                                                                   \
  do {                                                                                          \
    memset(out->value, 0, sizeof(double) * (size_t)(state)->n);                                 \
    out->doubtful = (state)->least_pivot < (run->careful ? CAREFUL_DOUBTFUL : LCP_DOUBTFUL);    \
    if (out->end == LEMKE_SOLVED) {                                                             \
      for (int t = 0; t < (state)->slots; t++)                                                  \
        out->value[(state)->member[t]] = ROUND((state)->q[(state)->z_row[(state)->member[t]]]); \
    } else if (out->end == LEMKE_RAY) {                                                         \
      int n_ = (state)->n;                                                                      \
      for (int i = 0; i < n_; i++) {                                                            \
        double x = ROUND((state)->x[i]);                                                        \
        int var = (state)->var[i];                                                              \
        if (x > 0 && x > (run->careful ? CAREFUL_RAY_ZERO : RAY_ZERO)) out->doubtful = true;    \
        if (var >= n_ && var < 2 * n_) out->value[var - n_] = -x;                               \
        if (var == 2 * n_) out->cover_growth = -x;                                              \
      }                                                                                         \
      if ((state)->entering >= n_) out->value[(state)->entering - n_] = 1;                      \
    }                                                                                           \
  } while (0)

/* The covering vector number `draw`: entries spread evenly over 0.5 .. 1.5, the same in every run. */
static double draw_cover(int draw, int k) {
  double x = 0.6180339887498949 * (k + 1) + 0.7548776662466927 * draw;
  return 0.5 + (x - floor(x));
}

/* Covering vector of the pure problem. */
static const double *scaled_cover(crd_lcp_work *work, const crd_lcp_options *options, const lcp_run *run, int draw) {
  const lcp_reduction *reduction = &work->reduction;
  double *d = work->help;
  for (int k = 0; k < reduction->m; k++) {
    int i = k < reduction->pairs ? reduction->pair[k] : -1;
    if (run->cover == COVER_DRAWN) {
      d[k] = draw_cover(draw, k);
      continue;
    }
    d[k] = run->cover == COVER_EVEN || i < 0 || reduction->turned[i]
               ? 1
               : work->row_scale[i] * (options->cover ? options->cover[i] : 1);
  }
  return d;
}

static void run_lemke(crd_lcp_work *work, const crd_lcp_options *options, const lcp_run *run, int draw,
                      crd_lcp_report *report, lcp_outcome *out) {
  const double *cover = scaled_cover(work, options, run, draw);
  if (run->careful) {
    lcp_lemke_dd_state *s = &work->careful;
    s->zero_pivot = run->zero_pivot, s->zero_value = run->zero_value, s->tie = run->tie, s->same = run->same;
    s->data_error = run->data_error;
    s->max_pivots = work->lemke.max_pivots;
    out->end = lcp_lemke_dd_solve(s, cover);
    report->pivots += s->pivots;
    OUTCOME(s, dd_round);
    if (out->end == LEMKE_SOLVED) lcp_reduction_basis(work, s->member, s->slots);
  } else {
    lcp_lemke_double_state *s = &work->lemke;
    s->zero_pivot = run->zero_pivot, s->zero_value = run->zero_value, s->tie = run->tie, s->same = run->same;
    s->rows = NULL;
    out->end = work->kernels->lemke(s, cover);
    report->pivots += s->pivots;
    OUTCOME(s, (double));
    if (out->end == LEMKE_SOLVED) lcp_reduction_basis(work, s->member, s->slots);
  }
  report->runs++;
}

/* The pure problem's values as z; free variables only where they are part of it. */
static void unscale(crd_lcp_work *work, const double *value, double *z) {
  const lcp_reduction *reduction = &work->reduction;
  memset(z, 0, sizeof(double) * (size_t)work->n);
  for (int k = 0; k < reduction->pairs; k++)
    z[reduction->pair[k]] = value[k] * work->col_scale[reduction->pair[k]] / work->w_scale;
}

static void clip(crd_lcp_work *work, double *z) {
  for (int i = 0; i < work->n; i++)
    if (z[i] < 0 && !work->is_free[i]) z[i] = 0;
}

/* Residual of z, which may be replaced by its least-norm equal. */
static double measure(crd_lcp_work *work, double *z, double tolerance) {
  double bound = lcp_residual_bound(work, z);
  if (bound <= LCP_SURE && bound <= tolerance) return bound;
  crd_lcp_residual_parts parts;
  lcp_residual_measure(work, z, &parts);
  return parts.scaled < bound ? parts.scaled : bound;
}

/* The point of the basis, refined, with small negative entries taken as zero; or the run's own values where the basis
 * is singular to working accuracy and there are no free rows to recover. Returns its residual. */
static double best_point(crd_lcp_work *work, const lcp_outcome *out, double tolerance) {
  double *z = work->z, *trial = work->trial, residual = INFINITY;
  bool regular = lcp_basis_factor(work);
  for (int refine = 0; refine <= 2 && regular && residual > LCP_SURE; refine++) {
    if (!lcp_basis_point(work, trial, refine)) break;
    clip(work, trial);
    double here = measure(work, trial, tolerance);
    if (here < residual) residual = here, memcpy(z, trial, sizeof(double) * (size_t)work->n);
  }
  if (residual > LCP_SURE && work->nfree == 0) {
    unscale(work, out->value, trial);
    clip(work, trial);
    double here = measure(work, trial, tolerance);
    if (here < residual) residual = here, memcpy(z, trial, sizeof(double) * (size_t)work->n);
  }
  return residual;
}

static bool accept(crd_lcp_work *work, const crd_lcp_options *options, const lcp_run *run, const lcp_outcome *out,
                   double *z, crd_lcp_report *report) {
  double residual = best_point(work, out, options->tolerance);
  if (!(residual <= options->tolerance)) return false;
  if (work->reduction.dropped_cols > 0) {
    memcpy(work->trial, work->z, sizeof(double) * (size_t)work->n);
    lcp_least_norm(work, work->trial);
    double least = measure(work, work->trial, options->tolerance);
    if (least <= options->tolerance) residual = least, memcpy(work->z, work->trial, sizeof(double) * (size_t)work->n);
  }
  memcpy(z, work->z, sizeof(double) * (size_t)work->n);
  report->status = CRD_OK;
  report->residual = residual;
  report->rank_dropped = work->reduction.dropped_rows;
  report->path = run->careful ? CRD_LCP_PATH_CAREFUL : CRD_LCP_PATH_LEMKE;
  return true;
}

/* A ray that holds on the data: kept as certificate, and as verdict unless a later run finds a solution. */
static bool believe_ray(crd_lcp_work *work, const crd_lcp_options *options, const lcp_run *run, const lcp_outcome *out,
                        crd_lcp_report *report) {
  for (int i = 0; i < work->n; i++)
    if (work->reduction.turned[i]) return false; /* the ray is one of another covering vector */
  if (run->cover != COVER_GIVEN || report->has_ray ||
      !lcp_ray_certificate(work, options->cover, out->value, out->cover_growth))
    return false;
  report->has_ray = true;
  report->status = CRD_RAY;
  report->path = run->careful ? CRD_LCP_PATH_CAREFUL : CRD_LCP_PATH_LEMKE;
  if (lcp_ray_proves_infeasible(work)) report->status = CRD_NO_SOLUTION, report->proof = CRD_LCP_PROOF_RAY;
  return false;
}

/* w'r >= 0 and z0 does not grow. */
static bool ray_cannot_be(const crd_lcp_work *work) {
  double sum = 0, size = 0;
  for (int i = 0; i < work->n; i++) {
    sum += work->problem->w[i] * work->ray[i];
    size += fabs(work->problem->w[i] * work->ray[i]);
  }
  return work->ray_cover == 0 && sum >= -BALANCED * size;
}

void lcp_full(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report) {
  lcp_outcome out = {.value = work->help + work->pure_capacity};
  bool limit = false, inconsistent = false;
  report->status = CRD_UNKNOWN;
  work->basis.n = 0;
  for (int k = 0; k < RUNS + DRAWN_RUNS; k++) {
    const lcp_run *run = &runs[k < RUNS ? k : RUNS];
    if (k == RUNS && !(report->status == CRD_RAY && ray_cannot_be(work))) break;
    if (!(run->careful ? lcp_reduce_careful(work) : lcp_reduce(work))) break;
    if (work->reduction.inconsistent) {
      inconsistent = run->careful;
      if (inconsistent) break;
      continue;
    }
    run_lemke(work, options, run, k - RUNS, report, &out);
    if (out.end == LEMKE_LIMIT) {
      limit = true;
    } else if (out.end == LEMKE_SOLVED) {
      if ((!out.doubtful || run->careful) && accept(work, options, run, &out, z, report)) return;
    } else if (out.end == LEMKE_RAY && believe_ray(work, options, run, &out, report)) {
      return;
    }
  }
  work->basis.n = 0;
  if (inconsistent)
    report->status = CRD_NO_SOLUTION, report->proof = CRD_LCP_PROOF_BILATERAL;
  else if (limit && report->status == CRD_UNKNOWN)
    report->status = CRD_LIMIT;
}
