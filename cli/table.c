#include "table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN = 2, NARROWEST_TEXT = 24, NOTE_INDENT = 4 };

static int rows_of(const cli_table *table) { return (table->count + table->columns - 1) / table->columns; }

/* Room for one more cell. */
static bool grow(cli_table *table) {
  if (table->count < table->capacity) return true;
  const int capacity = 2 * table->capacity + 8 * table->columns;
  char **cell = realloc(table->cell, (size_t)capacity * sizeof *cell);
  if (cell) table->cell = cell;
  bool *note = realloc(table->note, (size_t)capacity * sizeof *note);
  if (note) table->note = note;
  table->failed = table->failed || !cell || !note;
  if (!table->failed) table->capacity = capacity;
  return !table->failed;
}

static void add_text(cli_table *table, const char *text, bool note) {
  if (!grow(table)) return;
  char *copy = malloc(strlen(text) + 1);
  if (copy)
    strcpy(copy, text);
  else
    table->failed = true;
  if (table->count % table->columns == 0) table->note[table->count / table->columns] = note;
  table->cell[table->count++] = copy;
}

void cli_table_begin(cli_table *table, int columns, const char *const *title) {
  *table = (cli_table){.columns = columns, .right = calloc((size_t)columns, sizeof(bool))};
  table->failed = !table->right;
  for (int i = 0; i < columns && !table->failed; i++) {
    table->right[i] = title[i][0] == '>';
    add_text(table, title[i] + table->right[i], false);
  }
}

void cli_table_add(cli_table *table, const char *format, ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!table->failed) add_text(table, text, false);
}

void cli_table_add_number(cli_table *table, double value, int digits, double tolerance) {
  if (isnan(value))
    cli_table_add(table, "-");
  else
    cli_table_add(table, "%.*g", digits, fabs(value) <= tolerance ? 0 : value);
}

void cli_table_add_note(cli_table *table, const char *text) {
  for (int i = 0; i < table->columns && !table->failed; i++) add_text(table, i ? "" : text, true);
}

/* Characters of UTF-8 text. */
static int length_of(const char *text) {
  int length = 0;
  for (; *text; text++) length += ((unsigned char)*text & 0xc0) != 0x80;
  return length;
}

static int column_width(const cli_table *table, int column) {
  int width = 0;
  for (int row = 0; row < rows_of(table); row++) {
    const int at = row * table->columns + column;
    const int own = table->note[row] || at >= table->count ? 0 : length_of(table->cell[at]);
    if (own > width) width = own;
  }
  return width;
}

static int part_width(const cli_table *table, int indent, int from, int to) {
  int width = indent + column_width(table, 0);
  for (int i = from; i < to; i++) width += BETWEEN + column_width(table, i);
  return width;
}

/* One row: the first column and those from `from` to before `to`; the text of the table's last one is broken into lines.
 */
static void print_row(FILE *file, const cli_table *table, int row, int indent, int from, int to, int columns) {
  int printed = 0, start = indent;
  for (int i = 0; i < to; i = i == 0 ? from : i + 1) {
    const char *text = table->cell[row * table->columns + i];
    const int width = column_width(table, i), length = length_of(text);
    const int place = start + (table->right[i] ? width - length : 0);
    if (*text) fprintf(file, "%*s", place - printed, "");
    if (*text && i > 0 && i == table->columns - 1 && !table->right[i]) {
      cli_print_wrapped(file, text, place, place, columns);
      return;
    }
    if (*text) fputs(text, file), printed = place + length;
    start += width + BETWEEN;
  }
  fputc('\n', file);
}

static void print_part(FILE *file, const cli_table *table, int indent, int from, int to, int columns) {
  const bool last = to == table->columns;
  for (int row = 0; row < rows_of(table); row++) {
    if (!table->note[row]) {
      print_row(file, table, row, indent, from, to, columns);
    } else if (last) {
      fprintf(file, "%*s", indent + NOTE_INDENT, "");
      cli_print_wrapped(file, table->cell[row * table->columns], indent + NOTE_INDENT, indent + NOTE_INDENT, columns);
    }
  }
}

bool cli_table_fits(const cli_table *table, int indent) {
  const int columns = cli_columns();
  if (table->failed || part_width(table, indent, 1, table->columns) <= columns) return true;
  if (table->columns < 2 || table->right[table->columns - 1]) return false;
  const int before = part_width(table, indent, 1, table->columns - 1) + BETWEEN;
  const int text = column_width(table, table->columns - 1);
  return before + (text < NARROWEST_TEXT ? text : NARROWEST_TEXT) <= columns;
}

void cli_table_print(FILE *file, cli_table *table, int indent) {
  const int columns = cli_columns();
  if (table->failed) {
    fprintf(file, "%*sno memory for this table\n", indent, "");
  } else if (cli_table_fits(table, indent)) {
    print_part(file, table, indent, 1, table->columns, columns);
  } else {
    for (int from = 1, to; from < table->columns; from = to) {
      for (to = from + 1; to < table->columns && part_width(table, indent, from, to + 1) <= columns;) to++;
      if (from > 1) fputc('\n', file);
      print_part(file, table, indent, from, to, columns);
    }
  }
  cli_table_free(table);
}

void cli_table_free(cli_table *table) {
  for (int i = 0; i < table->count; i++) free(table->cell[i]);
  free(table->cell), free(table->note), free(table->right);
  *table = (cli_table){0};
}
