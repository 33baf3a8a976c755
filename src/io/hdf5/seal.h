/* The seal of a file: the exclusive or of the SHA-256 of each of its attributes, taken of "object\nname\nkind\nvalue" (kind n:
 * the 8 bytes of a number, i: of an integer, t: a text). As the attributes hold the digests of all datasets, the seal,
 * an attribute of the file, shows every change of the file's content after it was written. It does not show who wrote
 * it: whoever changes the file on purpose can seal it anew. */
#ifndef SRC_IO_HDF5_SEAL_H
#define SRC_IO_HDF5_SEAL_H

#include <string.h>

#include "io/file/sha256.h"

static inline void crd_h5_seal_add(unsigned char seal[CRD_SHA256_BYTES], const char *object, const char *name,
                                   char kind, const void *value, size_t size) {
  crd_sha256 sum;
  unsigned char digest[CRD_SHA256_BYTES];
  const char head[] = {'\n', kind, '\n'};
  crd_sha256_begin(&sum);
  crd_sha256_add(&sum, object, strlen(object));
  crd_sha256_add(&sum, "\n", 1);
  crd_sha256_add(&sum, name, strlen(name));
  crd_sha256_add(&sum, head, sizeof head);
  crd_sha256_add(&sum, value, size);
  crd_sha256_end(&sum, digest);
  for (int i = 0; i < CRD_SHA256_BYTES; i++) seal[i] ^= digest[i];
}

#endif
