/* Dense linear algebra on row-major matrices, through LAPACK.
 *
 * LAPACK is column-major: a row-major lower triangle is its upper one, and right-hand sides stored one after the other
 * are its columns, so nothing is copied.
 */
#ifndef SRC_LINALG_DENSE_H
#define SRC_LINALG_DENSE_H

#include <stdbool.h>

/* A = L L' in place: the lower triangle becomes L, the upper is left alone. False: A is not positive definite. */
bool crd_dense_cholesky(int n, double *A);

/* Solves L L' x = b for count right-hand sides of n entries each, stored one after the other, in place. */
void crd_dense_cholesky_solve(int n, const double *L, int count, double *x);

double crd_dense_dot(int n, const double *a, const double *b);

#endif
