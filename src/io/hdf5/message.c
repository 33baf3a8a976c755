/* Messages of object headers [HDF5 File Format Specification, IV.A.2]: type, shape, layout, filters, attribute, link. */
#include <string.h>

#include "io/hdf5/tree.h"

bool crd_h5_parse_type(const unsigned char *from, size_t size, crd_h5_type *type) {
  enum { FIXED = 0, FLOATING = 1, STRING = 3, HEAD = 8 };
  static const unsigned char DOUBLE[12] = {0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0}; /* IEEE 754, 64 bits */
  if (size < HEAD) return false;
  const int class = from[0] & 15;
  const uint32_t bytes = (uint32_t)crd_h5_number(from + 4, 4);
  *type = (crd_h5_type){CRD_H5_OTHER, bytes};
  if (bytes == 0) return false;
  if (class == STRING) {
    type->class = CRD_H5_STRING;
  } else if (class == FIXED && !(from[1] & 1) && size >= HEAD + 4 &&
             (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)) {
    const bool whole = crd_h5_number(from + HEAD, 2) == 0 && crd_h5_number(from + HEAD + 2, 2) == 8 * bytes;
    if (whole) type->class = from[1] & 8 ? CRD_H5_SIGNED : CRD_H5_UNSIGNED;
  } else if (class == FLOATING && bytes == 8 && !(from[1] & 0x41) && size >= HEAD + sizeof DOUBLE &&
             memcmp(from + HEAD, DOUBLE, sizeof DOUBLE) == 0) {
    type->class = CRD_H5_FLOAT;
  }
  return true;
}

bool crd_h5_parse_space(const unsigned char *from, size_t size, crd_h5_space *space) {
  if (size < 4) return false;
  const int version = from[0], rank = from[1];
  const size_t head = version == 1 ? 8 : 4;
  if (version < 1 || version > 2 || rank > CRD_H5_MAX_RANK || size < head + 8 * (size_t)rank) return false;
  if (version == 2 && from[3] == 2) return space->rank = -1, true; /* no values */
  space->rank = rank;
  for (int i = 0; i < rank; i++) space->size[i] = crd_h5_number(from + head + 8 * (size_t)i, 8);
  return true;
}

static bool parse_chunks(const unsigned char *from, size_t size, crd_h5_layout *layout, const char **why) {
  const int rank = size > 2 ? from[2] - 1 : 0; /* the last dimension is the value's own bytes */
  if (rank < 1 || rank > CRD_H5_MAX_RANK || size < 11 + 4 * ((size_t)rank + 1)) return false;
  layout->address = crd_h5_number(from + 3, 8), layout->chunk_rank = rank;
  for (int i = 0; i < rank; i++) {
    layout->chunk[i] = crd_h5_number(from + 11 + 4 * i, 4);
    if (layout->chunk[i] == 0) return *why = "found chunks without rows", false;
  }
  layout->element = crd_h5_number(from + 11 + 4 * rank, 4);
  return true;
}

bool crd_h5_parse_layout(const unsigned char *from, size_t size, crd_h5_layout *layout, const char **why) {
  enum { VERSION = 3 };
  *why = "found a layout that cannot be understood";
  if (size < 2 || from[0] != VERSION)
    return *why = "found a layout of another version of HDF5 than 1.8, expected a file written for all versions", false;
  if (from[1] > CRD_H5_CHUNKED) return false;
  layout->storage = (crd_h5_storage)from[1];
  if (layout->storage == CRD_H5_CHUNKED) return parse_chunks(from, size, layout, why);
  if (layout->storage == CRD_H5_COMPACT) {
    layout->bytes = size < 4 ? UINT64_MAX : crd_h5_number(from + 2, 2), layout->value = from + 4;
    return layout->bytes <= size - 4;
  }
  if (size < 18) return false;
  layout->address = crd_h5_number(from + 2, 8), layout->bytes = crd_h5_number(from + 10, 8);
  return true;
}

bool crd_h5_parse_filters(const unsigned char *from, size_t size, bool *checksummed, const char **why) {
  enum { FLETCHER32 = 3 };
  *why = "found a filter (compression?), expected none but fletcher32: `h5repack -f NONE` takes it off";
  if (size < 2 || from[0] < 1 || from[0] > 2) return false;
  if (from[1] == 0) return true;
  const size_t head = from[0] == 1 ? 8 : 2;
  if (from[1] != 1 || size < head + 2 || crd_h5_number(from + head, 2) != FLETCHER32) return false;
  return *checksummed = true;
}

