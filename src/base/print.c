#define _POSIX_C_SOURCE 200809L /* uselocale */
#include "base/print.h"

#include <locale.h>
#include <stdio.h>

int crd_vprint(char *text, size_t size, const char *format, va_list args) {
  const locale_t ours = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* kept by the C library: allocates nothing */
  const locale_t theirs = ours ? uselocale(ours) : (locale_t)0;
  const int length = vsnprintf(text, size, format, args);
  if (ours) uselocale(theirs), freelocale(ours);
  return length;
}

int crd_print(char *text, size_t size, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const int length = crd_vprint(text, size, format, args);
  va_end(args);
  return length;
}
