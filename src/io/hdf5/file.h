/* HDF5 files: written so that they appear whole or not at all, read with every shape checked.
 *
 * The same calls give the same bytes: no times are stored. Object names are paths from the root, "/contacts/n"; groups
 * on the way are made. Texts are UTF-8 strings of variable length, so that a model of any size fits an attribute. The
 * HDF5 library is not safe for threads: one thread at a time uses these functions.
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

typedef struct crd_h5 crd_h5;

/* ------------------------------------------------------------------------------------------------ writing
 * The first failure is kept: calls after it do nothing, crd_h5_commit reports it and leaves no file. */

/* A new file beside path. CRD_ERR_FILE: the folder does not let it be created, or path is a folder or a device. */
crd_status crd_h5_create(const char *path, crd_h5 **file, crd_error *err);
/* Has a call failed so far? */
bool crd_h5_failed(const crd_h5 *file);
/* Closes, flushes to the disk, renames to path and frees. On failure (CRD_ERR_FILE with the system's reason,
 * CRD_ERR_MEMORY) nothing is left beside and a file that was there is untouched. */
crd_status crd_h5_commit(crd_h5 *file, crd_error *err);
/* Gives the file up, written or read, and frees; NULL is allowed. */
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

/* Attributes of an object that exists, "/" for the file. */
void crd_h5_attribute_text(crd_h5 *file, const char *object, const char *name, const char *text);
void crd_h5_attribute_number(crd_h5 *file, const char *object, const char *name, double value);
void crd_h5_attribute_integer(crd_h5 *file, const char *object, const char *name, int64_t value);

/* ------------------------------------------------------------------------------------------------ reading */

/* CRD_ERR_FILE: cannot be opened; CRD_ERR_FORMAT: not HDF5, or truncated. Close with crd_h5_discard. */
crd_status crd_h5_open(const char *path, crd_h5 **file, crd_error *err);
bool crd_h5_has(crd_h5 *file, const char *name);
bool crd_h5_has_attribute(crd_h5 *file, const char *object, const char *name);

/* The dataset as an array in the arena. size (rank entries) holds the sizes expected, CRD_H5_ANY where any will do, and
 * gets those found. CRD_ERR_FORMAT: no such dataset, other rank, size or type, or fewer bytes than its shape needs. */
#define CRD_H5_ANY ((size_t)-1)
crd_status crd_h5_read(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_arena *arena,
                       void *value_out, crd_error *err);
/* The sizes alone, checked the same way; for what is read in parts by crd_h5_read_rows. */
crd_status crd_h5_size(crd_h5 *file, const char *name, crd_h5_kind kind, int rank, size_t *size, crd_error *err);
/* Rows first .. first + rows - 1 (not texts) into value. */
crd_status crd_h5_read_rows(crd_h5 *file, const char *name, crd_h5_kind kind, size_t first, size_t rows, void *value,
                            crd_error *err);

crd_status crd_h5_read_text(crd_h5 *file, const char *object, const char *attribute, crd_arena *arena,
                            const char **text, crd_error *err);
crd_status crd_h5_read_number(crd_h5 *file, const char *object, const char *attribute, double *value, crd_error *err);
crd_status crd_h5_read_integer(crd_h5 *file, const char *object, const char *attribute, int64_t *value, crd_error *err);

#endif
