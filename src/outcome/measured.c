/* How far a velocity that was measured lies from a set of outcomes: from the hull of its samples in chosen axes. */
#include <cradle/outcome.h>
#include <math.h>

#include "linalg/dense.h"

double crd_outcome_axis_value(const crd_contact_problem *problem, const crd_outcome_axis *axis, const double *v) {
  return axis->row < 0 ? v[axis->dof]
                       : crd_dense_dot(problem->nv, problem->J + (size_t)problem->nv * (size_t)axis->row, v);
}

crd_status crd_outcome_distance(const crd_contact_problem *problem, const crd_outcome_set *set,
                                const crd_outcome_axis *axis, int naxis, const double *v, double *distance) {
  crd_arena arena = {0};
  crd_outcome_hull hull = {0};
  double *point, x[3] = {0};
  size_t count;
  *distance = NAN;
  if (naxis < 2 || naxis > 3) return CRD_ERR_ARGUMENT;
  crd_status status = crd_outcome_points(problem, set, axis, naxis, &arena, &point, NULL, &count);
  if (status == CRD_OK) status = crd_outcome_hull_make(point, count, naxis, NAN, &hull);
  for (int k = 0; k < naxis; k++) x[k] = crd_outcome_axis_value(problem, &axis[k], v);
  if (status == CRD_OK) *distance = crd_outcome_hull_distance(&hull, x);
  crd_outcome_hull_free(&hull);
  crd_arena_free(&arena);
  return status;
}
