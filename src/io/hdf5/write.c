/* Writing HDF5: groups, arrays, growing tables, attributes. A failure is kept in the handle (see file.h). */
#define _XOPEN_SOURCE 700
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/data.h"
#include "io/hdf5/handle.h"
#include "io/hdf5/seal.h"

/* A chunk; the longest text of an attribute (a message of a header has to stay below 64 KiB); all texts of a dataset. */
enum { CHUNK_BYTES = 64 * 1024, LONGEST_ATTRIBUTE = 60000, MOST_TEXT = 1 << 28 };

static void fail(crd_h5 *file, const char *name) {
  char text[300];
  if (file->failure.status != CRD_OK) return;
  crd_h5_reason(text, sizeof text);
  crd_error_set(&file->failure, CRD_ERR_FILE, file->path, 0, "cannot be written (at %s): %s", name, text);
}

static void refuse(crd_h5 *file, const char *name, const char *what) {
  if (file->failure.status == CRD_OK)
    crd_error_set(&file->failure, CRD_ERR_CAPACITY, file->path, 0, "cannot be written: %.200s: %s", name, what);
}

static bool no_memory(crd_h5 *file) {
  if (file->failure.status == CRD_OK)
    crd_error_set(&file->failure, CRD_ERR_MEMORY, file->path, 0, "no memory to write the file");
  return false;
}

void crd_h5_plain_headers(hid_t creation, bool is_group) {
  enum { ALL = 65535 };
  H5Pset_attr_phase_change(creation, ALL, 0);
  if (is_group) H5Pset_link_phase_change(creation, ALL, 0);
}

/* Groups are made one by one because those HDF5 makes on the way carry the time. */
static bool make_group(crd_h5 *file, const char *name) {
  if (H5Lexists(file->id, name, H5P_DEFAULT) > 0) return true;
  hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation, false);
  crd_h5_plain_headers(creation, true);
  hid_t group = H5Gcreate2(file->id, name, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (group < 0) fail(file, name);
  bool made = group >= 0 && H5Gclose(group) >= 0;
  H5Pclose(creation);
  return made;
}

static bool make_groups_above(crd_h5 *file, const char *name) {
  char part[256];
  for (const char *slash = strchr(name + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    size_t length = (size_t)(slash - name);
    if (length >= sizeof part) {
      crd_error_set(&file->failure, CRD_ERR_ARGUMENT, file->path, 0, "the name %s is too long", name);
      return false;
    }
    memcpy(part, name, length);
    part[length] = 0;
    if (!make_group(file, part)) return false;
  }
  return true;
}

void crd_h5_group(crd_h5 *file, const char *name) {
  if (!crd_h5_failed(file) && make_groups_above(file, name)) make_group(file, name);
}

/* A dataset without times, with checksums where it has chunks; chunk NULL: contiguous. */
static hid_t make_dataset(crd_h5 *file, const char *name, hid_t type, hid_t space, int rank, const hsize_t *chunk) {
  if (!make_groups_above(file, name)) return H5I_INVALID_HID;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  crd_h5_plain_headers(creation, false);
  if (chunk) H5Pset_chunk(creation, rank, chunk), H5Pset_fletcher32(creation);
  hid_t dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset < 0) fail(file, name);
  H5Pclose(creation);
  return dataset;
}

static void write_digest(crd_h5 *file, const char *name, crd_sha256 *sum) {
  unsigned char digest[CRD_SHA256_BYTES];
  char text[CRD_SHA256_TEXT];
  crd_sha256_end(sum, digest);
  crd_sha256_text(digest, text);
  crd_h5_attribute_text(file, name, CRD_H5_DIGEST, text);
}

