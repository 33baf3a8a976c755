/* Directions in which a spatial contact can slip. */
#ifndef SRC_COULOMB_SLIP_DIRECTION_H
#define SRC_COULOMB_SLIP_DIRECTION_H

enum { CRD_SLIP_MAX = 4, CRD_SLIP_EVERY = -1 };

/* All unit vectors u of the plane with B u + w = k u for some real k (B row-major 2 x 2): the slip laws of a single
 * contact reduce to this equation once the impulse is eliminated (errata B-09). Returns how many there are, at most
 * CRD_SLIP_MAX, by increasing angle in (-pi, pi], or CRD_SLIP_EVERY when w = 0 and B is a multiple of the identity, so
 * that every direction solves it. k may be NULL. */
int crd_slip_directions(const double B[4], const double w[2], double u[CRD_SLIP_MAX][2], double k[CRD_SLIP_MAX]);

#endif
