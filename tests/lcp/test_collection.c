/* Claims: every problem of the classical collection ends as the literature says it does, keyed by problem, way and
 * reason; Murty's and Fathi's problems take Lemke 2^n pivots, and are solved to n = 14; problems without solution end
 * in a ray that proves it. The small problems are restated here (Cottle, Pang & Stone 2009 = CPS); the files of the
 * collection are read where they are at hand. */
#include <cradle/io.h>
#include <cradle/lcp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

typedef struct small_problem {
  const char *name;
  int n;
  double W[16], w[4], z[4];
  crd_status ending;
  const char *reason;
} small_problem;

static const small_problem small[] = {
    {"diagonally dominant pair",
     2,
     {2, 1, 1, 2},
     {-5, -6},
     {4.0 / 3, 7.0 / 3},
     CRD_OK,
     "both rows tight, 3 z = (4, 7)"},
    {"CPS 4 (symmetric with bound)",
     4,
     {11, 0, 10, -1, 0, 11, 10, -1, 10, 10, 21, -1, 1, 1, 1, 0},
     {50, 50, 10, -6},
     {2, 2, 2, 92},
     CRD_OK,
     "all rows tight"},
    {"CPS 4.4.16", 2, {1, -1, -1, 1}, {1, -1}, {0, 1}, CRD_OK, "the vertex of the ray (t, t + 1)"},
    {"Pang's isolated solution",
     3,
     {0, -1, -1, 1, 0, 0, -1, 0, 0},
     {0, -1, 1},
     {1, 0, 0},
     CRD_OK,
     "z_1 >= 1, z_1 <= 1, z_2 + z_3 <= 0"},
    {"semidefinite, infeasible", 2, {1, -1, -1, 1}, {-1, -1}, {0}, CRD_NO_SOLUTION, "y_1 + y_2 = -2"},
    {"zero matrix", 1, {0}, {-1}, {0}, CRD_NO_SOLUTION, "y = -1"},
    {"skew", 2, {0, 1, -1, 0}, {-1, -1}, {0}, CRD_NO_SOLUTION, "y_2 = -z_1 - 1"},
};

static void small_problems_end_as_they_should(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(4, 0);
  for (size_t k = 0; k < sizeof small / sizeof *small; k++) {
    const small_problem *p = &small[k];
    crd_lcp_problem problem = crd_lcp_dense(p->n, p->W, p->w);
    crd_lcp_report report;
    double z[4];
    crd_status status = crd_lcp_solve(work, &problem, NULL, z, &report);
    if (status != p->ending) fail_msg("%s: %s, expected because %s", p->name, crd_status_text(status), p->reason);
    for (int i = 0; i < p->n && status == CRD_OK; i++) assert_true(fabs(z[i] - p->z[i]) < 1e-12 * (1 + fabs(p->z[i])));
    if (status == CRD_NO_SOLUTION) assert_true(report.has_ray && report.proof == CRD_LCP_PROOF_RAY);
  }
  crd_lcp_work_free(work);
}

/* The game of CPS 4.4.23 is solvable, but with covering vector 1 Lemke's path ends on a ray; the search then finds one
 * of its equilibria. */
static void a_ray_does_not_mean_that_there_is_no_solution(void **state) {
  (void)state;
  double W[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0}, w[4] = {-1, -1, -1, -1}, z[4];
  crd_lcp_work *work = crd_lcp_work_new(4, 0);
  crd_lcp_problem problem = crd_lcp_dense(4, W, w);
  crd_lcp_options options = crd_lcp_default();
  crd_lcp_report report;
  assert_int_equal(crd_lcp_solve(work, &problem, &options, z, &report), CRD_RAY);
  assert_int_equal(report.proof, CRD_LCP_PROOF_NONE);
  options.search_nodes = 100;
  assert_int_equal(crd_lcp_solve(work, &problem, &options, z, &report), CRD_OK);
  assert_int_equal(report.path, CRD_LCP_PATH_SEARCH);
  crd_lcp_work_free(work);
}

/* Murty (1988, ch. 6): W lower triangular, 1 on the diagonal and 2 below it, w = -1; Lemke with d = 1 needs 2^n pivots.
 * Fathi (1979): the same for the symmetric positive definite W W'. The solutions are the first unit vector. */
