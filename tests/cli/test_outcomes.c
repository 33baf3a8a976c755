/* Claims about `cradle outcomes`: the keys of CONTRACT, the same numbers for any number of threads, sweeps, a problem
 * file beside a model, and a refusal with what was expected for every bad option. */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static double number_at(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  if (!json_is_number(value)) fail_msg("no number %s", key);
  return json_number_value(value);
}

static void json_has_the_promised_keys(void **state) {
  (void)state;
  static const char *const KEY[] = {
      "samples", "terminated",    "lcps_per_sample", "wall_s", "energy_ratio_max", "claim", "contacts",
      "hull",    "rest_fraction", "rejected",        "bound"};
  json_t *result = program_json("outcomes @box-wall --samples 2^12 --seed 3 --json");
  for (size_t i = 0; i < sizeof KEY / sizeof KEY[0]; i++)
    if (!json_object_get(result, KEY[i])) fail_msg("no %s", KEY[i]);
  assert_int_equal((int)number_at(result, "samples"), 4096);
  assert_string_equal(json_string_value(json_object_get(result, "claim")), "inner");
  /* EXAMPLES.md: 1.536 LCPs a sample, 0.851 at rest; four standard errors of 4096 samples */
  assert_float_equal(number_at(result, "lcps_per_sample"), 1.536, 0.06);
  assert_float_equal(number_at(result, "rest_fraction"), 0.851, 0.023);
  json_decref(result);
}

static void threads_give_the_same_numbers(void **state) {
  (void)state;
  json_t *one = program_json("outcomes @disk-stack --samples 10000 --json");
  json_t *two = program_json("outcomes @disk-stack --samples 10000 --threads 2 --json");
  static const char *const KEY[] = {"contacts", "hull", "lcps_per_sample", "rest_fraction", "energy_ratio_max"};
  for (size_t i = 0; i < sizeof KEY / sizeof KEY[0]; i++)
    assert_true(json_equal(json_object_get(one, KEY[i]), json_object_get(two, KEY[i])));
  json_decref(one), json_decref(two);
}

static void a_problem_file_has_the_set_of_its_model(void **state) {
  (void)state;
  char command[1024], path[512];
  snprintf(path, sizeof path, "%s", program_file("problem.json"));
  snprintf(command, sizeof command, "dynamics @box-wall --problem %s", path);
  program_run run = program(command);
  assert_int_equal(run.code, 0);
  program_free(&run);
  snprintf(command, sizeof command, "outcomes %s --h 2 --steps 5 --samples 2000 --json", path);
  json_t *file = program_json(command), *model = program_json("outcomes @box-wall --samples 2000 --json");
  assert_float_equal(number_at(file, "lcps_per_sample"), number_at(model, "lcps_per_sample"), 1e-12);
  assert_float_equal(number_at(file, "energy_ratio_max"), number_at(model, "energy_ratio_max"), 1e-12);
  json_decref(file), json_decref(model);
}

/* Restitution 1 keeps all energy of the frictionless balls, 0 keeps a third (EXAMPLES.md). */
static void sweeps_have_one_set_a_value(void **state) {
  (void)state;
  json_t *result = program_json("outcomes @ball-chain:3 --sweep e=0:1:3 --steps 2000 --samples 200 --json");
  const json_t *sets = json_object_get(result, "sets");
  assert_int_equal(json_array_size(sets), 3);
  assert_float_equal(number_at(json_array_get(sets, 0), "energy_ratio_max"), 1.0 / 3, 1e-9);
  assert_float_equal(number_at(json_array_get(sets, 2), "energy_ratio_max"), 1, 1e-9);
  assert_float_equal(number_at(json_array_get(sets, 1), "value"), 0.5, 0);
  json_decref(result);
}