/* An array of values as they are in the file. */
static void write_values(crd_h5 *file, const char *name, hid_t in_file, hid_t in_memory, int rank, const size_t *size,
                         const void *value) {
  hsize_t extent[CRD_H5_MAX_RANK] = {0}, chunk[CRD_H5_MAX_RANK] = {0};
  size_t row = H5Tget_size(in_file), bytes = row;
  for (int i = 0; i < rank; i++) {
    extent[i] = chunk[i] = size[i], bytes *= size[i];
    if (i > 0) row *= size[i];
  }
  if (row > 0 && chunk[0] > CHUNK_BYTES / row) chunk[0] = row < CHUNK_BYTES ? CHUNK_BYTES / row : 1;
  hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL);
  hid_t dataset = make_dataset(file, name, in_file, space, rank, rank > 0 && bytes > 0 ? chunk : NULL);
  if (dataset >= 0) {
    if (bytes > 0 && H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) fail(file, name);
    if (H5Dclose(dataset) < 0) fail(file, name);
    crd_sha256 sum;
    crd_sha256_begin(&sum);
    if (bytes > 0) crd_sha256_add(&sum, value, bytes);
    write_digest(file, name, &sum);
  }
  H5Sclose(space);
}

/* Texts, each padded with zeros to the length of the longest. */
static void write_texts(crd_h5 *file, const char *name, int rank, const size_t *size, const char *const *text) {
  size_t count = 1, width = 1;
  for (int i = 0; i < rank; i++) count *= size[i];
  for (size_t i = 0; i < count; i++) width = strlen(text[i]) > width ? strlen(text[i]) : width;
  if (count > 0 && width > MOST_TEXT / count) {
    refuse(file, name, "found texts that take more than 256 MiB side by side, expected shorter ones");
    return;
  }
  char *side_by_side = calloc(count * width + 1, 1);
  hid_t type = crd_h5_text_type(width);
  for (size_t i = 0; i < count && side_by_side; i++) memcpy(side_by_side + i * width, text[i], strlen(text[i]));
  if (side_by_side) write_values(file, name, type, type, rank, size, side_by_side);
  if (!side_by_side) no_memory(file);
  H5Tclose(type);
  free(side_by_side);
}

void crd_h5_write(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, const size_t *size, const void *value) {
  if (crd_h5_failed(file)) return;
  if (kind == CRD_H5_TEXT)
    write_texts(file, name, rank, size, value);
  else
    write_values(file, name, crd_h5_file_type(kind), crd_h5_memory_type(kind), rank, size, value);
}

/* ------------------------------------------------------------------------------------------------ tables */

static crd_h5_table_state *new_table(crd_h5 *file) {
  if (file->ntable == file->table_room) {
    int room = file->table_room ? 2 * file->table_room : 16;
    crd_h5_table_state *grown = realloc(file->table, sizeof *grown * (size_t)room);
    if (!grown) return no_memory(file), NULL;
    file->table = grown, file->table_room = room;
  }
  crd_h5_table_state *table = &file->table[file->ntable];
  *table = (crd_h5_table_state){.dataset = H5I_INVALID_HID};
  return table;
}

int crd_h5_table(crd_h5 *file, const char *name, crd_h5_kind kind, int64_t rows, int columns) {
  if (crd_h5_failed(file)) return -1;
  crd_h5_table_state *table = new_table(file);
  if (!table) return -1;
  table->kind = kind, table->expected = rows;
  crd_sha256_begin(&table->sum);
  table->rank = columns == 0 ? 1 : 2, table->columns = columns == 0 ? 1 : (hsize_t)columns;
  const bool grows = rows == CRD_H5_GROWS;
  hsize_t row_bytes = table->columns * H5Tget_size(crd_h5_file_type(kind));
  hsize_t extent[2] = {grows ? 0 : (hsize_t)rows, table->columns}, most[2] = {H5S_UNLIMITED, table->columns};
  hsize_t chunk[2] = {row_bytes >= CHUNK_BYTES ? 1 : CHUNK_BYTES / row_bytes, table->columns};
  if (!grows && chunk[0] > (hsize_t)rows) chunk[0] = (hsize_t)rows; /* HDF5 allows no chunk beyond a fixed size */
  hid_t space = H5Screate_simple(table->rank, extent, grows ? most : NULL);
  table->dataset =
      make_dataset(file, name, crd_h5_file_type(kind), space, table->rank, grows || rows > 0 ? chunk : NULL);
  H5Sclose(space);
  if (table->dataset < 0) return -1;
  table->name = strdup(name);
  if (!table->name) no_memory(file);
  return file->ntable++;
}

