/* The contents of an HDF5 file, read without the HDF5 library: libhdf5 dies inside of damaged files, opens other files
 * that a file names, and makes gigabytes of a filter's few bytes. This reads the part of the format [HDF5 File Format
 * Specification 3.0] that cradle and fclib write, and refuses the rest:
 *
 *   superblock 0 to 3, object headers 1 and 2, hard links in headers and in symbol tables, plain and chunked data
 *   (whole rows) with no filter but fletcher32, numbers in little-endian order, texts of fixed length.
 *
 * There are no links to other files, soft links, external storage, variable lengths, compression, shared messages.
 * All headers are read when the file is opened; their checksums are compared.
 */
#ifndef SRC_IO_HDF5_TREE_H
#define SRC_IO_HDF5_TREE_H

#include <cradle/base.h>

#include "io/hdf5/bytes.h"

enum { CRD_H5_MAX_RANK = 4 };

typedef enum crd_h5_class { CRD_H5_OTHER, CRD_H5_FLOAT, CRD_H5_SIGNED, CRD_H5_UNSIGNED, CRD_H5_STRING } crd_h5_class;

typedef struct crd_h5_type {
  crd_h5_class class;
  uint32_t size; /* bytes of one value */
} crd_h5_type;

typedef struct crd_h5_space {
  int rank; /* -1: no values at all */
  uint64_t size[CRD_H5_MAX_RANK];
} crd_h5_space;

typedef enum crd_h5_storage { CRD_H5_COMPACT, CRD_H5_CONTIGUOUS, CRD_H5_CHUNKED } crd_h5_storage;

typedef struct crd_h5_layout {
  crd_h5_storage storage;
  uint64_t address, bytes;                  /* contiguous; chunked: address of the index */
  const unsigned char *value;               /* compact: `bytes` of them */
  int chunk_rank;                           /* of the dataset, as the chunks see it */
  uint64_t chunk[CRD_H5_MAX_RANK], element; /* size of a chunk and of a value in it */
} crd_h5_layout;

typedef struct crd_h5_attribute {
  const char *name;
  crd_h5_type type;
  crd_h5_space space;
  const unsigned char *value; /* all of it */
  size_t bytes;
} crd_h5_attribute;

typedef struct crd_h5_object {
  const char *path; /* "/", "/contacts/n" */
  uint64_t header;
  bool is_dataset, checksummed; /* fletcher32 behind each chunk */
  crd_h5_type type;
  crd_h5_space space;
  crd_h5_layout layout;
  int nattribute, attribute_room;
  crd_h5_attribute *attribute;
} crd_h5_object;

typedef struct crd_h5_tree {
  crd_h5_bytes bytes;
  const char *path; /* of the file, for messages */
  crd_arena arena;
  int count, room;
  crd_h5_object **object; /* sorted by path */
  uint64_t budget;        /* bytes of headers and tables that may still be read */
  crd_error *err;
  crd_status status;
} crd_h5_tree;

/* Reads all headers. CRD_ERR_FORMAT with the object and the reason, CRD_ERR_MEMORY. Free in any case. */
crd_status crd_h5_tree_read(crd_h5_tree *tree, crd_error *err);
void crd_h5_tree_free(crd_h5_tree *tree);

/* NULL: there is none. */
const crd_h5_object *crd_h5_tree_find(const crd_h5_tree *tree, const char *path);
const crd_h5_attribute *crd_h5_tree_attribute(const crd_h5_object *object, const char *name);

/* For the parts of the reader: the first failure is kept; false. */
bool crd_h5_tree_fail(crd_h5_tree *tree, const char *where, const char *what);
/* `size` bytes of the file in the arena, paid for; NULL after a failure. */
unsigned char *crd_h5_tree_take(crd_h5_tree *tree, const char *where, uint64_t at, uint64_t size);
/* A new object of a header, not yet read; NULL after a failure. */
crd_h5_object *crd_h5_tree_add(crd_h5_tree *tree, const char *folder, const char *name, size_t length, uint64_t header);

/* Messages of object headers (message.c). Each fails with a reason. */
bool crd_h5_parse_type(const unsigned char *from, size_t size, crd_h5_type *type);
bool crd_h5_parse_space(const unsigned char *from, size_t size, crd_h5_space *space);
bool crd_h5_parse_layout(const unsigned char *from, size_t size, crd_h5_layout *layout, const char **why);
bool crd_h5_parse_filters(const unsigned char *from, size_t size, bool *checksummed, const char **why);
bool crd_h5_parse_attribute(crd_h5_tree *tree, crd_h5_object *object, const unsigned char *from, size_t size);
bool crd_h5_parse_link(crd_h5_tree *tree, const crd_h5_object *group, const unsigned char *from, size_t size);
/* The members of a group of the old kind: a B-tree of symbol tables whose names lie in a heap (group.c). */
bool crd_h5_parse_symbols(crd_h5_tree *tree, const crd_h5_object *group, const unsigned char *from, size_t size);

#endif
