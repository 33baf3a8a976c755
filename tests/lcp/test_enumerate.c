/* Claims: the pieces' vertices are exactly the vertices found by exact arithmetic; segments, rays and lines come out
 * with their dimension and directions; pieces within others are not listed; limits are reported. Examples are from
 * Cottle, Pang & Stone (CPS), The Linear Complementarity Problem (2009). */
#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_oracle.h"
#include "support/lcp_problems.h"

static bool is_close(const double *a, const double *b, int n) {
  double apart = 0, most = 1;
  for (int i = 0; i < n; i++) apart = fmax(apart, fabs(a[i] - b[i])), most = fmax(most, fabs(b[i]));
  return apart <= 1e-9 * most;
}

static void assert_point(const crd_lcp_solutions *all, const double *expected) {
  for (int k = 0; k < all->count; k++)
    if (all->piece[k].dim == 0 && is_close(all->piece[k].base, expected, all->n)) return;
  fail_msg("a solution is missing");
}

static void vertices_are_those_of_exact_arithmetic(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(ORACLE_ROWS, 0);
  double W[ORACLE_ROWS * ORACLE_ROWS], w[ORACLE_ROWS], expected[ORACLE_POINTS * ORACLE_ROWS];
  crd_lcp_solutions all = {0};
  int faces = 0;
  for (uint64_t k = 0; k < 20000; k++) {
    lcp_random random = {.seed = 900000 + k};
    int n = 1 + lcp_integer(&random, 5), span = 1 + lcp_integer(&random, 3);
    for (int i = 0; i < n * n; i++) W[i] = lcp_integer(&random, 3) ? lcp_integer(&random, 2 * span + 1) - span : 0;
    for (int i = 0; i < n; i++) w[i] = lcp_integer(&random, 2 * span + 1) - span;
    int count = lcp_oracle(n, W, w, expected), seen[ORACLE_POINTS] = {0};
    crd_lcp_problem problem = crd_lcp_dense(n, W, w);
    assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), count > 0 ? CRD_OK : CRD_NO_SOLUTION);
    for (int p = 0; p < all.count; p++) {
      faces += all.piece[p].dim > 0;
      for (int v = 0; v < all.piece[p].vertices; v++) {
        bool known = false;
        for (int e = 0; e < count; e++)
          if (is_close(all.piece[p].vertex + v * n, expected + e * n, n)) seen[e] = 1, known = true;
        assert_true(known);
      }
    }
    for (int e = 0; e < count; e++) assert_true(seen[e]);
  }
  assert_true(faces > 1000);
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* CPS remark 4.1.14: the solutions are the segment z1 + z2 = 1. */
static void a_singular_basis_is_a_segment(void **state) {
  (void)state;
  double W[4] = {1, 1, 1, 1}, w[2] = {-1, -1};
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  crd_lcp_solutions all = {0};
  assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  const crd_lcp_piece *piece = all.piece;
  assert_true(piece->dim == 1 && piece->vertices == 2 && piece->rays == 0);
  assert_true(fabs(piece->base[0] - 0.5) < 1e-14 && fabs(piece->base[1] - 0.5) < 1e-14);
  assert_true(fabs(piece->direction[0] + piece->direction[1]) < 1e-14);
  assert_true(fabs(fabs(piece->direction[0]) - sqrt(0.5)) < 1e-14);
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* W = [1 -1; -1 1], w = (1, -1) (CPS example 4.4.16): y1 = z1 - z2 + 1, y2 = -y1. So z2 = z1 + 1: a ray from (0, 1). */
static void an_unbounded_piece_has_a_ray(void **state) {
  (void)state;
  double W[4] = {1, -1, -1, 1}, w[2] = {1, -1};
  crd_lcp_work *work = crd_lcp_work_new(2, 0);
  crd_lcp_problem problem = crd_lcp_dense(2, W, w);
  crd_lcp_solutions all = {0};
  assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_true(all.piece->dim == 1 && all.piece->vertices == 1 && all.piece->rays == 1);
  assert_true(fabs(all.piece->vertex[0]) < 1e-14 && fabs(all.piece->vertex[1] - 1) < 1e-14);
  assert_true(fabs(all.piece->ray[0] - 1) < 1e-14 && fabs(all.piece->ray[1] - 1) < 1e-14);
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* W = -I, w = 1: each z_i is 0 or 1, 2^n solutions. */
static void the_negative_identity_has_two_to_the_n_points(void **state) {
  (void)state;
  enum { N = 8 };
  double W[N * N] = {0}, w[N];
  for (int i = 0; i < N; i++) W[i * N + i] = -1, w[i] = 1;
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  crd_lcp_problem problem = crd_lcp_dense(N, W, w);
  crd_lcp_solutions all = {0};
  assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), CRD_OK);
  assert_true(all.count == 1 << N && all.points == 1 << N && all.complete);
  for (int p = 0; p < all.count; p++)
    for (int i = 0; i < N; i++) assert_true(all.piece[p].base[i] == (all.piece[p].basis[i] ? 1 : 0));

  crd_lcp_enumerate_options few = crd_lcp_enumerate_default();
  few.max_pieces = 10;
  assert_int_equal(crd_lcp_enumerate(work, &problem, &few, &all), CRD_LIMIT);
  assert_true(all.count == 10 && !all.complete);
  few = crd_lcp_enumerate_default();
  few.max_nodes = 5;
  assert_int_equal(crd_lcp_enumerate(work, &problem, &few, &all), CRD_LIMIT);
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* The bimatrix game of CPS example 4.4.23: both players have costs [10 20; 30 15]. Pure equilibria are z = (1/10, 0,
 * 1/10, 0) and (0, 1/15, 0, 1/15); the mixed one solves 10 a + 20 b = 1, 30 a + 15 b = 1 in both blocks. */
static void a_bimatrix_game_has_its_three_equilibria(void **state) {
  (void)state;
  double W[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, w[4] = {-1, -1, -1, -1};
  crd_lcp_work *work = crd_lcp_work_new(4, 0);
  crd_lcp_problem problem = crd_lcp_dense(4, W, w);
  crd_lcp_solutions all = {0};
  assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), CRD_OK);
  assert_true(all.count == 3 && all.points == 3);
  double a = 5.0 / 450, b = 20.0 / 450;
  assert_point(&all, (double[4]){0.1, 0, 0.1, 0});
  assert_point(&all, (double[4]){0, 1.0 / 15, 0, 1.0 / 15});
  assert_point(&all, (double[4]){a, b, a, b});
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

/* A doubled bilateral row: multipliers (t, -t) move nothing. */
static void dependent_free_rows_give_a_line(void **state) {
  (void)state;
  double W[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1}, w[3] = {-2, -2, -3};
  crd_lcp_work *work = crd_lcp_work_new(3, 0);
  crd_lcp_problem problem = crd_lcp_dense(3, W, w);
  problem.free_leading = 2;
  crd_lcp_solutions all = {0};
  assert_int_equal(crd_lcp_enumerate(work, &problem, NULL, &all), CRD_OK);
  assert_int_equal(all.count, 1);
  assert_true(all.piece->dim == 1 && all.piece->lines == 1 && all.piece->vertices == 1);
  assert_true(fabs(all.piece->line[0] + all.piece->line[1]) < 1e-14);
  double expected[3] = {1, 1, 3};
  assert_true(is_close(all.piece->base, expected, 3));
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(vertices_are_those_of_exact_arithmetic),
      cmocka_unit_test(a_singular_basis_is_a_segment),
      cmocka_unit_test(an_unbounded_piece_has_a_ray),
      cmocka_unit_test(the_negative_identity_has_two_to_the_n_points),
      cmocka_unit_test(a_bimatrix_game_has_its_three_equilibria),
      cmocka_unit_test(dependent_free_rows_give_a_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
