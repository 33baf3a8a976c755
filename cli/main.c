/* cradle: finds the verb and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>

#include "cli.h"

static const struct {
  const char *name;
  cli_verb run;
  const char *summary;
} VERBS[] = {
    {"example", cmd_example, "list or write built-in examples"},
    {"info", cmd_info, "what was read, sizes, and everything in the file that was ignored"},
    {"dynamics", cmd_dynamics, "M, bias, accelerations, energies, contacts and Delassus matrix at a state"},
    {"impact", cmd_impact, "resolves the impact at the state by every law side by side"},
    {"outcomes", cmd_outcomes, "the set of velocities that a simultaneous impact can lead to"},
    {"check", cmd_check, "are e and mu consistent here, is contact well-posed here"},
    {"run", cmd_run, "simulates through contact, collision and friction"},
    {"solve", cmd_solve, "solves a bare LCP, MLCP, relay or friction problem (Siconos, fclib, JSON)"},
    {"bench", cmd_bench, "the tables of the papers, measured here"},
    {"view", cmd_view, "turns a trace or a file of outcomes into one HTML page"},
};
enum { COUNT = sizeof VERBS / sizeof VERBS[0] };

static void usage(FILE *file) {
  fprintf(file,
          "cradle %s: rigid-body contact and impact\n\nusage: cradle VERB INPUT [options]\n\n"
          "INPUT is an MJCF .xml, a URDF .urdf, an impact problem .json, or @name[:n], a built-in example.\n\nverbs:\n",
          crd_version());
  for (int i = 0; i < COUNT; i++) fprintf(file, "  %-10s %s\n", VERBS[i].name, VERBS[i].summary);
  fprintf(file, "\n`cradle VERB --help` tells the options. `cradle --version` tells the version.\n");
}

/* Exit code after printing to stdout directly. */
static int printed(void) { return cli_parse_exit(CLI_HELP_SHOWN); }

static int run_verb(const char *word, int argc, char **argv) {
  for (int i = 0; i < COUNT; i++)
    if (strcmp(word, VERBS[i].name) == 0) return VERBS[i].run(argc, argv);
  const char *meant = NULL;
  int best = (int)strlen(word);
  for (int i = 0; i < COUNT; i++)
    if (crd_nearer_word(word, VERBS[i].name, &best)) meant = VERBS[i].name;
  return cli_complain(NULL, "found '%s', expected a verb (`cradle --help` lists them)%s%s%s", word,
                      meant ? ": did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
}

/* OpenBLAS, where that is the BLAS: matrices here are small, its threads would only wait for each other, and results
 * must not depend on their number. */
extern void openblas_set_num_threads(int count) __attribute__((weak));

int main(int argc, char **argv) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  /* a reader that went away shows as a failed write (exit 3) instead of a silent death */
  signal(SIGPIPE, SIG_IGN);
  /* and so does a limit on the size of files */
  signal(SIGXFSZ, SIG_IGN);
  if (argc < 2) {
    usage(stderr);
    return CLI_BAD_INPUT;
  }
  const char *word = argv[1];
  const bool asks = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
  if (asks && argc < 3) {
    usage(stdout);
    return printed();
  }
  char option[] = "--help", *help[] = {option};
  if (asks) return run_verb(argv[2], 1, help);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
    printf("cradle %s\n", crd_version());
    return printed();
  }
  return run_verb(word, argc - 2, argv + 2);
}
