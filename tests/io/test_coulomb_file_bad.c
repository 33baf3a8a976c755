/* Claims: every reader of friction problems refuses what is truncated, not finite, negative, of the wrong size or
 * followed by more, and says where, what it found and what it expected; no size in a file takes memory that the file
 * itself does not back. */
#include <cradle/io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "support/cmocka_all.h"
#include "support/program.h"
#include "support/two_contacts.h"

static void assert_refused(const char *text, crd_status status, int line, const char *expected) {
  crd_coulomb_file file = {0};
  crd_error err = {0};
  crd_status found = crd_io_read_coulomb_text(text, strlen(text), "t", 0, &file, &err);
  if (found != status) fail_msg("%s: %s: '%s'", text, crd_status_text(found), err.text);
  if (!strstr(err.text, expected)) fail_msg("'%s' does not say '%s'", err.text, expected);
  if (line != err.line) fail_msg("line %d, expected %d: '%s'", err.line, line, err.text);
  assert_null(file.problem.w);
  assert_null(file.arena.last);
}

/* ------------------------------------------------------------------------------------------------ plain text */

static void a_whole_matrix_has_its_size(void **state) {
  (void)state;
  assert_refused("3 2 0 6 6 6 6\n1 2 3\n", CRD_ERR_FORMAT, 1, "too short for 6 x 6 entries");
  assert_refused("2 1 0 2 2 2 3  1 3 2 4  -5 6  0.5", CRD_ERR_FORMAT, 1,
                 "found '3', expected 2, the number of columns");
  assert_refused("2 2 0 2 2 2 2  1 3 2 4  -5 6  0.5", CRD_ERR_FORMAT, 1, "found a matrix of 2 rows, expected 4 (2 for");
  assert_refused("2 1 0 2 3 2 3  1 3 2 4 5 6  -5 6  0.5", CRD_ERR_FORMAT, 1, "a square matrix");
  assert_refused("2 1 7 2 2 2 2  1 3 2 4  -5 6  0.5", CRD_ERR_FORMAT, 1,
                 "found '7', expected 0 (whole), 1 (by blocks)");
  assert_refused("3 0 0 3 3 3 3", CRD_ERR_FORMAT, 1, "found '0', expected the number of contacts");
  assert_refused("3 99999999999 0 3 3 3 3", CRD_ERR_FORMAT, 1, "found '99999999999', expected the number of contacts");
}

static void numbers_are_finite_and_complete(void **state) {
  (void)state;
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 nan\n-5 6\n0.5\n", CRD_ERR_NUMBER, 8, "found 'nan'");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4\n-5 inf\n0.5\n", CRD_ERR_NUMBER, 9, "found 'inf', expected a number (q");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4\n-5 6\n-0.5\n", CRD_ERR_NUMBER, 10,
                 "found '-0.5', expected a number of at least 0 (mu of contact 0)");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4\n-5 6\n", CRD_ERR_FORMAT, 10, "found the end of the file");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4x\n-5 6\n0.5\n", CRD_ERR_FORMAT, 8, "found '4x'");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4\n-5 6\n0.5\n0.25\n", CRD_ERR_FORMAT, 11,
                 "found '0.25', expected the end of the numbers");
  assert_refused("2\n1\n0\n2\n2\n2 2\n1 3\n2 4\n-5 6\n0.5\n0 0\n", CRD_ERR_FORMAT, 11, "expected the end");
}

/* Every cut of a good file is refused, wherever it is cut; but where the first numbers of H happen to be as many as q
 * and mu need, a global file cut there is a complete local one. */
static void every_truncated_file_is_refused(void **state) {
  (void)state;
  for (int k = 0; k < 2 * TWO_STORAGES; k++) {
    char *text = two_siconos((two_storage)(k % TWO_STORAGES), k >= TWO_STORAGES);
    size_t length = strlen(text) - strlen("0.5 0.25 \n"); /* a last 0.2 would still be a number */
    for (size_t cut = 0; cut < length; cut++) {
      crd_coulomb_file file = {0};
      crd_error err = {0};
      crd_status status = crd_io_read_coulomb_text(text, cut, "t", 0, &file, &err);
      const bool local = status == CRD_OK && k >= TWO_STORAGES && strcmp(file.format, "siconos friction") == 0;
      if (status != CRD_ERR_FORMAT && !local) fail_msg("storage %d cut at %zu: '%s'", k, cut, err.text);
      crd_io_coulomb_file_free(&file);
    }
    free(text);
  }
  for (int form = 0; form < TWO_JSONS; form++) {
    char *text = two_json_text((two_json)form);
    for (size_t cut = 0; cut + 1 < strlen(text); cut++) {
      crd_coulomb_file file = {0};
      crd_error err = {0};
      if (crd_io_read_coulomb_text(text, cut, "t", 0, &file, &err) != CRD_ERR_FORMAT) fail_msg("%d: %zu", form, cut);
    }
    free(text);
  }
}

