/* strtod reads "0,5" or "0.5" depending on the locale of the program that uses the library. Files do not change with
 * the place where they are read, so numbers are read in the "C" locale always. */
#define _GNU_SOURCE /* strtod_l */
#include "io/file/number.h"

#include <locale.h>
#include <stdlib.h>

const char *crd_number_read(const char *text, double *value) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  char *end = NULL;
  double number = c_locale ? strtod_l(text, &end, c_locale) : strtod(text, &end);
  if (c_locale) freelocale(c_locale);
  if (end == text) return NULL;
  *value = number;
  return end;
}
