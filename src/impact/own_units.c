/* A contact problem in units of its own: the largest compliance W_ii and the velocity scale lie between 1/2 and 1.
 *
 *   v = V v',   M = A M':      u = V u',   W = W' / A,   p = A V p',   K = A V^2 K'
 *
 * A and V are powers of two, so that nothing is rounded and problems which differ by units of mass and time have the
 * same digits. Where a law compares compliances with numbers, as facets do whose cone rows have entries of one, its
 * pivots would otherwise follow the units. */
#include <math.h>
#include <string.h>

#include "impact/impact.h"

/* The power of two above x > 0. */
static double power_above(double x) {
  int exponent;
  frexp(x, &exponent);
  return ldexp(1, exponent);
}

static double *scaled(crd_impact_result *result, size_t count, const double *from, double factor) {
  double *to = crd_impact_scratch(result, count);
  for (size_t i = 0; to && i < count; i++) to[i] = factor * from[i];
  return to;
}

crd_status crd_impact_own_units(const crd_contact_problem *problem, crd_impact_result *result,
                                crd_contact_problem *own) {
  crd_impact_scale scale = crd_impact_scale_of(problem);
  double V = power_above(scale.velocity), A = 1 / power_above(scale.velocity / scale.impulse);
  size_t n = (size_t)problem->nv, m = (size_t)crd_impact_rows(problem);
  result->unit_velocity = V, result->unit_impulse = A * V;
  *own = *problem;
  own->v = scaled(result, n, problem->v, 1 / V), own->v_free = scaled(result, n, problem->v_free, 1 / V);
  own->u = scaled(result, m, problem->u, 1 / V), own->u_free = scaled(result, m, problem->u_free, 1 / V);
  own->impulse = scaled(result, n, problem->impulse, 1 / V / A);
  own->W = scaled(result, m * m, problem->W, A), own->X = scaled(result, m * n, problem->X, A);
  if (problem->M) own->M = scaled(result, n * n, problem->M, 1 / A);
  own->kinetic = problem->kinetic / V / V / A, own->kinetic_free = problem->kinetic_free / V / V / A;
  bool all = own->v && own->v_free && own->u && own->u_free && own->impulse && own->W && own->X;
  return all && !problem->M == !own->M ? CRD_OK : CRD_ERR_MEMORY;
}

void crd_impact_own_units_back(const crd_contact_problem *problem, crd_impact_result *result) {
  int m = crd_impact_rows(problem);
  for (int k = 0; k < result->count; k++)
    for (int i = 0; i < m; i++) result->solution[k].p[i] *= result->unit_impulse;
}
