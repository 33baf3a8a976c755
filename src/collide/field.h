/* Height fields as rows of triangular prisms: which prisms a solid may meet, and which of their contacts are the
 * field's. */
#ifndef SRC_COLLIDE_FIELD_H
#define SRC_COLLIDE_FIELD_H

#include "collide/solid.h"

/* Corners of a prism: three on the surface, counter-clockwise seen from above, and below them three on the base. */
enum { CRD_PRISM_CORNERS = 6, CRD_PRISM_FACES = 5 };

typedef struct crd_prism {
  double vert[3 * CRD_PRISM_CORNERS]; /* from the solid's position */
  double normal[3 * CRD_PRISM_FACES];
  crd_hull_faces faces;
} crd_prism;

/* The cells from row[0], col[0] up to row[1], col[1] - 1 that a box low .. high in the field's frame lies over; none:
 * row[0] >= row[1]. */
typedef struct crd_field_cells {
  int row[2], col[2];
} crd_field_cells;
crd_field_cells crd_field_under(const crd_field *field, const double low[3], const double high[3]);

/* The prism below one of the two triangles (`half` 0 or 1) of a cell, in a field at pos, R. */
void crd_field_prism(crd_prism *prism, crd_solid *solid, const crd_mesh *mesh, int row, int col, int half,
                     const double pos[3], const double R[9]);
/* The highest of its corners, in the field's frame. */
double crd_field_top(const crd_mesh *mesh, int row, int col, int half);
/* Outward normal of the triangle, in the field's frame. */
void crd_field_normal(const crd_mesh *mesh, int row, int col, int half, double n[3]);
/* Does (x, y) lie on the triangle? */
bool crd_field_is_over(const crd_mesh *mesh, int row, int col, int half, double x, double y);

/* Is n (field's frame, out of the field) a normal of the field at its point p? No where a triangle at p rises above the
 * plane through p across n: then n is of a wall between two prisms, or of an edge that a neighbour covers. */
bool crd_field_has_normal(const crd_mesh *mesh, const double p[3], const double n[3]);

/* A lower bound of the gap between the field and the sphere of this radius about `centre` (field's frame), m. */
double crd_field_gap(const crd_mesh *mesh, const double centre[3], double radius);

#endif
