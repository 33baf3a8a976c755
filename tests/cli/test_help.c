/* Claims: the manual page and the completions of every verb have every option that its help has; bash completes what
 * the program then takes; mistyped words get the nearest known one; tables and help fit the width that is asked for;
 * every file that is written is named on stderr, unless -q was given. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/program.h"

enum { VERBS = 40 };
typedef char word[32];

/* The verbs that `cradle --help` lists, by line. */
static int list_verbs(word *verb, int capacity) {
  program_run run = program("--help");
  int count = 0;
  const char *at = strstr(run.out, "\nverbs:\n");
  assert_non_null(at);
  for (at += strlen("\nverbs:\n"); strncmp(at, "  ", 2) == 0; at = strchr(at, '\n') + 1) {
    assert_true(count < capacity);
    assert_int_equal(sscanf(at, " %31s", verb[count++]), 1);
  }
  program_free(&run);
  return count;
}

static char *printed(const char *format, const char *name) {
  char arguments[1500];
  snprintf(arguments, sizeof arguments, format, name);
  program_run run = program(arguments);
  assert_int_equal(run.code, 0);
  assert_string_equal(run.error, "");
  free(run.error);
  return run.out;
}

/* Without the backslashes that troff wants before hyphens. */
static void drop_backslashes(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text != '\\') *to++ = *text;
  *to = '\0';
}

static void every_option_of_the_help_is_in_manual_pages_and_completions(void **state) {
  (void)state;
  word verb[VERBS];
  const int count = list_verbs(verb, VERBS);
  assert_true(count >= 10);
  char *bash = printed("help --completion %s", "bash"), *zsh = printed("help --completion %s", "zsh");
  char *fish = printed("help --completion %s", "fish");
  for (int v = 0; v < count; v++) {
    char *help = printed("help %s", verb[v]), *same = printed("%s --help", verb[v]);
    char *man = printed("help --man %s", verb[v]), start[1400], line[1500];
    assert_string_equal(help, same);
    assert_non_null(strstr(help, "\nexample: cradle "));
    drop_backslashes(man);
    snprintf(start, sizeof start, "\n    %s)\n", verb[v]);
    const char *in_bash = strstr(bash, start), *in_zsh = strstr(zsh, start);
    assert_non_null(in_bash), assert_non_null(in_zsh);
    const char *options = strstr(in_bash, "options='"), *end_bash = strchr(options, '\n');
    const char *end_zsh = strstr(in_zsh, " ;;\n");
    int found = 0;
    for (const char *at = strstr(help, "\n  -"); at; at = strstr(at + 1, "\n  -")) {
      char option[64];
      assert_int_equal(sscanf(at, " %63s", option), 1);
      found++;
      snprintf(line, sizeof line, "\n.B %s", option);
      assert_non_null(strstr(man, line));
      snprintf(line, sizeof line, " %s", option);
      const char *where = strstr(options, line);
      assert_true(where && where < end_bash);
      snprintf(line, sizeof line, "'%s[", option);
      where = strstr(in_zsh, line);
      assert_true(where && where < end_zsh);
      const int dashes = option[1] == '-' ? 2 : 1;
      snprintf(line, sizeof line, "'__fish_seen_subcommand_from %s' %s %s ", verb[v], dashes == 2 ? "-l" : "-s",
               option + dashes);
      assert_non_null(strstr(fish, line));
    }
    assert_true(found >= 3);
    free(help), free(same), free(man);
  }
  free(bash), free(zsh), free(fish);
}

/* What bash offers after these words. */
static char *complete(const char *words) {
  char command[1024], text[4096] = "";
  snprintf(command, sizeof command,
           "PATH='%s':$PATH bash -c 'eval \"$(cradle help --completion bash)\"; COMP_WORDS=(%s); "
           "[ \"${COMP_WORDS[-1]}\" != _ ] || COMP_WORDS[-1]=; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cradle; "
           "echo \"${COMPREPLY[@]}\"'",
           CRADLE_BINARY_DIR, words);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  const size_t length = fread(text, 1, sizeof text - 1, pipe);
  text[length] = '\0';
  assert_int_equal(pclose(pipe), 0);
  return strdup(text);
}

