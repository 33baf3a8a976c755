/* Mass properties of each body: as given, or the sum over its geoms; then MuJoCo's corrections and the rules of
 * mechanics.
 *
 * A positive definite inertia of a real body obeys the triangle inequality A + B >= C on its principal moments, because
 * A = int(y^2 + z^2), B = int(x^2 + z^2), C = int(x^2 + y^2) dm. */
#include "base/layout.h"
#include "model/build.h"
#include "model/check.h"
#include "model/placement.h"
#include "model/rounding.h"
#include "model/shape.h"

#include <math.h>

static const double EIGEN_ROUNDING =
    1e-14; /* of the trace: what the eigenvalue iteration leaves of a vanishing moment */

/* Rounding of the moments' own digits must not count as a violation of A + B >= C, relative to A + B + C. */
static const double triangle_tolerance = 1e-10;

/* The inertial, turned from its own axes into those of the body. */
static crd_massprops given_props(const crd_build *b, const crd_inertial *given) {
  crd_massprops piece = {.mass = given->mass};
  for (int i = 0; i < 6; i++) piece.inertia[i] = given->inertia[i];
  if (b->options->mujoco_rounding) crd_round_inertia(piece.inertia);
  crd_pose pose = crd_pose_make(given->pos, given->quat);
  return crd_massprops_place(&piece, pose.R, pose.p);
}

/* A geom as a piece of its body. */
static crd_massprops geom_props(const crd_build *b, const crd_geom_def *def) {
  crd_massprops piece = {0};
  double volume;
  if (def->type == CRD_MESH) {
    piece = b->mesh_props[def->mesh];
    volume = b->mesh[def->mesh].volume;
  } else if (def->shell) {
    crd_shell_inertia(piece.inertia, def->type, def->size);
    volume = crd_shell_area(def->type, def->size);
  } else {
    crd_shape_inertia(piece.inertia, def->type, def->size);
    volume = crd_shape_volume(def->type, def->size);
  }
  piece.mass = def->has_mass ? def->mass : def->density * volume;
  for (int i = 0; i < 6; i++) piece.inertia[i] *= piece.mass;
  crd_pose pose = crd_pose_make(def->pos, def->quat);
  return crd_massprops_place(&piece, pose.R, pose.p);
}

/* Does the body take its inertia from its geoms (definition id)? */
static bool from_geoms(const crd_build *b, int body) {
  if (body == 0 || b->options->inertia_source == CRD_INERTIA_GIVEN) return false;
  return b->options->inertia_source == CRD_INERTIA_GEOMS || !b->body_def[body].has_inertial;
}

/* Is the geom one of those that the body's inertia is taken from? */
static bool is_selected(const crd_build *b, int geom) {
  const crd_geom_def *def = &b->geom_def[geom].def;
  const int *groups = b->options->inertia_groups;
  return from_geoms(b, b->geom_def[geom].body) && def->in_inertia && def->group >= groups[0] && def->group <= groups[1];
}

/* Planes and height fields weigh nothing. */
bool crd_build_geom_has_inertia(const crd_build *b, int geom) {
  const crd_geom_def *def = &b->geom_def[geom].def;
  return is_selected(b, geom) && def->type != CRD_PLANE && def->type != CRD_HFIELD &&
         (def->has_mass ? def->mass : def->density) != 0;
}

/* Checks the principal moments and applies MuJoCo's corrections: bound_inertia lifts each of them, balance_inertia
 * replaces all three by their mean where they violate the triangle inequality. */
static crd_status correct_moments(const crd_build *b, const crd_element *element, double moment[3]) {
  /* A moment that vanishes may leave the eigenvalue iteration as a tiny negative number. */
  double scale = fabs(moment[0]) + fabs(moment[1]) + fabs(moment[2]);
  for (int i = 0; i < 3; i++) {
    if (moment[i] < -EIGEN_ROUNDING * scale)
      return crd_build_fail(b, CRD_ERR_MODEL, element,
                            "inertia is not positive definite: principal moments are %g %g %g, none may be negative",
                            moment[0], moment[1], moment[2]);
    moment[i] = fmax(moment[i], fmax(b->options->bound_inertia, 0));
  }
  double sum = moment[0] + moment[1] + moment[2], most = fmax(moment[0], fmax(moment[1], moment[2]));
  if (2 * most <= sum * (1 + triangle_tolerance)) return CRD_OK;
  if (!b->options->balance_inertia)
    return crd_build_fail(b, CRD_ERR_MODEL, element,
                          "inertia violates the triangle inequality: principal moments are %g %g %g, must satisfy "
                          "A + B >= C",
                          moment[0], moment[1], moment[2]);
  moment[0] = moment[1] = moment[2] = sum / 3;
  return CRD_OK;
}

