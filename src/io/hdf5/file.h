/* HDF5 files: written so that they appear whole or not at all, read with everything checked.
 *
 * The same calls give the same bytes: no times are stored. Object names are paths from the root, "/contacts/n"; groups
 * on the way are made. Every dataset carries the SHA-256 of its values and the file a seal over all its attributes;
 * chunks have checksums (fletcher32), texts a fixed length. Files are written by the HDF5 library, which is not safe for
 * threads: one thread at a time uses these functions. They are read without it (tree.h), since it cannot be trusted
 * with files of strangers; reading is safe for threads.
 */
#ifndef SRC_IO_HDF5_FILE_H
#define SRC_IO_HDF5_FILE_H

#include <cradle/base.h>

typedef enum crd_h5_kind {
  CRD_H5_DOUBLE,  /* double, float64 in the file */
  CRD_H5_INTEGER, /* int64_t */
  CRD_H5_INT32,   /* int32_t */
  CRD_H5_BYTE,    /* uint8_t */
  CRD_H5_TEXT     /* const char * */
} crd_h5_kind;

typedef struct crd_h5 crd_h5;             /* a file that is written */
typedef struct crd_h5_input crd_h5_input; /* one that is read */

/* ------------------------------------------------------------------------------------------------ writing
 * The first failure is kept: calls after it do nothing, crd_h5_commit reports it and leaves no file. */

/* A new file beside path. CRD_ERR_FILE: the folder does not let it be created, or path is a folder or a device. */
crd_status crd_h5_create(const char *path, crd_h5 **file, crd_error *err);
/* Has a call failed so far? */
bool crd_h5_failed(const crd_h5 *file);
/* Closes, flushes to the disk, renames to path and frees. On failure (CRD_ERR_FILE with the system's reason,
 * CRD_ERR_MEMORY) nothing is left beside and a file that was there is untouched. */
crd_status crd_h5_commit(crd_h5 *file, crd_error *err);
/* Gives the file up and frees; NULL is allowed. */
void crd_h5_discard(crd_h5 *file);

/* A whole array: rank (0 is a scalar) up to 4 with its sizes, row-major. A size may be zero. */
void crd_h5_write(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, const size_t *size, const void *value);

enum { CRD_H5_GROWS = -1 };
/* A table to be filled row by row: rows are known (all have to come) or CRD_H5_GROWS. columns 0: one value a row, a
 * one-dimensional dataset. The result names the table in crd_h5_append; negative after a failure. */
int crd_h5_table(crd_h5 *file, const char *name, crd_h5_kind kind, int64_t rows, int columns);
void crd_h5_append(crd_h5 *file, int table, size_t rows, const void *value);

/* A group of its own, for attributes or to be empty. */
void crd_h5_group(crd_h5 *file, const char *name);

/* Attributes of an object that exists, "/" for the file. A text of more than 60000 bytes, which no attribute of HDF5 1.8
 * holds, becomes the only entry of the dataset "/text/NAME" where it belongs to the file; elsewhere it is an error. */
void crd_h5_attribute_text(crd_h5 *file, const char *object, const char *name, const char *text);
void crd_h5_attribute_number(crd_h5 *file, const char *object, const char *name, double value);
void crd_h5_attribute_integer(crd_h5 *file, const char *object, const char *name, int64_t value);

/* ------------------------------------------------------------------------------------------------ reading */

/* CRD_ERR_FILE: cannot be opened; CRD_ERR_FORMAT: not HDF5, truncated, damaged, or with parts that cradle does not write
 * (tree.h). Close in the end. */
crd_status crd_h5_open(const char *path, crd_h5_input **file, crd_error *err);
/* The same of bytes in memory, which stay the caller's and have to outlive the file; name is for messages. */
crd_status crd_h5_open_memory(const void *data, size_t size, const char *name, crd_h5_input **file, crd_error *err);
void crd_h5_close(crd_h5_input *file);
/* Has nothing been changed since cradle wrote the file? CRD_ERR_FORMAT. What is read of it is compared with its own
 * digest then. */
crd_status crd_h5_check_seal(const crd_h5_input *file, crd_error *err);
bool crd_h5_has(const crd_h5_input *file, const char *name);
bool crd_h5_has_attribute(const crd_h5_input *file, const char *object, const char *name);

/* Its number of dimensions; -1: no such dataset. */
int crd_h5_rank(const crd_h5_input *file, const char *name);

/* The dataset as an array in the arena. size (rank entries) holds the sizes expected, CRD_H5_ANY where any will do, and
 * gets those found. CRD_ERR_FORMAT: no such dataset, other rank, size or type, fewer bytes than its shape needs, or other
 * values than its digest was taken of. */
#define CRD_H5_ANY ((size_t)-1)
crd_status crd_h5_read(crd_h5_input *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_arena *arena,
                       void *value_out, crd_error *err);

crd_status crd_h5_read_text(crd_h5_input *file, const char *object, const char *attribute, crd_arena *arena,
                            const char **text, crd_error *err);
crd_status crd_h5_read_number(crd_h5_input *file, const char *object, const char *attribute, double *value,
                              crd_error *err);
crd_status crd_h5_read_integer(crd_h5_input *file, const char *object, const char *attribute, int64_t *value,
                               crd_error *err);

#endif
