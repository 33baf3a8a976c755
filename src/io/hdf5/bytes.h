/* The bytes of an HDF5 file that is read, and its numbers and checksums.
 *
 * The file is a stranger's: every access is checked against its size, and what is read costs from a budget, so that
 * structures that point to one another in a circle, or many times to one place, end.
 */
#ifndef SRC_IO_HDF5_BYTES_H
#define SRC_IO_HDF5_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct crd_h5_bytes {
  int descriptor;              /* or, where it is negative, */
  const unsigned char *memory; /* the bytes themselves */
  uint64_t size;
} crd_h5_bytes;

/* size bytes from `at`; false: they are not all there. */
bool crd_h5_bytes_get(const crd_h5_bytes *from, uint64_t at, size_t size, void *to);

/* A little-endian number of 1 to 8 bytes. */
static inline uint64_t crd_h5_number(const unsigned char *from, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; i--) value = value << 8 | from[i];
  return value;
}

/* Address and length that mean "none". */
#define CRD_H5_NOWHERE UINT64_MAX

/* Checksum of metadata: lookup3 [B. Jenkins 2006] with the initial value 0. */
uint32_t crd_h5_lookup3(const unsigned char *data, size_t size);
/* Checksum of chunks [Fletcher 1982], of 16-bit words as HDF5 takes them. */
uint32_t crd_h5_fletcher32(const unsigned char *data, size_t size);

#endif
