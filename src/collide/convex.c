/* Contact normal of two convex cores of any kind, from their support functions alone.
 *
 * Apart: GJK. Overlapping or touching: the separation s(n) has to be maximised over the sphere, where it has several
 * local maxima. The expanding polytope finds the highest of them, and the proximal ascent n(k+1) = argmax over m of
 * s(m) + t n(k).m ,   t > max(0, -s(n(k))) takes it to full accuracy: s never decreases, and each step is a GJK
 * distance, that of A moved by t n(k), where the bodies are apart. With polytopes it confirms the face at once; with
 * curved bodies the error shrinks by about t / (t + radius of curvature) a step.
 */
#include <cradle/linalg.h>

#include "collide/direction.h"

static const double LEAST_SHIFT =
    1e-4; /* of the smaller solid: the least distance that its shift leaves, so that the normal keeps its digits */
static const double SHIFT_SHARE = 0.1;      /* of the depth: the same for deep overlaps */
static const double SAME_DIRECTION = 1e-15; /* rad: a unit vector is not known better */
static const double SIX_DIGITS = 1e-7;      /* of the larger solid */

enum { MAX_ASCENTS = 40 };

/* How near to the best s the expanding polytope has to come where a body is curved, as a share of the smaller extent.
 */
static const double EXPAND_TOLERANCE = 1e-5;

static void keep_better(const crd_solid *A, const crd_solid *B, const double candidate[3], double *s, double n[3]) {
  double there = crd_solid_separation(A, B, candidate, NULL, NULL);
  if (there > *s) *s = there, crd_vec3_copy(n, candidate);
}

double crd_direction_ascend(const crd_solid *A, const crd_solid *B, double s, double n[3]) {
  double smaller = fmin(A->extent, B->extent);
  for (int k = 0; k < MAX_ASCENTS; k++) {
    double shift[3], turned[3], before = s;
    crd_gjk gjk;
    crd_vec3_scale(shift, fmax(0, -s) + fmax(LEAST_SHIFT * smaller, SHIFT_SHARE * fabs(s)), n);
    crd_gjk_distance(A, B, shift, n, INFINITY, &gjk);
    if (!(gjk.distance > 0)) break;
    crd_vec3_sub(turned, gjk.n, n);
    keep_better(A, B, gjk.n, &s, n);
    if (!(s > before) || crd_vec3_norm(turned) < SAME_DIRECTION) break;
  }
  return s;
}

double crd_direction_convex(const crd_solid *A, const crd_solid *B, double limit, double n[3]) {
  static const double none[3] = {0, 0, 0};
  double d[3], m[3], s = -INFINITY;
  crd_gjk gjk;
  crd_vec3_sub(d, A->pos, B->pos);
  crd_gjk_distance(A, B, none, d, limit, &gjk);
  double smaller = fmin(A->extent, B->extent), larger = fmax(A->extent, B->extent);
  if (gjk.distance > 0) {
    keep_better(A, B, gjk.n, &s, n);
    /* further apart than this, n is a difference of positions that keeps at least six digits */
    if (gjk.distance > SIX_DIGITS * larger) return s;
  }
  double tolerance = crd_solid_is_curved(A) || crd_solid_is_curved(B) ? EXPAND_TOLERANCE * smaller : 0;
  if (crd_direction_expand(A, B, tolerance, m) > -INFINITY) keep_better(A, B, m, &s, n);
  if (s == -INFINITY) crd_direction_segments(A, B, n), s = crd_solid_separation(A, B, n, NULL, NULL);
  return s;
}
