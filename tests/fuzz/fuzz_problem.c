/* Fuzzes the reader of impact problems; what it accepts has to survive writing and reading again. */
#include <cradle/io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  crd_problem_read_options options = {.any_restitution = size % 2};
  crd_contact_problem *problem, *again;
  crd_arena arena = {0};
  const char *text;
  crd_error err;
  if (crd_io_read_problem_text((const char *)data, size, "fuzz.json", &options, &problem, &err) == CRD_OK) {
    if (crd_io_problem_text(problem, &arena, &text, &err) != CRD_OK) abort();
    if (crd_io_read_problem_text(text, strlen(text), "again.json", &options, &again, &err) != CRD_OK) abort();
    if (again->nc != problem->nc ||
        memcmp(again->M, problem->M, sizeof(double) * (size_t)(problem->nv * problem->nv)) != 0)
      abort();
    crd_contact_problem_free(again);
    crd_contact_problem_free(problem);
    crd_arena_free(&arena);
  }
  return 0;
}
