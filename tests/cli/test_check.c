/* Claims: `check` prints the keys of CONTRACT.md with the numbers of the errata for Kane's pendulum, Painleve's rod and
 * a tall block; says first what to change; writes the admissible grid; scans a joint; says the same of a model and of
 * the problem written from it; refuses bad usage with what was found and expected. */
#define _POSIX_C_SOURCE 200809L
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static double value(const json_t *object, const char *path) {
  const json_t *number = program_at(object, path);
  if (!json_is_number(number)) fail_msg("%s is no number", path);
  return json_number_value(number);
}

static void near(const json_t *object, const char *path, double expected) {
  double found = value(object, path);
  if (!(fabs(found - expected) < 1e-9)) fail_msg("%s is %.12g, expected %.12g", path, found, expected);
}

static void all_keys_of_the_contract_are_there(void **state) {
  (void)state;
  json_t *object = program_json("check @rocking-block --json");
  const char *paths[] = {"quasi.norm",
                         "quasi.tan",
                         "quasi.basis_n",
                         "quasi.basis_t",
                         "delassus_normalized",
                         "kinetic_angles_deg",
                         "projection.P",
                         "projection.S",
                         "projection.rank",
                         "projection.energy_matrix",
                         "restitution.energetic",
                         "restitution.kinetic",
                         "restitution.kinematic",
                         "restitution.prop5",
                         "restitution.prop6",
                         "restitution.prop7",
                         "restitution.admissible",
                         "restitution.t_max",
                         "lmi.feasible",
                         "lmi.margin",
                         "friction.0.name",
                         "friction.1.mu_critical",
                         "friction.0.mu_star",
                         "friction.0.e_star",
                         "friction.0.discriminator",
                         "friction.0.mode",
                         "friction.0.admissible",
                         "wellposed.p_matrix",
                         "wellposed.positive_definite",
                         "wellposed.copositive",
                         "wellposed.mu_critical",
                         "wellposed.prop14_bound",
                         "theorem2.holds"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) program_at(object, paths[i]);
  json_decref(object);
}

/* Errata B-01..B-04. */
static void kane_gains_energy_and_is_told_so(void **state) {
  (void)state;
  json_t *object = program_json("check @double-pendulum-floor --e 0.5 --mu 0.5 --json");
  near(object, "friction.0.mu_critical", 0.430643055198);
  near(object, "friction.0.e_star", 0.39683855914);
  near(object, "friction.0.e_star_uniform", 0.246162468664);
  near(object, "friction.0.mu_star", 0.663613057868);
  near(object, "friction.0.discriminator", 0.020822793818);
  assert_true(json_is_false(program_at(object, "friction.0.admissible")));
  assert_string_equal(json_string_value(program_at(object, "friction.0.mode")), "stick");
  json_decref(object);
  setenv("COLUMNS", "200", 1); /* sentences in one line */
  program_run run = program("check @double-pendulum-floor --e 0.5 --mu 0.5");
  unsetenv("COLUMNS");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "NOT admissible, e may be up to 0.3968 at this velocity, 0.2462 at every"));
  assert_non_null(strstr(run.out, "\nverdict: e and mu NOT consistent, contact well-posed\n"));
  program_free(&run);
}

static void painleves_rod_has_no_contact_force(void **state) {
  (void)state;
  json_t *object = program_json("check @painleve-rod --json --scan angle:0.2:1.5");
  near(object, "wellposed.mu_critical", 4.0 / 3);
  near(object, "wellposed.D.0.0", -0.125);
  near(object, "scan.mu_critical_min", 4.0 / 3);
  assert_true(fabs(value(object, "scan.at") - atan(2)) < 1e-6);
  assert_true(json_is_false(program_at(object, "wellposed.p_matrix")));
  assert_string_equal(json_string_value(program_at(object, "wellposed.regime")), "no solution (Painleve)");
  assert_true(fabs(value(object, "wellposed.b.0") + 7.75548596156) < 1e-6);
  json_decref(object);
  object = program_json("check @painleve-rod --mu 1.2 --json");
  assert_string_equal(json_string_value(program_at(object, "wellposed.regime")), "unique contact");
  assert_true(fabs(value(object, "wellposed.solutions.0.0") - 77.5548596156) < 1e-4);
  json_decref(object);
}

/* Case proj_07, E = (0.9, 0.1): figures of the case file. */
static const char *const BLOCK =
    "{\"cradle\":\"impact-problem/1\",\"M\":[[1,0,0],[0,1,0],[0,0,0.08854166666666667]],"
    "\"v\":[0,-0.7764334192869027,-1.7885326457047808],"
    "\"contacts\":[{\"name\":\"heel\",\"n\":[0,1,0.125],\"mu\":0,\"e\":0.9},"
    "{\"name\":\"toe\",\"n\":[0,1,-0.125],\"mu\":0,\"e\":0.1}]}";

