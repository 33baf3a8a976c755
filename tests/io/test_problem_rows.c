/* Claims: a list, an object on every line and HDF5 hold the same problems, with what was measured; one M serves all rows;
 * a bad row is named by line or number and leaves the others alone; sizes that do not fit refuse the file. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/hdf5/file.h"
#include "support/cmocka_all.h"

#define ROW(v, more)                    \
  "{\"M\": [[2, 0], [0, 1]], \"v\": " v \
  ", \"contacts\": [{\"n\": [1, 0], \"t\": [[0, 1]], \"mu\": 0.5, \"e\": 0.25}]" more "}"
static const char one_a_line[] = ROW("[-1, 3]", ", \"v_plus\": [0.25, 2], \"group\": \"steel\"") "\n\n" ROW(
    "[-2]", "") "\n" ROW("[-4, 1]", ", \"sigma\": [0.1, 0.2], \"group\": 7") "\n{\"M\": [[1";
static const char list[] = "[" ROW("[-1, 3]", "") ",\n" ROW("[-2, 0]", ", \"colour\": 1") "]";

static crd_problem_rows *open_text(const char *text) {
  crd_problem_rows *rows;
  crd_error err = {0};
  if (crd_io_open_problem_rows_text(text, strlen(text), "r.jsonl", NULL, &rows, &err) != CRD_OK)
    fail_msg("%s", err.text);
  return rows;
}

static void lines_are_rows_and_a_bad_one_is_named(void **state) {
  (void)state;
  crd_problem_rows *rows = open_text(one_a_line);
  crd_contact_problem *p = crd_contact_problem_new();
  crd_measured measured = {0};
  crd_error err = {0};
  assert_int_equal(crd_io_problem_rows_count(rows), 4);
  assert_int_equal(crd_io_take_problem_row(rows, 2, p, &measured, &err), CRD_OK);
  assert_true(p->v[0] == -4 && p->u[0] == -4 && fabs(p->W[0] - 0.5) < 1e-15 && p->contact[0].mu == 0.5);
  assert_true(!measured.v_plus && measured.sigma[1] == 0.2);
  assert_string_equal(measured.group, "7");
  assert_int_equal(crd_io_take_problem_row(rows, 1, p, &measured, &err), CRD_ERR_FORMAT);
  assert_int_equal(err.line, 3); /* the empty line counts */
  assert_non_null(strstr(err.text, "v: found 1 entries, expected 2"));
  assert_int_equal(crd_io_take_problem_row(rows, 3, p, NULL, &err), CRD_ERR_FORMAT);
  assert_int_equal(err.line, 5);
  assert_int_equal(crd_io_take_problem_row(rows, 0, p, &measured, &err), CRD_OK);
  assert_true(measured.nv == 2 && measured.v_plus[0] == 0.25 && measured.v_plus[1] == 2 && !measured.sigma);
  assert_string_equal(measured.group, "steel");
  assert_int_equal(crd_io_take_problem_row(rows, 4, p, NULL, &err), CRD_ERR_ARGUMENT);
  crd_io_close_problem_rows(rows);
  rows = open_text(list);
  assert_int_equal(crd_io_problem_rows_count(rows), 2);
  assert_int_equal(crd_io_take_problem_row(rows, 0, p, &measured, &err), CRD_OK);
  assert_string_equal(measured.group, "");
  assert_int_equal(crd_io_take_problem_row(rows, 1, p, &measured, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "colour"));
  crd_io_close_problem_rows(rows);
  crd_io_measured_free(&measured);
  crd_contact_problem_free(p);
}

static void a_file_with_nothing_is_refused(void **state) {
  (void)state;
  const char *const bad[] = {"", "[]", "3", "[1,"};
  for (int i = 0; i < 4; i++) {
    crd_problem_rows *rows;
    crd_error err = {0};
    assert_int_equal(crd_io_open_problem_rows_text(bad[i], strlen(bad[i]), "r", NULL, &rows, &err), CRD_ERR_FORMAT);
    assert_null(rows);
    assert_true(err.text[0] != 0);
  }
}

/* Three rows of two velocities; M, n, t and mu of all. */
static void write_columns(const char *path, double second, size_t mu_count, bool turning) {
  crd_h5 *file;
  crd_error err;
  const double M[] = {2, 0, 0, 1}, v[] = {-1, 3, second, 0, -4, 1}, n[] = {1, 0}, t[] = {0, 1}, mu[] = {0.5, 0.5};
  const double e[] = {0, 0.25, 1}, plus[] = {0, 2, 0, 0, 4, 1};
  const char *group[] = {"a", "b", "a"};
  const size_t square[2] = {2, 2}, rows[2] = {3, 2}, one[3] = {1, 1, 2}, each[2] = {3, 1};
  assert_int_equal(crd_h5_create(path, &file, &err), CRD_OK);
  crd_h5_write(file, "/M", CRD_H5_DOUBLE, 2, square, M);
  crd_h5_write(file, "/v", CRD_H5_DOUBLE, 2, rows, v);
  crd_h5_write(file, "/contacts/n", CRD_H5_DOUBLE, 2, one + 1, n);
  crd_h5_write(file, "/contacts/t", CRD_H5_DOUBLE, 3, one, t);
  crd_h5_write(file, "/contacts/mu", CRD_H5_DOUBLE, 1, &mu_count, mu);
  crd_h5_write(file, "/contacts/e", CRD_H5_DOUBLE, 2, each, e);
  if (turning) crd_h5_write(file, "/contacts/mu_roll", CRD_H5_DOUBLE, 1, one, mu);
  crd_h5_write(file, "/v_plus", CRD_H5_DOUBLE, 2, rows, plus);
  crd_h5_write(file, "/group", CRD_H5_TEXT, 1, rows, group);
  assert_int_equal(crd_h5_commit(file, &err), CRD_OK);
}

static void columns_are_rows_too(void **state) {
  (void)state;
  const char path[] = "test_problem_rows.h5";
  crd_problem_rows *rows;
  crd_contact_problem *p = crd_contact_problem_new();
  crd_measured measured = {0};
  crd_error err = {0};
  write_columns(path, NAN, 1, false);
  assert_true(crd_io_is_problem_rows(path));
  assert_int_equal(crd_io_open_problem_rows(path, NULL, &rows, &err), CRD_OK);
  assert_int_equal(crd_io_problem_rows_count(rows), 3);
  assert_int_equal(crd_io_take_problem_row(rows, 2, p, &measured, &err), CRD_OK);
  assert_true(p->M[0] == 2 && p->v[1] == 1 && p->contact[0].e == 1 && p->contact[0].mu_static == 0.5);
  assert_true(measured.v_plus[0] == 4 && !measured.sigma && p->kinetic == 16.5);
  assert_string_equal(measured.group, "a");
  assert_int_equal(crd_io_take_problem_row(rows, 1, p, &measured, &err), CRD_ERR_NUMBER);
  assert_non_null(strstr(err.text, "/v, row 2, entry 1"));
  crd_io_close_problem_rows(rows);
  write_columns(path, -2, 2, false); /* two coefficients for one contact */
  assert_int_equal(crd_io_open_problem_rows(path, NULL, &rows, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "/contacts/mu"));
  write_columns(path, -2, 1, true); /* nothing of it would be read */
  assert_int_equal(crd_io_open_problem_rows(path, NULL, &rows, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "/contacts/mu_roll: found torsional or rolling friction"));
  crd_io_measured_free(&measured);
  crd_contact_problem_free(p);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_rows_and_a_bad_one_is_named),
      cmocka_unit_test(a_file_with_nothing_is_refused),
      cmocka_unit_test(columns_are_rows_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
