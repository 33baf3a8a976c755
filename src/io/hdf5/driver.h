/* The way of HDF5 to the disk while a file is written.
 *
 * HDF5 does not survive a failing disk: after a failed close it keeps the file and crashes when the process ends. This
 * driver keeps the first failure to itself and from then on accepts writes without doing them; HDF5 closes in order and
 * the caller, who is told the system's reason, removes the file. */
#ifndef SRC_IO_HDF5_DRIVER_H
#define SRC_IO_HDF5_DRIVER_H

#include <hdf5.h>

/* An access property list for H5Fcreate that writes to the open descriptor, which stays the caller's; *failure, which
 * must outlive the file, gets the errno of the first failure and is left alone without one. The name given to H5Fcreate
 * is not used. Negative on failure; the caller closes the list. */
hid_t crd_h5_driver_access(int descriptor, int *failure);

#endif
