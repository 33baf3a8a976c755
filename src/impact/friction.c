/* The facets' answer, and its way to the round cone.
 *
 * The facetted problem finds who opens, sticks and slips; with these modes the problem of the round cone is solved
 * exactly (src/impact/coulomb.h). Where that leads nowhere, because a polygon let slip what the cone holds or the
 * direction was far off, the first facet of every contact is turned against its slip, or into its friction where it
 * sticks, and the facets are asked again. The first directions are those of the velocity before the impact. Nothing in
 * this refers to the contact's tangents, so that the answer turns with the scene.
 *
 * Redundant contacts: impulses of least norm among those with the same modes; a contact that stays closed takes part
 * even if the facets' answer, a vertex, leaves it without load.
 */
#include "impact/friction.h"

#include <math.h>
#include <string.h>

#include "impact/island.h"
#include "linalg/dense.h"

enum { MOST_TURNS = 12, FEW = 4 };

/* scaled residual of an answer that counts as one of the round cone, and of one that is not looked at again */
static const double SETTLED = 1e-9, EXACT = 1e-12;

static bool is_round(const crd_contact *contact) { return contact->ntangent == 2 && contact->mu > 0; }

crd_status crd_friction_begin(crd_friction *f, const crd_contact_problem *problem, const crd_impact_options *options,
                              crd_impact_result *result) {
  *f = (crd_friction){.problem = problem, .options = options, .result = result};
  for (int c = 0; c < problem->nc && options->round_cone; c++) f->round = f->round || is_round(&problem->contact[c]);
  f->u = crd_impact_scratch(result, (size_t)crd_impact_rows(problem));
  return f->u ? CRD_OK : CRD_ERR_MEMORY;
}

crd_status crd_friction_facets(crd_friction *f) {
  const crd_contact_problem *problem = f->problem;
  crd_impact_result *result = f->result;
  if (f->has_facets) return CRD_OK;
  crd_status status = crd_facet_lcp_begin(&f->lcp, problem, f->options->facets, result);
  size_t m = (size_t)crd_impact_rows(problem), n = (size_t)problem->nrow;
  f->has_facets = status == CRD_OK;
  if (status != CRD_OK || !f->round) return status;
  crd_impact_scale scale = crd_impact_scale_of(problem);
  crd_cones_contact *contact = crd_arena_alloc(&result->arena, (size_t)problem->nc, sizeof *contact);
  f->turn = crd_impact_scratch(result, (size_t)problem->nc), f->p = crd_impact_scratch(result, m);
  f->W = crd_impact_scratch(result, n * n), f->b = crd_impact_scratch(result, n);
  if (!contact || !f->turn || !f->p || !f->W || !f->b) return CRD_ERR_MEMORY;
  f->contact = contact;
  f->coulomb = (crd_cones){.contact = contact,
                           .W = f->W,
                           .b = f->b,
                           .velocity = scale.velocity,
                           .impulse = scale.impulse,
                           .tolerance = f->options->tolerance};
  return crd_bilateral_eliminate(&f->bilateral, problem, &result->arena);
}

/* The problem of one contact or all, from the impulses before, without bilateral rows. */
static void set_coulomb(crd_friction *f, int contact, const double *before) {
  const crd_contact_problem *problem = f->problem;
  bool all = contact == CRD_ALL_CONTACTS;
  int n = problem->nrow, first = all ? 0 : problem->contact[contact].row;
  int m = all ? n : 1 + problem->contact[contact].ntangent;
  f->coulomb.nc = all ? problem->nc : 1, f->coulomb.m = m;
  for (int c = 0; c < f->coulomb.nc; c++) {
    f->contact[c] = crd_cones_contact_of(&problem->contact[all ? c : contact]);
    f->contact[c].row -= first;
  }
  for (int i = 0; i < m; i++) {
    const double *row = f->bilateral.W + (size_t)n * (size_t)(first + i);
    f->b[i] = f->bilateral.u_free[first + i] + (before ? crd_dense_dot(n, row, before) : 0);
    memcpy(f->W + (size_t)m * (size_t)i, row + first, sizeof *row * (size_t)m);
  }
}

/* Adds to d the velocity of contact c's tangents that normal impulses against the approach of all contacts would give
 * it, each as if alone. */
static void add_response(const crd_contact_problem *problem, const double *u, int c, double d[2]) {
  size_t m = (size_t)crd_impact_rows(problem);
  for (int k = 0; k < problem->nc; k++) {
    size_t n = (size_t)problem->contact[k].row;
    double approach = fmax(-u[n], 0), compliance = problem->W[(m + 1) * n];
    for (int t = 0; t < 2 && compliance > 0; t++)
      d[t] += problem->W[m * (size_t)(problem->contact[c].row + 1 + t) + n] * approach / compliance;
  }
}

