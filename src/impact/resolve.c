/* One impact by one law: the only way into a law. It checks the numbers, states the problem in units of its own
 * (own_units.c), asks the law, and hands its impulses to the verifier (verify.c), which no law replaces. */
#include <math.h>

#include "impact/impact.h"

/* NaN in v or J shows in the velocities, in M or J in W; e is the contact's own where the options have none. */
static bool is_finite(const crd_contact_problem *problem, const crd_impact_options *options) {
  size_t m = (size_t)crd_impact_rows(problem);
  for (int k = 0; k < problem->nv; k++)
    if (!isfinite(problem->v[k]) || !isfinite(problem->v_free[k])) return false;
  for (size_t i = 0; i < m; i++)
    if (!isfinite(problem->u[i]) || !isfinite(problem->u_free[i]) || !isfinite(problem->W[(m + 1) * i])) return false;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (!isfinite(contact->mu + contact->mu_static + contact->e_t)) return false;
    if (!isfinite(contact->mu_spin + contact->mu_roll)) return false;
    if (!isfinite(crd_impact_restitution(problem, options, c))) return false;
  }
  for (int i = 0; problem->restitution_matrix && i < problem->nc * problem->nc; i++)
    if (!isfinite(problem->restitution_matrix[i])) return false;
  return isfinite(problem->kinetic) && isfinite(problem->kinetic_free);
}

/* Nothing that a law has no rows for is left out in silence: it does not apply, and a note says why. */
static crd_status refuse_turning(const crd_impact_law *law, const crd_contact_problem *problem,
                                 const crd_impact_options *options, crd_impact_result *result) {
  int c = crd_contact_problem_turning(problem);
  if (c < 0 || law->turning == CRD_TURNING_CARRIED) return CRD_OK;
  if (law->turning == CRD_TURNING_ON_ROUND_CONE && options->round_cone) return CRD_OK;
  const crd_contact *contact = &problem->contact[c];
  crd_status told = crd_impact_note(
      result, "law %s has no torsional or rolling friction%s: contact %s has mu_spin %g m, mu_roll %g m", law->name,
      law->turning ? " on a cone with facets, only on the round one (--round, round_cone)" : "", contact->name,
      contact->nspin > 0 ? contact->mu_spin : 0, contact->nroll > 0 ? contact->mu_roll : 0);
  return told == CRD_OK ? CRD_ERR_ARGUMENT : told;
}

crd_status crd_impact_resolve(const crd_impact_law *law, const crd_contact_problem *problem,
                              const crd_impact_options *options, crd_impact_result *result) {
  crd_impact_result_reset(result);
  if (!is_finite(problem, options)) return result->status = CRD_ERR_NUMBER;
  result->status = refuse_turning(law, problem, options, result);
  if (result->status != CRD_OK) return result->status;
  crd_contact_problem own;
  result->status = crd_impact_own_units(problem, result, &own);
  if (result->status != CRD_OK) return result->status;
  result->status = law->resolve(&own, options, result);
  crd_impact_own_units_back(problem, result);
  for (int k = 0; k < result->count; k++) {
    crd_impact_complete(problem, options, &result->solution[k]);
    double residual = law->residual(problem, options, result->solution[k].p);
    result->solution[k].residual = fmax(result->solution[k].residual, residual);
  }
  return result->status;
}
