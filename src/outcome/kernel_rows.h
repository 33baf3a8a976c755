/* Four rows of a packed matrix (table.h) times a vector. */
#ifndef SRC_OUTCOME_KERNEL_ROWS_H
#define SRC_OUTCOME_KERNEL_ROWS_H

#include "linalg/simd.h"

/* Two sums, so that they do not wait for each other. */
CRD_ALWAYS_INLINE crd_v4 outcome_four_rows(const double *block, const double *x, int columns) {
  const crd_v4_unaligned *a = (const crd_v4_unaligned *)block;
  crd_v4 even = {0, 0, 0, 0}, odd = even;
  int j = 0;
  for (; j + 2 <= columns; j += 2) {
    even += a[j] * CRD_V4_SPLAT(x[j]);
    odd += a[j + 1] * CRD_V4_SPLAT(x[j + 1]);
  }
  if (j < columns) even += a[j] * CRD_V4_SPLAT(x[j]);
  return even + odd;
}

#endif
