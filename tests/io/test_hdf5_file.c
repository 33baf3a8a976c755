/* Claims: HDF5 files hold what was written, the same calls give the same bytes, a file appears whole or not at all, a
 * full disk is an error, and a file of another shape, kind or length is refused with its name and the reason. */
#define _XOPEN_SOURCE 700
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/file.h"
#include "support/cmocka_all.h"
#include "support/program.h"

enum { ROWS = 3000, COLUMNS = 5 };

static char *file_name(const char *name) { return strdup(program_file(name)); }

static double entry(size_t row, size_t column) { return (double)row + 0.125 * (double)column; }

/* One of everything; `rows` of the table come in parts of uneven size. */
static crd_status write_sample(const char *path, size_t rows, crd_error *err) {
  crd_h5 *file;
  crd_status status = crd_h5_create(path, &file, err);
  if (status != CRD_OK) return status;
  const double matrix[6] = {1, 2, 3, 4, 5, 6.5};
  const char *const names[2] = {"A", "a <b> \xc3\xa9"};
  const int64_t large[1] = {INT64_C(-9007199254740993)};
  crd_h5_write(file, "/M", CRD_H5_DOUBLE, 2, (const size_t[]){2, 3}, matrix);
  crd_h5_write(file, "/contacts/name", CRD_H5_TEXT, 1, (const size_t[]){2}, names);
  crd_h5_write(file, "/deep/er/large", CRD_H5_INTEGER, 1, (const size_t[]){1}, large);
  crd_h5_write(file, "/empty", CRD_H5_DOUBLE, 2, (const size_t[]){0, 7}, NULL);
  int table = crd_h5_table(file, "/qpos", CRD_H5_DOUBLE, CRD_H5_GROWS, COLUMNS);
  int fixed = crd_h5_table(file, "/steps", CRD_H5_INT32, (int64_t)rows, 0);
  double part[7 * COLUMNS];
  for (size_t row = 0; row < rows;) {
    size_t count = rows - row < 7 ? rows - row : 7;
    int32_t steps[7];
    for (size_t i = 0; i < count * COLUMNS; i++) part[i] = entry(row + i / COLUMNS, i % COLUMNS);
    for (size_t i = 0; i < count; i++) steps[i] = (int32_t)(row + i);
    crd_h5_append(file, table, count, part);
    crd_h5_append(file, fixed, count, steps);
    row += count;
  }
  crd_h5_attribute_text(file, "/", "version", "1.2");
  crd_h5_attribute_number(file, "/contacts", "h", 0.3);
  crd_h5_attribute_integer(file, "/", "seed", INT64_MIN);
  return crd_h5_commit(file, err);
}

static char *bytes_of(const char *path, size_t *size) {
  struct stat entry_of;
  assert_int_equal(stat(path, &entry_of), 0);
  *size = (size_t)entry_of.st_size;
  return program_read(path);
}

static void what_was_written_is_read(void **state) {
  (void)state;
  char *path = file_name("all.h5");
  crd_error err = {0};
  crd_arena arena = {0};
  assert_int_equal(write_sample(path, ROWS, &err), CRD_OK);
  crd_h5_input *file;
  assert_int_equal(crd_h5_open(path, &file, &err), CRD_OK);
  double *matrix, *qpos, h;
  const char **names, *version;
  int64_t *large, seed;
  int32_t *steps;
  size_t size[2] = {CRD_H5_ANY, 3};
  assert_int_equal(crd_h5_read(file, "/M", CRD_H5_DOUBLE, 2, size, &arena, &matrix, &err), CRD_OK);
  assert_int_equal(size[0], 2);
  assert_true(matrix[5] == 6.5 && matrix[0] == 1);
  size[0] = 2;
  assert_int_equal(crd_h5_read(file, "/contacts/name", CRD_H5_TEXT, 1, size, &arena, &names, &err), CRD_OK);
  assert_string_equal(names[1], "a <b> \xc3\xa9");
  size[0] = 1;
  assert_int_equal(crd_h5_read(file, "/deep/er/large", CRD_H5_INTEGER, 1, size, &arena, &large, &err), CRD_OK);
  assert_true(large[0] == INT64_C(-9007199254740993));
  size[0] = CRD_H5_ANY, size[1] = COLUMNS;
  assert_int_equal(crd_h5_read(file, "/qpos", CRD_H5_DOUBLE, 2, size, &arena, &qpos, &err), CRD_OK);
  assert_int_equal(size[0], ROWS);
  for (size_t i = 0; i < ROWS * COLUMNS; i++) assert_true(qpos[i] == entry(i / COLUMNS, i % COLUMNS));
  size[0] = ROWS;
  assert_int_equal(crd_h5_read(file, "/steps", CRD_H5_INT32, 1, size, &arena, &steps, &err), CRD_OK);
  assert_int_equal(steps[ROWS - 1], ROWS - 1);
  assert_int_equal(crd_h5_check_seal(file, &err), CRD_OK);
  assert_int_equal(crd_h5_read_text(file, "/", "version", &arena, &version, &err), CRD_OK);
  assert_string_equal(version, "1.2");
  assert_int_equal(crd_h5_read_number(file, "/contacts", "h", &h, &err), CRD_OK);
  assert_int_equal(crd_h5_read_integer(file, "/", "seed", &seed, &err), CRD_OK);
  assert_true(h == 0.3 && seed == INT64_MIN);
  assert_true(crd_h5_has(file, "/contacts/name") && !crd_h5_has(file, "/nothing/name"));
  crd_h5_close(file);
  crd_arena_free(&arena);
  free(path);
}

