/* Shared by the verbs of the program: options, output, input.
 *
 * A verb is a function of its arguments that returns the program's exit code. It states its options as a table, parses
 * them, loads its input, writes its result into a cli_output and finishes that. Results go to stdout or -o FILE, all
 * else to stderr.
 */
#ifndef CRADLE_CLI_H
#define CRADLE_CLI_H

#include <cradle/base.h>
#include <stdio.h>

/* Exit codes of CONTRACT.md. */
enum { CLI_DONE = 0, CLI_BAD_INPUT = 1, CLI_VERDICT = 2, CLI_SYSTEM = 3 };

/* The exit code that belongs to a status: verdicts 2, memory 3, a file that cannot be written 3, all else 1. */
int cli_exit_code(crd_status status);

/* "cradle VERB: message" on stderr; returns CLI_BAD_INPUT. */
int cli_complain(const char *verb, const char *format, ...) CRD_PRINTF(2, 3);
/* Removes what is not finished; safe in a signal handler. */
void cli_end_early(void);
/* Has a request of the program for memory failed (memory.c)? Then no result is handed over. */
bool cli_memory_gone(void);
/* "file:line: text" of a library's error on stderr; returns the exit code of its status. */
int cli_report(const crd_error *err);

/* ------------------------------------------------------------------------------------------------ options */

typedef enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_WORDS, CLI_INPUT, CLI_OUTPUT, CLI_NUMBER, CLI_COUNT } cli_kind;

/* One option: "--name" sets *(bool *)target; with a value *(const char **) (a text, words with commas between them, a file that is
 * read, a file that is written), *(double *) or *(uint64_t *). Numbers are finite and not below `least`. */
typedef struct cli_option {
  const char *name;  /* with its dashes */
  const char *value; /* what the value is called in the help, NULL for a flag */
  cli_kind kind;
  void *target;
  double least;
  const char *help;
  const char *choices; /* the words that the value can be, with spaces between them; NULL: any. The parser refuses
                          others, completions offer these */
  bool common;         /* an option that many verbs have: the help lists it last */
} cli_option;

typedef struct cli_syntax {
  const char *verb;
  const char *input;   /* what the argument is called, "INPUT", "[NAME[:n]]"; NULL: there is none */
  const char *summary; /* one line */
  const char *details; /* more lines for the help, or NULL */
  const cli_option *option;
  int noption;
  const char *example; /* a command that works as it stands, without "cradle VERB" */
} cli_syntax;

typedef enum cli_parsed { CLI_PARSED, CLI_HELP_SHOWN, CLI_REFUSED } cli_parsed;

/* Reads the arguments after the verb. *input is the argument that is no option, NULL where there is none. --help prints
 * the help of the verb. Options may be written "--name value" or "--name=value". Every verb has -q and --help without
 * naming them. */
cli_parsed cli_parse(const cli_syntax *syntax, int argc, char **argv, const char **input);

/* A whole number, 1000000, 1e6 or 2^20; false: it is none. */
bool cli_take_count(const char *text, uint64_t *value);

/* The exit code after a parse that was not CLI_PARSED. */
int cli_parse_exit(cli_parsed parsed);

/* A trace that is not there is made of what a killed run left (crd_io_trace_recover), with a message. false: that failed,
 * after a message. */
bool cli_recover(const char *path);

/* ------------------------------------------------------------------------------------------------ stopping */

/* From now on Ctrl-C and SIGTERM are a wish to stop; ends the program where nobody heeds it within half a second. */
void cli_interrupt_begin(void);
/* --max-work: pieces of work (base.h) of a step of run or of another verb, 0: any number. */
void cli_limit_work(uint64_t most);
/* Counts a piece of work; true: end and write what there is. */
bool cli_interrupted(void);
/* "interrupted", "the limit of work is reached (--max-work)" or "". */
const char *cli_interrupt_text(void);
/* Results are being written, from begin to end: an interrupt waits for that. Pairs may be nested. */
void cli_writes(bool begins);

/* ------------------------------------------------------------------------------------------------ help */

typedef struct cli_command {
  const char *name;
  int (*run)(int argc, char **argv); /* the arguments after the verb; returns the exit code */
  const char *summary;
} cli_command;

/* The help of a verb, in the form that cli_help chose: text, unless a manual page or a completion is being written. */
void cli_show_help(const cli_syntax *syntax);
/* cradle help ...: nothing, a verb, --man [VERB] or --completion bash|zsh|fish. All of it is printed from the tables
 * that the verbs parse with. Returns the exit code. */
int cli_help(const cli_command *command, int count, int argc, char **argv);
/* The list of verbs that `cradle --help` prints. */
void cli_print_usage(FILE *file, const cli_command *command, int count);

/* ------------------------------------------------------------------------------------------------ hints */

/* The nearest known word to a mistyped one. Call cli_hint_add for each known word; the text is ": did you mean 'X'?" or
 * empty. */
typedef struct cli_hint {
  const char *word;
  int best;
  char text[128];
} cli_hint;

cli_hint cli_hint_begin(const char *word);
void cli_hint_add(cli_hint *hint, const char *known);
/* The same for words with spaces between them. */
void cli_hint_add_words(cli_hint *hint, const char *words);

/* The names of the impact laws with spaces between them, "all" before them where asked. */
const char *cli_law_names(bool with_all);

/* ------------------------------------------------------------------------------------------------ terminal */

/* Columns of the terminal that standard output is: COLUMNS where it is set, else the terminal's own width, and
 * CLI_COLUMNS where there is neither. */
enum { CLI_COLUMNS = 100 };
int cli_columns(void);
/* Prints text in lines of at most `width` columns, broken at spaces; all lines but the first begin with `indent` spaces.
 * `used` columns of the first line are taken already. Ends with a newline. */
void cli_print_wrapped(FILE *file, const char *text, int used, int indent, int width);

/* The words of the command, verb first; pages keep them, so that they can ask again. */
void cli_keep_words(int count, char **words);
int cli_kept_words(const char *const **words);

/* ------------------------------------------------------------------------------------------------ files */

/* A file that the command will write; false with a message where another output is the same file (cli/files.c). */
bool cli_add_output(const char *verb, const char *option, const char *path);
/* Says on stderr that a file was written, unless -q was given. */
void cli_wrote(const char *path);
/* true, as with -q and from the start: only results and errors are printed. main() sets false. */
void cli_be_quiet(bool be_quiet);
/* A file that the command reads; false with a message where it is an output. cli_parse asks for the input and the
 * options, the reader of a mechanism for includes and meshes. */
bool cli_spares(const char *verb, const char *path);

/* ------------------------------------------------------------------------------------------------ output */

/* Collects the output of a verb and writes it at the end, so that a failure leaves no partial result. */
typedef struct cli_output {
  FILE *file; /* write here */
  char *text;
  size_t size;
} cli_output;

/* false: no memory (said on stderr). */
bool cli_output_begin(cli_output *output);
/* Breaks the lines that are wider than the terminal at spaces, for text that people read. */
void cli_output_fit(cli_output *output);
/* Writes everything to path (whole or not at all), or to stdout where path is NULL, and frees it. Returns code, or
 * CLI_SYSTEM with a message where writing fails. Where code already is CLI_SYSTEM nothing is written. */
int cli_output_end(cli_output *output, const char *path, int code);

/* ------------------------------------------------------------------------------------------------ verbs */

int cmd_example(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_dynamics(int argc, char **argv);
int cmd_impact(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_fit(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_outcomes(int argc, char **argv);
int cmd_solve(int argc, char **argv);
int cmd_view(int argc, char **argv);

#endif
