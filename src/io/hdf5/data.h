/* The values of a dataset, as they lie in the file, checked against its size, its checksums and its digest. */
#ifndef SRC_IO_HDF5_DATA_H
#define SRC_IO_HDF5_DATA_H

#include "io/hdf5/tree.h"

/* The attribute of a dataset that holds the SHA-256 of its values, and of the file that holds that of its attributes. */
#define CRD_H5_DIGEST "sha256"

/* Number of values and their bytes, which the file is seen to hold before memory is taken for them. */
crd_status crd_h5_data_size(const crd_h5_tree *tree, const crd_h5_object *object, size_t *count, size_t *bytes,
                            crd_error *err);
/* All bytes into value. CRD_ERR_FORMAT: missing, damaged, or other values than the digest was taken of. */
crd_status crd_h5_data_read(const crd_h5_tree *tree, const crd_h5_object *object, size_t bytes, unsigned char *value,
                            crd_error *err);

#endif
