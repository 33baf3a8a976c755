/* The feature of a core that faces a direction, and its projection across the normal.
 *
 * Faces, edges and disks count as facing while they are turned away by no more than a given angle: their planes are
 * known exactly, so that points of a slightly tilted face get their true heights. Of the faces of a hull at its
 * farthest vertex the one that is turned away least is taken, else of its edges there: a corner that comes down next
 * always belongs to it before it touches.
 */
#include <cradle/linalg.h>

#include "collide/manifold.h"

static const double UPRIGHT =
    1e-10; /* sine below which a direction is that of the axis, and all points of the rim are equally far */
static const double ON_EDGE = 1e-6; /* of the size: a vertex so near to an edge lies on it */

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
  for (int i = 0; i < 1 << nfree; i++) {
    int k = i ^ i >> 1; /* around the face */
    for (int f = 0; f < nfree; f++)
      x[free_axis[f]] = k >> f & 1 ? solid->size[free_axis[f]] : -solid->size[free_axis[f]];
    add_local(feature, solid, x[0], x[1], x[2]);
  }
}

static void cylinder_feature(crd_feature *feature, const crd_solid *solid, const double m[3], double slant) {
  double r = solid->size[0], h = solid->size[2], across = hypot(m[0], m[1]);
  /* the direction of the farthest point of the rim; the own x axis where all are equally far */
  double c = across > UPRIGHT ? m[0] / across : 1, s = across > UPRIGHT ? m[1] / across : 0;
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

static const double *vertex(const crd_solid *solid, int id) { return solid->vert + 3 * (size_t)id; }

/* Of the faces at hull vertex i the one that is turned away from m least, if by no more than the sine `slant`; -1:
 * none.
 */
static int best_face(const crd_solid *solid, int i, const double m[3], double slant) {
  const crd_hull_faces *faces = solid->faces;
  int best = -1;
  double nearest = 0;
  for (int k = faces->at_first[i]; k < faces->at_first[i + 1]; k++) {
    double cosine = crd_vec3_dot(faces->normal + 3 * faces->at[k], m);
    if (cosine > nearest) nearest = cosine, best = faces->at[k];
  }
  if (best < 0) return best;
  double off[3];
  crd_vec3_copy(off, m);
  crd_vec3_axpy(off, -nearest, faces->normal + 3 * best);
  return crd_vec3_norm(off) <= slant ? best : -1;
}

/* Does the segment from a to b pass through p? */
static bool passes(const double a[3], const double b[3], const double p[3], double tolerance) {
  double u[3], d[3];
  crd_vec3_sub(u, b, a);
  crd_vec3_sub(d, p, a);
  double length = crd_vec3_normalize(u), along = crd_vec3_dot(d, u);
  crd_vec3_axpy(d, -along, u);
  return along >= -tolerance && along <= length + tolerance && crd_vec3_norm(d) <= tolerance;
}

/* Of the edges of faces at hull vertex i that pass through it, the one most nearly across m, if it deviates by no more
 * than the sine `slant`. */
static bool best_edge(const crd_solid *solid, int i, const double m[3], double slant, int end[2]) {
  const crd_hull_faces *faces = solid->faces;
  const double *p = vertex(solid, solid->hull[i]);
  double least = slant;
  bool any = false;
  for (int k = faces->at_first[i]; k < faces->at_first[i + 1]; k++) {
    int first = faces->first[faces->at[k]], count = faces->first[faces->at[k] + 1] - first;
    for (int c = 0; c < count; c++) {
      int from = faces->corner[first + c], to = faces->corner[first + (c + 1) % count];
      double u[3];
      crd_vec3_sub(u, vertex(solid, to), vertex(solid, from));
      double length = crd_vec3_norm(u), sine = fabs(crd_vec3_dot(u, m)) / length;
      if (!(sine <= least) || !passes(vertex(solid, from), vertex(solid, to), p, ON_EDGE * solid->extent)) continue;
      least = sine, end[0] = from < to ? from : to, end[1] = from + to - end[0], any = true;
    }
  }
  return any;
}

static void hull_feature(crd_feature *feature, const crd_solid *solid, const double m[3], double slant) {
  int i = crd_solid_hull_vertex(solid, m), end[2];
  int face = solid->faces ? best_face(solid, i, m, slant) : -1;
  if (face >= 0) {
    for (int k = solid->faces->first[face]; k < solid->faces->first[face + 1]; k++) {
      const double *v = vertex(solid, solid->faces->corner[k]);
      add_local(feature, solid, v[0], v[1], v[2]);
    }
  } else if (solid->faces && best_edge(solid, i, m, slant, end)) {
    for (int k = 0; k < 2; k++) {
      const double *v = vertex(solid, end[k]);
      add_local(feature, solid, v[0], v[1], v[2]);
    }
  } else {
    const double *v = vertex(solid, solid->hull ? solid->hull[i] : i);
    add_local(feature, solid, v[0], v[1], v[2]);
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
    case CRD_CORE_HULL: hull_feature(feature, solid, local, tolerance->slant); break;
  }
}

/* The corners of a polygon counter-clockwise around the patch's normal; they are in order one way or the other. */
static void orient(crd_feature *feature) {
  crd_corner *c = feature->corner;
  int n = feature->count;
  double area = 0;
  for (int i = 1; i + 1 < n; i++)
    area += (c[i].x - c[0].x) * (c[i + 1].y - c[0].y) - (c[i].y - c[0].y) * (c[i + 1].x - c[0].x);
  for (int i = 0; area < 0 && i < n / 2; i++) {
    crd_corner swap = c[i];
    c[i] = c[n - 1 - i], c[n - 1 - i] = swap;
  }
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

void crd_feature_project(crd_feature *feature, const crd_patch *patch) {
  double mean[3] = {0, 0, 0};
  for (int i = 0; i < feature->count; i++) {
    crd_corner *c = &feature->corner[i];
    c->x = crd_vec3_dot(c->p, patch->e1), c->y = crd_vec3_dot(c->p, patch->e2), c->h = crd_vec3_dot(c->p, patch->n);
  }
  if (feature->count > 2 && !feature->disk) orient(feature);
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

void crd_feature_normal(const crd_feature *feature, const crd_patch *patch, double n[3]) {
  for (int i = 0; i < 3; i++) n[i] = patch->n[i] - feature->slope[0] * patch->e1[i] - feature->slope[1] * patch->e2[i];
  crd_vec3_normalize(n);
}
