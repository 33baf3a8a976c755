/* Reading HDF5: every dataset is checked for its type, rank, sizes and stored bytes before memory is taken for it. */
#include <stdio.h>
#include <string.h>

#include "io/hdf5/handle.h"

static crd_status wrong(crd_h5 *file, crd_error *err, const char *name, const char *found, const char *expected) {
  return crd_error_set(err, CRD_ERR_FORMAT, file->path, 0, "%s: found %s, expected %s", name, found, expected);
}

static crd_status unreadable(crd_h5 *file, crd_error *err, const char *name) {
  char text[300];
  crd_h5_reason(text, sizeof text);
  return crd_error_set(err, CRD_ERR_FORMAT, file->path, 0, "%s cannot be read: %s", name, text);
}

/* The name and all groups above it exist; HDF5 itself takes a missing group for an error. */
bool crd_h5_has(crd_h5 *file, const char *name) {
  char part[256];
  size_t length = strlen(name);
  if (length >= sizeof part) return false;
  for (size_t i = 1; i <= length; i++) {
    if (i < length && name[i] != '/') continue;
    memcpy(part, name, i);
    part[i] = 0;
    if (H5Lexists(file->id, part, H5P_DEFAULT) <= 0) return false;
  }
  return H5Oexists_by_name(file->id, name, H5P_DEFAULT) > 0;
}

bool crd_h5_has_attribute(crd_h5 *file, const char *object, const char *name) {
  return (strcmp(object, "/") == 0 || crd_h5_has(file, object)) &&
         H5Aexists_by_name(file->id, object, name, H5P_DEFAULT) > 0;
}

static const char *kind_name(crd_h5_kind kind) {
  return kind == CRD_H5_TEXT ? "text" : kind == CRD_H5_DOUBLE ? "real numbers" : "integers";
}

static bool type_fits(hid_t type, crd_h5_kind kind) {
  H5T_class_t found = H5Tget_class(type);
  if (kind == CRD_H5_TEXT) return found == H5T_STRING && H5Tis_variable_str(type) > 0;
  return found == (kind == CRD_H5_DOUBLE ? H5T_FLOAT : H5T_INTEGER);
}

static crd_status check_type(crd_h5 *file, const char *name, hid_t type, crd_h5_kind kind, crd_error *err) {
  return type_fits(type, kind) ? CRD_OK : wrong(file, err, name, "values of another type", kind_name(kind));
}

static crd_status check_shape(crd_h5 *file, const char *name, hid_t space, int rank, size_t *size, crd_error *err) {
  hsize_t extent[CRD_H5_MAX_RANK] = {0};
  char found[80], expected[80];
  int dimensions = H5Sget_simple_extent_ndims(space);
  if (H5Sget_simple_extent_type(space) == H5S_NULL || dimensions != rank) {
    snprintf(found, sizeof found, "%d dimensions", dimensions);
    snprintf(expected, sizeof expected, "%d", rank);
    return wrong(file, err, name, found, expected);
  }
  H5Sget_simple_extent_dims(space, extent, NULL);
  for (int i = 0; i < rank; i++) {
    if (size[i] != CRD_H5_ANY && extent[i] != size[i]) {
      snprintf(found, sizeof found, "size %llu in dimension %d", (unsigned long long)extent[i], i + 1);
      snprintf(expected, sizeof expected, "%zu", size[i]);
      return wrong(file, err, name, found, expected);
    }
    size[i] = (size_t)extent[i];
  }
  return CRD_OK;
}

/* A file may claim any shape. One that stores its values plainly has to hold them. */
static crd_status check_bytes(crd_h5 *file, const char *name, hid_t dataset, hid_t type, int rank, const size_t *size,
                              size_t *count, crd_error *err) {
  *count = 1;
  for (int i = 0; i < rank; i++)
    if (__builtin_mul_overflow(*count, size[i], count))
      return wrong(file, err, name, "an impossible size", "a smaller");
  size_t bytes;
  if (__builtin_mul_overflow(*count, H5Tget_size(type), &bytes))
    return wrong(file, err, name, "an impossible size", "a smaller");
  hid_t creation = H5Dget_create_plist(dataset);
  const bool plain = H5Pget_nfilters(creation) == 0;
  H5Pclose(creation);
  if (plain && H5Dget_storage_size(dataset) < bytes)
    return wrong(file, err, name, "fewer bytes than its shape needs", "all of them");
  return CRD_OK;
}

/* Opens the dataset and checks it; *dataset is to be closed where the result is CRD_OK. */
static crd_status open_checked(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, size_t *size, size_t *count,
                               hid_t *dataset, crd_error *err) {
  if (!crd_h5_has(file, name)) return wrong(file, err, name, "nothing", "a dataset of this name");
  *dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
  if (*dataset < 0) return wrong(file, err, name, "no dataset", "a dataset of this name");
  hid_t type = H5Dget_type(*dataset), space = H5Dget_space(*dataset);
  crd_status status = check_type(file, name, type, kind, err);
  if (status == CRD_OK) status = check_shape(file, name, space, rank, size, err);
  if (status == CRD_OK) status = check_bytes(file, name, *dataset, type, rank, size, count, err);
  H5Tclose(type), H5Sclose(space);
  if (status != CRD_OK) H5Dclose(*dataset);
  return status;
}

