/* The contact problem of an INPUT: a mechanism at a state, or an impact problem file. */
#ifndef CRADLE_CLI_PROBLEM_INPUT_H
#define CRADLE_CLI_PROBLEM_INPUT_H

#include "common.h"

typedef struct cli_problem {
  const char *input;
  bool from_model;
  cli_mechanism mechanism; /* from_model only */
  crd_workspace *work;     /* from_model only */
  crd_trace trace;         /* of an event of a run, else empty */
  crd_contact_problem *problem;
} cli_problem;

#define CLI_NO_EVENT UINT64_MAX /* INPUT is no trace */
/* INPUT is a trace, and event (from 0) the number of an impact in it: the problem just before that. */
int cli_problem_read_event(cli_problem *input, const char *verb, const char *name, const cli_common *common,
                           uint64_t event, bool allow);

/* Reads INPUT; --mu and --e override all contacts. allow: restitution outside 0..1 is accepted. Returns CLI_DONE, or
 * the exit code after a message on stderr. Free in either case. */
int cli_problem_read(cli_problem *input, const char *verb, const char *name, const cli_common *common, bool allow);
void cli_problem_free(cli_problem *input);

/* For what knows no torsional or rolling friction: false after a message where the problem has it. */
bool cli_problem_slides_only(const char *verb, const char *name, const crd_contact_problem *problem);

/* --mu and --e for all contacts of a problem from a file. */
void cli_problem_override(crd_contact_problem *problem, const cli_common *common);

#endif
