/* Command-line options: one parser and one help text for all verbs, driven by the verb's table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

static const char QUIET[] = "-q", MAX_WORK[] = "--max-work";

/* Options with a value that every verb has without naming them in its table. */
static uint64_t most_work;
static const cli_option LIMIT = {MAX_WORK, "N", CLI_COUNT, &most_work, 0, NULL, NULL, true};

static const cli_option *find(const cli_syntax *syntax, const char *name, size_t length) {
  for (int i = 0; i < syntax->noption; i++)
    if (strncmp(syntax->option[i].name, name, length) == 0 && !syntax->option[i].name[length])
      return &syntax->option[i];
  return length == sizeof MAX_WORK - 1 && strncmp(name, MAX_WORK, length) == 0 ? &LIMIT : NULL;
}

static bool take_number(const char *text, double *value) {
  char *end;
  if (!*text) return false;
  *value = strtod(text, &end);
  return !*end && isfinite(*value);
}

/* b^k below 2^63; false: no such power, or too large. */
static bool take_power(const char *text, uint64_t *value) {
  const char *hat = strchr(text, '^');
  if (!hat || hat == text || !hat[1] || strspn(text, "0123456789^") != strlen(text) || strchr(hat + 1, '^'))
    return false;
  const double base = strtod(text, NULL), power = strtod(hat + 1, NULL), result = pow(base, power);
  if (!(result < 0x1p63)) return false;
  *value = 1;
  for (double k = 0; k<power && * value> 0 && base != 1; k++) *value *= (uint64_t)base;
  return true;
}

bool cli_take_count(const char *text, uint64_t *value) {
  static const double MOST = 0x1p53; /* up to here every whole number is a double */
  double number;
  if (take_power(text, value)) return true;
  if (*text && strspn(text, "0123456789") == strlen(text) && strlen(text) <= 19) {
    *value = strtoull(text, NULL, 10);
    return true;
  }
  if (strspn(text, "0123456789.eE+") != strlen(text) || !take_number(text, &number)) return false;
  if (number > MOST || number != floor(number)) return false;
  *value = (uint64_t)number;
  return true;
}

static bool is_word_of(const char *words, const char *word, size_t length) {
  for (const char *at = words; *at; at += strspn(at, " ")) {
    const size_t own = strcspn(at, " ");
    if (own == length && strncmp(at, word, own) == 0) return true;
    at += own;
  }
  return false;
}

/* "a b c" as "a, b or c". */
static void list_words(const char *words, char *text, size_t size) {
  size_t used = 0;
  for (const char *at = words; *at && used < size;) {
    const size_t length = strcspn(at, " ");
    const char *next = at + length + strspn(at + length, " ");
    used += (size_t)snprintf(text + used, size - used, "%s%.*s",
                             at == words ? ""
                             : *next     ? ", "
                                         : " or ",
                             (int)length, at);
    at = next;
  }
}

/* Is text one of the words that the option takes, or with CLI_WORDS several of them? A message where not. */
static bool is_choice(const cli_syntax *syntax, const cli_option *option, const char *text) {
  if (!option->choices) return true;
  for (const char *at = text;; at++) {
    const size_t length = option->kind == CLI_WORDS ? strcspn(at, ",") : strlen(at);
    if (!is_word_of(option->choices, at, length)) {
      char word[64], expected[1024];
      snprintf(word, sizeof word, "%.*s", (int)length, at);
      list_words(option->choices, expected, sizeof expected);
      cli_hint hint = cli_hint_begin(word);
      cli_hint_add_words(&hint, option->choices);
      cli_complain(syntax->verb, "%s: found '%.*s', expected %s%s", option->name, (int)length, at, expected, hint.text);
      return false;
    }
    at += length;
    if (!*at) return true;
  }
}