double crd_friction_direction(const crd_contact_problem *problem, const double *u, int c) {
  double slow = 1e-9 * crd_impact_scale_of(problem).velocity;
  double d[2] = {u[problem->contact[c].row + 1], u[problem->contact[c].row + 2]};
  if (hypot(d[0], d[1]) <= slow) d[0] = d[1] = 0, add_response(problem, u, c, d);
  return hypot(d[0], d[1]) > slow ? atan2(d[1], d[0]) : 0;
}

/* Turns every first facet against the slip that p leaves, or into the friction of a contact that sticks. */
static void turn_facets(crd_friction *f, const double *p) {
  int m = crd_impact_rows(f->problem);
  double slow = f->options->tolerance * f->coulomb.velocity, weak = f->options->tolerance * f->coulomb.impulse;
  for (int c = 0; c < f->problem->nc; c++) {
    int row = f->problem->contact[c].row;
    if (!is_round(&f->problem->contact[c]) || p[row] <= weak) continue;
    double slip[2];
    for (int t = 0; t < 2; t++)
      slip[t] = f->u[row + 1 + t] + crd_dense_dot(m, f->problem->W + (size_t)m * (size_t)(row + 1 + t), p);
    if (hypot(slip[0], slip[1]) > slow)
      f->turn[c] = atan2(-slip[1], -slip[0]);
    else if (hypot(p[row + 1], p[row + 2]) > weak)
      f->turn[c] = atan2(p[row + 2], p[row + 1]);
  }
}

static crd_status keep_first(void *context, const crd_cones_answer *answer) {
  crd_friction *f = context;
  memcpy(f->p, answer->p, sizeof *answer->p * (size_t)f->coulomb.m);
  f->found = true;
  return CRD_OK;
}

/* The round cone's answer nearest to the contact impulses p (coulomb's rows), in place. */
static bool improve(crd_friction *f, double *p) {
  const crd_cones_touch who[] = {CRD_CONES_CLOSED, CRD_CONES_LOADED};
  f->found = false;
  for (int k = 0; k < 2 && !f->found; k++)
    if (crd_cones_improve(&f->coulomb, f->result, p, who[k], keep_first, f) != CRD_OK) return false;
  if (f->found) memcpy(p, f->p, sizeof *p * (size_t)f->coulomb.m);
  return f->found;
}

/* Bilateral impulses that go with the contact impulses p after those before. */
static void answer_bilateral(crd_friction *f, const double *before, double *p) {
  int n = f->problem->nrow, m = crd_impact_rows(f->problem);
  for (int i = 0; i < n; i++) f->p[i] = p[i] + (before ? before[i] : 0);
  crd_bilateral_impulses(&f->bilateral, f->problem, f->p);
  for (int b = n; b < m; b++) p[b] = f->p[b] - (before ? before[b] : 0);
}

/* Residual of the round problem at the impulses p (coulomb's rows). */
static double round_residual(const crd_friction *f, const double *p) {
  const crd_cones *coulomb = &f->coulomb;
  double worst = 0;
  for (int c = 0; c < coulomb->nc; c++) {
    const crd_cones_contact *contact = &coulomb->contact[c];
    double w[3];
    for (int t = 0; t <= contact->ntangent; t++) {
      int r = contact->row + t;
      w[t] = coulomb->b[r] + crd_dense_dot(coulomb->m, coulomb->W + (size_t)coulomb->m * (size_t)r, p);
    }
    worst = fmax(worst, crd_cones_residual(contact, p + contact->row, w, coulomb->velocity, coulomb->impulse));
  }
  return worst;
}

/* By facets that are turned until their modes lead to the round cone. *off: residual of the answer. */
static crd_status resolve_turning(crd_friction *f, int contact, const double *before, double *p, double *off) {
  const crd_contact_problem *problem = f->problem;
  set_coulomb(f, contact, before);
  for (int c = 0; c < problem->nc; c++)
    if (is_round(&problem->contact[c])) f->turn[c] = crd_friction_direction(problem, f->u, c);
  double *own = p + (contact == CRD_ALL_CONTACTS ? 0 : problem->contact[contact].row);
  *off = INFINITY;
  for (int turn = 0; turn < MOST_TURNS && SETTLED < *off; turn++) {
    crd_facet_lcp_turn(&f->lcp, f->turn);
    crd_status status = crd_facet_lcp_resolve(&f->lcp, contact, f->u, p);
    if (status != CRD_OK) return status;
    turn_facets(f, p);
    *off = improve(f, own) ? 0 : round_residual(f, own);
  }
  answer_bilateral(f, before, p);
  return CRD_OK;
}

