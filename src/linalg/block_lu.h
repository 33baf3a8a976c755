/* Sparse square systems of small dense blocks by LU factors.
 *
 * The pattern is symmetric, the values need not be. Blocks are eliminated in an order of approximately least degree
 * [Amestoy, Davis, Duff 1996]; pivots are exchanged within diagonal blocks only, so these must not be (nearly) singular
 * when their turn comes: matrices with a dominant symmetric part, or regularised ones. Blocks can be left out of a
 * factorisation without a new analysis.
 *
 * Cost: the analysis about as much as one factorisation of blocks with one row.
 */
#ifndef SRC_LINALG_BLOCK_LU_H
#define SRC_LINALG_BLOCK_LU_H

#include <cradle/base.h>

enum { CRD_BLOCK_ROWS = 6 }; /* most rows of a block */

typedef struct crd_block_lu {
  int n;
  const int *size;       /* n: rows of each block, the caller's */
  int *position, *order; /* n: when a block is eliminated, and which one is */
  size_t *first;         /* n + 1: pivot k changes the later ones first[k] .. first[k + 1] - 1 of: */
  int *later;            /* positions, ascending */
  size_t *offset;        /* of block (later, k) in lower and of (k, later) in upper; row-major */
  size_t *diagonal;      /* n: of the diagonal blocks in pivots */
  double *lower, *upper, *pivots;
  bool *skipped; /* n, by position */
  double flops;  /* multiplications of a factorisation */
  int sign;      /* of the determinant of what was factored last */
  /* memory */
  crd_arena node_arena, pattern_arena, value_arena;
  int node_room;
  size_t edge_room, pattern_room, value_room;
  int *edge; /* of the analysis */
  int *start, *variables, *elements, *degree, *head, *next, *previous, *mark, *outside;
} crd_block_lu;

void crd_block_lu_free(crd_block_lu *lu);

/* Order and pattern of the factors for n blocks of size[i] rows (kept by reference); neighbours of block i:
 * column[first[i]] .. column[first[i + 1] - 1], both (i, j) and (j, i), itself or not. CRD_ERR_MEMORY; CRD_LIMIT: the
 * factors would take more than `most` multiplications. */
crd_status crd_block_lu_analyse(crd_block_lu *lu, int n, const int *size, const int *first, const int *column,
                                double most);

/* Sets all blocks to zero; none is left out. */
void crd_block_lu_clear(crd_block_lu *lu);
/* Leaves block i out: its rows and columns are not looked at, x there is as it was. */
void crd_block_lu_skip(crd_block_lu *lu, int i);
/* Where block (i, j) of the matrix is to be put, size[i] x size[j], row-major. NULL: not in the pattern. */
double *crd_block_lu_block(crd_block_lu *lu, int i, int j);

/* Factors in place. False: a diagonal block became singular. */
bool crd_block_lu_factor(crd_block_lu *lu);
/* x: rows of the blocks one after the other, right-hand side on entry. row[i]: first row of block i. */
void crd_block_lu_solve(const crd_block_lu *lu, const int *row, double *x);

#endif
