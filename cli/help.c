/* Help texts, manual pages and completions, all printed from the tables that the verbs parse with.
 *
 * A verb knows its table only while it parses. To describe all verbs, cli_help calls each with --help; cli_show_help
 * then prints in the form that was chosen.
 */
#include <string.h>

#include "cli.h"

typedef void (*help_form)(const cli_syntax *syntax);

static bool is_short(const cli_option *option) { return option->name[1] != '-'; }

static bool is_file(const cli_option *option) { return option->kind == CLI_INPUT || option->kind == CLI_OUTPUT; }

/* Options that every verb has without naming them in its table. */
static bool quiet_flag;
static uint64_t work;
static const cli_option EVERYWHERE[] = {
    {"--max-work", "N", CLI_COUNT, &work, 0,
     "pieces of work before a step of run or another verb ends (default 1e8; 0: any)", NULL, true},
    {"-q", NULL, CLI_FLAG, &quiet_flag, 0, "print results and errors only", NULL, true},
    {"--help", NULL, CLI_FLAG, &quiet_flag, 0, "show this", NULL, true},
};
enum { EVERYWHERE_COUNT = sizeof EVERYWHERE / sizeof EVERYWHERE[0] };

static bool names(const cli_syntax *syntax, const char *name) {
  for (int i = 0; i < syntax->noption; i++)
    if (strcmp(syntax->option[i].name, name) == 0) return true;
  return false;
}

/* Calls print for the verb's own options, or for the common ones. */
static void each_option(const cli_syntax *syntax, bool common, void (*print)(const cli_option *option)) {
  for (int i = 0; i < syntax->noption; i++)
    if (syntax->option[i].common == common) print(&syntax->option[i]);
  for (int i = 0; common && i < EVERYWHERE_COUNT; i++)
    if (!names(syntax, EVERYWHERE[i].name)) print(&EVERYWHERE[i]);
}

static void each_of_all(const cli_syntax *syntax, void (*print)(const cli_option *option)) {
  each_option(syntax, false, print), each_option(syntax, true, print);
}

static bool has_own(const cli_syntax *syntax) {
  for (int i = 0; i < syntax->noption; i++)
    if (!syntax->option[i].common) return true;
  return false;
}