static void keep_better(double *p, const double *other, size_t m, double *off, double off_other) {
  if (!(off_other < *off)) return;
  memcpy(p, other, sizeof *p * m);
  *off = off_other;
}

/* Modes answer nearly all impacts. Of few contacts the facets lead to the rest, since of impulses that are not
 * determined they give those nearest to least norm to the last digit; of many contacts they are too dear, and the
 * island goes first. The best answer stands. */
static crd_status resolve_round(crd_friction *f, int contact, const double *before, double *p) {
  size_t m = (size_t)crd_impact_rows(f->problem);
  double off, other, *best = crd_impact_scratch(f->result, m);
  bool few = contact != CRD_ALL_CONTACTS || f->problem->nc <= FEW;
  if (!best) return CRD_ERR_MEMORY;
  crd_status status = crd_friction_by_island(f, contact, true, p, &off), by_facets = CRD_UNKNOWN;
  if (status != CRD_OK || off <= EXACT) return status;
  for (int k = 0; k < 2 && !(off <= (few ? SETTLED : CRD_ISLAND_SETTLED)); k++) {
    bool facets = few == (k == 0);
    status = facets ? crd_friction_facets(f) : crd_friction_by_island(f, contact, false, best, &other);
    if (status == CRD_OK && facets) by_facets = status = resolve_turning(f, contact, before, best, &other);
    if (status < CRD_OK) return status;
    if (status == CRD_OK) keep_better(p, best, m, &off, other);
  }
  if (!(off < INFINITY)) return by_facets;
  if (off <= SETTLED) return CRD_OK;
  f->unsettled = fmax(f->unsettled, off);
  return crd_impact_note(f->result, "no answer of the round cone was found: residual %.2g", off);
}

/* Where rounding leaves the complementarity problem of planar or frictionless contacts without an answer: as an island,
 * whose interior-point method does not mind redundant rows. Without friction that is a convex problem, min p' W p / 2 +
 * p' u over p_n >= 0, which always has an answer. */
static crd_status resolve_without_facets(crd_friction *f, int contact, double *p, crd_status verdict) {
  double off;
  crd_status status = crd_friction_by_island(f, contact, false, p, &off);
  if (status != CRD_OK) return status;
  if (!(off <= CRD_ISLAND_SETTLED)) return verdict;
  if (off > SETTLED) f->unsettled = fmax(f->unsettled, off);
  return CRD_OK;
}

crd_status crd_friction_resolve(crd_friction *f, int contact, const double *before, double *p) {
  const crd_contact_problem *problem = f->problem;
  if (before)
    crd_problem_contact_velocity(problem, before, f->u);
  else
    memcpy(f->u, problem->u_free, sizeof *f->u * (size_t)crd_impact_rows(problem));
  if (f->round && (contact == CRD_ALL_CONTACTS || is_round(&problem->contact[contact])))
    return resolve_round(f, contact, before, p);
  crd_status status = crd_friction_facets(f);
  if (status == CRD_OK) status = crd_facet_lcp_resolve(&f->lcp, contact, f->u, p);
  return status > CRD_OK && f->options->round_cone ? resolve_without_facets(f, contact, p, status) : status;
}

bool crd_friction_round(crd_friction *f, double *p) {
  set_coulomb(f, CRD_ALL_CONTACTS, NULL);
  if (!improve(f, p)) return false;
  answer_bilateral(f, NULL, p);
  return true;
}

double crd_friction_residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  if (!options->round_cone) return crd_facet_residual(problem, options->facets, p);
  crd_impact_scale scale = crd_impact_scale_of(problem);
  int m = crd_impact_rows(problem);
  double worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    crd_cones_contact contact = crd_cones_contact_of(&problem->contact[c]);
    double u[3];
    for (int t = 0; t <= contact.ntangent; t++) {
      int r = contact.row + t;
      u[t] = problem->u_free[r] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)r, p);
    }
    worst = fmax(worst, crd_cones_residual(&contact, p + contact.row, u, scale.velocity, scale.impulse));
    for (int t = contact.ntangent + 1; t <= problem->contact[c].ntangent; t++)
      worst = fmax(worst, fabs(p[contact.row + t]) / scale.impulse);
  }
  for (int b = problem->nrow; b < m; b++) {
    double u = problem->u_free[b] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)b, p);
    worst = fmax(worst, fabs(u) / scale.velocity);
  }
  return worst;
}
