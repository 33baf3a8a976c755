/* Answers to many problems as arrays: each number and text of their JSON is an array, whose name is the way to it. */
#ifndef CRADLE_CLI_BATCH_ARRAYS_H
#define CRADLE_CLI_BATCH_ARRAYS_H

#include <cradle/io.h>
#include <jansson.h>

#include "cli.h"

typedef struct cli_arrays cli_arrays;

cli_arrays *cli_arrays_new(size_t rows); /* NULL: no memory */
void cli_arrays_free(cli_arrays *arrays);
/* Takes the row's answer. {"a": {"b": 1}, "c": [[1, 2], [3, 4]], "d": [{"e": 5}]} has the arrays /a/b, /c (four numbers) and /d/0/e;
 * true and false are 1 and 0, null and what a row does not have NaN or an empty text. false: no memory. */
bool cli_arrays_add(cli_arrays *arrays, size_t row, json_t *answer);
/* HDF5, whole or not at all; the exit code, after a message where it is not CLI_DONE. */
int cli_arrays_write(const cli_arrays *arrays, const char *verb, const char *path);

#endif
