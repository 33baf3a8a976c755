/* Sparse matrices of files: entries, compressed rows or columns, blocks. */
#include "io/file/entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/layout.h"

bool crd_entries_alloc(crd_arena *arena, int rows, int cols, size_t count, crd_entries *matrix) {
  *matrix = (crd_entries){.rows = rows, .cols = cols, .count = count};
  size_t room = count ? count : 1;
  return !CRD_TAKE(arena, CRD_ARRAY(matrix->row, room), CRD_ARRAY(matrix->col, room), CRD_ARRAY(matrix->value, room));
}

double *crd_entries_whole(crd_arena *arena, const crd_entries *matrix) {
  if (matrix->whole) return matrix->whole;
  const size_t cols = (size_t)matrix->cols, size = (size_t)matrix->rows * cols;
  double *whole = crd_arena_alloc(arena, size ? size : 1, sizeof(double));
  for (size_t k = 0; k < matrix->count && whole; k++)
    whole[(size_t)matrix->row[k] * cols + (size_t)matrix->col[k]] += matrix->value[k];
  return whole;
}

bool crd_entries_sparse(crd_arena *arena, const crd_entries *matrix, crd_entries *sparse) {
  *sparse = *matrix;
  if (!matrix->whole) return true;
  const size_t size = (size_t)matrix->rows * (size_t)matrix->cols;
  size_t count = 0;
  for (size_t k = 0; k < size; k++) count += matrix->whole[k] != 0;
  if (!crd_entries_alloc(arena, matrix->rows, matrix->cols, count, sparse)) return false;
  count = 0;
  for (size_t k = 0; k < size; k++) {
    if (matrix->whole[k] == 0) continue;
    sparse->row[count] = (int)(k / (size_t)matrix->cols), sparse->col[count] = (int)(k % (size_t)matrix->cols);
    sparse->value[count++] = matrix->whole[k];
  }
  return true;
}

bool crd_entries_from_compressed(crd_arena *arena, int rows, int cols, bool by_rows, const int *pointer, int *index,
                                 double *value, crd_entries *matrix) {
  const int lines = by_rows ? rows : cols, count = pointer[lines];
  int *line = crd_arena_alloc(arena, (size_t)count + 1, sizeof(int));
  if (!line) return false;
  for (int k = 0; k < lines; k++)
    for (int e = pointer[k]; e < pointer[k + 1]; e++) line[e] = k;
  *matrix = (crd_entries){.rows = rows, .cols = cols, .count = (size_t)count, .value = value};
  matrix->row = by_rows ? line : index, matrix->col = by_rows ? index : line;
  return true;
}

/* ------------------------------------------------------------------------------------------------ blocks */

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

/* Working memory for finding the blocks; freed at the end. */
typedef struct grouping {
  int *group;    /* n: of a row */
  int *start;    /* ngroup + 1: entries by block row, order[start[g]] .. */
  size_t *order; /* count: entries sorted by block row */
  int *seen;     /* ngroup: last block row that has this block column; then the block's number */
} grouping;

static bool sort_by_block_row(crd_arena *arena, const crd_entries *matrix, int ngroup, const int *first_row,
                              grouping *g) {
  if (CRD_TAKE(arena, CRD_ARRAY(g->group, (size_t)matrix->rows + 1), CRD_ARRAY(g->start, (size_t)ngroup + 2),
               CRD_ARRAY(g->order, matrix->count + 1), CRD_ARRAY(g->seen, (size_t)ngroup + 1)))
    return false;
  for (int k = 0; k < ngroup; k++)
    for (int i = first_row[k]; i < first_row[k + 1]; i++) g->group[i] = k;
  int *end = g->start + 1; /* while sorting end[k] is where the next entry of block row k goes */
  for (size_t e = 0; e < matrix->count; e++) end[g->group[matrix->row[e]] + 1]++;
  for (int k = 1; k < ngroup; k++) end[k] += end[k - 1];
  for (size_t e = 0; e < matrix->count; e++) g->order[end[g->group[matrix->row[e]]]++] = e;
  return true;
}

/* The block columns of block row k, ascending, into column (or only counted where it is NULL). */
static int block_columns(const crd_entries *matrix, grouping *g, int k, int mark, int *column) {
  int count = 0;
  for (int e = g->start[k]; e <= g->start[k + 1]; e++) {
    /* one beyond the entries: the block on the diagonal */
    int c = e < g->start[k + 1] ? g->group[matrix->col[g->order[e]]] : k;
    if (g->seen[c] == mark) continue;
    g->seen[c] = mark;
    if (column) column[count] = c;
    count++;
  }
  if (column) qsort(column, (size_t)count, sizeof *column, ascending);
  return count;
}

bool crd_entries_blocks(crd_arena *arena, const crd_entries *matrix, int ngroup, const int *first_row,
                        crd_coulomb_blocks *blocks) {
  crd_arena scratch = {0};
  grouping g = {0};
  bool done = sort_by_block_row(&scratch, matrix, ngroup, first_row, &g);
  int *first = crd_arena_alloc(arena, (size_t)ngroup + 1, sizeof(int)), *column = NULL;
  size_t *offset = NULL, size = 0;
  double *value = NULL;
  done = done && first;
  for (int k = 0; k < ngroup && done; k++) first[k + 1] = first[k] + block_columns(matrix, &g, k, k + 1, NULL);
  if (done) {
    column = crd_arena_alloc(arena, (size_t)first[ngroup] + 1, sizeof(int));
    offset = crd_arena_alloc(arena, (size_t)first[ngroup] + 1, sizeof(size_t));
    done = column && offset;
  }
  for (int k = 0; k < ngroup && done; k++) {
    block_columns(matrix, &g, k, -k - 1, column + first[k]);
    const size_t height = (size_t)(first_row[k + 1] - first_row[k]);
    for (int b = first[k]; b < first[k + 1]; b++) {
      offset[b] = size;
      size += height * (size_t)(first_row[column[b] + 1] - first_row[column[b]]);
    }
  }
  if (done) done = (value = crd_arena_alloc(arena, size + 1, sizeof(double)));
  for (int k = 0; k < ngroup && done; k++) {
    for (int b = first[k]; b < first[k + 1]; b++) g.seen[column[b]] = b;
    for (int e = g.start[k]; e < g.start[k + 1]; e++) {
      const int row = matrix->row[g.order[e]], col = matrix->col[g.order[e]], c = g.group[col];
      const size_t width = (size_t)(first_row[c + 1] - first_row[c]);
      value[offset[g.seen[c]] + (size_t)(row - first_row[k]) * width + (size_t)(col - first_row[c])] +=
          matrix->value[g.order[e]];
    }
  }
  crd_arena_free(&scratch);
  *blocks = (crd_coulomb_blocks){ngroup, first_row, first, column, offset, value};
  return done;
}
