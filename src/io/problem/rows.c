/* Many impact problems in one file: [ {..}, {..} ], or an object on every line, or HDF5 (rows_h5.c).
 *
 * Lines are found at once and parsed when a row is asked for, by whichever thread asks; a list is parsed at once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/file/path.h"
#include "io/problem/row.h"

typedef struct line {
  size_t first, size;
  int number; /* from 1 */
} line;

struct crd_problem_rows {
  crd_arena arena;
  const char *name;
  crd_problem_read_options options;
  size_t count;
  const char *text;
  const line *at;               /* count: objects on lines; NULL: in a list, or in columns */
  json_t *list;                 /* of a list, or the only problem */
  crd_problem_columns *columns; /* of HDF5 */
};

static bool is_blank(const char *text, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (!strchr(" \t\r\n", text[i]) || !text[i]) return false;
  return true;
}

/* The next line that is not blank; false: there is none. */
static bool next_line(const char *text, size_t size, size_t *at, int *number, line *found) {
  while (*at < size) {
    const char *end = memchr(text + *at, '\n', size - *at);
    *found = (line){*at, (end ? (size_t)(end - text) : size) - *at, ++*number};
    *at += found->size + 1;
    if (!is_blank(text + found->first, found->size)) return true;
  }
  return false;
}

/* Two lines that both begin an object: a problem over several lines does not begin its second with a brace. */
static bool has_lines(const char *text, size_t size) {
  line one, two;
  size_t at = 0;
  int number = 0;
  return next_line(text, size, &at, &number, &one) && text[one.first] == '{' &&
         next_line(text, size, &at, &number, &two) && text[two.first] == '{';
}

static crd_status find_lines(crd_problem_rows *rows, size_t size) {
  size_t capacity = 1, at = 0;
  int number = 0;
  for (size_t i = 0; i < size; i++) capacity += rows->text[i] == '\n';
  line *found = crd_arena_alloc(&rows->arena, capacity, sizeof *found);
  if (!found) return CRD_ERR_MEMORY;
  while (next_line(rows->text, size, &at, &number, &found[rows->count])) rows->count++;
  rows->at = found;
  return CRD_OK;
}

static crd_status parse_list(crd_problem_rows *rows, size_t size, crd_error *err) {
  json_error_t where;
  rows->list = json_loadb(rows->text, size, JSON_REJECT_DUPLICATES, &where);
  if (!rows->list)
    return crd_error_set(err, CRD_ERR_FORMAT, rows->name, where.line > 0 ? where.line : 0, "not JSON: %s", where.text);
  if (!json_is_array(rows->list) && !json_is_object(rows->list))
    return crd_error_set(err, CRD_ERR_FORMAT, rows->name, 0,
                         "found neither a list nor an object, expected impact problems");
  rows->count = json_is_array(rows->list) ? json_array_size(rows->list) : 1;
  return CRD_OK;
}

static crd_problem_rows *empty(const char *name, const crd_problem_read_options *options) {
  crd_problem_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return NULL;
  rows->name = crd_arena_string(&rows->arena, name);
  if (options) rows->options = *options;
  return rows;
}

/* Rows of the text, which lies in their arena. */
static crd_status open_text(crd_problem_rows *rows, size_t size, crd_error *err) {
  crd_status status = has_lines(rows->text, size) ? find_lines(rows, size) : parse_list(rows, size, err);
  if (status == CRD_ERR_MEMORY) crd_error_set(err, status, rows->name, 0, "out of memory");
  if (status == CRD_OK && rows->count == 0)
    status = crd_error_set(err, CRD_ERR_FORMAT, rows->name, 0, "found no problem, expected at least one");
  return status;
}

static crd_status conclude(crd_problem_rows *made, crd_status status, crd_problem_rows **rows) {
  *rows = status == CRD_OK ? made : NULL;
  if (status != CRD_OK) crd_io_close_problem_rows(made);
  return status;
}

crd_status crd_io_open_problem_rows_text(const char *text, size_t size, const char *name,
                                         const crd_problem_read_options *options, crd_problem_rows **rows,
                                         crd_error *err) {
  crd_problem_rows *made = empty(name, options);
  char *copy = made ? crd_arena_alloc(&made->arena, size + 1, 1) : NULL;
  if (!copy) return conclude(made, crd_error_set(err, CRD_ERR_MEMORY, name, 0, "out of memory"), rows);
  memcpy(copy, text, size);
  made->text = copy;
  return conclude(made, open_text(made, size, err), rows);
}

crd_status crd_io_open_problem_rows(const char *path, const crd_problem_read_options *options, crd_problem_rows **rows,
                                    crd_error *err) {
  crd_problem_rows *made = empty(path, options);
  char *text;
  size_t size;
  if (!made) return conclude(made, crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory"), rows);
  crd_status status;
  if (crd_problem_columns_in(path)) {
    status = crd_problem_columns_read(path, options, &made->arena, &made->columns, &made->count, err);
  } else {
    status = crd_path_read(&made->arena, path, &text, &size, err);
    if (status == CRD_OK) made->text = text, status = open_text(made, size, err);
  }
  return conclude(made, status, rows);
}

bool crd_io_is_problem_rows(const char *path) {
  crd_arena arena = {0};
  crd_error err;
  char *text;
  size_t size;
  bool many = crd_problem_columns_in(path);
  if (!many && crd_path_read(&arena, path, &text, &size, &err) == CRD_OK) {
    const size_t blank = strspn(text, " \t\r\n");
    many = text[blank] == '[' || has_lines(text, size);
  }
  crd_arena_free(&arena);
  return many;
}

size_t crd_io_problem_rows_count(const crd_problem_rows *rows) { return rows->count; }

static crd_status take_line(const crd_problem_rows *rows, const line *at, crd_contact_problem *problem,
                            crd_measured *measured, crd_error *err) {
  json_error_t where;
  crd_status status;
  json_t *value = json_loadb(rows->text + at->first, at->size, JSON_REJECT_DUPLICATES, &where);
  if (value)
    status = crd_problem_read_value(value, rows->name, true, &rows->options, problem, measured, err);
  else
    status = crd_error_set(err, CRD_ERR_FORMAT, rows->name, 0, "not JSON: %s", where.text);
  if (status != CRD_OK && err) err->line = at->number;
  json_decref(value);
  return status;
}

crd_status crd_io_take_problem_row(const crd_problem_rows *rows, size_t row, crd_contact_problem *problem,
                                   crd_measured *measured, crd_error *err) {
  crd_error own;
  if (!err) err = &own;
  if (row >= rows->count) return crd_error_set(err, CRD_ERR_ARGUMENT, rows->name, 0, "there is no row %zu", row + 1);
  if (rows->columns) return crd_problem_columns_take(rows->columns, rows->name, row, problem, measured, err);
  if (rows->at) return take_line(rows, &rows->at[row], problem, measured, err);
  json_t *value = json_is_array(rows->list) ? json_array_get(rows->list, row) : rows->list;
  return crd_problem_read_value(value, rows->name, json_is_array(rows->list), &rows->options, problem, measured, err);
}

void crd_io_close_problem_rows(crd_problem_rows *rows) {
  if (!rows) return;
  json_decref(rows->list);
  crd_arena_free(&rows->arena);
  free(rows);
}

void crd_io_measured_free(crd_measured *measured) {
  crd_arena_free(&measured->arena);
  *measured = (crd_measured){0};
}
