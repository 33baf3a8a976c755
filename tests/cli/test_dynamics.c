/* Claims: `info` and `dynamics` print exactly one JSON object with the keys of CONTRACT.md and all digits, choose the
 * state as asked, say what they ignored, and refuse bad input with exit 1, file, line, what was found and what was
 * expected. */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static double number_at(const json_t *array, size_t i) {
  const json_t *value = json_array_get(array, i);
  assert_true(json_is_number(value));
  return json_number_value(value);
}

static double entry(const json_t *matrix, size_t i, size_t j) { return number_at(json_array_get(matrix, i), j); }

static void assert_near(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance)) fail_msg("found %.17g, expected %.17g", found, expected);
}

static void info_has_the_keys_scripts_rely_on(void **state) {
  (void)state;
  static const struct {
    const char *arguments;
    int nq, nv, bodies, joints, geoms, loops, contacts;
    double mass;
  } table[] = {
      {"info @pendulum:7 --json", 7, 7, 7, 7, 9, 0, 0, 7},
      {"info --json @bouncing-ball", 7, 6, 1, 1, 2, 0, 0, 1},
      {"info @four-bar --json", 3, 3, 3, 3, 6, 1, 1, 3},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    json_t *object = program_json(table[i].arguments), *ignored;
    int nq, nv, bodies, joints, geoms, loops;
    double mass;
    assert_int_equal(
        json_unpack(object, "{s:i, s:i, s:i, s:i, s:i, s:i, s:F, s:o}", "nq", &nq, "nv", &nv, "bodies", &bodies,
                    "joints", &joints, "geoms", &geoms, "loops", &loops, "mass", &mass, "ignored", &ignored),
        0);
    assert_int_equal(nq, table[i].nq);
    assert_int_equal(nv, table[i].nv);
    assert_int_equal(bodies, table[i].bodies);
    assert_int_equal(joints, table[i].joints);
    assert_int_equal(geoms, table[i].geoms);
    assert_int_equal(loops, table[i].loops);
    assert_int_equal(json_integer_value(json_object_get(object, "contacts")), table[i].contacts);
    assert_near(mass, table[i].mass, 1e-13);
    assert_int_equal(json_array_size(ignored), 0);
    json_decref(object);
  }
}

static const char LIGHT[] =
    "<mujoco>\n"
    "  <worldbody>\n"
    "    <light pos='0 0 3'/>\n"
    "    <body> <joint name='j' type='slide' axis='1 0 0'/> <geom name='g' size='0.1' mass='2' rgba='1 0 0 1'/> "
    "</body>\n"
    "  </worldbody>\n"
    "</mujoco>\n";

static void what_is_ignored_is_listed_by_info_and_said_on_stderr_by_others(void **state) {
  (void)state;
  char arguments[2048];
  program_write(program_file("light.xml"), LIGHT);
  snprintf(arguments, sizeof arguments, "info --json '%s'", program_file("light.xml"));
  json_t *object = program_json(arguments), *ignored = json_object_get(object, "ignored");
  bool found = false;
  for (size_t i = 0; i < json_array_size(ignored); i++) {
    const json_t *item = json_array_get(ignored, i);
    assert_true(json_is_string(json_object_get(item, "element")) && json_is_string(json_object_get(item, "reason")));
    if (strcmp(json_string_value(json_object_get(item, "element")), "light") == 0)
      found = json_integer_value(json_object_get(item, "line")) == 3;
  }
  assert_true(found);
  json_decref(object);

  snprintf(arguments, sizeof arguments, "info '%s'", program_file("light.xml"));
  program_run text = program(arguments);
  assert_int_equal(text.code, 0);
  assert_non_null(strstr(text.out, "light.xml:3: light"));
  assert_string_equal(text.error, "");
  program_free(&text);

  snprintf(arguments, sizeof arguments, "dynamics --json '%s'", program_file("light.xml"));
  program_run dynamics = program(arguments);
  assert_int_equal(dynamics.code, 0);
  assert_non_null(strstr(dynamics.error, "cradle: 2 things without effect on the motion"));
  json_t *alone = json_loads(dynamics.out, 0, NULL);
  assert_non_null(alone);
  json_decref(alone);
  program_free(&dynamics);

  snprintf(arguments, sizeof arguments, "dynamics -q '%s'", program_file("light.xml"));
  program_run quiet = program(arguments);
  assert_int_equal(quiet.code, 0);
  assert_string_equal(quiet.error, "");
  program_free(&quiet);
}

