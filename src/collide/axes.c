/* Separating axes of a segment or a box against a box.
 *
 * Where two polytopes overlap, the nearest way out is a face normal of one of them or perpendicular to an edge of each
 * [Gottschalk 1996]: 3 + 3 + 9 axes for two boxes, 3 + 3 for a segment and a box. Any axis gives a lower bound of the
 * gap, so the best one is kept and near-parallel edges need no special case.
 */
#include <cradle/linalg.h>

#include "collide/direction.h"

static const double PARALLEL = 1e-8; /* sine below which two edges have no common perpendicular of their own */

/* A face normal is preferred to a cross product of edges that is better by no more than this share of the extent: with
 * nearly parallel edges the two are the same axis, and the face is the exact one. */
static const double FACE_PREFERENCE = 1e-12;

typedef struct best_axis {
  const crd_solid *A, *B;
  double centre[3]; /* of A minus of B */
  double s, n[3];
} best_axis;

static void try_axis(best_axis *best, const double axis[3], double preference) {
  double n[3];
  crd_vec3_copy(n, axis);
  if (crd_vec3_dot(n, best->centre) < 0) crd_vec3_scale(n, -1, n);
  double s = crd_solid_separation(best->A, best->B, n, NULL, NULL);
  if (s > best->s + preference) best->s = s, crd_vec3_copy(best->n, n);
}

double crd_direction_axes(const crd_solid *A, const crd_solid *B, double n[3]) {
  best_axis best = {.A = A, .B = B, .s = -INFINITY};
  double u[3], w[3], cross[3], preference = FACE_PREFERENCE * (A->extent + B->extent);
  crd_vec3_sub(best.centre, A->pos, B->pos);
  bool segment = A->core == CRD_CORE_SEGMENT;
  for (int i = 0; i < 3; i++) {
    crd_solid_axis(B, i, w);
    try_axis(&best, w, 0);
    crd_solid_axis(A, i, u);
    if (!segment) try_axis(&best, u, preference);
  }
  for (int i = segment ? 2 : 0; i < 3; i++) {
    crd_solid_axis(A, i, u);
    for (int j = 0; j < 3; j++) {
      crd_solid_axis(B, j, w);
      crd_vec3_cross(cross, u, w);
      if (crd_vec3_normalize(cross) > PARALLEL) try_axis(&best, cross, preference);
    }
  }
  crd_vec3_copy(n, best.n);
  return best.s;
}
