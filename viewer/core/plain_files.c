/* The files that HDF5 holds elsewhere (src/io/hdf5/file.h), for the build that goes into the page, which has no HDF5: a trace
 * or a set of outcomes is written and read again within one run there and never leaves it. The format is this build's own:
 * object after object, each with its kind, shape and bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/file.h"

enum { MOST_RANK = 4, MOST_NAME = 256 };
static const char BEGINNING[8] = "cradle1"; /* what is no file of this build must not be taken for one */

typedef struct object {
  char name[MOST_NAME]; /* "/contacts/n", or "/contacts@unit" for an attribute */
  crd_h5_kind kind;
  int rank;
  size_t size[MOST_RANK];
  size_t bytes, room;
  char *data; /* texts lie behind one another, each with its end */
} object;

struct crd_h5 {
  char *path;
  crd_error failure;
  int count, room;
  object *object;
};

struct crd_h5_input { /* read whole, as it was written */
  crd_h5 whole;
};

static size_t width_of(crd_h5_kind kind) {
  switch (kind) {
    case CRD_H5_DOUBLE: return sizeof(double);
    case CRD_H5_INTEGER: return sizeof(int64_t);
    case CRD_H5_INT32: return sizeof(int32_t);
    default: return 1;
  }
}

static object *find(const crd_h5 *file, const char *name) {
  for (int i = 0; i < file->count; i++)
    if (strcmp(file->object[i].name, name) == 0) return &file->object[i];
  return NULL;
}

static void fail_memory(crd_h5 *file) {
  if (file->failure.status == CRD_OK)
    crd_error_set(&file->failure, CRD_ERR_MEMORY, file->path, 0, "no memory to write the file");
}

/* NULL after a failure. */
static object *add(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, const size_t *size) {
  if (crd_h5_failed(file)) return NULL;
  if (file->count == file->room) {
    const int room = file->room ? 2 * file->room : 32;
    object *grown = realloc(file->object, (size_t)room * sizeof *grown);
    if (!grown) return fail_memory(file), NULL;
    file->object = grown, file->room = room;
  }
  object *made = &file->object[file->count++];
  *made = (object){.kind = kind, .rank = rank};
  snprintf(made->name, sizeof made->name, "%s", name);
  for (int i = 0; i < rank; i++) made->size[i] = size[i];
  return made;
}

static void append_bytes(crd_h5 *file, object *to, size_t bytes, const void *from) {
  if (to->bytes + bytes > to->room) {
    const size_t room = 2 * (to->bytes + bytes);
    char *grown = realloc(to->data, room);
    if (!grown) {
      fail_memory(file);
      return;
    }
    to->data = grown, to->room = room;
  }
  if (bytes) memcpy(to->data + to->bytes, from, bytes);
  to->bytes += bytes;
}

static void append_values(crd_h5 *file, object *to, size_t count, const void *value) {
  if (to->kind != CRD_H5_TEXT) {
    append_bytes(file, to, count * width_of(to->kind), value);
    return;
  }
  const char *const *text = value;
  for (size_t i = 0; i < count; i++) append_bytes(file, to, strlen(text[i]) + 1, text[i]);
}

static size_t count_of(const object *o) {
  size_t count = 1;
  for (int i = 0; i < o->rank; i++) count *= o->size[i];
  return count;
}

/* ------------------------------------------------------------------------------------------------ writing */

static bool name_file(crd_h5 *file, const char *path) {
  file->path = malloc(strlen(path) + 1);
  if (file->path) strcpy(file->path, path);
  return file->path;
}

static void empty(crd_h5 *file) {
  for (int i = 0; i < file->count; i++) free(file->object[i].data);
  free(file->object), free(file->path);
}

crd_status crd_h5_create(const char *path, crd_h5 **file, crd_error *err) {
  *file = calloc(1, sizeof **file);
  if (*file && name_file(*file, path)) return CRD_OK;
  free(*file);
  return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the file");
}

bool crd_h5_failed(const crd_h5 *file) { return file->failure.status != CRD_OK; }

void crd_h5_write(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, const size_t *size, const void *value) {
  object *made = add(file, name, kind, rank, size);
  if (made) append_values(file, made, count_of(made), value);
}

