/* The handle of a file that is written. */
#ifndef SRC_IO_HDF5_HANDLE_H
#define SRC_IO_HDF5_HANDLE_H

#include <hdf5.h>

#include "io/file/sha256.h"
#include "io/hdf5/file.h"
#include "io/hdf5/tree.h"
#include "io/trace/beside.h"

typedef struct crd_h5_table_state {
  hid_t dataset;
  char *name;
  crd_sha256 sum; /* of the rows so far */
  crd_h5_kind kind;
  int rank;
  hsize_t rows, columns; /* rows written so far */
  int64_t expected;      /* rows that have to come, CRD_H5_GROWS: any number */
} crd_h5_table_state;

struct crd_h5 {
  char *path; /* as the user gave it, for messages */
  hid_t id;   /* negative: not open */
  crd_beside beside;
  int descriptor;                       /* of the file beside */
  int disk_failure;                     /* errno of the first write that failed, 0: none */
  crd_error failure;                    /* the first one, status CRD_OK: none */
  unsigned char seal[CRD_SHA256_BYTES]; /* so far */
  int ntable, table_room;
  crd_h5_table_state *table;
  H5E_auto2_t former_report; /* what HDF5 would have printed its errors with */
  void *former_data;
};

/* A handle without a file, HDF5's own error messages silenced until crd_h5_discard. NULL: no memory. */
crd_h5 *crd_h5_new(const char *path);

/* HDF5's types for values in memory and in the file; both stay open, so nobody closes them. Text: H5I_INVALID_HID. */
hid_t crd_h5_memory_type(crd_h5_kind kind);
hid_t crd_h5_file_type(crd_h5_kind kind);
/* A string of `size` bytes; the caller closes it. */
hid_t crd_h5_text_type(size_t size);

/* Attributes, and the links of a group, stay in the object's header, which has a checksum, instead of moving to a heap
 * when there are many. */
void crd_h5_plain_headers(hid_t creation, bool is_group);

/* The digests of the tables and the seal, the last that is written. Failures are kept. */
void crd_h5_write_digests(crd_h5 *file);

/* The innermost reason HDF5 has for the failure of the last call, in the system's words where the system refused. */
void crd_h5_reason(char *text, size_t size);

#endif
