/* Tables of text that fit the terminal. */
#ifndef CRADLE_CLI_TABLE_H
#define CRADLE_CLI_TABLE_H

#include "cli.h"

/* Cells are added row by row; every column becomes as wide as its widest cell. */
typedef struct cli_table {
  int columns, count, capacity;
  bool *right; /* columns whose cells end at one place, as numbers do */
  char **cell; /* count of them, the titles first; in a row that is a note, the first one is the text */
  bool *note;  /* one for each row */
  bool failed; /* no memory: said when it is printed */
} cli_table;

/* Titles with '>' before them head columns that are flush right. */
void cli_table_begin(cli_table *table, int columns, const char *const *title);
void cli_table_add(cli_table *table, const char *format, ...) CRD_PRINTF(2, 3);
/* A number with `digits` digits; zero where its magnitude is at most `tolerance`, "-" where it is NaN. */
void cli_table_add_number(cli_table *table, double value, int digits, double tolerance);
/* A line of text below the row that was completed last. */
void cli_table_add_note(cli_table *table, const char *text);

/* Does it fit the terminal in one piece, `indent` spaces before each line, the text of the last column broken where
 * needed? */
bool cli_table_fits(const cli_table *table, int indent);
/* Prints and frees it. A table that is wider than the terminal has the text of its last column broken into lines where
 * that is enough; else columns that do not fit follow below, each part with the first column again. */
void cli_table_print(FILE *file, cli_table *table, int indent);
void cli_table_free(cli_table *table);

#endif
