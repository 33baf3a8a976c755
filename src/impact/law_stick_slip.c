/* stick-slip: [Aghili, Frictional Impacts in Multibody Systems], the algorithm i-iii after (20) for one contact
 * (stick_slip.c), on a system whose bilateral rows are eliminated first:
 *
 *   D = W_cc - W_cb W_bb^+ W_bc,   and afterwards   p_b = -W_bb^+ (u_b + W_bc i)
 *
 * The paper has one contact. Others may be present as long as the impact neither reaches nor closes them: they take no
 * impulse. Where two contacts are hit at once, or where the impact of one would close another, the law does not apply.
 *
 * Energy is not promised: a sticking tangent with Newton's coefficient gains it in Kane's pendulum, (29) says when.
 */
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/oblique.h"
#include "impact/stick_slip.h"
#include "linalg/dense.h"

/* How many contacts are hit, and the last of them. */
static int count_hits(const crd_contact_problem *problem, const crd_impact_options *options,
                      const crd_bilateral *bilateral, int *which) {
  int hits = 0;
  for (int c = 0; c < problem->nc; c++)
    if (crd_stick_slip_hits(problem, options, bilateral, c)) hits++, *which = c;
  return hits;
}

static const char *label_of(crd_slip_kind kind) {
  switch (kind) {
    case CRD_KIND_STICK: return "stick";
    case CRD_KIND_SLIP: return "slip";
    case CRD_KIND_MEAN_ZERO: return "mean-zero";
  }
  return "";
}

static crd_status add_answer(const crd_contact_problem *problem, const crd_bilateral *bilateral, int which,
                             const crd_slip_outcome *outcome, crd_impact_result *result) {
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  if (outcome) {
    const crd_contact *contact = &problem->contact[which];
    memcpy(solution->p + contact->row, outcome->i, sizeof *outcome->i * (size_t)(1 + contact->ntangent));
    solution->label = label_of(outcome->kind);
  }
  crd_bilateral_impulses(bilateral, problem, solution->p);
  return CRD_OK;
}

/* The contact that an answer would leave approaching although it takes no impulse, -1: none. */
static int closed_by(const crd_contact_problem *problem, const crd_impact_options *options, int hit,
                     const crd_impact_solution *solution) {
  int m = crd_impact_rows(problem);
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double limit = -options->tolerance * crd_contact_problem_speed(problem, row);
    if (c != hit && problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, solution->p) < limit)
      return c;
  }
  return -1;
}

static crd_status note_uniqueness(const crd_stick_slip *found, crd_impact_result *result) {
  crd_status status = CRD_OK;
  if (found->singular)
    status =
        crd_impact_note(result, "the contact's rows depend on each other: its velocity is unique, its impulse is not");
  if (status != CRD_OK || (found->count == 1 && found->outcome[0].kind != CRD_KIND_MEAN_ZERO)) return status;
  if (found->slips == 0)
    return crd_impact_note(result, "no slip direction exists: the average tangential velocity is zero (mean-zero)");
  return crd_impact_note(result, "%d slip directions%s: not unique, the first continues the frictionless impact",
                         found->slips, found->mean_zero ? " and a mean-zero outcome" : "");
}

static crd_status resolve_hit(const crd_contact_problem *problem, const crd_impact_options *options,
                              const crd_bilateral *bilateral, int which, crd_impact_result *result) {
  crd_stick_slip found;
  const char *name = problem->contact[which].name;
  crd_status status = crd_stick_slip_resolve(&found, problem, options, bilateral, which, &result->arena);
  if (status != CRD_OK) {
    crd_impact_note(result, "contact '%s' approaches, but no impulse can move its normal", name);
    return status;
  }
  if (found.count == 0) {
    crd_impact_note(result, "friction at '%s' is so large that no slip direction stops the approach", name);
    return CRD_NO_SOLUTION;
  }
  for (int k = 0; k < found.count; k++) {
    status = add_answer(problem, bilateral, which, &found.outcome[k], result);
    if (status != CRD_OK) return status;
    int closed = closed_by(problem, options, which, &result->solution[k]);
    if (closed >= 0) {
      result->count = 0;
      crd_impact_note(result, "the impact at '%s' closes '%s': the law resolves a single contact", name,
                      problem->contact[closed].name);
      return CRD_ERR_ARGUMENT;
    }
  }
  return note_uniqueness(&found, result);
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  crd_bilateral bilateral;
  int which = -1;
  crd_status status = crd_bilateral_eliminate(&bilateral, problem, &result->arena);
  if (status != CRD_OK) return status;
  int hits = count_hits(problem, options, &bilateral, &which);
  if (hits == 1) return resolve_hit(problem, options, &bilateral, which, result);
  if (hits == 0) {
    status = crd_impact_note(result, "no contact approaches");
    return status == CRD_OK ? add_answer(problem, &bilateral, -1, NULL, result) : status;
  }
  crd_impact_note(result, "%d contacts approach: the law resolves a single contact", hits);
  return CRD_ERR_ARGUMENT;
}

/* Tangential equations of the three outcomes; an answer has to satisfy one of them. */
static double tangential_residual(const crd_contact *contact, const double *u, const double *u_plus, const double *p,
                                  crd_impact_scale scale) {
  double friction = 0, rebound = 0, mean = 0, against = 0;
  for (int t = 1; t <= contact->ntangent; t++) {
    friction = hypot(friction, p[t]);
    rebound = hypot(rebound, u_plus[t] + contact->e_t * u[t]);
    mean = hypot(mean, 0.5 * (u[t] + u_plus[t]));
  }
  for (int t = 1; t <= contact->ntangent && mean > 0; t++)
    against = hypot(against, p[t] + contact->mu * p[0] * 0.5 * (u[t] + u_plus[t]) / mean);
  double stick = fmax(rebound / scale.velocity, (friction - contact->mu_static * p[0]) / scale.impulse);
  double mean_zero = fmax(mean / scale.velocity, (friction - contact->mu * p[0]) / scale.impulse);
  double slip = mean > 0 ? against / scale.impulse : INFINITY;
  return fmin(slip, fmin(fmax(stick, 0), fmax(mean_zero, 0)));
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  int m = crd_impact_rows(problem);
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double worst = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double u_plus[3], impulse = 0;
    for (int i = 0; i <= contact->ntangent; i++) {
      int row = contact->row + i;
      u_plus[i] = problem->u_free[row] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)row, p);
      impulse = fmax(impulse, fabs(p[row]));
    }
    if (impulse == 0) {
      worst = fmax(worst, -u_plus[0] / scale.velocity);
      continue;
    }
    const double *u = problem->u + contact->row;
    double normal = u_plus[0] + crd_impact_restitution(problem, options, c) * fmin(u[0], 0);
    worst = fmax(worst, fmax(fabs(normal) / scale.velocity, -p[contact->row] / scale.impulse));
    worst = fmax(worst, tangential_residual(contact, u, u_plus, p + contact->row, scale));
  }
  for (int b = problem->nrow; b < m; b++)
    worst = fmax(worst,
                 fabs(problem->u_free[b] + crd_dense_dot(m, problem->W + (size_t)m * (size_t)b, p)) / scale.velocity);
  return worst;
}

const crd_impact_law crd_law_stick_slip = {
    .name = "stick-slip",
    .title = "Newton's restitution with sticking, or slipping along the average velocity, one contact",
    .source = "Aghili, Frictional Impacts in Multibody Systems, (11), (13), (15)-(18)",
    .dissipative = false,
    .resolve = resolve,
    .residual = residual,
};
