/* Matrices in the plain text files of Siconos: whole, by blocks, sparse. */
#include "io/solve/siconos_matrix.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROWS = 1 << 26 }; /* twice as many fit an int */

/* ------------------------------------------------------------------------------------------------ whole */

static void read_whole(crd_scan *s, crd_arena *arena, const char *what, crd_entries *matrix) {
  const int rows = matrix->rows, cols = matrix->cols;
  const size_t size = (size_t)rows * (size_t)cols;
  char place[48];
  snprintf(place, sizeof place, "%d, the number of rows of %s", rows, what);
  crd_scan_count(s, rows, rows, place);
  snprintf(place, sizeof place, "%d, the number of columns of %s", cols, what);
  crd_scan_count(s, cols, cols, place);
  snprintf(place, sizeof place, "%d x %d entries of %s", rows, cols, what);
  if (!crd_scan_has_room(s, size, place)) return;
  matrix->whole = crd_scan_memory(s, crd_arena_alloc(arena, size ? size : 1, sizeof(double)));
  snprintf(place, sizeof place, "%s, column by column", what);
  crd_scan_numbers(s, matrix->whole, cols, rows, 1, (size_t)cols, place);
}

/* ------------------------------------------------------------------------------------------------ by blocks */

/* `count` numbers that grow from above 0 to at most `most`: last rows of the block rows. */
static int *read_ends(crd_scan *s, crd_arena *arena, int count, int most, const char *what) {
  if (!crd_scan_has_room(s, (size_t)count, what)) return NULL;
  int *end = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)count + 1, sizeof(int)));
  for (int k = 0; k < count && !s->status; k++) {
    char place[96];
    const int least = k ? end[k - 1] + 1 : 1;
    snprintf(place, sizeof place, "%s, a number from %d to %d", what, least, most);
    end[k] = crd_scan_count(s, least, most, place);
  }
  if (!s->status && count > 0 && end[count - 1] != most)
    crd_scan_fail(s, CRD_ERR_FORMAT, "%s that end with %d", what, most);
  return end;
}

/* The structure of a matrix by blocks. */
typedef struct block_table {
  int nblock, nrow, ncol;      /* blocks, block rows, block columns */
  int *row_end, *col_end;      /* nrow, ncol: one beyond the last row (column) of a block row (column) */
  int nfirst, *first, *column; /* block row r has the blocks first[r] .. first[r + 1] - 1 for r < nfirst - 1 */
} block_table;

static int start_of(const int *end, int k) { return k > 0 ? end[k - 1] : 0; }

static void read_table(crd_scan *s, crd_arena *arena, const crd_entries *matrix, block_table *t) {
  t->nblock = crd_scan_count(s, 0, INT_MAX / 2, "the number of blocks");
  if (s->status || t->nblock == 0) return;
  t->nrow = crd_scan_count(s, 1, matrix->rows, "the number of block rows");
  t->ncol = crd_scan_count(s, 1, matrix->cols, "the number of block columns");
  t->row_end = read_ends(s, arena, t->nrow, matrix->rows, "last rows of block rows");
  t->col_end = read_ends(s, arena, t->ncol, matrix->cols, "last columns of block columns");
  t->nfirst = crd_scan_count(s, 1, t->nrow + 1, "one more than the number of block rows");
  char place[64];
  snprintf(place, sizeof place, "%d, the number of blocks", t->nblock);
  crd_scan_count(s, t->nblock, t->nblock, place);
  if (!crd_scan_has_room(s, (size_t)t->nfirst + (size_t)t->nblock, "the table of its blocks")) return;
  t->first = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)t->nfirst + 1, sizeof(int)));
  t->column = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)t->nblock + 1, sizeof(int)));
  for (int k = 0; k < t->nfirst && !s->status; k++) {
    const int least = k == 0 ? 0 : t->first[k - 1], most = k == 0 ? 0 : t->nblock;
    t->first[k] = crd_scan_count(s, least, most, "the first block of a block row");
  }
  if (!s->status && t->first[t->nfirst - 1] != t->nblock)
    crd_scan_fail(s, CRD_ERR_FORMAT, "first blocks that end with %d, the number of blocks", t->nblock);
  for (int k = 0; k < t->nblock && !s->status; k++)
    t->column[k] = crd_scan_count(s, 0, t->ncol - 1, "the block column of a block");
}

