/* Claims: `fit` finds the coefficient that made a file of rebounds, prints the laws first and JSON with the keys that
 * docs/verb-fit.md lists; groups have coefficients of their own; bad rows are named by number with what is wrong, the rest is
 * fitted (exit 2), and nothing is written where no row is good. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

enum { ROWS = 24, MOST = 8000 };

/* A ball of 1 kg dropped on a floor: rows of group a rebound with 0.5, those of b with 0.8. */
static void write_drops(const char *path, const char *more) {
  static char text[MOST];
  size_t used = 0;
  for (int i = 0; i < ROWS; i++) {
    const double v = -1 - 0.1 * i, e = i % 2 ? 0.8 : 0.5;
    used += (size_t)snprintf(
        text + used, MOST - used,
        "{\"M\": [[1]], \"v\": [%.17g], \"v_plus\": [%.17g], \"group\": \"%s\", \"contacts\": [{\"n\": [1]}]}\n", v,
        -e * v, i % 2 ? "b" : "a");
  }
  snprintf(text + used, MOST - used, "%s", more);
  program_write(path, text);
}

static json_t *law_of(const json_t *object, size_t fit) {
  return json_array_get(json_object_get(json_array_get(json_object_get(object, "fits"), fit), "laws"), 0);
}

static double number(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("%s is no number", key);
  return json_number_value(value);
}

static void rebounds_are_found_by_group(void **state) {
  (void)state;
  char command[600];
  write_drops(program_file("drops.jsonl"), "");
  snprintf(command, sizeof command, "fit %s --law newton,moreau --mu 0 --by-group --json", program_file("drops.jsonl"));
  json_t *object = program_json(command);
  assert_int_equal(json_array_size(json_object_get(object, "fits")), 2);
  for (size_t g = 0; g < 2; g++) {
    const json_t *law = law_of(object, g), *e = json_object_get(law, "e"), *mu = json_object_get(law, "mu");
    const double truth = g ? 0.8 : 0.5;
    assert_true(fabs(number(e, "value") - truth) < 1e-3);
    assert_true(number(e, "low") <= truth + 1e-3 && number(e, "high") >= truth - 1e-3);
    assert_true(json_is_true(json_object_get(e, "determined")));
    assert_true(json_is_false(json_object_get(mu, "fitted")) && number(mu, "value") == 0);
    assert_true(number(law, "error") < 2e-3 && number(law, "rank") >= 1);
    assert_int_equal(json_array_size(json_object_get(law, "errors")), ROWS / 2);
  }
  const json_t *look = json_object_get(object, "look");
  assert_true(fabs(number(look, "unexplained")) < 1e-12);
  assert_int_equal(number(look, "gains"), 0);
  json_decref(object);
}

static void the_table_comes_first_and_says_what_is_not_determined(void **state) {
  (void)state;
  char command[600];
  write_drops(program_file("drops.jsonl"), "");
  snprintf(command, sizeof command, "fit %s --law newton --test odd", program_file("drops.jsonl"));
  program_run run = program(command);
  assert_int_equal(run.code, 0);
  const char *table = strstr(run.out, "newton"), *look = strstr(run.out, "without a law");
  assert_true(table && look && table < look);
  assert_non_null(strstr(run.out, "newton: mu is not determined"));
  assert_non_null(strstr(run.out, "12 fitted, 12 unseen"));
  program_free(&run);
}

static void bad_rows_are_named(void **state) {
  (void)state;
  char command[600];
  static const char bad[] =
      "{\"M\": [[1]], \"v\": [-1], \"contacts\": [{\"n\": [1]}]}\n"
      "{\"M\": [[1]], \"v\": [-1], \"v_plus\": [50], \"contacts\": [{\"n\": [1]}]}\n"
      "{\"M\": [[1]], \"v\": [-1], \"v_plus\": [\"fast\"], \"contacts\": [{\"n\": [1]}]}\n";
  write_drops(program_file("drops.jsonl"), bad);
  snprintf(command, sizeof command, "fit %s --law newton", program_file("drops.jsonl"));
  program_run run = program(command);
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.error, "row 25: v_plus: found nothing, expected"));
  assert_non_null(strstr(run.error, "row 26: v_plus: found 1250 J after the impact and 0.5 J before it"));
  assert_non_null(strstr(run.error, "v_plus[0]: found a text, expected a number"));
  assert_non_null(strstr(run.out, "24 impacts, 3 bad rows left out"));
  program_free(&run);
  program_write(program_file("bad.jsonl"), bad);
  snprintf(command, sizeof command, "fit %s -o %s/out.txt", program_file("bad.jsonl"), ".");
  run = program(command);
  assert_int_equal(run.code, 1);
  assert_string_equal(run.out, "");
  assert_null(program_read("./out.txt"));
  program_free(&run);
}

static void bad_usage_is_refused(void **state) {
  (void)state;
  const struct {
    const char *arguments, *words;
  } bad[] = {{"--law nonsense", "nonsense"},
             {"--fit e,nu", "--fit: found 'nu'"},
             {"--range mu=2:1", "--range: found 'mu=2:1'"},
             {"--test even", "--test: found 'even'"},
             {"--loss median", "median"},
             {"--e 0.5 --mu 0.1", "found all coefficients given"}};
  write_drops(program_file("drops.jsonl"), "");
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char command[600];
    snprintf(command, sizeof command, "fit %s %s", program_file("drops.jsonl"), bad[i].arguments);
    program_run run = program(command);
    assert_int_equal(run.code, 1);
    if (!strstr(run.error, bad[i].words)) fail_msg("%s: %s", bad[i].arguments, run.error);
    assert_string_equal(run.out, "");
    program_free(&run);
  }
}

static int remove_folder(void **state) {
  (void)state;
  program_folder_remove();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rebounds_are_found_by_group),
      cmocka_unit_test(the_table_comes_first_and_says_what_is_not_determined),
      cmocka_unit_test(bad_rows_are_named),
      cmocka_unit_test(bad_usage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, remove_folder);
}
