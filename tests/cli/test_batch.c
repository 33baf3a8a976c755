/* Claims: `impact`, `check` and `outcomes` answer a list, a file of lines and standard input row by row, as they answer each
 * row alone, on any number of threads, as lines or as arrays; a measured velocity is told inside or outside the set; what asks for a single problem refuses many. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"
#include "support/cmocka_all.h"
#include "support/program.h"

#define ROW(v)                                                            \
  "{\"cradle\": \"impact-problem/1\", \"M\": [[2, 0], [0, 2]], \"v\": " v \
  ", \"contacts\": [{\"n\": [0, 1], \"t\": [[1, 0]], \"mu\": 0.2, \"e\": 0.5}]}"

static void write_files(void) {
  program_write(program_file("lines.jsonl"), ROW("[0.3, -1]") "\n" ROW("[0, \"x\"]") "\n" ROW("[0.1, -2]") "\n");
  program_write(program_file("list.json"), "[" ROW("[0.3, -1]") ", " ROW("[0.1, -2]") "]");
  program_write(program_file("one.json"), ROW("[0.1, -2]"));
}

/* The objects on the lines of what a command printed; exits with `code`. */
static int lines_of(const char *command, int code, json_t *line[4]) {
  program_run run = program(command);
  int count = 0;
  assert_int_equal(run.code, code);
  for (char *at = strtok(run.out, "\n"); at && count < 4; at = strtok(NULL, "\n"))
    assert_non_null(line[count++] = json_loads(at, 0, NULL));
  program_free(&run);
  return count;
}

static double velocity(const json_t *object, size_t k) {
  const json_t *law = json_array_get(json_object_get(object, "laws"), 0);
  return json_number_value(json_array_get(json_object_get(law, "v_plus"), k));
}

static void rows_are_answered_in_order(void **state) {
  (void)state;
  char command[600];
  json_t *line[4];
  write_files();
  snprintf(command, sizeof command, "impact %s --law moreau", program_file("lines.jsonl"));
  assert_int_equal(lines_of(command, 2, line), 3);
  for (int k = 0; k < 3; k++) assert_int_equal(json_integer_value(json_object_get(line[k], "row")), k + 1);
  assert_true(fabs(velocity(line[0], 1) - 0.5) < 1e-12 && fabs(velocity(line[2], 1) - 1) < 1e-12);
  assert_non_null(strstr(json_string_value(json_object_get(line[1], "error")), "v[1]"));
  for (int k = 0; k < 3; k++) json_decref(line[k]);
  snprintf(command, sizeof command, "impact - --law moreau <%s", program_file("list.json"));
  assert_int_equal(lines_of(command, 0, line), 2);
  assert_true(fabs(velocity(line[1], 1) - 1) < 1e-12);
  for (int k = 0; k < 2; k++) json_decref(line[k]);
}

static void every_verb_answers_as_for_one(void **state) {
  (void)state;
  static const char *const verb[] = {"check", "outcomes --samples 256 --threads 1"};
  static const char *const key[] = {"friction", "contacts"};
  write_files();
  for (int k = 0; k < 2; k++) {
    char command[600];
    json_t *line[4];
    snprintf(command, sizeof command, "%s %s", verb[k], program_file("list.json"));
    assert_int_equal(lines_of(command, 0, line), 2);
    snprintf(command, sizeof command, "%s %s --json", verb[k], program_file("one.json"));
    json_t *one = program_json(command);
    assert_non_null(json_object_get(one, key[k]));
    char *alone = json_dumps(json_object_get(one, key[k]), JSON_REAL_PRECISION(12));
    char *among = json_dumps(json_object_get(line[1], key[k]), JSON_REAL_PRECISION(12));
    assert_string_equal(alone, among);
    free(alone), free(among);
    json_decref(one), json_decref(line[0]), json_decref(line[1]);
  }
}

static void a_measured_velocity_is_judged(void **state) {
  (void)state;
  char command[600];
  write_files();
  /* e in 0.3..0.7 and |u_n| = 2: u_n+ in 0.6..1.4; the tangent has stopped or slides on slower */
  snprintf(command, sizeof command, "outcomes %s --samples 1024 --box e=0.2 --measured '0 1' --json",
           program_file("one.json"));
  json_t *object = program_json(command);
  assert_true(json_is_true(json_object_get(json_object_get(object, "measured"), "inside")));
  json_decref(object);
  snprintf(command, sizeof command, "outcomes %s --samples 1024 --box e=0.2 --measured '0 2' --json",
           program_file("one.json"));
  object = program_json(command);
  const json_t *measured = json_object_get(object, "measured");
  assert_true(json_is_false(json_object_get(measured, "inside")));
  const double distance = json_number_value(json_object_get(measured, "distance"));
  assert_true(distance >= 0.6 - 1e-9 && distance < 0.7);
  json_decref(object);
  snprintf(command, sizeof command, "outcomes %s --measured '0'", program_file("one.json"));
  program_run run = program(command);
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.error, "--measured: found 1 numbers, expected 2"));
  program_free(&run);
}

