/* The corners of the common part of two features, seen along the normal.
 *
 * The gap is a linear function over the common part of two planar features, so it is smallest at a corner of that part.
 * The corners are: corners of one feature inside the other, crossings of their edges, crossings of an edge or a rim
 * with a rim. An arc of a rim is represented by those of the rim's four corners that lie on it. Cost O(corners of A x
 * corners of B).
 */
#include "collide/manifold.h"

#include <cradle/linalg.h>

static const double PARALLEL_SQUARED = 1e-18; /* squared sine of 1e-9: edges that close to parallel have no crossing */

static double height(const crd_feature *f, double x, double y) {
  if (f->count == 2 && !f->disk) {
    const crd_corner *p = &f->corner[0], *q = &f->corner[1];
    double dx = q->x - p->x, dy = q->y - p->y, dd = dx * dx + dy * dy;
    double t = dd > 0 ? ((x - p->x) * dx + (y - p->y) * dy) / dd : 0.5;
    return p->h + fmin(1, fmax(0, t)) * (q->h - p->h);
  }
  return f->at[2] + f->slope[0] * (x - f->at[0]) + f->slope[1] * (y - f->at[1]);
}

/* Distance from the segment p q across the normal. */
static double off_edge(const crd_corner *p, const crd_corner *q, double x, double y) {
  double dx = q->x - p->x, dy = q->y - p->y, dd = dx * dx + dy * dy;
  double t = dd > 0 ? fmin(1, fmax(0, ((x - p->x) * dx + (y - p->y) * dy) / dd)) : 0;
  return hypot(x - p->x - t * dx, y - p->y - t * dy);
}

/* Vector from the disk's centre to the disk's point over (x, y). */
static void from_centre(const crd_patch *patch, const crd_feature *disk, double x, double y, double d[3]) {
  double h = height(disk, x, y);
  for (int i = 0; i < 3; i++) d[i] = x * patch->e1[i] + y * patch->e2[i] + h * patch->n[i] - disk->centre[i];
}

static bool inside(const crd_patch *patch, const crd_feature *f, double x, double y, double lateral) {
  if (f->disk) {
    double d[3];
    from_centre(patch, f, x, y, d);
    return crd_vec3_norm(d) <= f->radius + lateral;
  }
  if (f->count <= 2) return off_edge(&f->corner[0], &f->corner[f->count - 1], x, y) <= lateral;
  for (int i = 0; i < f->count; i++) {
    const crd_corner *p = &f->corner[i], *q = &f->corner[(i + 1) % f->count];
    double dx = q->x - p->x, dy = q->y - p->y, left = dx * (y - p->y) - dy * (x - p->x);
    if (left < 0 && left * left > lateral * lateral * (dx * dx + dy * dy)) return false;
  }
  return true;
}

/* Adds a point unless one lies there already; of two at one place the lower gap stays. */
static void add_with_heights(crd_patch *patch, crd_patch_point new, double lateral) {
  for (int i = 0; i < patch->count; i++) {
    crd_patch_point *old = &patch->point[i];
    double dx = old->x - new.x, dy = old->y - new.y;
    if (dx * dx + dy * dy > 4 * lateral * lateral) continue;
    if (new.hA - new.hB < old->hA - old->hB) *old = new;
    return;
  }
  if (patch->count < patch->capacity) patch->point[patch->count++] = new;
}

static void add_point(crd_patch *patch, double x, double y, double lateral) {
  crd_patch_point new = {x, y, height(&patch->A, x, y), height(&patch->B, x, y)};
  add_with_heights(patch, new, lateral);
}

static void add_corners(crd_patch *patch, bool of_A, double lateral) {
  const crd_feature *from = of_A ? &patch->A : &patch->B, *in = of_A ? &patch->B : &patch->A;
  for (int i = 0; i < from->count; i++) {
    const crd_corner *c = &from->corner[i];
    if (!inside(patch, in, c->x, c->y, lateral)) continue;
    double under = height(in, c->x, c->y);
    crd_patch_point new = {c->x, c->y, of_A ? c->h : under, of_A ? under : c->h};
    add_with_heights(patch, new, lateral);
  }
}

static int edge_count(const crd_feature *f) { return f->disk ? 0 : f->count > 2 ? f->count : f->count - 1; }

