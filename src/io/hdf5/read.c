/* Reading HDF5: every dataset is checked for its type, rank, sizes and stored bytes before memory is taken for it. */
#define _XOPEN_SOURCE 700
#include "io/hdf5/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/data.h"
#include "io/hdf5/seal.h"
#include "io/trace/beside.h"

/* Folder of texts that are too long for an attribute. */
#define LONG_TEXTS "/text/"

struct crd_h5_input {
  crd_h5_tree tree;
  char *path;
};

static crd_status wrong(const crd_h5_input *file, crd_error *err, const char *name, const char *found,
                        const char *expected) {
  return crd_error_set(err, CRD_ERR_FORMAT, file->path, 0, "%s: found %s, expected %s", name, found, expected);
}

static crd_status no_memory(const crd_h5_input *file, crd_error *err, const char *name) {
  return crd_error_set(err, CRD_ERR_MEMORY, file->path, 0, "no memory to read %s", name);
}

/* ------------------------------------------------------------------------------------------------ life */

static crd_status read_tree(crd_h5_input *file, crd_h5_bytes bytes, const char *path, crd_h5_input **out,
                            crd_error *err) {
  crd_status status = CRD_ERR_MEMORY;
  if (file) file->tree.bytes = bytes;
  if (file && (file->path = strdup(path))) {
    file->tree.path = file->path;
    status = crd_h5_tree_read(&file->tree, err);
  } else {
    crd_error_set(err, status, path, 0, "no memory to read the file");
    if (bytes.descriptor >= 0) close(bytes.descriptor);
    free(file);
    return status;
  }
  *out = file;
  if (status != CRD_OK) crd_h5_close(file), *out = NULL;
  return status;
}

crd_status crd_h5_open(const char *path, crd_h5_input **file, crd_error *err) {
  *file = NULL;
  struct stat present;
  const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* also returns for a pipe without a writer */
  if (descriptor < 0) return crd_file_failed(err, path, "cannot be opened");
  if (fstat(descriptor, &present) != 0 || !S_ISREG(present.st_mode)) {
    close(descriptor);
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "found a folder or device, expected an HDF5 file");
  }
  const crd_h5_bytes bytes = {.descriptor = descriptor, .size = (uint64_t)present.st_size};
  return read_tree(calloc(1, sizeof(crd_h5_input)), bytes, path, file, err);
}

crd_status crd_h5_open_memory(const void *data, size_t size, const char *name, crd_h5_input **file, crd_error *err) {
  *file = NULL;
  const crd_h5_bytes bytes = {.descriptor = -1, .memory = data, .size = size};
  return read_tree(calloc(1, sizeof(crd_h5_input)), bytes, name, file, err);
}

void crd_h5_close(crd_h5_input *file) {
  if (!file) return;
  if (file->tree.bytes.descriptor >= 0) close(file->tree.bytes.descriptor);
  crd_h5_tree_free(&file->tree);
  free(file->path);
  free(file);
}

/* ------------------------------------------------------------------------------------------------ the seal */

static void seal_object(unsigned char seal[CRD_SHA256_BYTES], const crd_h5_object *object) {
  static const char KIND[] = {[CRD_H5_OTHER] = 'o',
                              [CRD_H5_FLOAT] = 'n',
                              [CRD_H5_SIGNED] = 'i',
                              [CRD_H5_UNSIGNED] = 'u',
                              [CRD_H5_STRING] = 't'};
  const bool root = strcmp(object->path, "/") == 0;
  for (int i = 0; i < object->nattribute; i++) {
    const crd_h5_attribute *a = &object->attribute[i];
    if (root && strcmp(a->name, CRD_H5_DIGEST) == 0) continue;
    const size_t size = a->type.class == CRD_H5_STRING ? strnlen((const char *)a->value, a->bytes) : a->bytes;
    crd_h5_seal_add(seal, object->path, a->name, KIND[a->type.class], a->value, size);
  }
}

crd_status crd_h5_check_seal(const crd_h5_input *file, crd_error *err) {
  unsigned char seal[CRD_SHA256_BYTES] = {0};
  char text[CRD_SHA256_TEXT];
  const crd_h5_tree *tree = &file->tree;
  const crd_h5_object *root = crd_h5_tree_find(tree, "/");
  for (int i = 0; i < tree->count; i++) {
    const crd_h5_object *object = tree->object[i];
    seal_object(seal, object);
    if (object->is_dataset && !crd_h5_tree_attribute(object, CRD_H5_DIGEST))
      return wrong(file, err, object->path, "no attribute sha256", "the digest that cradle writes");
  }
  crd_sha256_text(seal, text);
  const crd_h5_attribute *stated = crd_h5_tree_attribute(root, CRD_H5_DIGEST);
  if (stated && stated->type.class == CRD_H5_STRING && stated->bytes >= sizeof text - 1 &&
      memcmp(stated->value, text, sizeof text - 1) == 0)
    return CRD_OK;
  return crd_error_set(err, CRD_ERR_FORMAT, file->path, 0,
                       "the file's attribute sha256 does not agree with its attributes: it was changed after it was "
                       "written");
}

