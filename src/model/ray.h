/* Rays: where they meet the surface of a shape. */
#ifndef CRADLE_MODEL_RAY_H
#define CRADLE_MODEL_RAY_H

#include <cradle/model.h>

/* Distance along the unit direction, from the origin (both in the shape's frame), to the nearest point of the surface: from
 * inside to where the ray leaves it. A plane is met from above only, within its half sizes where they are not 0; of a mesh the
 * triangles count (mesh may be NULL for other types). INFINITY: never. */
double crd_ray_shape(crd_geom_type type, const double size[3], const crd_mesh *mesh, const double origin[3],
                     const double direction[3]);

#endif
