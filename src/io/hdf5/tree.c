/* Superblock, object headers, and the list of all objects. */
#include "io/hdf5/tree.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 200000, MOST_CONTINUATIONS = 4096, DEEPEST = 8 };

/* Message types. */
enum {
  SPACE = 0x01,
  LINKS = 0x02,
  TYPE = 0x03,
  LINK = 0x06,
  EXTERNAL = 0x07,
  LAYOUT = 0x08,
  FILTERS = 0x0b,
  ATTRIBUTE = 0x0c,
  CONTINUATION = 0x10,
  SYMBOLS = 0x11,
  ATTRIBUTES = 0x15
};

bool crd_h5_tree_fail(crd_h5_tree *tree, const char *where, const char *what) {
  if (tree->status == CRD_OK)
    tree->status = crd_error_set(tree->err, CRD_ERR_FORMAT, tree->path, 0, "%.200s: %s", where, what);
  return false;
}

static bool no_memory(crd_h5_tree *tree) {
  if (tree->status == CRD_OK)
    tree->status = crd_error_set(tree->err, CRD_ERR_MEMORY, tree->path, 0, "no memory to read the file");
  return false;
}

unsigned char *crd_h5_tree_take(crd_h5_tree *tree, const char *where, uint64_t at, uint64_t size) {
  if (tree->status != CRD_OK) return NULL;
  if (at > tree->bytes.size || size > tree->bytes.size - at || size > tree->budget) {
    crd_h5_tree_fail(tree, where, "found a place outside the file or read before, expected a whole file");
    return NULL;
  }
  tree->budget -= size;
  unsigned char *memory = crd_arena_alloc(&tree->arena, size + 1, 1);
  if (!memory) return no_memory(tree), NULL;
  if (!crd_h5_bytes_get(&tree->bytes, at, size, memory)) {
    crd_h5_tree_fail(tree, where, "cannot be read");
    return NULL;
  }
  return memory;
}

/* ------------------------------------------------------------------------------------------------ objects */

static bool grow(crd_h5_tree *tree) {
  if (tree->count == MOST_OBJECTS) return crd_h5_tree_fail(tree, "/", "found too many objects");
  if (tree->count < tree->room) return true;
  const int room = tree->room ? 2 * tree->room : 64;
  crd_h5_object **grown = realloc(tree->object, (size_t)room * sizeof *grown);
  if (!grown) return no_memory(tree);
  tree->object = grown, tree->room = room;
  return true;
}

crd_h5_object *crd_h5_tree_add(crd_h5_tree *tree, const char *folder, const char *name, size_t length,
                               uint64_t header) {
  if (tree->status != CRD_OK || !grow(tree)) return NULL;
  const size_t above = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
  crd_h5_object *object = crd_arena_alloc(&tree->arena, 1, sizeof *object);
  char *path = crd_arena_alloc(&tree->arena, above + length + 2, 1);
  if (!object || !path) return no_memory(tree), NULL;
  memcpy(path, folder, above);
  path[above] = '/';
  memcpy(path + above + 1, name, length);
  object->path = path, object->header = header, object->space.rank = -1;
  if (length > 0 && (memchr(name, '/', length) || memchr(name, 0, length))) {
    crd_h5_tree_fail(tree, path, "found a name with '/' or an end in it");
    return NULL;
  }
  return tree->object[tree->count++] = object;
}

static int by_path(const void *a, const void *b) {
  const crd_h5_object *const *first = a, *const *second = b;
  return strcmp((*first)->path, (*second)->path);
}

const crd_h5_object *crd_h5_tree_find(const crd_h5_tree *tree, const char *path) {
  const crd_h5_object wanted = {.path = path}, *key = &wanted;
  crd_h5_object **found = bsearch(&key, tree->object, (size_t)tree->count, sizeof(crd_h5_object *), by_path);
  return found ? *found : NULL;
}

const crd_h5_attribute *crd_h5_tree_attribute(const crd_h5_object *object, const char *name) {
  for (int i = 0; i < object->nattribute; i++)
    if (strcmp(object->attribute[i].name, name) == 0) return &object->attribute[i];
  return NULL;
}

/* ------------------------------------------------------------------------------------------------ headers */

/* Parts of a header that have been found and not been read yet. */
typedef struct parts {
  int count;
  uint64_t at[MOST_CONTINUATIONS], size[MOST_CONTINUATIONS];
} parts;

/* Tables of links or attributes in heaps: a file of cradle has them in its headers. */
static bool refuse_heap(crd_h5_tree *tree, const crd_h5_object *object, const unsigned char *from, size_t size,
                        int order_bytes) {
  const size_t at = 2 + (size < 2 ? 0 : from[1] & 1 ? (size_t)order_bytes : 0);
  if (size >= at + 8 && crd_h5_number(from + at, 8) == CRD_H5_NOWHERE) return true;
  return crd_h5_tree_fail(tree, object->path,
                          "found a table in a heap, as files of cradle 0.1 (trace/1, outcomes/1) have it; expected a "
                          "file of this version (the same command writes it again)");
}