/* HDF5 notes times by the second where it is let. */
static void the_same_calls_give_the_same_bytes(void **state) {
  (void)state;
  char *one = file_name("one.h5"), *two = file_name("two.h5");
  size_t size_one, size_two;
  assert_int_equal(write_sample(one, ROWS, NULL), CRD_OK);
  sleep(1);
  char *stir = malloc(1 << 20);
  assert_non_null(stir);
  memset(stir, 0x5a, 1 << 20);
  free(stir);
  assert_int_equal(write_sample(two, ROWS, NULL), CRD_OK);
  char *bytes_one = bytes_of(one, &size_one), *bytes_two = bytes_of(two, &size_two);
  assert_int_equal(size_one, size_two);
  assert_memory_equal(bytes_one, bytes_two, size_one);
  free(bytes_one), free(bytes_two), free(one), free(two);
}

static void a_model_of_a_megabyte_fits_an_attribute(void **state) {
  (void)state;
  enum { LENGTH = 1 << 20 };
  char *path = file_name("long.h5"), *text = malloc(LENGTH + 1);
  const char *found;
  crd_arena arena = {0};
  crd_h5 *file;
  assert_non_null(text);
  memset(text, 'x', LENGTH);
  text[LENGTH] = 0;
  assert_int_equal(crd_h5_create(path, &file, NULL), CRD_OK);
  crd_h5_attribute_text(file, "/", "model", text);
  assert_int_equal(crd_h5_commit(file, NULL), CRD_OK);
  crd_h5_input *input;
  assert_int_equal(crd_h5_open(path, &input, NULL), CRD_OK);
  assert_true(crd_h5_has_attribute(input, "/", "model"));
  assert_int_equal(crd_h5_check_seal(input, NULL), CRD_OK);
  assert_int_equal(crd_h5_read_text(input, "/", "model", &arena, &found, NULL), CRD_OK);
  assert_string_equal(found, text);
  crd_h5_close(input);
  crd_arena_free(&arena);
  free(path), free(text);
}

static void a_full_disk_is_an_error_and_leaves_the_old_file(void **state) {
  (void)state;
  char *path = file_name("full.h5");
  struct rlimit limit, before;
  crd_error err;
  assert_int_equal(write_sample(path, 3, NULL), CRD_OK);
  size_t size, size_after;
  char *old = bytes_of(path, &size);
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the limit then fails as on a full disk */
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (rlim_t bytes = 0; bytes < 120000; bytes += 9973) {
    limit = before, limit.rlim_cur = bytes;
    err = (crd_error){0};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    crd_status status = write_sample(path, ROWS, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, CRD_ERR_FILE);
    assert_string_equal(err.file, path);
    assert_non_null(strstr(err.text, "File too large"));
  }
  char *after = bytes_of(path, &size_after);
  assert_int_equal(size, size_after);
  assert_memory_equal(old, after, size);
  free(old), free(after), free(path);
}

static void places_that_cannot_be_written_are_named(void **state) {
  (void)state;
  static const struct {
    const char *path, *says;
  } bad[] = {{"/nonexistent/x.h5", "No such file"}, {"/dev/full", "device"}, {"/", "found a folder"}};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    crd_error err = {0};
    crd_h5 *file;
    assert_int_equal(crd_h5_create(bad[i].path, &file, &err), CRD_ERR_FILE);
    assert_string_equal(err.file, bad[i].path);
    assert_non_null(strstr(err.text, bad[i].says));
  }
}

