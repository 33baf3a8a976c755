/* A half space against every other solid, in closed form: the corners of the solid that come near it.
 *
 * Ellipsoid: the lowest point. Sphere: its centre; capsule: both ends (with the radius). Box: the corners of its lower
 * half. Cylinder: the lowest point of each rim, and the rest of four points of the rim where the end lies flat. Hull:
 * all vertices.
 */
#include <cradle/linalg.h>

#include "collide/collider.h"

static const double LOW = 1e-12; /* of the size: corners that high or higher are not below the centre */
static const double UPRIGHT =
    1e-10; /* sine below which the normal is along the axis, and all points of the rim are equally deep */
static const double HEIGHT_ROUNDING = 1e-9; /* of the size */

/* An end of a cylinder counts as lying flat up to this sine of its tilt. */
static const double FLAT = 0.35;
typedef struct half_space {
  crd_collider *collider;
  const crd_solid *solid;
  const double *pos, *n;
  double distance;
  int count;
} half_space;

/* x: point of the core in the solid's frame. */
static void add(half_space *h, double x, double y, double z) {
  double local[3] = {x, y, z}, p[3], d[3];
  crd_mat3_mul_vec(p, h->solid->R, local);
  crd_vec3_add(p, p, h->solid->pos);
  crd_vec3_sub(d, p, h->pos);
  double gap = crd_vec3_dot(d, h->n) - h->solid->radius;
  if (gap > h->distance || h->count == h->collider->patch.capacity) return;
  crd_contact_point *c = &h->collider->found[h->count++];
  c->gap = gap;
  crd_vec3_copy(c->normal, h->n);
  crd_vec3_copy(c->point, p);
  crd_vec3_axpy(c->point, -(h->solid->radius + 0.5 * gap), h->n);
}

static void add_box(half_space *h, const double n[3]) {
  const double *size = h->solid->size;
  for (int k = 0; k < 8; k++) {
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = k >> i & 1 ? size[i] : -size[i];
    if (crd_vec3_dot(n, x) < -LOW * h->solid->extent) add(h, x[0], x[1], x[2]);
  }
}

static void add_hull(half_space *h, const double n[3]) {
  const crd_solid *solid = h->solid;
  double d[3];
  crd_vec3_sub(d, solid->pos, h->pos);
  /* most vertices lie too high, which their height alone tells */
  double highest = h->distance - crd_vec3_dot(d, h->n) + solid->radius + HEIGHT_ROUNDING * solid->extent;
  for (int i = 0; i < solid->nvert; i++) {
    const double *v = solid->vert + 3 * (solid->hull ? solid->hull[i] : i);
    if (crd_vec3_dot(n, v) <= highest) add(h, v[0], v[1], v[2]);
  }
}

static void add_cylinder(half_space *h, const double n[3]) {
  double r = h->solid->size[0], z = copysign(h->solid->size[2], -n[2]), across = hypot(n[0], n[1]);
  double c = across > UPRIGHT ? -n[0] / across : 1, s = across > UPRIGHT ? -n[1] / across : 0;
  add(h, r * c, r * s, z);
  if (-z * n[2] - r * across < 0) add(h, r * c, r * s, -z);
  if (across <= FLAT) {
    add(h, -r * s, r * c, z);
    add(h, -r * c, -r * s, z);
    add(h, r * s, -r * c, z);
  }
}

int crd_plane_contacts(crd_collider *collider, const crd_solid *solid, const double plane_pos[3], const double n[3],
                       double distance) {
  half_space h = {collider, solid, plane_pos, n, distance, 0};
  double local[3], down[3], p[3], x[3];
  crd_mat3_tmul_vec(local, solid->R, n);
  switch (solid->core) {
    case CRD_CORE_POINT: add(&h, 0, 0, 0); break;
    case CRD_CORE_SEGMENT: add(&h, 0, 0, -solid->size[2]), add(&h, 0, 0, solid->size[2]); break;
    case CRD_CORE_BOX: add_box(&h, local); break;
    case CRD_CORE_CYLINDER: add_cylinder(&h, local); break;
    case CRD_CORE_ELLIPSOID:
      crd_vec3_scale(down, -1, n);
      crd_solid_support(solid, down, p);
      crd_vec3_sub(p, p, solid->pos);
      crd_mat3_tmul_vec(x, solid->R, p);
      add(&h, x[0], x[1], x[2]);
      break;
    case CRD_CORE_HULL: add_hull(&h, local); break;
  }
  return h.count;
}