static void blocks_are_consistent(void **state) {
  (void)state;
  const char *good = "2 2 1 4 4  2 2 2  2 4  2 4  3 2  0 1 2  0 1  0 1 0 0 1  1 1 0 0 1  -1 0 -1 0  0.5 0.5";
  crd_coulomb_file file = {0};
  assert_int_equal(crd_io_read_coulomb_text(good, strlen(good), "t", 0, &file, NULL), CRD_OK);
  crd_io_coulomb_file_free(&file);
  assert_refused("2 2 1 4 4  2 2 2  2 5  2 4  3 2  0 1 2  0 1", CRD_ERR_FORMAT, 1, "found '5', expected last rows");
  assert_refused("2 2 1 4 4  2 2 2  2 3  2 4  3 2  0 1 2  0 1", CRD_ERR_FORMAT, 1, "last rows of block rows that end");
  assert_refused("2 2 1 4 4  2 2 2  2 2  2 4  3 2  0 1 2  0 1", CRD_ERR_FORMAT, 1, "a number from 3 to 4");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  4 2  0 1 2  0 1", CRD_ERR_FORMAT, 1, "one more than the number of block");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  3 1  0 1 2  0 1", CRD_ERR_FORMAT, 1, "expected 2, the number of blocks");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  3 2  0 2 1  0 1", CRD_ERR_FORMAT, 1, "the first block of a block row");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  3 2  0 1 1  0 1", CRD_ERR_FORMAT, 1, "first blocks that end with 2");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  3 2  0 1 2  0 2  0 1 0 0 1", CRD_ERR_FORMAT, 1, "the block column");
  assert_refused("2 2 1 4 4  2 2 2  2 4  2 4  3 2  0 1 2  0 1  1 1 0 0 1  0 1 0 0 1", CRD_ERR_FORMAT, 1,
                 "expected 0, the number of the block");
  assert_refused("2 2 1 4 4  2000000 2 2  2 4  2 4  3 2000000 0 1", CRD_ERR_FORMAT, 1, "too short for the table");
}

static void sparse_texts_are_consistent(void **state) {
  (void)state;
#define HEAD "2\n1\n2\n2\n2\n"
#define TAIL "-5 6 0.5\n"
  assert_refused(HEAD "4\nCSparse\n", CRD_ERR_FORMAT, 6, "found '4', expected 1 (entries), 2 (compressed columns)");
  assert_refused(HEAD "1\nSparse\n2-by-2", CRD_ERR_FORMAT, 7, "found 'Sparse', expected");
  assert_refused(HEAD "1\nCSparse\n2-by-2, nzmax: 1 nnz: 1\n0 0 : 1\n" TAIL, CRD_ERR_FORMAT, 8, "expected 'triplet:'");
  assert_refused(HEAD "1\nCSparse\ntriplet: 2-by-3, nzmax: 1 nnz: 1\n0 0 : 1\n" TAIL, CRD_ERR_FORMAT, 8, "2-by-2");
  assert_refused(HEAD "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 2 : 1\n" TAIL, CRD_ERR_FORMAT, 9,
                 "a column, 0 to 1");
  assert_refused(HEAD "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n-1 0 : 1\n" TAIL, CRD_ERR_FORMAT, 9,
                 "a row, 0 to 1");
  assert_refused(HEAD "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 1\n0 0 : nan\n" TAIL, CRD_ERR_NUMBER, 9,
                 "found 'nan'");
  assert_refused(HEAD "1\nCSparse\ntriplet: 2-by-2, nzmax: 1 nnz: 2000000000\n0 0 : 1\n" TAIL, CRD_ERR_FORMAT, 8,
                 "too short for its entries");
  assert_refused(HEAD
                 "2\nCSparse\n2-by-2, nzmax: 2 nnz: 2\ncol 0 : locations 0 to 0\n0 : 1\ncol 1 : locations 2 to 2\n"
                 "1 : 1\n" TAIL,
                 CRD_ERR_FORMAT, 11, "expected '1'");
  assert_refused(
      HEAD "2\nCSparse\n2-by-2, nzmax: 2 nnz: 2\ncol 0 : locations 0 to 0\n0 : 1\ncol 1 : locations 1 to 0\n" TAIL,
      CRD_ERR_FORMAT, 11, "2 entries");
#undef HEAD
#undef TAIL
}

