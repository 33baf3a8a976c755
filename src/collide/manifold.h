/* The patch in which two bodies touch: the features (corner, edge, face, disk) that face each other along the normal,
 * and the corners of their common part. */
#ifndef SRC_COLLIDE_MANIFOLD_H
#define SRC_COLLIDE_MANIFOLD_H

#include <stdbool.h>

#include "collide/solid.h"

/* A corner of a feature. x and y are its coordinates in the plane across the normal, h along it. */
typedef struct crd_corner {
  double p[3], x, y, h;
} crd_corner;

/* The part of a core that faces a direction. count 1: a point; 2: an edge; more: a convex polygon, its corners in order
 * around the normal; disk: the end of a cylinder, its corners four points of the rim, the one that reaches farthest
 * first. */
typedef struct crd_feature {
  int count;
  crd_corner *corner;
  bool disk;
  double centre[3], axis[3], radius; /* disk */
  double slope[2], at[3];            /* height over (x, y): at[2] + slope . (x - at[0], y - at[1]) */
} crd_feature;

/* A corner of the common part: where it lies across the normal, and the heights of both features there. */
typedef struct crd_patch_point {
  double x, y, hA, hB;
} crd_patch_point;

typedef struct crd_patch {
  double n[3], e1[3], e2[3]; /* frame: right-handed, e1 x e2 = n */
  crd_feature A, B;
  int count, capacity;
  crd_patch_point *point;
} crd_patch;

/* How far a feature may deviate from facing the normal exactly. */
typedef struct crd_patch_tolerance {
  double slant;   /* sine of the angle by which a face, edge or disk may be turned away */
  double lateral; /* m; how far outside a feature a point still counts as inside */
} crd_patch_tolerance;

/* Corners that the array of a feature must have room for, and points for the common part of two features with such
 * arrays. */
static inline int crd_feature_capacity(int nvert) { return nvert > 4 ? nvert : 4; }
static inline int crd_patch_capacity(int feature_capacity) { return 2 * feature_capacity + 16; }

/* The feature of the core that faces the direction m (unit), without its projection. */
void crd_feature_find(crd_feature *feature, const crd_solid *solid, const double m[3],
                      const crd_patch_tolerance *tolerance);

/* Coordinates of the corners in the frame of the patch, their order, and the plane of the feature. */
void crd_feature_project(crd_feature *feature, const crd_patch *patch);

/* Is it flat: a face or a disk? Then its unit normal, on the side of the patch's. */
static inline bool crd_feature_is_plane(const crd_feature *feature) { return feature->disk || feature->count > 2; }
void crd_feature_normal(const crd_feature *feature, const crd_patch *patch, double n[3]);

/* Fills patch->n, e1, e2, both features and the points of their common part, along n from B to A. patch->A.corner,
 * patch->B.corner, patch->point and patch->capacity are given. The common part is empty if the features do not overlap.
 */
void crd_patch_find(crd_patch *patch, const crd_solid *A, const crd_solid *B, const double n[3],
                    const crd_patch_tolerance *tolerance);

#endif
