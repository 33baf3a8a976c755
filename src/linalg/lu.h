/* General square systems by LU factors, for row-major matrices. */
#ifndef SRC_LINALG_LU_H
#define SRC_LINALG_LU_H

#include <stdbool.h>

/* Factors A (n x n) in place. Returns an estimate of the reciprocal condition number in the 1-norm: 0 where A is
 * exactly singular (it must not be used then), 1 for the identity and for n = 0. pivot has n entries, work 4 n, iwork
 * n. */
double crd_lu_factor(int n, double *A, int *pivot, double *work, int *iwork);

/* The same without the estimate, which costs as much as a third of the factors of a hundred rows. False: exactly
 * singular. */
bool crd_lu_factor_bare(int n, double *A, int *pivot);

/* Solves A x = b for count right-hand sides of n entries each, stored one after the other, in place. */
void crd_lu_solve(int n, const double *A, const int *pivot, int count, double *x);

#endif