int crd_h5_table(crd_h5 *file, const char *name, crd_h5_kind kind, int64_t rows, int columns) {
  (void)rows;
  const size_t size[2] = {0, (size_t)columns};
  return add(file, name, kind, columns == 0 ? 1 : 2, size) ? file->count - 1 : -1;
}

void crd_h5_append(crd_h5 *file, int table, size_t rows, const void *value) {
  if (crd_h5_failed(file) || table < 0 || rows == 0) return;
  object *to = &file->object[table];
  append_values(file, to, rows * (to->rank == 2 ? to->size[1] : 1), value);
  to->size[0] += rows;
}

void crd_h5_group(crd_h5 *file, const char *name) { add(file, name, CRD_H5_BYTE, 0, NULL); }

static void attribute_name(char name[MOST_NAME], const char *object, const char *attribute) {
  snprintf(name, MOST_NAME, "%s@%s", object, attribute);
}

static void write_attribute(crd_h5 *file, const char *object, const char *name, crd_h5_kind kind, const void *value) {
  char whole[MOST_NAME];
  attribute_name(whole, object, name);
  crd_h5_write(file, whole, kind, 0, NULL, value);
}

void crd_h5_attribute_text(crd_h5 *file, const char *object, const char *name, const char *text) {
  write_attribute(file, object, name, CRD_H5_TEXT, &text);
}
void crd_h5_attribute_number(crd_h5 *file, const char *object, const char *name, double value) {
  write_attribute(file, object, name, CRD_H5_DOUBLE, &value);
}
void crd_h5_attribute_integer(crd_h5 *file, const char *object, const char *name, int64_t value) {
  write_attribute(file, object, name, CRD_H5_INTEGER, &value);
}

void crd_h5_discard(crd_h5 *file) {
  if (file) empty(file);
  free(file);
}

crd_status crd_h5_commit(crd_h5 *file, crd_error *err) {
  crd_status status = file->failure.status;
  if (status && err) *err = file->failure;
  FILE *to = status ? NULL : fopen(file->path, "wb");
  if (!status && !to) status = crd_error_set(err, CRD_ERR_FILE, file->path, 0, "cannot be written");
  if (to) fwrite(BEGINNING, sizeof BEGINNING, 1, to);
  for (int i = 0; to && i < file->count; i++) {
    const object *o = &file->object[i];
    fwrite(o, sizeof *o, 1, to), fwrite(o->data, 1, o->bytes, to);
  }
  if (to && (ferror(to) | fclose(to))) status = crd_error_set(err, CRD_ERR_FILE, file->path, 0, "cannot be written");
  crd_h5_discard(file);
  return status;
}

/* ------------------------------------------------------------------------------------------------ reading */

static void read_objects(FILE *from, crd_h5 *to) {
  char beginning[sizeof BEGINNING];
  if (fread(beginning, sizeof beginning, 1, from) != 1 || memcmp(beginning, BEGINNING, sizeof beginning) != 0) {
    crd_error_set(&to->failure, CRD_ERR_FORMAT, to->path, 0, "is no file of the page's program");
    return;
  }
  for (object head; !crd_h5_failed(to) && fread(&head, sizeof head, 1, from) == 1;) {
    object *made = add(to, head.name, head.kind, head.rank, head.size);
    if (made && head.bytes) made->data = malloc(made->bytes = head.bytes);
    if (!made || (head.bytes && (!made->data || fread(made->data, 1, head.bytes, from) != head.bytes)))
      crd_error_set(&to->failure, CRD_ERR_FORMAT, to->path, 0, "is truncated");
  }
}

crd_status crd_h5_open(const char *path, crd_h5_input **file, crd_error *err) {
  FILE *from = fopen(path, "rb");
  *file = NULL;
  if (!from) return crd_error_set(err, CRD_ERR_FILE, path, 0, "cannot be opened");
  crd_h5_input *read = calloc(1, sizeof *read);
  crd_status status = read && name_file(&read->whole, path) ? CRD_OK : CRD_ERR_MEMORY;
  if (status) {
    crd_error_set(err, status, path, 0, "no memory to read the file");
  } else {
    read_objects(from, &read->whole);
    status = read->whole.failure.status;
    if (status && err) *err = read->whole.failure;
  }
  fclose(from);
  if (status)
    crd_h5_close(read);
  else
    *file = read;
  return status;
}

