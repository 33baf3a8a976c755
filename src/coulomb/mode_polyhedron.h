/* The inequalities of a mode as a polyhedron.
 *
 *   open        u_n >= target             slipping   p_n >= 0, d' u_f >= 0
 *   at a bound  u >= 0, u <= 0            between    lower <= p <= upper        sticking, planar   mu p_n +- p_f >= 0
 *
 * They are linear in x except for spatial sticking, whose disc lies between two regular polygons: what the outer ones
 * exclude has no solution. Where the directions of spatial slip are not known, a sector of them is given: p_f lies in a
 * triangle about the arc, u_f in the cone of the sector.
 */
#ifndef SRC_COULOMB_MODE_POLYHEDRON_H
#define SRC_COULOMB_MODE_POLYHEDRON_H

#include "coulomb/mode.h"

typedef enum coulomb_disc { COULOMB_INNER, COULOMB_OUTER } coulomb_disc;

/* Directions of slip between middle - half and middle + half, half < pi/2; half = 0: any. */
typedef struct coulomb_sector {
  double middle, half;
} coulomb_sector;

/* Rows in y, x_j = unit_j y_j; the first `equal` are equations. */
typedef struct coulomb_polyhedron {
  coulomb_mode *mode;
  int rows, equal;
  double *K, *h, *y, *room;
  const coulomb_sector *sector; /* nfriction: of frictions whose direction is open; NULL where there are none */
  double slowest;               /* m/s: slip in a sector is at least this fast */
} coulomb_polyhedron;

/* More rows than a nearest point is worth. */
bool coulomb_polyhedron_too_large(const coulomb_mode *mode);
/* Without rows. Memory is that of the mode: one polyhedron at a time. CRD_ERR_MEMORY. */
crd_status coulomb_polyhedron_begin(coulomb_mode *mode, coulomb_polyhedron *set);
/* A new row of zeros, to be filled. */
double *coulomb_polyhedron_row(coulomb_polyhedron *set, double h);
/* a' u >= least, or = least, of `count` rows from `row` on, targets subtracted. */
void coulomb_polyhedron_velocity(coulomb_polyhedron *set, int row, int count, const double *a, double least);
/* All inequalities of the mode. */
void coulomb_polyhedron_inequalities(coulomb_polyhedron *set, coulomb_disc which);
/* Replaces y (count) by the nearest point. CRD_NO_SOLUTION: there is none. */
crd_status coulomb_polyhedron_nearest(coulomb_polyhedron *set, double *y);

#endif
