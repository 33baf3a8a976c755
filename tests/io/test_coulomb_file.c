/* Claims: the same friction problem is read from every format and storage, bit for bit, and from what the writer makes
 * of it; members and conventions that only one format has arrive where they belong. */
#include <cradle/io.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "support/cmocka_all.h"
#include "support/program.h"
#include "support/two_contacts.h"

static void assert_numbers(const double *found, const double *expected, int count) {
  for (int i = 0; i < count; i++)
    if (found[i] != expected[i]) fail_msg("number %d is %.17g, expected %.17g", i, found[i], expected[i]);
}

static void assert_matrix(const crd_coulomb_problem *problem, const double *expected) {
  double *G = two_matrix(problem);
  assert_numbers(G, expected, problem->n * problem->n);
  free(G);
}

static void assert_two_contacts(const crd_coulomb_problem *problem) {
  assert_int_equal(problem->n, TWO_ROWS);
  assert_int_equal(problem->ncontact, 2);
  assert_int_equal(problem->nbilateral + problem->nbounded, 0);
  for (int k = 0; k < 2; k++) {
    const crd_coulomb_contact *contact = &problem->contact[k];
    assert_int_equal(contact->row, 3 * k);
    assert_int_equal(contact->ntangent, 2);
    assert_int_equal(contact->nspin + contact->nroll + contact->slides, 0);
    assert_true(contact->mu == two_mu[k] && contact->target == 0);
  }
  assert_numbers(problem->w, two_q, TWO_ROWS);
  assert_matrix(problem, two_W);
}

static crd_coulomb_file read_text(const char *text, int line) {
  crd_coulomb_file file = {0};
  crd_error err = {0};
  if (crd_io_read_coulomb_text(text, strlen(text), "t", line, &file, &err) != CRD_OK)
    fail_msg("%s\n%s", err.text, text);
  return file;
}

/* What the writer makes of the problem is the same problem in the same form. */
static void assert_survives_writing(const crd_coulomb_file *file) {
  crd_arena arena = {0};
  const char *text;
  assert_int_equal(crd_io_coulomb_text(file, &arena, &text, NULL), CRD_OK);
  crd_coulomb_file again = read_text(text, 0);
  assert_two_contacts(&again.problem);
  assert_true(!again.problem.blocks == !file->problem.blocks && !again.problem.J == !file->problem.J);
  assert_true(!again.p == !file->p && !again.mode == !file->mode);
  if (file->p) assert_numbers(again.p, file->p, file->problem.n);
  for (int k = 0; k < 2 && file->mode; k++) assert_int_equal(again.mode[k], file->mode[k]);
  assert_string_equal(again.name, file->name);
  crd_io_coulomb_file_free(&again);
  crd_arena_free(&arena);
}

static void siconos_files_state_the_same_problem_in_every_storage(void **state) {
  (void)state;
  for (int k = 0; k < 2 * TWO_STORAGES; k++) {
    const bool global = k >= TWO_STORAGES;
    char *text = two_siconos((two_storage)(k % TWO_STORAGES), global);
    crd_coulomb_file file = read_text(text, 0);
    assert_two_contacts(&file.problem);
    assert_string_equal(file.format, global ? "siconos global friction" : "siconos friction");
    assert_survives_writing(&file);
    crd_io_coulomb_file_free(&file);
    free(text);
  }
}

static void json_states_the_same_problem_in_every_form(void **state) {
  (void)state;
  for (int form = 0; form < TWO_JSONS; form++) {
    char *text = two_json_text((two_json)form);
    crd_coulomb_file file = read_text(text, 0);
    assert_two_contacts(&file.problem);
    assert_survives_writing(&file);
    crd_io_coulomb_file_free(&file);
    free(text);
  }
}

static void fclib_files_state_the_same_problem_in_every_layout(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    const bool global = k >= 3;
    const char *path = program_file("two.hdf5");
    crd_coulomb_file file = {0};
    crd_error err = {0};
    two_fclib(path, global, -(k % 3));
    if (crd_io_read_coulomb(path, 0, &file, &err) != CRD_OK) fail_msg("%s", err.text);
    assert_two_contacts(&file.problem);
    assert_string_equal(file.format, global ? "fclib global" : "fclib local");
    assert_numbers(file.p, (double[6]){1, 0, 0, 2, 0, 0}, 6);
    crd_io_coulomb_file_free(&file);
  }
}

