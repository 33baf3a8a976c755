/* cradle outcomes: its settings, one set of outcomes, and how it is shown. */
#ifndef CRADLE_CLI_OUTCOMES_H
#define CRADLE_CLI_OUTCOMES_H

#include <cradle/outcome.h>

#include "problem_input.h"

typedef struct outcomes_settings {
  cli_common common;
  const char *samples, *pattern, *selection, *sweep; /* as given, NULL: not given */
  double h;                                          /* 0: not given */
  uint64_t steps, facets;                            /* steps 0: not given */
  double tolerance;
  bool allow;
} outcomes_settings;

/* One value of a sweep, or the only set. */
typedef struct outcomes_result {
  double value; /* of the parameter that is swept */
  crd_status status;
  crd_outcome_set set;
} outcomes_result;

typedef struct outcomes_view {
  const cli_problem *input;
  const char *parameter; /* what is swept, NULL: nothing */
  outcomes_result *result;
  int count;
} outcomes_view;

/* The options of sampling that the settings ask for, for this INPUT; false after a message. */
bool outcomes_options(const outcomes_settings *settings, const char *input, crd_outcome_options *options);

void outcomes_print_text(FILE *file, const outcomes_view *view);
/* false: no memory. */
bool outcomes_print_json(FILE *file, const outcomes_view *view);

#endif
