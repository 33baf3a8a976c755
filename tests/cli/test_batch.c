/* Claims: `impact`, `check` and `outcomes` answer a list, a file of lines and standard input row by row, as they answer each
 * row alone; a measured velocity is told inside or outside the set; what asks for a single problem refuses many. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
      cmocka_unit_test(rows_are_answered_in_order),
      cmocka_unit_test(every_verb_answers_as_for_one),
      cmocka_unit_test(a_measured_velocity_is_judged),
      cmocka_unit_test(what_is_for_one_problem_refuses_many),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
