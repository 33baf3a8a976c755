/* Little-endian numbers in a byte string, on any machine and at any alignment. */
#ifndef CRADLE_SRC_IO_MESH_BYTES_H
#define CRADLE_SRC_IO_MESH_BYTES_H

#include <stdint.h>
#include <string.h>

static inline uint32_t crd_bytes_u32(const char *at) {
  unsigned char b[4];
  memcpy(b, at, 4);
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float crd_bytes_float(const char *at) {
  uint32_t bits = crd_bytes_u32(at);
  float value;
  memcpy(&value, &bits, 4);
  return value;
}

#endif
