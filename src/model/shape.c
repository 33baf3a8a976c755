/* Closed forms for homogeneous solids. r radius, h half length, a b c half axes, all moments per unit mass:
 *   sphere     2/5 r^2
 *   ellipsoid  (b^2 + c^2) / 5, ...
 *   box        (b^2 + c^2) / 3, ...
 *   cylinder   z: r^2 / 2; x, y: r^2 / 4 + h^2 / 3
 *   capsule    a cylinder and two half balls; a half ball has its centre of mass 3/8 r beyond its flat side */
#include "model/shape.h"

#include <math.h>

#include "base/angle.h"

int crd_shape_sizes(crd_geom_type type) {
  switch (type) {
    case CRD_SPHERE: return 1;
    case CRD_CAPSULE:
    case CRD_CYLINDER: return 2;
    case CRD_ELLIPSOID:
    case CRD_BOX: return 3;
    default: return 0;
  }
}

double crd_shape_volume(crd_geom_type type, const double size[3]) {
  double r = size[0], h = size[1];
  switch (type) {
    case CRD_SPHERE: return 4 * CRD_PI / 3 * r * r * r;
    case CRD_CAPSULE: return CRD_PI * r * r * (2 * h + 4 * r / 3);
    case CRD_CYLINDER: return CRD_PI * r * r * 2 * h;
    case CRD_ELLIPSOID: return 4 * CRD_PI / 3 * size[0] * size[1] * size[2];
    case CRD_BOX: return 8 * size[0] * size[1] * size[2];
    default: return 0;
  }
}

static void capsule_inertia(double inertia[3], double r, double h) {
  double ball = 2 * r / (2 * r + 3 * h), cylinder = 1 - ball; /* shares of the mass */
  /* The half balls' moment about the capsule's centre: shift by the centre of mass (3/8 r) back and by h + 3/8 r forth,
   * which is 2/5 r^2 + h^2 + 3/4 r h. */
  inertia[0] = inertia[1] = cylinder * (r * r / 4 + h * h / 3) + ball * (2 * r * r / 5 + h * h + 3 * r * h / 4);
  inertia[2] = cylinder * r * r / 2 + ball * 2 * r * r / 5;
}

void crd_shape_inertia(double inertia[3], crd_geom_type type, const double size[3]) {
  double r = size[0], h = size[1];
  double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
  switch (type) {
    case CRD_SPHERE: inertia[0] = inertia[1] = inertia[2] = 2 * r * r / 5; break;
    case CRD_CAPSULE: capsule_inertia(inertia, r, h); break;
    case CRD_CYLINDER:
      inertia[0] = inertia[1] = r * r / 4 + h * h / 3;
      inertia[2] = r * r / 2;
      break;
    case CRD_ELLIPSOID: inertia[0] = (yy + zz) / 5, inertia[1] = (xx + zz) / 5, inertia[2] = (xx + yy) / 5; break;
    case CRD_BOX: inertia[0] = (yy + zz) / 3, inertia[1] = (xx + zz) / 3, inertia[2] = (xx + yy) / 3; break;
    default: inertia[0] = inertia[1] = inertia[2] = 0;
  }
}

/* Areas of the parts: sides across x, y, z of a box; side, ends of a capsule or cylinder; the whole of a sphere. */
static void shell_parts(crd_geom_type type, const double size[3], double part[3]) {
  double r = size[0], h = size[1];
  part[0] = part[1] = part[2] = 0;
  switch (type) {
    case CRD_SPHERE: part[1] = 4 * CRD_PI * r * r; break;
    case CRD_CAPSULE: part[0] = 4 * CRD_PI * r * h, part[1] = 4 * CRD_PI * r * r; break;
    case CRD_CYLINDER: part[0] = 4 * CRD_PI * r * h, part[1] = 2 * CRD_PI * r * r; break;
    case CRD_BOX:
      for (int i = 0; i < 3; i++) part[i] = 8 * size[(i + 1) % 3] * size[(i + 2) % 3];
      break;
    default: break;
  }
}

double crd_shell_area(crd_geom_type type, const double size[3]) {
  double part[3];
  shell_parts(type, size, part);
  return part[0] + part[1] + part[2];
}

void crd_shell_inertia(double inertia[3], crd_geom_type type, const double size[3]) {
  const double r = size[0], h = type == CRD_SPHERE ? 0 : size[1], area = crd_shell_area(type, size);
  double part[3];
  shell_parts(type, size, part);
  const double side = part[0] / area, ends = part[1] / area;
  if (type == CRD_BOX) {
    double square[3]; /* mean of x^2: a^2 on the sides across x, a^2 / 3 on the others */
    for (int i = 0; i < 3; i++) square[i] = size[i] * size[i] * (part[i] + (area - part[i]) / 3) / area;
    for (int i = 0; i < 3; i++) inertia[i] = square[(i + 1) % 3] + square[(i + 2) % 3];
  } else if (type == CRD_CYLINDER) {
    inertia[0] = inertia[1] = side * (r * r / 2 + h * h / 3) + ends * (r * r / 4 + h * h);
    inertia[2] = side * r * r + ends * r * r / 2;
  } else { /* half a sphere has its centre r / 2 beyond its rim */
    inertia[0] = inertia[1] = side * (r * r / 2 + h * h / 3) + ends * (2 * r * r / 3 + h * h + h * r);
    inertia[2] = side * r * r + ends * 2 * r * r / 3;
  }
}

double crd_shape_radius(crd_geom_type type, const double size[3]) {
  switch (type) {
    case CRD_PLANE: return INFINITY;
    case CRD_SPHERE: return size[0];
    case CRD_CAPSULE: return size[0] + size[1];
    case CRD_CYLINDER: return hypot(size[0], size[1]);
    case CRD_ELLIPSOID: return fmax(size[0], fmax(size[1], size[2]));
    case CRD_BOX: return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    default: return 0;
  }
}

void crd_shape_half_axes(crd_geom_type type, const double size[3], double axes[3]) {
  axes[0] = axes[1] = axes[2] = size[0];
  if (type == CRD_CAPSULE) axes[2] = size[0] + size[1];
  if (type == CRD_CYLINDER) axes[2] = size[1];
  if (type == CRD_ELLIPSOID || type == CRD_BOX) axes[1] = size[1], axes[2] = size[2];
}
