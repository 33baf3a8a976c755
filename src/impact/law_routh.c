/* Routh's incremental impact [Halm & Posa, eq. 36 and 39]: Coulomb friction at every instant of the impact, not only at
 * its end. Restitution ends by Stronge's energetic coefficient (routh), or by Poisson's (wang-mason: Wang & Mason,
 * Two-dimensional rigid-body collisions with friction, J. Appl. Mech. 59, 1992).
 *
 * One contact: exactly (src/impact/routh_single.c). Several: at the relative rates of options->rate (equal where none
 * are given), one path of the set-valued inclusion with each contact's own restitution (src/impact/routh_flow.c). A row
 * of balls whose rates fall fast enough is struck pair after pair, as by law sequential.
 */
#include <math.h>
#include <string.h>

#include "impact/laws.h"
#include "impact/oblique.h"
#include "impact/routh_flow.h"
#include "impact/routh_single.h"

enum { MAX_SEGMENTS = 10000 };

static crd_status resolve_single(const crd_contact_problem *problem, const crd_impact_options *options,
                                 crd_restitution_end end, crd_impact_result *result) {
  crd_bilateral reduced;
  crd_status status = crd_bilateral_eliminate(&reduced, problem, &result->arena);
  if (status != CRD_OK) return status;
  const crd_contact *contact = &problem->contact[0];
  crd_single_contact single = {.ntangent = contact->ntangent, .mu = contact->mu, .end = end};
  single.e = crd_impact_restitution(problem, options, 0);
  for (int i = 0; i < problem->nrow; i++) {
    single.u[i] = reduced.u_free[i];
    for (int j = 0; j < problem->nrow; j++) single.A[3 * i + j] = reduced.W[problem->nrow * i + j];
  }
  crd_routh_path path;
  status = crd_routh_single(&single, &path);
  if (status != CRD_OK) {
    crd_impact_note(result, "the impact at %s does not end: %s", contact->name, crd_status_text(status));
    return status;
  }
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  memcpy(solution->p, path.p, sizeof *solution->p * (size_t)problem->nrow);
  crd_bilateral_impulses(&reduced, problem, solution->p);
  if (path.stuck) solution->label = "sliding stops";
  if (path.reversed) solution->label = "sliding reverses";
  return CRD_OK;
}

static crd_status resolve_several(const crd_contact_problem *problem, const crd_impact_options *options,
                                  crd_restitution_end end, crd_impact_result *result) {
  double *rate = crd_impact_scratch(result, (size_t)problem->nc);
  double *p = crd_impact_scratch(result, (size_t)crd_impact_rows(problem));
  if (!rate || !p) return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) {
    rate[c] = options->rate ? options->rate[c] : 1;
    if (rate[c] > 0 && isfinite(rate[c])) continue;
    crd_impact_note(result, "rate of %s: found %g, expected a positive number", problem->contact[c].name, rate[c]);
    return CRD_ERR_ARGUMENT;
  }
  crd_status status = crd_routh_flow(problem, rate, options, end, MAX_SEGMENTS, result, p);
  if (status != CRD_OK) return status;
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  memcpy(solution->p, p, sizeof *p * (size_t)crd_impact_rows(problem));
  return CRD_OK;
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_restitution_end end, crd_impact_result *result) {
  return problem->nc == 1 ? resolve_single(problem, options, end, result)
                          : resolve_several(problem, options, end, result);
}

static crd_status resolve_stronge(const crd_contact_problem *problem, const crd_impact_options *options,
                                  crd_impact_result *result) {
  return resolve(problem, options, CRD_END_STRONGE, result);
}

static crd_status resolve_poisson(const crd_contact_problem *problem, const crd_impact_options *options,
                                  crd_impact_result *result) {
  return resolve(problem, options, CRD_END_POISSON, result);
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  (void)options;
  return crd_impact_violation(problem, p);
}

const crd_impact_law crd_law_routh = {
    .name = "routh",
    .title = "Routh's incremental impact, Stronge's end",
    .source = "Halm & Posa, eq. 36-39; Stronge's coefficient",
    .dissipative = true,
    .resolve = resolve_stronge,
    .residual = residual,
};

const crd_impact_law crd_law_wang_mason = {
    .name = "wang-mason",
    .title = "Routh's incremental impact, Poisson's end",
    .source = "Wang & Mason 1992; several contacts as Halm & Posa, eq. 39",
    .dissipative = false,
    .resolve = resolve_poisson,
    .residual = residual,
};
