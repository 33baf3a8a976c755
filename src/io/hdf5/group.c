/* Groups of the old kind [HDF5 File Format Specification, III.A.1 and III.B]: a B-tree whose leaves are symbol tables,
 * with the names in a local heap. fclib's files have them. */
#define _XOPEN_SOURCE 700
#include <string.h>

#include "io/hdf5/tree.h"

typedef struct members {
  crd_h5_tree *tree;
  const crd_h5_object *group;
  const unsigned char *names;
  uint64_t size; /* of names */
} members;

static bool broken(const members *m) {
  return crd_h5_tree_fail(m->tree, m->group->path, "found a table of members that is damaged");
}

static bool read_names(members *m, uint64_t at) {
  enum { HEAP = 32 };
  const unsigned char *heap = crd_h5_tree_take(m->tree, m->group->path, at, HEAP);
  if (!heap) return false;
  if (memcmp(heap, "HEAP", 4) != 0 || heap[4] != 0) return broken(m);
  m->size = crd_h5_number(heap + 8, 8);
  m->names = crd_h5_tree_take(m->tree, m->group->path, crd_h5_number(heap + 24, 8), m->size);
  return m->names;
}

static bool read_table(members *m, uint64_t at) {
  enum { HEAD = 8, ENTRY = 40, SOFT = 2 };
  const unsigned char *table = crd_h5_tree_take(m->tree, m->group->path, at, HEAD);
  if (!table) return false;
  if (memcmp(table, "SNOD", 4) != 0 || table[4] != 1) return broken(m);
  const uint64_t count = crd_h5_number(table + 6, 2);
  const unsigned char *entry = crd_h5_tree_take(m->tree, m->group->path, at + HEAD, count * ENTRY);
  for (uint64_t i = 0; entry && i < count; i++, entry += ENTRY) {
    const uint64_t name = crd_h5_number(entry, 8);
    if (crd_h5_number(entry + 16, 4) == SOFT)
      return crd_h5_tree_fail(m->tree, m->group->path, "found a soft link, expected everything in this file");
    const char *start = name < m->size ? (const char *)m->names + name : "";
    const size_t length = name < m->size ? strnlen(start, m->size - name) : 0;
    if (length == 0 || length == m->size - name) return broken(m);
    if (!crd_h5_tree_add(m->tree, m->group->path, start, length, crd_h5_number(entry + 8, 8))) return false;
  }
  return entry;
}

/* level counts down to 0, so that the depth is bounded; the budget bounds the number of nodes. */
static bool read_node(members *m, uint64_t at, int level) {
  enum { HEAD = 24, DEEPEST = 8 };
  const unsigned char *node = crd_h5_tree_take(m->tree, m->group->path, at, HEAD);
  if (!node) return false;
  if (memcmp(node, "TREE", 4) != 0 || node[4] != 0 || node[5] > DEEPEST || (level >= 0 && node[5] != level))
    return broken(m);
  const int own_level = node[5];
  const uint64_t count = crd_h5_number(node + 6, 2);
  const unsigned char *child = crd_h5_tree_take(m->tree, m->group->path, at + HEAD, 16 * count + 8);
  for (uint64_t i = 0; child && i < count; i++) {
    const uint64_t place = crd_h5_number(child + 8 + 16 * i, 8);
    if (own_level == 0 ? !read_table(m, place) : !read_node(m, place, own_level - 1)) return false;
  }
  return child;
}

bool crd_h5_parse_symbols(crd_h5_tree *tree, const crd_h5_object *group, const unsigned char *from, size_t size) {
  members m = {.tree = tree, .group = group};
  if (size < 16) return broken(&m);
  const uint64_t index = crd_h5_number(from, 8);
  return read_names(&m, crd_h5_number(from + 8, 8)) && read_node(&m, index, -1);
}
