/* Columns of numbers and texts as arrays in HDF5. */
#include <cradle/io.h>
#include <stdlib.h>

#include "io/hdf5/file.h"

/* Without gaps: a row without a text has an empty one. */
static crd_status write_texts(crd_h5 *file, const crd_column *c, size_t rows) {
  const char **text = calloc(rows + 1, sizeof *text);
  if (!text) return CRD_ERR_MEMORY;
  for (size_t i = 0; i < rows; i++) text[i] = c->text[i] ? c->text[i] : "";
  crd_h5_write(file, c->name, CRD_H5_TEXT, 1, &rows, text);
  free(text);
  return CRD_OK;
}

crd_status crd_io_write_columns(const char *path, const char *kind, size_t rows, int count, const crd_column *column,
                                crd_error *err) {
  crd_h5 *file = NULL;
  crd_status status = crd_h5_create(path, &file, err);
  if (status != CRD_OK) return status;
  crd_h5_attribute_text(file, "/", "cradle", kind);
  for (int k = 0; k < count && status == CRD_OK; k++) {
    const size_t size[2] = {rows, (size_t)column[k].width};
    if (column[k].text)
      status = write_texts(file, &column[k], rows);
    else
      crd_h5_write(file, column[k].name, CRD_H5_DOUBLE, column[k].width > 1 ? 2 : 1, size, column[k].value);
  }
  if (status == CRD_OK) return crd_h5_commit(file, err);
  crd_h5_discard(file);
  return crd_error_set(err, status, path, 0, "out of memory");
}
