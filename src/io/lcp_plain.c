/* Plain text LCP and MLCP files of the Siconos collection (dense storage).
 *
 *   LCP    n, storage 0, n, n, "n n", n^2 values of W column by column, n values of w
 *   MLCP   flags of two storages, number of free rows, of complementary rows, first rows of the blocks up to the total,
 *          for each block 0 (free) or 1 (complementary); first storage: 0, N, N, "N N", W column by column, w;
 *          second storage: blocks A (free), B (complementary), C, D row by row, a, b, with W = [A C; D B], w = (a, b)
 *
 * Text behind the numbers is a comment.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/lcp_file.h"
#include "io/number.h"

typedef struct scan {
  const char *at, *name;
  int line;
  crd_error *err;
  crd_status status;
} scan;

static void skip_space(scan *s) {
  for (; *s->at && strchr(" \t\r\n,", *s->at); s->at++) s->line += *s->at == '\n';
}

/* What stands at the place of a failure, for the message. */
static void fail(scan *s, crd_status status, const char *expected) {
  if (s->status) return;
  char found[24] = "the end of the file";
  if (*s->at) {
    size_t length = strcspn(s->at, " \t\r\n");
    snprintf(found, sizeof found, "'%.*s'", (int)(length < 20 ? length : 20), s->at);
  }
  s->status = crd_error_set(s->err, status, s->name, s->line, "found %s, expected %s", found, expected);
}

static double read_number(scan *s, const char *what) {
  double value = 0;
  if (s->status) return 0;
  skip_space(s);
  const char *end = crd_number_read(s->at, &value);
  if (!end || (*end && !strchr(" \t\r\n,", *end))) {
    fail(s, CRD_ERR_FORMAT, what);
    return 0;
  }
  if (!isfinite(value)) {
    fail(s, CRD_ERR_NUMBER, what);
    return 0;
  }
  s->at = end;
  return value;
}

static int read_count(scan *s, int least, int most, const char *what) {
  skip_space(s);
  scan before = *s;
  double value = read_number(s, what);
  if (s->status) return least;
  if (value != floor(value) || value < least || value > most) {
    before.status = CRD_OK;
    fail(&before, CRD_ERR_FORMAT, what);
    s->status = before.status;
    return least;
  }
  return (int)value;
}

static void read_numbers(scan *s, double *out, int rows, int cols, int row_step, int col_step, const char *name) {
  for (int i = 0; i < rows && !s->status; i++)
    for (int j = 0; j < cols && !s->status; j++) {
      char what[64];
      snprintf(what, sizeof what, "a number (%s, %d of %d)", name, i * cols + j + 1, rows * cols);
      double value = read_number(s, what);
      if (!s->status) out[(size_t)i * (size_t)row_step + (size_t)j * (size_t)col_step] = value;
    }
}

/* Storage 0, its size twice and once more as a pair, then the values column by column. */
static void read_dense(scan *s, int n, double *W) {
  char what[48];
  read_count(s, 0, 0, "0 (dense storage)");
  snprintf(what, sizeof what, "%d, the number of rows", n);
  for (int k = 0; k < 4; k++) read_count(s, n, n, what);
  read_numbers(s, W, n, n, 1, n, "W, column by column");
}

/* Memory for n rows; a file that is too short for n^2 numbers is refused before. */
static bool take(scan *s, crd_lcp_file *file, int n, double **W, double **w) {
  if (s->status) return false;
  if (strlen(s->at) / 2 < (size_t)n * (size_t)n) {
    s->status = crd_error_set(s->err, CRD_ERR_FORMAT, s->name, s->line,
                              "found a file too short for %d rows, expected %d x %d numbers and more", n, n, n);
    return false;
  }
  *W = crd_arena_alloc(&file->arena, (size_t)n * (size_t)n, sizeof(double));
  *w = crd_arena_alloc(&file->arena, (size_t)n, sizeof(double));
  if (*W && *w) return true;
  s->status = crd_error_set(s->err, CRD_ERR_MEMORY, s->name, 0, "out of memory");
  return false;
}

static void read_pure(scan *s, crd_lcp_file *file) {
  int n = read_count(s, 1, CRD_LCP_FILE_ROWS, "the number of rows, 1 to 4096");
  double *W, *w;
  if (!take(s, file, n, &W, &w)) return;
  read_dense(s, n, W);
  read_numbers(s, w, n, 1, 1, 1, "w");
  file->problem = crd_lcp_dense(n, W, w);
  file->format = "siconos lcp";
}

