/* cradle: finds the verb and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>

#include "cli.h"

static const cli_command VERBS[] = {
    {"example", cmd_example, "list the built-in examples, or write one"},
    {"info", cmd_info, "what was read, sizes, and everything in the file that was ignored"},
    {"dynamics", cmd_dynamics, "M, bias, accelerations, energies, contacts and Delassus matrix at a state"},
    {"impact", cmd_impact, "resolve the impact at a state by every law, side by side"},
    {"outcomes", cmd_outcomes, "the set of velocities that a simultaneous impact can lead to"},
    {"check", cmd_check, "are e and mu consistent here, is contact well-posed here"},
    {"fit", cmd_fit, "find the law of impact and its coefficients from measured impacts"},
    {"run", cmd_run, "simulate through contact, collision and friction"},
    {"solve", cmd_solve, "solve a bare LCP, MLCP, relay or friction problem (Siconos, fclib, JSON)"},
    {"bench", cmd_bench, "the tables of the papers, measured here"},
    {"view", cmd_view, "a robot, a trace or a set of outcomes as a page to look at, or as a picture"},
};
enum { COUNT = sizeof VERBS / sizeof VERBS[0] };

static int run_verb(const char *word, int argc, char **argv) {
  cli_keep_words(argc + 1, argv - 1);
  for (int i = 0; i < COUNT; i++)
    if (strcmp(word, VERBS[i].name) == 0) return VERBS[i].run(argc, argv);
  if (word[0] == '-')
    return cli_complain(NULL, "found '%s', expected a verb, its options behind it (`cradle --help` lists them)", word);
  cli_hint hint = cli_hint_begin(word);
  for (int i = 0; i < COUNT; i++) cli_hint_add(&hint, VERBS[i].name);
  return cli_complain(NULL, "found '%s', expected a verb (`cradle --help` lists them)%s", word, hint.text);
}

/* OpenBLAS, where that is the BLAS: matrices here are small, its threads would only wait for each other, and results
 * must not depend on their number. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

/* A verb that found a way without the memory that it was refused has not done what was asked. */
static int end_of(int code) {
  if (!cli_memory_gone()) return code;
  fprintf(stderr, "cradle: no memory\n");
  return CLI_SYSTEM;
}

int main(int argc, char **argv) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  /* a reader that went away shows as a failed write (exit 3) instead of a silent death */
  signal(SIGPIPE, SIG_IGN);
  /* and so does a limit on the size of files */
  signal(SIGXFSZ, SIG_IGN);
  cli_be_quiet(false);
  cli_interrupt_begin();
  if (argc < 2) {
    cli_print_usage(stderr, VERBS, COUNT);
    return CLI_BAD_INPUT;
  }
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
    return cli_help(VERBS, COUNT, argc - 2, argv + 2);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    printf("cradle %s\n", crd_version());
    return cli_parse_exit(CLI_HELP_SHOWN);
  }
  return end_of(run_verb(word, argc - 2, argv + 2));
}
