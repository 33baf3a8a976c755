/* A matrix as files store it: whole, or by the entries that are not zero. */
#ifndef CRADLE_SRC_IO_ENTRIES_H
#define CRADLE_SRC_IO_ENTRIES_H

#include <cradle/coulomb.h>

typedef struct crd_entries {
  int rows, cols;
  double *whole; /* rows x cols, row-major; NULL: by entries */
  size_t count;  /* entries (row, col, value); those at the same place add up */
  int *row, *col;
  double *value;
} crd_entries;

/* Memory for count entries of a matrix. False: out of memory. */
bool crd_entries_alloc(crd_arena *arena, int rows, int cols, size_t count, crd_entries *matrix);
/* The rows x cols matrix row-major: matrix->whole, or the entries spread out in the arena. NULL: out of memory. */
double *crd_entries_whole(crd_arena *arena, const crd_entries *matrix);
/* Only entries, those of a whole matrix that are not zero. */
bool crd_entries_sparse(crd_arena *arena, const crd_entries *matrix, crd_entries *sparse);

/* Compressed rows (pointer has rows + 1 entries, index holds columns) or columns as entries; value is shared. */
bool crd_entries_from_compressed(crd_arena *arena, int rows, int cols, bool by_rows, const int *pointer, int *index,
                                 double *value, crd_entries *matrix);

/* The entries (n x n, not whole) in blocks of the groups with first rows first_row (ngroup + 1). Blocks on the diagonal
 * are always there. Cost: entries, and the blocks of each block row sorted. False: out of memory. */
bool crd_entries_blocks(crd_arena *arena, const crd_entries *matrix, int ngroup, const int *first_row,
                        crd_coulomb_blocks *blocks);

#endif