static void bash_completes_verbs_options_choices_and_examples(void **state) {
  (void)state;
  if (system("command -v bash >/dev/null") != 0) skip();
  static const struct {
    const char *words, *offers;
  } all[] = {
      {"cradle dyn", "dynamics\n"},
      {"cradle run @pendulum --integ", "--integrator\n"},
      {"cradle run @pendulum --integrator mo", "moreau\n"},
      {"cradle impact --law anit", "anitescu-potra\n"},
      {"cradle info @comp", "@compass-gait\n"},
      {"cradle help out", "outcomes\n"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char *text = complete(all[i].words);
    assert_string_equal(text, all[i].offers);
    free(text);
  }
}

static void mistyped_words_get_the_nearest_known_one(void **state) {
  (void)state;
  static const struct {
    const char *arguments, *says;
  } all[] = {
      {"impcat @ramone", "did you mean 'impact'?"},
      {"help impcat", "did you mean 'impact'?"},
      {"impact @ramone --laws newton", "did you mean '--law'?"},
      {"impact @ramone --law newton,moreu", "found 'moreu', expected all, projection"},
      {"impact @ramone --law newton,moreu", "did you mean 'moreau'?"},
      {"impact @ramone --law ''", "--law: found ''"},
      {"run @ramone --law possion", "did you mean 'poisson'?"},
      {"run @ramone --law all", "--law: found 'all', expected projection"},
      {"run @ramone --integrator even", "did you mean 'event'?"},
      {"info @compas-gait", "did you mean '@compass-gait'?"},
      {"impact @newtons-cradle --state tow", "did you mean 'two'?"},
      {"check @painleve-rod --scan angel:0.3:1", "did you mean 'angle'?"},
      {"outcomes @painleve-rod --sweep angel=0.3:1:3", "did you mean 'angle'?"},
      {"outcomes @ramone --pattern corner", "did you mean 'corners'?"},
      {"view @ramone --svg /dev/null --look tap", "did you mean 'top'?"},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    program_run run = program(all[i].arguments);
    if (run.code != 1 || !strstr(run.error, all[i].says)) print_message("%s: %s", all[i].arguments, run.error);
    assert_int_equal(run.code, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.error, all[i].says));
    program_free(&run);
  }
}

static void written_files_are_named_on_stderr(void **state) {
  (void)state;
  static const char *const all[] = {
      "example @ramone -o '%s'",         "dynamics @ramone --problem '%s'",
      "impact @ramone --svg '%s'",       "run @ramone --time 0.01 -o '%s.h5'",
      "check @ramone --region '%s.csv'", "outcomes @ramone --samples 16 -o '%s.h5'",
      "view @ramone --svg '%s'",
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    char arguments[4096], expected[4096];
    const char *const file = program_file("written");
    const char *const ending = strstr(all[i], ".h5") ? ".h5" : strstr(all[i], ".csv") ? ".csv" : "";
    snprintf(expected, sizeof expected, "cradle: wrote %s%s\n", file, ending);
    snprintf(arguments, sizeof arguments, all[i], file);
    program_run run = program(arguments);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.error, expected));
    program_free(&run);
    strcat(arguments, " -q");
    run = program(arguments);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.error, "");
    program_free(&run);
  }
}

static int longest_line(const char *text) {
  int longest = 0, length = 0;
  for (; *text; text++) {
    length = *text == '\n' ? 0 : length + ((unsigned char)*text < 0x80 || (unsigned char)*text >= 0xc0);
    longest = length > longest ? length : longest;
  }
  return longest;
}

static void help_fits_the_terminal(void **state) {
  (void)state;
  static const int width[] = {60, 80, 120};
  word verb[VERBS];
  const int count = list_verbs(verb, VERBS);
  for (size_t w = 0; w < sizeof width / sizeof *width; w++) {
    char columns[16];
    snprintf(columns, sizeof columns, "%d", width[w]);
    setenv("COLUMNS", columns, 1);
    for (int v = 0; v < count; v++) {
      char *help = printed("%s --help", verb[v]);
      const char *options = strstr(help, "\noptions of ");
      assert_true(longest_line(options ? options : help) <= width[w]);
      free(help);
    }
  }
  unsetenv("COLUMNS");
}

/* What the program writes to a terminal, by util-linux's script. */
static char *on_terminal(const char *arguments) {
  char command[1024], text[65536];
  snprintf(command, sizeof command, "script -qec \"'%s/cradle' %s\" /dev/null </dev/null", CRADLE_BINARY_DIR,
           arguments);
  FILE *pipe = popen(command, "r");
  assert_non_null(pipe);
  const size_t length = fread(text, 1, sizeof text - 1, pipe);
  text[length] = '\0';
  pclose(pipe);
  return strdup(text);
}

static void a_slow_command_shows_what_it_does(void **state) {
  (void)state;
  if (system("command -v script >/dev/null") != 0) skip();
  char *slow = on_terminal("impact @ball-chain:120 --law newton,lzb");
  char *fast = on_terminal("impact @compass-gait --law moreau");
  if (!strstr(slow, "\rimpact by lzb, law 2 of 2, ")) fail_msg("%s", slow);
  assert_null(strstr(fast, "impact by "));
  program_run piped = program("impact @ball-chain:120 --law lzb");
  assert_null(strstr(piped.error, "impact by "));
  program_free(&piped);
  free(slow), free(fast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_option_of_the_help_is_in_manual_pages_and_completions),
      cmocka_unit_test(bash_completes_verbs_options_choices_and_examples),
      cmocka_unit_test(mistyped_words_get_the_nearest_known_one),
      cmocka_unit_test(written_files_are_named_on_stderr),
      cmocka_unit_test(help_fits_the_terminal),
      cmocka_unit_test(a_slow_command_shows_what_it_does),
  };
  return cmocka_run_group_tests(tests, NULL, program_remove_folder);
}