/* The numbers of two rows, the first and the third of three, in the arrays beneath a path. */
static void compare_object(crd_h5_input *input, const char *path, json_t *first, json_t *third, crd_arena *arena,
                           int *compared) {
  const char *key;
  json_t *x;
  json_object_foreach(first, key, x) {
    char below[300];
    const json_t *other = json_object_get(third, key);
    size_t rows = CRD_H5_ANY;
    double *value;
    crd_error err = {0};
    snprintf(below, sizeof below, "%s/%s", path, key);
    if (json_is_object(x) && json_is_object(other))
      compare_object(input, below, x, json_object_get(third, key), arena, compared);
    if (!json_is_number(x) || !json_is_number(other) || strcmp(key, "row") == 0 || strcmp(key, "wall_s") == 0) continue;
    assert_int_equal(crd_h5_read(input, below, CRD_H5_DOUBLE, 1, &rows, arena, &value, &err), CRD_OK);
    assert_int_equal(rows, 3);
    assert_true(value[0] == json_number_value(x) && isnan(value[1]) && value[2] == json_number_value(other));
    ++*compared;
  }
}

/* Every number that the lines have is in the arrays at its path, NaN in the bad row; lists are rows of a matrix. */
static void arrays_have_the_numbers_of_the_lines(void **state) {
  (void)state;
  static const char *const verb[] = {"check", "outcomes --samples 256 --threads 1"};
  write_files();
  for (int k = 0; k < 2; k++) {
    char command[700], file[300];
    json_t *line[4];
    crd_h5_input *input;
    crd_arena arena = {0};
    crd_error err = {0};
    snprintf(file, sizeof file, "%s", program_file("answers.h5"));
    snprintf(command, sizeof command, "%s %s", verb[k], program_file("lines.jsonl"));
    assert_int_equal(lines_of(command, 2, line), 3);
    snprintf(command, sizeof command, "%s %s -o %s", verb[k], program_file("lines.jsonl"), file);
    program_run run = program(command);
    assert_int_equal(run.code, 2);
    assert_int_equal(crd_h5_open(file, &input, &err), CRD_OK);
    int compared = 0;
    compare_object(input, "", line[0], line[2], &arena, &compared);
    assert_true(compared > 5);
    const char **text;
    size_t rows = CRD_H5_ANY;
    assert_int_equal(crd_h5_read(input, "/error", CRD_H5_TEXT, 1, &rows, &arena, &text, &err), CRD_OK);
    assert_int_equal(rows, 3);
    assert_string_equal(text[0], "");
    assert_string_equal(text[1], json_string_value(json_object_get(line[1], "error")));
    crd_h5_close(input);
    crd_arena_free(&arena);
    for (int i = 0; i < 3; i++) json_decref(line[i]);
    program_free(&run);
  }
}

/* Rows are answered in their order with the same digits on any number of threads. */
static void threads_change_nothing(void **state) {
  (void)state;
  enum { ROWS = 150 };
  FILE *file = fopen(program_file("many.jsonl"), "w");
  assert_non_null(file);
  for (int i = 0; i < ROWS; i++) fprintf(file, i == 77 ? "{}\n" : ROW("[%d, -1]") "\n", i % 7 - 3);
  fclose(file);
  char command[600];
  program_run run[2];
  for (int k = 0; k < 2; k++) {
    snprintf(command, sizeof command, "check %s --threads %d", program_file("many.jsonl"), k ? 3 : 1);
    run[k] = program(command);
    assert_int_equal(run[k].code, 2);
  }
  assert_string_equal(run[0].out, run[1].out);
  assert_non_null(strstr(run[1].out, "{\"row\":150,"));
  assert_non_null(strstr(run[1].out, "{\"row\":78,\"error\""));
  program_free(&run[0]), program_free(&run[1]);
}

static void what_is_for_one_problem_refuses_many(void **state) {
  (void)state;
  static const char *const asked[] = {"impact %s --order 1", "impact %s --html x.html", "check %s --region x.csv",
                                      "outcomes %s --sweep mu=0:1:3"};
  write_files();
  for (int k = 0; k < 4; k++) {
    char command[600];
    snprintf(command, sizeof command, asked[k], program_file("list.json"));
    program_run run = program(command);
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.error, "expected a single problem"));
    assert_string_equal(run.out, "");
    program_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_answered_in_order),           cmocka_unit_test(every_verb_answers_as_for_one),
      cmocka_unit_test(arrays_have_the_numbers_of_the_lines), cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(a_measured_velocity_is_judged),        cmocka_unit_test(what_is_for_one_problem_refuses_many),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
