/* --measured "v+ ...": does a velocity that was measured after the impact lie in the set? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outcomes.h"

/* Share of a contact's speed that counts as inside: rounding of the hull. */
static const double INSIDE = 1e-6;

bool outcomes_measured_read(const char *text, const crd_contact_problem *problem, double *v) {
  int count = 0;
  for (const char *at = text + strspn(text, " ,"); *at; at += strspn(at, " ,"), count++) {
    char *end;
    const double x = strtod(at, &end);
    if (end == at || !isfinite(x))
      return cli_complain("outcomes", "--measured: found '%s', expected numbers", at), false;
    if (count < problem->nv) v[count] = x;
    at = end;
  }
  if (count == problem->nv) return true;
  cli_complain("outcomes", "--measured: found %d numbers, expected %d, the velocity after the impact", count,
               problem->nv);
  return false;
}

crd_status outcomes_measured_find(const outcomes_result *result, outcomes_measured *measured) {
  const crd_contact_problem *p = result->problem;
  crd_status status = crd_outcome_distance(p, &result->set, result->shape.axes.axis, result->shape.axes.count,
                                           measured->v_plus, &measured->distance);
  measured->inside = measured->distance <= INSIDE * crd_contact_problem_speed(p, p->contact[0].row);
  return status;
}

json_t *outcomes_measured_json(const outcomes_measured *measured, int nv) {
  json_t *object = json_object();
  json_object_set_new(object, "v_plus", cli_json_vector(nv, measured->v_plus));
  json_object_set_new(object, "inside", json_boolean(measured->inside));
  json_object_set_new(object, "distance", cli_json_number(measured->distance));
  return object;
}

void outcomes_measured_print(FILE *file, const outcomes_measured *measured) {
  if (isnan(measured->distance))
    fprintf(file, "measured: no hull to compare with in these axes\n");
  else if (measured->inside)
    fprintf(file, "measured: inside the set in these axes\n");
  else
    fprintf(file, "measured: outside the set, %.4g m/s from its hull in these axes\n", measured->distance);
}
