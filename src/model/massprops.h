/* Mass, centre of mass and inertia of a rigid piece, and how pieces are placed and put together. */
#ifndef CRADLE_MODEL_MASSPROPS_H
#define CRADLE_MODEL_MASSPROPS_H

#include <cradle/linalg.h>

/* inertia = [xx yy zz xy xz yz] about the centre of mass, in the axes of the frame com is given in. */
typedef struct crd_massprops {
  double mass, com[3], inertia[6];
} crd_massprops;

/* out = R A R' for a symmetric A = [xx yy zz xy xz yz] */
void crd_sym3_rotate(double out[6], const double R[9], const double A[6]);

/* The inertia about a point of a mass m at distance d from it: m (|d|^2 1 - d d'). */
void crd_sym3_point_mass(double out[6], double mass, const double d[3]);

/* The piece seen from a frame in which its own frame has the pose (R, p). */
crd_massprops crd_massprops_place(const crd_massprops *piece, const double R[9], const double p[3]);

/* *sum += *piece, both in the same frame (parallel axis theorem). */
void crd_massprops_add(crd_massprops *sum, const crd_massprops *piece);

/* The inertia about the origin of the frame. */
void crd_massprops_about_origin(double inertia[6], const crd_massprops *piece);

#endif
