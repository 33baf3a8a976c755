/* Values of datasets: in the header, in one piece, or in chunks of whole rows that a B-tree finds [HDF5 File Format
 * Specification, III.A.1]. */
#include "io/hdf5/data.h"

#include <stdlib.h>
#include <string.h>

#include "io/file/sha256.h"

enum { CHECKSUM = 4 }; /* bytes of fletcher32 behind a chunk */

static crd_status fail(const crd_h5_tree *tree, const crd_h5_object *object, const char *what, crd_error *err) {
  return crd_error_set(err, CRD_ERR_FORMAT, tree->path, 0, "%.200s: %s", object->path, what);
}

/* ------------------------------------------------------------------------------------------------ sizes */

static uint64_t row_bytes(const crd_h5_object *object) {
  uint64_t bytes = object->type.size;
  for (int i = 1; i < object->space.rank; i++)
    if (__builtin_mul_overflow(bytes, object->space.size[i], &bytes)) return UINT64_MAX;
  return bytes;
}

/* The chunks are whole rows. */
static bool whole_rows(const crd_h5_object *object) {
  const crd_h5_layout *layout = &object->layout;
  bool whole = layout->chunk_rank == object->space.rank && layout->element == object->type.size;
  for (int i = 1; i < object->space.rank && whole; i++) whole = layout->chunk[i] == object->space.size[i];
  return whole;
}

static const char *shortage(const crd_h5_tree *tree, const crd_h5_object *object, uint64_t bytes) {
  static const char FEWER[] = "found fewer bytes than its shape needs, expected all of them";
  const crd_h5_layout *layout = &object->layout;
  if (bytes == 0) return NULL;
  if (layout->storage != CRD_H5_CHUNKED) {
    const bool held = layout->storage == CRD_H5_COMPACT ||
                      (layout->address <= tree->bytes.size && bytes <= tree->bytes.size - layout->address);
    if (object->checksummed) return "found a checksum without chunks";
    return layout->bytes >= bytes && held ? NULL : FEWER;
  }
  if (!whole_rows(object)) return "found chunks that cut its rows, expected whole rows (`h5repack -l CONTI`)";
  const uint64_t rows = object->space.size[0], chunks = rows / layout->chunk[0] + (rows % layout->chunk[0] != 0);
  uint64_t chunk = row_bytes(object);
  if (__builtin_mul_overflow(chunk, layout->chunk[0], &chunk) || chunk > UINT32_MAX) return "found too large a chunk";
  return chunk <= tree->bytes.size && chunks <= tree->bytes.size / chunk ? NULL : FEWER;
}