static void sparse_layouts_become_the_same_blocks(void **state) {
  (void)state;
  const crd_coulomb_contact contact[2] = {{.row = 0, .ntangent = 2}, {.row = 3, .ntangent = 2}};
  int row[36], col[36], pointer[7] = {0}, count = 0;
  double value[36];
  for (int k = 0; k < 36; k++) {
    if (two_W[k] != 0) row[count] = k / 6, col[count] = k % 6, value[count++] = two_W[k];
    if (k % 6 == 5) pointer[k / 6 + 1] = count;
  }
  for (int layout = 0; layout < 3; layout++) { /* W is symmetric: its columns are its rows */
    crd_arena arena = {0};
    crd_coulomb_problem problem = {.n = 6, .ncontact = 2, .contact = contact};
    const int *rows = layout == CRD_SPARSE_ROWS ? pointer : layout == CRD_SPARSE_COLUMNS ? col : row;
    const int *cols = layout == CRD_SPARSE_COLUMNS ? pointer : col;
    assert_int_equal(
        crd_io_coulomb_blocks(&arena, (crd_sparse_layout)layout, (size_t)count, rows, cols, value, &problem), CRD_OK);
    assert_int_equal(problem.blocks->ngroup, 2);
    assert_matrix(&problem, two_W);
    crd_arena_free(&arena);
  }
  crd_arena arena = {0};
  crd_coulomb_problem problem = {.n = 6, .ncontact = 2, .contact = contact};
  row[3] = 6;
  assert_int_equal(crd_io_coulomb_blocks(&arena, CRD_SPARSE_ENTRIES, (size_t)count, row, col, value, &problem),
                   CRD_ERR_ARGUMENT);
  pointer[6] = count - 1;
  assert_int_equal(crd_io_coulomb_blocks(&arena, CRD_SPARSE_ROWS, (size_t)count, pointer, col, value, &problem),
                   CRD_ERR_ARGUMENT);
  assert_null(problem.blocks);
  crd_arena_free(&arena);
}

/* W = [1 2; 3 4], which is not symmetric: values come column by column. */
static void a_planar_problem_stores_columns(void **state) {
  (void)state;
  crd_coulomb_file file = read_text("2 1 0 2 2 2 2  1 3 2 4  -5 6  0.5\nfrom a book\n", 0);
  assert_numbers(file.problem.G, (double[4]){1, 2, 3, 4}, 4);
  assert_int_equal(file.problem.contact[0].ntangent, 1);
  assert_non_null(strstr(file.comment, "from a book"));
  crd_io_coulomb_file_free(&file);
  /* one more number: older files mark a symmetric matrix */
  file = read_text("2 1 0 2 2 2 2  1 3 2 4  -5 6  0.5 1\n", 0);
  crd_io_coulomb_file_free(&file);
  /* sparse: the first four numbers are those of an LCP too */
  file = read_text("2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1\n1 1 : 4\n-5 6 0.5", 0);
  assert_matrix(&file.problem, (double[4]){1, 0, 0, 4});
  crd_io_coulomb_file_free(&file);
}

/* Entries at the same place add up, an empty column ends before it begins. */
static void sparse_entries_add_up(void **state) {
  (void)state;
  crd_coulomb_file file =
      read_text("2 1 2 2 2 1\nCSparse\ntriplet: 2-by-2, nzmax: 3 nnz: 3\n0 0 : 1\n0 0 : 2\n1 1 : 4\n-5 6 0.5", 0);
  assert_matrix(&file.problem, (double[4]){3, 0, 0, 4});
  crd_io_coulomb_file_free(&file);
  file = read_text(
      "2 1 2 2 2 2\nCSparse\n2-by-2, nzmax: 1 nnz: 1\ncol 0 : locations 0 to -1\ncol 1 : locations 0 to "
      "0\n1 : 4\n-5 6 0.5",
      0);
  assert_matrix(&file.problem, (double[4]){0, 0, 0, 4});
  crd_io_coulomb_file_free(&file);
}

/* Five rows a contact: normal, two tangents, two of rolling. */
static void a_dimension_of_five_means_rolling(void **state) {
  (void)state;
  crd_coulomb_file file = read_text(
      "5 1 0 5 5 5 5  1 0 0 0 0  0 1 0 0 0  0 0 1 0 0  0 0 0 1 0  0 0 0 0 1\n"
      "-1 0 0 0 0  0.5  0.02\n",
      0);
  const crd_coulomb_contact *contact = &file.problem.contact[0];
  assert_int_equal(contact->ntangent, 2);
  assert_int_equal(contact->nroll, 2);
  assert_true(contact->mu == 0.5 && contact->mu_roll == 0.02);
  crd_io_coulomb_file_free(&file);
}