static bool take_message(crd_h5_tree *tree, crd_h5_object *object, int type, int flags, const unsigned char *from,
                         size_t size, parts *more) {
  const char *why = "cannot be understood";
  if ((flags & 2) && (type == SPACE || type == TYPE || type == LAYOUT || type == FILTERS || type == ATTRIBUTE))
    return crd_h5_tree_fail(tree, object->path, "found a shared message, expected each object with its own");
  switch (type) {
    case SPACE:
      return crd_h5_parse_space(from, size, &object->space) ||
             crd_h5_tree_fail(tree, object->path, "found a shape of more than 4 dimensions or none");
    case TYPE: return crd_h5_parse_type(from, size, &object->type) || crd_h5_tree_fail(tree, object->path, why);
    case LAYOUT:
      object->is_dataset = true;
      return crd_h5_parse_layout(from, size, &object->layout, &why) || crd_h5_tree_fail(tree, object->path, why);
    case FILTERS:
      return crd_h5_parse_filters(from, size, &object->checksummed, &why) || crd_h5_tree_fail(tree, object->path, why);
    case EXTERNAL: return crd_h5_tree_fail(tree, object->path, "found values in another file, expected them in this");
    case ATTRIBUTE: return crd_h5_parse_attribute(tree, object, from, size);
    case LINK: return crd_h5_parse_link(tree, object, from, size);
    case LINKS: return refuse_heap(tree, object, from, size, 8);
    case ATTRIBUTES: return refuse_heap(tree, object, from, size, 2);
    case SYMBOLS: return crd_h5_parse_symbols(tree, object, from, size);
    case CONTINUATION:
      if (size < 16 || more->count == MOST_CONTINUATIONS) return crd_h5_tree_fail(tree, object->path, why);
      more->at[more->count] = crd_h5_number(from, 8), more->size[more->count++] = crd_h5_number(from + 8, 8);
      return true;
    default: return true; /* fill values, times, comments: of no consequence */
  }
}

/* Messages of version 2 (4 or 6 bytes before each) or 1 (8 bytes). */
static bool take_messages(crd_h5_tree *tree, crd_h5_object *object, int version, bool ordered,
                          const unsigned char *from, size_t size, parts *more) {
  const size_t head = version == 1 ? 8 : ordered ? 6 : 4;
  while (size >= head) {
    const int type = version == 1 ? (int)crd_h5_number(from, 2) : from[0];
    const size_t length = (size_t)crd_h5_number(from + (version == 1 ? 2 : 1), 2);
    const int flags = from[version == 1 ? 4 : 3];
    from += head, size -= head;
    if (length > size) return crd_h5_tree_fail(tree, object->path, "found a header that is cut short");
    if (!take_message(tree, object, type, flags, from, length, more)) return false;
    from += length, size -= length;
  }
  return true;
}

/* The checksum is in the last four bytes. */
static bool check_sum(crd_h5_tree *tree, const crd_h5_object *object, const unsigned char *part, size_t size) {
  return crd_h5_lookup3(part, size - 4) == (uint32_t)crd_h5_number(part + size - 4, 4) ||
         crd_h5_tree_fail(tree, object->path, "the header's checksum does not agree: the file is damaged");
}

static bool read_header_2(crd_h5_tree *tree, crd_h5_object *object, parts *more, bool *ordered) {
  enum { FIXED = 6 };
  const unsigned char *start = crd_h5_tree_take(tree, object->path, object->header, FIXED);
  if (!start) return false;
  const int flags = start[5], width = 1 << (flags & 3);
  const size_t before = FIXED + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0) + (size_t)width;
  *ordered = flags & 4;
  const unsigned char *prefix = crd_h5_tree_take(tree, object->path, object->header, before);
  if (!prefix) return false;
  const uint64_t length = crd_h5_number(prefix + before - width, width);
  if (length > tree->bytes.size) return crd_h5_tree_fail(tree, object->path, "found a header that is cut short");
  const unsigned char *whole = crd_h5_tree_take(tree, object->path, object->header, before + length + 4);
  if (!whole) return false;
  return start[4] == 2 && check_sum(tree, object, whole, before + length + 4) &&
         take_messages(tree, object, 2, *ordered, whole + before, length, more);
}

static bool read_header_1(crd_h5_tree *tree, crd_h5_object *object, parts *more) {
  enum { PREFIX = 16 };
  const unsigned char *start = crd_h5_tree_take(tree, object->path, object->header, PREFIX);
  if (!start) return false;
  const uint64_t length = crd_h5_number(start + 8, 4);
  const unsigned char *messages = crd_h5_tree_take(tree, object->path, object->header + PREFIX, length);
  return messages && take_messages(tree, object, 1, false, messages, length, more);
}