/* The blocks A, B, C, D, a, b row by row; rows and columns are numbered free first. */
static void read_blocks(scan *s, int nfree, int npair, double *W, double *w) {
  int n = nfree + npair;
  read_numbers(s, W, nfree, nfree, n, 1, "A");
  read_numbers(s, W + (size_t)nfree * (size_t)(n + 1), npair, npair, n, 1, "B");
  read_numbers(s, W + nfree, nfree, npair, n, 1, "C");
  read_numbers(s, W + (size_t)nfree * (size_t)n, npair, nfree, n, 1, "D");
  read_numbers(s, w, nfree, 1, 1, 1, "a");
  read_numbers(s, w + nfree, npair, 1, 1, 1, "b");
}

/* Flags of the free rows from the table of blocks. */
static void read_table(scan *s, int n, int nfree, unsigned char *is_free) {
  int first[64], blocks = 0, marked = 0;
  first[0] = read_count(s, 0, 0, "0, the first row of the first block");
  while (!s->status && first[blocks] < n) {
    if (blocks == 62) fail(s, CRD_ERR_FORMAT, "at most 62 blocks");
    int least = first[blocks] + 1;
    first[++blocks] = read_count(s, least, n, "the first row of the next block, larger than the last");
  }
  for (int k = 0; k < blocks && !s->status; k++) {
    int kind = read_count(s, 0, 1, "0 (free block) or 1 (complementary block)");
    for (int i = first[k]; i < first[k + 1]; i++) is_free[i] = kind == 0, marked += kind == 0;
  }
  if (!s->status && marked != nfree) fail(s, CRD_ERR_FORMAT, "as many free rows in the blocks as the file announces");
}

static void read_mixed(scan *s, crd_lcp_file *file) {
  int whole = read_count(s, 0, 1, "0 or 1, whether W is stored as a whole");
  int parts = read_count(s, 0, 1, "0 or 1, whether W is stored in parts");
  int nfree = read_count(s, 0, CRD_LCP_FILE_ROWS, "the number of free rows");
  int npair = read_count(s, 0, CRD_LCP_FILE_ROWS - nfree, "the number of complementary rows");
  int n = nfree + npair;
  double *W = NULL, *w = NULL;
  unsigned char *is_free = NULL;
  if (!s->status && (n == 0 || whole + parts == 0)) fail(s, CRD_ERR_FORMAT, "at least one row and one storage");
  if (!s->status) is_free = crd_arena_alloc(&file->arena, (size_t)n, 1);
  if (!s->status && !is_free) s->status = crd_error_set(s->err, CRD_ERR_MEMORY, s->name, 0, "out of memory");
  if (s->status) return;
  read_table(s, n, nfree, is_free);
  if (whole && take(s, file, n, &W, &w)) {
    read_dense(s, n, W);
    read_numbers(s, w, n, 1, 1, 1, "w");
    file->problem = crd_lcp_dense(n, W, w);
    file->problem.free_row = is_free;
  }
  /* where both storages are there they say the same, and the first was taken */
  if (parts && take(s, file, n, &W, &w)) {
    read_blocks(s, nfree, npair, W, w);
    if (!whole) file->problem = crd_lcp_dense(n, W, w), file->problem.free_leading = nfree;
  }
  file->format = "siconos mlcp";
}

/* The header of an LCP: n, 0 and four times n again. */
static bool is_pure(const char *text) {
  double header[6];
  for (int k = 0; k < 6; k++) {
    text = crd_number_read(text, &header[k]);
    if (!text) return k < 3; /* too short for either: reported as an LCP */
    if (k == 1 ? header[1] != 0 : header[k] != header[0]) return false;
  }
  return true;
}

crd_status crd_lcp_file_plain(const char *text, const char *name, crd_lcp_file *file, crd_error *err) {
  scan s = {.at = text, .name = name, .line = 1, .err = err};
  if (is_pure(text))
    read_pure(&s, file);
  else
    read_mixed(&s, file);
  if (s.status) return s.status;
  skip_space(&s);
  file->comment = s.at; /* lies in the arena */
  return CRD_OK;
}
