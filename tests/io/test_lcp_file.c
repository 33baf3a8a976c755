/* Claims: both formats give the problem they state, columns and blocks where they belong; every kind of bad file is
 * refused with its line, what was found and what was expected. */
#include <cradle/io.h>
#include <string.h>

#include "support/cmocka_all.h"

static crd_status read_text(const char *text, crd_lcp_file *file, crd_error *err) {
  return crd_io_read_lcp_text(text, strlen(text), "t.dat", file, err);
}

static void assert_refused(const char *text, crd_status status, int line, const char *expected) {
  crd_lcp_file file = {0};
  crd_error err = {0};
  assert_int_equal(read_text(text, &file, &err), status);
  assert_int_equal(err.line, line);
  if (!strstr(err.text, expected)) fail_msg("'%s' does not say '%s'", err.text, expected);
  assert_null(file.problem.W);
}

static void assert_numbers(const double *found, const double *expected, int count) {
  for (int i = 0; i < count; i++) assert_true(found[i] == expected[i]);
}

static void a_plain_lcp_stores_columns(void **state) {
  (void)state;
  crd_lcp_file file = {0};
  assert_int_equal(read_text("2\n0\n2\n2\n2\t2\n1 2\n3 4\n-5 -6\n\nfrom a book\n", &file, NULL), CRD_OK);
  assert_int_equal(file.problem.n, 2);
  assert_numbers(file.problem.W, (double[4]){1, 3, 2, 4}, 4);
  assert_numbers(file.problem.w, (double[2]){-5, -6}, 2);
  assert_string_equal(file.format, "siconos lcp");
  assert_non_null(strstr(file.comment, "from a book"));
  crd_io_lcp_file_free(&file);
}

/* W = [3 -1 0; 1 2 0; 0 0 4] in a block of two rows and one of one; and with compressed columns and rows. */
static void a_plain_lcp_may_be_stored_by_blocks_or_sparse(void **state) {
  (void)state;
  const char *const text[] = {
      "3\n1\n3\n3\n2\n2\n2\n2\t3\n2\t3\n3\n2\n0\t1\t2\n0\t1\n0\n3\n1\n-1\n2\n1\n4\n-5 -6 7\n",
      "3\n2\n3\n3\n2\nCSparse Version 3.1.9, May 4, 2016.\n3-by-3, nzmax: 5 nnz: 5, 1-norm: 4\n"
      "    col 0 : locations 0 to 1\n      0 : 3\n      1 : 1\n    col 1 : locations 2 to 3\n      0 : -1\n"
      "      1 : 2\n    col 2 : locations 4 to 4\n      2 : 4\n-5 -6 7\n",
      "3\n2\n3\n3\n3\nCSparse Version 3.1.9, May 4, 2016.\ncsr: 3-by-3, nzmax: 5 nnz: 5, 1-norm: 4\n"
      "    row 0 : locations 0 to 1\n      0 : 3\n      1 : -1\n    row 1 : locations 2 to 3\n      0 : 1\n"
      "      1 : 2\n    row 2 : locations 4 to 4\n      2 : 4\n-5 -6 7\n"};
  for (int k = 0; k < 3; k++) {
    crd_lcp_file file = {0};
    assert_int_equal(read_text(text[k], &file, NULL), CRD_OK);
    assert_numbers(file.problem.W, (double[9]){3, -1, 0, 1, 2, 0, 0, 0, 4}, 9);
    assert_numbers(file.problem.w, (double[3]){-5, -6, 7}, 3);
    crd_io_lcp_file_free(&file);
  }
}

/* One free row, two complementary; the second storage repeats the first. */
static void a_plain_mlcp_has_blocks(void **state) {
  (void)state;
  const char *whole = "1\n0\n1\n2\n0 1 3\n0 1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 -2 -3\n";
  const char *parts = "0\n1\n1\n2\n0 1 3\n0 1\n1\n5 8\n6 9\n4 7\n2\n3\n-1\n-2 -3\n";
  const char *bare = "0\n1\n1\n2\n1\n5 8\n6 9\n4 7\n2\n3\n-1\n-2 -3\n"; /* as Siconos writes it */
  const double W[9] = {1, 4, 7, 2, 5, 8, 3, 6, 9}, w[3] = {-1, -2, -3};
  crd_lcp_file file = {0};
  assert_int_equal(read_text(whole, &file, NULL), CRD_OK);
  assert_numbers(file.problem.W, W, 9);
  assert_numbers(file.problem.w, w, 3);
  assert_true(file.problem.free_row[0] == 1 && file.problem.free_row[1] == 0 && file.problem.free_row[2] == 0);
  assert_int_equal(read_text(parts, &file, NULL), CRD_OK);
  assert_numbers(file.problem.W, W, 9);
  assert_numbers(file.problem.w, w, 3);
  assert_int_equal(file.problem.free_leading, 1);
  assert_int_equal(read_text(bare, &file, NULL), CRD_OK);
  assert_numbers(file.problem.W, W, 9);
  assert_int_equal(file.problem.free_leading, 1);
  crd_io_lcp_file_free(&file);
}

