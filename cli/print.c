/* Vectors and matrices for people and for scripts. */
#include <math.h>

#include "common.h"

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_vector(int count, const double *value) {
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_number(value[i]));
  return array;
}

json_t *cli_json_matrix(int rows, int columns, const double *value) {
  json_t *array = json_array();
  for (int i = 0; i < rows; i++)
    json_array_append_new(array, cli_json_vector(columns, value + (size_t)i * (size_t)columns));
  return array;
}

bool cli_json_print(FILE *file, json_t *object) {
  bool done = object && json_dumpf(object, file, JSON_REAL_PRECISION(17)) == 0;
  json_decref(object);
  fputc('\n', file);
  if (!done) fprintf(stderr, "cradle: no memory\n");
  return done;
}

void cli_print_number(FILE *file, double value, double scale) {
  fprintf(file, " %11.6g", fabs(value) < 1e-14 * scale ? 0 : value);
}

static double largest(int count, const double *value) {
  double most = 1;
  for (int i = 0; i < count; i++) most = fmax(most, fabs(value[i]));
  return most;
}

enum { LABEL = 11, NUMBER = 12 }; /* columns of a label with its indentation, and of a number */

/* The numbers that fit in a line. */
static int a_line(void) {
  const int count = (cli_columns() - LABEL) / NUMBER;
  return count < 1 ? 1 : count < CLI_WIDEST ? count : CLI_WIDEST;
}

void cli_print_vector(FILE *file, const char *label, int count, const double *value) {
  if (count > 4 * CLI_WIDEST) {
    fprintf(file, "  %-9s   %d numbers (--json prints them)\n", label, count);
    return;
  }
  const double scale = largest(count, value);
  const int line = a_line();
  fprintf(file, "  %-9s", label);
  for (int i = 0; i < count; i++) {
    if (i > 0 && i % line == 0) fprintf(file, "\n  %-9s", "");
    cli_print_number(file, value[i], scale);
  }
  fputc('\n', file);
}

void cli_print_matrix(FILE *file, const char *title, int rows, int columns, const double *value) {
  if (columns > CLI_WIDEST) {
    fprintf(file, "  %-9s   %d x %d (--json prints it)\n", title, rows, columns);
    return;
  }
  const double scale = largest(rows * columns, value);
  const int line = a_line();
  for (int from = 0, to; from < columns; from = to) {
    to = from + line < columns ? from + line : columns;
    if (columns > line) fprintf(file, "  %s, columns %d to %d\n", title, from, to - 1);
    for (int i = 0; i < rows; i++) {
      fprintf(file, "  %-9s", i == 0 && columns <= line ? title : "");
      for (int j = from; j < to; j++) cli_print_number(file, value[i * columns + j], scale);
      fputc('\n', file);
    }
  }
}
