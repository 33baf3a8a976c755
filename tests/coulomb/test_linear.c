/* Factors of low rank: what a foot with many points has. */
#include <math.h>
#include <stdlib.h>

#include "coulomb/linear.h"
#include "support/cmocka_all.h"
#include "support/random_tree.h"

enum { ROWS = 40, MOST = 18 };

/* A = V V', rows of V random unit vectors of `rank` dimensions. */
static void matrix_of_rank(random_stream *stream, int rank, double *A, size_t stride) {
  double V[ROWS][MOST];
  for (int i = 0; i < ROWS; i++) {
    double square = 0;
    for (int k = 0; k < rank; k++) V[i][k] = random_in(stream, -1, 1), square += V[i][k] * V[i][k];
    for (int k = 0; k < rank; k++) V[i][k] /= sqrt(square);
  }
  for (size_t i = 0; i < ROWS; i++)
    for (size_t j = 0; j < ROWS; j++) {
      A[stride * i + j] = 0;
      for (int k = 0; k < rank; k++) A[stride * i + j] += V[i][k] * V[j][k];
    }
}

static void factors_of_every_rank_give_the_matrix_back(void **state) {
  (void)state;
  random_stream stream = {1, 0};
  enum { STRIDE = ROWS + 4 };
  double *A = calloc(ROWS * STRIDE, sizeof *A), *L = calloc(ROWS * STRIDE, sizeof *L), scratch[ROWS];
  assert_true(A && L);
  for (int rank = 1; rank <= MOST; rank++) {
    int found = 0;
    matrix_of_rank(&stream, rank, A, STRIDE);
    assert_true(crd_low_rank_factor(ROWS, A, STRIDE, MOST, L, scratch, &found));
    assert_int_equal(found, rank);
    size_t width = crd_reduced_stride(rank);
    for (size_t i = 0; i < ROWS; i++) {
      for (size_t k = (size_t)rank; k < width; k++) assert_true(L[width * i + k] == 0);
      for (size_t j = 0; j < ROWS; j++) {
        double sum = 0;
        for (size_t k = 0; k < (size_t)rank; k++) sum += L[width * i + k] * L[width * j + k];
        assert_true(fabs(sum - A[STRIDE * i + j]) <= 1e-12); /* a diagonal of one, condition of some hundred */
      }
    }
  }
  free(A), free(L);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(factors_of_every_rank_give_the_matrix_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
