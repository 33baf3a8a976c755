#define _XOPEN_SOURCE 700
#include "io/hdf5/bytes.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool crd_h5_bytes_get(const crd_h5_bytes *from, uint64_t at, size_t size, void *to) {
  if (at > from->size || size > from->size - at) return false;
  if (from->descriptor < 0) {
    if (size) memcpy(to, from->memory + at, size);
    return true;
  }
  char *next = to;
  while (size > 0) {
    const ssize_t got = pread(from->descriptor, next, size, (off_t)at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got, at += (uint64_t)got, size -= (size_t)got;
  }
  return true;
}

static uint32_t turn(uint32_t x, int by) { return x << by | x >> (32 - by); }

uint32_t crd_h5_lookup3(const unsigned char *data, size_t size) {
  uint32_t a = 0xdeadbeef + (uint32_t)size, b = a, c = a;
  for (; size > 12; data += 12, size -= 12) {
    a += (uint32_t)crd_h5_number(data, 4), b += (uint32_t)crd_h5_number(data + 4, 4);
    c += (uint32_t)crd_h5_number(data + 8, 4);
    a -= c, a ^= turn(c, 4), c += b;
    b -= a, b ^= turn(a, 6), a += c;
    c -= b, c ^= turn(b, 8), b += a;
    a -= c, a ^= turn(c, 16), c += b;
    b -= a, b ^= turn(a, 19), a += c;
    c -= b, c ^= turn(b, 4), b += a;
  }
  if (size == 0) return c;
  unsigned char last[12] = {0};
  memcpy(last, data, size);
  a += (uint32_t)crd_h5_number(last, 4), b += (uint32_t)crd_h5_number(last + 4, 4);
  c += (uint32_t)crd_h5_number(last + 8, 4);
  c ^= b, c -= turn(b, 14);
  a ^= c, a -= turn(c, 11);
  b ^= a, b -= turn(a, 25);
  c ^= b, c -= turn(b, 16);
  a ^= c, a -= turn(c, 4);
  b ^= a, b -= turn(a, 14);
  c ^= b, c -= turn(b, 24);
  return c;
}

static uint32_t fold(uint32_t sum) { return (sum & 0xffff) + (sum >> 16); }

uint32_t crd_h5_fletcher32(const unsigned char *data, size_t size) {
  enum { WORDS = 360 }; /* sums of so many words fit 32 bits */
  uint32_t first = 0, second = 0;
  for (size_t words = size / 2; words > 0;) {
    const size_t part = words < WORDS ? words : WORDS;
    for (size_t i = 0; i < part; i++, data += 2) {
      first += (uint32_t)data[0] << 8 | data[1];
      second += first;
    }
    first = fold(first), second = fold(second), words -= part;
  }
  if (size % 2) {
    first += (uint32_t)*data << 8, second += first;
    first = fold(first), second = fold(second);
  }
  return fold(second) << 16 | fold(first);
}
