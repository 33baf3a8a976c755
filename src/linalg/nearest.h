/* The point of a polyhedron nearest to a given one. */
#ifndef SRC_LINALG_NEAREST_H
#define SRC_LINALG_NEAREST_H

#include <cradle/base.h>

/* K x = h in the first `equal` rows, K x >= h in the others; K is rows x n. */
typedef struct crd_polyhedron {
  int n, equal, rows;
  const double *K, *h;
} crd_polyhedron;

/* Entries of room that crd_nearest_point needs. */
size_t crd_nearest_room(int n, int rows);

/* Replaces x by the point of the polyhedron nearest to it. CRD_NO_SOLUTION: the polyhedron is empty; CRD_LIMIT: not
 * found within the limit of steps; x is kept then. */
crd_status crd_nearest_point(const crd_polyhedron *polyhedron, double *room, double *x);

#endif
