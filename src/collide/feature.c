/* The feature of a core that faces a direction, and its projection across the normal.
 *
 * Faces, edges and disks count as facing while they are turned away by no more than a given angle: their planes are
 * known exactly, so that points of a slightly tilted face get their true heights. A hull is known by its vertices
 * alone; those within a band of the farthest one form its feature.
 */
#include <cradle/linalg.h>

#include "collide/manifold.h"

static void add_local(crd_feature *feature, const crd_solid *solid, double x, double y, double z) {
  double local[3] = {x, y, z}, *p = feature->corner[feature->count++].p;
  crd_mat3_mul_vec(p, solid->R, local);
  crd_vec3_add(p, p, solid->pos);
}

/* Axes along which m has a small component are free: none free is a vertex, one an edge, two a face. */
static void box_feature(crd_feature *feature, const crd_solid *solid, const double m[3], double slant) {
  int free_axis[3], nfree = 0;
  double x[3];
  for (int i = 0; i < 3; i++) {
    x[i] = copysign(solid->size[i], m[i]);
    if (fabs(m[i]) <= slant && nfree < 2) free_axis[nfree++] = i;
  }
  for (int k = 0; k < 1 << nfree; k++) {
    for (int f = 0; f < nfree; f++)
      x[free_axis[f]] = k >> f & 1 ? solid->size[free_axis[f]] : -solid->size[free_axis[f]];
    add_local(feature, solid, x[0], x[1], x[2]);
  }
}

static void cylinder_feature(crd_feature *feature, const crd_solid *solid, const double m[3], double slant) {
  double r = solid->size[0], h = solid->size[2], across = hypot(m[0], m[1]);
  /* the direction of the farthest point of the rim; the own x axis where all are equally far */
  double c = across > 1e-10 ? m[0] / across : 1, s = across > 1e-10 ? m[1] / across : 0;
  if (across <= slant) {
    double z = copysign(h, m[2]), centre[3] = {0, 0, z};
    for (int k = 0; k < 4; k++) {
      add_local(feature, solid, r * c, r * s, z);
      double turned = -s;
      s = c, c = turned;
    }
    feature->disk = true;
    feature->radius = r;
    crd_mat3_mul_vec(feature->centre, solid->R, centre);
    crd_vec3_add(feature->centre, feature->centre, solid->pos);
    crd_solid_axis(solid, 2, feature->axis);
  } else if (fabs(m[2]) <= slant) {
    add_local(feature, solid, r * c, r * s, -h);
    add_local(feature, solid, r * c, r * s, h);
  } else {
    add_local(feature, solid, r * c, r * s, copysign(h, m[2]));
  }
}

static void hull_feature(crd_feature *feature, const crd_solid *solid, const double m[3], double band) {
  double farthest = -INFINITY;
  for (int i = 0; i < solid->nvert; i++)
    farthest = fmax(farthest, crd_vec3_dot(solid->vert + 3 * (solid->hull ? solid->hull[i] : i), m));
  for (int i = 0; i < solid->nvert; i++) {
    const double *v = solid->vert + 3 * (solid->hull ? solid->hull[i] : i);
    if (crd_vec3_dot(v, m) >= farthest - band) add_local(feature, solid, v[0], v[1], v[2]);
  }
}

void crd_feature_find(crd_feature *feature, const crd_solid *solid, const double m[3],
                      const crd_patch_tolerance *tolerance) {
  double local[3];
  crd_mat3_tmul_vec(local, solid->R, m);
  feature->count = 0;
  feature->disk = false;
  switch (solid->core) {
    case CRD_CORE_POINT: add_local(feature, solid, 0, 0, 0); break;
    case CRD_CORE_SEGMENT:
      if (fabs(local[2]) <= tolerance->slant) {
        add_local(feature, solid, 0, 0, -solid->size[2]);
        add_local(feature, solid, 0, 0, solid->size[2]);
      } else {
        add_local(feature, solid, 0, 0, copysign(solid->size[2], local[2]));
      }
      break;
    case CRD_CORE_BOX: box_feature(feature, solid, local, tolerance->slant); break;
    case CRD_CORE_CYLINDER: cylinder_feature(feature, solid, local, tolerance->slant); break;
    case CRD_CORE_ELLIPSOID:
      feature->count = 1;
      crd_solid_support(solid, m, feature->corner[0].p);
      break;
    case CRD_CORE_HULL: hull_feature(feature, solid, local, tolerance->band); break;
  }
}

