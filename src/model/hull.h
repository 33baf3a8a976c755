/* Convex hull of points in space or in the plane. */
#ifndef CRADLE_MODEL_HULL_H
#define CRADLE_MODEL_HULL_H

#include <cradle/base.h>

/* Ids of the points on the hull, ascending, and its triangles, outward, counter-clockwise. */
typedef struct crd_hull {
  int nvert, nface;
  int *vert, *face; /* in the arena */
} crd_hull;

/* False where the library was built without Qhull. */
bool crd_hull_available(void);

/* CRD_SINGULAR: the points lie in a plane or are fewer than four. CRD_UNKNOWN: no Qhull in this build. CRD_ERR_MEMORY.
 */
crd_status crd_hull_make(crd_hull *hull, crd_arena *arena, int npoint, const double *point);
/* The same in the plane (dim 2: points of two coordinates, faces are edges, counter-clockwise) or in space (dim 3). */
crd_status crd_hull_make_in(int dim, crd_hull *hull, crd_arena *arena, int npoint, const double *point);

#endif
