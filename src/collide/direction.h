/* Finding the contact normal: the unit vector n, from B to A, at which the separation s(n) of two cores is largest.
 * Each function below does it for some kinds of cores and returns s(n); crd_direction chooses among them. */
#ifndef SRC_COLLIDE_DIRECTION_H
#define SRC_COLLIDE_DIRECTION_H

#include <stdbool.h>

#include "collide/manifold.h"
#include "collide/solid.h"

/* Lengths below this share of the bodies' extent are rounding errors of their positions. */
#define CRD_COLLIDE_ROUNDING 1e-13

/* Any two cores. Exact up to rounding where the cores are polytopes or a closed form exists; a pair with a cylinder or
 * an ellipsoid is polished by Newton's method to the same accuracy. Where the result is larger than `limit` the cores
 * are at least that far apart, but n need not be the best direction. patch: scratch. */
double crd_direction(const crd_solid *A, const crd_solid *B, double limit, double n[3], crd_patch *patch);

/* Closed forms: A is a point or a segment; B a point, a segment (direction_segments), a box or a cylinder
 * (direction_point; A a point). */
double crd_direction_segments(const crd_solid *A, const crd_solid *B, double n[3]);
double crd_direction_point(const crd_solid *A, const crd_solid *B, double n[3]);

/* The best of the directions that can be optimal where a segment or box and a box overlap: face normals and cross
 * products of edges. Apart, it is a lower bound of the distance. */
double crd_direction_axes(const crd_solid *A, const crd_solid *B, double n[3]);

/* Any two convex cores: GJK where they are apart, else expanding polytope. limit as above. */
double crd_direction_convex(const crd_solid *A, const crd_solid *B, double limit, double n[3]);
/* Improves n, whose separation is s, step by step; returns the separation reached. */
double crd_direction_ascend(const crd_solid *A, const crd_solid *B, double s, double n[3]);

/* The best direction of overlapping or touching cores within `tolerance` (m) of the best s: expanding polytope.
 * -INFINITY: A - B has no volume and n is not written. */
double crd_direction_expand(const crd_solid *A, const crd_solid *B, double tolerance, double n[3]);

/* Improves n, which is near the optimum, by Newton's method on the features that n selects. False: no hypothesis about
 * the features fulfils the optimality conditions, n is unchanged. */
bool crd_direction_polish(const crd_solid *A, const crd_solid *B, double n[3], crd_patch *patch);

/* Is n a stationary point of s? It is if the features that face each other exactly along n overlap, since then a - b =
 * s n for a point a of A and b of B in them. */
bool crd_direction_is_stationary(const crd_solid *A, const crd_solid *B, const double n[3], crd_patch *patch);

/* Result of the distance function of Gilbert, Johnson and Keerthi for A moved by `shift` against B. */
typedef struct crd_gjk {
  double distance; /* 0: the cores overlap or touch */
  double n[3];     /* from B to A; undefined where distance is 0 */
  int iterations;
} crd_gjk;

/* start: first direction to look into. The iteration ends early once the distance is known to be more than limit. */
void crd_gjk_distance(const crd_solid *A, const crd_solid *B, const double shift[3], const double start[3],
                      double limit, crd_gjk *result);

#endif
