/* Rows of numbers with a word behind them, from CSV. */
#ifndef CRADLE_SRC_IO_PROBLEM_TABLE_H
#define CRADLE_SRC_IO_PROBLEM_TABLE_H

#include <cradle/base.h>

typedef struct crd_number_table {
  size_t rows, width;
  double *value;      /* rows x width */
  const char **word;  /* rows: what stands behind the numbers; NULL: nothing */
  const char **fault; /* rows: fault, by column; NULL: none */
  int *line;          /* rows */
} crd_number_table;

/* The widths that a table may have, ascending, and the names of its columns for messages. */
typedef struct crd_table_form {
  int nwidth;
  const size_t *width;
  const char *expected; /* "7 of qpos, twice 6 of qvel" */
  void (*column)(const void *context, size_t width, size_t k, char name[32]);
  const void *context;
} crd_table_form;

/* Reads a table of the widest form that the first row has numbers for. Lines that begin with # and a first line of titles are passed
 * over. A bad row has a fault and leaves the others alone. CRD_ERR_FILE, CRD_ERR_MEMORY; CRD_ERR_FORMAT: no row. */
crd_status crd_number_table_read(const char *path, const crd_table_form *form, crd_arena *arena,
                                 crd_number_table *table, crd_error *err);

#endif
