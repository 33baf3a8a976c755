/* Fewer points for a large patch.
 *
 * A force at a point inside the polygon of others is the sum of forces at its corners, friction included, and bodies
 * that do not overlap at the corners do not overlap inside: corners suffice. They are chosen one by one, each time the
 * point that lies farthest outside the polygon of those chosen so far; a patch with no more corners than are kept loses
 * nothing, of others the polygon comes as near as so many corners can.
 */
#include "collide/reduce.h"

#include <cradle/linalg.h>
#include <math.h>
#include <stdbool.h>

static const double ON_EDGE = 1e-9; /* of the patch: a point that far outside of an edge lies on it */
static const double OBLIQUE = 0.6;  /* a unit vector with a smaller component along x is well away from the x axis */

typedef struct polygon {
  const crd_contact_point *point;
  double e1[3], e2[3]; /* the plane of the patch */
  int count;
  int corner[CRD_PATCH_POINTS]; /* counter-clockwise */
} polygon;

static void coordinates(const polygon *p, int i, double xy[2]) {
  double d[3];
  crd_vec3_sub(d, p->point[i].point, p->point[0].point);
  xy[0] = crd_vec3_dot(d, p->e1), xy[1] = crd_vec3_dot(d, p->e2);
}

/* The edges of the polygon: corner, and unit vector to the right of the way to the next one (of a single corner, none).
 */
typedef struct edges {
  double corner[CRD_PATCH_POINTS][2], right[CRD_PATCH_POINTS][2];
  bool single;
} edges;

static edges edges_of(const polygon *p) {
  edges e = {.single = p->count == 1};
  for (int k = 0; k < p->count; k++) coordinates(p, p->corner[k], e.corner[k]);
  for (int k = 0; k < p->count && !e.single; k++) {
    const double *a = e.corner[k], *b = e.corner[(k + 1) % p->count];
    double x = b[0] - a[0], y = b[1] - a[1], length = hypot(x, y);
    e.right[k][0] = y / length, e.right[k][1] = -x / length;
  }
  return e;
}

/* How far point i lies outside the polygon, *edge is where. Of a segment both sides count. */
static double outside(const polygon *p, const edges *e, int i, int *edge) {
  double farthest = -INFINITY, x[2];
  coordinates(p, i, x);
  for (int k = 0; k < p->count; k++) {
    double dx = x[0] - e->corner[k][0], dy = x[1] - e->corner[k][1];
    double d = e->single ? hypot(dx, dy) : dx * e->right[k][0] + dy * e->right[k][1];
    if (d > farthest) farthest = d, *edge = k;
  }
  return farthest;
}

/* Does corner k bend to the left, as all corners of a convex polygon do? */
static bool is_convex(const polygon *p, int k) {
  double a[2], b[2], c[2];
  coordinates(p, p->corner[(k + p->count - 1) % p->count], a);
  coordinates(p, p->corner[k], b);
  coordinates(p, p->corner[(k + 1) % p->count], c);
  return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) > 0;
}

static void leave_out(polygon *p, int k) {
  p->count--;
  for (; k < p->count; k++) p->corner[k] = p->corner[k + 1];
}

/* Point i between the corners of the edge; corners that it takes into the polygon are left out. */
static void insert(polygon *p, int edge, int i) {
  for (int k = p->count; k > edge + 1; k--) p->corner[k] = p->corner[k - 1];
  p->corner[edge + 1] = i;
  p->count++;
  for (bool changed = true; changed && p->count > 3;) {
    int own = 0;
    while (p->corner[own] != i) own++;
    int next = (own + 1) % p->count, last = (own + p->count - 1) % p->count;
    int reflex = !is_convex(p, next) ? next : !is_convex(p, last) ? last : -1;
    changed = reflex >= 0;
    if (changed) leave_out(p, reflex);
  }
}

static int smallest_gap(const crd_contact_point *point, int count) {
  int best = 0;
  for (int i = 1; i < count; i++)
    if (point[i].gap < point[best].gap) best = i;
  return best;
}

/* The frame of the patch, and its first corner: of the points wanted (NULL: all) the one farthest from `centre`, which
 * is a corner of their hull. Returns that distance. */
