#define _GNU_SOURCE
#include "hdf5_repair.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "io/hdf5/data.h"
#include "io/hdf5/seal.h"

enum { SUM = 4, LAYOUT = 0x08, CONTINUATION = 0x10, MOST_BYTES = 1 << 20 };

typedef struct file {
  uint8_t *data;
  size_t size;
  int budget; /* parts that may still be repaired: parts can point to each other */
} file;

static bool holds(const file *f, uint64_t at, uint64_t size) { return at <= f->size && size <= f->size - at; }

static void put_sum(uint8_t *to, uint32_t sum) {
  for (int i = 0; i < SUM; i++) to[i] = (uint8_t)(sum >> 8 * i);
}

/* ------------------------------------------------------------------------------------------------ checksums */

/* Chunks that a node of a B-tree lists; `rank` is one more than that of the dataset. */
static void repair_chunks(file *f, uint64_t at, int rank) {
  enum { HEAD = 24 };
  if (f->budget-- <= 0 || !holds(f, at, HEAD) || memcmp(f->data + at, "TREE", 4) != 0) return;
  const int level = f->data[at + 5];
  const size_t entries = (size_t)crd_h5_number(f->data + at + 6, 2), key = 8 + 8 * (size_t)rank;
  for (size_t i = 0; i < entries && holds(f, at + HEAD + i * (key + 8), key + 8); i++) {
    const uint8_t *entry = f->data + at + HEAD + i * (key + 8);
    const uint64_t stored = crd_h5_number(entry, 4), child = crd_h5_number(entry + key, 8);
    if (level > 0)
      repair_chunks(f, child, rank);
    else if (stored > SUM && holds(f, child, stored))
      put_sum(f->data + child + stored - SUM, crd_h5_fletcher32(f->data + child, (size_t)stored - SUM));
  }
}

static void repair_part(file *f, uint64_t at, uint64_t before, uint64_t size, bool ordered);

static void repair_messages(file *f, const uint8_t *from, size_t size, bool ordered) {
  const size_t head = ordered ? 6 : 4;
  while (size >= head) {
    const size_t length = (size_t)crd_h5_number(from + 1, 2);
    const int type = from[0];
    from += head, size -= head;
    if (length > size) return;
    if (type == CONTINUATION && length >= 16)
      repair_part(f, crd_h5_number(from, 8), 4, crd_h5_number(from + 8, 8), ordered);
    if (type == LAYOUT && length >= 11 && from[0] == 3 && from[1] == 2)
      repair_chunks(f, crd_h5_number(from + 3, 8), from[2]);
    from += length, size -= length;
  }
}

/* A part of a header: `before` bytes, messages, checksum. */
static void repair_part(file *f, uint64_t at, uint64_t before, uint64_t size, bool ordered) {
  if (f->budget-- <= 0 || !holds(f, at, size) || size < before + SUM) return;
  repair_messages(f, f->data + at + before, (size_t)(size - before - SUM), ordered);
  put_sum(f->data + at + size - SUM, crd_h5_lookup3(f->data + at, (size_t)size - SUM));
}

static void repair_headers(file *f) {
  enum { FIXED = 6, SUPERBLOCK = 48 };
  f->budget = 10000;
  if (f->size >= SUPERBLOCK && (f->data[8] == 2 || f->data[8] == 3))
    put_sum(f->data + SUPERBLOCK - SUM, crd_h5_lookup3(f->data, SUPERBLOCK - SUM));
  const uint8_t *end = f->data + f->size;
  for (uint8_t *at = f->data; (at = memmem(at, (size_t)(end - at), "OHDR", 4)); at += 4) {
    if (end - at < FIXED) return;
    const int flags = at[5], width = 1 << (flags & 3);
    const size_t before = FIXED + (flags & 0x20 ? 16 : 0) + (flags & 0x10 ? 4 : 0) + (size_t)width;
    const uint64_t start = (uint64_t)(at - f->data);
    if (!holds(f, start, before)) return;
    const uint64_t length = crd_h5_number(at + before - width, width);
    if (length < f->size) repair_part(f, start, before, before + length + SUM, flags & 4);
  }
}

/* ------------------------------------------------------------------------------------------------ digests */

/* A digest that the file states is replaced wherever its text stands. */
static void replace(file *f, const crd_h5_attribute *stated, const char text[CRD_SHA256_TEXT]) {
  const size_t length = CRD_SHA256_TEXT - 1;
  if (!stated || stated->bytes < length) return;
  uint8_t *at = memmem(f->data, f->size, stated->value, length);
  if (at) memcpy(at, text, length);
}

static void repair_digest(file *f, const crd_h5_tree *tree, const crd_h5_object *object) {
  size_t count, bytes;
  crd_sha256 sum;
  unsigned char digest[CRD_SHA256_BYTES];
  char text[CRD_SHA256_TEXT];
  if (!object->is_dataset || crd_h5_data_size(tree, object, &count, &bytes, NULL) || bytes > MOST_BYTES) return;
  unsigned char *value = calloc(bytes + 1, 1);
  if (!value) return;
  (void)crd_h5_data_read(tree, object, bytes, value, NULL); /* the values are there where only the digest is wrong */
  crd_sha256_begin(&sum);
  crd_sha256_add(&sum, value, bytes);
  crd_sha256_end(&sum, digest);
  crd_sha256_text(digest, text);
  replace(f, crd_h5_tree_attribute(object, CRD_H5_DIGEST), text);
  free(value);
}

static void repair_seal(file *f, const crd_h5_tree *tree) {
  static const char KIND[] = {'o', 'n', 'i', 'u', 't'};
  unsigned char seal[CRD_SHA256_BYTES] = {0};
  char text[CRD_SHA256_TEXT];
  for (int i = 0; i < tree->count; i++) {
    const crd_h5_object *object = tree->object[i];
    for (int k = 0; k < object->nattribute; k++) {
      const crd_h5_attribute *a = &object->attribute[k];
      if (strcmp(object->path, "/") == 0 && strcmp(a->name, CRD_H5_DIGEST) == 0) continue;
      const size_t size = a->type.class == CRD_H5_STRING ? strnlen((const char *)a->value, a->bytes) : a->bytes;
      crd_h5_seal_add(seal, object->path, a->name, KIND[a->type.class], a->value, size);
    }
  }
  crd_sha256_text(seal, text);
  replace(f, crd_h5_tree_attribute(crd_h5_tree_find(tree, "/"), CRD_H5_DIGEST), text);
}

/* The file as it is now; free in any case. */
static bool read_headers(const file *f, crd_h5_tree *tree) {
  *tree = (crd_h5_tree){.bytes = {-1, f->data, f->size}, .path = "mutated"};
  return crd_h5_tree_read(tree, NULL) == CRD_OK;
}

void hdf5_repair(uint8_t *data, size_t size) {
  file f = {data, size, 0};
  crd_h5_tree tree;
  repair_headers(&f);
  if (read_headers(&f, &tree))
    for (int i = 0; i < tree.count; i++) repair_digest(&f, &tree, tree.object[i]);
  crd_h5_tree_free(&tree);
  repair_headers(&f);
  if (read_headers(&f, &tree)) repair_seal(&f, &tree);
  crd_h5_tree_free(&tree);
  repair_headers(&f);
}