static void bad_usage_says_what_was_expected(void **state) {
  (void)state;
  static const char *const BAD[][2] = {
      {"@rocking-block --samples 0", "--samples"},
      {"@rocking-block --samples 2^", "--samples"},
      {"@rocking-block --samples -5", "--samples"},
      {"@rocking-block --samples 2^99", "--samples"},
      {"@rocking-block --steps 0", "--steps"},
      {"@rocking-block --h 0", "--h"},
      {"@rocking-block --h nan", "--h"},
      {"@rocking-block --pattern none", "uniform"},
      {"@rocking-block --selection best", "all-random"},
      {"@rocking-block --facets 7", "even"},
      {"@rocking-block --tolerance -1", "--tolerance"},
      {"@rocking-block --sweep mu", "FROM:TO:COUNT"},
      {"@rocking-block --sweep mu=0:1", "FROM:TO:COUNT"},
      {"@rocking-block --sweep mu=-1:1:3", "at least 0"},
      {"@rocking-block --sweep e=0:2:3", "0 to 1"},
      {"@rocking-block --sweep h=0:1:3", "above 0"},
      {"@rocking-block --sweep knee=0:1:3", "joint"},
      {"@bouncing-ball", "no contact"},
      {"@rocking-block --e 1.5", "--e"},
      {"@rocking-block --threads 0", "--threads"},
      {"@rocking-block --html", "no value"},
      {"nothing.xml", "nothing.xml"},
  };
  for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
    char command[256];
    snprintf(command, sizeof command, "outcomes %s", BAD[i][0]);
    program_run run = program(command);
    if (run.code != 1 || !strstr(run.error, BAD[i][1]) || run.out[0])
      fail_msg("%s: code %d, said '%s'", command, run.code, run.error);
    program_free(&run);
  }
}

static void unused_restitution_is_said(void **state) {
  (void)state;
  program_run run = program("outcomes @rocking-block --e 0.5 --samples 100");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "restitution is not used"));
  program_free(&run);
}

/* The file of a box says so and has the very samples of the library with that box; one without says nothing. */
static void a_file_keeps_its_box(void **state) {
  (void)state;
  char path[400], words[600];
  snprintf(path, sizeof path, "%s", program_file("box.h5"));
  snprintf(words, sizeof words, "outcomes @rocking-block --samples 640 --seed 5 --box mu=0.1,v=0.02,draws=16 -o %s",
           path);
  program_run run = program(words);
  assert_int_equal(run.code, 0);
  program_free(&run);
  crd_outcome_file file = {0};
  crd_error err = {0};
  if (crd_io_read_outcomes(path, &file, &err)) fail_msg("%s", err.text);
  const crd_outcome_box *box = &file.box[0];
  assert_true(box->mu == 0.1 && box->e == 0 && box->v == 0.02 && box->draws == 16);
  crd_outcome_set again;
  crd_outcome_options options = file.set[0].options;
  options.threads = 1;
  assert_int_equal(crd_outcome_sample_box(file.problem[0], box, &options, &again), CRD_OK);
  for (size_t i = 0; i < 640 * (size_t)again.nv; i++)
    assert_float_equal(again.v_plus[i], file.set[0].v_plus[i], 1e-12); /* W was computed anew */
  crd_outcome_free(&again);
  crd_io_outcome_file_free(&file);
  snprintf(words, sizeof words, "outcomes @rocking-block --samples 64 -o %s", path);
  run = program(words);
  program_free(&run);
  assert_int_equal(crd_io_read_outcomes(path, &file, &err), CRD_OK);
  assert_int_equal(file.box[0].draws, 0);
  crd_io_outcome_file_free(&file);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(json_has_the_promised_keys),
                                     cmocka_unit_test(threads_give_the_same_numbers),
                                     cmocka_unit_test(a_problem_file_has_the_set_of_its_model),
                                     cmocka_unit_test(sweeps_have_one_set_a_value),
                                     cmocka_unit_test(bad_usage_says_what_was_expected),
                                     cmocka_unit_test(unused_restitution_is_said),
                                     cmocka_unit_test(a_file_keeps_its_box)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  program_folder_remove();
  return failed;
}
