/* Fuzzes all readers of HDF5: traces (with the model that they hold), outcomes, fclib's problems, impact problems by
 * columns, measured states and tosses. The file tells what it is, as the verbs are told; measured states and tosses have
 * two positions. The mutator keeps checksums, digests and seal true (hdf5_repair.h) three times of four. */
#define _GNU_SOURCE
#include <cradle/io.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hdf5_repair.h"
#include "io/trace/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed) {
  enum { ONE_OF = 4 };
  const size_t made = LLVMFuzzerMutate(data, size, most);
  if (seed % ONE_OF != 0) hdf5_repair(data, made);
  return made;
}

/* libFuzzer's; the program that runs the seeds mutates nothing. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) {
  (void)data, (void)most;
  return size;
}

/* A file in memory with that ending, which the readers of tables go by. */
static const char *path_of(const uint8_t *data, size_t size) {
  static char path[64];
  static int file = -1;
  if (file < 0) {
    snprintf(path, sizeof path, "/dev/shm/cradle-fuzz-%ld.h5", (long)getpid());
    file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  }
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size) abort();
  return path;
}

static void remove_file(void) {
  char path[64];
  snprintf(path, sizeof path, "/dev/shm/cradle-fuzz-%ld.h5", (long)getpid());
  unlink(path);
}

static void read_trace(const uint8_t *data, size_t size) {
  crd_trace trace = {0};
  crd_model *model = NULL;
  crd_arena arena = {0};
  const char *text;
  crd_error err;
  if (crd_trace_read_memory(data, size, "fuzz.h5", &trace, &err) == CRD_OK) {
    (void)crd_io_trace_model(&trace, &model, &err);
    if (trace.nrow < 1000 && trace.nevent < 1000) (void)crd_io_run_text(&trace, model, NULL, &arena, &text, &err);
  }
  crd_model_free(model);
  crd_arena_free(&arena);
  crd_io_trace_free(&trace);
}

static void read_rows(const char *path) {
  crd_problem_read_options options = {0};
  crd_problem_rows *rows = NULL;
  crd_error err;
  if (crd_io_open_problem_rows(path, &options, &rows, &err) != CRD_OK) return;
  const size_t count = crd_io_problem_rows_count(rows);
  for (size_t i = 0; i < count && i < 20; i++) {
    crd_contact_problem *problem = crd_contact_problem_new();
    crd_measured measured = {0};
    if (problem) (void)crd_io_take_problem_row(rows, i, problem, &measured, &err);
    crd_io_measured_free(&measured);
    crd_contact_problem_free(problem);
  }
  crd_io_close_problem_rows(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static int calls;
  crd_outcome_file outcomes = {0};
  crd_coulomb_file friction = {0};
  crd_measured_states states = {0};
  crd_measured_tosses tosses = {0};
  crd_arena arena = {0};
  const char *kind;
  crd_error err;
  if (calls++ == 0) atexit(remove_file);
  const char *path = path_of(data, size);
  read_trace(data, size);
  (void)crd_io_file_kind(path, &arena, &kind, &err);
  (void)crd_io_read_outcomes(path, &outcomes, &err);
  (void)crd_io_read_coulomb(path, 0, &friction, &err);
  read_rows(path);
  (void)crd_io_read_measured_states(path, 2, 2, &states, &err);
  (void)crd_io_read_measured_tosses(path, 2, 2, &tosses, &err);
  crd_io_outcome_file_free(&outcomes);
  crd_io_coulomb_file_free(&friction);
  crd_io_measured_states_free(&states);
  crd_io_measured_tosses_free(&tosses);
  crd_arena_free(&arena);
  return 0;
}
