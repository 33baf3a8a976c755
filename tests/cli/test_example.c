/* Claims: `cradle example` lists every example, writes each one whole, to stdout or to a file, and refuses what it
 * cannot do with the exit code and the message CONTRACT.md promises. */
#include <cradle/io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

static void every_example_is_listed(void **state) {
  (void)state;
  program_run run = program("example");
  assert_int_equal(run.code, 0);
  assert_string_equal(run.error, "");
  for (int i = 0; i < crd_io_example_count(); i++) assert_non_null(strstr(run.out, crd_io_example_at(i)->name));
  assert_null(crd_io_example_at(-1));
  assert_null(crd_io_example_at(crd_io_example_count()));
  program_free(&run);
}

static void an_example_is_written_whole_to_stdout_or_to_a_file(void **state) {
  (void)state;
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "example pendulum:4 -o '%s'", program_file("p.xml"));
  program_run to_file = program(arguments), to_stdout = program("example @pendulum:4");
  assert_int_equal(to_file.code, 0);
  assert_int_equal(to_stdout.code, 0);
  assert_string_equal(to_file.out, "");
  char *text = program_read(program_file("p.xml"));
  assert_non_null(text);
  assert_string_equal(text, to_stdout.out);
  assert_non_null(strstr(text, "<body name=\"link4\""));
  assert_null(strstr(text, "link5"));
  assert_non_null(strstr(text, "</mujoco>\n"));
  free(text);
  program_free(&to_file), program_free(&to_stdout);
}

static void the_base_of_the_pendulum_can_be_moved(void **state) {
  (void)state;
  program_run high = program("example pendulum --base 10"), low = program("example pendulum --base=-2.5");
  program_run usual = program("example pendulum");
  assert_non_null(strstr(high.out, "name=\"link1\" pos=\"0 0 10\""));
  assert_non_null(strstr(low.out, "name=\"link1\" pos=\"0 0 -2.5\""));
  assert_non_null(strstr(usual.out, "name=\"link1\" pos=\"0 0 5.5\""));
  program_free(&high), program_free(&low), program_free(&usual);
}

static void bad_requests_exit_1_and_say_what_was_expected(void **state) {
  (void)state;
  static const program_refusal bad[] = {
      {"", "usage: cradle VERB INPUT"},
      {"frobnicate", "found 'frobnicate', expected a verb"},
      {"--frobnicate", "found '--frobnicate', expected a verb"},
      {"example nosuch", "found 'nosuch', expected the name of a built-in example"},
      {"example pendulu", "found 'pendulu'"},
      {"example pendulum:", "expected '@pendulum:N' with N from 1"},
      {"example pendulum:0", "expected '@pendulum:N' with N from 1"},
      {"example pendulum:-3", "expected '@pendulum:N' with N from 1"},
      {"example pendulum:3x", "expected '@pendulum:N' with N from 1"},
      {"example pendulum:99999999999999999999", "expected '@pendulum:N' with N from 1"},
      {"example ball-chain:1", "expected '@ball-chain:N' with N from 2"},
      {"example ramone:2", "the example ramone has no size"},
      {"example ramone disk-stack", "found the argument 'disk-stack', expected only one input"},
      {"example ramone --frobnicate", "found the option '--frobnicate'"},
      {"example ramone -x", "found the option '-x'"},
      {"example pendulum --base", "--base: found no value, expected Z"},
      {"example pendulum --base high", "--base: found 'high', expected a finite number"},
      {"example pendulum --base 1e999", "--base: found '1e999', expected a finite number"},
      {"example pendulum --base nan", "--base: found 'nan', expected a finite number"},
      {"example pendulum --base ''", "--base: found '', expected a finite number"},
      {"example ramone -o", "-o: found no value, expected FILE"},
      {"example ''", "found '', expected the name"},
  };
  program_assert_refused(bad, sizeof bad / sizeof *bad);
}

static void output_that_cannot_be_written_exits_3_and_leaves_nothing(void **state) {
  (void)state;
  static const char *const arguments[] = {"example >/dev/full",
                                          "example >&-",
                                          "--help >/dev/full",
                                          "example --help >/dev/full",
                                          "--version >&-",
                                          "example ramone -o /dev/full",
                                          "example ramone -o /nonexistent/folder/file.xml"};
  for (size_t i = 0; i < sizeof arguments / sizeof arguments[0]; i++) {
    program_run run = program(arguments[i]);
    if (run.code != 3 || !strstr(run.error, "cannot be"))
      fail_msg("cradle %s: exit %d, stderr '%s'", arguments[i], run.code, run.error);
    program_free(&run);
  }
}

/* The reader takes ten bytes of a megabyte and goes away; cradle's own exit code is kept in a file. */
static void a_reader_that_goes_away_gives_exit_3(void **state) {
  (void)state;
  char arguments[2048];
  snprintf(arguments, sizeof arguments, "example pendulum:10000; echo $? >'%s'; } | { head -c 10 >/dev/null",
           program_file("code"));
  program_run run = program(arguments);
  char *code = program_read(program_file("code"));
  assert_string_equal(code, "3\n");
  assert_non_null(strstr(run.error, "standard output cannot be written"));
  free(code);
  program_free(&run);
}

static void help_and_version_exit_0(void **state) {
  (void)state;
  program_run help = program("--help"), verb = program("example ramone --help"), version = program("--version");
  assert_int_equal(help.code, 0);
  assert_non_null(strstr(help.out, "usage: cradle VERB INPUT"));
  assert_int_equal(verb.code, 0);
  assert_non_null(strstr(verb.out, "usage: cradle example"));
  assert_int_equal(version.code, 0);
  assert_non_null(strstr(version.out, crd_version()));
  program_free(&help), program_free(&verb), program_free(&version);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_example_is_listed),
      cmocka_unit_test(an_example_is_written_whole_to_stdout_or_to_a_file),
      cmocka_unit_test(the_base_of_the_pendulum_can_be_moved),
      cmocka_unit_test(bad_requests_exit_1_and_say_what_was_expected),
      cmocka_unit_test(output_that_cannot_be_written_exits_3_and_leaves_nothing),
      cmocka_unit_test(a_reader_that_goes_away_gives_exit_3),
      cmocka_unit_test(help_and_version_exit_0),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
