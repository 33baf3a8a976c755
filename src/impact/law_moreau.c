/* moreau: projection on the normal cone in the kinetic metric, [Brogliato, (42)] with errata C-10, C-11.
 * implicit: the implicit restitution operator (57)-(59), frictionless, of which moreau is the case Lambda = e I.
 *
 *   v+ = v- - (1 + e) proj_M[N; v-]    <=>    0 <= pbar_n _|_ qd_norm+ + Lambda qd_norm- >= 0
 *                                             qd_norm+ = G pbar_n + qd_norm_free
 *
 * The equivalence is Moreau's lemma of two cones; contacts with pbar_n > 0 are the active set I'_a. Coefficients that
 * differ from contact to contact are taken as Lambda = diag(e_i), the natural extension [Leine & van de Wouw], which
 * need not lose energy. For implicit, Lambda is the problem's restitution matrix; (57) with friction needs n_q' H_T = 0
 * or a full Gamma (erratum C-23) and is not offered. The matrix is positive semidefinite: with one coefficient there is
 * always a solution, with several there may be none (a body held between two walls). Velocities are unique; impulses of
 * dependent contacts are those of least norm. A contact with qd_norm- > 0 in the active set ends with -e qd_norm- < 0:
 * the verifier says so.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "impact/impact.h"
#include "impact/laws.h"
#include "impact/normal_cone.h"
#include "impact/quasi.h"
#include "linalg/dense.h"

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

/* Component c of Lambda qd_norm-. */
typedef double (*rebound)(const crd_quasi *quasi, const crd_contact_problem *problem, const crd_impact_options *options,
                          int contact);

static double own_coefficient(const crd_quasi *quasi, const crd_contact_problem *problem,
                              const crd_impact_options *options, int contact) {
  return crd_impact_restitution(problem, options, contact) * quasi->minus[contact];
}

/* "active set: A, B" */
static crd_status note_active(const crd_contact_problem *problem, crd_impact_result *result, const double *p,
                              double least) {
  char text[360] = "";
  size_t used = 0;
  for (int c = 0; c < problem->nc; c++)
    if (p[problem->contact[c].row] > least && used < sizeof text)
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", problem->contact[c].name);
  return crd_impact_note(result, "active set: %s", used ? text : "empty");
}

static crd_status resolve_with(rebound lambda, const crd_contact_problem *problem, const crd_impact_options *options,
                               crd_impact_result *result) {
  size_t nc = (size_t)problem->nc, m = (size_t)crd_impact_rows(problem);
  double *r = crd_impact_scratch(result, nc), *p = crd_impact_scratch(result, m);
  crd_quasi quasi;
  bool shared;
  if (!r || !p) return CRD_ERR_MEMORY;
  crd_status status = crd_quasi_normal(&quasi, problem, &result->arena);
  if (status != CRD_OK) return status;
  for (int c = 0; c < problem->nc; c++) r[c] = quasi.norm[c] * lambda(&quasi, problem, options, c);
  status = crd_normal_cone_solve(problem, r, result, p, &shared);
  if (status == CRD_NO_SOLUTION &&
      crd_impact_note(result, "the coefficients contradict each other: no impulse satisfies all contacts") != CRD_OK)
    return CRD_ERR_MEMORY;
  if (status != CRD_OK) return status;
  crd_impact_solution *s = crd_impact_add(result, problem);
  if (!s) return CRD_ERR_MEMORY;
  memcpy(s->p, p, m * sizeof *p);
  status = note_active(problem, result, p, options->tolerance * crd_impact_scale_of(problem).impulse);
  if (status == CRD_OK && shared)
    status = crd_impact_note(result, "contacts depend on each other: their impulses are those of least norm");
  return status;
}

static double residual_with(rebound lambda, const crd_contact_problem *problem, const crd_impact_options *options,
                            const double *p) {
  crd_arena arena = {0};
  crd_impact_scale scale = crd_impact_scale_of(problem);
  crd_quasi quasi;
  int m = crd_impact_rows(problem);
  double worst = crd_quasi_normal(&quasi, problem, &arena) == CRD_OK ? 0 : INFINITY;
  for (int c = 0; c < problem->nc && isfinite(worst); c++) {
    int r = problem->contact[c].row;
    double plus = problem->u_free[r] + crd_dense_dot(m, problem->W + at(m, r, 0), p);
    double w = plus + quasi.norm[c] * lambda(&quasi, problem, options, c);
    worst = fmax(worst, fabs(fmin(p[r] / scale.impulse, w / scale.velocity)));
    for (int t = 1; t <= problem->contact[c].ntangent; t++) worst = fmax(worst, fabs(p[r + t]) / scale.impulse);
  }
  crd_arena_free(&arena);
  return worst;
}

static crd_status resolve_moreau(const crd_contact_problem *problem, const crd_impact_options *options,
                                 crd_impact_result *result) {
  for (int c = 1; c < problem->nc; c++)
    if (crd_impact_restitution(problem, options, c) != crd_impact_restitution(problem, options, 0)) {
      if (crd_impact_note(result, "coefficients differ: energy need not be lost") != CRD_OK) return CRD_ERR_MEMORY;
      break;
    }
  return resolve_with(own_coefficient, problem, options, result);
}

static double residual_moreau(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  return residual_with(own_coefficient, problem, options, p);
}

static crd_status resolve_implicit(const crd_contact_problem *problem, const crd_impact_options *options,
                                   crd_impact_result *result) {
  return resolve_with(crd_quasi_rebound, problem, options, result);
}

static double residual_implicit(const crd_contact_problem *problem, const crd_impact_options *options,
                                const double *p) {
  return residual_with(crd_quasi_rebound, problem, options, p);
}

const crd_impact_law crd_law_moreau = {.name = "moreau",
                                       .title = "Moreau's projection in the kinetic metric",
                                       .source = "Brogliato, (42)-(44)",
                                       .dissipative = true,
                                       .resolve = resolve_moreau,
                                       .residual = residual_moreau};

const crd_impact_law crd_law_implicit = {.name = "implicit",
                                         .title = "Implicit restitution operator, frictionless",
                                         .source = "Brogliato, (57)-(59)",
                                         .dissipative = false,
                                         .resolve = resolve_implicit,
                                         .residual = residual_implicit};
