/* Volume, centre of mass and inertia of the solid inside a triangle mesh, or of its surface. */
#ifndef CRADLE_MODEL_MESH_H
#define CRADLE_MODEL_MESH_H

#include <cradle/model.h>

#include "model/massprops.h"

typedef struct crd_mesh_rule {
  crd_mesh_inertia inertia;
  bool
      mujoco_rounding; /* vertices and their products rounded to float, principal axes as far as MuJoCo 2.2.2 has them */
} crd_mesh_rule;

/* The solid of mass 1 and the volume that its density refers to. CRD_SINGULAR: the faces enclose no volume, *volume
 * says how much was found. */
crd_status crd_mesh_integrate(const double *vert, int nface, const int *face, crd_mesh_rule rule, crd_massprops *solid,
                              double *volume);

/* A directed edge that two faces share, which makes their orientations inconsistent, or false. Sets *ok to false when
 * memory is out. */
bool crd_mesh_is_misoriented(int nface, const int *face, int edge[2], bool *ok);

#endif
