/* HDF5 files that are written: opened, committed, given up; types and error texts. */
#define _XOPEN_SOURCE 700
#include "io/hdf5/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/hdf5/driver.h"
#include "io/hdf5/handle.h"

hid_t crd_h5_memory_type(crd_h5_kind kind) {
  switch (kind) {
    case CRD_H5_DOUBLE: return H5T_NATIVE_DOUBLE;
    case CRD_H5_INTEGER: return H5T_NATIVE_INT64;
    case CRD_H5_INT32: return H5T_NATIVE_INT32;
    case CRD_H5_BYTE: return H5T_NATIVE_UINT8;
    case CRD_H5_TEXT: break;
  }
  return H5I_INVALID_HID;
}

hid_t crd_h5_file_type(crd_h5_kind kind) {
  switch (kind) {
    case CRD_H5_DOUBLE: return H5T_IEEE_F64LE;
    case CRD_H5_INTEGER: return H5T_STD_I64LE;
    case CRD_H5_INT32: return H5T_STD_I32LE;
    case CRD_H5_BYTE: return H5T_STD_U8LE;
    case CRD_H5_TEXT: break;
  }
  return H5I_INVALID_HID;
}

hid_t crd_h5_text_type(size_t size) {
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, size > 0 ? size : 1);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  H5Tset_cset(type, H5T_CSET_UTF8);
  return type;
}

typedef struct reason {
  char *text;
  size_t size;
  bool from_system;
} reason;

/* The file driver's message carries the system's: "... errno = 28, error message = 'No space left on device', ..." */
static herr_t look_for_reason(unsigned depth, const H5E_error2_t *error, void *data) {
  reason *found = data;
  const char mark[] = "error message = '";
  const char *description = error->desc ? error->desc : "";
  const char *system_text = strstr(description, mark);
  if (system_text && !found->from_system) {
    system_text += sizeof mark - 1;
    snprintf(found->text, found->size, "%.*s", (int)strcspn(system_text, "'"), system_text);
    found->from_system = true;
  } else if (depth == 0 && !found->from_system) {
    snprintf(found->text, found->size, "%s", description);
  }
  return 0;
}

void crd_h5_reason(char *text, size_t size) {
  reason found = {.text = text, .size = size};
  snprintf(text, size, "no reason given");
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, look_for_reason, &found);
}

crd_h5 *crd_h5_new(const char *path) {
  crd_h5 *file = calloc(1, sizeof *file);
  if (!file) return NULL;
  file->path = strdup(path);
  file->id = H5I_INVALID_HID;
  if (!file->path) return free(file), NULL;
  H5Eget_auto2(H5E_DEFAULT, &file->former_report, &file->former_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return file;
}

static void free_handle(crd_h5 *file) {
  H5Eset_auto2(H5E_DEFAULT, file->former_report, file->former_data);
  free(file->table);
  free(file->path);
  free(file);
}

/* Every part closed. What the driver or HDF5 could not write is kept as the failure unless there is one already. */
static void close_parts(crd_h5 *file) {
  bool closed = true;
  char text[400] = "";
  for (int i = 0; i < file->ntable; i++) {
    free(file->table[i].name);
    if (H5Dclose(file->table[i].dataset) < 0) closed = false, crd_h5_reason(text, sizeof text);
  }
  file->ntable = 0;
  if (file->id >= 0 && H5Fclose(file->id) < 0) closed = false, crd_h5_reason(text, sizeof text);
  file->id = H5I_INVALID_HID;
  if (file->disk_failure != 0) closed = false, snprintf(text, sizeof text, "%s", strerror(file->disk_failure));
  if (!closed && (file->failure.status == CRD_OK || file->disk_failure != 0))
    crd_error_set(&file->failure, CRD_ERR_FILE, file->path, 0, "cannot be written: %s", text);
}

/* The descriptor is closed in any case. */
static crd_status flush_to_disk(crd_h5 *file, crd_error *err) {
  bool flushed = crd_file_flush(file->descriptor);
  int cause = errno;
  bool closed = close(file->descriptor) == 0;
  if (flushed && closed) return CRD_OK;
  if (!flushed) errno = cause;
  return crd_file_failed(err, file->path, "cannot be written");
}

static void check_tables_complete(crd_h5 *file) {
  for (int i = 0; i < file->ntable && file->failure.status == CRD_OK; i++) {
    const crd_h5_table_state *table = &file->table[i];
    if (table->expected != CRD_H5_GROWS && (hsize_t)table->expected != table->rows)
      crd_error_set(&file->failure, CRD_ERR_ARGUMENT, file->path, 0, "table %d has %llu rows, expected %lld", i,
                    (unsigned long long)table->rows, (long long)table->expected);
  }
}

crd_status crd_h5_commit(crd_h5 *file, crd_error *err) {
  check_tables_complete(file);
  crd_h5_write_digests(file);
  close_parts(file);
  crd_status status = file->failure.status;
  if (status != CRD_OK && err) *err = file->failure;
  if (status == CRD_OK) {
    status = flush_to_disk(file, err);
  } else {
    close(file->descriptor);
  }
  if (status == CRD_OK) {
    status = crd_beside_commit(&file->beside, file->path, err);
  } else {
    crd_beside_discard(&file->beside);
  }
  free_handle(file);
  return status;
}

void crd_h5_discard(crd_h5 *file) {
  if (!file) return;
  close_parts(file);
  close(file->descriptor), crd_beside_discard(&file->beside);
  free_handle(file);
}

bool crd_h5_failed(const crd_h5 *file) { return file->failure.status != CRD_OK || file->disk_failure != 0; }

/* Format of HDF5 1.8: known to every HDF5 in use, with checksums of everything but the data. */
static void create_file(crd_h5 *file) {
  hid_t access = crd_h5_driver_access(file->descriptor, &file->disk_failure), creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  H5Pset_obj_track_times(creation, false);
  crd_h5_plain_headers(creation, true);
  file->id = H5Fcreate(file->beside.name, H5F_ACC_TRUNC, creation, access);
  if (file->id < 0) {
    char text[400];
    crd_h5_reason(text, sizeof text);
    crd_error_set(&file->failure, CRD_ERR_FILE, file->path, 0, "cannot be created: %s", text);
  }
  H5Pclose(access), H5Pclose(creation);
}

crd_status crd_h5_create(const char *path, crd_h5 **file_out, crd_error *err) {
  struct stat present;
  *file_out = NULL;
  if (stat(path, &present) == 0 && !S_ISREG(present.st_mode))
    return crd_error_set(err, CRD_ERR_FILE, path, 0, "found a %s, expected the name of a file to write",
                         S_ISDIR(present.st_mode) ? "folder" : "device or pipe, which HDF5 cannot write to");
  crd_h5 *file = crd_h5_new(path);
  if (!file) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory to write the file");
  crd_status status = crd_beside_begin(&file->beside, path, &file->descriptor, err);
  if (status != CRD_OK) return free_handle(file), status;
  create_file(file);
  if (crd_h5_failed(file)) return crd_h5_commit(file, err);
  *file_out = file;
  return CRD_OK;
}
