/* Sparse matrices by blocks. */
#include <cradle/linalg.h>

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

void crd_blocks_multiply_add(const crd_blocks *A, const double *x, double *y) {
  for (int g = 0; g < A->ngroup; g++) {
    int row = A->first_row[g], rows = A->first_row[g + 1] - row;
    for (int k = A->first[g]; k < A->first[g + 1]; k++) {
      int column = A->first_row[A->column[k]], columns = A->first_row[A->column[k] + 1] - column;
      const double *block = A->value + A->offset[k];
      for (int i = 0; i < rows; i++) y[row + i] += dot(columns, block + (size_t)columns * (size_t)i, x + column);
    }
  }
}