/* A typing error changes the mechanism: refused with the name that was meant, a warning with --lenient. */
static void an_unknown_name_is_an_error_and_with_lenient_a_warning(void **state) {
  (void)state;
  char arguments[2048];
  program_write(program_file("typo.xml"),
                "<mujoco>\n<worldbody>\n<geom size='1' frction='0.8'/>\n</worldbody>\n</mujoco>");
  snprintf(arguments, sizeof arguments, "info '%s'", program_file("typo.xml"));
  program_run strict = program(arguments);
  assert_int_equal(strict.code, 1);
  assert_non_null(strstr(strict.error, "typo.xml:3: <geom> frction: found an unknown attribute"));
  assert_non_null(strstr(strict.error, "did you mean 'friction'?"));
  assert_string_equal(strict.out, "");
  program_free(&strict);
  snprintf(arguments, sizeof arguments, "dynamics -q --lenient '%s'", program_file("typo.xml"));
  program_run lenient = program(arguments);
  assert_int_equal(lenient.code, 0);
  assert_non_null(strstr(lenient.error, "cradle: warning: "));
  assert_non_null(strstr(lenient.error, "typo.xml:3: geom frction: "));
  program_free(&lenient);
  program_run table = program("info --format MJCF");
  assert_int_equal(table.code, 0);
  assert_non_null(strstr(table.out, "| body: `geom` |"));
  program_free(&table);
  static const char *const bad[] = {"info --format SDF", "info --format MJCF @block", "info"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    program_run refused = program(bad[i]);
    assert_int_equal(refused.code, 1);
    assert_non_null(strstr(refused.error, "expected"));
    program_free(&refused);
  }
}

/* Uniform block: M = diag(1, 1, 5/12), free fall, K = m v^2 / 2 = 0.0981, V = 9.81 (centre at 1 m). */
static void dynamics_of_the_block_are_those_of_a_free_body(void **state) {
  (void)state;
  static const double M[3] = {1, 1, 5.0 / 12}, bias[3] = {0, 9.81, 0}, qacc[3] = {0, -9.81, 0}, qpos[3] = {0, 1, 0};
  json_t *object = program_json("dynamics @rocking-block --json");
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 3; j++) assert_near(entry(json_object_get(object, "M"), i, j), i == j ? M[i] : 0, 1e-15);
    assert_near(number_at(json_object_get(object, "bias"), i), bias[i], 1e-14);
    assert_near(number_at(json_object_get(object, "qacc"), i), qacc[i], 1e-14);
    assert_near(number_at(json_object_get(object, "qpos"), i), qpos[i], 0);
    assert_near(number_at(json_object_get(object, "qvel"), i), i == 1 ? -sqrt(2 * 9.81 * 0.01) : 0, 1e-16);
  }
  assert_near(json_number_value(json_object_get(object, "kinetic")), 0.0981, 1e-15);
  assert_near(json_number_value(json_object_get(object, "potential")), 9.81, 1e-14);
  json_decref(object);
}

/* Corners at (-1/2, -1) and (1/2, -1) from the centre: n_A = (0, 1, -1/2), t_A = (1, 0, 1), W = J M^-1 J' by hand. */
static void contacts_of_the_block_are_its_corners(void **state) {
  (void)state;
  static const double W[4][4] = {
      {1.6, -1.2, 0.4, -1.2}, {-1.2, 3.4, 1.2, 3.4}, {0.4, 1.2, 1.6, 1.2}, {-1.2, 3.4, 1.2, 3.4}};
  json_t *object = program_json("dynamics @rocking-block --json --mu 0.25 --e 0.75");
  json_t *contacts = json_object_get(object, "contacts"), *delassus = json_object_get(object, "delassus");
  assert_int_equal(json_array_size(contacts), 2);
  assert_int_equal(json_array_size(delassus), 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(json_array_size(json_array_get(delassus, i)), 4);
    for (size_t j = 0; j < 4; j++) assert_near(entry(delassus, i, j), W[i][j], 1e-13);
  }
  for (size_t i = 0; i < 2; i++) {
    const double x = i == 0 ? -0.5 : 0.5, Jn[3] = {0, 1, x}, Jt[3] = {1, 0, 1}, point[3] = {x, 0, 0},
                 normal[3] = {0, 0, 1};
    json_t *contact = json_array_get(contacts, i);
    assert_string_equal(json_string_value(json_object_get(contact, "name")), i == 0 ? "A" : "B");
    assert_near(json_number_value(json_object_get(contact, "gap")), 0, 1e-14);
    assert_near(json_number_value(json_object_get(contact, "mu")), 0.25, 0);
    assert_near(json_number_value(json_object_get(contact, "e")), 0.75, 0);
    assert_int_equal(json_array_size(json_object_get(contact, "Jt")), 1);
    for (size_t k = 0; k < 3; k++) {
      assert_near(number_at(json_object_get(contact, "point"), k), point[k], 1e-14);
      assert_near(number_at(json_object_get(contact, "normal"), k), normal[k], 1e-14);
      assert_near(number_at(json_object_get(contact, "Jn"), k), Jn[k], 1e-14);
      assert_near(entry(json_object_get(contact, "Jt"), 0, k), Jt[k], 1e-14);
    }
  }
  json_decref(object);
}