/* Stores the value of an option; false with a message where it is none. */
static bool take_value(const cli_syntax *syntax, const cli_option *option, const char *text) {
  double number;
  uint64_t count;
  switch (option->kind) {
    case CLI_FLAG:
      *(bool *)option->target = true;
      if (strcmp(option->name, QUIET) == 0) cli_be_quiet(true);
      return true;
    case CLI_TEXT:
    case CLI_WORDS:
    case CLI_INPUT: *(const char **)option->target = text; return is_choice(syntax, option, text);
    case CLI_OUTPUT: *(const char **)option->target = text; return cli_add_output(syntax->verb, option->name, text);
    case CLI_NUMBER:
      if (take_number(text, &number) && number >= option->least) {
        *(double *)option->target = number;
        return true;
      }
      if (option->least > -HUGE_VAL)
        cli_complain(syntax->verb, "%s: found '%s', expected a number of at least %g", option->name, text,
                     option->least);
      else
        cli_complain(syntax->verb, "%s: found '%s', expected a finite number", option->name, text);
      return false;
    case CLI_COUNT:
      if (cli_take_count(text, &count) && (double)count >= option->least) {
        *(uint64_t *)option->target = count;
        if (option == &LIMIT) cli_limit_work(count);
        return true;
      }
      cli_complain(syntax->verb, "%s: found '%s', expected a whole number of at least %g", option->name, text,
                   option->least);
      return false;
  }
  return false;
}

static bool refuse_option(const cli_syntax *syntax, const char *word, size_t length) {
  char typed[64];
  snprintf(typed, sizeof typed, "%.*s", (int)length, word);
  cli_hint hint = cli_hint_begin(typed);
  for (int i = 0; i < syntax->noption; i++) cli_hint_add(&hint, syntax->option[i].name);
  cli_complain(syntax->verb, "found the option '%.*s', expected one that `cradle %s --help` lists%s", (int)length, word,
               syntax->verb, hint.text);
  return false;
}

/* Takes the option at argv[*i] and its value; false with a message where that fails. */
static bool take_option(const cli_syntax *syntax, int argc, char **argv, int *i) {
  const char *word = argv[*i], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
  const size_t length = equals ? (size_t)(equals - word) : strlen(word);
  const cli_option *option = find(syntax, word, length);
  if (!option && strcmp(word, QUIET) == 0) return cli_be_quiet(true), true;
  if (!option) return refuse_option(syntax, word, length);
  if (option->kind == CLI_FLAG) {
    if (equals) cli_complain(syntax->verb, "%s: found the value '%s', expected none", option->name, equals + 1);
    return !equals && take_value(syntax, option, NULL);
  }
  if (equals) return take_value(syntax, option, equals + 1);
  if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0) {
    cli_complain(syntax->verb, "%s: found no value, expected %s", option->name, option->value);
    return false;
  }
  return take_value(syntax, option, argv[++*i]);
}

/* Are the files that the options and the input name left as they are? */
static bool spares_inputs(const cli_syntax *syntax, const char *input) {
  if (input && !cli_spares(syntax->verb, input)) return false;
  for (int i = 0; i < syntax->noption; i++) {
    const cli_option *option = &syntax->option[i];
    const char *path = option->kind == CLI_INPUT ? *(const char **)option->target : NULL;
    if (path && !cli_spares(syntax->verb, path)) return false;
  }
  return true;
}

cli_parsed cli_parse(const cli_syntax *syntax, int argc, char **argv, const char **input) {
  *input = NULL;
  bool options_end = false;
  for (int i = 0; i < argc; i++)
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      cli_show_help(syntax);
      return CLI_HELP_SHOWN;
    }
  for (int i = 0; i < argc; i++) {
    if (!options_end && strcmp(argv[i], "--") == 0) {
      options_end = true;
    } else if (!options_end && argv[i][0] == '-' && argv[i][1]) {
      if (!take_option(syntax, argc, argv, &i)) return CLI_REFUSED;
    } else if (!syntax->input || *input) {
      cli_complain(syntax->verb, "found the argument '%s', expected %s", argv[i], *input ? "only one input" : "none");
      return CLI_REFUSED;
    } else {
      *input = argv[i];
    }
  }
  if (syntax->input && syntax->input[0] != '[' && !*input) {
    cli_complain(syntax->verb, "found no input, expected %s (`cradle %s --help` tells more)", syntax->input,
                 syntax->verb);
    return CLI_REFUSED;
  }
  if (!spares_inputs(syntax, *input)) return CLI_REFUSED;
  cli_doing("cradle %s %s", syntax->verb, *input ? *input : "");
  return CLI_PARSED;
}

int cli_parse_exit(cli_parsed parsed) {
  if (parsed == CLI_REFUSED) return CLI_BAD_INPUT;
  if (fflush(stdout) == 0 && !ferror(stdout)) return CLI_DONE;
  fprintf(stderr, "cradle: standard output cannot be written\n");
  return CLI_SYSTEM;
}
