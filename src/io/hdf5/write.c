/* Writing HDF5: groups, arrays, growing tables, attributes. A failure is kept in the handle (see hdf5_file.h). */
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/handle.h"

enum { CHUNK_BYTES = 64 * 1024 };

static void fail(crd_h5 *file, const char *name) {
  char text[300];
  if (file->failure.status != CRD_OK) return;
  crd_h5_reason(text, sizeof text);
  crd_error_set(&file->failure, CRD_ERR_FILE, file->path, 0, "cannot be written (at %s): %s", name, text);
}

/* Groups are made one by one because those HDF5 makes on the way carry the time. */
static bool make_group(crd_h5 *file, const char *name) {
  if (H5Lexists(file->id, name, H5P_DEFAULT) > 0) return true;
  hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
  H5Pset_obj_track_times(creation, false);
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

/* A dataset without times; chunk NULL: contiguous. */
static hid_t make_dataset(crd_h5 *file, const char *name, hid_t type, hid_t space, int rank, const hsize_t *chunk) {
  if (!make_groups_above(file, name)) return H5I_INVALID_HID;
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(creation, false);
  if (chunk) H5Pset_chunk(creation, rank, chunk);
  hid_t dataset = H5Dcreate2(file->id, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  if (dataset < 0) fail(file, name);
  H5Pclose(creation);
  return dataset;
}

void crd_h5_write(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, const size_t *size, const void *value) {
  if (crd_h5_failed(file)) return;
  hsize_t extent[CRD_H5_MAX_RANK] = {0};
  bool empty = false;
  for (int i = 0; i < rank; i++) extent[i] = size[i], empty = empty || size[i] == 0;
  hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, extent, NULL);
  hid_t text = kind == CRD_H5_TEXT ? crd_h5_text_type() : H5I_INVALID_HID;
  hid_t in_file = kind == CRD_H5_TEXT ? text : crd_h5_file_type(kind);
  hid_t in_memory = kind == CRD_H5_TEXT ? text : crd_h5_memory_type(kind);
  hid_t dataset = make_dataset(file, name, in_file, space, rank, NULL);
  if (dataset >= 0) {
    if (!empty && H5Dwrite(dataset, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) fail(file, name);
    if (H5Dclose(dataset) < 0) fail(file, name);
  }
  if (text >= 0) H5Tclose(text);
  H5Sclose(space);
}

/* ------------------------------------------------------------------------------------------------ tables */

static crd_h5_table_state *new_table(crd_h5 *file) {
  if (file->ntable == file->table_room) {
    int room = file->table_room ? 2 * file->table_room : 16;
    crd_h5_table_state *grown = realloc(file->table, sizeof *grown * (size_t)room);
    if (!grown) {
      crd_error_set(&file->failure, CRD_ERR_MEMORY, file->path, 0, "no memory to write the file");
      return NULL;
    }
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
  table->rank = columns == 0 ? 1 : 2, table->columns = columns == 0 ? 1 : (hsize_t)columns;
  const bool grows = rows == CRD_H5_GROWS;
  hsize_t row_bytes = table->columns * H5Tget_size(crd_h5_file_type(kind));
  hsize_t extent[2] = {grows ? 0 : (hsize_t)rows, table->columns}, most[2] = {H5S_UNLIMITED, table->columns};
  hsize_t chunk[2] = {row_bytes >= CHUNK_BYTES ? 1 : CHUNK_BYTES / row_bytes, table->columns};
  hid_t space = H5Screate_simple(table->rank, extent, grows ? most : NULL);
  table->dataset = make_dataset(file, name, crd_h5_file_type(kind), space, table->rank, grows ? chunk : NULL);
  H5Sclose(space);
  return table->dataset < 0 ? -1 : file->ntable++;
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
}

/* ------------------------------------------------------------------------------------------------ attributes */

static void write_attribute(crd_h5 *file, const char *object, const char *name, hid_t in_file, hid_t in_memory,
                            const void *value) {
  if (crd_h5_failed(file)) return;
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate_by_name(file->id, object, name, in_file, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0 || H5Awrite(attribute, in_memory, value) < 0) fail(file, name);
  if (attribute >= 0 && H5Aclose(attribute) < 0) fail(file, name);
  H5Sclose(space);
}

void crd_h5_attribute_text(crd_h5 *file, const char *object, const char *name, const char *text) {
  hid_t type = crd_h5_text_type();
  write_attribute(file, object, name, type, type, &text);
  H5Tclose(type);
}

void crd_h5_attribute_number(crd_h5 *file, const char *object, const char *name, double value) {
  write_attribute(file, object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, &value);
}

void crd_h5_attribute_integer(crd_h5 *file, const char *object, const char *name, int64_t value) {
  write_attribute(file, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}