/* Names, number of tangent rows, and approach velocities (normal, tangential) as EXAMPLES.md has them; t is n turned by
 * -90 degrees, and of two moving disks n points to the one that was defined later. */
static void every_example_has_its_contacts(void **state) {
  (void)state;
  const double s = sqrt(3) / 2, knee = -0.5320987203602616;
  const struct {
    const char *name;
    int contacts, tangents;
    double u[5][2];
  } table[] = {
      {"rocking-block", 2, 1, {{-0.442944691807, 0}, {-0.442944691807, 0}}},
      {"rocking-block-zeno", 2, 1, {{0, 0}, {1, 0}}},
      {"compass-gait", 2, 1, {{-0.489073800367, 0}, {0, 0}}},
      {"box-wall", 2, 1, {{0, 1}, {-1, 0}}},
      {"ramone", 2, 1, {{knee, 0}, {0, 0}}},
      {"disk-stack", 5, 1, {{0, 0}, {0, 0}, {-s, 0.5}, {-s, -0.5}, {0, 0}}},
      {"painleve-rod", 1, 1, {{0, -1}}},
      {"ball-chain:4", 3, 0, {{-1}, {0}, {0}}},
      {"disk-in-corner", 2, 1, {{-1, -1}, {-1, 1}}},
      {"double-pendulum-floor", 1, 1, {{-0.134202014333, -0.267174342835}}},
      {"four-bar", 1, 0, {{-s}}},
      {"four-bar --state collinear", 1, 0, {{-0.125}}},
      {"bouncing-ball", 0, 0, {{0}}},
      {"bouncing-ball --state impact", 1, 2, {{-4.42944691807, 0}}},
      {"pendulum:6", 0, 0, {{0}}},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    char arguments[256];
    snprintf(arguments, sizeof arguments, "dynamics --json @%s", table[i].name);
    json_t *object = program_json(arguments), *contacts = json_object_get(object, "contacts");
    assert_int_equal(json_array_size(contacts), table[i].contacts);
    for (size_t k = 0; k < json_array_size(contacts); k++) {
      const json_t *contact = json_array_get(contacts, k), *u = json_object_get(contact, "velocity");
      const char letter[2] = {(char)('A' + (int)k), 0}, *name = json_string_value(json_object_get(contact, "name"));
      if (strstr(table[i].name, "collinear"))
        assert_string_equal(name, "B");
      else if (strstr(table[i].name, "chain"))
        assert_int_equal(name[0], '1' + (int)k);
      else
        assert_string_equal(name, letter);
      assert_int_equal(json_array_size(u), 1 + table[i].tangents);
      for (size_t r = 0; r < json_array_size(u); r++) assert_near(number_at(u, r), r < 2 ? table[i].u[k][r] : 0, 1e-11);
    }
    json_decref(object);
  }
}

static void the_state_is_the_one_asked_for(void **state) {
  (void)state;
  static const struct {
    const char *arguments;
    double z, vz;
  } table[] = {
      {"dynamics @bouncing-ball --json", 1.1, 0},
      {"dynamics @bouncing-ball --json --state impact", 0.1, -4.4294469180700204},
      {"dynamics @bouncing-ball --json --state=impact --qvel '0 0 -7 0 0 0'", 0.1, -7},
      {"dynamics @bouncing-ball --json --qpos '0,0,0.25,1,0,0,0'", 0.25, 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    json_t *object = program_json(table[i].arguments);
    assert_near(number_at(json_object_get(object, "qpos"), 2), table[i].z, 1e-15);
    assert_near(number_at(json_object_get(object, "qvel"), 2), table[i].vz, 1e-15);
    assert_near(json_number_value(json_object_get(object, "kinetic")), 0.5 * table[i].vz * table[i].vz, 1e-13);
    json_decref(object);
  }
}

/* Written and read back, an example is the same mechanism, bit by bit. */
static void an_example_from_its_file_is_the_same(void **state) {
  (void)state;
  static const char *const names[] = {"ramone", "four-bar", "disk-stack", "pendulum:9", "compass-gait"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char arguments[2048];
    snprintf(arguments, sizeof arguments, "example %s -o '%s'", names[i], program_file("copy.xml"));
    program_run written = program(arguments);
    assert_int_equal(written.code, 0);
    program_free(&written);
    snprintf(arguments, sizeof arguments, "dynamics --json '%s'", program_file("copy.xml"));
    json_t *copy = program_json(arguments);
    snprintf(arguments, sizeof arguments, "dynamics --json @%s", names[i]);
    json_t *original = program_json(arguments);
    json_object_del(copy, "input"), json_object_del(original, "input");
    assert_true(json_equal(copy, original));
    json_decref(copy), json_decref(original);
  }
}

static void o_file_holds_what_stdout_would(void **state) {
  (void)state;
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "dynamics @ramone --json -o '%s'", program_file("ramone.json"));
  program_run to_file = program(arguments), to_stdout = program("dynamics @ramone --json");
  char *text = program_read(program_file("ramone.json"));
  assert_int_equal(to_file.code, 0);
  assert_string_equal(to_file.out, "");
  assert_non_null(text);
  assert_string_equal(text, to_stdout.out);
  free(text);
  program_free(&to_file), program_free(&to_stdout);
}

