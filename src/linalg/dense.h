/* Dense linear algebra on row-major matrices, without BLAS: its threads make the last bits depend on their number, and
 * cost more than they bring on what is solved here, some ten to a few hundred rows. The same bits on every
 * processor of a kind.
 */
#ifndef SRC_LINALG_DENSE_H
#define SRC_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* A = L L' in place: the lower triangle becomes L, the upper is left alone. False: A is not positive definite. */
bool crd_dense_cholesky(int n, double *A);

/* Solves L L' x = b for count right-hand sides of n entries each, stored one after the other, in place. */
void crd_dense_cholesky_solve(int n, const double *L, int count, double *x);

/* The same where most of A is zero: row i has nothing before column first[i] (n, found here), and neither has L. Cost n
 * w^2, w the width of a row from there to the diagonal. Where it is false the upper triangle still holds A, the
 * diagonal does not. */
bool crd_dense_cholesky_envelope(int n, double *A, int *first);
void crd_dense_cholesky_envelope_solve(int n, const double *L, const int *first, double *x);

double crd_dense_dot(int n, const double *a, const double *b);
/* x' A x, A n x n */
double crd_dense_quadratic(int n, const double *A, const double *x);

/* A = U diag(sigma) V, A m x n (destroyed), k = min(m, n): U m x k, sigma k descending, V k x n with orthonormal rows.
 * work has crd_dense_svd_work(m, n) entries. False: the iteration did not converge. */
bool crd_dense_svd(int m, int n, double *A, double *U, double *sigma, double *V, double *work);
size_t crd_dense_svd_work(int m, int n);

/* Symmetric A = sum of values[i] a_i a_i', values ascending; row i of A becomes the unit eigenvector a_i. work has 3 n
 * entries. False: the iteration did not converge. */
bool crd_dense_eigen_symmetric(int n, double *A, double *values, double *work);

/* The Moore-Penrose inverse (n x m) of A (m x n, kept) with singular values at most tolerance times the largest taken
 * as zero. Returns the rank, -1 where the iteration did not converge. work has crd_dense_pseudo_inverse_work(m, n)
 * entries. */
int crd_dense_pseudo_inverse(int m, int n, const double *A, double tolerance, double *inverse, double *work);
size_t crd_dense_pseudo_inverse_work(int m, int n);

/* Which rows of a symmetric positive semidefinite A (n x n, destroyed) are independent: a factor L L' whose pivot is
 * the largest remaining diagonal entry ends where that is at most `tolerance`. order (n): the chosen rows first, in the
 * order of their choice. work has 2 n entries. Returns their number. Cost n rank^2. */
int crd_dense_independent_rows(int n, double *A, double tolerance, int *order, double *work);

/* Replaces the columns of A (m x n, m >= n, of full rank) by an orthonormal basis of the space they span. work has 2 n
 * entries. */
void crd_dense_orthonormalize(int m, int n, double *A, double *work);

#endif
