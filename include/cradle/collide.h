/* collide: which geoms touch, where, along which normal, and how deep.
 *
 * Everything is decided by one function of a direction n, the separation of two convex bodies A and B along it,
 *     s(n) = min over a in A of n.a - max over b in B of n.b .
 * The gap is the largest s(n) over all unit vectors n: the distance where the bodies are apart, minus the penetration
 * depth where they overlap. The normal is the n that attains it; it points from B to A, so that motion of A along n
 * separates the bodies [Jain, section III]. A face contact is reported as a manifold: one contact for every corner of
 * the patch, all with the same normal and each with a gap of its own.
 *
 * A is the geom that moves where the other one is fixed; of two moving geoms it is the one with the larger id.
 *
 * The layer knows no dynamics: poses come in as arrays. No function allocates once the collider is made.
 */
#ifndef CRADLE_COLLIDE_H
#define CRADLE_COLLIDE_H

#include <cradle/model.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One point of contact between geoms A and B. */
typedef struct crd_contact_point {
  int geomA, geomB;
  int pair;         /* id of the stated pair of the model, -1: the contact follows from the masks */
  int index;        /* 0, 1, ... among the contacts of the two geoms, in order of x, then y, then z */
  double gap;       /* m; negative: penetration */
  double point[3];  /* world; midway between the two surfaces */
  double normal[3]; /* world, unit length, from B to A */
} crd_contact_point;

typedef struct crd_collide_options {
  double distance; /* m; contacts with at most this gap are reported (a larger margin of the pair extends it) */
  bool all_points; /* also of a patch with more than 16 corners; else the deepest point and corners that span it */
} crd_collide_options;

/* distance 1e-6 m, all_points false. */
CRD_API crd_collide_options crd_collide_default(void);

/* Scratch memory of the collision functions: one per thread, for one model, which must outlive it. NULL when memory is
 * out. */
typedef struct crd_collider crd_collider;
CRD_API crd_collider *crd_collider_new(const crd_model *model);
CRD_API void crd_collider_free(crd_collider *collider);

/* All contacts at the poses pos (ngeom x 3) and R (ngeom x 9, rotation geom -> world). Pairs that
 * crd_model_may_collide refuses are left out. The collider remembers how far apart the others were and how far they
 * have moved since, so that a call costs little where poses change little; the result depends on the poses alone.
 * Contacts are in order of (lower geom id, higher geom id, index).
 *
 * *count is the number of contacts found. CRD_ERR_CAPACITY: *count is larger than capacity; `capacity` of the contacts
 * are written. CRD_ERR_NUMBER: a pose is not finite; nothing is written. options NULL: the default. */
CRD_API crd_status crd_collide(crd_collider *collider, const double *pos, const double *R,
                               const crd_collide_options *options, crd_contact_point *contact, int capacity,
                               int *count);

/* The contacts of two geoms alone, whatever the masks say, with gap at most `distance`, all points of the patch. Order
 * of the two does not matter. Statuses as above. */
CRD_API crd_status crd_collide_pair(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                                    double distance, crd_contact_point *contact, int capacity, int *count);

#ifdef __cplusplus
}
#endif
#endif
