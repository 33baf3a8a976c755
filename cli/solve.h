/* cradle solve: what its parts share. */
#ifndef CRADLE_CLI_SOLVE_H
#define CRADLE_CLI_SOLVE_H

#include "common.h"

#define SOLVE_NOT_GIVEN UINT64_MAX
enum { SOLVE_SEARCH_ROWS = 12, SOLVE_SEARCH_NODES = 5000 };

typedef struct solve_options {
  bool json;
  const char *output;
  double tolerance; /* NaN: the method's own */
  uint64_t line;    /* of a file with one problem a line; 0: the file is the problem */
  /* complementarity problems */
  bool all, classes;
  uint64_t max_pivots, search; /* SOLVE_NOT_GIVEN: by size */
  /* friction problems */
  const char *method;  /* NULL: auto */
  const char *problem; /* where the problem is written as JSON; NULL: nowhere */
  bool warm, compare;
} solve_options;

/* Solve, print, and return the exit code. */
int solve_lcp(const char *input, const crd_lcp_file *file, const solve_options *options);
int solve_friction(const char *input, const crd_coulomb_file *file, const solve_options *options);

/* ------------------------------------------------------------------------------------------------ friction problems */

/* One method beside others. */
typedef struct solve_rival {
  const char *name;   /* "newton", "siconos nsgs" */
  const char *status; /* of the answer, or why there is none */
  bool answered;      /* the numbers that follow mean something */
  int iterations;
  double residual; /* crd_coulomb_residual of its impulses */
  double cpu_s;    /* of the solve alone */
} solve_rival;
enum { SOLVE_RIVALS = 8, SOLVE_REPEATS = 5 };
#define SOLVE_LONG 0.05 /* s: a solve that took this long is not repeated for its time */

/* Everything that is printed of a friction problem. */
typedef struct solve_friction_view {
  const char *input;
  const crd_coulomb_file *file;
  crd_status status;
  crd_coulomb_report report;
  crd_coulomb_residual_parts residual;
  double *p, *u; /* n */
  crd_mode *mode;
  double cpu_s;
  int nrival;
  solve_rival rival[SOLVE_RIVALS];
} solve_friction_view;

void solve_print_text(FILE *file, const solve_friction_view *view);
bool solve_print_json(FILE *file, const solve_friction_view *view);

/* crd_coulomb_solve with the file's guess where options say so. state is filled. *cpu_s: of the solve. */
crd_status solve_once(crd_coulomb_work *work, const crd_coulomb_file *file, const crd_coulomb_options *options,
                      crd_coulomb_state *state, crd_coulomb_report *report, double *cpu_s);
/* Fills view->rival: every method of cradle, and those of Siconos where it is installed. */
crd_status solve_compare(solve_friction_view *view, const crd_coulomb_options *options);

/* CPU seconds of this thread; the BLAS has no others. (The clock of a process counts in ticks while a limit is set.) */
double solve_cpu(void);

/* The methods of Siconos (solve_siconos.c). name: NULL beyond the last. */
const char *solve_siconos_name(const crd_coulomb_problem *problem, int which);
/* Solves by one of them; p (n) gets the impulses. */
void solve_siconos(const crd_coulomb_problem *problem, int which, double tolerance, double *p, solve_rival *rival);

#endif
