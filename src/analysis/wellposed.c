/* Well-posedness of the contact LCP (26) of [C]:
 *
 *   0 <= lambda_bar _|_ D lambda_bar + b >= 0,    D = G + P,    P = -n_q' H_T diag(mu_i/|grad h_i|)     (26), (86)
 *
 * A P-matrix D means one solution for every b, a strictly copositive one at least one. Propositions 12-15 give bounds;
 * the classes themselves and all solutions for a given b come from the LCP layer. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "analysis/slip.h"
#include "base/layout.h"
#include "linalg/dense.h"
#include "linalg/product.h"
#include "linalg/spectrum.h"

static const double SYMMETRIC = 1e-12; /* of the norm: asymmetry that is rounding */

const char *crd_analysis_regime_name(crd_regime regime) {
  switch (regime) {
    case CRD_REGIME_UNKNOWN: return "unknown";
    case CRD_REGIME_NONE: return "no solution (Painleve)";
    case CRD_REGIME_DETACH: return "unique detachment";
    case CRD_REGIME_CONTACT: return "unique contact";
    case CRD_REGIME_SEVERAL: return "several solutions";
  }
  return "";
}

static crd_criterion criterion(const char *name, const char *says, bool applies, double value, double bound) {
  return (crd_criterion){.name = name,
                         .says = says,
                         .kind = CRD_CRITERION_SUFFICIENT,
                         .applies = applies,
                         .holds = applies && value < bound,
                         .value = value,
                         .bound = bound};
}

/* Proposition 13 where P is symmetric: D = G + eps A stays positive definite for |eps| < eps* = 1/max |eigenvalue| of
 * the pair (P, G), at eps = 1. */
static crd_criterion proposition13(const crd_quasi_basis *b, const double *P, crd_arena *arena) {
  int p = b->nc;
  double *A = crd_matrix(arena, p, p), *G = crd_matrix(arena, p, p), *values = crd_matrix(arena, p, 4);
  double skew = 0, size = crd_dense_frobenius(p, p, P), bound = NAN;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < i; j++) skew = fmax(skew, fabs(P[crd_at(p, i, j)] - P[crd_at(p, j, i)]));
  bool applies = b->independent && p > 0 && skew <= SYMMETRIC * fmax(size, 1) && A && G && values;
  if (applies) {
    memcpy(A, P, sizeof *A * (size_t)p * (size_t)p);
    memcpy(G, b->G, sizeof *G * (size_t)p * (size_t)p);
    applies = crd_dense_eigen_pair(p, A, G, values, values + p);
    if (applies) {
      double most = fmax(fabs(values[0]), fabs(values[p - 1]));
      bound = most > 0 ? 1 / most : INFINITY;
    }
  }
  return criterion("prop13", "1 against eps* of the symmetric perturbation", applies, 1, bound);
}

/* [mu] of (86): friction of the contacts over |grad h|; unit: 1 instead of mu. */
static void perturbation(const crd_quasi_basis *b, const crd_contact_problem *problem, const double *H, bool unit,
                         double *P) {
  int p = b->nc;
  for (int i = 0; i < p; i++)
    for (int j = 0; j < p; j++) {
      double mu = unit ? 1 : problem->contact[j].mu;
      P[crd_at(p, i, j)] = -H[crd_at(p, i, j)] * (problem->contact[j].ntangent ? mu : 0) / b->norm[j];
    }
}

static void bounds(crd_wellposed *w, const crd_quasi_basis *b, const crd_contact_problem *problem, const double *H,
                   crd_arena *arena) {
  int p = b->nc;
  double sum = 0, least;
  for (int c = 0; c < p; c++) {
    double friction = problem->contact[c].ntangent ? problem->contact[c].mu / b->norm[c] : 0;
    sum += friction * friction;
  }
  crd_dense_symmetric_range(p, b->G, &least, NULL, arena);
  w->prop12 = criterion("prop12", "friction against mu_c of the one contact", p == 1,
                        p == 1 ? problem->contact[0].mu : NAN, w->mu_critical);
  w->prop12.kind = CRD_CRITERION_EXACT;
  w->prop13 = proposition13(b, w->P, arena);
  w->prop14 = criterion("prop14", "|n_q' H_T| |mu/|grad h||, Frobenius norms", b->independent,
                        crd_dense_frobenius(p, p, H) * sqrt(sum), 1 / crd_dense_frobenius(p, p, b->D_n));
  w->prop14_spectral = criterion("prop14-spectral", "|P| in the spectral norm", b->independent,
                                 crd_dense_norm(p, p, w->P, arena), least);
}

static crd_status classes(crd_wellposed *w) {
  crd_lcp_classification c = {0};
  if (w->p == 0) { /* an empty problem has its empty solution */
    w->p_matrix = w->positive_definite = w->strictly_copositive = w->copositive = CRD_LCP_YES;
    return CRD_OK;
  }
  const double work = 2e7; /* a minor costs about p^2: a tenth of a second */
  int nodes = (int)fmin(work / ((double)w->p * w->p), 200000);
  crd_status status = crd_lcp_classify(w->p, w->D, 0, nodes, &c);
  w->p_matrix = c.of[CRD_LCP_P].answer, w->positive_definite = c.of[CRD_LCP_POSITIVE_DEFINITE].answer;
  w->strictly_copositive = c.of[CRD_LCP_STRICTLY_COPOSITIVE].answer;
  w->copositive = c.of[CRD_LCP_COPOSITIVE].answer;
  crd_lcp_classification_free(&c);
  return status;
}