static bool read_continuation(crd_h5_tree *tree, crd_h5_object *object, int version, bool ordered, uint64_t at,
                              uint64_t size, parts *more) {
  const unsigned char *part = crd_h5_tree_take(tree, object->path, at, size);
  if (!part) return false;
  if (version == 1) return take_messages(tree, object, 1, false, part, size, more);
  if (size < 8 || memcmp(part, "OCHK", 4) != 0)
    return crd_h5_tree_fail(tree, object->path, "found no continuation of its header");
  return check_sum(tree, object, part, size) && take_messages(tree, object, 2, ordered, part + 4, size - 8, more);
}

static bool read_header(crd_h5_tree *tree, crd_h5_object *object, parts *more) {
  const unsigned char *start = crd_h5_tree_take(tree, object->path, object->header, 4);
  bool ordered = false;
  if (!start) return false;
  const int version = memcmp(start, "OHDR", 4) == 0 ? 2 : start[0];
  more->count = 0;
  if (version == 2 ? !read_header_2(tree, object, more, &ordered) : version != 1 || !read_header_1(tree, object, more))
    return crd_h5_tree_fail(tree, object->path, "found no header of an object");
  for (int i = 0; i < more->count; i++)
    if (!read_continuation(tree, object, version, ordered, more->at[i], more->size[i], more)) return false;
  if (object->is_dataset && (object->space.rank < 0 || object->type.size == 0) && tree->status == CRD_OK)
    return crd_h5_tree_fail(tree, object->path, "found a dataset without shape or type");
  return true;
}

/* ------------------------------------------------------------------------------------------------ the file */

static bool read_superblock(crd_h5_tree *tree, uint64_t *root) {
  static const char SIGNATURE[9] = "\x89HDF\r\n\x1a\n";
  enum { SIZE_0 = 96, SIZE_2 = 48 };
  unsigned char block[SIZE_0 + 4];
  if (!crd_h5_bytes_get(&tree->bytes, 0, SIZE_2, block) || memcmp(block, SIGNATURE, 8) != 0)
    return crd_h5_tree_fail(tree, "the file", "found no HDF5 file, or one cut short");
  const int version = block[8], old = version < 2;
  const size_t more = version == 1 ? 4 : 0; /* bytes that version 1 has before its addresses */
  if (version > 3 || (old && !crd_h5_bytes_get(&tree->bytes, 0, SIZE_0 + more, block)))
    return crd_h5_tree_fail(tree, "the file", "found an HDF5 file of another version, or one cut short");
  const unsigned char *addresses = old ? block + 24 + more : block + 12;
  if (block[old ? 13 : 9] != 8 || block[old ? 14 : 10] != 8 || crd_h5_number(addresses, 8) != 0)
    return crd_h5_tree_fail(tree, "the file", "found addresses of another width or base, expected 8 bytes from 0");
  if (!old && crd_h5_lookup3(block, SIZE_2 - 4) != (uint32_t)crd_h5_number(block + SIZE_2 - 4, 4))
    return crd_h5_tree_fail(tree, "the file", "the superblock's checksum does not agree: the file is damaged");
  if (crd_h5_number(addresses + 16, 8) > tree->bytes.size)
    return crd_h5_tree_fail(tree, "the file", "found an HDF5 file that is cut short");
  *root = old ? crd_h5_number(addresses + 40, 8) : crd_h5_number(addresses + 24, 8);
  return true;
}

static int depth_of(const char *path) {
  int depth = 0;
  for (; *path; path++) depth += *path == '/';
  return depth;
}

static void read_objects(crd_h5_tree *tree, parts *more) {
  /* members are added behind the group they belong to */
  for (int i = 0; i < tree->count && tree->status == CRD_OK; i++) {
    if (depth_of(tree->object[i]->path) > DEEPEST) crd_h5_tree_fail(tree, tree->object[i]->path, "found deeper groups");
    read_header(tree, tree->object[i], more);
  }
  if (tree->status != CRD_OK) return;
  qsort(tree->object, (size_t)tree->count, sizeof(crd_h5_object *), by_path);
  for (int i = 1; i < tree->count; i++)
    if (strcmp(tree->object[i - 1]->path, tree->object[i]->path) == 0)
      crd_h5_tree_fail(tree, tree->object[i]->path, "found twice");
}

crd_status crd_h5_tree_read(crd_h5_tree *tree, crd_error *err) {
  uint64_t root;
  parts *more = malloc(sizeof *more);
  tree->err = err, tree->status = CRD_OK;
  /* each header is read in pieces, at most four times */
  tree->budget = tree->bytes.size > UINT64_MAX / 4 ? UINT64_MAX : 4 * tree->bytes.size;
  if (!more) no_memory(tree);
  if (more && read_superblock(tree, &root) && crd_h5_tree_add(tree, "/", "", 0, root)) read_objects(tree, more);
  free(more);
  tree->err = NULL;
  return tree->status;
}

void crd_h5_tree_free(crd_h5_tree *tree) {
  free(tree->object);
  crd_arena_free(&tree->arena);
  tree->object = NULL, tree->count = tree->room = 0;
}
