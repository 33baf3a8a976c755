/* Sparse matrices by blocks. */
#include <cradle/linalg.h>

#include "linalg/simd.h"

CRD_CLONES void crd_blocks_multiply_add(const crd_blocks *A, const double *x, double *y) {
  for (int g = 0; g < A->ngroup; g++) {
    int row = A->first_row[g], rows = A->first_row[g + 1] - row;
    for (int k = A->first[g]; k < A->first[g + 1]; k++) {
      int column = A->first_row[A->column[k]], columns = A->first_row[A->column[k] + 1] - column;
      const double *block = A->value + A->offset[k];
      for (int i = 0; i < rows; i++) y[row + i] += crd_v4_dot(columns, block + (size_t)columns * (size_t)i, x + column);
    }
  }
}

/* The group that has the row. */
static int group_of(const crd_blocks *A, int row) {
  int low = 0, high = A->ngroup;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (A->first_row[middle] <= row)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static double entry(const crd_blocks *A, int group, int row, int column_group, int column) {
  int low = A->first[group], high = A->first[group + 1];
  while (low < high) {
    int middle = (low + high) / 2;
    if (A->column[middle] < column_group)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == A->first[group + 1] || A->column[low] != column_group) return 0;
  size_t columns = (size_t)(A->first_row[column_group + 1] - A->first_row[column_group]);
  return A->value[A->offset[low] + columns * (size_t)(row - A->first_row[group]) +
                  (size_t)(column - A->first_row[column_group])];
}

void crd_blocks_gather(const crd_blocks *A, const int *row, int n, double *dense) {
  for (int j = 0; j < n; j++) {
    int column_group = group_of(A, row[j]);
    for (int i = 0, group = -1; i < n; i++) {
      if (group < 0 || row[i] < A->first_row[group] || row[i] >= A->first_row[group + 1]) group = group_of(A, row[i]);
      dense[(size_t)n * (size_t)i + (size_t)j] = entry(A, group, row[i], column_group, row[j]);
    }
  }
}
