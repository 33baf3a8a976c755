/* A convex quadratic on a disk: friction of one contact for a given normal impulse. */
#ifndef SRC_IMPACT_DISK_H
#define SRC_IMPACT_DISK_H

/* x (n) = arg min x' A x / 2 + b' x over |x| <= radius, n = 0, 1 or 2; A (2x2 row-major, rows beyond n unused) is
 * symmetric and positive semidefinite. The entries of x beyond n are left as they are. */
void crd_disk_minimise(int n, const double A[4], const double b[2], double radius, double *x);

#endif