/* `dynamics --problem` writes the hub as a file: M, v and rows are those that --json prints, and info reads it back. */
static void the_impact_problem_is_written_as_a_file(void **state) {
  (void)state;
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "dynamics @ramone --json --problem '%s'", program_file("ramone.json"));
  json_t *object = program_json(arguments), *contacts = json_object_get(object, "contacts");
  json_t *file = json_load_file(program_file("ramone.json"), 0, NULL), *written = json_object_get(file, "contacts");
  assert_non_null(file);
  assert_string_equal(json_string_value(json_object_get(file, "cradle")), "impact-problem/1");
  assert_int_equal(json_array_size(written), 2);
  for (size_t i = 0; i < 7; i++) {
    assert_near(number_at(json_object_get(file, "v"), i), number_at(json_object_get(object, "qvel"), i), 0);
    for (size_t j = 0; j < 7; j++)
      assert_near(entry(json_object_get(file, "M"), i, j), entry(json_object_get(object, "M"), i, j), 0);
    for (size_t k = 0; k < 2; k++) {
      const json_t *a = json_array_get(contacts, k), *b = json_array_get(written, k);
      assert_near(number_at(json_object_get(b, "n"), i), number_at(json_object_get(a, "Jn"), i), 0);
      assert_near(entry(json_object_get(b, "t"), 0, i), entry(json_object_get(a, "Jt"), 0, i), 0);
    }
  }
  json_decref(object), json_decref(file);

  snprintf(arguments, sizeof arguments, "info --json '%s'", program_file("ramone.json"));
  json_t *info = program_json(arguments);
  assert_int_equal(json_integer_value(json_object_get(info, "nv")), 7);
  assert_int_equal(json_integer_value(json_object_get(info, "contacts")), 2);
  json_decref(info);

  snprintf(arguments, sizeof arguments, "dynamics '%s'", program_file("ramone.json"));
  program_run run = program(arguments);
  assert_int_equal(run.code, 1);
  assert_non_null(strstr(run.error, "expected a mechanism"));
  program_free(&run);

  run = program("dynamics @ramone --problem /nonexistent/problem.json");
  assert_int_equal(run.code, 3);
  assert_string_equal(run.out, "");
  program_free(&run);
}

static void people_get_a_table(void **state) {
  (void)state;
  program_run small = program("dynamics @compass-gait"), large = program("dynamics @pendulum:60"),
              info = program("info @ramone");
  assert_int_equal(small.code, 0);
  assert_non_null(strstr(small.out, "@compass-gait at impact"));
  assert_non_null(strstr(small.out, "energy    kinetic"));
  assert_int_equal(large.code, 0);
  assert_non_null(strstr(large.out, "60 x 60 (--json prints it)"));
  assert_int_equal(info.code, 0);
  assert_non_null(strstr(info.out, "leading_knee"));
  assert_non_null(strstr(info.out, "ignored: nothing"));
  program_free(&small), program_free(&large), program_free(&info);
}

