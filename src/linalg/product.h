/* Products of dense row-major matrices, and small work on them. */
#ifndef SRC_LINALG_PRODUCT_H
#define SRC_LINALG_PRODUCT_H

#include <stddef.h>

/* C (m x n) = A B with A m x k, B k x n. C must not overlap A or B; so for all three. */
void crd_dense_multiply(int m, int k, int n, const double *A, const double *B, double *C);
/* C (m x n) = A' B with A k x m, B k x n. */
void crd_dense_multiply_tn(int m, int k, int n, const double *A, const double *B, double *C);
/* C (m x n) = A B' with A m x k, B n x k. */
void crd_dense_multiply_nt(int m, int k, int n, const double *A, const double *B, double *C);

/* y (m) = A x and y (n) = A' x, A m x n. */
void crd_dense_apply(int m, int n, const double *A, const double *x, double *y);
void crd_dense_apply_transposed(int m, int n, const double *A, const double *x, double *y);

/* A (n x n) = (A + A')/2 */
void crd_dense_symmetrize(int n, double *A);
void crd_dense_identity(int n, double *A);

#endif
