/* The collider: scratch memory for one model, and the contacts of one pair of geoms. */
#ifndef SRC_COLLIDE_COLLIDER_H
#define SRC_COLLIDE_COLLIDER_H

#include <cradle/collide.h>

#include "collide/manifold.h"

/* An interval of the sweep: the extent of a geom's box along the sweep axis. */
typedef struct crd_interval {
  double low, high;
  int geom;
} crd_interval;

struct crd_collider {
  const crd_model *model;
  crd_arena arena;
  double *reach;          /* ngeom: largest margin of any pair that the geom belongs to */
  double *half;           /* ngeom x 3: half extents, grown by the reach */
  crd_interval *interval; /* ngeom: all but planes, sorted by low */
  int *plane;             /* ids of the planes */
  int ninterval, nplane;
  crd_patch patch;
  crd_contact_point *found; /* contacts of one pair; room for patch.capacity */
};

/* The points of `solid` that come near the half space below `plane_pos` with outward normal n:
 * collider->found[..].point, .gap and .normal. Returns their number. */
int crd_plane_contacts(crd_collider *collider, const crd_solid *solid, const double plane_pos[3], const double n[3],
                       double distance);

/* Contacts of two geoms with gap at most distance, in collider->found. Returns their number. */
int crd_pair_contacts(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                      double distance);

#endif
