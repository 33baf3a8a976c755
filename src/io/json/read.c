#include "io/json/read.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"

void crd_json_fail(crd_json_reading *r, crd_status status, const char *format, ...) {
  if (r->status) return;
  char text[sizeof r->err->text];
  va_list args;
  va_start(args, format);
  crd_vprint(text, sizeof text, format, args);
  va_end(args);
  r->status = crd_error_set(r->err, status, r->file, 0, "%s", text);
}

const char *crd_json_type_name(const json_t *value) {
  switch (value ? json_typeof(value) : JSON_NULL) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "a list";
    case JSON_STRING: return "a text";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "true or false";
    default: return value ? "null" : "nothing";
  }
}

void crd_json_number(crd_json_reading *r, const json_t *value, const char *path, double *out) {
  if (r->status) return;
  if (!json_is_number(value)) {
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %s, expected a number", path, crd_json_type_name(value));
    return;
  }
  *out = json_number_value(value);
  if (!isfinite(*out)) crd_json_fail(r, CRD_ERR_NUMBER, "%s: found a number that is not finite", path);
}

bool crd_json_is_list(crd_json_reading *r, const json_t *value, const char *path, int n, const char *what) {
  if (r->status) return false;
  if (json_is_array(value) && json_array_size(value) == (size_t)n) return true;
  if (json_is_array(value))
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %zu entries, expected %d (%s)", path, json_array_size(value), n, what);
  else
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %s, expected a list of %d entries (%s)", path,
                  crd_json_type_name(value), n, what);
  return false;
}

bool crd_json_is_matrix(crd_json_reading *r, const json_t *value, const char *path, int rows, int cols,
                        const char *what) {
  bool fits = crd_json_is_list(r, value, path, rows, what);
  for (int i = 0; i < rows && fits; i++) {
    char place[120];
    snprintf(place, sizeof place, "%s[%d]", path, i);
    fits = crd_json_is_list(r, json_array_get(value, (size_t)i), place, cols, what);
  }
  return fits;
}

void crd_json_vector(crd_json_reading *r, const json_t *value, const char *path, int n, const char *what, double *out) {
  if (!crd_json_is_list(r, value, path, n, what)) return;
  for (int i = 0; i < n; i++) {
    char place[160];
    snprintf(place, sizeof place, "%s[%d]", path, i);
    crd_json_number(r, json_array_get(value, (size_t)i), place, &out[i]);
  }
}

void crd_json_matrix(crd_json_reading *r, const json_t *value, const char *path, int rows, int cols, const char *what,
                     double *out) {
  if (!crd_json_is_list(r, value, path, rows, what)) return;
  for (int i = 0; i < rows; i++) {
    char place[120];
    snprintf(place, sizeof place, "%s[%d]", path, i);
    crd_json_vector(r, json_array_get(value, (size_t)i), place, cols, what, out + (size_t)cols * (size_t)i);
  }
}

void crd_json_integer(crd_json_reading *r, const json_t *value, const char *path, int least, int most, int *out) {
  if (r->status) return;
  const json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;
  if (!json_is_integer(value))
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %s, expected a whole number", path,
                  json_is_real(value) ? "a number with a fraction" : crd_json_type_name(value));
  else if (number < least || number > most)
    crd_json_fail(r, CRD_ERR_FORMAT, "%s: found %lld, expected %d to %d", path, (long long)number, least, most);
  else
    *out = (int)number;
}

void crd_json_members(crd_json_reading *r, json_t *object, const char *path, const char *const *names, int count) {
  const char *key;
  json_t *value;
  if (r->status) return;
  json_object_foreach(object, key, value) {
    int k = 0;
    while (k < count && strcmp(names[k], key) != 0) k++;
    if (k < count || strcmp(key, "comment") == 0) continue;
    char expected[160] = "";
    for (k = 0; k < count; k++) {
      size_t used = strlen(expected);
      snprintf(expected + used, sizeof expected - used, "%s%s", k ? ", " : "", names[k]);
    }
    crd_json_fail(r, CRD_ERR_FORMAT, "%s%s: found a member that is not known, expected one of %s", path, key, expected);
    return;
  }
}
