/* Rays against shapes: the smallest t >= 0 at which origin + t direction lies on the surface. Curved parts are quadrics,
 * a t^2 + 2 b t + c = 0; parts of a surface that meet are cut at their common edge. */
#include "model/ray.h"

#include <cradle/linalg.h>

/* A ray that is as near to parallel to a face does not meet it. */
static const double PARALLEL = 1e-15;

/* The two roots, ascending; false: there are none. */
static bool roots(double a, double b, double c, double t[2]) {
  const double d = b * b - a * c;
  if (!(d >= 0) || !(a > 0)) return false;
  const double s = sqrt(d);
  t[0] = (-b - s) / a, t[1] = (-b + s) / a;
  return true;
}

static double nearer(double best, double t) { return t >= 0 && t < best ? t : best; }

/* The sphere of this radius about (0, 0, height), of which the part beyond the height counts: side -1 below it, 1 above,
 * 0 all. */
static double sphere(double best, const double o[3], const double d[3], double height, double radius, int side) {
  const double r[3] = {o[0], o[1], o[2] - height};
  double t[2];
  if (!roots(1, crd_vec3_dot(r, d), crd_vec3_dot(r, r) - radius * radius, t)) return best;
  for (int k = 0; k < 2; k++)
    if (side * (r[2] + t[k] * d[2]) >= 0) best = nearer(best, t[k]);
  return best;
}

/* The side of a round column about z, between -half and half. */
static double column(double best, const double o[3], const double d[3], double radius, double half) {
  double t[2];
  if (!roots(d[0] * d[0] + d[1] * d[1], o[0] * d[0] + o[1] * d[1], o[0] * o[0] + o[1] * o[1] - radius * radius, t))
    return best;
  for (int k = 0; k < 2; k++)
    if (fabs(o[2] + t[k] * d[2]) <= half) best = nearer(best, t[k]);
  return best;
}

static double disk(double best, const double o[3], const double d[3], double height, double radius) {
  if (fabs(d[2]) < PARALLEL) return best;
  const double t = (height - o[2]) / d[2];
  return hypot(o[0] + t * d[0], o[1] + t * d[1]) <= radius ? nearer(best, t) : best;
}

static double ellipsoid(const double o[3], const double d[3], const double size[3]) {
  double a = 0, b = 0, c = -1, t[2];
  for (int k = 0; k < 3; k++) {
    const double x = o[k] / size[k], y = d[k] / size[k];
    a += y * y, b += x * y, c += x * x;
  }
  return roots(a, b, c, t) ? nearer(nearer(INFINITY, t[0]), t[1]) : INFINITY;
}

static double box(const double o[3], const double d[3], const double size[3]) {
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int side = -1; side <= 1 && fabs(d[k]) >= PARALLEL; side += 2) {
      const double t = (side * size[k] - o[k]) / d[k];
      if (fabs(o[i] + t * d[i]) <= size[i] && fabs(o[j] + t * d[j]) <= size[j]) best = nearer(best, t);
    }
  }
  return best;
}

static double plane(const double o[3], const double d[3], const double size[3]) {
  if (!(d[2] < -PARALLEL)) return INFINITY;
  const double t = -o[2] / d[2];
  if (size[0] > 0 && fabs(o[0] + t * d[0]) > size[0]) return INFINITY;
  if (size[1] > 0 && fabs(o[1] + t * d[1]) > size[1]) return INFINITY;
  return nearer(INFINITY, t);
}

/* [Moller, Trumbore 1997], from either side. */
static double triangle(double best, const double o[3], const double d[3], const double *p, const double *q,
                       const double *r) {
  double u[3], v[3], w[3], h[3], k[3];
  crd_vec3_sub(u, q, p);
  crd_vec3_sub(v, r, p);
  crd_vec3_cross(h, d, v);
  const double det = crd_vec3_dot(u, h);
  if (fabs(det) <= PARALLEL * crd_vec3_norm(u) * crd_vec3_norm(v)) return best;
  crd_vec3_sub(w, o, p);
  const double a = crd_vec3_dot(w, h) / det;
  crd_vec3_cross(k, w, u);
  const double b = crd_vec3_dot(d, k) / det;
  return a >= 0 && b >= 0 && a + b <= 1 ? nearer(best, crd_vec3_dot(v, k) / det) : best;
}

static double mesh_surface(const double o[3], const double d[3], const crd_mesh *mesh) {
  double best = INFINITY;
  for (int f = 0; f < mesh->nface; f++) {
    const int *corner = mesh->face + 3 * (size_t)f;
    best = triangle(best, o, d, mesh->vert + 3 * (size_t)corner[0], mesh->vert + 3 * (size_t)corner[1],
                    mesh->vert + 3 * (size_t)corner[2]);
  }
  return best;
}

double crd_ray_shape(crd_geom_type type, const double size[3], const crd_mesh *mesh, const double o[3],
                     const double d[3]) {
  double best = INFINITY;
  switch (type) {
    case CRD_PLANE: return plane(o, d, size);
    case CRD_SPHERE: return sphere(best, o, d, 0, size[0], 0);
    case CRD_CAPSULE:
      best = column(best, o, d, size[0], size[1]);
      for (int side = -1; side <= 1; side += 2) best = sphere(best, o, d, side * size[1], size[0], side);
      return best;
    case CRD_ELLIPSOID: return ellipsoid(o, d, size);
    case CRD_CYLINDER:
      best = column(best, o, d, size[0], size[1]);
      for (int side = -1; side <= 1; side += 2) best = disk(best, o, d, side * size[1], size[0]);
      return best;
    case CRD_BOX: return box(o, d, size);
    case CRD_MESH:
    case CRD_HFIELD: return mesh ? mesh_surface(o, d, mesh) : INFINITY;
  }
  return best;
}