crd_status crd_h5_open_memory(const void *data, size_t size, const char *name, crd_h5_input **file, crd_error *err) {
  (void)data, (void)size;
  *file = NULL;
  return crd_error_set(err, CRD_ERR_FORMAT, name, 0, "the page reads no HDF5");
}

void crd_h5_close(crd_h5_input *file) {
  if (file) empty(&file->whole);
  free(file);
}

crd_status crd_h5_check_seal(const crd_h5_input *file, crd_error *err) {
  (void)file, (void)err;
  return CRD_OK; /* it never left this memory */
}

bool crd_h5_has(const crd_h5_input *input, const char *name) {
  const crd_h5 *file = &input->whole;
  const size_t length = strlen(name);
  for (int i = 0; i < file->count; i++) { /* itself, or a group above */
    const char *other = file->object[i].name;
    if (strncmp(other, name, length) == 0 && (!other[length] || other[length] == '/')) return true;
  }
  return false;
}

bool crd_h5_has_attribute(const crd_h5_input *file, const char *object, const char *name) {
  char whole[MOST_NAME];
  attribute_name(whole, object, name);
  return find(&file->whole, whole);
}

int crd_h5_rank(const crd_h5_input *file, const char *name) {
  const object *o = find(&file->whole, name);
  return o ? o->rank : -1;
}

static crd_status open_checked(crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t *size, object **found,
                               crd_error *err) {
  object *o = *found = find(&file->whole, name);
  bool fits = o && o->kind == kind && o->rank == rank;
  for (int i = 0; fits && i < rank; i++) {
    fits = size[i] == CRD_H5_ANY || size[i] == o->size[i];
    size[i] = o->size[i];
  }
  return fits ? CRD_OK
              : crd_error_set(err, CRD_ERR_FORMAT, file->whole.path, 0, "%s: found %s, expected a dataset of its shape", name,
                              o ? "another one" : "nothing");
}

static crd_status no_memory(crd_h5_input *file, crd_error *err) {
  return crd_error_set(err, CRD_ERR_MEMORY, file->whole.path, 0, "no memory");
}

crd_status crd_h5_read(crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_arena *arena,
                       void *value_out, crd_error *err) {
  object *o;
  crd_status status = open_checked(file, name, kind, rank, size, &o, err);
  if (status) return status;
  char *data = crd_arena_alloc(arena, o->bytes + 1, 1);
  if (!data) return no_memory(file, err);
  if (o->bytes) memcpy(data, o->data, o->bytes);
  *(void **)value_out = data;
  if (kind != CRD_H5_TEXT) return CRD_OK;
  const size_t count = count_of(o);
  const char **text = crd_arena_alloc(arena, count + 1, sizeof *text);
  if (!text) return no_memory(file, err);
  for (size_t i = 0; i < count; data += strlen(data) + 1) text[i++] = data;
  *(void **)value_out = text;
  return CRD_OK;
}

static crd_status read_attribute(crd_h5_input *file, const char *object_name, const char *name, crd_h5_kind kind,
                                 const char **data, crd_error *err) {
  char whole[MOST_NAME];
  object *o;
  attribute_name(whole, object_name, name);
  crd_status status = open_checked(file, whole, kind, 0, NULL, &o, err);
  *data = status ? NULL : o->data;
  return status;
}

crd_status crd_h5_read_text(crd_h5_input *file, const char *object, const char *attribute, crd_arena *arena,
                            const char **text, crd_error *err) {
  const char *data;
  crd_status status = read_attribute(file, object, attribute, CRD_H5_TEXT, &data, err);
  if (status) return status;
  *text = crd_arena_string(arena, data);
  return *text ? CRD_OK : no_memory(file, err);
}
crd_status crd_h5_read_number(crd_h5_input *file, const char *object, const char *attribute, double *value, crd_error *err) {
  const char *data;
  crd_status status = read_attribute(file, object, attribute, CRD_H5_DOUBLE, &data, err);
  if (!status) memcpy(value, data, sizeof *value);
  return status;
}
crd_status crd_h5_read_integer(crd_h5_input *file, const char *object, const char *attribute, int64_t *value,
                               crd_error *err) {
  const char *data;
  crd_status status = read_attribute(file, object, attribute, CRD_H5_INTEGER, &data, err);
  if (!status) memcpy(value, data, sizeof *value);
  return status;
}