/* ------------------------------------------------------------------------------------------------ checking */

bool crd_h5_has(const crd_h5_input *file, const char *name) { return crd_h5_tree_find(&file->tree, name); }

static const crd_h5_object *long_text(const crd_h5_input *file, const char *object, const char *name) {
  char path[160];
  if (strcmp(object, "/") != 0) return NULL;
  snprintf(path, sizeof path, LONG_TEXTS "%s", name);
  return crd_h5_tree_find(&file->tree, path);
}

bool crd_h5_has_attribute(const crd_h5_input *file, const char *object, const char *name) {
  const crd_h5_object *found = crd_h5_tree_find(&file->tree, object);
  return found && (crd_h5_tree_attribute(found, name) || long_text(file, object, name));
}

static const char *kind_name(crd_h5_kind kind) {
  return kind == CRD_H5_TEXT ? "text" : kind == CRD_H5_DOUBLE ? "real numbers" : "integers";
}

static bool type_fits(const crd_h5_type *type, crd_h5_kind kind) {
  if (kind == CRD_H5_TEXT) return type->class == CRD_H5_STRING;
  if (kind == CRD_H5_DOUBLE) return type->class == CRD_H5_FLOAT;
  return type->class == CRD_H5_SIGNED || type->class == CRD_H5_UNSIGNED;
}

static crd_status check_shape(const crd_h5_input *file, const char *name, const crd_h5_space *space, int rank,
                              size_t *size, crd_error *err) {
  char found[80], expected[80];
  if (space->rank != rank) {
    snprintf(found, sizeof found, "%d dimensions", space->rank < 0 ? 0 : space->rank);
    snprintf(expected, sizeof expected, "%d", rank);
    return wrong(file, err, name, found, expected);
  }
  for (int i = 0; i < rank; i++) {
    if (size[i] != CRD_H5_ANY && space->size[i] != size[i]) {
      snprintf(found, sizeof found, "size %llu in dimension %d", (unsigned long long)space->size[i], i + 1);
      snprintf(expected, sizeof expected, "%zu", size[i]);
      return wrong(file, err, name, found, expected);
    }
    size[i] = (size_t)space->size[i];
  }
  return CRD_OK;
}

static crd_status find_checked(const crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t *size,
                               const crd_h5_object **object, size_t *count, size_t *bytes, crd_error *err) {
  const crd_h5_object *found = *object = crd_h5_tree_find(&file->tree, name);
  if (!found) return wrong(file, err, name, "nothing", "a dataset of this name");
  if (!found->is_dataset) return wrong(file, err, name, "no dataset", "a dataset of this name");
  if (!type_fits(&found->type, kind)) return wrong(file, err, name, "values of another type", kind_name(kind));
  crd_status status = check_shape(file, name, &found->space, rank, size, err);
  return status == CRD_OK ? crd_h5_data_size(&file->tree, found, count, bytes, err) : status;
}

/* ------------------------------------------------------------------------------------------------ values */

static int64_t integer_of(const unsigned char *from, const crd_h5_type *type) {
  const int bits = 8 * (int)type->size;
  const uint64_t value = crd_h5_number(from, (int)type->size);
  if (type->class == CRD_H5_UNSIGNED || bits == 64) return (int64_t)value;
  const uint64_t sign = UINT64_C(1) << (bits - 1);
  return (int64_t)((value ^ sign) - sign);
}

static bool fits_kind(int64_t value, const crd_h5_type *type, crd_h5_kind kind) {
  if (type->class == CRD_H5_UNSIGNED && type->size == 8 && value < 0) return false; /* beyond int64 */
  if (kind == CRD_H5_INT32) return value >= INT32_MIN && value <= INT32_MAX;
  return kind != CRD_H5_BYTE || (value >= 0 && value <= UINT8_MAX);
}

static void put_integer(int64_t value, crd_h5_kind kind, size_t at, void *to) {
  if (kind == CRD_H5_INTEGER) ((int64_t *)to)[at] = value;
  if (kind == CRD_H5_INT32) ((int32_t *)to)[at] = (int32_t)value;
  if (kind == CRD_H5_BYTE) ((uint8_t *)to)[at] = (uint8_t)value;
}

