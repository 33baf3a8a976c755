/* Printing of impacts: laws side by side for people, everything for scripts. */
#ifndef CRADLE_CLI_IMPACT_PRINT_H
#define CRADLE_CLI_IMPACT_PRINT_H

#include <cradle/impact.h>

#include "picture_files.h"
#include "problem_input.h"

typedef struct impact_view {
  const cli_problem *input;
  const crd_impact_law *const *law;
  const crd_impact_result *result;
  int count;
  const crd_impact_options *options;
} impact_view;

/* The answers of the i-th law. */
json_t *impact_law_json(const impact_view *view, int i);
/* The object of --json. */
json_t *impact_json(const impact_view *view);
void impact_print_text(FILE *file, const impact_view *view);
/* The laws side by side as a picture; the exit code, after a message where it is not CLI_DONE. */
int impact_picture_write(const picture_files *files, const impact_view *view);

/* INPUT is many problems (batch.h): the exit code. */
int impact_batch_run(const char *name, const cli_common *common, bool allow, const crd_impact_law *const *law, int nlaw,
                     const crd_impact_options *options);

#endif
