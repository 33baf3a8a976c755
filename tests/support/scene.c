#include "support/scene.h"

#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "model/hull.h"
#include "support/cmocka_all.h"

scene *scene_new(void) {
  scene *s = calloc(1, sizeof *s);
  assert_non_null(s);
  s->builder = crd_model_builder_new();
  assert_non_null(s->builder);
  return s;
}

void scene_free(scene *s) {
  crd_collide_free(s->collider);
  crd_model_free(s->model);
  crd_model_builder_free(s->builder);
  free(s);
}

int scene_add_geom(scene *s, const crd_geom_def *def, bool fixed) {
  int body = 0;
  assert_true(s->ngeom < SCENE_MAX);
  assert_false(fixed && s->moving); /* the model numbers the world's geoms first */
  s->moving = !fixed;
  if (!fixed) {
    crd_body_def body_def = crd_model_body_default();
    body_def.has_inertial = true;
    body_def.inertial.mass = 1;
    for (int i = 0; i < 3; i++) body_def.inertial.inertia[i] = 1;
    body = crd_model_builder_body(s->builder, &body_def);
    crd_joint_def joint = crd_model_joint_default();
    joint.type = CRD_FREE;
    assert_true(body > 0 && crd_model_builder_joint(s->builder, body, &joint) >= 0);
  }
  assert_true(crd_model_builder_geom(s->builder, body, def) >= 0);
  int geom = s->ngeom++;
  crd_mat3_identity(s->R + 9 * geom);
  return geom;
}

int scene_add(scene *s, crd_geom_type type, double a, double b, double c, bool fixed) {
  crd_geom_def def = crd_model_geom_default();
  def.type = type;
  def.size[0] = a, def.size[1] = b, def.size[2] = c;
  return scene_add_geom(s, &def, fixed);
}

int scene_add_tetrahedron(scene *s, const double *corner, bool fixed) {
  if (!crd_hull_available()) skip();
  crd_mesh_def mesh = {.nvert = 4, .vert = corner};
  crd_geom_def def = crd_model_geom_default();
  def.type = CRD_MESH;
  def.mesh = crd_model_builder_mesh(s->builder, &mesh);
  assert_true(def.mesh >= 0);
  memcpy(s->extra[s->ngeom], corner, sizeof s->extra[0]);
  return scene_add_geom(s, &def, fixed);
}