/* All solutions for this w; the regime from their number. */
static crd_status solve(crd_wellposed *r, const double *w, crd_lcp_solutions *solutions) {
  crd_lcp_problem problem = crd_lcp_dense(r->p, r->D, w);
  crd_lcp_work *work = crd_lcp_work_new(r->p, 0);
  if (!work) return CRD_ERR_MEMORY;
  crd_status status = crd_lcp_enumerate(work, &problem, NULL, solutions);
  crd_lcp_work_free(work);
  return status;
}

static crd_status regime(crd_wellposed *r, crd_arena *arena) {
  crd_lcp_solutions all = {0};
  int p = r->p;
  crd_status status = solve(r, r->b, &all);
  if (status == CRD_OK || status == CRD_NO_SOLUTION) {
    double most = 0;
    r->solutions = all.count;
    r->lambda_bar = crd_matrix(arena, all.count, p);
    for (int k = 0; r->lambda_bar && k < all.count; k++)
      for (int i = 0; i < p; i++) {
        r->lambda_bar[crd_at(p, k, i)] = all.piece[k].base[i];
        most = fmax(most, fabs(all.piece[k].base[i]));
      }
    bool one = all.count == 1 && all.points == 1;
    r->regime = all.count == 0 ? CRD_REGIME_NONE
                : !one         ? CRD_REGIME_SEVERAL
                : most > 0     ? CRD_REGIME_CONTACT
                               : CRD_REGIME_DETACH;
    status = r->lambda_bar ? CRD_OK : CRD_ERR_MEMORY;
  } else if (status == CRD_LIMIT) {
    status = CRD_OK;
  }
  crd_lcp_solutions_free(&all);
  return status;
}

/* Proposition 15: D copositive and v' b >= 0 for every v of the kernel cone, 0 <= v _|_ D v >= 0, whose rays are those
 * of the homogeneous problem: there is a solution. value: the least v' b over its rays with largest entry 1. */
static crd_status proposition15(crd_wellposed *r) {
  crd_lcp_solutions cone = {0};
  int p = r->p;
  double least = INFINITY;
  bool applies = r->copositive == CRD_LCP_YES && r->b;
  crd_status status = CRD_OK;
  if (applies && r->strictly_copositive != CRD_LCP_YES) {
    double w[CRD_WELLPOSED_CONTACTS] = {0};
    applies = p <= CRD_WELLPOSED_CONTACTS;
    if (applies) status = solve(r, w, &cone);
    for (int k = 0; status == CRD_OK && k < cone.count; k++)
      for (int i = 0; i < cone.piece[k].rays; i++)
        least = fmin(least, crd_dense_dot(p, cone.piece[k].ray + crd_at(p, i, 0), r->b));
    applies = applies && status == CRD_OK;
  }
  crd_lcp_solutions_free(&cone);
  r->prop15 = criterion("prop15", "least v' b over the kernel cone of a copositive D: a solution exists", applies,
                        applies ? least : NAN, 0);
  r->prop15.holds = applies && least >= 0;
  return status == CRD_ERR_MEMORY ? status : CRD_OK;
}

crd_status crd_analysis_wellposed_form(crd_wellposed *wellposed, const crd_quasi_basis *b,
                                       const crd_contact_problem *problem, const double *slip, const double *bias,
                                       crd_arena *arena) {
  int p = b->nc;
  crd_wellposed w = {.p = p};
  double *own, *H;
  if (CRD_TAKE(arena, CRD_MATRIX(w.D, p, p), CRD_MATRIX(w.P, p, p), CRD_MATRIX(own, p, 2), CRD_MATRIX(H, p, p)))
    return CRD_ERR_MEMORY;
  if (!slip) w.assumed = crd_analysis_slip_directions_of(problem, own);
  slip = slip ? slip : own;
  crd_slip_columns(b, problem, slip, p, b->nH, H);
  perturbation(b, problem, H, false, w.P);
  for (int i = 0; i < p * p; i++) w.D[i] = b->G[i] + w.P[i];
  crd_dense_symmetric_range(p, w.D, &w.least_eigenvalue, NULL, arena);
  crd_status status = crd_analysis_wellposed_critical(b, problem, slip, &w.mu_critical, arena);
  if (status == CRD_OK) status = classes(&w);
  if (status != CRD_OK) return status;
  bounds(&w, b, problem, H, arena);
  if (bias) {
    w.b = crd_matrix(arena, p, 1);
    if (!w.b) return CRD_ERR_MEMORY;
    memcpy(w.b, bias, sizeof *bias * (size_t)p);
    if (w.assumed == 0) status = regime(&w, arena); /* a contact at rest need not slip: crd_persistent */
  }
  if (status == CRD_OK) status = proposition15(&w);
  if (status == CRD_OK) *wellposed = w;
  return status;
}
