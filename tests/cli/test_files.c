/* Claims: no command writes what it reads, by whatever name, and no two outputs of a command are one file; the input is
 * untouched then and the message names the option. A mistyped verb or option is answered with the one that was meant;
 * counts can be written 1e3 and 2^10. Pictures of scenes of any size are small and hold finite numbers only. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static const char PART[] = "<mujocoinclude><body pos='0 0 1'><freejoint/><geom size='.1'/></body></mujocoinclude>";
static const char MODEL[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/><include file='part.xml'/></worldbody></mujoco>";
static char folder[512];

static int make_files(void **state) {
  (void)state;
  snprintf(folder, sizeof folder, "%s", program_file("model.xml"));
  program_write(folder, MODEL);
  *strrchr(folder, '/') = 0;
  program_write(program_file("part.xml"), PART);
  program_write(program_file("torque.csv"), "t\n0\n1\n");
  char target[600], name[600];
  snprintf(target, sizeof target, "%s/model.xml", folder);
  snprintf(name, sizeof name, "%s/link.xml", folder);
  assert_int_equal(symlink(target, name), 0);
  snprintf(name, sizeof name, "%s/hard.xml", folder);
  assert_int_equal(link(target, name), 0);
  return 0;
}

/* Every % stands for the folder. */
static program_run run(const char *pattern) {
  char words[4096] = "";
  for (const char *at = pattern; *at; at++) {
    if (*at == '%')
      strcat(words, folder);
    else
      strncat(words, at, 1);
  }
  return program(words);
}

static void expect_refusal(const char *pattern, const char *phrase) {
  program_run done = run(pattern);
  if (done.code != 1 || !strstr(done.error, phrase))
    fail_msg("%s: exit %d, '%s', expected exit 1 and '%s'", pattern, done.code, done.error, phrase);
  program_free(&done);
}

static void expect_text(const char *name, const char *text) {
  char *found = program_read(program_file(name));
  assert_non_null(found);
  assert_string_equal(found, text);
  free(found);
}

static void what_is_read_is_not_written(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"info %/model.xml -o %/model.xml", "-o: found"},
      {"info %/link.xml -o %/model.xml", "-o: found"},
      {"info %/model.xml -o %/link.xml", "-o: found"},
      {"info %/hard.xml -o %/model.xml", "-o: found"},
      {"info %/model.xml -o %/./model.xml", "-o: found"},
      {"info %/model.xml -o %/part.xml", "-o: found"}, /* an include */
      {"impact %/model.xml --svg %/model.xml", "--svg: found"},
      {"impact %/model.xml --html %/model.xml", "--html: found"},
      {"check %/model.xml -o %/model.xml", "-o: found"},
      {"dynamics %/model.xml --problem %/model.xml", "--problem: found"},
      {"outcomes %/model.xml --html %/part.xml", "--html: found"},
      {"run %/model.xml --html %/model.xml", "--html: found"},
      {"run %/model.xml --torque %/torque.csv --html %/torque.csv", "--html: found"},
      {"view %/model.xml --svg %/model.xml", "--svg: found"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    expect_refusal(cases[i][0], cases[i][1]);
    expect_text("model.xml", MODEL);
    expect_text("part.xml", PART);
    expect_text("torque.csv", "t\n0\n1\n");
  }
}

static void two_outputs_are_two_files(void **state) {
  (void)state;
  expect_refusal("impact %/model.xml --svg %/new.svg --html %/./new.svg", "--html: found");
  expect_refusal("run %/model.xml -o %/new.csv --html %/new.csv", "--html: found");
  assert_null(program_read(program_file("new.svg")));
  program_run both = run("info %/model.xml -o /dev/null");
  assert_int_equal(both.code, 0);
  program_free(&both);
}

static void slips_are_answered(void **state) {
  (void)state;
  expect_refusal("imapct @rocking-block", "did you mean 'impact'?");
  expect_refusal("run @rocking-block --tiem 1", "did you mean '--time'?");
  expect_refusal("example --zzzzzzz", "--help` lists\n");
  program_run help = run("help run"), same = run("run --help"), version = run("-V");
  assert_string_equal(help.out, same.out);
  assert_int_equal(version.code, 0);
  program_free(&help), program_free(&same), program_free(&version);
}

static void counts_can_be_powers(void **state) {
  (void)state;
  program_run words = run("outcomes @rocking-block --samples 1e3 --seed 2^3 --json"),
              digits = run("outcomes @rocking-block --samples 1000 --seed 8 --json");
  assert_int_equal(words.code, 0);
  json_t *a = json_loads(words.out, 0, NULL), *b = json_loads(digits.out, 0, NULL);
  assert_true(json_integer_value(json_object_get(a, "samples")) == 1000);
  assert_true(json_equal(json_object_get(a, "statistics"), json_object_get(b, "statistics")));
  json_decref(a), json_decref(b);
  program_free(&words), program_free(&digits);
  expect_refusal("outcomes @rocking-block --seed 1.5", "--seed: found '1.5'");
  expect_refusal("outcomes @rocking-block --seed 2^99", "--seed: found '2^99'");
  expect_refusal("outcomes @rocking-block --samples 2^", "--samples: found '2^'");
}

static void pictures_are_bounded(void **state) {
  (void)state;
  static const char *const height[] = {"1", "1e5", "1e30", "1e100", "1e300"};
  program_write(program_file("large.xml"),
                "<mujoco><worldbody><geom type='plane' size='1e5 1e5 1'/>"
                "<body><freejoint/><geom size='.1'/></body></worldbody></mujoco>");
  for (size_t i = 0; i < sizeof height / sizeof height[0]; i++) {
    char words[200];
    snprintf(words, sizeof words, "impact %%/large.xml --qpos '0 0 %s 1 0 0 0' --svg %%/p.svg", height[i]);
    program_run done = run(words);
    if (done.code != 0 && done.code != 2) fail_msg("%s: %d %s", words, done.code, done.error);
    program_free(&done);
    char *text = program_read(program_file("p.svg"));
    assert_non_null(text);
    assert_true(strlen(text) < 100000);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    free(text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read_is_not_written),
                                     cmocka_unit_test(two_outputs_are_two_files), cmocka_unit_test(slips_are_answered),
                                     cmocka_unit_test(counts_can_be_powers), cmocka_unit_test(pictures_are_bounded)};
  return cmocka_run_group_tests(tests, make_files, program_remove_folder);
}
