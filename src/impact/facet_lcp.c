#include "impact/facet_lcp.h"

#include <math.h>
#include <string.h>

#include "base/angle.h"
#include "base/layout.h"
#include "linalg/dense.h"

/* Largest scaled residual of a complementarity problem whose data are nearly singular. */
static const double LOOSEST = 1e-7;

/* Where facing walls, or rows that follow from bilateral ones, leave no room, rounding may take the solutions away: the
 * openings asked for are then relaxed step by step, as in normal_cone.c, up to the largest speed that counts as no
 * approach. */
static const double FIRST_RELAXED = 1e-13;

/* Rows of a faceted problem: its matrices, a dozen of this order squared, take 2 GB. */
enum { MOST_ROWS = 4500 };

crd_status crd_facet_lcp_begin(crd_facet_lcp *lcp, const crd_contact_problem *problem, int facets,
                               crd_impact_result *result) {
  size_t count = (size_t)crd_facets_count(problem, facets), nc = (size_t)problem->nc;
  size_t size = 2 * nc + count + (size_t)problem->nb;
  if (size > MOST_ROWS) {
    const crd_status noted = crd_impact_note(result, "found %zu rows with %d facets a contact, expected at most %d",
                                             size, facets, MOST_ROWS);
    return noted == CRD_OK ? CRD_LIMIT : noted;
  }
  *lcp = (crd_facet_lcp){.problem = problem, .result = result, .per_contact = facets};
  if (CRD_TAKE(&result->arena, CRD_ARRAY(lcp->facets.first, nc + 1), CRD_MATRIX(lcp->facets.direction, count, 2),
               CRD_ARRAY(lcp->index, size), CRD_MATRIX(lcp->W, size, size), CRD_MATRIX(lcp->sub, size, size),
               CRD_ARRAY(lcp->w, size), CRD_ARRAY(lcp->z, size), CRD_ARRAY(lcp->full, size)) ||
      !crd_impact_lcp(result, (int)size))
    return CRD_ERR_MEMORY;
  crd_facets_fill(problem, facets, &lcp->facets);
  crd_facets_matrix(problem, &lcp->facets, lcp->W);
  return CRD_OK;
}

/* Bilateral rows first, as the solver wants them, then normals, facets and gammas of the contacts in use. */
static void choose_rows(crd_facet_lcp *lcp, int contact) {
  const crd_facets *f = &lcp->facets;
  int first = contact == CRD_ALL_CONTACTS ? 0 : contact, last = contact == CRD_ALL_CONTACTS ? f->nc : contact + 1;
  lcp->n = 0;
  for (int b = 0; b < f->nb; b++) lcp->index[lcp->n++] = f->size - f->nb + b;
  for (int c = first; c < last; c++) lcp->index[lcp->n++] = c;
  for (int k = f->first[first]; k < f->first[last]; k++) lcp->index[lcp->n++] = f->nc + k;
  for (int c = first; c < last; c++)
    if (f->first[c + 1] > f->first[c]) lcp->index[lcp->n++] = f->nc + f->nfacet + c;
}

crd_lcp_problem crd_facet_lcp_state(crd_facet_lcp *lcp, int contact, const double *u) {
  size_t size = (size_t)lcp->facets.size;
  choose_rows(lcp, contact);
  crd_facets_vector(lcp->problem, &lcp->facets, u, lcp->full);
  for (int c = 0; lcp->pressed && c < lcp->facets.nc; c++)
    lcp->full[lcp->facets.nc + lcp->facets.nfacet + c] = lcp->problem->contact[c].mu * lcp->pressed[c];
  for (int i = 0; i < lcp->n; i++) {
    lcp->w[i] = lcp->full[lcp->index[i]];
    for (int j = 0; j < lcp->n; j++)
      lcp->sub[(size_t)lcp->n * (size_t)i + (size_t)j] = lcp->W[size * (size_t)lcp->index[i] + (size_t)lcp->index[j]];
  }
  /* Bilateral rows that hold up to rounding hold: noise in dependent rows would contradict itself. */
  double noise = 1e-13 * crd_impact_scale_of(lcp->problem).velocity;
  for (int b = 0; b < lcp->facets.nb; b++)
    if (fabs(lcp->w[b]) <= noise) lcp->w[b] = 0;
  crd_lcp_problem problem = crd_lcp_dense(lcp->n, lcp->sub, lcp->w);
  problem.free_leading = lcp->facets.nb;
  return problem;
}

void crd_facet_lcp_impulse(crd_facet_lcp *lcp, const double *z, double *p) {
  memset(lcp->full, 0, sizeof *lcp->full * (size_t)lcp->facets.size);
  for (int i = 0; i < lcp->n; i++) lcp->full[lcp->index[i]] = z[i];
  crd_facets_impulse(lcp->problem, &lcp->facets, lcp->full, p);
}

/* Relaxes the problem by `share` of the speeds that the energy allows: slower rows become zero, normals are raised by
 * it. */
static void relax(crd_facet_lcp *lcp, double share) {
  const crd_contact_problem *problem = lcp->problem;
  int nb = lcp->facets.nb;
  for (int i = 0; i < lcp->n && (i < nb || lcp->index[i] < problem->nc); i++) {
    int row = i < nb ? problem->nrow + i : problem->contact[lcp->index[i]].row;
    double slow = share * crd_contact_problem_speed(problem, row), w = lcp->full[lcp->index[i]];
    lcp->w[i] = fabs(w) <= slow ? 0 : i < nb ? w : w + slow;
  }
}

/* The same problem with velocities over V and impulses times C/V, C the largest compliance: entries of W, which have a
 * unit, and the ones of the friction bounds, which have none, are then alike, and covering vectors mean something. Only
 * where the path through the problem as it stands found no end. */