static void read_blocks(crd_scan *s, crd_arena *arena, crd_entries *matrix) {
  block_table t = {0};
  const int rows = matrix->rows, cols = matrix->cols;
  size_t count = 0;
  read_table(s, arena, matrix, &t);
  for (int r = 0; r + 1 < t.nfirst && !s->status; r++)
    for (int b = t.first[r]; b < t.first[r + 1]; b++)
      count += (size_t)(t.row_end[r] - start_of(t.row_end, r)) *
               (size_t)(t.col_end[t.column[b]] - start_of(t.col_end, t.column[b]));
  if (!crd_scan_has_room(s, count, "its blocks")) return;
  if (!crd_entries_alloc(arena, rows, cols, count, matrix)) crd_scan_memory(s, NULL);
  matrix->count = 0;
  for (int r = 0; r + 1 < t.nfirst && !s->status; r++)
    for (int b = t.first[r]; b < t.first[r + 1] && !s->status; b++) {
      char place[64];
      snprintf(place, sizeof place, "%d, the number of the block", b);
      crd_scan_count(s, b, b, place);
      for (int j = start_of(t.col_end, t.column[b]); j < t.col_end[t.column[b]]; j++)
        for (int i = start_of(t.row_end, r); i < t.row_end[r] && !s->status; i++) {
          const double value = crd_scan_number(s, "a number (a block, column by column)");
          if (s->status || value == 0) continue;
          const size_t e = matrix->count++;
          matrix->row[e] = i, matrix->col[e] = j, matrix->value[e] = value;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ sparse */

static void add(crd_entries *matrix, int row, int col, double value) {
  const size_t e = matrix->count++;
  matrix->row[e] = row, matrix->col[e] = col, matrix->value[e] = value;
}

/* "col 3 : locations 7 to 9" and the three "row : value" behind it; or the same with rows and columns exchanged. */
static void read_compressed(crd_scan *s, crd_entries *matrix, int count, bool by_rows) {
  const int lines = by_rows ? matrix->rows : matrix->cols, length = by_rows ? matrix->cols : matrix->rows;
  for (int line = 0; line < lines && !s->status; line++) {
    char place[48];
    crd_scan_literal(s, by_rows ? "row" : "col");
    snprintf(place, sizeof place, "%d", line);
    crd_scan_literal(s, place);
    crd_scan_literal(s, ":");
    crd_scan_literal(s, "locations");
    snprintf(place, sizeof place, "%zu", matrix->count);
    crd_scan_literal(s, place);
    crd_scan_literal(s, "to");
    /* an empty line ends before it starts, in the first one at -1 */
    if (!s->status && strncmp(s->at, " -1", 3) == 0) {
      s->at += 3;
      continue;
    }
    const int last = crd_scan_index(s, count - 1, "the last location");
    if (!s->status && (size_t)last + 1 < matrix->count)
      crd_scan_fail(s, CRD_ERR_FORMAT, "a last location that is not before the first");
    while (!s->status && matrix->count <= (size_t)last) {
      const int other = crd_scan_index(s, length - 1, by_rows ? "a column" : "a row");
      crd_scan_literal(s, ":");
      const double value = crd_scan_number(s, "a number");
      if (!s->status) add(matrix, by_rows ? line : other, by_rows ? other : line, value);
    }
  }
  if (!s->status && matrix->count != (size_t)count) crd_scan_fail(s, CRD_ERR_FORMAT, "%d entries", count);
}

static void read_triplets(crd_scan *s, crd_entries *matrix, int count) {
  for (int e = 0; e < count && !s->status; e++) {
    const int row = crd_scan_index(s, matrix->rows - 1, "a row"), col = crd_scan_index(s, matrix->cols - 1, "a column");
    crd_scan_literal(s, ":");
    const double value = crd_scan_number(s, "a number");
    if (!s->status) add(matrix, row, col, value);
  }
}

static void read_sparse(crd_scan *s, crd_arena *arena, crd_entries *matrix) {
  enum { TRIPLETS = 1, COLUMNS, ROWS };
  const int rows = matrix->rows, cols = matrix->cols;
  const int layout = crd_scan_count(s, TRIPLETS, ROWS, "1 (entries), 2 (compressed columns) or 3 (compressed rows)");
  char place[64];
  crd_scan_literal(s, "CSparse");
  crd_scan_line(s);
  if (layout == TRIPLETS) crd_scan_literal(s, "triplet:");
  if (layout == ROWS) crd_scan_literal(s, "csr:");
  snprintf(place, sizeof place, "%d-by-%d", rows, cols);
  crd_scan_literal(s, place);
  crd_scan_literal(s, "nzmax:");
  crd_scan_index(s, INT_MAX - 1, "the room for entries");
  crd_scan_literal(s, "nnz:");
  const int count = crd_scan_index(s, INT_MAX - 1, "the number of entries");
  crd_scan_line(s);
  if (!crd_scan_has_room(s, 2 * (size_t)count, "its entries")) return;
  if (!crd_entries_alloc(arena, rows, cols, (size_t)count, matrix)) crd_scan_memory(s, NULL);
  matrix->count = 0;
  if (layout == TRIPLETS)
    read_triplets(s, matrix, count);
  else
    read_compressed(s, matrix, count, layout == ROWS);
}

/* ------------------------------------------------------------------------------------------------ */

static int read_size(crd_scan *s, int size, const char *what, const char *name) {
  char place[96];
  if (size < 0)
    snprintf(place, sizeof place, "the number of %s of %s", name, what);
  else
    snprintf(place, sizeof place, "%d, the number of %s of %s", size, name, what);
  return crd_scan_count(s, size < 0 ? 1 : size, size < 0 ? MOST_ROWS : size, place);
}

void crd_siconos_matrix(crd_scan *s, crd_arena *arena, int rows, int cols, const char *what, crd_entries *matrix) {
  enum { WHOLE, BLOCKS, SPARSE };
  *matrix = (crd_entries){0};
  const int storage = crd_scan_count(s, WHOLE, SPARSE, "0 (whole), 1 (by blocks) or 2 (sparse), the storage");
  matrix->rows = read_size(s, rows, what, "rows");
  matrix->cols = read_size(s, cols, what, "columns");
  if (s->status) return;
  if (storage == WHOLE) read_whole(s, arena, what, matrix);
  if (storage == BLOCKS) read_blocks(s, arena, matrix);
  if (storage == SPARSE) read_sparse(s, arena, matrix);
}