crd_status crd_h5_size(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_error *err) {
  hid_t dataset = H5I_INVALID_HID;
  size_t count = 0;
  crd_status status = open_checked(file, name, kind, rank, size, &count, &dataset, err);
  if (status == CRD_OK) H5Dclose(dataset);
  return status;
}

static crd_status no_memory(crd_h5 *file, crd_error *err, const char *name) {
  return crd_error_set(err, CRD_ERR_MEMORY, file->path, 0, "no memory for %s", name);
}

/* HDF5 allocates strings of variable length itself: copied to the arena and given back. NULL: no memory. */
static const char **take_texts(char **text, size_t count, hid_t dataset, hid_t type, crd_arena *arena) {
  const char **copy = crd_arena_alloc(arena, count, sizeof *copy);
  for (size_t i = 0; i < count && copy; i++)
    if (!(copy[i] = crd_arena_string(arena, text[i]))) copy = NULL;
  hid_t space = H5Dget_space(dataset);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, text);
  H5Sclose(space);
  return copy;
}

crd_status crd_h5_read(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_arena *arena,
                       void *value_out, crd_error *err) {
  hid_t dataset = H5I_INVALID_HID;
  size_t count = 0;
  crd_status status = open_checked(file, name, kind, rank, size, &count, &dataset, err);
  if (status != CRD_OK) return status;
  hid_t text = kind == CRD_H5_TEXT ? crd_h5_text_type() : H5I_INVALID_HID;
  hid_t type = kind == CRD_H5_TEXT ? text : crd_h5_memory_type(kind);
  void *value = crd_arena_alloc(arena, count ? count : 1, H5Tget_size(type));
  if (!value) status = no_memory(file, err, name);
  if (status == CRD_OK && count > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0)
    status = unreadable(file, err, name);
  if (status == CRD_OK && kind == CRD_H5_TEXT && count > 0 && !(value = take_texts(value, count, dataset, type, arena)))
    status = no_memory(file, err, name);
  if (text >= 0) H5Tclose(text);
  H5Dclose(dataset);
  if (status == CRD_OK) *(void **)value_out = value;
  return status;
}

crd_status crd_h5_read_rows(crd_h5 *file, const char *name, crd_h5_kind kind, size_t first, size_t rows, void *value,
                            crd_error *err) {
  hid_t dataset = H5Dopen2(file->id, name, H5P_DEFAULT);
  if (dataset < 0) return wrong(file, err, name, "nothing", "a dataset of this name");
  hid_t in_file = H5Dget_space(dataset);
  hsize_t extent[CRD_H5_MAX_RANK] = {0}, start[CRD_H5_MAX_RANK] = {first};
  int rank = H5Sget_simple_extent_ndims(in_file);
  crd_status status = CRD_OK;
  if (rank < 1 || rank > CRD_H5_MAX_RANK) {
    status = wrong(file, err, name, "another number of dimensions", "1 to 4");
  } else {
    H5Sget_simple_extent_dims(in_file, extent, NULL);
    extent[0] = rows;
    hid_t in_memory = H5Screate_simple(rank, extent, NULL);
    if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, NULL, extent, NULL) < 0 ||
        H5Dread(dataset, crd_h5_memory_type(kind), in_memory, in_file, H5P_DEFAULT, value) < 0)
      status = unreadable(file, err, name);
    H5Sclose(in_memory);
  }
  H5Sclose(in_file), H5Dclose(dataset);
  return status;
}

/* ------------------------------------------------------------------------------------------------ attributes */

/* One value of the given kind; text is HDF5's own memory. */
static crd_status read_attribute(crd_h5 *file, const char *object, const char *name, crd_h5_kind kind, void *value,
                                 crd_error *err) {
  char label[160];
  snprintf(label, sizeof label, "attribute %s of %s", name, object);
  if (!crd_h5_has_attribute(file, object, name)) return wrong(file, err, label, "nothing", "an attribute of this name");
  hid_t attribute = H5Aopen_by_name(file->id, object, name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return unreadable(file, err, label);
  hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  hid_t text = kind == CRD_H5_TEXT ? crd_h5_text_type() : H5I_INVALID_HID;
  crd_status status = check_type(file, label, type, kind, err);
  if (status == CRD_OK) status = check_shape(file, label, space, 0, NULL, err);
  if (status == CRD_OK && H5Aread(attribute, kind == CRD_H5_TEXT ? text : crd_h5_memory_type(kind), value) < 0)
    status = unreadable(file, err, label);
  if (text >= 0) H5Tclose(text);
  H5Tclose(type), H5Sclose(space), H5Aclose(attribute);
  return status;
}

crd_status crd_h5_read_text(crd_h5 *file, const char *object, const char *attribute, crd_arena *arena,
                            const char **text, crd_error *err) {
  char *found = NULL;
  crd_status status = read_attribute(file, object, attribute, CRD_H5_TEXT, &found, err);
  if (status != CRD_OK) return status;
  *text = crd_arena_string(arena, found);
  H5free_memory(found);
  return *text ? CRD_OK : no_memory(file, err, attribute);
}

crd_status crd_h5_read_number(crd_h5 *file, const char *object, const char *attribute, double *value, crd_error *err) {
  return read_attribute(file, object, attribute, CRD_H5_DOUBLE, value, err);
}

crd_status crd_h5_read_integer(crd_h5 *file, const char *object, const char *attribute, int64_t *value,
                               crd_error *err) {
  return read_attribute(file, object, attribute, CRD_H5_INTEGER, value, err);
}
