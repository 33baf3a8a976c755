/* Poisson's hypothesis with friction in both phases [Glocker & Pfeiffer, 1995].
 *
 *   compression     0 <= p_c,n          _|_  u_n >= 0,   friction within mu p_c,n at the velocity after compression
 *   decompression   0 <= p_d,n - e p_c,n _|_  u_n >= 0,   friction within mu p_d,n at the velocity after the impact
 *
 * p = p_c + p_d. Law poisson [Jain, eq. 40] returns the same e p_c,n but lets it bring no friction.
 *
 * One coefficient e <= 1 for all contacts: no energy is gained. With u_c, u_d the velocities after the phases and
 * |x|^2 = x' W x, the energy changes by
 *
 *   dK = p_c' u_c - |p_c|^2 / 2 + p_d' u_d - |p_d|^2 / 2.
 *
 * Friction p_d,t is the most dissipative one in a disk that holds e p_c,t, and (p_d,n - e p_c,n) u_d,n = 0, so
 *
 *   p_d' u_d <= e p_c' u_d = e p_c' u_c + e p_c' W p_d <= e p_c' u_c + e^2 |p_c|^2 / 2 + |p_d|^2 / 2,
 *
 * hence dK <= (1 + e) p_c' u_c - (1 - e^2) |p_c|^2 / 2 <= 0, as p_c' u_c <= 0. The same holds for polygons and with
 * bilateral rows, which do no work. With coefficients that differ e becomes a matrix, and energy may grow.
 */
#include <string.h>

#include "base/layout.h"
#include "impact/friction.h"
#include "impact/laws.h"

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  size_t m = (size_t)crd_impact_rows(problem);
  crd_impact_friction friction;
  double *compression, *decompression, *least;
  if (CRD_TAKE(&result->arena, CRD_ARRAY(compression, m), CRD_ARRAY(decompression, m), CRD_ARRAY(least, problem->nc)))
    return CRD_ERR_MEMORY;
  crd_status status = crd_impact_friction_begin(&friction, problem, options, result);
  if (status == CRD_OK) status = crd_impact_friction_resolve(&friction, CRD_ALL_CONTACTS, NULL, compression);
  if (status == CRD_OK) status = crd_impact_friction_share(&friction, compression);
  if (status != CRD_OK) return status;
  bool elastic = false;
  for (int c = 0; c < problem->nc; c++) {
    least[c] = crd_impact_restitution(problem, options, c) * compression[problem->contact[c].row];
    elastic = elastic || least[c] > 0;
  }
  if (elastic) status = crd_impact_friction_decompress(&friction, CRD_ALL_CONTACTS, compression, least, decompression);
  if (status != CRD_OK) return status;
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < m; i++) solution->p[i] = compression[i] + decompression[i];
  solution->residual = friction.accepted;
  return CRD_OK;
}

static double residual(const crd_contact_problem *problem, const crd_impact_options *options, const double *p) {
  (void)options;
  return crd_impact_violation(problem, p);
}

const crd_impact_law crd_law_poisson_coulomb = {
    .name = "poisson-coulomb",
    .title = "Poisson's hypothesis with friction in decompression",
    .source = "Glocker & Pfeiffer, Nonlinear Dynamics 7 (1995)",
    .dissipative = true,
    .resolve = resolve,
    .residual = residual,
};
