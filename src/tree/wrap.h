/* The way of a tendon round a sphere or a cylinder: pure geometry. */
#ifndef SRC_TREE_WRAP_H
#define SRC_TREE_WRAP_H

#include <stdbool.h>

/* The obstacle in world coordinates; a cylinder is infinite, its axis the third column of R. */
typedef struct crd_obstacle {
  double centre[3], R[9], radius;
  bool cylinder;
} crd_obstacle;

/* Does the tendon from x0 to x1 bend round the obstacle? Where it does, point[0] and point[1] are where it touches it
 * first and last, and *length is that of the way between them, on the surface. side (NULL: none): of the two ways round,
 * the one that passes on the side of this point is taken; where it lies inside the obstacle, seen across the plane of
 * the string (along the cylinder's axis), the tendon passes through the inside and touches the surface in one point at
 * most. */
bool crd_wrap_round(const crd_obstacle *obstacle, const double x0[3], const double x1[3], const double *side,
                    double point[2][3], double *length);

#endif
