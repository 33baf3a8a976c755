/* Claim: given a workspace, no solve asks for memory, whichever way it takes. */
#include <cradle/lcp.h>

#include "support/allocation.h"
#include "support/cmocka_all.h"
#include "support/lcp_problems.h"

static void a_solve_allocates_nothing(void **state) {
  (void)state;
  enum { N = 64 };
  crd_lcp_work *work = crd_lcp_work_new(N, 0);
  double W[N * N], w[N], z[N];
  crd_lcp_options options = crd_lcp_default();
  int paths[CRD_LCP_PATH_SEARCH + 1] = {0};
  for (uint64_t k = 0; k < 600; k++) {
    lcp_random random = {.seed = 70 + k};
    contact_scene scene = {.contacts = 1 + lcp_integer(&random, 10), .facets = 4, .mu = 1e5, .length = 30, .bodies = 2};
    scene.duplicates = scene.contacts / 2;
    contact_lcp_fill(&scene, &random, W, w, NULL, NULL);
    crd_lcp_problem problem = crd_lcp_dense(contact_lcp_rows(&scene), W, w);
    problem.free_leading = k % 3 == 0;
    crd_lcp_report report;
    options.search_nodes = 1000;
    for (int pass = 0; pass < 3; pass++) {
      options.warm = pass > 0, options.same_matrix = pass > 1;
      long before = requests;
      crd_lcp_solve(work, &problem, &options, z, &report);
      assert_int_equal(requests, before);
      paths[report.path]++;
      for (int i = 0; i < problem.n; i++) w[i] += 0.01;
    }
  }
  assert_true(paths[CRD_LCP_PATH_WARM] && paths[CRD_LCP_PATH_BLOCK] && paths[CRD_LCP_PATH_LEMKE] &&
              paths[CRD_LCP_PATH_CAREFUL]);
  crd_lcp_work_free(work);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_solve_allocates_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
