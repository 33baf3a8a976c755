#include "batch_arrays.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_PATH = 512 };

typedef struct array {
  char *path;
  size_t width;  /* numbers of a row; 0: texts */
  double *value; /* rows x width */
  char **text;   /* rows; NULL entries: none */
} array;

struct cli_arrays {
  size_t rows;
  int count, capacity;
  array *array;
  json_t *place; /* of each path, "/a/b" for numbers, "/a/b text" for texts */
};

cli_arrays *cli_arrays_new(size_t rows) {
  cli_arrays *arrays = calloc(1, sizeof *arrays);
  if (arrays) arrays->rows = rows, arrays->place = json_object();
  if (arrays && !arrays->place) free(arrays), arrays = NULL;
  return arrays;
}

void cli_arrays_free(cli_arrays *arrays) {
  if (!arrays) return;
  for (int k = 0; k < arrays->count; k++) {
    array *c = &arrays->array[k];
    for (size_t i = 0; c->text && i < arrays->rows; i++) free(c->text[i]);
    free(c->path), free(c->value), free(c->text);
  }
  free(arrays->array);
  json_decref(arrays->place);
  free(arrays);
}

/* ------------------------------------------------------------------------------------------------ arrays */

static char *copied(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

/* The array of the path, made where there is none; NULL: no memory. */
static array *find(cli_arrays *arrays, const char *path, bool text) {
  char key[LONGEST_PATH + 8];
  snprintf(key, sizeof key, "%s%s", path, text ? " text" : "");
  const json_t *known = json_object_get(arrays->place, key);
  if (known) return &arrays->array[json_integer_value(known)];
  if (arrays->count == arrays->capacity) {
    const int larger = arrays->capacity ? 2 * arrays->capacity : 64;
    array *fresh = realloc(arrays->array, (size_t)larger * sizeof *fresh);
    if (!fresh) return NULL;
    arrays->array = fresh, arrays->capacity = larger;
  }
  array *c = &arrays->array[arrays->count];
  *c = (array){.path = copied(path)};
  if (text) c->text = calloc(arrays->rows + 1, sizeof *c->text);
  if (!c->path || (text && !c->text) || json_object_set_new(arrays->place, key, json_integer(arrays->count)) != 0)
    return free(c->path), free(c->text), NULL;
  arrays->count++;
  return c;
}

/* Makes room for so many numbers a row; what is not set is NaN. */
static bool widen(array *c, size_t rows, size_t width) {
  if (width <= c->width) return true;
  double *fresh = malloc((rows * width + 1) * sizeof *fresh);
  if (!fresh) return false;
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < width; k++) fresh[i * width + k] = k < c->width ? c->value[i * c->width + k] : NAN;
  free(c->value);
  c->value = fresh, c->width = width;
  return true;
}

/* ------------------------------------------------------------------------------------------------ rows */

static bool is_number(const json_t *x) { return json_is_number(x) || json_is_boolean(x) || json_is_null(x); }

static double number_of(const json_t *x) {
  return json_is_number(x) ? json_number_value(x) : json_is_boolean(x) ? json_is_true(x) : NAN;
}

/* How many numbers a list of lists of numbers has; false: something else is in it. */
static bool count_numbers(const json_t *list, size_t *count) {
  size_t i;
  json_t *x;
  json_array_foreach(list, i, x) {
    if (json_is_array(x) ? !count_numbers(x, count) : !is_number(x)) return false;
    *count += !json_is_array(x);
  }
  return true;
}

static double *put_numbers(const json_t *list, double *to) {
  size_t i;
  json_t *x;
  json_array_foreach(list, i, x) {
    if (json_is_array(x))
      to = put_numbers(x, to);
    else
      *to++ = number_of(x);
  }
  return to;
}

static bool add(cli_arrays *arrays, size_t row, const char *path, json_t *x);

static bool add_list(cli_arrays *arrays, size_t row, const char *path, const json_t *list) {
  size_t count = 0, i;
  json_t *x;
  if (json_array_size(list) == 0) return true;
  if (count_numbers(list, &count)) {
    array *c = find(arrays, path, false);
    if (!c || !widen(c, arrays->rows, count)) return false;
    put_numbers(list, c->value + row * c->width);
    return true;
  }
  json_array_foreach(list, i, x) {
    char below[LONGEST_PATH];
    if ((size_t)snprintf(below, sizeof below, "%s/%zu", path, i) < sizeof below && !add(arrays, row, below, x))
      return false;
  }
  return true;
}

static bool add_object(cli_arrays *arrays, size_t row, const char *path, json_t *object) {
  const char *key;
  json_t *x;
  json_object_foreach(object, key, x) {
    char below[LONGEST_PATH];
    const size_t length = strlen(path) + 1;
    if ((size_t)snprintf(below, sizeof below, "%s/%s", path, key) >= sizeof below) continue;
    for (char *at = below + length; *at; at++)
      if (*at == '/') *at = '_';
    if (!add(arrays, row, below, x)) return false;
  }
  return true;
}

static bool add(cli_arrays *arrays, size_t row, const char *path, json_t *x) {
  if (json_is_object(x)) return add_object(arrays, row, path, x);
  if (json_is_array(x)) return add_list(arrays, row, path, x);
  if (json_is_null(x)) return true;
  array *c = find(arrays, path, json_is_string(x));
  if (!c) return false;
  if (c->text) return (c->text[row] = copied(json_string_value(x))) != NULL;
  if (!widen(c, arrays->rows, 1)) return false;
  c->value[row * c->width] = number_of(x);
  return true;
}

bool cli_arrays_add(cli_arrays *arrays, size_t row, json_t *answer) { return add_object(arrays, row, "", answer); }

/* ------------------------------------------------------------------------------------------------ the file */

static int by_path(const void *a, const void *b) {
  return strcmp(((const crd_column *)a)->name, ((const crd_column *)b)->name);
}

/* A number in one row where others have an object: a group cannot be an array, too. */
static bool is_group(const cli_arrays *arrays, const char *path) {
  const size_t length = strlen(path);
  for (int k = 0; k < arrays->count; k++)
    if (strncmp(arrays->array[k].path, path, length) == 0 && arrays->array[k].path[length] == '/') return true;
  return false;
}

int cli_arrays_write(const cli_arrays *arrays, const char *verb, const char *path) {
  crd_error err = {0};
  crd_arena arena = {0};
  crd_column *column = crd_arena_alloc(&arena, (size_t)arrays->count + 1, sizeof *column);
  bool memory = column != NULL;
  for (int k = 0; k < arrays->count && memory; k++) {
    const struct array *c = &arrays->array[k];
    char name[LONGEST_PATH + 16];
    const bool both = c->text && json_object_get(arrays->place, c->path);
    snprintf(name, sizeof name, "%s%s%s", c->path, is_group(arrays, c->path) ? "/value" : "", both ? "_text" : "");
    column[k] = (crd_column){crd_arena_string(&arena, name), c->text ? 0 : (int)c->width, c->value,
                             (const char *const *)c->text};
    memory = column[k].name != NULL;
  }
  char kind[64];
  snprintf(kind, sizeof kind, "%s-rows/1", verb);
  if (memory) qsort(column, (size_t)arrays->count, sizeof *column, by_path);
  crd_status status = memory ? crd_io_write_columns(path, kind, arrays->rows, arrays->count, column, &err)
                             : crd_error_set(&err, CRD_ERR_MEMORY, path, 0, "out of memory");
  crd_arena_free(&arena);
  return status == CRD_OK ? CLI_DONE : cli_report(&err);
}