static bool is_left_of(const crd_corner *p, const crd_corner *q) {
  return p->x < q->x || (p->x == q->x && p->y < q->y);
}

static void sort_corners(crd_corner *c, int n) {
  for (int i = 1; i < n; i++) {
    crd_corner moved = c[i];
    int k = i;
    for (; k > 0 && is_left_of(&moved, &c[k - 1]); k--) c[k] = c[k - 1];
    c[k] = moved;
  }
}

/* Twice the signed area of the triangle a b c across the normal. */
static double turn(const crd_corner *a, const crd_corner *b, const crd_corner *c) {
  return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Leaves the corners of the convex hull, in order: Andrew's monotone chain, both halves built one behind the other in
 * the spare part of the array (crd_feature_capacity). Corners nearer to an edge than `flat` go. */
static void order_corners(crd_feature *feature, double flat) {
  crd_corner *c = feature->corner;
  int n = feature->count, lower = 0, upper = 0;
  sort_corners(c, n);
  crd_corner *chain = c + n;
  double limit = flat * hypot(c[n - 1].x - c[0].x, c[n - 1].y - c[0].y);
  for (int i = 0; i < n; i++) {
    while (lower >= 2 && turn(&chain[lower - 2], &chain[lower - 1], &c[i]) <= limit) lower--;
    chain[lower++] = c[i];
  }
  crd_corner *back = chain + lower - 1;
  for (int i = n - 1; i >= 0; i--) {
    while (upper >= 2 && turn(&back[upper - 2], &back[upper - 1], &c[i]) <= limit) upper--;
    back[upper++] = c[i];
  }
  /* both chains share their ends */
  feature->count = lower + upper - 2;
  for (int i = 0; i < feature->count; i++) c[i] = chain[i];
}

/* Slope of the polygon's plane over (x, y), by Newell's formula for its normal. */
static void fit_plane(crd_feature *feature) {
  double nx = 0, ny = 0, nh = 0;
  const crd_corner *c = feature->corner;
  for (int i = 0; i < feature->count; i++) {
    const crd_corner *p = &c[i], *q = &c[(i + 1) % feature->count];
    nx += (p->y - q->y) * (p->h + q->h);
    ny += (p->h - q->h) * (p->x + q->x);
    nh += (p->x - q->x) * (p->y + q->y);
  }
  feature->slope[0] = -nx / nh, feature->slope[1] = -ny / nh;
}

void crd_feature_project(crd_feature *feature, const crd_patch *patch, double flat) {
  double mean[3] = {0, 0, 0};
  for (int i = 0; i < feature->count; i++) {
    crd_corner *c = &feature->corner[i];
    c->x = crd_vec3_dot(c->p, patch->e1), c->y = crd_vec3_dot(c->p, patch->e2), c->h = crd_vec3_dot(c->p, patch->n);
  }
  if (feature->count > 2 && !feature->disk) order_corners(feature, flat);
  for (int i = 0; i < feature->count; i++) {
    const crd_corner *c = &feature->corner[i];
    mean[0] += c->x, mean[1] += c->y, mean[2] += c->h;
  }
  crd_vec3_scale(feature->at, 1.0 / feature->count, mean);
  feature->slope[0] = feature->slope[1] = 0;
  if (feature->disk) {
    double along = crd_vec3_dot(feature->axis, patch->n);
    feature->slope[0] = -crd_vec3_dot(feature->axis, patch->e1) / along;
    feature->slope[1] = -crd_vec3_dot(feature->axis, patch->e2) / along;
  } else if (feature->count > 2) {
    fit_plane(feature);
  }
}
