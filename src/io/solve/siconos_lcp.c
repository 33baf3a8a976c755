/* Plain text LCP, relay and MLCP files of the Siconos collection.
 *
 *   LCP    n, W, n values of w
 *   relay  the same, n lower bounds, n upper bounds
 *   MLCP   flags of two storages, number of free rows, of complementary rows; first rows of the blocks up to the total,
 *          for each block 0 (free) or 1 (complementary); first storage: W, w; second storage: blocks A (free), B
 *          (complementary), C, D row by row, a, b, with W = [A C; D B], w = (a, b). A file of the second storage alone
 *          may have no table of blocks.
 *
 * Bounds are what tells a relay from an LCP; words behind the numbers are a comment, behind an MLCP numbers too.
 */
#include <stdio.h>

#include "io/solve/lcp_file.h"
#include "io/solve/siconos_file.h"
#include "io/solve/siconos_matrix.h"

static void read_relay(crd_scan *s, crd_arena *arena, int n, const double *w, const double *W, crd_coulomb_file *file) {
  crd_coulomb_bounded *bounded = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)n, sizeof *bounded));
  for (int i = 0; i < n && !s->status; i++) bounded[i].row = i, bounded[i].lower = crd_scan_number(s, "a lower bound");
  for (int i = 0; i < n && !s->status; i++) {
    crd_scan_skip(s);
    const crd_scan before = *s;
    bounded[i].upper = crd_scan_number(s, "an upper bound");
    if (!s->status && bounded[i].upper < bounded[i].lower) {
      *s = before;
      crd_scan_fail(s, CRD_ERR_NUMBER, "an upper bound of at least %g, the lower one of row %d", bounded[i].lower, i);
    }
  }
  file->problem = (crd_coulomb_problem){.n = n, .w = w, .nbounded = n, .bounded = bounded, .G = W};
  file->format = "siconos relay", file->name = "";
}

void crd_siconos_lcp(crd_scan *s, crd_lcp_file *lcp, crd_coulomb_file *coulomb) {
  crd_arena arena = {0};
  crd_entries matrix;
  const char *comment = "";
  const int n = crd_scan_count(s, 1, CRD_LCP_FILE_ROWS, "the number of rows, 1 to 4096");
  crd_siconos_matrix(s, &arena, n, n, "W", &matrix);
  double *w = s->status ? NULL : crd_scan_memory(s, crd_arena_alloc(&arena, (size_t)n, sizeof *w));
  double *W = s->status ? NULL : crd_scan_memory(s, crd_entries_whole(&arena, &matrix));
  crd_scan_numbers(s, w, n, 1, 1, 1, "w");
  const int more = s->status ? 0 : crd_scan_ahead(s, 2 * n + 1, NULL);
  if (more > 0 && more != 2 * n) {
    crd_scan_skip(s);
    crd_scan_fail(s, CRD_ERR_FORMAT, "no number behind w (LCP), or %d bounds (relay)", 2 * n);
  } else if (more > 0 && !coulomb) {
    s->status = crd_error_set(s->err, CRD_ERR_FORMAT, s->name, s->line, "found a relay problem, expected an LCP");
  } else if (more == 0 && !lcp && !s->status) {
    s->status = crd_error_set(s->err, CRD_ERR_FORMAT, s->name, 1, "found an LCP, expected a friction problem");
  } else if (more > 0) {
    read_relay(s, &arena, n, w, W, coulomb);
  }
  crd_siconos_end(s, &arena, &comment);
  if (s->status) {
    crd_arena_free(&arena);
  } else if (more > 0) {
    coulomb->comment = comment, coulomb->arena = arena;
  } else {
    *lcp = (crd_lcp_file){.problem = crd_lcp_dense(n, W, w), .format = "siconos lcp", .comment = comment};
    lcp->arena = arena;
  }
}

/* ------------------------------------------------------------------------------------------------ mixed */

