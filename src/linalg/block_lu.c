/* Numbers of a sparse block factor (its order and pattern: block_order.c).
 *
 *   for every pivot k:   L_ik = A_ik D_k^-1,   A_ij = A_ij - L_ik U_kj   for the later i, j of its pattern
 *
 * Each pair (i, j) lies in the pattern of the earlier of both, where it is found by walking both ascending lists.
 */
#include "linalg/block_lu.h"

#include <math.h>
#include <string.h>

#include "linalg/simd.h"

/* C -= A B, A m x l, B l x n, row-major */
CRD_ALWAYS_INLINE void subtract_sized(int m, int l, int n, const double *A, const double *B, double *C) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      double sum = C[n * i + j];
      for (int k = 0; k < l; k++) sum -= A[l * i + k] * B[n * k + j];
      C[n * i + j] = sum;
    }
}

CRD_ALWAYS_INLINE void subtract_product(int m, int l, int n, const double *A, const double *B, double *C) {
  if (m == 3 && l == 3 && n == 3)
    subtract_sized(3, 3, 3, A, B, C);
  else if (m == 2 && l == 2 && n == 2)
    subtract_sized(2, 2, 2, A, B, C);
  else
    subtract_sized(m, l, n, A, B, C);
}

/* D^-1 in place, by Gauss and Jordan with full pivoting of rows. Returns the sign of det D; 0: singular. */
static int invert(int n, double *D) {
  int exchanged[CRD_BLOCK_ROWS], sign = 1;
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(D[n * i + k]) > fabs(D[n * best + k])) best = i;
    exchanged[k] = best;
    if (best != k) sign = -sign;
    for (int j = 0; best != k && j < n; j++) {
      double swap = D[n * k + j];
      D[n * k + j] = D[n * best + j], D[n * best + j] = swap;
    }
    double pivot = D[n * k + k];
    if (!(fabs(pivot) > 0) || !isfinite(pivot)) return 0;
    if (pivot < 0) sign = -sign;
    D[n * k + k] = 1;
    for (int j = 0; j < n; j++) D[n * k + j] /= pivot;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double share = D[n * i + k];
      D[n * i + k] = 0;
      for (int j = 0; j < n; j++) D[n * i + j] -= share * D[n * k + j];
    }
  }
  for (int k = n - 1; k >= 0; k--)
    for (int i = 0; exchanged[k] != k && i < n; i++) {
      double swap = D[n * i + k];
      D[n * i + k] = D[n * i + exchanged[k]], D[n * i + exchanged[k]] = swap;
    }
  return sign;
}

void crd_block_lu_clear(crd_block_lu *lu) {
  size_t count = lu->first[lu->n], values = 0;
  if (count > 0) {
    int k = lu->n - 1;
    while (lu->first[k] == count) k--; /* the last pivot with a later one */
    values = lu->offset[count - 1] + (size_t)(lu->size[lu->order[k]] * lu->size[lu->order[lu->later[count - 1]]]);
  }
  memset(lu->skipped, 0, sizeof *lu->skipped * (size_t)lu->n);
  memset(lu->pivots, 0, sizeof *lu->pivots * (size_t)lu->n * CRD_BLOCK_ROWS * CRD_BLOCK_ROWS);
  if (values == 0) return;
  memset(lu->lower, 0, sizeof *lu->lower * values);
  memset(lu->upper, 0, sizeof *lu->upper * values);
}

void crd_block_lu_skip(crd_block_lu *lu, int i) { lu->skipped[lu->position[i]] = true; }

double *crd_block_lu_block(crd_block_lu *lu, int i, int j) {
  int a = lu->position[i], b = lu->position[j], k = a < b ? a : b, other = a < b ? b : a;
  if (a == b) return lu->pivots + lu->diagonal[a];
  size_t low = lu->first[k], high = lu->first[k + 1];
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (lu->later[middle] == other) return (a < b ? lu->upper : lu->lower) + lu->offset[middle];
    if (lu->later[middle] < other)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/* Takes pivot k's share out of row and column i, entry `at` of its pattern. */
CRD_ALWAYS_INLINE void eliminate(crd_block_lu *lu, int k, size_t at) {
  int i = lu->later[at], rows = lu->size[lu->order[k]], own = lu->size[lu->order[i]];
  const double *L = lu->lower + lu->offset[at], *U = lu->upper + lu->offset[at];
  subtract_product(own, rows, own, L, U, lu->pivots + lu->diagonal[i]);
  size_t place = lu->first[i];
  for (size_t b = at + 1; b < lu->first[k + 1]; b++) {
    int j = lu->later[b], size = lu->size[lu->order[j]];
    if (lu->skipped[j]) continue;
    while (lu->later[place] != j) place++;
    subtract_product(own, rows, size, L, lu->upper + lu->offset[b], lu->upper + lu->offset[place]);
    subtract_product(size, rows, own, lu->lower + lu->offset[b], U, lu->lower + lu->offset[place]);
  }
}

CRD_CLONES bool crd_block_lu_factor(crd_block_lu *lu) {
  lu->sign = 1;
  for (int k = 0; k < lu->n; k++) {
    if (lu->skipped[k]) continue;
    int rows = lu->size[lu->order[k]];
    double *D = lu->pivots + lu->diagonal[k];
    int sign = invert(rows, D);
    if (sign == 0) return false;
    lu->sign *= sign;
    for (size_t a = lu->first[k]; a < lu->first[k + 1]; a++) {
      int i = lu->later[a], size = lu->size[lu->order[i]];
      double *L = lu->lower + lu->offset[a], product[CRD_BLOCK_ROWS * CRD_BLOCK_ROWS] = {0};
      if (lu->skipped[i]) continue;
      subtract_product(size, rows, rows, L, D, product);
      for (int e = 0; e < size * rows; e++) L[e] = -product[e];
    }
    for (size_t a = lu->first[k]; a < lu->first[k + 1]; a++)
      if (!lu->skipped[lu->later[a]]) eliminate(lu, k, a);
  }
  return true;
}

void crd_block_lu_solve(const crd_block_lu *lu, const int *row, double *x) {
  for (int k = 0; k < lu->n; k++) {
    const double *xk = x + row[lu->order[k]];
    for (size_t a = lu->first[k]; !lu->skipped[k] && a < lu->first[k + 1]; a++) {
      int i = lu->later[a];
      if (!lu->skipped[i])
        subtract_sized(lu->size[lu->order[i]], lu->size[lu->order[k]], 1, lu->lower + lu->offset[a], xk,
                       x + row[lu->order[i]]);
    }
  }
  for (int k = lu->n - 1; k >= 0; k--) {
    if (lu->skipped[k]) continue;
    int rows = lu->size[lu->order[k]];
    double *xk = x + row[lu->order[k]], sum[CRD_BLOCK_ROWS], zero[CRD_BLOCK_ROWS] = {0};
    for (size_t a = lu->first[k]; a < lu->first[k + 1]; a++) {
      int i = lu->later[a];
      if (!lu->skipped[i])
        subtract_sized(rows, lu->size[lu->order[i]], 1, lu->upper + lu->offset[a], x + row[lu->order[i]], xk);
    }
    subtract_sized(rows, rows, 1, lu->pivots + lu->diagonal[k], xk, zero);
    for (int r = 0; r < rows; r++) sum[r] = -zero[r];
    memcpy(xk, sum, sizeof *sum * (size_t)rows);
  }
}
