/* Fuzzes the readers of tables of text: the first byte chooses measured states and tosses (CSV), controls and forces over
 * time, or impact problems, one a line. */
#define _XOPEN_SOURCE 700
#include <cradle/io.h>
#include <cradle/model.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/torque_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char MODEL[] =
    "<mujoco><worldbody><body><joint name='a' type='slide'/><geom size='1'/><body><joint name='b'/><geom "
    "size='1'/></body>"
    "</body></worldbody><actuator><motor name='m' joint='b'/></actuator></mujoco>";

static void read_torque(const char *text) {
  static crd_model *model;
  crd_read_options options = crd_io_read_default();
  torque_file torque = {0};
  crd_error err;
  if (!model && crd_io_read_model_text(MODEL, strlen(MODEL), "m.xml", &options, &model, NULL, &err)) abort();
  if (torque_file_read(&torque, text, "fuzz.csv", model, &err) == CRD_OK) {
    static const double TIMES[] = {-1, 0, 0.5, 1, 1e9};
    for (size_t i = 0; i < sizeof TIMES / sizeof *TIMES; i++) {
      double ctrl[1] = {0}, tau[2] = {0};
      torque.linear = i % 2;
      torque_file_apply(&torque, torque_file_row(&torque, TIMES[i]), TIMES[i], ctrl, tau);
    }
  }
  torque_file_free(&torque);
}

static void read_rows(const char *text, size_t size) {
  crd_problem_read_options options = {0};
  crd_problem_rows *rows = NULL;
  crd_error err;
  if (crd_io_open_problem_rows_text(text, size, "fuzz.jsonl", &options, &rows, &err) != CRD_OK) return;
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

static void read_tables(const char *text, size_t size, int columns) {
  static int file = -1;
  char path[64];
  crd_measured_states states = {0};
  crd_measured_tosses tosses = {0};
  crd_error err;
  snprintf(path, sizeof path, "/dev/shm/cradle-fuzz-%ld.csv", (long)getpid());
  if (file < 0) file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, text, size, 0) != (ssize_t)size) abort();
  (void)crd_io_read_measured_states(path, columns, columns, &states, &err);
  (void)crd_io_read_measured_tosses(path, columns, columns, &tosses, &err);
  crd_io_measured_states_free(&states);
  crd_io_measured_tosses_free(&tosses);
}

static void remove_file(void) {
  char path[64];
  snprintf(path, sizeof path, "/dev/shm/cradle-fuzz-%ld.csv", (long)getpid());
  unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { KINDS = 4 };
  static int calls;
  if (calls++ == 0) atexit(remove_file);
  if (size == 0) return 0;
  char *text = malloc(size); /* one byte goes, the terminating zero comes */
  if (!text) return 0;
  memcpy(text, data + 1, size - 1);
  text[size - 1] = 0;
  switch (data[0] % KINDS) {
    case 0: read_tables(text, size - 1, 1); break;
    case 1: read_tables(text, size - 1, 2); break;
    case 2: read_torque(text); break;
    default: read_rows(text, size - 1);
  }
  free(text);
  return 0;
}
