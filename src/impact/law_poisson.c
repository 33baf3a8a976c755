/* Poisson's law with friction, facetted or round, and bilateral rows [Jain, IV]: a compression and a decompression,
 * each a complementarity problem.
 *
 *   compression    (37): impulses p_c that stop the approach, friction at the velocity after it
 *   decompression  (40): theta = e_i p_c,n along each normal, and further impulses p_d that keep the contacts from
 * closing; theta enters all rows, friction and bilateral ones included, and e multiplies the normal part only (errata
 * J-4)
 *
 * p = p_c + theta + p_d. With e = 0 the second phase adds nothing, and this is the law of Anitescu and Potra. Dependent
 * contacts with different coefficients share the compression by a rule of ours (src/impact/share.c).
 */
#include <string.h>

#include "base/layout.h"
#include "impact/friction.h"
#include "impact/laws.h"

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  int m = crd_impact_rows(problem);
  size_t bytes = sizeof(double) * (size_t)m;
  crd_impact_friction friction;
  double *compression, *total, *rest;
  if (CRD_TAKE(&result->arena, CRD_ARRAY(compression, m), CRD_ARRAY(total, m), CRD_ARRAY(rest, m)))
    return CRD_ERR_MEMORY;
  crd_status status = crd_impact_friction_begin(&friction, problem, options, result);
  if (status == CRD_OK) status = crd_impact_friction_resolve(&friction, CRD_ALL_CONTACTS, NULL, compression);
  if (status == CRD_OK) status = crd_impact_friction_share(&friction, compression);
  if (status != CRD_OK) return status;
  memcpy(total, compression, bytes);
  bool elastic = false;
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    double e = crd_impact_restitution(problem, options, c);
    total[row] += e * compression[row];
    elastic = elastic || e * compression[row] > 0;
  }
  if (elastic) {
    status = crd_impact_friction_resolve(&friction, CRD_ALL_CONTACTS, total, rest);
    if (status != CRD_OK) return status;
    for (int i = 0; i < m; i++) total[i] += rest[i];
  }
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  memcpy(solution->p, total, bytes);
  solution->residual = friction.accepted;
  return CRD_OK;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  (void)options;
  return crd_impact_violation(problem, p);
}

const crd_impact_law crd_law_poisson = {
    .name = "poisson",
    .title = "Poisson's hypothesis: compression and decompression",
    .source = "Jain, eq. 37-41",
    .dissipative = false,
    .turning = CRD_TURNING_ON_ROUND_CONE,
    .resolve = resolve,
    .residual = residual,
};
