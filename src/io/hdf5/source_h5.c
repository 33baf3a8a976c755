#include "io/hdf5/source_h5.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool write_text(crd_h5 *file, const crd_source_file *main_file) {
  char *text = malloc((main_file ? main_file->size : 0) + 1);
  if (!text) return false;
  if (main_file) memcpy(text, main_file->data, main_file->size);
  text[main_file ? main_file->size : 0] = 0;
  crd_h5_attribute_text(file, "/", "model", text);
  free(text);
  return true;
}

bool crd_source_h5_write(crd_h5 *file, int nfile, const crd_source_file *source) {
  const size_t count = (size_t)nfile, ends = count + 1;
  if (!write_text(file, nfile ? &source[0] : NULL)) return false;
  if (nfile == 0) return true;
  const char **name = calloc(count, sizeof *name);
  int64_t *offset = calloc(ends, sizeof *offset);
  const bool memory = name && offset;
  if (memory) {
    int table = crd_h5_table(file, "/model/data", CRD_H5_BYTE, CRD_H5_GROWS, 0);
    for (size_t i = 0; i < count; i++) {
      name[i] = source[i].name;
      offset[i + 1] = offset[i] + (int64_t)source[i].size;
      crd_h5_append(file, table, source[i].size, source[i].data);
    }
    crd_h5_write(file, "/model/name", CRD_H5_TEXT, 1, &count, name);
    crd_h5_write(file, "/model/offset", CRD_H5_INTEGER, 1, &ends, offset);
  }
  free(name), free(offset);
  return memory;
}

/* A name that leaves its folder could overwrite a file of the user when the files are put down. */
static bool stays_inside(const char *name) {
  if (!name[0] || name[0] == '/' || strchr(name, '\\')) return false;
  for (const char *at = name; at; at = strchr(at, '/')) {
    at += *at == '/';
    if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || !at[2])) return false;
  }
  return true;
}

crd_status crd_source_h5_read(crd_h5_input *file, const char *path, crd_arena *arena, int *nfile,
                              const crd_source_file **source, crd_error *err) {
  size_t count = CRD_H5_ANY, bytes = CRD_H5_ANY, ends;
  const char *const *name;
  const int64_t *offset;
  const char *data;
  *nfile = 0, *source = NULL;
  if (!crd_h5_has(file, "/model")) return CRD_OK;
  crd_status status = crd_h5_read(file, "/model/name", CRD_H5_TEXT, 1, &count, arena, &name, err);
  ends = count + 1;
  if (status == CRD_OK) status = crd_h5_read(file, "/model/offset", CRD_H5_INTEGER, 1, &ends, arena, &offset, err);
  if (status == CRD_OK) status = crd_h5_read(file, "/model/data", CRD_H5_BYTE, 1, &bytes, arena, &data, err);
  if (status != CRD_OK) return status;
  if (count > INT_MAX) return crd_error_set(err, CRD_ERR_FORMAT, path, 0, "/model/name: expected fewer files");
  crd_source_file *list = crd_arena_alloc(arena, count + 1, sizeof *list);
  if (!list) return crd_error_set(err, CRD_ERR_MEMORY, path, 0, "no memory for the files of the model");
  for (size_t i = 0; i < count; i++) {
    if (offset[0] != 0 || offset[i + 1] < offset[i] || offset[i + 1] > (int64_t)bytes)
      return crd_error_set(err, CRD_ERR_FORMAT, path, 0,
                           "/model/offset: expected ascending numbers from 0 to the size of /model/data");
    if (!stays_inside(name[i]))
      return crd_error_set(err, CRD_ERR_FORMAT, path, 0, "/model/name: expected relative names without '..'");
    list[i] = (crd_source_file){name[i], data + offset[i], (size_t)(offset[i + 1] - offset[i])};
  }
  *nfile = (int)count, *source = list;
  return CRD_OK;
}
