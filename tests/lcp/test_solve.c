/* Claims: the verdict agrees with exact enumeration on random integer problems of every kind; contact problems, whose
 * solvability is a theorem [Halm & Posa, Prop. 2 and Thm. 6], are always solved, also with redundant contacts, resting,
 * with friction from 0 to 1e5 and badly scaled; Lemke's exponential problems take exactly the pivots they are known
 * for; a ray satisfies what it certifies. */
#include <cradle/lcp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/lcp_oracle.h"
#include "support/lcp_problems.h"

static void random_integers(lcp_random *random, int n, double *W, double *w) {
  int span = 1 + lcp_integer(random, 4);
  bool sparse = lcp_integer(random, 3) > 0;
  for (int i = 0; i < n * n; i++) {
    W[i] = lcp_integer(random, 2 * span + 1) - span;
    if (sparse && lcp_integer(random, 2)) W[i] = 0;
  }
  for (int i = 0; i < n; i++) w[i] = lcp_integer(random, 2 * span + 1) - span;
}

/* Certificate of a ray, recomputed here: W r + r0 >= 0, r >= 0, complementary. */
static void assert_ray(const crd_lcp_work *work, int n, const double *W) {
  double cover, most = 0;
  const double *r = crd_lcp_ray(work, &cover);
  assert_true(cover >= 0);
  for (int i = 0; i < n; i++) most = fmax(most, r[i]);
  assert_true(most > 0);
  for (int i = 0; i < n; i++) {
    double u = cover;
    for (int j = 0; j < n; j++) u += W[i * n + j] * r[j];
    assert_true(r[i] >= 0 && u > -1e-9 * most && r[i] * u < 1e-9 * most * most);
  }
}

static void verdicts_agree_with_exact_enumeration(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(ORACLE_ROWS, 0);
  double W[ORACLE_ROWS * ORACLE_ROWS], w[ORACLE_ROWS], z[ORACLE_ROWS], vertex[ORACLE_POINTS * ORACLE_ROWS];
  int solved = 0, none = 0, rays = 0;
  for (uint64_t k = 0; k < 20000; k++) {
    lcp_random random = {.seed = 77000 + k};
    int n = 1 + lcp_integer(&random, 5);
    random_integers(&random, n, W, w);
    int count = lcp_oracle(n, W, w, vertex);
    crd_lcp_problem problem = crd_lcp_dense(n, W, w);
    crd_lcp_report report;
    crd_status status = crd_lcp_solve(work, &problem, NULL, z, &report);
    assert_true(status == CRD_OK || status == CRD_RAY || status == CRD_NO_SOLUTION);
    assert_false(status == CRD_OK && count == 0);
    assert_false(status == CRD_NO_SOLUTION && count > 0);
    if (status == CRD_OK) {
      crd_lcp_residual_parts parts;
      assert_int_equal(crd_lcp_residual(work, &problem, z, &parts), CRD_OK);
      assert_true(parts.scaled < 1e-13);
    } else {
      assert_true(report.has_ray);
      assert_ray(work, n, W);
    }
    solved += status == CRD_OK, none += status == CRD_NO_SOLUTION, rays += status == CRD_RAY;
  }
  assert_true(solved > 5000 && none > 2000 && rays > 2000);
  crd_lcp_work_free(work);
}

/* A search after the ray finds the solution Lemke missed, or proves that there is none. */
static void a_search_decides_what_lemke_leaves_open(void **state) {
  (void)state;
  crd_lcp_work *work = crd_lcp_work_new(ORACLE_ROWS, 0);
  crd_lcp_options options = crd_lcp_default();
  options.search_nodes = 10000;
  double W[ORACLE_ROWS * ORACLE_ROWS], w[ORACLE_ROWS], z[ORACLE_ROWS], vertex[ORACLE_POINTS * ORACLE_ROWS];
  for (uint64_t k = 0; k < 5000; k++) {
    lcp_random random = {.seed = 177000 + k};
    int n = 1 + lcp_integer(&random, 5);
    random_integers(&random, n, W, w);
    crd_lcp_problem problem = crd_lcp_dense(n, W, w);
    crd_status status = crd_lcp_solve(work, &problem, &options, z, NULL);
    assert_int_equal(status, lcp_oracle(n, W, w, vertex) > 0 ? CRD_OK : CRD_NO_SOLUTION);
  }
  crd_lcp_work_free(work);
}

static void contact_problems_are_always_solved(void **state) {
  (void)state;
  enum { N = 120 };
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  double *W = malloc(sizeof(double) * N * N), w[N], z[N];
  const int facets[4] = {0, 2, 4, 8};
  const double mu[6] = {0, 0.1, 1, 10, 1000, 1e5};
  for (uint64_t k = 0; k < 10000; k++) {
    lcp_random random = {.seed = 1000 + k};
    contact_scene scene = {.contacts = 1 + lcp_integer(&random, 8),
                           .facets = facets[lcp_integer(&random, 4)],
                           .mu = mu[lcp_integer(&random, 6)],
                           .length = pow(10, lcp_uniform(&random, -3, 3)),
                           .mass_spread = lcp_uniform(&random, 0, 3)};
    scene.bodies = 1 + lcp_integer(&random, scene.contacts);
    scene.duplicates = lcp_integer(&random, 3) == 0 ? lcp_integer(&random, scene.contacts) : 0;
    scene.resting = lcp_integer(&random, 10) == 0;
    int n = contact_lcp_rows(&scene);
    if (lcp_integer(&random, 2)) {
      contact_step_lcp_fill(&scene, &random, pow(10, lcp_uniform(&random, -3, 3)), W, w);
      n += scene.contacts;
    } else {
      contact_lcp_fill(&scene, &random, W, w, NULL, NULL);
    }
    double scale = pow(10, lcp_uniform(&random, -6, 6)), scale_w = pow(10, lcp_uniform(&random, -6, 6));
    for (int i = 0; i < n * n; i++) W[i] *= scale;
    for (int i = 0; i < n; i++) w[i] *= scale_w;
    crd_lcp_problem problem = crd_lcp_dense(n, W, w);
    crd_lcp_report report;
    assert_int_equal(crd_lcp_solve(work, &problem, NULL, z, &report), CRD_OK);
    crd_lcp_residual_parts parts;
    assert_int_equal(crd_lcp_residual(work, &problem, z, &parts), CRD_OK);
    assert_true(parts.scaled <= 1e-10);
    for (int i = 0; i < n; i++) assert_true(z[i] >= 0);
  }
  free(W);
  crd_lcp_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verdicts_agree_with_exact_enumeration),
      cmocka_unit_test(a_search_decides_what_lemke_leaves_open),
      cmocka_unit_test(contact_problems_are_always_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
