/* --sweep NAME=FROM:TO:COUNT: a family of sets. */
#ifndef CRADLE_CLI_OUTCOMES_SWEEP_H
#define CRADLE_CLI_OUTCOMES_SWEEP_H

#include "outcomes.h"

typedef enum sweep_kind { SWEEP_NONE, SWEEP_MU, SWEEP_E, SWEEP_H, SWEEP_JOINT } sweep_kind;

typedef struct outcomes_sweep {
  sweep_kind kind;
  char name[128];
  double from, to;
  int count; /* 1 for SWEEP_NONE */
  int qpos;  /* SWEEP_JOINT: its place */
} outcomes_sweep;

/* Reads the text (NULL: no sweep) for this input; false after a message. */
bool outcomes_sweep_read(outcomes_sweep *sweep, const char *text, const cli_problem *input);
/* Sets the i-th value in the problem or the options, and returns it. *status: of the contact problem there. */
double outcomes_sweep_apply(const outcomes_sweep *sweep, int i, const outcomes_settings *settings, cli_problem *input,
                            crd_outcome_options *options, crd_status *status);

#endif
