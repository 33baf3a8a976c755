/* Sets of numbers 0 .. n - 1 that are joined two by two: every number points to one of its set that is not higher, the
 * lowest to itself. */
#ifndef SRC_BASE_FOREST_H
#define SRC_BASE_FOREST_H

#include <stdbool.h>

static inline void crd_forest_begin(int *forest, int n) {
  for (int i = 0; i < n; i++) forest[i] = i;
}

/* The lowest of its set. */
static inline int crd_forest_root(int *forest, int i) {
  while (forest[i] != i) i = forest[i] = forest[forest[i]];
  return i;
}

/* Were they of two sets? A negative number joins nothing. */
static inline bool crd_forest_join(int *forest, int i, int j) {
  if (i < 0 || j < 0) return false;
  int a = crd_forest_root(forest, i), b = crd_forest_root(forest, j);
  forest[a > b ? a : b] = a > b ? b : a;
  return a != b;
}

#endif
