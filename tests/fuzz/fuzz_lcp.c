/* Fuzzes the reader of complementarity problems, and the solver with what it accepts: a solution has to satisfy the
 * problem, and the list of all solutions must not contradict the solver. */
#include <cradle/io.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve(const crd_lcp_problem *problem) {
  enum { ROWS = 8, COLUMNS = 8 };
  if (problem->n > ROWS || (problem->J && problem->nv > COLUMNS)) return;
  crd_lcp_work *work = crd_lcp_work_new(ROWS, COLUMNS);
  crd_lcp_enumerate_options limits = crd_lcp_enumerate_default();
  crd_lcp_solutions all = {0};
  crd_lcp_residual_parts parts;
  double z[ROWS];
  if (!work) return;
  crd_status status = crd_lcp_solve(work, problem, NULL, z, NULL);
  if (status == CRD_OK &&
      (crd_lcp_residual(work, problem, z, &parts) != CRD_OK || !(parts.scaled <= 1e-9 || parts.natural == 0)))
    abort();
  limits.max_nodes = 2000;
  crd_status every = crd_lcp_enumerate(work, problem, &limits, &all);
  if (status == CRD_NO_SOLUTION && every == CRD_OK && all.points == all.count && all.piece[0].residual == 0) abort();
  crd_lcp_solutions_free(&all);
  crd_lcp_work_free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  crd_lcp_file file = {0};
  crd_error err;
  if (crd_io_read_lcp_text((const char *)data, size, "fuzz", &file, &err) == CRD_OK) solve(&file.problem);
  crd_io_lcp_file_free(&file);
  return 0;
}