static void the_bounds_of_a_relay_are_no_comment(void **state) {
  (void)state;
  crd_coulomb_file file = read_text("2\n0\n2\n2\n2 2\n1 3\n2 4\n-5 -6\n-1 -2\n1 3\nfrom a book\n", 0);
  assert_string_equal(file.format, "siconos relay");
  assert_int_equal(file.problem.nbounded, 2);
  assert_numbers(file.problem.G, (double[4]){1, 2, 3, 4}, 4);
  assert_numbers(file.problem.w, (double[2]){-5, -6}, 2);
  assert_true(file.problem.bounded[0].lower == -1 && file.problem.bounded[0].upper == 1);
  assert_true(file.problem.bounded[1].lower == -2 && file.problem.bounded[1].upper == 3);
  crd_io_coulomb_file_free(&file);
}

/* M couples the two rows and is unsymmetric: M = [2 1; 0 4], H = (0, 1), so M^-1 H = (-1/8, 1/4) and W = 1/4 in the
 * normal row; the tangent is H = (1, 0), M^-1 H = (1/2, 0). W = [1/4 0; -1/8 1/2]. With f = (2, 4): M^-1 f = (1/2, 1).
 */
static void an_unsymmetric_mass_matrix_is_condensed_too(void **state) {
  (void)state;
  crd_coulomb_file file = read_text("2 1  0 2 2 2 2  2 0 1 4   0 2 2 2 2  0 1 1 0   2 4   0 0   0.5", 0);
  assert_matrix(&file.problem, (double[4]){0.25, 0, -0.125, 0.5});
  assert_numbers(file.problem.w, (double[2]){1, 0.5}, 2);
  crd_io_coulomb_file_free(&file);
}

static void write_matrix(crd_h5 *h5, const char *name, int32_t rows, int32_t cols, size_t count, const int32_t *row,
                         const int32_t *col, const double *value) {
  const size_t one = 1;
  const int32_t nz = (int32_t)count;
  char place[64];
  const struct {
    const char *key;
    const int32_t *value;
    size_t size;
  } part[] = {{"m", &rows, 1}, {"n", &cols, 1}, {"nz", &nz, 1}, {"p", col, count}, {"i", row, count}};
  for (int k = 0; k < 5; k++) {
    snprintf(place, sizeof place, "/fclib_local/%s/%s", name, part[k].key);
    crd_h5_write(h5, place, CRD_H5_INT32, 1, part[k].size == 1 ? &one : &count, part[k].value);
  }
  snprintf(place, sizeof place, "/fclib_local/%s/x", name);
  crd_h5_write(h5, place, CRD_H5_DOUBLE, 1, &count, value);
}

/* u = W r + V l + q, 0 = V' r + R l + s with W = I, V = (1, 2)', R = 3. */
static void equalities_of_fclib_are_bilateral_rows(void **state) {
  (void)state;
  const char *path = program_file("equality.hdf5");
  crd_h5 *h5;
  const size_t one = 1, two = 2;
  const int32_t dimension = 2, zero_one[2] = {0, 1}, zeros[2] = {0, 0};
  assert_int_equal(crd_h5_create(path, &h5, NULL), CRD_OK);
  crd_h5_write(h5, "/fclib_local/spacedim", CRD_H5_INT32, 1, &one, &dimension);
  write_matrix(h5, "W", 2, 2, 2, zero_one, zero_one, (const double[]){1, 1});
  write_matrix(h5, "V", 2, 1, 2, zero_one, zeros, (const double[]){1, 2});
  write_matrix(h5, "R", 1, 1, 1, zeros, zeros, (const double[]){3});
  crd_h5_write(h5, "/fclib_local/vectors/q", CRD_H5_DOUBLE, 1, &two, (const double[]){-1, 0.5});
  crd_h5_write(h5, "/fclib_local/vectors/s", CRD_H5_DOUBLE, 1, &one, (const double[]){7});
  crd_h5_write(h5, "/fclib_local/vectors/mu", CRD_H5_DOUBLE, 1, &one, (const double[]){0.5});
  assert_int_equal(crd_h5_commit(h5, NULL), CRD_OK);
  crd_coulomb_file file = {0};
  crd_error err = {0};
  if (crd_io_read_coulomb(path, 0, &file, &err) != CRD_OK) fail_msg("%s", err.text);
  assert_int_equal(file.problem.nbilateral, 1);
  assert_int_equal(file.problem.bilateral[0], 2);
  assert_numbers(file.problem.w, (double[3]){-1, 0.5, 7}, 3);
  assert_matrix(&file.problem, (double[9]){1, 0, 1, 0, 1, 2, 1, 2, 3});
  crd_io_coulomb_file_free(&file);
}