static void a_mass_matrix_is_positive_definite(void **state) {
  (void)state;
  assert_refused("2 1  0 2 2 2 2  1 2 2 1   0 2 2 2 2  0 1 1 0   2 4   0 0   0.5", CRD_ERR_MODEL, 0,
                 "a matrix M that is singular or not positive definite in the rows coupled with row 0");
  assert_refused("2 1  0 2 2 2 2  1 0 0 0   0 2 2 2 2  0 1 1 0   2 4   0 0   0.5", CRD_ERR_MODEL, 0, "row 1");
  assert_refused("2 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  0 3 2 3 2  0 1", CRD_ERR_FORMAT, 1, "too short for 3 x 2 entries");
  assert_refused("2 1  0 3 3 3 3  1 0 0 0 1 0 0 0 1  5 5 5", CRD_ERR_FORMAT, 1, "or H behind it (global problem)");
}

static void relays_have_two_bounds_a_row(void **state) {
  (void)state;
  assert_refused("1\n0\n1\n1\n1 1\n1\n-5\n-1\n", CRD_ERR_FORMAT, 8, "expected no number behind w (LCP), or 2 bounds");
  assert_refused("1\n0\n1\n1\n1 1\n1\n-5\n-1\n-2\n", CRD_ERR_NUMBER, 9,
                 "found '-2', expected an upper bound of at least -1");
  assert_refused("1\n0\n1\n1\n1 1\n1\n-5\n-1\nnan\n", CRD_ERR_NUMBER, 9, "found 'nan'");
  assert_refused("1\n0\n1\n1\n1 1\n1\n-5\n", CRD_ERR_FORMAT, 1, "found an LCP, expected a friction problem");
  assert_refused("1 0 1 1 0 1 2 0 1 0 2 2 2 2 1 0 0 1 -1 -1", CRD_ERR_FORMAT, 1, "found an MLCP");
}

static void other_files_are_refused_by_name(void **state) {
  (void)state;
  assert_refused("", CRD_ERR_FORMAT, 1, "found the end of the file, expected the first numbers");
  assert_refused("<mujoco/>", CRD_ERR_FORMAT, 1, "found '<mujoco/>', expected the first numbers");
  assert_refused("{\"cradle\": \"impact-problem/1\"}", CRD_ERR_FORMAT, 0,
                 "cradle: found \"impact-problem/1\", expected \"lcp/1\" or \"coulomb-problem/1\"");
  assert_refused("{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [1]}", CRD_ERR_FORMAT, 0, "found an LCP");
  crd_coulomb_file file = {0};
  crd_error err = {0};
  assert_int_equal(crd_io_read_coulomb_text("a\0b", 3, "t", 0, &file, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "zero byte"));
  assert_int_equal(crd_io_read_coulomb_text("{}\n", 3, "t", 2, &file, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "found 1 lines, expected a problem on line 2"));
  assert_int_equal(crd_io_read_coulomb("/nowhere/at/all.dat", 0, &file, &err), CRD_ERR_FILE);
}

/* ------------------------------------------------------------------------------------------------ JSON */

#define CRADLE "{\"cradle\": \"coulomb-problem/1\", "
#define POINT CRADLE "\"w\": [-1], \"G\": [[1]], "

