/* Distance of a point from a hull: to its faces, edges or vertices outside; minus that to the nearest face inside. */
#include <cradle/linalg.h>
#include <cradle/outcome.h>
#include <math.h>

static void load(const crd_outcome_hull *hull, const double *point, int i, double out[3]) {
  const double *x = point + (size_t)hull->axes * (size_t)i;
  out[0] = x[0], out[1] = x[1], out[2] = hull->axes == 3 ? x[2] : 0;
}

static double distance_between(const double a[3], const double b[3]) {
  double d[3];
  crd_vec3_sub(d, a, b);
  return crd_vec3_norm(d);
}

static double to_segment(const double x[3], const double a[3], const double b[3]) {
  double edge[3], from[3], nearest[3];
  crd_vec3_sub(edge, b, a), crd_vec3_sub(from, x, a);
  double square = crd_vec3_dot(edge, edge);
  double t = square > 0 ? fmin(1, fmax(0, crd_vec3_dot(from, edge) / square)) : 0;
  crd_vec3_copy(nearest, a);
  crd_vec3_axpy(nearest, t, edge);
  return distance_between(x, nearest);
}

/* Within the triangle's prism the distance to its plane counts, elsewhere the nearest edge. */
static double to_triangle(const double x[3], double corner[3][3]) {
  double e1[3], e2[3], normal[3], from[3], least = INFINITY;
  crd_vec3_sub(e1, corner[1], corner[0]), crd_vec3_sub(e2, corner[2], corner[0]);
  crd_vec3_cross(normal, e1, e2);
  bool above = crd_vec3_normalize(normal) > 0;
  for (int k = 0; k < 3; k++) {
    double edge[3], side[3];
    const double *a = corner[k], *b = corner[(k + 1) % 3];
    crd_vec3_sub(edge, b, a), crd_vec3_sub(from, x, a);
    crd_vec3_cross(side, normal, edge);
    above = above && crd_vec3_dot(side, from) >= 0;
    least = fmin(least, to_segment(x, a, b));
  }
  return above ? fmin(least, fabs(crd_vec3_dot(normal, from))) : least;
}

static double to_faces(const crd_outcome_hull *hull, const double x[3]) {
  double least = INFINITY;
  for (int i = 0; i < hull->nface; i++) {
    double corner[3][3];
    for (int k = 0; k < 3; k++) load(hull, hull->point, hull->face[3 * i + k], corner[k]);
    least = fmin(least, to_triangle(x, corner));
  }
  return least;
}

/* The least distance to the lines of the polygon's edges, counted inwards: negative outside. */
static double depth_in_polygon(const crd_outcome_hull *hull, const double x[3]) {
  double least = INFINITY;
  for (int i = 0; i < hull->npoint; i++) {
    double a[3], b[3];
    load(hull, hull->point, i, a), load(hull, hull->point, (i + 1) % hull->npoint, b);
    double dx = b[0] - a[0], dy = b[1] - a[1];
    least = fmin(least, (dx * (x[1] - a[1]) - dy * (x[0] - a[0])) / hypot(dx, dy));
  }
  return least;
}

static double depth_in_polyhedron(const crd_outcome_hull *hull, const double x[3]) {
  double least = INFINITY;
  for (int i = 0; i < hull->nface; i++) {
    double corner[3][3], normal[3], from[3];
    for (int k = 0; k < 3; k++) load(hull, hull->point, hull->face[3 * i + k], corner[k]);
    crd_vec3_sub(from, x, corner[0]);
    crd_vec3_sub(corner[1], corner[1], corner[0]), crd_vec3_sub(corner[2], corner[2], corner[0]);
    crd_vec3_cross(normal, corner[1], corner[2]);
    if (crd_vec3_normalize(normal) > 0) least = fmin(least, -crd_vec3_dot(normal, from));
  }
  return least;
}

double crd_outcome_hull_distance(const crd_outcome_hull *hull, const double *point) {
  double x[3], a[3], b[3];
  if (hull->dim < 0) return INFINITY;
  load(hull, point, 0, x);
  load(hull, hull->point, 0, a);
  if (hull->dim == 0) return distance_between(x, a);
  if (hull->dim == 1) {
    load(hull, hull->point, 1, b);
    return to_segment(x, a, b);
  }
  if (hull->dim == hull->axes) {
    double depth = hull->dim == 2 ? depth_in_polygon(hull, x) : depth_in_polyhedron(hull, x);
    if (depth >= 0) return -depth;
  }
  return to_faces(hull, x);
}
