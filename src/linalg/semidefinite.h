/* The pseudo-inverse of a symmetric positive semidefinite matrix of some ten rows, without BLAS.
 *
 *   A = L L',  L n x rank by a Cholesky factor with the largest pivot first,   A+ = L (L'L)^-2 L'  [Courrieu 2005]
 *
 * n rank^2 operations; the singular value decomposition takes some twenty times as many. */
#ifndef SRC_LINALG_SEMIDEFINITE_H
#define SRC_LINALG_SEMIDEFINITE_H

#include <stdbool.h>
#include <stddef.h>

/* Entries of a factor of n rows. */
size_t crd_semidefinite_size(int n);

/* Factors A (n x n, kept); pivots at most `tolerance` times the largest diagonal entry are zero. order: n, scratch.
 * Returns the rank. */
int crd_semidefinite_factor(int n, const double *A, double tolerance, double *factor, int *order);

/* The rank alone: order begins with so many rows that do not depend on each other. factor is scratch. */
int crd_semidefinite_rank(int n, const double *A, double tolerance, double *factor, int *order);

/* Has every row more than `share` of its own: 1 / (A^-1)_jj, for rows of a Gram matrix the squared distance from the span of
 * all other rows? Then crd_semidefinite_rank finds n with the tolerance share, as long as the diagonal is one: its pivots
 * are at least these. Costs n w^2, w as in crd_dense_cholesky_envelope. factor is scratch, first: n. */
bool crd_semidefinite_independent(int n, const double *A, double share, double *factor, int *first);

/* x = A+ x: of all solutions of A x = b with the least error the one of least norm. Uses scratch behind the
 * factor. */
void crd_semidefinite_solve(int n, int rank, double *factor, double *x);

#endif