/* Sums over geoms may overflow where each number is finite. */
static crd_status check_finite_props(const crd_build *b, const crd_element *element, const crd_massprops *props) {
  CRD_TRY(crd_check_finite(b, element, "mass", &props->mass, 1));
  CRD_TRY(crd_check_finite(b, element, "centre of mass", props->com, 3));
  return crd_check_finite(b, element, "inertia", props->inertia, 6);
}

/* Fills mass, principal inertia and its frame from the full properties, and carries corrections back into these. */
static crd_status freeze_props(const crd_build *b, int id, crd_massprops *props) {
  crd_element element = crd_element_body(b, b->body_source[id]);
  crd_body *body = &b->body[id];
  CRD_TRY(check_finite_props(b, &element, props));
  if (props->mass < 0) return crd_build_fail(b, CRD_ERR_MODEL, &element, "mass is %g, must be positive", props->mass);
  body->mass = props->mass = fmax(props->mass, b->options->bound_mass);
  crd_vec3_copy(body->ipos, props->com);

  double moment[3];
  crd_sym3_eigen(moment, body->iquat, props->inertia);
  crd_vec3_copy(body->inertia, moment);
  CRD_TRY(correct_moments(b, &element, body->inertia));
  if (moment[0] != body->inertia[0] || moment[1] != body->inertia[1] || moment[2] != body->inertia[2]) {
    double diagonal[6] = {body->inertia[0], body->inertia[1], body->inertia[2]}, R[9];
    crd_quat_to_mat3(R, body->iquat);
    crd_sym3_rotate(props->inertia, R, diagonal);
  }
  return CRD_OK;
}

/* settotalmass: all masses and inertias times one factor. */
static void scale_mass(crd_build *b, double factor) {
  for (int i = 0; i < b->model->nbody; i++) {
    b->body[i].mass *= factor;
    crd_vec3_scale(b->body[i].inertia, factor, b->body[i].inertia);
    b->body_props[i].mass *= factor;
    for (int k = 0; k < 6; k++) b->body_props[i].inertia[k] *= factor;
  }
}

/* Adds up the geoms of each body; ngeom counts those it is made of. */
static void sum_geoms(crd_build *b, int *ngeom) {
  for (int g = 0; g < b->model->ngeom; g++) {
    int source = b->geom_source[g], body = b->body_id[b->geom_def[source].body];
    if (!is_selected(b, source)) continue;
    ngeom[body]++;
    if (!crd_build_geom_has_inertia(b, source)) continue;
    crd_massprops piece = geom_props(b, &b->geom_def[source].def);
    crd_massprops_add(&b->body_props[body], &piece);
  }
}

crd_status crd_build_bodies(crd_build *b) {
  int n = b->model->nbody;
  int *ngeom;
  if (CRD_TAKE(b->arena, CRD_ARRAY(b->body, n)) ||
      CRD_TAKE(&b->scratch, CRD_ARRAY(b->body_props, n), CRD_ARRAY(ngeom, n)))
    return crd_build_no_memory(b);
  b->model->body = b->body;
  b->body[0].iquat[0] = 1;
  sum_geoms(b, ngeom);
  double mass = 0;
  for (int i = 1; i < n; i++) {
    const crd_body_def *def = &b->body_def[b->body_source[i]];
    if (ngeom[i] == 0 && def->has_inertial) {
      b->body_props[i] = given_props(b, &def->inertial);
    } else if (ngeom[i] == 0 && b->options->bound_mass > 0) {
      /* As MuJoCo has it: the inertial frame of what bound_mass lifts lies at the body's place in its parent. */
      crd_vec3_copy(b->body_props[i].com, def->pos);
    }
    if (ngeom[i] > 1 && b->options->mujoco_rounding) crd_round_inertia(b->body_props[i].inertia);
    CRD_TRY(freeze_props(b, i, &b->body_props[i]));
    mass += b->body[i].mass;
  }
  if (b->options->total_mass > 0 && mass > 0) {
    scale_mass(b, b->options->total_mass / mass);
    mass = b->options->total_mass;
  }
  b->model->mass = mass;
  return CRD_OK;
}