/* The blocks A, B, C, D, a, b row by row; rows and columns are numbered free first. */
static void read_parts(crd_scan *s, int nfree, int npair, double *W, double *w) {
  const size_t n = (size_t)nfree + (size_t)npair, first = (size_t)nfree;
  crd_scan_numbers(s, W, nfree, nfree, n, 1, "A");
  crd_scan_numbers(s, W + first * (n + 1), npair, npair, n, 1, "B");
  crd_scan_numbers(s, W + first, nfree, npair, n, 1, "C");
  crd_scan_numbers(s, W + first * n, npair, nfree, n, 1, "D");
  crd_scan_numbers(s, w, nfree, 1, 1, 1, "a");
  crd_scan_numbers(s, w + nfree, npair, 1, 1, 1, "b");
}

/* Flags of the free rows from the table of blocks. */
static void read_table(crd_scan *s, int n, int nfree, unsigned char *is_free) {
  int first[64], blocks = 0, marked = 0;
  first[0] = crd_scan_count(s, 0, 0, "0, the first row of the first block");
  while (!s->status && first[blocks] < n) {
    if (blocks == 62) crd_scan_fail(s, CRD_ERR_FORMAT, "at most 62 blocks");
    int least = first[blocks] + 1;
    first[++blocks] = crd_scan_count(s, least, n, "the first row of the next block, larger than the last");
  }
  for (int k = 0; k < blocks && !s->status; k++) {
    int kind = crd_scan_count(s, 0, 1, "0 (free block) or 1 (complementary block)");
    for (int i = first[k]; i < first[k + 1]; i++) is_free[i] = kind == 0, marked += kind == 0;
  }
  if (!s->status && marked != nfree)
    crd_scan_fail(s, CRD_ERR_FORMAT, "as many free rows in the blocks as the file announces");
}

void crd_siconos_mlcp(crd_scan *s, crd_lcp_file *file) {
  const int whole = crd_scan_count(s, 0, 1, "0 or 1, whether W is stored as a whole");
  const int parts = crd_scan_count(s, 0, 1, "0 or 1, whether W is stored in parts");
  const int nfree = crd_scan_count(s, 0, CRD_LCP_FILE_ROWS, "the number of free rows");
  const int npair = crd_scan_count(s, 0, CRD_LCP_FILE_ROWS - nfree, "the number of complementary rows");
  const int n = nfree + npair;
  const size_t square = (size_t)n * (size_t)n;
  crd_arena *arena = &file->arena;
  if (!s->status && (n == 0 || whole + parts == 0))
    crd_scan_fail(s, CRD_ERR_FORMAT, "at least one row and one storage");
  if (s->status) return;
  unsigned char *is_free = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)n, 1));
  double *w = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)n, sizeof *w)), *W = NULL;
  const int only_parts = (int)square + n; /* numbers of the second storage */
  if (whole || crd_scan_ahead(s, only_parts + 1, NULL) != only_parts) {
    if (!s->status) read_table(s, n, nfree, is_free);
  } else {
    for (int i = 0; i < nfree; i++) is_free[i] = 1;
  }
  if (whole && !s->status) {
    crd_entries matrix;
    crd_siconos_matrix(s, arena, n, n, "W", &matrix);
    if (!s->status) W = crd_scan_memory(s, crd_entries_whole(arena, &matrix));
    crd_scan_numbers(s, w, n, 1, 1, 1, "w");
    file->problem = crd_lcp_dense(n, W, w);
    file->problem.free_row = is_free;
  }
  /* where both storages are there they say the same, and the first was taken */
  if (parts && crd_scan_has_room(s, square + (size_t)n, "A, B, C, D, a and b")) {
    double *b = crd_scan_memory(s, crd_arena_alloc(arena, (size_t)n, sizeof *b));
    W = crd_scan_memory(s, crd_arena_alloc(arena, square, sizeof *W));
    if (!s->status) read_parts(s, nfree, npair, W, b);
    if (!whole) file->problem = crd_lcp_dense(n, W, b), file->problem.free_leading = nfree;
  }
  file->format = "siconos mlcp";
  /* many files have their solution there */
  crd_scan_skip(s);
  if (!s->status) file->comment = crd_scan_memory(s, crd_arena_string(arena, s->at));
}
