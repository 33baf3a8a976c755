/* Claims: `solve` answers friction problems with the impulses of their closed forms, by every method, from every
 * format; its one JSON object has the documented keys; verdicts end with 2 and name the row; bad usage and bad files
 * end with 1 and print nothing on stdout; the status of an LCP never contradicts the list of its solutions. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"
#include "support/two_contacts.h"

static void near(const json_t *object, const char *path, double expected) {
  double found = json_number_value(program_at(object, path));
  if (!(fabs(found - expected) < 1e-9)) fail_msg("%s is %.12g, expected %.12g", path, found, expected);
}

static void is_text(const json_t *object, const char *path, const char *expected) {
  assert_string_equal(json_string_value(program_at(object, path)), expected);
}

/* Runs solve on a file with this text. */
static program_run solve(const char *name, const char *text, const char *options) {
  char arguments[2000];
  const char *path = program_file(name);
  program_write(path, text);
  snprintf(arguments, sizeof arguments, "solve %s %s", path, options);
  return program(arguments);
}

static json_t *solve_json(const char *name, const char *text, const char *options, int code) {
  char all[200];
  snprintf(all, sizeof all, "%s --json", options);
  program_run run = solve(name, text, all);
  if (run.code != code) fail_msg("exit %d, expected %d: %s%s", run.code, code, run.out, run.error);
  json_t *object = json_loads(run.out, 0, NULL); /* refuses anything behind the object */
  if (!object) fail_msg("not one JSON object: %s", run.out);
  program_free(&run);
  return object;
}

static void refused(const char *name, const char *text, const char *options, int code, const char *expected) {
  program_run run = solve(name, text, options);
  if (run.code != code || !strstr(run.error, expected))
    fail_msg("exit %d, expected %d; '%s' does not say '%s'", run.code, code, run.error, expected);
  assert_string_equal(run.out, "");
  program_free(&run);
}

/* G = 1. Contact 0 closes with 1 m/s and slides with (3, 4): p = (1, -0.5 (3, 4) / 5), u_t = 0.9 (3, 4). Contact 1
 * closes with 1 and slides with (0.03, 0.04), which mu = 0.5 can stop. Contact 2 opens with 1. */
static const char *const THREE =
    "{\"cradle\": \"coulomb-problem/1\", \"w\": [-1, 3, 4, -1, 0.03, 0.04, 1, 0, 0],\n"
    " \"contacts\": [{\"mu\": 0.5}, {\"mu\": 0.5}, {\"mu\": 0.5}],\n"
    " \"G\": {\"groups\": [3, 3, 3], \"blocks\": [{\"row\": 0, \"column\": 0, \"value\": [[1, 0, 0], [0, 1, 0], [0, 0, "
    "1]]},\n"
    "  {\"row\": 1, \"column\": 1, \"value\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},\n"
    "  {\"row\": 2, \"column\": 2, \"value\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}}\n";

static void three_contacts_slide_stick_and_open(void **state) {
  (void)state;
  const char *const methods[] = {"", "--method newton", "--method interior", "--method sweeps", "--tolerance 1e-12"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    json_t *object = solve_json("three.json", THREE, methods[k], 0);
    is_text(object, "status", "ok");
    is_text(object, "format", "coulomb-problem/1");
    is_text(object, "contacts.0.mode", "slip");
    is_text(object, "contacts.1.mode", "stick");
    is_text(object, "contacts.2.mode", "separate");
    near(object, "contacts.0.p.0", 1), near(object, "contacts.0.p.1", -0.3), near(object, "contacts.0.p.2", -0.4);
    near(object, "contacts.0.u.1", 2.7), near(object, "contacts.0.u.2", 3.6);
    near(object, "contacts.1.p.1", -0.03), near(object, "contacts.1.u.2", 0);
    near(object, "contacts.2.p.0", 0), near(object, "contacts.2.u.0", 1);
    near(object, "islands", 3), near(object, "n", 9), near(object, "residual.scale", 4);
    assert_true(json_number_value(program_at(object, "residual.worst")) <= 1e-9);
    const char *const keys[] = {"input",
                                "method",
                                "settled.newton",
                                "iterations.interior",
                                "factorizations",
                                "cpu_s",
                                "residual.normal",
                                "residual.friction",
                                "residual.row",
                                "residual.bounded",
                                "residual.bilateral",
                                "bilateral",
                                "bounded"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) program_at(object, keys[i]);
    json_decref(object);
  }
}

static void text_tells_modes_impulses_and_residual(void **state) {
  (void)state;
  program_run run = solve("three.json", THREE, "");
  assert_int_equal(run.code, 0);
  const char *const lines[] = {"coulomb-problem/1, 3 contacts, 9 rows",
                               "\n  ok (",
                               "3 islands",
                               "relative to 4: normal ",
                               "1 slip, 1 stick, 1 separate",
                               "        0  slip        1   -0.3   -0.4 "};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!strstr(run.out, lines[i])) fail_msg("'%s' is missing in\n%s", lines[i], run.out);
  program_free(&run);
}

