/* Claims: what the verbs print fits the width that COLUMNS asks for, with all its numbers; an impact that is too wide for
 * one table has a block for each law, which says the same; residues of the solvers are printed as 0; check ends with one
 * verdict and names propositions by number only when asked. */
#define _POSIX_C_SOURCE 200809L
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

/* The length of the longest line that is not about a path, which no width can bound. */
static int longest_line(const char *text, const char *path) {
  int longest = 0;
  for (const char *line = text; *line;) {
    const char *end = strchr(line, '\n');
    assert_non_null(end);
    const char *there = path ? strstr(line, path) : NULL;
    int length = 0;
    for (const char *at = line; at < end; at++) length += ((unsigned char)*at & 0xc0) != 0x80;
    if (length > longest && (!there || there > end)) longest = length;
    line = end + 1;
  }
  return longest;
}

static program_run run_in(int columns, const char *arguments) {
  char text[16];
  snprintf(text, sizeof text, "%d", columns);
  setenv("COLUMNS", text, 1);
  program_run run = program(arguments);
  unsetenv("COLUMNS");
  return run;
}

static const char *const MODEL[] = {"@compass-gait",
                                    "@ramone",
                                    "@ball-chain:12",
                                    "@newtons-cradle:5",
                                    "@four-bar",
                                    CRADLE_SOURCE_DIR "/models/quadruped.xml",

                                    CRADLE_SOURCE_DIR "/models/hand.urdf"};

static void every_verb_fits_the_width(void **state) {
  (void)state;
  static const char *const verb[] = {
      "info %s -q",          "impact %s",   "impact %s --qvel 0",      "check %s",
      "check %s --criteria", "dynamics %s", "outcomes %s --samples 8", "outcomes %s --samples 4 --sweep mu=0.1:1:3",
      "run %s --time 0.02"};
  static const int width[] = {80, 132};
  for (size_t m = 0; m < sizeof MODEL / sizeof *MODEL; m++)
    for (size_t v = 0; v < sizeof verb / sizeof *verb; v++)
      for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, verb[v], MODEL[m]);
        program_run run = run_in(width[w], arguments);
        const int longest = longest_line(run.out, MODEL[m]);
        if (longest > width[w])
          fail_msg("%s: %d columns in a terminal of %d:\n%s", arguments, longest, width[w], run.out);
        program_free(&run);
      }
}

/* Does the text have this word between spaces or line ends? */
static bool has_word(const char *text, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
    if ((at == text || strchr(" \n", at[-1])) && strchr(" \n", at[length])) return true;
  return false;
}

/* The numbers of the table are in the blocks too, and the impulses are those of --json. */
static void a_wide_impact_has_a_block_for_each_law(void **state) {
  (void)state;
  program_run wide = run_in(200, "impact @compass-gait --law newton,moreau");
  program_run narrow = run_in(50, "impact @compass-gait --law newton,moreau");
  assert_non_null(strstr(wide.out, "\nmoreau "));
  assert_non_null(strstr(narrow.out, "\nnewton, answer 3 of 3: K+/K- 0.6018"));
  assert_non_null(strstr(narrow.out, "\nmoreau: K+/K- 0.8831, consistent\n"));
  static const char *const number[] = {"-0.48907", "0.12849", "0.099555", "0.19802", "-0.17726", "0.34488", "0.16194"};
  for (size_t i = 0; i < sizeof number / sizeof *number; i++)
    assert_true(has_word(wide.out, number[i]) && has_word(narrow.out, number[i]));
  json_t *object = program_json("impact @compass-gait --law moreau --json");
  json_t *contact = json_array_get(json_object_get(json_array_get(json_object_get(object, "laws"), 0), "contacts"), 0);
  char text[32];
  snprintf(text, sizeof text, "%.5g", json_number_value(json_object_get(contact, "impulse_n")));
  assert_true(has_word(narrow.out, text));
  json_decref(object);
  program_free(&wide), program_free(&narrow);
}

/* A ball at rest on a floor beside a ball that falls: solvers leave residues of 1e-16 m/s, nobody wants to read them. */
static void residues_are_printed_as_zero(void **state) {
  (void)state;
  for (int columns = 60; columns <= 160; columns += 50) {
    program_run run = run_in(columns, "impact @ball-chain:5 --law moreau,newton,poisson");
    assert_int_equal(run.code, 0);
    for (int power = 10; power < 20; power++) {
      char ending[8];
      snprintf(ending, sizeof ending, "e-%d", power);
      assert_null(strstr(run.out, ending));
    }
    program_free(&run);
  }
}

static int count_of(const char *text, const char *word) {
  int count = 0;
  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) count++;
  return count;
}

static void check_ends_with_one_verdict(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *verdict;
  } all[] = {
      /* Kane's pendulum gains energy; the rod sticks below its critical friction and has no motion above it [C, 4.4] */
      {"check @double-pendulum-floor --e 0.5 --mu 0.5", "verdict: e and mu NOT consistent, contact well-posed\n"},
      {"check @double-pendulum-floor --e 0 --mu 0.5", "verdict: e and mu consistent, contact well-posed\n"},
      {"check @painleve-rod", "verdict: e and mu consistent, contact NOT well-posed\n"},
      {"check @painleve-rod --mu 0.2", "verdict: e and mu consistent, contact well-posed\n"},
      {"check @bouncing-ball", "verdict: nothing to judge at this state\n"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    program_run run = program(all[i].arguments);
    const size_t length = strlen(run.out), own = strlen(all[i].verdict);
    if (length < own || strcmp(run.out + length - own, all[i].verdict) != 0)
      fail_msg("%s ends with\n%s", all[i].arguments, run.out);
    assert_int_equal(count_of(run.out, "verdict"), 1);
    assert_null(strstr(run.out, "prop5"));
    program_free(&run);
  }
  program_run run = program("check @double-pendulum-floor --criteria");
  assert_non_null(strstr(run.out, "prop5"));
  assert_non_null(strstr(run.out, "spectral radius of E"));
  program_free(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_verb_fits_the_width),
      cmocka_unit_test(a_wide_impact_has_a_block_for_each_law),
      cmocka_unit_test(residues_are_printed_as_zero),
      cmocka_unit_test(check_ends_with_one_verdict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
