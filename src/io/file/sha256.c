/* SHA-256 [FIPS 180-4, sections 4.1.2 and 6.2]; the constants are the fractional parts of cube and square roots of the
 * first primes. About 200 MB/s. */
#include "io/file/sha256.h"

#include <string.h>

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void take_block(uint32_t state[8], const unsigned char *block) {
  uint32_t w[64], s[8];
  for (int i = 0; i < 16; i++)
    w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 | (uint32_t)block[4 * i + 2] << 8 |
           block[4 * i + 3];
  for (int i = 16; i < 64; i++) {
    const uint32_t a = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
    const uint32_t b = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
    w[i] = w[i - 16] + a + w[i - 7] + b;
  }
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t one = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + K[i] + w[i];
    const uint32_t two = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += one, s[0] = one + two;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

void crd_sha256_begin(crd_sha256 *sum) {
  *sum = (crd_sha256){
      .state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void crd_sha256_add(crd_sha256 *sum, const void *data, size_t size) {
  const unsigned char *next = data;
  size_t used = (size_t)(sum->bytes % sizeof sum->block);
  sum->bytes += size;
  if (used > 0) {
    const size_t part = size < sizeof sum->block - used ? size : sizeof sum->block - used;
    if (part) memcpy(sum->block + used, next, part);
    if (used + part < sizeof sum->block) return;
    take_block(sum->state, sum->block);
    next += part, size -= part;
  }
  for (; size >= sizeof sum->block; next += sizeof sum->block, size -= sizeof sum->block) take_block(sum->state, next);
  if (size) memcpy(sum->block, next, size);
}

void crd_sha256_end(crd_sha256 *sum, unsigned char digest[CRD_SHA256_BYTES]) {
  const uint64_t bits = 8 * sum->bytes;
  const unsigned char one = 0x80, zeros[64] = {0};
  unsigned char length[8];
  crd_sha256_add(sum, &one, 1);
  crd_sha256_add(sum, zeros, (size_t)((120 - sum->bytes % 64) % 64));
  for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
  crd_sha256_add(sum, length, sizeof length);
  for (int i = 0; i < CRD_SHA256_BYTES; i++) digest[i] = (unsigned char)(sum->state[i / 4] >> (24 - 8 * (i % 4)));
}

void crd_sha256_text(const unsigned char digest[CRD_SHA256_BYTES], char text[CRD_SHA256_TEXT]) {
  static const char DIGIT[] = "0123456789abcdef";
  for (int i = 0; i < CRD_SHA256_BYTES; i++)
    text[2 * i] = DIGIT[digest[i] >> 4], text[2 * i + 1] = DIGIT[digest[i] & 15];
  text[2 * CRD_SHA256_BYTES] = 0;
}