static crd_status solve_scaled(crd_facet_lcp *lcp, const crd_lcp_options *options, crd_lcp_report *report) {
  crd_impact_scale scale = crd_impact_scale_of(lcp->problem);
  int gamma = lcp->facets.nc + lcp->facets.nfacet, last = gamma + lcp->facets.nc;
  double C = scale.velocity / scale.impulse;
  for (int i = 0; i < lcp->n; i++) {
    bool bound = lcp->index[i] >= gamma && lcp->index[i] < last;
    lcp->w[i] /= bound ? scale.impulse : scale.velocity;
    for (int j = 0; j < lcp->n; j++) {
      bool slack = lcp->index[j] >= gamma && lcp->index[j] < last;
      if (!bound && !slack) lcp->sub[(size_t)lcp->n * (size_t)i + (size_t)j] /= C;
    }
  }
  crd_lcp_problem problem = crd_lcp_dense(lcp->n, lcp->sub, lcp->w);
  problem.free_leading = lcp->facets.nb;
  crd_status status = crd_lcp_solve(lcp->result->lcp, &problem, options, lcp->z, report);
  for (int i = 0; i < lcp->n && status == CRD_OK; i++) lcp->z[i] *= scale.impulse;
  return status;
}

/* Nothing approaches and bilateral rows hold: no impulse is an answer, and the one to give where friction admits others
 * (an impact without collision). */
static bool is_over(const crd_facet_lcp *lcp) {
  const crd_contact_problem *problem = lcp->problem;
  int nb = lcp->facets.nb;
  if (lcp->pressed) return false; /* friction of the given impulses is still to come */
  for (int i = 0; i < lcp->n && (i < nb || lcp->index[i] < problem->nc); i++) {
    if (i < nb && lcp->w[i] != 0) return false;
    if (i >= nb && lcp->w[i] < -CRD_APPROACH * crd_contact_problem_speed(problem, problem->contact[lcp->index[i]].row))
      return false;
  }
  return true;
}

crd_status crd_facet_lcp_resolve(crd_facet_lcp *lcp, int contact, const double *u, double *p) {
  crd_lcp_problem problem = crd_facet_lcp_state(lcp, contact, u);
  crd_lcp_report report;
  if (is_over(lcp)) {
    memset(lcp->z, 0, sizeof *lcp->z * (size_t)lcp->n);
    return crd_facet_lcp_impulse(lcp, lcp->z, p), CRD_OK;
  }
  crd_lcp_options options = crd_lcp_default();
  crd_status status = crd_lcp_solve(lcp->result->lcp, &problem, &options, lcp->z, &report);
  /* with masses a million times apart W itself has no more than ten digits of the smaller share */
  while (status == CRD_UNKNOWN && options.tolerance < LOOSEST) {
    options.tolerance *= 10;
    status = crd_lcp_solve(lcp->result->lcp, &problem, &options, lcp->z, &report);
  }
  for (double share = FIRST_RELAXED; share <= CRD_APPROACH && (status == CRD_NO_SOLUTION || status == CRD_RAY);
       share *= 10) {
    relax(lcp, share);
    status = crd_lcp_solve(lcp->result->lcp, &problem, &options, lcp->z, &report);
  }
  if (status == CRD_NO_SOLUTION || status == CRD_RAY) status = solve_scaled(lcp, &options, &report);
  if (status == CRD_OK)
    crd_facet_lcp_impulse(lcp, lcp->z, p);
  else
    crd_impact_note(lcp->result, "the complementarity problem of %d rows ended with: %s (after %d pivots)", lcp->n,
                    crd_status_text(status), report.pivots);
  return status;
}

static double velocity_after(const crd_contact_problem *problem, int row, const double *p) {
  int m = crd_impact_rows(problem);
  return problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, p);
}

/* Friction of one contact: how far p_t is outside mu p_n times the polygon, and what dissipation it misses there. */
static double friction_error(const crd_contact_problem *problem, const crd_contact *contact, int facets,
                             const double *p) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double radius = contact->mu * fmax(p[contact->row], 0), pt[2] = {0}, ut[2] = {0};
  if (contact->ntangent == 0) return 0;
  for (int t = 0; t < contact->ntangent; t++) {
    pt[t] = p[contact->row + 1 + t];
    ut[t] = velocity_after(problem, contact->row + 1 + t, p);
  }
  /* a planar contact's polygon is the segment from -1 to 1: vertices and edge normals coincide */
  int k = contact->ntangent == 1 ? 2 : facets;
  double inner = contact->ntangent == 1 ? 1 : cos(CRD_PI / k), turn = contact->ntangent == 1 ? 0 : CRD_PI / k;
  double outside = -INFINITY, strongest = 0;
  for (int j = 0; j < k; j++) {
    double vertex = 2 * CRD_PI * j / k, edge = vertex + turn;
    strongest = fmax(strongest, -(cos(vertex) * ut[0] + sin(vertex) * ut[1]));
    outside = fmax(outside, cos(edge) * pt[0] + sin(edge) * pt[1] - radius * inner);
  }
  double missed = radius * strongest + pt[0] * ut[0] + pt[1] * ut[1];
  return fmax(outside / scale.impulse, missed / (scale.impulse * scale.velocity));
}

double crd_facet_residual(const crd_contact_problem *problem, int facets, const double *p) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double pn = p[contact->row] / scale.impulse, un = velocity_after(problem, contact->row, p) / scale.velocity;
    worst = fmax(worst, fabs(fmin(pn, un)));
    worst = fmax(worst, friction_error(problem, contact, facets, p));
  }
  for (int b = problem->nrow; b < crd_impact_rows(problem); b++)
    worst = fmax(worst, fabs(velocity_after(problem, b, p)) / scale.velocity);
  return worst;
}
