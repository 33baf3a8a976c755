/* Anitescu and Potra's inelastic simultaneous impact [Halm & Posa, eq. 31-35]: no penetration, complementarity and
 * Coulomb friction, facetted or round, all at the velocity after the impact. Always solvable and dissipative; not
 * always unique, so all answers are listed where the problem is small enough to enumerate: by modes where no contact has
 * a polygon of friction (a planar contact has two directions, round or not), else by the facetted complementarity problem.
 */
#include <string.h>

#include "impact/friction.h"
#include "impact/laws.h"

enum { ENUMERATED_ROWS = 40, ENUMERATION_NODES = 4000 }; /* 0.2 ms a node: less than a second */

/* Vertices are verified in contact space: gamma may be as large as it likes where a contact carries nothing, and a
 * large one hides the errors of the other rows from a residual relative to the row. */
static const double ACCEPTED_RESIDUAL = 1e-8;

static const double DISTINCT_SLOPE = 1e-9; /* of W_nn; smaller ones may be zero */

/* One contact whose answer is unique. For a given p_n friction is the point of least x'Wtt x / 2 + x'(w_t + W_tn p_n) in the
 * polygon mu p_n P, and u_n(p_n) = w_n + W_nn p_n + W_nt x(p_n) is piecewise linear. Its slopes are, x moving
 *
 *   within the polygon, by -Wtt^-1 W_tn:           W_nn - W_nt Wtt^-1 W_tn, which is positive;
 *   with a corner, by mu v:                        W_nn + mu W_nt v;
 *   on an edge along t, v + a t, a so that the force -u_t stays square to it:
 *                                                  W_nn + W_nt (mu v + a t),  t'(W_tn + Wtt (mu v + a t)) = 0.
 *
 * With all of them positive u_n(p_n) >= 0, p_n >= 0, one of them zero, has one solution. */
static bool is_unique(const crd_impact_friction *friction) {
  const crd_contact_problem *problem = friction->problem;
  const crd_facets *facets = &friction->lcp.facets;
  if (problem->nc != 1 || problem->nb > 0 || problem->contact[0].ntangent != 2) return false;
  const double *W = problem->W, mu = problem->contact[0].mu;
  for (int k = 0; k < facets->nfacet; k++) {
    const double *v = facets->direction + 2 * k, *next = facets->direction + 2 * ((k + 1) % facets->nfacet);
    const double t[2] = {next[0] - v[0], next[1] - v[1]}, x[2] = {mu * v[0], mu * v[1]};
    const double pull[2] = {W[3] + W[4] * x[0] + W[5] * x[1], W[6] + W[7] * x[0] + W[8] * x[1]};
    const double stiff = t[0] * (W[4] * t[0] + W[5] * t[1]) + t[1] * (W[7] * t[0] + W[8] * t[1]);
    const double a = -(t[0] * pull[0] + t[1] * pull[1]) / stiff;
    const double corner = W[0] + W[1] * x[0] + W[2] * x[1];
    const double edge = corner + a * (W[1] * t[0] + W[2] * t[1]);
    if (!(corner > DISTINCT_SLOPE * W[0]) || !(edge > DISTINCT_SLOPE * W[0])) return false;
  }
  return true;
}

static crd_status add_facetted(crd_impact_friction *friction, double *p) {
  crd_impact_result *result = friction->result;
  const crd_impact_options *options = friction->options;
  crd_status status = crd_impact_friction_facets(friction);
  if (status != CRD_OK || is_unique(friction)) return status;
  crd_lcp_problem problem = crd_facet_lcp_state(&friction->lcp, CRD_ALL_CONTACTS, friction->problem->u_free);
  if (problem.n == 0) return CRD_OK;
  if (problem.n > ENUMERATED_ROWS)
    return crd_impact_note(result, "one answer of possibly several: %d rows are too many to enumerate", problem.n);
  crd_lcp_enumerate_options enumerate = crd_lcp_enumerate_default();
  enumerate.max_nodes = ENUMERATION_NODES;
  crd_lcp_solutions found = {0};
  status = crd_lcp_enumerate(result->lcp, &problem, &enumerate, &found);
  for (int k = 0; k < found.count; k++) {
    const crd_lcp_piece *piece = &found.piece[k];
    for (int v = 0; v < piece->vertices && result->count < options->max_solutions; v++) {
      crd_facet_lcp_impulse(&friction->lcp, piece->vertex + (size_t)v * (size_t)found.n, p);
      if (!(crd_impact_friction_residual(friction->problem, options, p) <= ACCEPTED_RESIDUAL)) continue;
      crd_status added = crd_impact_add_distinct(result, friction->problem, options, p, "");
      if (added != CRD_OK) status = added;
    }
  }
  crd_lcp_solutions_free(&found);
  if (status == CRD_LIMIT) return crd_impact_note(result, "the enumeration of all answers reached its limit");
  return status < CRD_OK ? status : CRD_OK;
}

static crd_status add_round(crd_impact_friction *friction) {
  crd_impact_result *result = friction->result;
  const crd_impact_options *options = friction->options;
  crd_coulomb_problem problem = crd_impact_friction_coulomb(friction, friction->problem->u_free);
  crd_coulomb_solutions found = {0};
  crd_coulomb_enumerate_options enumerate = crd_coulomb_enumerate_default();
  enumerate.stop = options->stop, enumerate.context = options->context;
  crd_status status = crd_coulomb_enumerate(&problem, &enumerate, &found);
  for (int k = 0; k < found.count && result->count < options->max_solutions && status >= CRD_OK; k++) {
    crd_status added = crd_impact_add_distinct(result, friction->problem, options, found.solution[k].p, "");
    if (added != CRD_OK) status = added;
  }
  bool complete = status == CRD_OK && !found.searched && !found.undecided;
  crd_coulomb_solutions_free(&found);
  if (status < CRD_OK) return status;
  return complete ? CRD_OK : crd_impact_note(result, "further answers may exist: not all modes were decided");
}

static bool has_polygons(const crd_contact_problem *problem) {
  for (int c = 0; c < problem->nc; c++)
    if (problem->contact[c].ntangent == 2 && problem->contact[c].mu > 0) return true;
  return false;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  crd_impact_friction friction;
  double *p = crd_impact_scratch(result, (size_t)crd_impact_rows(problem));
  if (!p) return CRD_ERR_MEMORY;
  crd_status status = crd_impact_friction_begin(&friction, problem, options, result);
  if (status == CRD_OK) status = crd_impact_friction_resolve(&friction, CRD_ALL_CONTACTS, NULL, p);
  if (status == CRD_OK) status = crd_impact_add_distinct(result, problem, options, p, "");
  if (status != CRD_OK || options->max_solutions == 1) return status;
  bool facetted = !options->round_cone && has_polygons(problem);
  return facetted ? add_facetted(&friction, p) : add_round(&friction);
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  return crd_impact_friction_residual(problem, options, p);
}

const crd_impact_law crd_law_anitescu_potra = {
    .name = "anitescu-potra",
    .title = "Anitescu and Potra's simultaneous inelastic impact",
    .source = "Halm & Posa, eq. 31-35",
    .dissipative = true,
    .turning = CRD_TURNING_ON_ROUND_CONE,
    .resolve = resolve,
    .residual = residual,
};