static double start_polygon(polygon *p, int count, const bool *wanted, int centre) {
  double viewer[3] = {0, 0, 0}, farthest = 0;
  const double *n = p->point[0].normal;
  viewer[fabs(n[0]) < OBLIQUE ? 0 : 1] = 1;
  crd_vec3_cross(p->e1, n, viewer);
  crd_vec3_normalize(p->e1);
  crd_vec3_cross(p->e2, n, p->e1);
  p->corner[0] = centre, p->count = 1;
  for (int i = 0; i < count; i++) {
    double d[3];
    crd_vec3_sub(d, p->point[i].point, p->point[centre].point);
    if ((!wanted || wanted[i]) && crd_vec3_norm(d) > farthest) farthest = crd_vec3_norm(d), p->corner[0] = i;
  }
  return farthest;
}

/* Adds the point (of those wanted; NULL: all) that lies farthest outside, by more than `least`. False: there is none.
 */
static bool extend(polygon *p, int count, const bool *wanted, double least) {
  int next = -1, edge = 0;
  edges e = edges_of(p);
  for (int i = 0; i < count; i++) {
    int at = 0;
    double d = wanted && !wanted[i] ? -INFINITY : outside(p, &e, i, &at);
    if (d > least) least = d, next = i, edge = at;
  }
  if (next < 0) return false;
  insert(p, edge, next);
  return true;
}

/* The points kept: those that were chosen before, and the polygon's corners. Returns their number. */
static int mark(const polygon *p, int count, const bool *before, bool *kept) {
  int number = 0;
  for (int i = 0; i < count; i++) kept[i] = before[i];
  for (int k = 0; k < p->count; k++) kept[p->corner[k]] = true;
  for (int i = 0; i < count; i++) number += kept[i];
  return number;
}

static int nearest_known(const crd_contact_point *point, int count, const bool *known, int to) {
  int best = -1;
  double least = INFINITY, d[3];
  for (int i = 0; i < count; i++) {
    crd_vec3_sub(d, point[i].point, point[to].point);
    if (known[i] && crd_vec3_norm(d) < least) least = crd_vec3_norm(d), best = i;
  }
  return best;
}

/* The deepest point joins those known, unless one of them is as deep; where they are too many, the nearest gives way.
 * Returns the number of them all. */
static int add_deepest(const crd_contact_point *point, int count, double deeper, bool *known) {
  int deepest = smallest_gap(point, count), number = 0;
  bool is_new = true;
  for (int i = 0; i < count; i++) {
    number += known[i];
    if (known[i] && point[i].gap <= point[deepest].gap + deeper) is_new = false;
  }
  if (!is_new) return number;
  if (number >= CRD_PATCH_POINTS) known[nearest_known(point, count, known, deepest)] = false, number--;
  known[deepest] = true;
  return number + 1;
}

void crd_patch_corners(const crd_contact_point *point, int count, double same, bool *kept) {
  polygon p = {.point = point};
  const int deepest = smallest_gap(point, count);
  double least = INFINITY;
  const double size = start_polygon(&p, count, NULL, deepest);
  while (p.count < CRD_PATCH_POINTS && extend(&p, count, NULL, fmax(same, ON_EDGE * size))) continue;
  for (int i = 0; i < count; i++) kept[i] = false;
  for (int k = 0; k < p.count; k++) kept[p.corner[k]] = true, least = fmin(least, point[p.corner[k]].gap);
  if (point[deepest].gap < least - same) kept[deepest] = true;
}

void crd_patch_choose(const crd_contact_point *point, int count, double deeper, bool *known, bool *kept) {
  int number = add_deepest(point, count, deeper, known);
  for (int i = 0; i < count; i++) kept[i] = known[i] || count <= CRD_PATCH_POINTS;
  if (count <= CRD_PATCH_POINTS) return;
  polygon p = {.point = point};
  int centre = smallest_gap(point, count);
  double least = ON_EDGE * start_polygon(&p, count, NULL, centre);
  if (number > 1) {
    start_polygon(&p, count, known, centre);
    while (p.count < CRD_PATCH_POINTS && extend(&p, count, known, least)) continue;
  }
  while (p.count < CRD_PATCH_POINTS && mark(&p, count, known, kept) < CRD_PATCH_POINTS &&
         extend(&p, count, NULL, least))
    continue;
  mark(&p, count, known, kept);
}