static void json_states_dense_and_factored_problems(void **state) {
  (void)state;
  crd_lcp_file file = {0};
  const char *dense =
      "{\"cradle\": \"lcp/1\", \"W\": [[1, 2], [3, 4]], \"w\": [-5, -6], \"free\": [1], \"comment\": \"c\"}";
  assert_int_equal(read_text(dense, &file, NULL), CRD_OK);
  assert_numbers(file.problem.W, (double[4]){1, 2, 3, 4}, 4);
  assert_true(file.problem.free_row[0] == 0 && file.problem.free_row[1] == 1);
  assert_string_equal(file.comment, "c");
  const char *factored = "{\"cradle\": \"lcp/1\", \"w\": [-1], \"J\": [[1, 2]], \"M\": [[4, 0], [0, 16]]}";
  assert_int_equal(read_text(factored, &file, NULL), CRD_OK);
  assert_null(file.problem.W);
  assert_int_equal(file.problem.nv, 2);
  crd_lcp_work *work = crd_lcp_work_new(1, 2);
  double W;
  assert_int_equal(crd_lcp_form(work, &file.problem, &W), CRD_OK);
  assert_true(W == 0.5); /* 1/4 + 4/16 */
  crd_lcp_work_free(work);
  crd_io_lcp_file_free(&file);
}

static void bad_files_are_refused_with_their_place(void **state) {
  (void)state;
  assert_refused("", CRD_ERR_FORMAT, 1, "found the end of the file, expected the first numbers of an LCP");
  assert_refused("7 8 9 10 11 12", CRD_ERR_FORMAT, 1, "found '7', expected the first numbers of an LCP");
  assert_refused("0\n0\n0\n0\n0 0\n", CRD_ERR_FORMAT, 4, "at least one row");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 x\n-5 -6\n", CRD_ERR_FORMAT, 7, "found 'x'");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 4\n-5\n", CRD_ERR_FORMAT, 9, "found the end of the file");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 inf\n-5 -6\n", CRD_ERR_NUMBER, 7, "found 'inf'");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 nan\n-5 -6\n", CRD_ERR_NUMBER, 7, "found 'nan'");
  assert_refused("4000\n0\n4000\n4000\n4000 4000\n1 2\n", CRD_ERR_FORMAT, 5, "too short for 4000 x 4000 entries");
  assert_refused("1\n0\n1\n2\n0 1 3\n1 1\n0\n3\n3\n3 3\n1 2 3\n4 5 6\n7 8 9\n-1 -2 -3\n", CRD_ERR_FORMAT, 6,
                 "free rows");
  assert_refused("1\n1\n1\n2\n0 1 1\n", CRD_ERR_FORMAT, 5, "larger than the last");
  assert_refused("{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [1, 2]}", CRD_ERR_FORMAT, 0,
                 "W: found 1 entries, expected 2");
  assert_refused("{\"cradle\": \"lcp/2\"}", CRD_ERR_FORMAT, 0, "expected \"lcp/1\"");
  assert_refused("{\"w\": [1]}", CRD_ERR_FORMAT, 0, "cradle: found nothing, expected \"lcp/1\"");
  assert_refused("{\"cradle\": \"lcp/1\", \"w\": [1]}", CRD_ERR_FORMAT, 0, "neither W nor J");
  assert_refused("{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [1], \"free\": [1]}", CRD_ERR_FORMAT, 0, "free[0]");
  assert_refused("{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [1], \"x\": 1}", CRD_ERR_FORMAT, 0, "not known");
  assert_refused("{\"cradle\": \"lcp/1\", \"w\": [1], \"J\": [[1]], \"M\": [[-1]]}", CRD_ERR_MODEL, 0,
                 "positive definite");
  assert_refused("{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [1], \"M\": [[1]]}", CRD_ERR_FORMAT, 0, "without J");
  assert_refused("{ not json", CRD_ERR_FORMAT, 1, "not JSON");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 4\n-5 -6\n7\n", CRD_ERR_FORMAT, 9, "found '7', expected no number behind w");
  assert_refused("2\n0\n2\n2\n2 2\n1 2\n3 4\n-5 -6\n-1 -1 1 1\n", CRD_ERR_FORMAT, 8, "found a relay problem");
  assert_refused("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 0.5", CRD_ERR_FORMAT, 1, "found a friction problem");
  crd_lcp_file file = {0};
  crd_error err = {0};
  assert_int_equal(crd_io_read_lcp("/nowhere/at/all.dat", &file, &err), CRD_ERR_FILE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plain_lcp_stores_columns),
      cmocka_unit_test(a_plain_lcp_may_be_stored_by_blocks_or_sparse),
      cmocka_unit_test(a_plain_mlcp_has_blocks),
      cmocka_unit_test(json_states_dense_and_factored_problems),
      cmocka_unit_test(bad_files_are_refused_with_their_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
