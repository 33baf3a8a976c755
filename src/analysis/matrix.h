/* Memory of the analyses. */
#ifndef SRC_ANALYSIS_MATRIX_H
#define SRC_ANALYSIS_MATRIX_H

#include <cradle/base.h>

/* A zeroed rows x columns matrix, or NULL when memory is out. */
static inline double *crd_matrix(crd_arena *arena, int rows, int columns) {
  return (double *)crd_arena_alloc(arena, (size_t)rows * (size_t)columns, sizeof(double));
}

static inline size_t crd_at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

#endif
