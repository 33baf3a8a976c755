/* Answers of impact laws to many problems as arrays in HDF5:
 *
 *   /laws (laws), /status and /solutions (rows x laws), /v_plus (rows x laws x nv), /kinetic_after (rows x laws, J)
 */
#include <cradle/io.h>

#include "io/hdf5/file.h"

crd_status crd_io_write_impacts(const char *path, const crd_impact_columns *c, crd_error *err) {
  crd_h5 *file = NULL;
  const size_t size[3] = {c->rows, (size_t)c->nlaw, (size_t)c->nv};
  crd_status status = crd_h5_create(path, &file, err);
  if (status != CRD_OK) return status;
  crd_h5_attribute_text(file, "/", "cradle", "impacts/1");
  crd_h5_write(file, "/laws", CRD_H5_TEXT, 1, size + 1, c->law);
  crd_h5_write(file, "/status", CRD_H5_INT32, 2, size, c->status);
  crd_h5_write(file, "/solutions", CRD_H5_INT32, 2, size, c->solutions);
  crd_h5_write(file, "/v_plus", CRD_H5_DOUBLE, 3, size, c->v_plus);
  crd_h5_write(file, "/kinetic_after", CRD_H5_DOUBLE, 2, size, c->kinetic_after);
  return crd_h5_commit(file, err);
}
