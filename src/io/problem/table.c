#include "io/problem/table.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/layout.h"
#include "io/file/number.h"
#include "io/file/path.h"

typedef struct reading {
  crd_number_table *table;
  const crd_table_form *form;
  crd_arena *arena;
} reading;

static bool is_title(const char *line) {
  double x;
  return !crd_number_read(line + strspn(line, " \t"), &x);
}

/* How many numbers the line begins with. */
static size_t count_numbers(const char *line) {
  size_t count = 0;
  double x;
  for (const char *at = line; at; count++) {
    const char *end = crd_number_read(at, &x);
    if (!end) break;
    end += strspn(end, " \t\r");
    if (*end != ',') return count + (*end == 0);
    at = end + 1;
  }
  return count;
}

/* The widest of the form's widths that a line with so many numbers has; the narrowest where it has too few. */
static size_t choose_width(const crd_table_form *form, size_t numbers) {
  size_t width = form->width[0];
  for (int k = 1; k < form->nwidth; k++)
    if (form->width[k] <= numbers) width = form->width[k];
  return width;
}

static bool fault(reading *r, size_t row, const char *text) {
  r->table->fault[row] = crd_arena_string(r->arena, text);
  return r->table->fault[row] != NULL;
}

/* One line, terminated; false: no memory. */
static bool read_line(reading *r, size_t row, char *line) {
  crd_number_table *t = r->table;
  char text[160], name[32];
  char *at = line;
  for (size_t k = 0; k < t->width; k++) {
    double *to = &t->value[row * t->width + k];
    at += strspn(at, " \t");
    const char *end = crd_number_read(at, to), *rest = end ? end + strspn(end, " \t\r") : NULL;
    const size_t length = strcspn(at, ",");
    if (!end || (*rest && *rest != ',') || !isfinite(*to)) {
      r->form->column(r->form->context, t->width, k, name);
      snprintf(text, sizeof text, "column %zu (%s): found '%.*s', expected a finite number", k + 1, name,
               (int)(length < 40 ? length : 40), at);
      return fault(r, row, text);
    }
    at += length;
    if (*at == ',') {
      at++;
    } else if (k + 1 < t->width) {
      snprintf(text, sizeof text, "found %zu columns, expected %zu (%s)", k + 1, t->width, r->form->expected);
      return fault(r, row, text);
    }
  }
  if (strchr(at, ',')) {
    snprintf(text, sizeof text, "found more than %zu columns, expected %zu (%s) and a name", t->width + 1, t->width,
             r->form->expected);
    return fault(r, row, text);
  }
  at += strspn(at, " \t");
  size_t size = strlen(at);
  while (size > 0 && isspace((unsigned char)at[size - 1])) size--;
  at[size] = 0;
  if (size > 0 && !(t->word[row] = crd_arena_string(r->arena, at))) return false;
  return true;
}

static bool make_room(reading *r, size_t rows) {
  crd_number_table *t = r->table;
  return !CRD_TAKE(r->arena, CRD_MATRIX(t->value, rows, t->width), CRD_ARRAY(t->word, rows), CRD_ARRAY(t->fault, rows),
                   CRD_ARRAY(t->line, rows));
}

crd_status crd_number_table_read(const char *path, const crd_table_form *form, crd_arena *arena,
                                 crd_number_table *table, crd_error *err) {
  reading r = {.table = table, .form = form, .arena = arena};
  char *text;
  size_t size, lines = 1;
  *table = (crd_number_table){0};
  crd_status status = crd_path_read(arena, path, &text, &size, err);
  if (status != CRD_OK) return status;
  for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
  int number = 0;
  bool titled = false;
  for (char *line = text, *next; line && *line; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    number++;
    if (line[strspn(line, " \t\r")] == 0 || line[strspn(line, " \t")] == '#') continue;
    const bool titles = !titled && table->width == 0 && is_title(line);
    titled = true;
    if (titles) continue;
    if (table->width == 0) {
      table->width = choose_width(form, count_numbers(line));
      if (!make_room(&r, lines)) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory");
    }
    table->line[table->rows] = number;
    if (!read_line(&r, table->rows++, line)) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "out of memory");
  }
  if (table->rows == 0) return crd_error_set(err, CRD_ERR_FORMAT, path, 0, "found no row, expected at least one");
  return CRD_OK;
}
