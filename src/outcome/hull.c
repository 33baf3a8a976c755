/* The convex hull of outcomes, in any dimension.
 *
 * First the frame: the point farthest from the first one, from the line through both, from the plane through the three.
 * Where such a distance is below the tolerance the set is flat in that direction, and the hull is sought in the frame
 * of the directions that remain. There the points are scaled to unit extents, which a convex hull does not mind, so
 * that a thin set is no problem for Qhull, and nothing has to be moved.
 */
#include <cradle/linalg.h>
#include <cradle/outcome.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/hull.h"

static const double MERGED = 1e-9; /* of the largest coordinate: points closer to a face lie in it */

typedef struct frame {
  int dim;
  double origin[3], direction[3][3], extent[3]; /* orthonormal directions, largest distance along each */
} frame;

static void load(const double *point, int axes, size_t i, double out[3]) {
  out[0] = point[(size_t)axes * i], out[1] = point[(size_t)axes * i + 1];
  out[2] = axes == 3 ? point[3 * i + 2] : 0;
}

/* The remainder of x - origin beside the frame's directions. */
static void remainder_of(const frame *f, const double x[3], double rest[3]) {
  crd_vec3_sub(rest, x, f->origin);
  for (int d = 0; d < f->dim; d++) crd_vec3_axpy(rest, -crd_vec3_dot(rest, f->direction[d]), f->direction[d]);
}

static frame find_frame(const double *point, size_t count, int axes, double tolerance) {
  frame f = {0};
  load(point, axes, 0, f.origin);
  while (f.dim < axes) {
    double most = 0, best[3] = {0};
    for (size_t i = 0; i < count; i++) {
      double x[3], rest[3];
      load(point, axes, i, x);
      remainder_of(&f, x, rest);
      double distance = crd_vec3_norm(rest);
      if (distance > most) most = distance, crd_vec3_copy(best, rest);
    }
    if (!(most > tolerance)) break;
    crd_vec3_scale(f.direction[f.dim], 1 / most, best);
    f.extent[f.dim++] = most;
  }
  return f;
}

/* The two ends of the points along the only direction, lower end first. */
static void find_ends(const frame *f, const double *point, size_t count, int axes, size_t end[2]) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    double x[3];
    load(point, axes, i, x);
    double along = crd_vec3_dot(x, f->direction[0]);
    if (along < least) least = along, end[0] = i;
    if (along > most) most = along, end[1] = i;
  }
}

/* The edges of a polygon as its vertices in order; Qhull lists edges in any order. */
static bool chain_edges(const crd_hull *edges, size_t npoint, crd_arena *arena, size_t *vertex) {
  int *next = crd_arena_alloc(arena, npoint, sizeof *next);
  if (!next) return false;
  for (int i = 0; i < edges->nface; i++) next[edges->face[2 * i]] = edges->face[2 * i + 1];
  int at = edges->face[0];
  for (int i = 0; i < edges->nface; i++, at = next[at]) vertex[i] = (size_t)at;
  return true;
}

/* Vertices and faces of a hull of dimension 2 or 3 in its frame. */
static crd_status find_faces(const frame *f, const double *point, size_t count, crd_outcome_hull *hull) {
  crd_arena scratch = {0}, *arena = &hull->arena;
  double *x = crd_arena_alloc(&scratch, count * (size_t)f->dim, sizeof *x);
  int *number = crd_arena_alloc(&scratch, count, sizeof *number);
  crd_hull found = {0};
  crd_status status = x && number ? CRD_OK : CRD_ERR_MEMORY;
  for (size_t i = 0; i < count && status == CRD_OK; i++) {
    double from[3];
    load(point, hull->axes, i, from);
    crd_vec3_sub(from, from, f->origin);
    for (int d = 0; d < f->dim; d++)
      x[(size_t)f->dim * i + (size_t)d] = crd_vec3_dot(from, f->direction[d]) / f->extent[d];
  }
  if (status == CRD_OK) status = crd_hull_make_in(f->dim, &found, &scratch, (int)count, x);
  if (status == CRD_SINGULAR) status = CRD_UNKNOWN;
  if (status == CRD_OK) {
    hull->npoint = found.nvert;
    hull->nface = f->dim == 2 ? found.nvert - 2 : found.nface;
    hull->index = crd_arena_alloc(arena, (size_t)found.nvert, sizeof *hull->index);
    hull->face = crd_arena_alloc(arena, (size_t)hull->nface, 3 * sizeof *hull->face);
    if (!hull->index || !hull->face) status = CRD_ERR_MEMORY;
  }
  if (status == CRD_OK && f->dim == 2) {
    if (!chain_edges(&found, count, &scratch, hull->index)) status = CRD_ERR_MEMORY;
    for (int i = 0; i < hull->nface; i++)
      hull->face[3 * i] = 0, hull->face[3 * i + 1] = i + 1, hull->face[3 * i + 2] = i + 2;
  } else if (status == CRD_OK) {
    for (int i = 0; i < found.nvert; i++) hull->index[i] = (size_t)found.vert[i], number[found.vert[i]] = i;
    for (int i = 0; i < 3 * found.nface; i++) hull->face[i] = number[found.face[i]];
  }
  crd_arena_free(&scratch);
  return status;
}

