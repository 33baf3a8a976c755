/* Norms, eigenvalues and inverses of small dense row-major matrices, through LAPACK. Matrices are kept; scratch comes
 * from the arena, whose end of memory shows as NaN (numbers) or NULL (matrices). */
#ifndef SRC_LINALG_SPECTRUM_H
#define SRC_LINALG_SPECTRUM_H

#include <cradle/base.h>

/* Square root of the sum of squares of all entries. */
double crd_dense_frobenius(int m, int n, const double *A);
/* The largest singular value, 0 for an empty matrix. */
double crd_dense_norm(int m, int n, const double *A, crd_arena *arena);
/* The smallest and the largest eigenvalue of (A + A')/2; infinities for an empty matrix. Either pointer may be NULL. */
void crd_dense_symmetric_range(int n, const double *A, double *least, double *most, crd_arena *arena);
enum { CRD_MOST_EIGENVALUES = 32 };
/* Eigenvalues of a general matrix of at most CRD_MOST_EIGENVALUES rows, which is destroyed. False: the iteration did not
 * converge. */
bool crd_dense_eigenvalues(int n, double *A, double *re, double *im);
/* The largest |eigenvalue| of a general matrix. */
double crd_dense_spectral_radius(int n, const double *A, crd_arena *arena);

/* A x = value B x for symmetric A and positive definite B: values ascending, row i of A becomes the eigenvector i with
 * x' B x = 1, B is destroyed. work has 3 n entries. False: B is not positive definite. */
bool crd_dense_eigen_pair(int n, double *A, double *B, double *values, double *work);

/* The inverse of a general matrix, or NULL where it is singular to working accuracy (or memory is out). */
double *crd_dense_inverse(int n, const double *A, crd_arena *arena);

#endif
