/* Claims: `bench` measures every row of both papers' tables, prints them as text and as one JSON object, and refuses
 * tables it does not know. */
#include <jansson.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static void every_row_of_the_tables_is_measured(void **state) {
  (void)state;
  static const int LINKS[6] = {3, 6, 12, 15, 24, 30};
  json_t *object = program_json("bench --json"), *rows = json_object_get(object, "run");
  assert_int_equal(json_array_size(rows), 6);
  for (size_t i = 0; i < 6; i++) {
    json_t *row = json_array_get(rows, i);
    assert_int_equal(json_integer_value(json_object_get(row, "links")), LINKS[i]);
    assert_true(json_number_value(json_object_get(row, "seconds")) > 0);
    assert_true(json_number_value(json_object_get(row, "contacts_mean")) > 0);
    json_t *full = json_object_get(row, "seconds_full"); /* of the short ones only, unless --full */
    assert_true(LINKS[i] <= 6 ? json_number_value(full) > 0 : json_is_null(full));
  }
  rows = json_object_get(object, "outcomes");
  assert_int_equal(json_array_size(rows), 5);
  for (size_t i = 0; i < 5; i++) {
    json_t *row = json_array_get(rows, i);
    assert_true(json_number_value(json_object_get(row, "lcps")) >= 1);
    assert_true(json_number_value(json_object_get(row, "us_per_sample")) > 0);
  }
  json_decref(object);
}

static void a_table_can_be_chosen(void **state) {
  (void)state;
  program_run output = program("bench outcomes");
  assert_int_equal(output.code, 0);
  assert_non_null(strstr(output.out, "@disk-stack"));
  assert_null(strstr(output.out, "links"));
  program_free(&output);
}

static void unknown_tables_are_refused(void **state) {
  (void)state;
  program_run output = program("bench speed");
  assert_int_equal(output.code, 1);
  assert_non_null(strstr(output.error, "found 'speed', expected run or outcomes"));
  assert_string_equal(output.out, "");
  program_free(&output);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_row_of_the_tables_is_measured),
                                     cmocka_unit_test(a_table_can_be_chosen),
                                     cmocka_unit_test(unknown_tables_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