/* In a frame with a left-handed pair of directions counter-clockwise turns the other way round. */
static void turn_round(const frame *f, crd_outcome_hull *hull) {
  double cross[3];
  crd_vec3_cross(cross, f->direction[0], f->direction[1]);
  if (f->dim == 2 && hull->axes == 2 && cross[2] < 0)
    for (int i = 1, j = hull->npoint - 1; i < j; i++, j--) {
      size_t swap = hull->index[i];
      hull->index[i] = hull->index[j], hull->index[j] = swap;
    }
  if (f->dim == 3 && crd_vec3_dot(cross, f->direction[2]) < 0)
    for (int i = 0; i < hull->nface; i++) {
      int swap = hull->face[3 * i];
      hull->face[3 * i] = hull->face[3 * i + 1], hull->face[3 * i + 1] = swap;
    }
}

static double length_of(const crd_outcome_hull *hull) {
  double a[3], b[3];
  load(hull->point, hull->axes, 0, a), load(hull->point, hull->axes, 1, b);
  crd_vec3_sub(a, a, b);
  return crd_vec3_norm(a);
}

/* Area of the triangles, or the volume they enclose: tetrahedra from the first vertex. */
static double content_of(const crd_outcome_hull *hull) {
  double sum = 0, origin[3];
  load(hull->point, hull->axes, 0, origin);
  for (int i = 0; i < hull->nface; i++) {
    double corner[3][3], cross[3];
    for (int k = 0; k < 3; k++) {
      load(hull->point, hull->axes, (size_t)hull->face[3 * i + k], corner[k]);
      crd_vec3_sub(corner[k], corner[k], origin);
    }
    if (hull->dim == 3) {
      crd_vec3_cross(cross, corner[1], corner[2]);
      sum += crd_vec3_dot(corner[0], cross) / 6;
    } else {
      crd_vec3_sub(corner[1], corner[1], corner[0]), crd_vec3_sub(corner[2], corner[2], corner[0]);
      crd_vec3_cross(cross, corner[1], corner[2]);
      sum += crd_vec3_norm(cross) / 2;
    }
  }
  return sum;
}

static crd_status copy_points(const double *point, crd_outcome_hull *hull) {
  size_t axes = (size_t)hull->axes;
  hull->point = crd_arena_alloc(&hull->arena, (size_t)hull->npoint * axes, sizeof *hull->point);
  if (!hull->point) return CRD_ERR_MEMORY;
  for (int i = 0; i < hull->npoint; i++)
    memcpy(hull->point + axes * (size_t)i, point + axes * hull->index[i], axes * sizeof *point);
  return CRD_OK;
}

static crd_status make(const double *point, size_t count, double tolerance, crd_outcome_hull *hull) {
  frame f = find_frame(point, count, hull->axes, tolerance);
  crd_status status = CRD_OK;
  hull->dim = f.dim;
  if (f.dim < 2) {
    hull->npoint = f.dim + 1;
    hull->index = crd_arena_alloc(&hull->arena, 2, sizeof *hull->index);
    if (!hull->index) return CRD_ERR_MEMORY;
    if (f.dim == 1) find_ends(&f, point, count, hull->axes, hull->index);
  } else {
    status = find_faces(&f, point, count, hull);
    if (status == CRD_OK) turn_round(&f, hull);
  }
  if (status == CRD_OK) status = copy_points(point, hull);
  if (status != CRD_OK) return status;
  hull->size = f.dim == 0 ? 0 : f.dim == 1 ? length_of(hull) : content_of(hull);
  hull->measure = hull->dim == hull->axes ? hull->size : 0;
  return CRD_OK;
}

crd_status crd_outcome_hull_make(const double *point, size_t count, int axes, double tolerance,
                                 crd_outcome_hull *hull) {
  double largest = 0;
  if ((axes != 2 && axes != 3) || tolerance < 0 || count > INT_MAX) return CRD_ERR_ARGUMENT;
  for (size_t i = 0; i < count * (size_t)axes; i++) {
    if (!isfinite(point[i])) return CRD_ERR_NUMBER;
    largest = fmax(largest, fabs(point[i]));
  }
  crd_outcome_hull made = {.axes = axes, .dim = -1};
  crd_status status = count == 0 ? CRD_OK : make(point, count, isnan(tolerance) ? MERGED * largest : tolerance, &made);
  if (status != CRD_OK) return crd_arena_free(&made.arena), status;
  crd_arena_free(&hull->arena);
  *hull = made;
  return CRD_OK;
}

void crd_outcome_hull_free(crd_outcome_hull *hull) {
  crd_arena_free(&hull->arena);
  *hull = (crd_outcome_hull){.dim = -1};
}

double crd_outcome_hull_coverage(const crd_outcome_hull *part, const crd_outcome_hull *whole) {
  if (part->dim < whole->dim) return 0;
  return whole->dim <= 0 ? 1 : part->size / whole->size;
}
