/* INPUT that is many impact problems: a list in JSON, an object on every line, HDF5, or `-`, standard input. One object a
 * row goes out, on a line of its own: { "row": 1, .. }, and { "row": 7, "error": ".." } for a row that is bad. */
#ifndef CRADLE_CLI_BATCH_H
#define CRADLE_CLI_BATCH_H

#include "problem_input.h"

typedef struct cli_batch {
  const char *verb, *name;
  const cli_common *common;
  crd_problem_rows *rows;
  size_t count, bad;
} cli_batch;

bool cli_is_batch(const char *name);
/* CLI_DONE, or the exit code after a message. Close in either case. */
int cli_batch_open(cli_batch *batch, const char *verb, const char *name, const cli_common *common, bool allow);
void cli_batch_close(cli_batch *batch);

/* The problem of a row with --mu and --e; several threads may ask. measured may be NULL. */
crd_status cli_batch_take(const cli_batch *batch, size_t row, crd_contact_problem *problem, crd_measured *measured,
                          crd_error *err);
/* Prints the row's line, numbered from 1; the object is freed. false: no memory. */
bool cli_batch_print(FILE *file, size_t row, json_t *object);
/* The object of a bad row; the first few are said on stderr, too. */
json_t *cli_batch_fault(cli_batch *batch, size_t row, const crd_error *err);
/* The exit code of the whole after how many rows are bad is said: CLI_VERDICT where some are, CLI_BAD_INPUT where all are. */
int cli_batch_code(const cli_batch *batch, int code);

/* The answer to one row (NULL: no memory); the exit code. `input` is a problem without a model. */
typedef int (*cli_batch_row)(void *context, cli_problem *input, json_t **answer);
/* All rows, with a progress bar, on threads where `parallel` (`row` is then called by several at once); an interrupt keeps what is
 * done. Answers are lines, or arrays in -o FILE.h5 (batch_arrays.h). */
int cli_batch_run(const char *verb, const char *name, const cli_common *common, bool allow, cli_batch_row row,
                  void *context, bool parallel);

#endif
