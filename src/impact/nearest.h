/* The point of a polyhedron nearest to a given one. */
#ifndef SRC_IMPACT_NEAREST_H
#define SRC_IMPACT_NEAREST_H

#include <cradle/lcp.h>

/* K x = h in the first `equal` rows, K x >= h in the others; K is rows x n. */
typedef struct crd_polyhedron {
  int n, equal, rows;
  const double *K, *h;
} crd_polyhedron;

/* Entries of room that crd_nearest_point needs. */
size_t crd_nearest_room(int rows);

/* Replaces x by the point of the polyhedron nearest to it. CRD_NO_SOLUTION: the polyhedron is empty; else the verdict
 * of crd_lcp_solve, and x is kept. work has room for the rows. */
crd_status crd_nearest_point(crd_lcp_work *work, const crd_polyhedron *polyhedron, double *room, double *x);

#endif
