/* collide: contacts between geoms, with their points, normals and gaps.
 *
 * One function of a direction n decides everything, the separation of two convex bodies A and B along it,
 *     s(n) = min over a in A of n.a - max over b in B of n.b .
 * The gap is the largest s(n) over all unit vectors n: the distance where the bodies are apart, minus the penetration
 * depth where they overlap. The normal is the n that attains it; it points from B to A, so that motion of A along n
 * separates the bodies [Jain, section III]. A face contact is reported as a manifold: one contact for every corner of
 * the patch, all with the same normal and each with a gap of its own.
 *
 * If one geom is fixed, A is the other one; of two moving geoms, A is the one with the larger id.
 *
 * The layer knows no dynamics: poses come in as arrays. No function allocates once the collider exists.
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
  int geomA, geomB; /* ids in the model */
  int pair;         /* id of the stated pair of the model; -1: the contact follows from the masks */
  int index;        /* 0, 1, ... among the contacts of the two geoms, in order of x, then y, then z */
  double gap;       /* m; negative: penetration */
  double point[3];  /* m, world frame; midway between the two surfaces */
  double normal[3]; /* world frame, unit length, from B to A */
} crd_contact_point;

typedef struct crd_collide_options {
  double distance; /* m; contacts with at most this gap are reported (a larger margin of the pair extends it) */
  /* report all points of a patch; false: of more than 16, the deepest and corners that span the patch */
  bool all_points;
} crd_collide_options;

/* The defaults: distance 1e-6 m, all_points false. */
CRD_API crd_collide_options crd_collide_default(void);

/* Scratch memory of the collision functions: one per thread, for one model, which must outlive it. */
typedef struct crd_collider crd_collider;
/* A collider, to be freed by the caller; NULL if memory is out. */
CRD_API crd_collider *crd_collide_new(const crd_model *model);
/* Frees it; NULL does nothing. */
CRD_API void crd_collide_free(crd_collider *collider);

/* Finds all contacts at the poses pos (ngeom x 3, m) and R (ngeom x 9, rotation from geom to world). Pairs that
 * crd_model_may_collide refuses are left out. The collider stores the gaps of the other pairs and their motion since,
 * so a call is cheap if the poses have changed little; the result depends on the poses alone. Contacts are in the order
 * of (lower geom id, higher geom id, index). options NULL: the default.
 *
 * contact (capacity) belongs to the caller; *count is the number of contacts found. CRD_ERR_CAPACITY: *count exceeds
 * capacity, and the first `capacity` contacts are written. CRD_ERR_NUMBER: a pose is not finite; nothing is written. */
CRD_API crd_status crd_collide_all(crd_collider *collider, const double *pos, const double *R,
                                   const crd_collide_options *options, crd_contact_point *contact, int capacity,
                                   int *count);

/* The contacts of two geoms with a gap of at most `distance` (m), with all points of the patch. The masks are ignored,
 * and the order of the two geoms does not matter. Statuses as above. */
CRD_API crd_status crd_collide_pair(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                                    double distance, crd_contact_point *contact, int capacity, int *count);

#ifdef __cplusplus
}
#endif
#endif