static void a_tall_block_is_told_which_coefficient_to_lower(void **state) {
  (void)state;
  char words[512];
  program_write(program_file("block.json"), BLOCK);
  snprintf(words, sizeof words, "check %s --json", program_file("block.json"));
  json_t *object = program_json(words);
  near(object, "restitution.t_max", 0.836465899403);
  near(object, "lmi.margin", -0.223569644373);
  near(object, "restitution.gain", 0.39828450774);
  near(object, "restitution.lambda_max_printed", 0.270293626953);
  if (!json_is_null(program_at(object, "lmi.t_max_sdp")))
    assert_true(fabs(value(object, "lmi.t_max_sdp") - 0.836465899403) < 1e-7);
  assert_true(json_is_false(program_at(object, "lmi.feasible")) &&
              json_is_false(program_at(object, "restitution.energetic")));
  near(object, "restitution.e_interval.0.1", 0.759876786035); /* e2_interval of the grid at 0.1, by symmetry */
  json_decref(object);
  snprintf(words, sizeof words, "check %s", program_file("block.json"));
  program_run run = program(words);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "e = 0.9 at `heel` gains up to"));
  assert_non_null(strstr(run.out, "admissible up to 0.7599"));
  program_free(&run);
}

static void the_region_is_written_as_csv_and_json(void **state) {
  (void)state;
  char words[512], path[400];
  snprintf(path, sizeof path, "%s", program_file("region.csv"));
  snprintf(words, sizeof words, "check @double-pendulum-floor --steps 20 --region %s", path);
  program_run run = program(words);
  assert_int_equal(run.code, 0);
  program_free(&run);
  char *text = program_read(path);
  assert_non_null(text);
  int lines = 0;
  for (char *c = text; *c; c++) lines += *c == '\n';
  assert_int_equal(lines, 1 + 21 * 21);
  /* e = 0.5: mu = 0.4 slips and is admissible, mu = 0.5 sticks and gains energy */
  assert_non_null(strstr(text, "A,0.5,0.4,0.4306430552,slip,1\n"));
  assert_non_null(strstr(text, "A,0.5,0.5,0.4306430552,stick,0\n"));
  free(text);
  snprintf(path, sizeof path, "%s", program_file("region.json"));
  snprintf(words, sizeof words, "check @rocking-block --steps 10 --region %s", path);
  run = program(words);
  assert_int_equal(run.code, 0);
  program_free(&run);
  json_t *object = json_load_file(path, 0, NULL);
  assert_int_equal(json_array_size(program_at(object, "contacts.1.admissible")), 11);
  assert_int_equal(json_array_size(program_at(object, "restitution.high")), 11);
  json_decref(object);
}

static void a_problem_file_gives_what_its_model_gives(void **state) {
  (void)state;
  char words[512], path[400];
  snprintf(path, sizeof path, "%s", program_file("problem.json"));
  snprintf(words, sizeof words, "dynamics @ramone --problem %s", path);
  program_run run = program(words);
  assert_int_equal(run.code, 0);
  program_free(&run);
  json_t *model = program_json("check @ramone --json");
  snprintf(words, sizeof words, "check %s --json", path);
  json_t *file = program_json(words);
  const char *paths[] = {"friction.0.mu_critical", "friction.1.mu_star",   "wellposed.mu_critical", "lmi.margin",
                         "kinetic_angles_deg.0.1", "theorem2.lemma1_value"};
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) near(file, paths[i], value(model, paths[i]));
  json_decref(model), json_decref(file);
}

static void refuse(const char *arguments, const char *expected) {
  program_run run = program(arguments);
  assert_int_equal(run.code, 1);
  assert_string_equal(run.out, "");
  if (!strstr(run.error, expected)) fail_msg("'%s' said '%s', expected '%s'", arguments, run.error, expected);
  program_free(&run);
}

static void bad_usage_is_refused(void **state) {
  (void)state;
  refuse("check", "found no input");
  refuse("check @painleve-rod --scan nothing:0:1", "expected a hinge or slide joint");
  refuse("check @painleve-rod --scan angle:1:0", "two rising numbers");
  refuse("check @painleve-rod --scan angle", "expected a hinge or slide joint");
  refuse("check @bouncing-ball --scan x:0:1", "--scan");
  refuse("check @painleve-rod --e 1.5", "expected 0 to 1");
  refuse("check no-such-file.xml", "no-such-file.xml");
}

static void nothing_touching_is_no_failure(void **state) {
  (void)state;
  program_run run = program("check @pendulum:3");
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "nothing touches"));
  program_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_keys_of_the_contract_are_there),
      cmocka_unit_test(kane_gains_energy_and_is_told_so),
      cmocka_unit_test(painleves_rod_has_no_contact_force),
      cmocka_unit_test(a_tall_block_is_told_which_coefficient_to_lower),
      cmocka_unit_test(the_region_is_written_as_csv_and_json),
      cmocka_unit_test(a_problem_file_gives_what_its_model_gives),
      cmocka_unit_test(bad_usage_is_refused),
      cmocka_unit_test(nothing_touching_is_no_failure),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
