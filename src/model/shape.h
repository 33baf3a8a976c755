/* Volume, inertia and size of the geometric primitives, all centred at the origin with the long axis z. */
#ifndef CRADLE_MODEL_SHAPE_H
#define CRADLE_MODEL_SHAPE_H

#include <cradle/model.h>

/* Number of entries of size that the type uses. */
int crd_shape_sizes(crd_geom_type type);
/* 0 for planes and meshes. */
double crd_shape_volume(crd_geom_type type, const double size[3]);
/* Principal moments about the centre of a solid of mass 1 (xx, yy, zz); zero for planes and meshes. */
void crd_shape_inertia(double inertia[3], crd_geom_type type, const double size[3]);
/* The same of the surface, for all but ellipsoids, planes and meshes. */
double crd_shell_area(crd_geom_type type, const double size[3]);
void crd_shell_inertia(double inertia[3], crd_geom_type type, const double size[3]);
/* Radius of the smallest sphere about the origin that holds the shape; infinite for planes, 0 for meshes. */
double crd_shape_radius(crd_geom_type type, const double size[3]);
/* Half axes of the ellipsoid that stands for the shape in a fluid: its extent along each axis. Not for planes and
 * meshes. */
void crd_shape_half_axes(crd_geom_type type, const double size[3], double axes[3]);

#endif