static crd_h5_attribute *new_attribute(crd_h5_tree *tree, crd_h5_object *object) {
  if (object->nattribute == object->attribute_room) {
    const int room = object->attribute_room ? 2 * object->attribute_room : 4;
    crd_h5_attribute *grown = crd_arena_alloc(&tree->arena, (size_t)room, sizeof *grown);
    if (!grown) {
      tree->status = crd_error_set(tree->err, CRD_ERR_MEMORY, tree->path, 0, "no memory to read the file");
      return NULL;
    }
    if (object->nattribute) memcpy(grown, object->attribute, (size_t)object->nattribute * sizeof *grown);
    object->attribute = grown, object->attribute_room = room;
  }
  return &object->attribute[object->nattribute++];
}

/* In version 1 each part is padded to 8 bytes. */
static size_t padded(int version, uint64_t size) {
  return version == 1 ? (size_t)(size + 7) & ~(size_t)7 : (size_t)size;
}

bool crd_h5_parse_attribute(crd_h5_tree *tree, crd_h5_object *object, const unsigned char *from, size_t size) {
  const int version = size < 8 ? 0 : from[0];
  const size_t head = version == 3 ? 9 : 8;
  if (version < 1 || version > 3 || size < head || (version > 1 && from[1] != 0))
    return crd_h5_tree_fail(tree, object->path, "found an attribute that cannot be understood");
  const size_t name = (size_t)crd_h5_number(from + 2, 2), type = (size_t)crd_h5_number(from + 4, 2),
               space = (size_t)crd_h5_number(from + 6, 2);
  const size_t at_type = head + padded(version, name), at_space = at_type + padded(version, type),
               at_value = at_space + padded(version, space);
  if (at_value > size || name == 0 || from[head + name - 1] != 0)
    return crd_h5_tree_fail(tree, object->path, "found an attribute that is cut short");
  crd_h5_attribute *made = new_attribute(tree, object);
  if (!made) return false;
  *made = (crd_h5_attribute){.name = (const char *)from + head, .value = from + at_value, .bytes = size - at_value};
  if (crd_h5_tree_attribute(object, made->name) != made) return crd_h5_tree_fail(tree, made->name, "found twice");
  uint64_t bytes = made->type.size;
  if (!crd_h5_parse_type(from + at_type, type, &made->type) ||
      !crd_h5_parse_space(from + at_space, space, &made->space))
    return crd_h5_tree_fail(tree, made->name, "found an attribute of an unknown type or shape");
  bytes = made->space.rank < 0 ? 0 : made->type.size;
  for (int i = 0; i < made->space.rank; i++)
    if (__builtin_mul_overflow(bytes, made->space.size[i], &bytes)) bytes = UINT64_MAX;
  if (bytes > made->bytes) return crd_h5_tree_fail(tree, made->name, "found an attribute that is cut short");
  made->bytes = (size_t)bytes;
  return true;
}

bool crd_h5_parse_link(crd_h5_tree *tree, const crd_h5_object *group, const unsigned char *from, size_t size) {
  enum { HARD = 0 };
  if (size < 3 || from[0] != 1) return crd_h5_tree_fail(tree, group->path, "found a link that cannot be understood");
  const int flags = from[1], width = 1 << (flags & 3);
  size_t at = 2;
  const int kind = flags & 8 ? from[at++] : HARD;
  if (kind != HARD)
    return crd_h5_tree_fail(tree, group->path, "found a soft or external link, expected everything in this file");
  at += (flags & 4 ? 8 : 0) + (flags & 16 ? 1 : 0);
  if (at + (size_t)width > size) return crd_h5_tree_fail(tree, group->path, "found a link that is cut short");
  const uint64_t length = crd_h5_number(from + at, width);
  at += (size_t)width;
  if (length == 0 || length > size - at || size - at - length < 8)
    return crd_h5_tree_fail(tree, group->path, "found a link that is cut short");
  return crd_h5_tree_add(tree, group->path, (const char *)from + at, (size_t)length,
                         crd_h5_number(from + at + length, 8));
}
