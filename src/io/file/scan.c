/* Numbers of a plain text file, one after the other. */
#include "io/file/scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "io/file/number.h"

static const char SEPARATORS[] = " \t\r\n,";

static bool is_separator(char c) { return c && strchr(SEPARATORS, c); }

crd_scan crd_scan_begin(const char *text, const char *name, crd_error *err) {
  return (crd_scan){.at = text, .end = text + strlen(text), .name = name, .line = 1, .err = err};
}

void crd_scan_skip(crd_scan *s) {
  for (; is_separator(*s->at); s->at++) s->line += *s->at == '\n';
}

void crd_scan_fail(crd_scan *s, crd_status status, const char *format, ...) {
  if (s->status) return;
  char found[24] = "the end of the file", expected[200];
  va_list args;
  va_start(args, format);
  crd_vprint(expected, sizeof expected, format, args);
  va_end(args);
  if (*s->at) {
    size_t length = strcspn(s->at, SEPARATORS);
    snprintf(found, sizeof found, "'%.*s'", (int)(length < 20 ? length : 20), s->at);
  }
  s->status = crd_error_set(s->err, status, s->name, s->line, "found %s, expected %s", found, expected);
}

void *crd_scan_memory(crd_scan *s, void *memory) {
  if (!memory && !s->status) s->status = crd_error_set(s->err, CRD_ERR_MEMORY, s->name, 0, "out of memory");
  return memory;
}

double crd_scan_number(crd_scan *s, const char *what) {
  double value = 0;
  if (s->status) return 0;
  crd_scan_skip(s);
  const char *end = crd_number_read(s->at, &value);
  if (!end || (*end && !is_separator(*end))) {
    crd_scan_fail(s, CRD_ERR_FORMAT, "%s", what);
    return 0;
  }
  if (!isfinite(value)) {
    crd_scan_fail(s, CRD_ERR_NUMBER, "%s", what);
    return 0;
  }
  s->at = end;
  return value;
}

int crd_scan_count(crd_scan *s, int least, int most, const char *what) {
  crd_scan_skip(s);
  crd_scan before = *s;
  double value = crd_scan_number(s, what);
  if (s->status) return least;
  if (value != floor(value) || value < least || value > most) {
    *s = before;
    crd_scan_fail(s, CRD_ERR_FORMAT, "%s", what);
    return least;
  }
  return (int)value;
}

void crd_scan_numbers(crd_scan *s, double *out, int rows, int cols, size_t row_step, size_t col_step,
                      const char *name) {
  for (int i = 0; i < rows && !s->status; i++)
    for (int j = 0; j < cols && !s->status; j++) {
      char what[64];
      snprintf(what, sizeof what, "a number (%s, %lld of %lld)", name, (long long)i * cols + j + 1,
               (long long)rows * cols);
      double value = crd_scan_number(s, what);
      if (!s->status) out[(size_t)i * row_step + (size_t)j * col_step] = value;
    }
}

void crd_scan_literal(crd_scan *s, const char *literal) {
  if (s->status) return;
  crd_scan_skip(s);
  size_t length = strlen(literal);
  if (strncmp(s->at, literal, length) == 0)
    s->at += length;
  else
    crd_scan_fail(s, CRD_ERR_FORMAT, "'%s'", literal);
}

int crd_scan_index(crd_scan *s, int most, const char *what) {
  if (s->status) return 0;
  crd_scan_skip(s);
  long long value = -1;
  const char *at = s->at;
  for (; *at >= '0' && *at <= '9' && value <= most; at++) value = (value < 0 ? 0 : value) * 10 + (*at - '0');
  if (value < 0 || value > most) {
    crd_scan_fail(s, CRD_ERR_FORMAT, "%s, 0 to %d", what, most);
    return 0;
  }
  s->at = at;
  return (int)value;
}

void crd_scan_line(crd_scan *s) {
  if (s->status) return;
  s->at += strcspn(s->at, "\n");
}

bool crd_scan_has_room(crd_scan *s, size_t count, const char *what) {
  if (s->status) return false;
  size_t left = (size_t)(s->end - s->at);
  if (left / 2 + 1 >= count) return true;
  s->status = crd_error_set(s->err, CRD_ERR_FORMAT, s->name, s->line,
                            "found a file too short for %s, expected %zu more numbers", what, count);
  return false;
}

int crd_scan_ahead(const crd_scan *s, int most, double *value) {
  crd_scan ahead = *s;
  int count = 0;
  while (count < most) {
    double number;
    crd_scan_skip(&ahead);
    const char *end = crd_number_read(ahead.at, &number);
    if (!end || (*end && !is_separator(*end))) break;
    if (value) value[count] = number;
    count++, ahead.at = end;
  }
  return count;
}