void crd_h5_append(crd_h5 *file, int index, size_t rows, const void *value) {
  if (crd_h5_failed(file) || index < 0 || rows == 0) return;
  crd_h5_table_state *table = &file->table[index];
  const hsize_t first[2] = {table->rows, 0}, count[2] = {rows, table->columns};
  const hsize_t grown[2] = {table->rows + rows, table->columns};
  if (table->expected == CRD_H5_GROWS && H5Dset_extent(table->dataset, grown) < 0) {
    fail(file, "a table");
    return;
  }
  hid_t in_file = H5Dget_space(table->dataset), in_memory = H5Screate_simple(table->rank, count, NULL);
  if (H5Sselect_hyperslab(in_file, H5S_SELECT_SET, first, NULL, count, NULL) < 0 ||
      H5Dwrite(table->dataset, crd_h5_memory_type(table->kind), in_memory, in_file, H5P_DEFAULT, value) < 0)
    fail(file, "a table");
  H5Sclose(in_file), H5Sclose(in_memory);
  table->rows += rows;
  /* the same bytes as in the file: all machines that cradle runs on are little-endian */
  crd_sha256_add(&table->sum, value, rows * (size_t)table->columns * H5Tget_size(crd_h5_file_type(table->kind)));
}

/* ------------------------------------------------------------------------------------------------ attributes */

/* kind: the letter of the seal. */
static void write_attribute(crd_h5 *file, const char *object, const char *name, char kind, hid_t in_file,
                            hid_t in_memory, const void *value, size_t size) {
  if (crd_h5_failed(file)) return;
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate_by_name(file->id, object, name, in_file, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, in_memory, value) < 0) fail(file, name);
  if (attribute >= 0 && H5Aclose(attribute) < 0) fail(file, name);
  H5Sclose(space);
  crd_h5_seal_add(file->seal, object, name, kind, value, size);
}

void crd_h5_attribute_text(crd_h5 *file, const char *object, const char *name, const char *text) {
  const size_t length = strlen(text);
  if (length > LONGEST_ATTRIBUTE && strcmp(object, "/") == 0) {
    char place[160];
    const size_t one = 1;
    snprintf(place, sizeof place, "/text/%s", name);
    crd_h5_write(file, place, CRD_H5_TEXT, 1, &one, &text);
  } else if (length > LONGEST_ATTRIBUTE) {
    refuse(file, name, "found a text of more than 60000 bytes, expected a shorter one");
  } else {
    hid_t type = crd_h5_text_type(length);
    write_attribute(file, object, name, 't', type, type, length ? text : "\0", length);
    H5Tclose(type);
  }
}

void crd_h5_attribute_number(crd_h5 *file, const char *object, const char *name, double value) {
  write_attribute(file, object, name, 'n', H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value, sizeof value);
}

void crd_h5_attribute_integer(crd_h5 *file, const char *object, const char *name, int64_t value) {
  write_attribute(file, object, name, 'i', H5T_STD_I64LE, H5T_NATIVE_INT64, &value, sizeof value);
}

void crd_h5_write_digests(crd_h5 *file) {
  for (int i = 0; i < file->ntable && !crd_h5_failed(file); i++)
    write_digest(file, file->table[i].name, &file->table[i].sum);
  char text[CRD_SHA256_TEXT];
  crd_sha256_text(file->seal, text);
  hid_t type = crd_h5_text_type(sizeof text - 1);
  write_attribute(file, "/", CRD_H5_DIGEST, 't', type, type, text, sizeof text - 1);
  H5Tclose(type);
}
