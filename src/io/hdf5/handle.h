/* What the reading and the writing half of the HDF5 files share. */
#ifndef SRC_IO_HDF5_HANDLE_H
#define SRC_IO_HDF5_HANDLE_H

#include <hdf5.h>

#include "io/hdf5/file.h"
#include "io/trace/beside.h"

enum { CRD_H5_MAX_RANK = 4 };

typedef struct crd_h5_table_state {
  hid_t dataset;
  crd_h5_kind kind;
  int rank;
  hsize_t rows, columns; /* rows written so far */
  int64_t expected;      /* rows that have to come, CRD_H5_GROWS: any number */
} crd_h5_table_state;

struct crd_h5 {
  char *path; /* as the user gave it, for messages */
  hid_t id;   /* negative: not open */
  bool writing;
  crd_beside beside;
  int descriptor;    /* of the file beside */
  int disk_failure;  /* errno of the first write that failed, 0: none */
  crd_error failure; /* the first one, status CRD_OK: none */
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
/* A string of variable length; the caller closes it. */
hid_t crd_h5_text_type(void);

/* The innermost reason HDF5 has for the failure of the last call, in the system's words where the system refused. */
void crd_h5_reason(char *text, size_t size);

#endif
