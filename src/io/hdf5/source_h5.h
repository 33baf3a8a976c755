/* The files of a model in an HDF5 file: all behind one another in /model/data, as bytes (meshes are no text), with
 * /model/offset and /model/name, and the main file once more as the attribute "model" for those who look. */
#ifndef SRC_IO_SOURCE_H5_H
#define SRC_IO_SOURCE_H5_H

#include <cradle/io.h>

#include "io/hdf5/file.h"

/* false: no memory. Failures to write are kept in the file. */
bool crd_source_h5_write(crd_h5 *file, int count, const crd_source_file *source);
/* The files stored, in the arena; none where there is no /model. Names that leave their folder are refused. */
crd_status crd_source_h5_read(crd_h5_input *file, const char *path, crd_arena *arena, int *count,
                              const crd_source_file **source, crd_error *err);

#endif
