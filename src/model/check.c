/* The rules for single numbers, and the order in which definitions are checked. */
#include "model/check.h"

#include <math.h>

/* MuJoCo's mjEPS: shorter axes and quaternions have no direction. */
static const double least_length = 1e-14;

crd_status crd_check_finite(const crd_build *b, const crd_element *element, const char *what, const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return crd_build_fail(b, CRD_ERR_NUMBER, element, "%s is %g, must be a finite number", what, x[i]);
  return CRD_OK;
}

crd_status crd_check_not_negative(const crd_build *b, const crd_element *element, const char *what, const double *x,
                                  int n) {
  CRD_TRY(crd_check_finite(b, element, what, x, n));
  for (int i = 0; i < n; i++)
    if (x[i] < 0) return crd_build_fail(b, CRD_ERR_MODEL, element, "%s is %g, must not be negative", what, x[i]);
  return CRD_OK;
}

crd_status crd_check_positive(const crd_build *b, const crd_element *element, const char *what, const double *x,
                              int n) {
  CRD_TRY(crd_check_finite(b, element, what, x, n));
  for (int i = 0; i < n; i++)
    if (x[i] <= 0) return crd_build_fail(b, CRD_ERR_MODEL, element, "%s is %g, must be positive", what, x[i]);
  return CRD_OK;
}

crd_status crd_check_direction(const crd_build *b, const crd_element *element, const char *what, const double *x,
                               int n) {
  CRD_TRY(crd_check_finite(b, element, what, x, n));
  double square = 0;
  for (int i = 0; i < n; i++) square += x[i] * x[i];
  double length = sqrt(square);
  if (length >= least_length && isfinite(length)) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "%s has length %g, must be a direction", what, length);
}

crd_status crd_check_range(const crd_build *b, const crd_element *element, const char *what, const double range[2]) {
  CRD_TRY(crd_check_finite(b, element, what, range, 2));
  if (range[0] < range[1]) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "%s is %g %g, the first must be smaller than the second", what,
                        range[0], range[1]);
}

crd_status crd_check_reference(const crd_build *b, const crd_element *element, const char *kind, int id, int count) {
  if (id >= 0 && id < count) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_ARGUMENT, element, "refers to %s %d, there are %d (ids from 0)", kind, id, count);
}

crd_status crd_check_scalar_joint(const crd_build *b, const crd_element *element, int id) {
  CRD_TRY(crd_check_reference(b, element, "joint", id, b->in->joint.count));
  const crd_joint_def *joint = &b->joint_def[id].def;
  if (crd_model_joint_nv(joint->type) == 1) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "joint \"%s\" (id %d) is a %s joint, must be hinge or slide",
                        joint->name, id, crd_model_joint_type_name(joint->type));
}

crd_status crd_check_condim(const crd_build *b, const crd_element *element, int condim) {
  if (condim == 1 || condim == 3 || condim == 4 || condim == 6) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "condim is %d, must be 1, 3, 4 or 6", condim);
}

crd_status crd_check_restitution(const crd_build *b, const crd_element *element, double e) {
  if (isnan(e) || (e >= 0 && e <= 1)) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "restitution is %g, must lie in 0..1", e);
}

crd_status crd_check_name(const crd_build *b, const crd_element *element, const crd_names *names) {
  int first = crd_names_find(names, element->name);
  if (first < 0 || first == element->id) return CRD_OK;
  return crd_build_fail(b, CRD_ERR_MODEL, element, "the name is taken by %s %d, names must be unique", element->kind,
                        first);
}

static crd_status check_options(const crd_build *b) {
  const crd_build_options *o = b->options;
  crd_element element = {"model", o->name, 0, 0};
  CRD_TRY(crd_check_finite(b, &element, "gravity", o->gravity, 3));
  CRD_TRY(crd_check_positive(b, &element, "timestep", &o->timestep, 1));
  CRD_TRY(crd_check_finite(b, &element, "settotalmass", &o->total_mass, 1));
  CRD_TRY(crd_check_not_negative(b, &element, "boundmass", &o->bound_mass, 1));
  CRD_TRY(crd_check_not_negative(b, &element, "boundinertia", &o->bound_inertia, 1));
  if (isnan(o->restitution)) return crd_build_fail(b, CRD_ERR_NUMBER, &element, "restitution is nan, must lie in 0..1");
  return crd_check_restitution(b, &element, o->restitution);
}

crd_status crd_build_check(crd_build *b) {
  CRD_TRY(check_options(b));
  CRD_TRY(crd_check_bodies(b));
  CRD_TRY(crd_check_joints(b));
  CRD_TRY(crd_check_meshes(b));
  CRD_TRY(crd_check_geoms(b));
  CRD_TRY(crd_check_sites(b));
  CRD_TRY(crd_check_pairs(b));
  CRD_TRY(crd_check_loops(b));
  CRD_TRY(crd_check_actuators(b));
  CRD_TRY(crd_check_tendons(b));
  CRD_TRY(crd_check_sensors(b));
  return crd_check_keys(b);
}