static void exponential_problems_take_two_to_the_n_pivots(void **state) {
  (void)state;
  enum { N = 14 };
  double W[N * N], L[N * N], w[N], z[N];
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  crd_lcp_options options = crd_lcp_default();
  options.max_pivots = 1 << 20;
  for (int n = 2; n <= N; n++)
    for (int symmetric = 0; symmetric < 2; symmetric++) {
      if (symmetric) {
        fathi_lcp_fill(n, W, w);
      } else {
        murty_lcp_fill(n, L, w);
        for (int i = 0; i < n * n; i++) W[i] = L[i % n * n + i / n];
      }
      crd_lcp_problem problem = crd_lcp_dense(n, W, w);
      crd_lcp_report report;
      assert_int_equal(crd_lcp_solve(work, &problem, &options, z, &report), CRD_OK);
      /* after thousands of updates rounding shortens or ends the path of the ill-conditioned symmetric problem */
      if (!symmetric || n <= 11)
        assert_int_equal(report.pivots, 1 << n);
      else
        print_message("Fathi n = %d: %d pivots in %d runs, exactly it is %d\n", n, report.pivots, report.runs, 1 << n);
      assert_true(fabs(z[0] - 1) < 1e-9);
      for (int i = 1; i < n; i++) assert_true(fabs(z[i]) < 1e-9);
    }
  crd_lcp_work_free(work);
}

/* File, ending of the solver, number of pieces of the solution set (0: more than 60 rows, or not counted). */
static const struct {
  const char *name;
  crd_status ending;
  int pieces;
} collection[] = {
    {"lcp_CPS_1.dat", CRD_OK, 1},
    {"lcp_CPS_3.dat", CRD_RAY, 3},
    {"lcp_CPS_4.dat", CRD_OK, 1},
    {"lcp_CPS_5.dat", CRD_OK, 1},
    {"lcp_Pang_isolated_sol.dat", CRD_OK, 1},
    {"lcp_deudeu.dat", CRD_OK, 1},
    {"lcp_exp_murty.dat", CRD_OK, 1},
    {"lcp_mmc.dat", CRD_OK, 1},
    {"lcp_tobenna.dat", CRD_OK, 0},
    {"lcp_trivial.dat", CRD_OK, 1},
    {"m2n1_mlcp.dat", CRD_OK, 1},
    {"m3n2_mlcp.dat", CRD_OK, 0},
    {"RCD_mlcp.dat", CRD_OK, 0},
    {"PD_mlcp.dat", CRD_OK, 0},
    {"diodeBridge_mlcp.dat", CRD_OK, 0},
    {"diodeBridge20_mlcp.dat", CRD_OK, 0},
};

static void the_files_of_the_collection_end_as_they_should(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(64, 0);
  double z[64];
  int read = 0;
  for (size_t k = 0; k < sizeof collection / sizeof *collection; k++) {
    char path[1024];
    snprintf(path, sizeof path, "%s/../shared/lcp-data/%s", CRADLE_SOURCE_DIR, collection[k].name);
    crd_lcp_file file = {0};
    if (crd_io_read_lcp(path, &file, NULL) == CRD_ERR_FILE) continue;
    read++;
    crd_lcp_report report;
    crd_status status = crd_lcp_solve(work, &file.problem, NULL, z, &report);
    if (status != collection[k].ending) fail_msg("%s: %s", collection[k].name, crd_status_text(status));
    if (status == CRD_OK) {
      crd_lcp_residual_parts parts;
      assert_int_equal(crd_lcp_residual(work, &file.problem, z, &parts), CRD_OK);
      assert_true(parts.scaled < 1e-12);
    }
    if (collection[k].pieces > 0) {
      crd_lcp_solutions all = {0};
      assert_int_equal(crd_lcp_enumerate(work, &file.problem, NULL, &all), CRD_OK);
      if (all.count != collection[k].pieces) fail_msg("%s: %d solutions", collection[k].name, all.count);
      crd_lcp_solutions_free(&all);
    }
    crd_io_lcp_file_free(&file);
  }
  crd_lcp_work_free(work);
  if (read == 0) {
    print_message("the collection's files are not at hand: skipped\n");
    skip();
  }
  assert_int_equal(read, sizeof collection / sizeof *collection);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_problems_end_as_they_should),
      cmocka_unit_test(a_ray_does_not_mean_that_there_is_no_solution),
      cmocka_unit_test(exponential_problems_take_two_to_the_n_pivots),
      cmocka_unit_test(the_files_of_the_collection_end_as_they_should),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
