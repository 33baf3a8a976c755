/* A complementary basis and the factor of its matrix.
 *
 * The basis says which rows hold with equality and which variables solve them: W[row, col] z[col] = -w[row]. Both sets
 * are the indices of the basic z_j; they differ only among free rows. Neighbouring bases, where few indices come or go,
 * are solved through a bordered system on top of the same factor.
 */
#ifndef SRC_LCP_BASIS_H
#define SRC_LCP_BASIS_H

#include <stdbool.h>

enum { LCP_BORDER = 24 }; /* most indices that differ from the factored basis */

typedef struct lcp_basis {
  int n;          /* rows of the problem it belongs to, 0 where there is none */
  int k;          /* order */
  int *row, *col; /* [k] */
  bool factored, symmetric;
  double *factor; /* [k][k] L U with L below the diagonal, or the lower Cholesky factor */
  int *swap;      /* [k] row exchanges of the LU factorisation */
  /* border: index[t] was added to the sets or removed from them */
  int border;
  int index[LCP_BORDER];
  bool added[LCP_BORDER];
  int place[LCP_BORDER]; /* position of a removed index in row and col */
  double *response;      /* [LCP_BORDER][k] factor^-1 times the border's columns */
  double schur[LCP_BORDER * LCP_BORDER];
} lcp_basis;

/* Dense LU with scaled partial pivoting, in place, rows `ld` apart. False where a pivot is below 1e-14 of its row. */
bool lcp_lu_factor(double *A, int k, int ld, int *swap, double *row_size);
void lcp_lu_solve(const double *A, int k, int ld, const int *swap, double *x);
/* Lower Cholesky factor in place. False where a pivot is below 1e-14 of the diagonal it came from. */
bool lcp_cholesky_factor(double *A, int k, int ld);
void lcp_cholesky_solve(const double *A, int k, int ld, double *x);

#endif
