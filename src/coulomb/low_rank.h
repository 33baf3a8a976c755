/* A of low rank: more contact rows than velocities that they can have (a foot with thirty points of contact).
 *
 *   A = L L',  L n x r        (P Q' + D) x = b    =>    (I + Q' D^-1 P) q = Q' D^-1 b,   x = D^-1 (b - P q)
 *
 * with P, Q (m x r) made of rows of L and D block diagonal: 2 m r^2 operations in place of 2/3 m^3. */
#ifndef SRC_COULOMB_LOW_RANK_H
#define SRC_COULOMB_LOW_RANK_H

/* Cholesky's method with the largest pivot first on a symmetric positive semidefinite A (n x n) up to rank `most`: L
 * (n x most). diagonal (n): scratch. Returns the rank; -1: it is larger, or A is not symmetric. Cost n r^2. */
int crd_low_rank_factor(int n, const double *A, int most, double *L, double *diagonal);

/* Sets (I + Q' B), B = D^-1 P (m x r), factored, into matrix (r x r). Returns the smallest pivot, 0: singular. */
double crd_low_rank_matrix(int m, int r, const double *Q, const double *B, double *matrix, int *pivot);

#endif