/* The same two contacts from plain text, by blocks, global, JSON and fclib. */
static void every_format_has_the_same_answer(void **state) {
  (void)state;
  double first[12];
  for (int k = 0; k < 5; k++) {
    char *text = k < 2    ? two_siconos(k ? TWO_BLOCKS : TWO_WHOLE, false)
                 : k == 2 ? two_siconos(TWO_COLUMNS, true)
                          : NULL;
    if (k == 3) text = two_json_text(TWO_J_AND_M);
    json_t *object;
    if (text) {
      object = solve_json("two.dat", text, "", 0);
    } else {
      char arguments[500];
      const char *path = program_file("two.hdf5");
      two_fclib(path, true, -1);
      snprintf(arguments, sizeof arguments, "solve %s --json", path);
      object = program_json(arguments);
    }
    for (int i = 0; i < 12; i++) {
      char place[40];
      snprintf(place, sizeof place, "contacts.%d.%s.%d", i / 6, i % 6 < 3 ? "p" : "u", i % 3);
      if (k == 0)
        first[i] = json_number_value(program_at(object, place));
      else
        near(object, place, first[i]);
    }
    json_decref(object);
    free(text);
  }
}

/* z in [0, 1] with W = 1: w = 0.5 keeps it at 0, w = -0.5 lets it be 0.5, w = -3 takes it to 1 where u = -2. */
static void a_relay_is_answered_as_a_relay(void **state) {
  (void)state;
  const double w[3] = {0.5, -0.5, -3}, p[3] = {0, 0.5, 1}, u[3] = {0.5, 0, -2};
  for (int k = 0; k < 3; k++) {
    char text[100];
    snprintf(text, sizeof text, "1\n0\n1\n1\n1 1\n1\n%g\n0\n1\n", w[k]);
    json_t *object = solve_json("relay.dat", text, "", 0);
    is_text(object, "format", "siconos relay");
    near(object, "bounded.0.p", p[k]), near(object, "bounded.0.u", u[k]);
    json_decref(object);
  }
}

static void the_guess_of_the_file_is_used(void **state) {
  (void)state;
  const char *with =
      "{\"cradle\": \"coulomb-problem/1\", \"w\": [-1, 3], \"G\": [[1], [0, 1]],\n"
      " \"contacts\": [{\"ntangent\": 1, \"mu\": 0.5}], \"guess\": {\"p\": [1, -0.5], \"mode\": [\"slip\"]}}";
  json_t *object = solve_json("guess.json", with, "--warm", 0);
  is_text(object, "contacts.0.mode", "slip");
  near(object, "contacts.0.p.1", -0.5), near(object, "contacts.0.u.1", 2.5);
  json_decref(object);
  refused("three.json", THREE, "--warm", 1, "--warm: found no guess in the file");
}

static void compare_judges_every_method_by_one_residual(void **state) {
  (void)state;
  json_t *object = solve_json("three.json", THREE, "--compare", 0);
  const char *const names[] = {"auto", "newton", "interior", "curve", "sweeps"};
  const json_t *list = program_at(object, "compare");
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    assert_string_equal(json_string_value(program_at(json_array_get(list, k), "method")), names[k]);
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *rival = json_array_get(list, k);
    if (strcmp(json_string_value(program_at(rival, "status")), "ok") != 0) continue;
    program_at(rival, "iterations"), program_at(rival, "cpu_s");
    assert_true(json_number_value(program_at(rival, "residual")) <= 1e-8); /* Siconos measures its own error */
  }
  json_decref(object);
  program_run run = solve("three.json", THREE, "--compare");
  assert_non_null(strstr(run.out, "  method           status         iterations   residual"));
  program_free(&run);
}

/* Row 1 is bilateral, has no compliance and moves with 1 m/s: nothing can stop it. */
static void a_verdict_names_its_row_and_ends_with_2(void **state) {
  (void)state;
  const char *text =
      "{\"cradle\": \"coulomb-problem/1\", \"w\": [-1, 1], \"G\": [[1], [0, 0]],\n"
      " \"contacts\": [{\"ntangent\": 0}], \"bilateral\": [1]}";
  json_t *object = solve_json("stuck.json", text, "", 2);
  assert_string_not_equal(json_string_value(program_at(object, "status")), "ok");
  near(object, "row", 1);
  is_text(object, "row_is", "bilateral row 0");
  json_decref(object);
  program_run run = solve("stuck.json", text, "");
  assert_int_equal(run.code, 2);
  assert_non_null(strstr(run.out, "bilateral row 0"));
  program_free(&run);
}