static void add_edge_crossings(crd_patch *patch, double lateral) {
  const crd_feature *A = &patch->A, *B = &patch->B;
  for (int i = 0; i < edge_count(A); i++) {
    for (int j = 0; j < edge_count(B); j++) {
      const crd_corner *a = &A->corner[i], *b = &A->corner[(i + 1) % A->count];
      const crd_corner *c = &B->corner[j], *d = &B->corner[(j + 1) % B->count];
      double ux = b->x - a->x, uy = b->y - a->y, wx = d->x - c->x, wy = d->y - c->y, rx = c->x - a->x, ry = c->y - a->y;
      double det = ux * wy - uy * wx;
      if (det * det <= PARALLEL_SQUARED * (ux * ux + uy * uy) * (wx * wx + wy * wy)) continue;
      double s = (rx * wy - ry * wx) / det, t = (rx * uy - ry * ux) / det;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) add_point(patch, a->x + s * ux, a->y + s * uy, lateral);
    }
  }
}

/* The edge is carried along the normal into the disk's plane, where the rim is a circle. */
static void add_rim_crossings(crd_patch *patch, const crd_feature *disk, const crd_feature *edges, double lateral) {
  for (int i = 0; i < edge_count(edges); i++) {
    const crd_corner *p = &edges->corner[i], *q = &edges->corner[(i + 1) % edges->count];
    double a[3], b[3];
    from_centre(patch, disk, p->x, p->y, a);
    from_centre(patch, disk, q->x, q->y, b);
    crd_vec3_sub(b, b, a);
    double bb = crd_vec3_dot(b, b), ab = crd_vec3_dot(a, b), aa = crd_vec3_dot(a, a) - disk->radius * disk->radius;
    double root = ab * ab - bb * aa;
    if (!(root >= 0) || bb == 0) continue;
    for (int sign = -1; sign <= 1; sign += 2) {
      double t = (-ab + sign * sqrt(root)) / bb;
      if (t >= 0 && t <= 1) add_point(patch, p->x + t * (q->x - p->x), p->y + t * (q->y - p->y), lateral);
    }
  }
}

/* Two rims of disks that both lie across the normal. Rims of tilted disks meet where both reach farthest, in a corner.
 */
static void add_circle_crossings(crd_patch *patch, double lateral) {
  const crd_feature *A = &patch->A, *B = &patch->B;
  double tilt = hypot(A->slope[0], A->slope[1]) + hypot(B->slope[0], B->slope[1]);
  double dx = B->at[0] - A->at[0], dy = B->at[1] - A->at[1], d = hypot(dx, dy);
  if (d <= lateral || tilt * fmax(A->radius, B->radius) > lateral) return;
  double along = (d * d + A->radius * A->radius - B->radius * B->radius) / (2 * d);
  double square = A->radius * A->radius - along * along;
  if (!(square >= 0)) return;
  double aside = sqrt(square);
  for (int sign = -1; sign <= 1; sign += 2)
    add_point(patch, A->at[0] + (along * dx - sign * aside * dy) / d, A->at[1] + (along * dy + sign * aside * dx) / d,
              lateral);
}

/* A direction across n: the world axis that is most nearly perpendicular to it, made so. */
static void across(const double n[3], double e[3]) {
  int k = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(n[i]) < fabs(n[k])) k = i;
  e[0] = e[1] = e[2] = 0;
  e[k] = 1;
  crd_vec3_axpy(e, -n[k], n);
  crd_vec3_normalize(e);
}

void crd_patch_find(crd_patch *patch, const crd_solid *A, const crd_solid *B, const double n[3],
                    const crd_patch_tolerance *tolerance) {
  double back[3] = {-n[0], -n[1], -n[2]};
  crd_vec3_copy(patch->n, n);
  across(n, patch->e1);
  crd_vec3_cross(patch->e2, n, patch->e1);
  crd_feature_find(&patch->A, A, back, tolerance);
  crd_feature_find(&patch->B, B, n, tolerance);
  crd_feature_project(&patch->A, patch);
  crd_feature_project(&patch->B, patch);
  patch->count = 0;
  add_corners(patch, true, tolerance->lateral);
  add_corners(patch, false, tolerance->lateral);
  add_edge_crossings(patch, tolerance->lateral);
  if (patch->A.disk) add_rim_crossings(patch, &patch->A, &patch->B, tolerance->lateral);
  if (patch->B.disk) add_rim_crossings(patch, &patch->B, &patch->A, tolerance->lateral);
  if (patch->A.disk && patch->B.disk) add_circle_crossings(patch, tolerance->lateral);
}
