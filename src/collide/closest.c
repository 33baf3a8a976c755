/* Contact normals in closed form: points and segments against each other, a point against a box and a cylinder.
 *
 * Where the cores intersect, the nearest way out is taken; where every way is equally near (two coinciding points), the
 * normal is the z axis.
 */
#include <cradle/linalg.h>

#include "collide/direction.h"

static const double PARALLEL_SQUARED =
    1e-14; /* squared sine of 1e-7: nearly parallel segments have their nearest points at ends as well */
static const double NO_PERPENDICULAR =
    1e-7;                          /* sine between the segments below which their cross product has no digits */
static const double UPRIGHT = 0.9; /* cosine: the segment is so steep that z is no help */

/* Parameter in [-h, h] of the point of the segment c + t u nearest to x. */
static double nearest_parameter(const double c[3], const double u[3], double h, const double x[3]) {
  double d[3];
  crd_vec3_sub(d, x, c);
  return fmin(h, fmax(-h, crd_vec3_dot(d, u)));
}

typedef struct nearest_pair {
  const double *cA, *cB;
  double u[3], w[3], hA, hB; /* directions and half lengths of the segments; a point is a segment of length 0 */
  double d[3];               /* nearest point of A minus nearest point of B */
  double distance;
} nearest_pair;

static void try_parameters(nearest_pair *p, double s, double t) {
  double d[3];
  for (int i = 0; i < 3; i++) d[i] = p->cA[i] + s * p->u[i] - p->cB[i] - t * p->w[i];
  double distance = crd_vec3_norm(d);
  if (distance < p->distance) p->distance = distance, crd_vec3_copy(p->d, d);
}

/* The pair of nearest points lies either in the interior of both segments or at an end of one of them. Trying all five
 * places needs no threshold for "parallel". */
static void find_nearest(nearest_pair *p) {
  double c[3], end[3];
  crd_vec3_sub(c, p->cA, p->cB);
  double uw = crd_vec3_dot(p->u, p->w), uc = crd_vec3_dot(p->u, c), wc = crd_vec3_dot(p->w, c);
  double det = 1 - uw * uw;
  if (det > PARALLEL_SQUARED) {
    double s = (uw * wc - uc) / det, t = (wc - uw * uc) / det;
    if (fabs(s) <= p->hA && fabs(t) <= p->hB) try_parameters(p, s, t);
  }
  for (int sign = -1; sign <= 1; sign += 2) {
    for (int i = 0; i < 3; i++) end[i] = p->cA[i] + sign * p->hA * p->u[i];
    try_parameters(p, sign * p->hA, nearest_parameter(p->cB, p->w, p->hB, end));
    for (int i = 0; i < 3; i++) end[i] = p->cB[i] + sign * p->hB * p->w[i];
    try_parameters(p, nearest_parameter(p->cA, p->u, p->hA, end), sign * p->hB);
  }
}

/* Segments that intersect: out along the common perpendicular, towards the side where A's centre lies. */
static void perpendicular(const nearest_pair *p, double n[3]) {
  double c[3];
  crd_vec3_sub(c, p->cA, p->cB);
  crd_vec3_cross(n, p->u, p->w);
  if (p->hA == 0 || p->hB == 0 || crd_vec3_norm(n) < NO_PERPENDICULAR) {
    /* no second direction: any perpendicular of the segment there is, turned towards the world's z as far as it goes */
    const double *u = p->hA > 0 ? p->u : p->w;
    double z[3] = {0, 0, 1};
    if (p->hA == 0 && p->hB == 0) {
      crd_vec3_copy(n, z);
      return;
    }
    if (fabs(u[2]) > UPRIGHT) z[0] = 1, z[2] = 0;
    for (int i = 0; i < 3; i++) n[i] = z[i];
    crd_vec3_axpy(n, -crd_vec3_dot(z, u), u);
  }
  crd_vec3_normalize(n);
  if (crd_vec3_dot(n, c) < 0) crd_vec3_scale(n, -1, n);
}

double crd_direction_segments(const crd_solid *A, const crd_solid *B, double n[3]) {
  nearest_pair p = {.cA = A->pos, .cB = B->pos, .hA = A->size[2], .hB = B->size[2], .distance = INFINITY};
  crd_solid_axis(A, 2, p.u);
  crd_solid_axis(B, 2, p.w);
  find_nearest(&p);
  if (p.distance > CRD_COLLIDE_ROUNDING * (A->extent + B->extent)) {
    crd_vec3_scale(n, 1 / p.distance, p.d);
    return p.distance;
  }
  perpendicular(&p, n);
  return crd_solid_separation(A, B, n, NULL, NULL);
}

/* Outward normal and signed distance of the point x from a box with half sizes h, in the frame of the box. */
static double point_box(const double h[3], const double x[3], double n[3], double rounding) {
  double outside[3], distance = 0;
  int face = 0;
  for (int i = 0; i < 3; i++) {
    outside[i] = fmax(fabs(x[i]) - h[i], 0);
    distance = hypot(distance, outside[i]);
    if (fabs(x[i]) - h[i] > fabs(x[face]) - h[face]) face = i;
  }
  if (distance > rounding) {
    for (int i = 0; i < 3; i++) n[i] = copysign(outside[i] / distance, x[i]);
    return distance;
  }
  n[0] = n[1] = n[2] = 0;
  n[face] = copysign(1, x[face]);
  return fabs(x[face]) - h[face];
}

/* The same for a cylinder of radius r and half length h: a box in the half plane (distance from the axis, z). */
static double point_cylinder(double r, double h, const double x[3], double n[3], double rounding) {
  double rho = hypot(x[0], x[1]);
  double radial[2] = {rho > 0 ? x[0] / rho : 1, rho > 0 ? x[1] / rho : 0};
  double across = rho - r, along = fabs(x[2]) - h;
  double distance = hypot(fmax(across, 0), fmax(along, 0)), c, s;
  if (distance > rounding) {
    c = fmax(across, 0) / distance, s = fmax(along, 0) / distance;
  } else {
    c = across > along, s = 1 - c;
    distance = fmax(across, along);
  }
  n[0] = c * radial[0], n[1] = c * radial[1], n[2] = copysign(s, x[2]);
  return distance;
}

double crd_direction_point(const crd_solid *A, const crd_solid *B, double n[3]) {
  double d[3], x[3], rounding = CRD_COLLIDE_ROUNDING * (A->extent + B->extent);
  crd_vec3_sub(d, A->pos, B->pos);
  crd_mat3_tmul_vec(x, B->R, d);
  double s = B->core == CRD_CORE_BOX ? point_box(B->size, x, n, rounding)
                                     : point_cylinder(B->size[0], B->size[2], x, n, rounding);
  crd_mat3_mul_vec(n, B->R, n);
  return s;
}