static void output_and_problem_are_files(void **state) {
  (void)state;
  char options[1000], problem[300], solution[300];
  snprintf(problem, sizeof problem, "%s", program_file("converted.json"));
  snprintf(solution, sizeof solution, "%s", program_file("solution.json"));
  snprintf(options, sizeof options, "-o %s --problem %s", solution, problem);
  char *text = two_siconos(TWO_TRIPLETS, false);
  program_run run = solve("two.dat", text, options);
  assert_int_equal(run.code, 0);
  assert_string_equal(run.out, "");
  char *written = program_read(solution);
  json_t *first = json_loads(written, 0, NULL);
  snprintf(options, sizeof options, "solve %s --json", problem);
  json_t *second = program_json(options);
  is_text(second, "format", "coulomb-problem/1");
  for (int i = 0; i < 6; i++) {
    char place[40];
    snprintf(place, sizeof place, "contacts.%d.p.%d", i / 3, i % 3);
    near(second, place, json_number_value(program_at(first, place)));
  }
  json_decref(first), json_decref(second);
  program_free(&run);
  free(written), free(text);
  refused("three.json", THREE, "-o /nowhere/at/all.json", 3, "/nowhere/at/all.json");
}

static void bad_usage_is_refused(void **state) {
  (void)state;
  const char *lcp = "{\"cradle\": \"lcp/1\", \"W\": [[1]], \"w\": [-1]}";
  refused("three.json", THREE, "--method gauss", 1,
          "--method: found 'gauss', expected auto, newton, interior, curve, sweeps or modes");
  refused("three.json", THREE, "--all", 1, "--all: found a friction problem, expected a complementarity problem");
  refused("lcp.json", lcp, "--compare", 1, "--compare: found a complementarity problem, expected a friction problem");
  refused("three.json", THREE, "--line 9", 1, "expected a problem on line 9");
  refused("three.json", THREE, "--tolerance 0", 1, "--tolerance");
  refused("bad.dat", "3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 0 0 -0.5", "", 1,
          "bad.dat:1: found '-0.5', expected a number");
  refused("bad.json", "{\"cradle\": \"coulomb-problem/1\"}", "--json", 1, "w: found nothing");
}

/* W = [-2 1; -2 -2], w = (-1, 3) has the solutions (0, 3/2) and (1/6, 4/3); Lemke's path ends on a ray. */
static void the_status_of_an_lcp_agrees_with_its_solutions(void **state) {
  (void)state;
  const char *text = "{\"cradle\": \"lcp/1\", \"W\": [[-2, 1], [-2, -2]], \"w\": [-1, 3]}";
  json_t *object = solve_json("ray.json", text, "--search 0", 2);
  is_text(object, "status", "ray");
  json_decref(object);
  object = solve_json("ray.json", text, "--search 0 --all", 0);
  is_text(object, "status", "ok");
  assert_int_equal(json_array_size(program_at(object, "solutions")), 2);
  assert_null(json_object_get(object, "ray"));
  json_decref(object);
  object = solve_json("ray.json", text, "", 0); /* searched where that takes milliseconds */
  is_text(object, "status", "ok");
  json_decref(object);
}

/* W = [11110 0 1; -1 1 1e22; 4 3 3] with the first row free and w = (0, -1, 0) has the solution (0, 1, 0). Whether it
 * is found or not: what is called ok has a residual within the tolerance, and nothing is proved against it beside it.
 */
static void no_answer_above_the_tolerance_is_ok(void **state) {
  (void)state;
  const char *text =
      "{\"cradle\": \"lcp/1\", \"W\": [[11110, 0, 1], [-1, 1, 1e22], [4, 3, 3]], \"w\": [0, -1, 0], "
      "\"free\": [0]}";
  const char *const options[] = {"--json", "--json --all"};
  for (int k = 0; k < 2; k++) {
    program_run run = solve("scaled.json", text, options[k]);
    json_t *object = json_loads(run.out, 0, NULL);
    const bool ok = strcmp(json_string_value(program_at(object, "status")), "ok") == 0;
    assert_int_equal(run.code, ok ? 0 : 2);
    if (ok) assert_true(json_number_value(program_at(object, "residual.scaled")) <= 1e-10);
    assert_string_not_equal(json_string_value(program_at(object, "status")), "no solution");
    json_decref(object);
    program_free(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(three_contacts_slide_stick_and_open),
      cmocka_unit_test(text_tells_modes_impulses_and_residual),
      cmocka_unit_test(every_format_has_the_same_answer),
      cmocka_unit_test(a_relay_is_answered_as_a_relay),
      cmocka_unit_test(the_guess_of_the_file_is_used),
      cmocka_unit_test(compare_judges_every_method_by_one_residual),
      cmocka_unit_test(a_verdict_names_its_row_and_ends_with_2),
      cmocka_unit_test(output_and_problem_are_files),
      cmocka_unit_test(bad_usage_is_refused),
      cmocka_unit_test(the_status_of_an_lcp_agrees_with_its_solutions),
      cmocka_unit_test(no_answer_above_the_tolerance_is_ok),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