static void json_has_members_that_other_formats_have_not(void **state) {
  (void)state;
  crd_coulomb_file file = read_text(
      "{\"cradle\": \"coulomb-problem/1\", \"name\": \"foot\", \"comment\": \"c\", \"velocity\": 2,\n"
      " \"w\": [-1, 0, 0, 0, 0, 0, 3, 4, 5], \"contacts\": [{\"row\": 2, \"ntangent\": 1, \"nspin\": 1, \"nroll\": 2,\n"
      "  \"mu\": 0.5, \"mu_spin\": 0.01, \"mu_roll\": 0.02, \"target\": 0.25},\n"
      "  {\"row\": 7, \"ntangent\": 1, \"mu\": 1, \"slide\": [-1]}],\n"
      " \"bilateral\": [0], \"bounded\": [{\"row\": 1, \"lower\": -2, \"upper\": null}],\n"
      " \"J\": [[1], [1], [1], [1], [1], [1], [1], [1], [1]],\n"
      " \"guess\": {\"p\": [9, 8, 7, 6, 5, 4, 3, 2, 1], \"mode\": [\"slip\", \"separate\"]}}",
      0);
  const crd_coulomb_problem *problem = &file.problem;
  assert_int_equal(problem->contact[0].nspin, 1);
  assert_true(problem->contact[0].mu_spin == 0.01 && problem->contact[0].mu_roll == 0.02);
  assert_true(problem->contact[0].target == 0.25 && !problem->contact[0].slides);
  assert_true(problem->contact[1].slides && problem->contact[1].slide[0] == -1);
  assert_true(problem->bounded[0].lower == -2 && problem->bounded[0].upper == INFINITY);
  assert_true(problem->velocity == 2 && problem->nv == 1);
  assert_int_equal(file.mode[0], CRD_MODE_SLIP);
  assert_true(file.p[0] == 9 && strcmp(file.name, "foot") == 0 && strcmp(file.comment, "c") == 0);
  crd_arena arena = {0};
  const char *text;
  assert_int_equal(crd_io_coulomb_text(&file, &arena, &text, NULL), CRD_OK);
  crd_coulomb_file again = read_text(text, 0);
  assert_memory_equal(again.problem.contact, problem->contact, 2 * sizeof *problem->contact);
  assert_true(again.problem.bounded[0].upper == INFINITY && again.problem.velocity == 2);
  assert_string_equal(again.comment, "c");
  crd_io_coulomb_file_free(&again), crd_io_coulomb_file_free(&file);
  crd_arena_free(&arena);
}

/* A comment in Latin-1, a control character, quotes: what is written can be read. And a zero keeps its sign. */
static void any_comment_survives_writing(void **state) {
  (void)state;
  crd_coulomb_file file =
      read_text("2 1 0 2 2 2 2  1 0 0 1  -5 -0  0.5\n\"caf\xe9\" \x01 \xc3\xa9 \xed\xa0\x80 \xf5", 0);
  crd_arena arena = {0};
  const char *text;
  assert_int_equal(crd_io_coulomb_text(&file, &arena, &text, NULL), CRD_OK);
  crd_coulomb_file again = read_text(text, 0);
  assert_string_equal(again.comment,
                      "\"caf\xef\xbf\xbd\" \x01 \xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd");
  crd_io_coulomb_file_free(&again), crd_io_coulomb_file_free(&file);
  crd_arena_free(&arena);
}

static void a_line_of_a_file_is_chosen(void **state) {
  (void)state;
  char text[4096], *island = two_json_text(TWO_ISLAND);
  snprintf(text, sizeof text, "{\"id\": \"other\"}\n%s\n", island);
  crd_coulomb_file file = read_text(text, 2);
  assert_two_contacts(&file.problem);
  assert_string_equal(file.name, "two/1");
  assert_int_equal(file.mode[1], CRD_MODE_SLIP);
  crd_io_coulomb_file_free(&file);
  free(island);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(siconos_files_state_the_same_problem_in_every_storage),
      cmocka_unit_test(json_states_the_same_problem_in_every_form),
      cmocka_unit_test(fclib_files_state_the_same_problem_in_every_layout),
      cmocka_unit_test(sparse_layouts_become_the_same_blocks),
      cmocka_unit_test(a_planar_problem_stores_columns),
      cmocka_unit_test(sparse_entries_add_up),
      cmocka_unit_test(a_dimension_of_five_means_rolling),
      cmocka_unit_test(the_bounds_of_a_relay_are_no_comment),
      cmocka_unit_test(an_unsymmetric_mass_matrix_is_condensed_too),
      cmocka_unit_test(equalities_of_fclib_are_bilateral_rows),
      cmocka_unit_test(json_has_members_that_other_formats_have_not),
      cmocka_unit_test(any_comment_survives_writing),
      cmocka_unit_test(a_line_of_a_file_is_chosen),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