/* Prints text with a backslash before each of the characters in `special`. */
static void print_escaped(const char *text, const char *special) {
  for (; *text; text++) printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* In single quotes for a shell. */
static void print_quoted(const char *text) {
  putchar('\'');
  for (; *text; text++)
    if (*text == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*text);
  putchar('\'');
}

/* ------------------------------------------------------------------------------------------------ text */

static void text_option(const cli_option *option) {
  enum { LEFT = 21 };
  const int used = printf("  %-*s%s%s ", option->value ? 0 : LEFT - 3, option->name, option->value ? " " : "",
                          option->value ? option->value : "");
  if (used > LEFT) printf("\n%*s", LEFT, "");
  if (used < LEFT) printf("%*s", LEFT - used, "");
  cli_print_wrapped(stdout, option->help, LEFT, LEFT, cli_columns());
}

/* Line by line; one that is wider than the terminal is broken. */
static void text_lines(const char *text) {
  enum { LONGEST = 200 };
  for (int length; *text; text += length + (text[length] == '\n')) {
    char line[LONGEST + 1];
    length = (int)strcspn(text, "\n");
    snprintf(line, sizeof line, "%.*s", length, text);
    if (length > cli_columns() && length <= LONGEST)
      cli_print_wrapped(stdout, line, 0, 0, cli_columns());
    else
      printf("%.*s\n", length, text);
  }
}

static void text_form(const cli_syntax *syntax) {
  printf("usage: cradle %s%s%s [options]\n", syntax->verb, syntax->input ? " " : "",
         syntax->input ? syntax->input : "");
  text_lines(syntax->summary);
  if (syntax->details) putchar('\n'), text_lines(syntax->details);
  if (syntax->example) printf("\nexample: cradle %s %s\n", syntax->verb, syntax->example);
  if (has_own(syntax)) printf("\noptions of %s:\n", syntax->verb), each_option(syntax, false, text_option);
  printf("\ncommon options:\n");
  each_option(syntax, true, text_option);
}

void cli_print_usage(FILE *file, const cli_command *command, int count) {
  fprintf(file,
          "cradle %s: rigid-body contact and impact\n\nusage: cradle VERB INPUT [options]\n\n"
          "INPUT is an MJCF .xml, a URDF .urdf, an impact problem .json, or @name[:n], a built-in example.\n\nverbs:\n",
          crd_version());
  for (int i = 0; i < count; i++) fprintf(file, "  %-10s %s\n", command[i].name, command[i].summary);
  fprintf(file, "\n`cradle help VERB` lists the options of a verb. `cradle --version` prints the version.\n");
}

/* ------------------------------------------------------------------------------------------------ manual pages */

/* A line of running text: troff reads a leading dot or quote as a request, and a backslash as an escape. */
static void man_text(const char *text) {
  if (*text == '.' || *text == '\'') printf("\\&");
  for (; *text; text++) {
    if (*text == '\\')
      printf("\\e");
    else if (*text == '-')
      printf("\\-");
    else
      putchar(*text);
    if (*text == '\n' && (text[1] == '.' || text[1] == '\'')) printf("\\&");
  }
  putchar('\n');
}

static void man_option(const cli_option *option) {
  printf(".TP\n.B ");
  print_escaped(option->name, "-");
  if (option->value) printf(" \\fI"), print_escaped(option->value, "-"), printf("\\fR");
  putchar('\n');
  man_text(option->help);
}

static void man_begin(const char *name, const char *summary) {
  printf(".TH %s 1 \"\" \"cradle %s\" \"cradle manual\"\n.SH NAME\n%s \\- ", name, crd_version(), name);
  man_text(summary);
  printf(".SH SYNOPSIS\n");
}

static void man_form(const cli_syntax *syntax) {
  char name[64];
  snprintf(name, sizeof name, "cradle-%s", syntax->verb);
  man_begin(name, syntax->summary);
  printf(".B cradle %s\n", syntax->verb);
  if (syntax->input) printf(".I "), print_escaped(syntax->input, "-"), putchar('\n');
  printf("[options]\n");
  if (syntax->details) printf(".SH DESCRIPTION\n.nf\n"), man_text(syntax->details), printf(".fi\n");
  if (has_own(syntax)) printf(".SH OPTIONS\n"), each_option(syntax, false, man_option);
  printf(".SH COMMON OPTIONS\n");
  each_option(syntax, true, man_option);
  printf(
      ".SH EXIT STATUS\n0 done; 1 bad input or usage; 2 a numerical verdict, the result is still written; "
      "3 the system failed.\n");
  if (syntax->example) printf(".SH EXAMPLE\n.nf\ncradle %s ", syntax->verb), man_text(syntax->example), printf(".fi\n");
  printf(".SH SEE ALSO\n.BR cradle (1)\n");
}

static void man_of_all(const cli_command *command, int count) {
  man_begin("cradle", "rigid-body contact and impact");
  printf(
      ".B cradle\n.I VERB INPUT\n[options]\n.SH DESCRIPTION\n"
      "INPUT is an MJCF .xml, a URDF .urdf, an impact problem .json, or @name[:n], a built\\-in example.\n"
      ".SH VERBS\n");
  for (int i = 0; i < count; i++) printf(".TP\n.BR cradle\\-%s (1)\n", command[i].name), man_text(command[i].summary);
}

/* ------------------------------------------------------------------------------------------------ completions */

static void bash_name(const cli_option *option) { printf(" %s", option->name); }

static void bash_choices(const cli_option *option) {
  if (option->choices) printf("        %s) words='%s' ;;\n", option->name, option->choices);
}

static void bash_value(const cli_option *option) {
  if (option->kind != CLI_FLAG && !is_file(option) && !option->choices) printf("|%s", option->name);
}

static void bash_form(const cli_syntax *syntax) {
  printf("    %s)\n      options='", syntax->verb);
  each_of_all(syntax, bash_name);
  printf("'\n      case $before in\n");
  each_of_all(syntax, bash_choices);
  printf("        --");
  each_of_all(syntax, bash_value);
  printf(") return ;;\n      esac ;;\n");
}

static void bash_begin(const cli_command *command, int count) {
  printf(
      "# Completion of cradle for bash, written by `cradle help --completion bash`.\n_cradle() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= words=\n"
      "  if [ \"$COMP_CWORD\" = 1 ]; then\n    COMPREPLY=($(compgen -W 'help --help --version");
  for (int i = 0; i < count; i++) printf(" %s", command[i].name);
  printf("' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n    help)\n      words='--man --completion");
  for (int i = 0; i < count; i++) printf(" %s", command[i].name);
  printf("' ;;\n");
}

static void bash_end(void) {
  printf(
      "  esac\n"
      "  if [ -n \"$words\" ]; then\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  elif [ \"${word#-}\" != \"$word\" ]; then\n    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
      "  elif [ \"${word#@}\" != \"$word\" ]; then\n"
      "    COMPREPLY=($(compgen -W \"$(cradle example 2>/dev/null | sed -n 's/^\\(@[a-z-]*\\).*/\\1/p')\" -- "
      "\"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
      "complete -o filenames -F _cradle cradle\n");
}

static void zsh_option(const cli_option *option) {
  char help[512];
  printf(" \\\n        ");
  snprintf(help, sizeof help, "%s", option->help);
  for (char *at = help; *at; at++) *at = *at == '[' ? '(' : *at == ']' ? ')' : *at; /* brackets end the text */
  char spec[1024];
  if (option->kind == CLI_FLAG)
    snprintf(spec, sizeof spec, "%s[%s]", option->name, help);
  else
    snprintf(spec, sizeof spec, "%s[%s]: :%s%s%s", option->name, help, is_file(option) ? "_files" : "",
             option->choices ? "(" : "",
             option->choices   ? option->choices
             : is_file(option) ? ""
                               : " ");
  if (option->choices) strncat(spec, ")", sizeof spec - strlen(spec) - 1);
  print_quoted(spec);
}

static void zsh_form(const cli_syntax *syntax) {
  printf("    %s)\n      _arguments", syntax->verb);
  each_of_all(syntax, zsh_option);
  printf(" \\\n        '*:input:_cradle_input' ;;\n");
}

static void zsh_begin(const cli_command *command, int count) {
  printf(
      "#compdef cradle\n# Completion of cradle for zsh, written by `cradle help --completion zsh`.\n"
      "_cradle_input() {\n  if [[ $PREFIX = @* ]]; then\n"
      "    compadd -- ${(f)\"$(cradle example 2>/dev/null | sed -n 's/^\\(@[a-z-]*\\).*/\\1/p')\"}\n"
      "  else\n    _files\n  fi\n}\n_cradle() {\n  local -a verbs=(");
  for (int i = 0; i < count; i++) {
    char spec[256];
    snprintf(spec, sizeof spec, "%s:%s", command[i].name, command[i].summary);
    putchar(' '), print_quoted(spec);
  }
  printf(
      ")\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n    return\n  fi\n  shift words\n"
      "  (( CURRENT-- ))\n  case $words[1] in\n    help) _describe verb verbs ;;\n");
}

static void zsh_end(void) { printf("  esac\n}\n_cradle \"$@\"\n"); }

static const char *fish_verb;

static void fish_option(const cli_option *option) {
  printf("complete -c cradle -n '__fish_seen_subcommand_from %s' %s %s", fish_verb, is_short(option) ? "-s" : "-l",
         option->name + (is_short(option) ? 1 : 2));
  if (option->kind != CLI_FLAG) printf(is_file(option) ? " -r -F" : " -x");
  if (option->choices) printf(" -a '%s'", option->choices);
  printf(" -d ");
  print_quoted(option->help);
  putchar('\n');
}

static void fish_form(const cli_syntax *syntax) {
  fish_verb = syntax->verb;
  each_of_all(syntax, fish_option);
  printf(
      "complete -c cradle -n '__fish_seen_subcommand_from %s' -a '(cradle example 2>/dev/null | string match -r "
      "\"^@[a-z-]*\")'\n",
      syntax->verb);
}

static void fish_begin(const cli_command *command, int count) {
  printf(
      "# Completion of cradle for fish, written by `cradle help --completion fish`.\n"
      "complete -c cradle -n __fish_use_subcommand -f -a help -d 'help of a verb'\n");
  for (int i = 0; i < count; i++) {
    printf("complete -c cradle -n __fish_use_subcommand -f -a %s -d ", command[i].name);
    print_quoted(command[i].summary);
    printf("\ncomplete -c cradle -n '__fish_seen_subcommand_from help' -f -a %s\n", command[i].name);
  }
}

static void fish_end(void) {}

/* ------------------------------------------------------------------------------------------------ the verb help */

static help_form form = text_form;

void cli_show_help(const cli_syntax *syntax) { form(syntax); }

static const struct {
  const char *name;
  void (*begin)(const cli_command *command, int count);
  help_form each;
  void (*end)(void);
} SHELL[] = {{"bash", bash_begin, bash_form, bash_end},
             {"zsh", zsh_begin, zsh_form, zsh_end},
             {"fish", fish_begin, fish_form, fish_end}};

static char help_word[] = "--help";

/* The verb prints its help in the form that was chosen. */
static int describe(const cli_command *command, int count, const char *verb) {
  char *arguments[] = {help_word};
  for (int i = 0; i < count; i++)
    if (strcmp(command[i].name, verb) == 0) return command[i].run(1, arguments);
  cli_hint hint = cli_hint_begin(verb);
  for (int i = 0; i < count; i++) cli_hint_add(&hint, command[i].name);
  return cli_complain("help", "found '%s', expected a verb (`cradle --help` lists them)%s", verb, hint.text);
}

static int write_completion(const cli_command *command, int count, const char *shell) {
  const int shells = sizeof SHELL / sizeof SHELL[0];
  int s = 0, code = CLI_DONE;
  while (s < shells && (!shell || strcmp(shell, SHELL[s].name) != 0)) s++;
  if (s == shells)
    return cli_complain("help", "--completion: found '%s', expected bash, zsh or fish", shell ? shell : "");
  SHELL[s].begin(command, count);
  form = SHELL[s].each;
  for (int i = 0; i < count && code == CLI_DONE; i++) code = describe(command, count, command[i].name);
  SHELL[s].end();
  return code;
}

int cli_help(const cli_command *command, int count, int argc, char **argv) {
  const char *first = argc > 0 ? argv[0] : NULL, *second = argc > 1 ? argv[1] : NULL;
  int code = CLI_DONE;
  if (argc > 2)
    return cli_complain("help", "found '%s', expected VERB, --man [VERB] or --completion bash|zsh|fish", argv[2]);
  if (!first) {
    cli_print_usage(stdout, command, count);
  } else if (strcmp(first, "--completion") == 0) {
    code = write_completion(command, count, second);
  } else if (strcmp(first, "--man") == 0) {
    form = man_form;
    if (second)
      code = describe(command, count, second);
    else
      man_of_all(command, count);
  } else if (second) {
    code = cli_complain("help", "found '%s', expected one verb", second);
  } else {
    code = describe(command, count, first);
  }
  return code == CLI_DONE ? cli_parse_exit(CLI_HELP_SHOWN) : code;
}
