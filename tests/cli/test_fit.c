/* Claims: `fit` finds the coefficient that made a file of rebounds, prints the laws first and JSON with the keys that
 * docs/verb-fit.md lists; groups have coefficients of their own; bad rows are named by number with what is wrong, the rest is
 * fitted (exit 2), and nothing is written where no row is good. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A solid ball of radius r dropped on a floor without spin: what stops is the velocity at the contact where friction allows
 * it, |p_t| <= mu p_n, else it slides on. Rows as a table for the model. */
static void write_table(const char *path, const char *more) {
  static char text[MOST];
  const double e = 0.7, mu = 0.25, r = 0.05, I = 0.4 * r * r;
  size_t used = (size_t)snprintf(text, MOST, "x,y,z,qw,qx,qy,qz,before,,,,,,after\n");
  for (int i = 0; i < ROWS; i++) {
    const double vx = 0.2 + 0.15 * i, vz = -1 - 0.03 * i, pn = -(1 + e) * vz;
    const double px = -fmin(mu * pn, vx / (1 + r * r / I)); /* 1 kg */
    used += (size_t)snprintf(text + used, MOST - used,
                             "0,0,%.17g, 1,0,0,0, %.17g,0,%.17g,0,0,0, %.17g,0,%.17g,0,%.17g,0,steel\n", r, vx, vz,
                             vx + px, vz + pn, -r * px / I);
  }
  snprintf(text + used, MOST - used, "%s", more);
  program_write(path, text);
}

static void a_model_gives_the_rows_of_a_table(void **state) {
  (void)state;
  char command[1200], model[300], table[300];
  snprintf(model, sizeof model, "%s", program_file("ball.xml")),
      snprintf(table, sizeof table, "%s", program_file("ball.csv"));
  program_write(model,
                "<mujoco><worldbody><geom type='plane' size='5 5 1'/><body pos='0 0 1'><freejoint/>"
                "<geom type='sphere' size='0.05' mass='1'/></body></worldbody></mujoco>");
  write_table(table, "");
  snprintf(command, sizeof command, "fit --model %s %s --law newton --svg %s --json -q", model, table,
           program_file("fit.svg"));
  json_t *object = program_json(command);
  const json_t *law = law_of(object, 0);
  assert_true(fabs(number(json_object_get(law, "e"), "value") - 0.7) < 1e-3);
  assert_true(fabs(number(json_object_get(law, "mu"), "value") - 0.25) < 1e-3);
  assert_true(number(law, "error") < 2e-3);
  json_decref(object);
  char *picture = program_read(program_file("fit.svg"));
  assert_non_null(picture);
  assert_non_null(strstr(picture, "tangential velocity after"));
  free(picture);
  write_table(table,
              "1,2,3\n0,0,0.05,1,0,0,0,x,0,0,0,0,0,0,0,0,0,0,0\n0,0,1,1,0,0,0,0,0,-1,0,0,0,0,0,1,0,0,0\n"
              "0,0,0.05,0.5,0,0,0,0,0,-1,0,0,0,0,0,1,0,0,0\n");
  snprintf(command, sizeof command, "fit --model %s %s --law newton", model, table);
  program_run run = program(command);
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.error, ".csv:26: found 3 columns, expected 19"));
  assert_non_null(strstr(run.error, ".csv:27: column 8 (qvel before [0]): found 'x', expected a finite number"));
  assert_non_null(strstr(run.error, ".csv:28: found no contact within 0.001 m"));
  assert_non_null(strstr(run.error, ".csv:29: columns 4 to 7 (qpos[3] ..): found a quaternion whose length is not 1"));
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rebounds_are_found_by_group),
      cmocka_unit_test(the_table_comes_first_and_says_what_is_not_determined),
      cmocka_unit_test(bad_rows_are_named),
      cmocka_unit_test(a_model_gives_the_rows_of_a_table),
      cmocka_unit_test(bad_usage_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
