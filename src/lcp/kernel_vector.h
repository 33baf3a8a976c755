/* Vectors of n numbers taken four at a time, and the test for numbers that are none. */
#ifndef SRC_LCP_KERNEL_VECTOR_H
#define SRC_LCP_KERNEL_VECTOR_H

#include <stddef.h>

#include "linalg/simd.h"

/* Entries 4k .. 4k + 3 of a, zero behind entry n. */
CRD_ALWAYS_INLINE crd_v4 lcp_load(const double *a, int n, int k) {
  if (4 * k + 4 <= n) return *(const crd_v4_unaligned *)(a + 4 * k);
  a += 4 * k, n -= 4 * k;
  return (crd_v4){a[0], n > 1 ? a[1] : 0, n > 2 ? a[2] : 0, 0};
}

/* Sum of all entries: finite only if every entry is. */
CRD_ALWAYS_INLINE double lcp_sum(const double *A, int rows, int length, int ld) {
  crd_v4 a = {0, 0, 0, 0}, b = a;
  double rest = 0;
  if (ld == length) length *= rows, rows = 1;
  for (int i = 0; i < rows; i++, A += ld) {
    int j = 0;
    for (; j + 8 <= length; j += 8) {
      a += *(const crd_v4_unaligned *)(A + j);
      b += *(const crd_v4_unaligned *)(A + j + 4);
    }
    for (; j < length; j++) rest += A[j];
  }
  return crd_v4_total(a + b) + rest;
}

#endif
