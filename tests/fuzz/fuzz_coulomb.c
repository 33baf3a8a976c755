/* Fuzzes the readers of friction problems, the writer with what they accept, and the solver with what is small: the
 * text of a problem reads back as the same rows, and an answer that is called ok has a residual within the tolerance.
 */
#include <cradle/io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROWS = 24 };

static void solve(const crd_coulomb_problem *problem) {
  double p[ROWS] = {0}, u[ROWS] = {0};
  crd_mode mode[ROWS] = {0};
  crd_coulomb_state state = {p, u, mode};
  crd_coulomb_residual_parts parts;
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_work *work = crd_coulomb_work_new();
  if (!work) return;
  if (crd_coulomb_solve(work, problem, &options, &state, NULL) == CRD_OK &&
      (crd_coulomb_residual(problem, p, u, &parts) != CRD_OK || !(parts.worst <= options.tolerance)))
    abort();
  crd_coulomb_work_free(work);
}

static void write_and_read(const crd_coulomb_file *file) {
  crd_arena arena = {0};
  crd_coulomb_file again = {0};
  crd_error err = {0};
  const char *text;
  if (crd_io_coulomb_text(file, &arena, &text, &err) == CRD_OK) {
    if (crd_io_read_coulomb_text(text, strlen(text), "written", 0, &again, &err) != CRD_OK) abort();
    if (again.problem.n != file->problem.n || again.problem.ncontact != file->problem.ncontact) abort();
    if (memcmp(again.problem.w, file->problem.w, (size_t)file->problem.n * sizeof(double)) != 0) abort();
  }
  crd_io_coulomb_file_free(&again);
  crd_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  crd_coulomb_file file = {0};
  crd_error err;
  if (crd_io_read_coulomb_text((const char *)data, size, "fuzz", 0, &file, &err) == CRD_OK) {
    if (file.problem.n <= ROWS) solve(&file.problem);
    if (file.problem.n <= 1000) write_and_read(&file);
  }
  crd_io_coulomb_file_free(&file);
  return 0;
}
