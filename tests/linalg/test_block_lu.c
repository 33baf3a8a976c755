/* Sparse block factors: solutions of random systems, left-out blocks, the limit on their cost. */
#include "linalg/block_lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"

enum { MOST_BLOCKS = 200 };

typedef struct sparse {
  int n, rows, size[MOST_BLOCKS], row[MOST_BLOCKS + 1], first[MOST_BLOCKS + 1], column[MOST_BLOCKS * MOST_BLOCKS];
  double *A; /* rows x rows, dense */
} sparse;

static double uniform(uint64_t seed, uint64_t *index) { return crd_random_uniform(seed, 0, (*index)++); }

/* Blocks of 1 to 6 rows, each with some neighbours; a dominant diagonal, not symmetric. */
static sparse *random_system(uint64_t seed, int n, double density) {
  sparse *s = calloc(1, sizeof *s);
  uint64_t at = 0;
  s->n = n;
  for (int i = 0; i < n; i++) {
    s->size[i] = 1 + (int)(uniform(seed, &at) * CRD_BLOCK_ROWS);
    s->row[i + 1] = s->row[i] + s->size[i];
  }
  s->rows = s->row[n];
  s->A = calloc((size_t)s->rows * (size_t)s->rows, sizeof *s->A);
  bool *joined = calloc((size_t)(n * n), sizeof *joined);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) joined[n * i + j] = joined[n * j + i] = uniform(seed, &at) < density;
  for (int i = 0, used = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (!joined[n * i + j] && i != j) continue;
      s->column[used++] = j;
      for (int a = s->row[i]; a < s->row[i + 1]; a++)
        for (int b = s->row[j]; b < s->row[j + 1]; b++)
          s->A[s->rows * a + b] = uniform(seed, &at) - 0.5 + (a == b ? 0.1 * s->rows : 0);
    }
    s->first[i + 1] = used;
  }
  free(joined);
  return s;
}

static void fill(crd_block_lu *lu, const sparse *s) {
  crd_block_lu_clear(lu);
  for (int i = 0; i < s->n; i++)
    for (int k = s->first[i]; k < s->first[i + 1]; k++) {
      int j = s->column[k];
      double *block = crd_block_lu_block(lu, i, j);
      assert_non_null(block);
      for (int a = 0; a < s->size[i]; a++)
        for (int b = 0; b < s->size[j]; b++)
          block[s->size[j] * a + b] = s->A[s->rows * (s->row[i] + a) + s->row[j] + b];
    }
}

/* The largest |A x - b| over blocks that are not left out, entries of those left out ignored. */
static double error_of(const sparse *s, const bool *out, const double *x, const double *b) {
  double worst = 0;
  for (int i = 0; i < s->n; i++)
    for (int a = s->row[i]; !out[i] && a < s->row[i + 1]; a++) {
      double sum = -b[a];
      for (int j = 0; j < s->n; j++)
        for (int c = s->row[j]; !out[j] && c < s->row[j + 1]; c++) sum += s->A[s->rows * a + c] * x[c];
      worst = fmax(worst, fabs(sum));
    }
  return worst;
}

static void systems_are_solved_with_and_without_blocks_left_out(void **state) {
  (void)state;
  crd_block_lu lu = {0};
  const int n[] = {1, 2, 7, 40, 150};
  const double density[] = {0, 0.02, 0.1, 0.5};
  for (uint64_t seed = 0; seed < 20; seed++) {
    sparse *s = random_system(seed, n[seed % 5], density[seed / 5]);
    bool out[MOST_BLOCKS] = {false};
    double *x = malloc(sizeof *x * (size_t)s->rows), *b = malloc(sizeof *b * (size_t)s->rows);
    assert_int_equal(crd_block_lu_analyse(&lu, s->n, s->size, s->first, s->column, INFINITY), CRD_OK);
    for (int some = 0; some < 2; some++) {
      fill(&lu, s);
      for (int i = 0; some && i < s->n; i += 3) out[i] = true, crd_block_lu_skip(&lu, i);
      for (int i = 0; i < s->rows; i++) x[i] = b[i] = sin(i + 1.0);
      assert_true(crd_block_lu_factor(&lu));
      crd_block_lu_solve(&lu, s->row, x);
      assert_true(error_of(s, out, x, b) <= 1e-11);
      for (int i = 0; i < s->n; i++)
        for (int a = s->row[i]; out[i] && a < s->row[i + 1]; a++) assert_true(x[a] == b[a]);
    }
    free(x), free(b), free(s->A), free(s);
  }
  crd_block_lu_free(&lu);
}

/* A chain has no fill: eliminated from its ends, every pivot has one later neighbour. */
static void a_chain_has_no_fill(void **state) {
  (void)state;
  enum { N = 1000 };
  static int size[N], first[N + 1], column[2 * N];
  for (int i = 0; i < N; i++) {
    int used = first[i];
    size[i] = 1;
    if (i > 0) column[used++] = i - 1;
    if (i + 1 < N) column[used++] = i + 1;
    first[i + 1] = used;
  }
  crd_block_lu lu = {0};
  assert_int_equal(crd_block_lu_analyse(&lu, N, size, first, column, INFINITY), CRD_OK);
  assert_int_equal(lu.first[N], N - 1);
  assert_int_equal(crd_block_lu_analyse(&lu, N, size, first, column, N / 2), CRD_LIMIT);
  crd_block_lu_free(&lu);
}

static void a_singular_block_is_told(void **state) {
  (void)state;
  crd_block_lu lu = {0};
  const int size[] = {2}, first[] = {0, 0}, column[] = {0};
  assert_int_equal(crd_block_lu_analyse(&lu, 1, size, first, column, INFINITY), CRD_OK);
  crd_block_lu_clear(&lu);
  double *block = crd_block_lu_block(&lu, 0, 0);
  block[0] = block[1] = block[2] = block[3] = 1;
  assert_false(crd_block_lu_factor(&lu));
  crd_block_lu_free(&lu);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(systems_are_solved_with_and_without_blocks_left_out),
      cmocka_unit_test(a_chain_has_no_fill),
      cmocka_unit_test(a_singular_block_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