static void bad_input_exits_1_with_what_was_found_and_expected(void **state) {
  (void)state;
  static const program_refusal bad[] = {
      {"dynamics", "found no input, expected INPUT"},
      {"dynamics @nosuch", "found '@nosuch', expected the name of a built-in example"},
      {"dynamics /nonexistent.xml", "/nonexistent.xml"},
      {"dynamics @ramone --state nosuch", "--state: found 'nosuch', expected a keyframe of the model (impact)"},
      {"dynamics @ramone --qpos '1 2'", "--qpos: found 2 numbers, expected 7"},
      {"dynamics @ramone --qvel '1 2 3 4 5 6 7 8'", "--qvel: found 8 numbers, expected 7"},
      {"dynamics @double-pendulum-floor --qpos '1 x'", "--qpos: found 'x', expected a finite number"},
      {"dynamics @double-pendulum-floor --qpos '1 nan'", "--qpos: found 'nan', expected a finite number"},
      {"dynamics @double-pendulum-floor --qpos '1 1e999'", "--qpos: found '1e999', expected a finite number"},
      {"dynamics @ramone --mu -1", "--mu: found '-1', expected a number of at least 0"},
      {"dynamics @ramone --mu", "--mu: found no value, expected X"},
      {"dynamics @ramone --e much", "--e: found 'much', expected a number of at least 0"},
      {"dynamics @ramone --seed -5", "--seed: found '-5', expected a whole number of at least 0"},
      {"dynamics @ramone --threads 0", "--threads: found '0', expected a whole number of at least 1"},
      {"dynamics @ramone --threads 1.5", "--threads: found '1.5', expected a whole number"},
      {"dynamics @ramone --json=yes", "--json: found the value 'yes', expected none"},
      {"info @ramone @ramone", "found the argument '@ramone', expected only one input"},
      {"info @ramone --wrong", "found the option '--wrong'"},
  };
  program_assert_refused(bad, sizeof bad / sizeof *bad);
}

static void a_bad_file_is_named_with_its_line_and_nothing_is_written(void **state) {
  (void)state;
  char arguments[2048];
  program_write(
      program_file("bad.xml"),
      "<mujoco>\n <worldbody>\n  <body>\n   <geom size='1' mass='-2'/>\n  </body>\n </worldbody>\n</mujoco>\n");
  snprintf(arguments, sizeof arguments, "dynamics --json '%s'", program_file("bad.xml"));
  size_t used = strlen(arguments);
  snprintf(arguments + used, sizeof arguments - used, " -o '%s'", program_file("never.json"));
  program_run run = program(arguments);
  assert_int_equal(run.code, 1);
  assert_string_equal(run.out, "");
  assert_non_null(strstr(run.error, "bad.xml:4:"));
  assert_non_null(strstr(run.error, "-2"));
  assert_null(program_read(program_file("never.json")));
  program_free(&run);
}

/* A rotor whose axis carries no inertia cannot be accelerated: exit 2, and the result says so. */
static void a_singular_mass_matrix_exits_2_and_the_rest_is_still_printed(void **state) {
  (void)state;
  char arguments[2048];
  program_write(
      program_file("singular.xml"),
      "<mujoco><worldbody>\n"
      "<body name='a'><joint name='first' type='slide' axis='1 0 0'/><joint name='twin' type='slide' axis='1 0 0'/>\n"
      "<geom size='0.1' mass='1'/></body>\n</worldbody></mujoco>\n");
  snprintf(arguments, sizeof arguments, "dynamics --json '%s'", program_file("singular.xml"));
  program_run run = program(arguments);
  assert_int_equal(run.code, 2);
  json_t *object = json_loads(run.out, 0, NULL);
  assert_non_null(object);
  assert_string_equal(json_string_value(json_object_get(object, "status")), "singular");
  assert_true(json_is_null(json_object_get(object, "qacc")));
  assert_near(entry(json_object_get(object, "M"), 0, 1), 1, 1e-15);
  json_decref(object);
  program_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(info_has_the_keys_scripts_rely_on),
      cmocka_unit_test(what_is_ignored_is_listed_by_info_and_said_on_stderr_by_others),
      cmocka_unit_test(an_unknown_name_is_an_error_and_with_lenient_a_warning),
      cmocka_unit_test(dynamics_of_the_block_are_those_of_a_free_body),
      cmocka_unit_test(contacts_of_the_block_are_its_corners),
      cmocka_unit_test(every_example_has_its_contacts),
      cmocka_unit_test(the_state_is_the_one_asked_for),
      cmocka_unit_test(an_example_from_its_file_is_the_same),
      cmocka_unit_test(o_file_holds_what_stdout_would),
      cmocka_unit_test(the_impact_problem_is_written_as_a_file),
      cmocka_unit_test(people_get_a_table),
      cmocka_unit_test(bad_input_exits_1_with_what_was_found_and_expected),
      cmocka_unit_test(a_bad_file_is_named_with_its_line_and_nothing_is_written),
      cmocka_unit_test(a_singular_mass_matrix_exits_2_and_the_rest_is_still_printed),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
