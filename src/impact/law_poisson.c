/* Poisson's law with friction, facetted or round, and bilateral rows [Jain, IV]: a compression and a decompression,
 * each a complementarity problem.
 *
 *   compression    (37): impulses p_c that stop the approach, friction at the velocity after it
 *   decompression  (40): theta = e_i p_c,n along each normal, and further impulses p_d that keep the contacts from
 * closing; theta enters all rows, friction and bilateral ones included, and e multiplies the normal part only (errata
 * J-4)
 *
 * p = p_c + theta + p_d. With e = 0 the second phase adds nothing, and this is the law of Anitescu and Potra.
 */
#include <string.h>

#include "impact/friction.h"
#include "impact/laws.h"
#include "impact/oblique.h"

/* Dependent contacts that carry share their compression in a way the law leaves open; with different coefficients the
 * rebound then depends on it. */
static crd_status note_open_share(const crd_contact_problem *problem, const crd_impact_options *options,
                                  const double *compression, crd_impact_result *result) {
  int *row = crd_arena_alloc(&result->arena, (size_t)(problem->nc + problem->nb), sizeof *row), count = 0, first = -1;
  bool differ = false;
  crd_oblique oblique;
  if (!row) return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) {
    if (!crd_problem_approaches(problem, c) && !(compression[problem->contact[c].row] > 0)) continue;
    if (first < 0) first = c;
    differ = differ || crd_impact_restitution(problem, options, c) != crd_impact_restitution(problem, options, first);
    row[count++] = problem->contact[c].row;
  }
  if (!differ) return CRD_OK;
  for (int b = 0; b < problem->nb; b++) row[count++] = problem->nrow + b;
  crd_status status = crd_oblique_factor(&oblique, problem, count, row, &result->arena);
  if (status != CRD_OK || oblique.rank == count) return status;
  return crd_impact_note(result,
                         "dependent contacts have different coefficients: how they share the compression, and "
                         "with it the rebound, is not determined by the law and follows their order");
}

static crd_status resolve(const crd_contact_problem *problem, const crd_impact_options *options,
                          crd_impact_result *result) {
  int m = crd_impact_rows(problem);
  size_t bytes = sizeof(double) * (size_t)m;
  crd_friction friction;
  double *compression = crd_impact_scratch(result, (size_t)m), *total = crd_impact_scratch(result, (size_t)m);
  double *rest = crd_impact_scratch(result, (size_t)m);
  if (!compression || !total || !rest) return CRD_ERR_MEMORY;
  crd_status status = crd_friction_begin(&friction, problem, options, result);
  if (status == CRD_OK) status = crd_friction_resolve(&friction, CRD_ALL_CONTACTS, NULL, compression);
  if (status == CRD_OK) status = note_open_share(problem, options, compression, result);
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
    status = crd_friction_resolve(&friction, CRD_ALL_CONTACTS, total, rest);
    if (status != CRD_OK) return status;
    for (int i = 0; i < m; i++) total[i] += rest[i];
  }
  crd_impact_solution *solution = crd_impact_add(result, problem);
  if (!solution) return CRD_ERR_MEMORY;
  memcpy(solution->p, total, bytes);
  solution->residual = friction.unsettled;
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
    .resolve = resolve,
    .residual = residual,
};