/* Texts of fixed length; their padding is no part of them. */
static crd_status copy_texts(const crd_h5_input *file, const char *name, size_t count, size_t size,
                             const unsigned char *from, crd_arena *arena, const char **to, crd_error *err) {
  char *room = size < SIZE_MAX / 2 ? crd_arena_alloc(arena, count ? count : 1, size + 1) : NULL;
  if (!room) return no_memory(file, err, name);
  for (size_t i = 0; i < count; i++, from += size, room += size + 1) {
    memcpy(room, from, strnlen((const char *)from, size));
    to[i] = room;
  }
  return CRD_OK;
}

/* Values of the file's type as those of the kind. */
static crd_status convert(const crd_h5_input *file, const char *name, const crd_h5_type *type, crd_h5_kind kind,
                          size_t count, const unsigned char *from, crd_arena *arena, void *to, crd_error *err) {
  if (kind == CRD_H5_TEXT) return copy_texts(file, name, count, type->size, from, arena, to, err);
  for (size_t i = 0; i < count; i++, from += type->size) {
    if (kind == CRD_H5_DOUBLE) {
      const uint64_t bits = crd_h5_number(from, 8);
      memcpy((double *)to + i, &bits, sizeof bits);
    } else {
      const int64_t value = integer_of(from, type);
      if (!fits_kind(value, type, kind)) return wrong(file, err, name, "an integer out of range", "smaller integers");
      put_integer(value, kind, i, to);
    }
  }
  return CRD_OK;
}

int crd_h5_rank(const crd_h5_input *file, const char *name) {
  const crd_h5_object *found = crd_h5_tree_find(&file->tree, name);
  return found && found->is_dataset ? found->space.rank : -1;
}

static size_t kind_bytes(crd_h5_kind kind) {
  return kind == CRD_H5_INT32 ? sizeof(int32_t) : kind == CRD_H5_BYTE ? 1 : sizeof(double);
}

crd_status crd_h5_read(crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_arena *arena,
                       void *value_out, crd_error *err) {
  const crd_h5_object *object;
  size_t count = 0, bytes = 0;
  crd_status status = find_checked(file, name, kind, rank, size, &object, &count, &bytes, err);
  if (status != CRD_OK) return status;
  void *value = crd_arena_alloc(arena, count ? count : 1, kind == CRD_H5_TEXT ? sizeof(char *) : kind_bytes(kind));
  unsigned char *raw = malloc(bytes + 1);
  if (!value || !raw) status = no_memory(file, err, name);
  if (status == CRD_OK) status = crd_h5_data_read(&file->tree, object, bytes, raw, err);
  if (status == CRD_OK) status = convert(file, name, &object->type, kind, count, raw, arena, value, err);
  free(raw);
  if (status == CRD_OK) *(void **)value_out = value;
  return status;
}

/* ------------------------------------------------------------------------------------------------ attributes */

static crd_status read_attribute(const crd_h5_input *file, const char *object, const char *name, crd_h5_kind kind,
                                 crd_arena *arena, void *value, crd_error *err) {
  char label[160];
  snprintf(label, sizeof label, "attribute %s of %s", name, object);
  const crd_h5_object *owner = crd_h5_tree_find(&file->tree, object);
  const crd_h5_attribute *found = owner ? crd_h5_tree_attribute(owner, name) : NULL;
  if (!found) return wrong(file, err, label, "nothing", "an attribute of this name");
  if (!type_fits(&found->type, kind)) return wrong(file, err, label, "values of another type", kind_name(kind));
  crd_status status = check_shape(file, label, &found->space, 0, NULL, err);
  return status == CRD_OK ? convert(file, label, &found->type, kind, 1, found->value, arena, value, err) : status;
}

crd_status crd_h5_read_text(crd_h5_input *file, const char *object, const char *attribute, crd_arena *arena,
                            const char **text, crd_error *err) {
  const crd_h5_object *apart = long_text(file, object, attribute);
  if (!apart) return read_attribute(file, object, attribute, CRD_H5_TEXT, arena, text, err);
  const char *const *only;
  size_t one = 1;
  crd_status status = crd_h5_read(file, apart->path, CRD_H5_TEXT, 1, &one, arena, &only, err);
  if (status == CRD_OK) *text = only[0];
  return status;
}

crd_status crd_h5_read_number(crd_h5_input *file, const char *object, const char *attribute, double *value,
                              crd_error *err) {
  return read_attribute(file, object, attribute, CRD_H5_DOUBLE, NULL, value, err);
}

crd_status crd_h5_read_integer(crd_h5_input *file, const char *object, const char *attribute, int64_t *value,
                               crd_error *err) {
  return read_attribute(file, object, attribute, CRD_H5_INTEGER, NULL, value, err);
}