crd_status crd_h5_data_size(const crd_h5_tree *tree, const crd_h5_object *object, size_t *count, size_t *bytes,
                            crd_error *err) {
  uint64_t values = 1, all;
  for (int i = 0; i < object->space.rank; i++)
    if (__builtin_mul_overflow(values, object->space.size[i], &values))
      return fail(tree, object, "found an impossible size, expected a smaller", err);
  if (__builtin_mul_overflow(values, (uint64_t)object->type.size, &all) || all > SIZE_MAX / 4)
    return fail(tree, object, "found an impossible size, expected a smaller", err);
  const char *what = shortage(tree, object, all);
  if (what) return fail(tree, object, what, err);
  *count = (size_t)values, *bytes = (size_t)all;
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ chunks */

typedef struct chunks {
  const crd_h5_tree *tree;
  const crd_h5_object *object;
  unsigned char *value, *buffer; /* of the dataset, of a chunk with its checksum */
  bool *seen;                    /* a chunk */
  uint64_t count, bytes, found;  /* chunks, bytes of one, chunks read */
  uint64_t row, rows;            /* bytes of a row, all rows */
  uint64_t nodes;                /* that may still be read */
  const char *why;
} chunks;

static bool wrong(chunks *c, const char *why) {
  if (!c->why) c->why = why;
  return false;
}

static bool read_chunk(chunks *c, const unsigned char *key, uint64_t address) {
  const crd_h5_layout *layout = &c->object->layout;
  const uint64_t stored = c->bytes + (c->object->checksummed ? CHECKSUM : 0);
  const uint64_t first = crd_h5_number(key + 8, 8), index = first / layout->chunk[0];
  bool fits = crd_h5_number(key, 4) == stored && crd_h5_number(key + 4, 4) == 0 && first % layout->chunk[0] == 0 &&
              index < c->count && !c->seen[index];
  for (int i = 1; i <= layout->chunk_rank; i++) fits = fits && crd_h5_number(key + 8 + 8 * i, 8) == 0;
  if (!fits) return wrong(c, "found a chunk of another size or place");
  c->seen[index] = true, c->found++;
  if (!crd_h5_bytes_get(&c->tree->bytes, address, (size_t)stored, c->buffer))
    return wrong(c, "found a chunk outside the file");
  if (c->object->checksummed &&
      crd_h5_fletcher32(c->buffer, (size_t)c->bytes) != (uint32_t)crd_h5_number(c->buffer + c->bytes, CHECKSUM))
    return wrong(c, "a chunk's checksum does not agree: the file is damaged");
  const uint64_t rows = c->rows - first < layout->chunk[0] ? c->rows - first : layout->chunk[0];
  memcpy(c->value + first * c->row, c->buffer, (size_t)(rows * c->row));
  return true;
}

/* level: expected by the node's parent, negative: the root. Each node is read once in a sound file. */
static bool read_node(chunks *c, uint64_t at, int level) {
  enum { HEAD = 24, DEEPEST = 8, MOST = 65535 };
  unsigned char head[HEAD];
  if (c->nodes-- == 0) return wrong(c, "found too many tables of chunks");
  if (!crd_h5_bytes_get(&c->tree->bytes, at, HEAD, head) || memcmp(head, "TREE", 4) != 0 || head[4] != 1 ||
      head[5] > DEEPEST || (level >= 0 && head[5] != level))
    return wrong(c, "found a table of chunks that is damaged");
  const size_t entries = (size_t)crd_h5_number(head + 6, 2), key = 8 + 8 * ((size_t)c->object->layout.chunk_rank + 1),
               entry = key + 8;
  unsigned char *list = malloc(entries * entry + 1);
  if (!list) return wrong(c, NULL);
  bool good = crd_h5_bytes_get(&c->tree->bytes, at + HEAD, entries * entry, list) ||
              wrong(c, "found a table of chunks that is cut short");
  for (size_t i = 0; good && i < entries; i++) {
    const uint64_t child = crd_h5_number(list + i * entry + key, 8);
    good = head[5] == 0 ? read_chunk(c, list + i * entry, child) : read_node(c, child, head[5] - 1);
  }
  free(list);
  return good;
}

static crd_status read_chunks(const crd_h5_tree *tree, const crd_h5_object *object, unsigned char *value,
                              crd_error *err) {
  const crd_h5_layout *layout = &object->layout;
  chunks c = {.tree = tree, .object = object, .value = value, .rows = object->space.size[0]};
  c.row = row_bytes(object), c.bytes = c.row * layout->chunk[0];
  c.count = c.rows / layout->chunk[0] + (c.rows % layout->chunk[0] != 0);
  c.nodes = c.count + 16;
  c.seen = calloc((size_t)c.count, sizeof *c.seen), c.buffer = malloc((size_t)c.bytes + CHECKSUM);
  bool read = c.seen && c.buffer && read_node(&c, layout->address, -1);
  if (read && c.found < c.count) read = wrong(&c, "found fewer chunks than its shape needs, expected all of them");
  const bool memory = c.seen && c.buffer && (read || c.why);
  free(c.seen), free(c.buffer);
  if (!memory) return crd_error_set(err, CRD_ERR_MEMORY, tree->path, 0, "no memory to read %.200s", object->path);
  return read ? CRD_OK : fail(tree, object, c.why, err);
}

/* ------------------------------------------------------------------------------------------------ values */

static crd_status check_digest(const crd_h5_tree *tree, const crd_h5_object *object, size_t bytes,
                               const unsigned char *value, crd_error *err) {
  const crd_h5_attribute *stated = crd_h5_tree_attribute(object, CRD_H5_DIGEST);
  if (!stated) return CRD_OK;
  crd_sha256 sum;
  unsigned char digest[CRD_SHA256_BYTES];
  char text[CRD_SHA256_TEXT];
  crd_sha256_begin(&sum);
  crd_sha256_add(&sum, value, bytes);
  crd_sha256_end(&sum, digest);
  crd_sha256_text(digest, text);
  if (stated->type.class == CRD_H5_STRING && stated->bytes >= sizeof text - 1 &&
      memcmp(stated->value, text, sizeof text - 1) == 0)
    return CRD_OK;
  return fail(tree, object, "other values than its attribute sha256 says: it was changed after it was written", err);
}

crd_status crd_h5_data_read(const crd_h5_tree *tree, const crd_h5_object *object, size_t bytes, unsigned char *value,
                            crd_error *err) {
  const crd_h5_layout *layout = &object->layout;
  crd_status status = CRD_OK;
  if (bytes == 0) {
    status = CRD_OK;
  } else if (layout->storage == CRD_H5_COMPACT) {
    memcpy(value, layout->value, bytes);
  } else if (layout->storage == CRD_H5_CHUNKED) {
    status = read_chunks(tree, object, value, err);
  } else if (!crd_h5_bytes_get(&tree->bytes, layout->address, bytes, value)) {
    status = fail(tree, object, "cannot be read", err);
  }
  return status == CRD_OK ? check_digest(tree, object, bytes, value, err) : status;
}
