/* Polygons of a mesh file, cut into triangles. */
#ifndef CRADLE_SRC_IO_MESH_POLYGON_H
#define CRADLE_SRC_IO_MESH_POLYGON_H

/* Largest polygon with inward corners that is cut properly; a larger one becomes a fan, whose triangles overlap. */
enum { CRD_POLYGON_LARGEST = 1024 };

/* Cuts the polygon with n corners (vertex ids into vert, overwritten) into n - 2 triangles that have its orientation
 * and, where it is flat, do not overlap. n >= 3; triangle has room for 3 (n - 2) ids. */
void crd_polygon_cut(const double *vert, int n, int *corner, int *triangle);

#endif
