/* How dependent contacts share an impulse that the law leaves open. Impulses that differ by a combination without effect,
 * W d = 0, give the same velocities; of these the one of least norm is taken,
 *
 *   p' = W^+ W p                      over the rows of contacts that carry, and the bilateral ones,
 *
 * where it satisfies the law of friction too. It does not depend on the order of the contacts: two copies of a contact carry
 * half each. */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "impact/friction.h"
#include "impact/oblique.h"

/* The rows of contacts that carry, then the bilateral ones; their number. *differ: not all have the same restitution. */
static int choose_rows(const crd_impact_friction *f, const double *p, int *row, bool *differ) {
  const crd_contact_problem *problem = f->problem;
  int count = 0;
  double first = NAN;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (!crd_contact_problem_approaches(problem, c) && !(p[contact->row] > 0)) continue;
    double e = crd_impact_restitution(problem, f->options, c);
    if (isnan(first)) first = e;
    *differ = *differ || e != first;
    for (int k = 0; k <= (contact->mu > 0 ? contact->ntangent : 0); k++) row[count++] = contact->row + k;
  }
  for (int b = 0; b < problem->nb; b++) row[count++] = problem->nrow + b;
  return count;
}

/* W^+ W p of these rows into shared. */
static void project(const crd_impact_friction *f, const crd_oblique *oblique, const int *row, const double *p,
                    double *x, double *shared) {
  size_t m = (size_t)crd_impact_rows(f->problem);
  for (int i = 0; i < oblique->rows; i++) {
    x[i] = 0;
    for (int j = 0; j < oblique->rows; j++) x[i] += f->problem->W[m * (size_t)row[i] + (size_t)row[j]] * p[row[j]];
  }
  crd_oblique_solve(oblique, x);
  memcpy(shared, p, sizeof *p * m);
  for (int i = 0; i < oblique->rows; i++) shared[row[i]] = x[i];
}

crd_status crd_impact_friction_share(crd_impact_friction *f, double *p) {
  const crd_contact_problem *problem = f->problem;
  size_t m = (size_t)crd_impact_rows(problem);
  int *row;
  double *x, *shared;
  crd_oblique oblique;
  bool differ = false;
  if (CRD_TAKE(&f->result->arena, CRD_ARRAY(row, m), CRD_ARRAY(x, m), CRD_ARRAY(shared, m))) return CRD_ERR_MEMORY;
  int count = choose_rows(f, p, row, &differ);
  if (!differ) return CRD_OK;
  crd_status status = crd_oblique_factor(&oblique, problem, count, row, &f->result->arena);
  if (status != CRD_OK || oblique.rank == count) return status;
  project(f, &oblique, row, p, x, shared);
  bool obeys = crd_impact_friction_residual(problem, f->options, shared) <= f->options->tolerance;
  if (obeys) memcpy(p, shared, sizeof *p * m);
  return crd_impact_note(f->result,
                         obeys ? "dependent contacts have different coefficients: they share the compression with the "
                                 "least impulses, which the law leaves open"
                               : "dependent contacts have different coefficients: how they share the compression, and "
                                 "with it the rebound, is not determined by the law and follows their order");
}