static void a_table_that_misses_rows_is_no_file(void **state) {
  (void)state;
  char *path = file_name("short.h5");
  crd_error err = {0};
  crd_h5 *file;
  assert_int_equal(crd_h5_create(path, &file, NULL), CRD_OK);
  crd_h5_append(file, crd_h5_table(file, "/x", CRD_H5_DOUBLE, 3, 0), 2, (const double[]){1, 2});
  assert_int_equal(crd_h5_commit(file, &err), CRD_ERR_ARGUMENT);
  assert_int_not_equal(access(path, F_OK), 0);
  free(path);
}

static void expect_refusal(crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t first,
                           const char *says) {
  crd_arena arena = {0};
  crd_error err = {0};
  size_t size[3] = {first, CRD_H5_ANY, CRD_H5_ANY};
  void *value;
  assert_int_equal(crd_h5_read(file, name, kind, rank, size, &arena, &value, &err), CRD_ERR_FORMAT);
  if (!strstr(err.text, says) || !strstr(err.text, name)) fail_msg("'%s' does not say '%s'", err.text, says);
  crd_arena_free(&arena);
}

static void other_shapes_and_types_are_refused(void **state) {
  (void)state;
  char *path = file_name("shape.h5");
  crd_h5_input *file;
  crd_error err = {0};
  double number;
  assert_int_equal(write_sample(path, 10, NULL), CRD_OK);
  assert_int_equal(crd_h5_open(path, &file, NULL), CRD_OK);
  expect_refusal(file, "/v_plus", CRD_H5_DOUBLE, 2, CRD_H5_ANY, "found nothing");
  expect_refusal(file, "/contacts", CRD_H5_DOUBLE, 2, CRD_H5_ANY, "found no dataset");
  expect_refusal(file, "/M", CRD_H5_DOUBLE, 1, CRD_H5_ANY, "found 2 dimensions, expected 1");
  expect_refusal(file, "/M", CRD_H5_DOUBLE, 2, 3, "found size 2 in dimension 1, expected 3");
  expect_refusal(file, "/M", CRD_H5_INTEGER, 2, CRD_H5_ANY, "expected integers");
  expect_refusal(file, "/M", CRD_H5_TEXT, 2, CRD_H5_ANY, "expected text");
  expect_refusal(file, "/contacts/name", CRD_H5_DOUBLE, 1, CRD_H5_ANY, "expected real numbers");
  assert_int_equal(crd_h5_read_number(file, "/", "version", &number, &err), CRD_ERR_FORMAT);
  assert_int_equal(crd_h5_read_number(file, "/nowhere", "h", &number, &err), CRD_ERR_FORMAT);
  crd_h5_close(file);
  free(path);
}

static void other_files_and_cut_ones_are_refused(void **state) {
  (void)state;
  char *path = file_name("good.h5"), *cut = file_name("cut.h5");
  crd_error err = {0};
  crd_h5_input *file;
  size_t size;
  program_write(cut, "{ \"cradle\": \"impact-problem/1\" }");
  assert_int_equal(crd_h5_open(cut, &file, &err), CRD_ERR_FORMAT);
  assert_string_equal(err.file, cut);
  assert_int_equal(crd_h5_open("/nonexistent.h5", &file, &err), CRD_ERR_FILE);
  assert_int_equal(crd_h5_open("/", &file, &err), CRD_ERR_FILE);
  assert_int_equal(write_sample(path, ROWS, NULL), CRD_OK);
  char *bytes = bytes_of(path, &size);
  for (size_t length = 0; length < size; length += size / 17) {
    FILE *out = fopen(cut, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(crd_h5_open(cut, &file, &err), CRD_ERR_FORMAT);
  }
  free(bytes), free(path), free(cut);
}

/* What the tests wrote and nothing else: no file beside was left. */
static int nothing_is_left_beside(void **state) {
  (void)state;
  static const char *const written[] = {"all.h5",  "one.h5",   "two.h5",  "long.h5",
                                        "full.h5", "shape.h5", "good.h5", "cut.h5"};
  return program_folder_holds(sizeof written / sizeof *written, written);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_written_is_read),
      cmocka_unit_test(the_same_calls_give_the_same_bytes),
      cmocka_unit_test(a_model_of_a_megabyte_fits_an_attribute),
      cmocka_unit_test(a_full_disk_is_an_error_and_leaves_the_old_file),
      cmocka_unit_test(places_that_cannot_be_written_are_named),
      cmocka_unit_test(a_table_that_misses_rows_is_no_file),
      cmocka_unit_test(other_shapes_and_types_are_refused),
      cmocka_unit_test(other_files_and_cut_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, nothing_is_left_beside);
}
