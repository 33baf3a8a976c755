/* The collider: scratch memory for one model, and the contacts of one pair of geoms. */
#ifndef SRC_COLLIDE_COLLIDER_H
#define SRC_COLLIDE_COLLIDER_H

#include <cradle/collide.h>

#include "collide/field.h"
#include "collide/manifold.h"
#include "collide/watch.h"

struct crd_collider {
  const crd_model *model;
  crd_arena arena;
  crd_part whole; /* the model */
  crd_watch watch;
  crd_patch patch;
  crd_contact_point *found;    /* contacts of one pair; room for patch.capacity */
  bool *known, *keep;          /* patch.capacity: of a large patch */
  crd_contact_point *gathered; /* CRD_FIELD_POINTS: those of a height field's prisms; NULL: there is no field */
};

/* Points that a height field has with one solid, at most. */
enum { CRD_FIELD_POINTS = 256 };

/* Sorts contacts by `comes_before`. */
void crd_sort_points(crd_contact_point *point, int count,
                     bool (*comes_before)(const crd_contact_point *p, const crd_contact_point *q, double same),
                     double same);

/* The points of `solid` that come near the half space below `plane_pos` with outward normal n:
 * collider->found[..].point, .gap and .normal. Returns their number. */
int crd_plane_contacts(crd_collider *collider, const crd_solid *solid, const double plane_pos[3], const double n[3],
                       double distance);

/* Contacts of two convex solids in collider->found; those along a given normal n, along which their cores are apart by s
 * (m). They return their number. */
int crd_convex_contacts(crd_collider *collider, const crd_solid *A, const crd_solid *B, double distance);
int crd_contacts_along(crd_collider *collider, const crd_solid *A, const crd_solid *B, const double n[3], double s,
                       double distance);

/* Contacts of a height field at pos, R with a solid, normals out of the field, in collider->found: of each flat patch
 * its corners. Returns their number. */
int crd_field_contacts(crd_collider *collider, int geom, const double pos[3], const double R[9], const crd_solid *solid,
                       double distance);

/* Adds the ends of capsules to the contacts found of a pair (count of them), where they are not among them. Returns the
 * new number. */
int crd_capsule_ends(crd_collider *collider, int count, const crd_solid *A, const crd_solid *B, double distance);

/* Contacts of two geoms with gap at most distance, in collider->found; of a large patch all points, or those that span
 * it. Returns their number. */
int crd_pair_contacts(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2, double distance,
                      bool all_points);

/* Lower bounds of the gap: by the spheres about the geoms' origins that hold them; by the best direction, which is left
 * in n (frame of geom1; zero where one is a plane); and by a direction n that was the best one earlier (zero: none,
 * -INFINITY). INFINITY for two planes, which never touch. */
double crd_pair_sphere_gap(const crd_collider *collider, const double *pos, const double *R, int geom1, int geom2);
double crd_pair_gap(crd_collider *collider, const double *pos, const double *R, int geom1, int geom2, double n[3]);
double crd_pair_gap_along(const crd_collider *collider, const double *pos, const double *R, int geom1, int geom2,
                          const double n[3]);

#endif
