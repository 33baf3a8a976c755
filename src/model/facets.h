/* The faces of a hull: coplanar triangles joined into convex polygons. */
#ifndef CRADLE_MODEL_FACETS_H
#define CRADLE_MODEL_FACETS_H

#include <cradle/model.h>

#include "model/hull.h"

/* Fills mesh->faces from the hull's triangles; mesh->vert and mesh->hull are given. scratch: freed by the caller.
 * CRD_ERR_MEMORY. */
crd_status crd_facets_make(crd_mesh *mesh, const crd_hull *hull, crd_arena *arena, crd_arena *scratch);

#endif
