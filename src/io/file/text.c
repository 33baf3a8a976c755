/* A text that grows by doubling; numbers in their shortest exact decimal form. */
#include "io/file/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "io/file/number.h"

/* Makes room for `more` characters and the terminating zero. */
static bool reserve(crd_text *text, size_t more) {
  if (text->failed) return false;
  if (text->size + more < text->capacity) return true;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity <= text->size + more) capacity *= 2;
  char *data = realloc(text->data, capacity);
  if (!data) {
    text->failed = true;
    return false;
  }
  text->data = data, text->capacity = capacity;
  return true;
}

void crd_text_add(crd_text *text, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = crd_vprint(NULL, 0, format, args);
  if (length < 0) text->failed = true;
  if (length >= 0 && reserve(text, (size_t)length)) {
    crd_vprint(text->data + text->size, (size_t)length + 1, format, again);
    text->size += (size_t)length;
  }
  va_end(again);
  va_end(args);
}

void crd_text_add_number(crd_text *text, double value) {
  char digits[40];
  for (int precision = 15; precision <= 17; precision++) {
    double back = 0;
    crd_print(digits, sizeof digits, "%.*g", precision, value);
    if (crd_number_read(digits, &back) && back == value) break;
  }
  crd_text_add(text, "%s", digits);
}

void crd_text_add_numbers(crd_text *text, int count, const double *value) {
  for (int i = 0; i < count; i++) {
    if (i > 0) crd_text_add(text, " ");
    crd_text_add_number(text, value[i]);
  }
}

void crd_text_free(crd_text *text) {
  free(text->data);
  *text = (crd_text){0};
}
