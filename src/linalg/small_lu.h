/* LU factors of matrices of some ten to a few hundred rows without BLAS, whose calls cost more than the work there and
 * whose threads would only wait for each other. Row-major, row pivoting. The bits do not depend on the processor. */
#ifndef SRC_LINALG_SMALL_LU_H
#define SRC_LINALG_SMALL_LU_H

/* Factors A (n x n, rows `stride` apart) in place. Returns the smallest pivot in magnitude; 0: exactly singular, or not
 * finite, A must not be used then. */
double crd_small_lu_factor(int n, double *A, int stride, int *pivot);

/* Solves A x = b in place. */
void crd_small_lu_solve(int n, const double *A, int stride, const int *pivot, double *x);

#endif
