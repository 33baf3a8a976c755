/* Values of a JSON file, checked one by one; messages name the place, contacts[1].n[2], what was found and what was
 * expected. */
#ifndef CRADLE_SRC_IO_JSON_READ_H
#define CRADLE_SRC_IO_JSON_READ_H

#include <cradle/base.h>
#include <jansson.h>

/* One reading. The first failure fills err; afterwards status says so and everything else is skipped. */
typedef struct crd_json_reading {
  const char *file;
  crd_error *err;
  crd_status status;
} crd_json_reading;

/* Keeps the first failure. */
void crd_json_fail(crd_json_reading *r, crd_status status, const char *format, ...) CRD_PRINTF(3, 4);

/* "an object", "a number", ..., "nothing" for NULL. */
const char *crd_json_type_name(const json_t *value);

/* A finite number. */
void crd_json_number(crd_json_reading *r, const json_t *value, const char *path, double *out);
/* A whole number from least to most; *out is left alone after a failure. */
void crd_json_integer(crd_json_reading *r, const json_t *value, const char *path, int least, int most, int *out);
/* Is it a list of n entries? what: their meaning, for the message. */
bool crd_json_is_list(crd_json_reading *r, const json_t *value, const char *path, int n, const char *what);
/* Is it a list of rows lists of cols entries each? Checked before memory is taken for them. */
bool crd_json_is_matrix(crd_json_reading *r, const json_t *value, const char *path, int rows, int cols,
                        const char *what);
void crd_json_vector(crd_json_reading *r, const json_t *value, const char *path, int n, const char *what, double *out);
/* rows lists of cols numbers, row-major. */
void crd_json_matrix(crd_json_reading *r, const json_t *value, const char *path, int rows, int cols, const char *what,
                     double *out);
/* Every member of the object has to be one of the names, or "comment". */
void crd_json_members(crd_json_reading *r, json_t *object, const char *path, const char *const *names, int count);

#endif