int scene_add_random(scene *s, crd_geom_type type, random_stream *stream) {
  if (type != CRD_MESH)
    return scene_add(s, type, random_in(stream, 0.2, 1), random_in(stream, 0.2, 1), random_in(stream, 0.2, 1), false);
  /* a regular tetrahedron, its corners moved a little */
  double corner[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
  for (int i = 0; i < 12; i++) corner[i] = 0.6 * corner[i] + random_in(stream, -0.2, 0.2);
  return scene_add_tetrahedron(s, corner, false);
}

void scene_build(scene *s) {
  crd_error err;
  crd_build_options options = crd_model_build_default();
  crd_status status = crd_model_builder_build(s->builder, &options, &s->model, &err);
  if (status != CRD_OK) print_error("%s\n", err.text);
  assert_int_equal(status, CRD_OK);
  s->collider = crd_collide_new(s->model);
  assert_non_null(s->collider);
}

void scene_place(scene *s, int geom, double x, double y, double z) {
  double p[3] = {x, y, z};
  memcpy(s->pos + 3 * geom, p, sizeof p);
}

void scene_turn_quat(scene *s, int geom, const double quat[4]) { crd_quat_to_mat3(s->R + 9 * geom, quat); }

void scene_turn(scene *s, int geom, double ax, double ay, double az, double angle) {
  double axis[3] = {ax, ay, az}, quat[4];
  crd_vec3_normalize(axis);
  crd_quat_from_axis_angle(quat, axis, angle);
  scene_turn_quat(s, geom, quat);
}

const crd_contact_point *scene_pair(scene *s, int g1, int g2, double distance) {
  assert_int_equal(crd_collide_pair(s->collider, s->pos, s->R, g1, g2, distance, s->contact, SCENE_CONTACTS, &s->count),
                   CRD_OK);
  assert_true(s->count > 0);
  const crd_contact_point *nearest = s->contact;
  for (int i = 1; i < s->count; i++)
    if (s->contact[i].gap < nearest->gap) nearest = &s->contact[i];
  return nearest;
}

void scene_collide(scene *s, double distance) {
  crd_collide_options options = {.distance = distance};
  assert_int_equal(crd_collide_all(s->collider, s->pos, s->R, &options, s->contact, SCENE_CONTACTS, &s->count), CRD_OK);
}

double scene_reach(const scene *s, int geom, const double m[3]) {
  const crd_geom *g = &s->model->geom[geom];
  const double *h = g->size;
  double d[3], far = -INFINITY;
  crd_mat3_tmul_vec(d, s->R + 9 * geom, m);
  switch (g->type) {
    case CRD_SPHERE: return h[0];
    case CRD_CAPSULE: return h[0] + h[1] * fabs(d[2]);
    case CRD_CYLINDER: return h[0] * sqrt(d[0] * d[0] + d[1] * d[1]) + h[1] * fabs(d[2]);
    case CRD_BOX: return h[0] * fabs(d[0]) + h[1] * fabs(d[1]) + h[2] * fabs(d[2]);
    case CRD_ELLIPSOID: return sqrt(h[0] * h[0] * d[0] * d[0] + h[1] * h[1] * d[1] * d[1] + h[2] * h[2] * d[2] * d[2]);
    case CRD_MESH:
      for (int i = 0; i < 4; i++) far = fmax(far, crd_vec3_dot(s->extra[geom] + 3 * i, d));
      return far;
    default: fail_msg("a plane has no reach");
  }
  return far;
}

/* Largest excess over the four faces of a tetrahedron. */
static double outside_tetrahedron(const double *corner, const double x[3]) {
  double excess = -INFINITY;
  for (int f = 0; f < 4; f++) {
    const double *a = corner + 3 * ((f + 1) % 4), *b = corner + 3 * ((f + 2) % 4), *c = corner + 3 * ((f + 3) % 4);
    double ab[3], ac[3], n[3], opposite[3], ax[3];
    crd_vec3_sub(ab, b, a);
    crd_vec3_sub(ac, c, a);
    crd_vec3_cross(n, ab, ac);
    crd_vec3_normalize(n);
    crd_vec3_sub(opposite, corner + 3 * f, a);
    crd_vec3_sub(ax, x, a);
    double sign = crd_vec3_dot(n, opposite) > 0 ? -1 : 1;
    excess = fmax(excess, sign * crd_vec3_dot(n, ax));
  }
  return excess;
}

double scene_outside(const scene *s, int geom, const double x[3]) {
  const crd_geom *g = &s->model->geom[geom];
  const double *h = g->size;
  double d[3], p[3];
  crd_vec3_sub(d, x, s->pos + 3 * geom);
  crd_mat3_tmul_vec(p, s->R + 9 * geom, d);
  double across = sqrt(p[0] * p[0] + p[1] * p[1]), beyond = fmax(fabs(p[2]) - h[1], 0);
  switch (g->type) {
    case CRD_SPHERE: return crd_vec3_norm(p) - h[0];
    case CRD_CAPSULE: return sqrt(across * across + beyond * beyond) - h[0];
    case CRD_CYLINDER: return fmax(across - h[0], fabs(p[2]) - h[1]);
    case CRD_BOX: return fmax(fabs(p[0]) - h[0], fmax(fabs(p[1]) - h[1], fabs(p[2]) - h[2]));
    case CRD_ELLIPSOID: {
      double q[3] = {p[0] / h[0], p[1] / h[1], p[2] / h[2]};
      return (crd_vec3_norm(q) - 1) * fmin(h[0], fmin(h[1], h[2]));
    }
    case CRD_MESH: return outside_tetrahedron(s->extra[geom], p);
    default: {
      const double *R = s->R + 9 * geom, n[3] = {R[2], R[5], R[8]};
      return crd_vec3_dot(d, n);
    }
  }
}

double scene_separation(const scene *s, int a, int b, const double n[3]) {
  double back[3] = {-n[0], -n[1], -n[2]}, d[3];
  crd_vec3_sub(d, s->pos + 3 * a, s->pos + 3 * b);
  return crd_vec3_dot(n, d) - scene_reach(s, a, back) - scene_reach(s, b, n);
}