static void json_is_checked_member_by_member(void **state) {
  (void)state;
  const struct {
    const char *text, *expected;
    crd_status status;
  } bad[] = {
      {"{\"cradle\": \"coulomb-problem/2\"}", "expected \"coulomb-problem/1\"", CRD_ERR_FORMAT},
      {CRADLE "\"G\": [[1]]}", "w: found nothing of 0 entries", CRD_ERR_FORMAT},
      {CRADLE "\"w\": [], \"G\": []}", "w: found a list of 0 entries", CRD_ERR_FORMAT},
      {CRADLE "\"w\": [1], \"bilateral\": [0]}", "neither G nor J", CRD_ERR_FORMAT},
      {POINT "\"J\": [[1]], \"bilateral\": [0]}", "both G and J", CRD_ERR_FORMAT},
      {POINT "\"M\": [[1]], \"bilateral\": [0]}", "M or X beside G", CRD_ERR_FORMAT},
      {POINT "\"friction\": 1}", "friction: found a member that is not known", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [{\"ntangent\": 0, \"mus\": 1}]}", "contacts[0].mus", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [{\"ntangent\": 0, \"mu\": -1}]}", "contacts[0].mu: found -1", CRD_ERR_NUMBER},
      {POINT "\"contacts\": [{\"ntangent\": 3}]}", "contacts[0].ntangent: found 3, expected 0 to 2", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [{\"ntangent\": 0.5}]}", "found a number with a fraction", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [{}]}", "contacts[0]: found rows 0 to 2, expected rows from 0 to 0", CRD_ERR_MODEL},
      {POINT "\"contacts\": [{\"ntangent\": 0}], \"bilateral\": [0]}", "row 0, which belongs to another",
       CRD_ERR_MODEL},
      {POINT "\"contacts\": 1}", "contacts: found a number, expected a list", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [1]}", "contacts[0]: found a number, expected an object", CRD_ERR_FORMAT},
      {POINT "\"bilateral\": [1]}", "bilateral[0]: found 1, expected 0 to 0", CRD_ERR_FORMAT},
      {POINT "\"bilateral\": []}", "found row 0 in no contact", CRD_ERR_MODEL},
      {POINT "\"bounded\": [{\"row\": 0, \"lower\": 2, \"upper\": 1}]}", "found 2 as lower and 1 as upper",
       CRD_ERR_NUMBER},
      {POINT "\"bounded\": [{\"lower\": 2}]}", "bounded[0].row: found nothing", CRD_ERR_FORMAT},
      {POINT "\"bilateral\": [0], \"velocity\": -1}", "velocity: found -1", CRD_ERR_NUMBER},
      {POINT "\"bilateral\": [0], \"guess\": {\"p\": [1, 2]}}", "guess.p: found 2 entries, expected 1", CRD_ERR_FORMAT},
      {POINT "\"bilateral\": [0], \"guess\": [1]}", "guess: found a list, expected an object", CRD_ERR_FORMAT},
      {POINT "\"contacts\": [{\"ntangent\": 0}], \"guess\": {\"mode\": [\"fly\"]}}", "guess.mode[0]: found fly",
       CRD_ERR_FORMAT},
      {CRADLE "\"w\": [-1, 0], \"G\": [[1, 0], [0]], \"bilateral\": [0, 1]}", "G[1]: found 1 entries, expected 2",
       CRD_ERR_FORMAT},
      {CRADLE "\"w\": [-1, 0], \"G\": [[1]], \"bilateral\": [0, 1]}", "G: found 1 entries, expected 2", CRD_ERR_FORMAT},
      {CRADLE "\"w\": [-1, 0], \"G\": 1, \"bilateral\": [0, 1]}", "G: found a number", CRD_ERR_FORMAT},
      {CRADLE "\"w\": [-1, 0], \"contacts\": [{\"ntangent\": 1, \"mu\": 1, \"slide\": [0.5]}], \"G\": [[1], [0, 1]]}",
       "contacts[0].slide: found a length of 0.5", CRD_ERR_NUMBER},
      {CRADLE "\"w\": [1], \"J\": [[1]], \"M\": [[-1]], \"bilateral\": [0]}", "not positive definite", CRD_ERR_MODEL},
      {CRADLE "\"w\": [1], \"J\": [[1]], \"X\": [[1, 2]], \"bilateral\": [0]}", "X[0]: found 2 entries, expected 1",
       CRD_ERR_FORMAT},
      {CRADLE "\"w\": [1], \"J\": [[1]], \"X\": [[1]], \"M\": [[1]], \"bilateral\": [0]}", "both M and X",
       CRD_ERR_FORMAT},
      {POINT "\"w\": [2]}", "not JSON", CRD_ERR_FORMAT},
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
    assert_refused(bad[k].text, bad[k].status, strcmp(bad[k].expected, "not JSON") == 0, bad[k].expected);
}

static void json_blocks_fit_their_groups(void **state) {
  (void)state;
#define PAIR CRADLE "\"w\": [-1, 0], \"contacts\": [{\"ntangent\": 1}], \"G\": "
  assert_refused(PAIR "{\"groups\": [1], \"blocks\": []}}", CRD_ERR_FORMAT, 0,
                 "G.groups: found 1 rows together, expected 2");
  assert_refused(PAIR "{\"groups\": [3], \"blocks\": []}}", CRD_ERR_FORMAT, 0, "G.groups[0]: found 3, expected 1 to 2");
  assert_refused(PAIR "{\"groups\": [1, 1], \"blocks\": []}}", CRD_ERR_MODEL, 0, "rows 0 to 1 in two groups of G");
  assert_refused(PAIR "{\"groups\": [2], \"blocks\": [{\"row\": 1, \"column\": 0, \"value\": [[1]]}]}}", CRD_ERR_FORMAT,
                 0, "G.blocks[0].row: found 1, expected 0 to 0");
  assert_refused(PAIR "{\"groups\": [2], \"blocks\": [{\"row\": 0, \"column\": 0, \"value\": [[1], [2]]}]}}",
                 CRD_ERR_FORMAT, 0, "G.blocks[0].value[0]: found 1 entries, expected 2");
  assert_refused(PAIR "{\"groups\": [2], \"block\": []}}", CRD_ERR_FORMAT, 0, "G.block: found a member");
#undef PAIR
}

static void islands_are_checked(void **state) {
  (void)state;
#define ISLAND "{\"n\": 1, \"natural\": 1, \"dry\": [], \"bilateral\": {\"first\": 0, \"count\": 1}, \"contacts\": [], "
  assert_refused("{\"contacts\": [], \"dry\": []}", CRD_ERR_FORMAT, 0, "n: found nothing");
  assert_refused(ISLAND "\"w\": [1, 2], \"guess\": [0], \"G\": [1]}", CRD_ERR_FORMAT, 0,
                 "w: found 2 entries, expected 1");
  assert_refused(ISLAND "\"w\": [1], \"guess\": [0], \"G\": [1, 2]}", CRD_ERR_FORMAT, 0,
                 "G: found 2 entries, expected 1");
  assert_refused(ISLAND "\"w\": [1], \"G\": [1]}", CRD_ERR_FORMAT, 0, "guess: found nothing");
#undef ISLAND
}

/* ------------------------------------------------------------------------------------------------ fclib */

/* A file with one part of it replaced: an integer, or a vector. */
static void assert_fclib_refused(const char *name, crd_h5_kind kind, size_t size, const void *value, crd_status status,
                                 const char *expected) {
  const char *path = program_file("bad.hdf5");
  const int32_t one_contact[3] = {2, 2, -2}, p[3] = {0, 1, 2}, i[2] = {0, 1};
  const double x[2] = {1, 1}, q[2] = {-1, 0}, mu = 0.5;
  const size_t one = 1, two = 2, three = 3;
  const struct {
    const char *name;
    crd_h5_kind kind;
    const size_t *size;
    const void *value;
  } part[] = {{"spacedim", CRD_H5_INT32, &one, one_contact},
              {"W/m", CRD_H5_INT32, &one, one_contact},
              {"W/n", CRD_H5_INT32, &one, one_contact + 1},
              {"W/nz", CRD_H5_INT32, &one, one_contact + 2},
              {"W/p", CRD_H5_INT32, &three, p},
              {"W/i", CRD_H5_INT32, &two, i},
              {"W/x", CRD_H5_DOUBLE, &two, x},
              {"vectors/q", CRD_H5_DOUBLE, &two, q},
              {"vectors/mu", CRD_H5_DOUBLE, &one, &mu}};
  crd_h5 *h5;
  assert_int_equal(crd_h5_create(path, &h5, NULL), CRD_OK);
  for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
    char place[64];
    const bool changed = strcmp(name, part[k].name) == 0;
    snprintf(place, sizeof place, "/fclib_local/%s", part[k].name);
    if (changed && value) crd_h5_write(h5, place, kind, 1, &size, value);
    if (!changed) crd_h5_write(h5, place, part[k].kind, 1, part[k].size, part[k].value);
  }
  assert_int_equal(crd_h5_commit(h5, NULL), CRD_OK);
  crd_coulomb_file file = {0};
  crd_error err = {0};
  crd_status found = crd_io_read_coulomb(path, 0, &file, &err);
  if (found != status) fail_msg("%s: %s: '%s'", name, crd_status_text(found), err.text);
  if (status && !strstr(err.text, expected)) fail_msg("'%s' does not say '%s'", err.text, expected);
  if (status) assert_null(file.arena.last);
  crd_io_coulomb_file_free(&file);
}

static void fclib_files_are_checked(void **state) {
  (void)state;
  const int32_t minus = -7, one = 1, three = 3, four = 4, many = 2000000000, falling[3] = {0, 2, 1}, far[2] = {0, 5};
  const double nan_q[2] = {-1, (double)NAN}, negative = -0.5, short_x = 1;
  assert_fclib_refused("", CRD_H5_INT32, 0, NULL, CRD_OK, "");
  assert_fclib_refused("spacedim", CRD_H5_INT32, 1, &four, CRD_ERR_FORMAT,
                       "/fclib_local/spacedim: found 4, expected 2 or 3");
  assert_fclib_refused("spacedim", CRD_H5_INT32, 1, &three, CRD_ERR_FORMAT, "found 2 rows, expected a multiple of 3");
  assert_fclib_refused("spacedim", CRD_H5_INT32, 0, NULL, CRD_ERR_FORMAT, "/fclib_local/spacedim: found nothing");
  assert_fclib_refused("W/m", CRD_H5_INT32, 1, &one, CRD_ERR_FORMAT, "pointers p that do not ascend");
  assert_fclib_refused("W/m", CRD_H5_INT32, 1, &many, CRD_ERR_FORMAT, "W/m: found 2000000000");
  assert_fclib_refused("W/nz", CRD_H5_INT32, 1, &minus, CRD_ERR_FORMAT, "W/nz: found -7");
  assert_fclib_refused("W/nz", CRD_H5_INT32, 1, &many, CRD_ERR_FORMAT, "lists of different lengths");
  assert_fclib_refused("W/p", CRD_H5_INT32, 3, falling, CRD_ERR_FORMAT, "pointers p that do not ascend");
  assert_fclib_refused("W/p", CRD_H5_INT32, 2, falling, CRD_ERR_FORMAT, "pointers p that do not ascend");
  assert_fclib_refused("W/i", CRD_H5_INT32, 2, far, CRD_ERR_FORMAT, "an index out of range");
  assert_fclib_refused("W/x", CRD_H5_DOUBLE, 2, nan_q, CRD_ERR_NUMBER, "W: found a number that is not finite");
  assert_fclib_refused("W/x", CRD_H5_DOUBLE, 1, &short_x, CRD_ERR_FORMAT, "pointers p that do not ascend");
  assert_fclib_refused("vectors/q", CRD_H5_DOUBLE, 2, nan_q, CRD_ERR_NUMBER,
                       "vectors/q: found a number that is not finite");
  assert_fclib_refused("vectors/q", CRD_H5_DOUBLE, 1, &short_x, CRD_ERR_FORMAT,
                       "found size 1 in dimension 1, expected 2");
  assert_fclib_refused("vectors/mu", CRD_H5_DOUBLE, 1, &negative, CRD_ERR_NUMBER, "a negative coefficient");
  assert_fclib_refused("vectors/mu", CRD_H5_INT32, 1, &one, CRD_ERR_FORMAT, "values of another type");
}

static void an_hdf5_file_of_something_else_is_refused(void **state) {
  (void)state;
  const char *path = program_file("other.h5");
  crd_coulomb_file file = {0};
  crd_error err = {0};
  crd_h5 *h5;
  assert_int_equal(crd_h5_create(path, &h5, NULL), CRD_OK);
  crd_h5_group(h5, "/qpos");
  assert_int_equal(crd_h5_commit(h5, NULL), CRD_OK);
  assert_int_equal(crd_io_read_coulomb(path, 0, &file, &err), CRD_ERR_FORMAT);
  assert_non_null(strstr(err.text, "found none of the groups fclib_local"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_whole_matrix_has_its_size),
      cmocka_unit_test(numbers_are_finite_and_complete),
      cmocka_unit_test(every_truncated_file_is_refused),
      cmocka_unit_test(blocks_are_consistent),
      cmocka_unit_test(sparse_texts_are_consistent),
      cmocka_unit_test(a_mass_matrix_is_positive_definite),
      cmocka_unit_test(relays_have_two_bounds_a_row),
      cmocka_unit_test(other_files_are_refused_by_name),
      cmocka_unit_test(json_is_checked_member_by_member),
      cmocka_unit_test(json_blocks_fit_their_groups),
      cmocka_unit_test(islands_are_checked),
      cmocka_unit_test(fclib_files_are_checked),
      cmocka_unit_test(an_hdf5_file_of_something_else_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
