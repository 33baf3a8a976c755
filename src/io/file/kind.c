/* The kind of an HDF5 file of cradle, by its attribute "cradle". */
#include <cradle/io.h>

#include "io/hdf5/file.h"

crd_status crd_io_file_kind(const char *path, crd_arena *arena, const char **kind, crd_error *err) {
  crd_h5_input *file = NULL;
  *kind = NULL;
  crd_status status = crd_h5_open(path, &file, err);
  if (status == CRD_OK && !crd_h5_has_attribute(file, "/", "cradle"))
    status = crd_error_set(err, CRD_ERR_FORMAT, path, 0, "no attribute \"cradle\": expected a file written by cradle");
  if (status == CRD_OK) status = crd_h5_read_text(file, "/", "cradle", arena, kind, err);
  crd_h5_close(file);
  return status;
}
