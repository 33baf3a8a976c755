/* The method for the contact normal of each pair of cores. */
#include "collide/direction.h"

#include <cradle/linalg.h>

static const double FACE_SLANT = 1e-3;    /* rad: how far the normal of a face that touches flat may be off */
static const double FACE_LOSS = 1e-12;    /* of the sizes: separation that is rounding */
static const double FACE_ROUNDING = 1e-7; /* of the smaller body: its corners are this near the plane of the face */

static bool is_thin(const crd_solid *s) { return s->core == CRD_CORE_POINT || s->core == CRD_CORE_SEGMENT; }

/* A box against a segment or a box: the axes decide where they overlap; where they are apart, the nearest features may
 * be corners, which no axis is perpendicular to. The larger separation is the right one. */
static double box_direction(const crd_solid *A, const crd_solid *B, double limit, double n[3]) {
  double s = crd_direction_axes(A, B, n);
  if (s <= CRD_COLLIDE_ROUNDING * (A->extent + B->extent) || s > limit) return s;
  double zero[3] = {0, 0, 0};
  crd_gjk gjk;
  crd_gjk_distance(A, B, zero, n, limit, &gjk);
  if (gjk.distance > 0) {
    double better = crd_solid_separation(A, B, gjk.n, NULL, NULL);
    if (better > s + CRD_COLLIDE_ROUNDING * (A->extent + B->extent)) {
      crd_vec3_copy(n, gjk.n);
      return better;
    }
  }
  return s;
}

static double uneven(const crd_solid *s) { return s->faces ? s->faces->uneven : 0; }

/* The normal of a face or disk that touches another body flat, where its separation is the best up to rounding and up
 * to what the face itself is uneven by: without this the normal would change with the triangle that is found first. */
static double prefer_face(const crd_solid *A, const crd_solid *B, double s, double n[3], crd_patch *patch) {
  crd_patch_tolerance tolerance = {FACE_SLANT, FACE_ROUNDING * fmin(A->extent, B->extent)};
  double best = s - 2 * (uneven(A) + uneven(B)) - FACE_LOSS * (A->extent + B->extent), m[2][3];
  crd_patch_find(patch, A, B, n, &tolerance);
  const crd_feature *feature[2] = {&patch->A, &patch->B};
  int chosen = -1;
  for (int k = 0; k < 2; k++) {
    if (!crd_feature_is_plane(feature[k])) continue;
    crd_feature_normal(feature[k], patch, m[k]);
    double there = crd_solid_separation(A, B, m[k], NULL, NULL);
    if (there > best) best = there, chosen = k;
  }
  if (chosen < 0) return s;
  crd_vec3_copy(n, m[chosen]);
  return best;
}

/* The pair with the simpler core first, so that every closed form needs to be written once. */
static double ordered(const crd_solid *A, const crd_solid *B, double limit, double n[3], crd_patch *patch) {
  if (is_thin(A) && is_thin(B)) return crd_direction_segments(A, B, n);
  if (A->core == CRD_CORE_POINT && (B->core == CRD_CORE_BOX || B->core == CRD_CORE_CYLINDER))
    return crd_direction_point(A, B, n);
  if (B->core == CRD_CORE_BOX && (A->core == CRD_CORE_SEGMENT || A->core == CRD_CORE_BOX))
    return box_direction(A, B, limit, n);
  double s = crd_direction_convex(A, B, limit, n);
  if (s > limit) return s;
  if (!crd_solid_is_curved(A) && !crd_solid_is_curved(B)) return prefer_face(A, B, s, n, patch);
  if (crd_direction_polish(A, B, n, patch)) return crd_solid_separation(A, B, n, NULL, NULL);
  s = crd_direction_ascend(A, B, s, n);
  return crd_direction_polish(A, B, n, patch) ? crd_solid_separation(A, B, n, NULL, NULL) : s;
}

double crd_direction(const crd_solid *A, const crd_solid *B, double limit, double n[3], crd_patch *patch) {
  if (A->core <= B->core) return ordered(A, B, limit, n, patch);
  double s = ordered(B, A, limit, n, patch);
  crd_vec3_scale(n, -1, n);
  return s;
}
