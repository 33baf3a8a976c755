/* A geom as the collision functions see it: a convex core, thickened by a radius.
 *
 * Sphere and capsule are a point and a segment with a radius; the other kinds have radius 0. Since the support function
 * of the thickened body is that of the core plus the radius, s(n) = s_core(n) - rA - rB, and every normal can be looked
 * for on the cores.
 */
#ifndef SRC_COLLIDE_SOLID_H
#define SRC_COLLIDE_SOLID_H

#include <cradle/model.h>
#include <stdbool.h>

typedef enum crd_core {
  CRD_CORE_POINT,
  CRD_CORE_SEGMENT,
  CRD_CORE_BOX,
  CRD_CORE_CYLINDER,
  CRD_CORE_ELLIPSOID,
  CRD_CORE_HULL
} crd_core;

typedef struct crd_solid {
  crd_core core;
  double pos[3], R[9];
  double
      size[3]; /* box, ellipsoid: half axes; segment: half length in [2]; cylinder: radius in [0], half length in [2] */
  double radius;      /* thickness around the core */
  double extent;      /* a length typical of the body, for tolerances: radius of the sphere about pos that holds it */
  int nvert;          /* hull */
  const int *hull;    /* ids of its vertices, NULL: 0 .. nvert-1 */
  const double *vert; /* in the solid's frame */
  const int *first, *next, *seed; /* neighbours on the hull, as in crd_mesh; NULL: not known */
  const crd_hull_faces *faces;    /* of the hull; NULL: not known */
} crd_solid;

/* The solid of a geom (not a plane) at a pose. */
void crd_solid_of_geom(crd_solid *solid, const crd_model *model, int geom, const double pos[3], const double R[9]);

/* The vertex of a hull farthest along d (in the solid's frame): its number on the hull. */
int crd_solid_hull_vertex(const crd_solid *solid, const double d[3]);

/* A point of the core farthest along dir (any length, not zero), in world coordinates. */
void crd_solid_support(const crd_solid *solid, const double dir[3], double point[3]);

/* Separation of the cores along n, without their radii; support points (may be NULL) are those that attain it. */
double crd_solid_separation(const crd_solid *A, const crd_solid *B, const double n[3], double a[3], double b[3]);

/* Half extents of the axis-parallel box about pos that holds the thickened solid. */
void crd_solid_half_extents(const crd_solid *solid, double half[3]);

/* Is the core other than a polytope? */
static inline bool crd_solid_is_curved(const crd_solid *solid) {
  return solid->core == CRD_CORE_CYLINDER || solid->core == CRD_CORE_ELLIPSOID;
}

/* Column i of the solid's rotation: its i-th axis in the world. */
static inline void crd_solid_axis(const crd_solid *solid, int i, double axis[3]) {
  axis[0] = solid->R[i], axis[1] = solid->R[3 + i], axis[2] = solid->R[6 + i];
}

#endif
