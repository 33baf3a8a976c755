/* Counter-based random numbers: Philox 4x32-10 of (index, stream) under the key seed.
 *
 * Ten rounds, each of two 32 x 32 -> 64 bit products whose halves are mixed with the key [Salmon et al., Parallel
 * random numbers: as easy as 1, 2, 3]. The last word of the counter tells the uses apart: 0 bits, 1 normal, from 2 on
 * blocks.
 */
#include <cradle/base.h>

#include <math.h>

#include "base/angle.h"

enum { ROUNDS = 10, BITS = 0, NORMAL = 1, FIRST_BLOCK = 2 };

static void philox(uint64_t seed, uint64_t index, uint32_t stream, uint32_t use, uint32_t word[4]) {
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  word[0] = (uint32_t)index, word[1] = (uint32_t)(index >> 32), word[2] = stream, word[3] = use;
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t a = (uint64_t)word[0] * 0xD2511F53u, b = (uint64_t)word[2] * 0xCD9E8D57u;
    word[0] = (uint32_t)(b >> 32) ^ word[1] ^ key0, word[1] = (uint32_t)b;
    word[2] = (uint32_t)(a >> 32) ^ word[3] ^ key1, word[3] = (uint32_t)a;
    key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
  }
}

uint64_t crd_random_bits(uint64_t seed, uint32_t stream, uint64_t index) {
  uint32_t word[4];
  philox(seed, index, stream, BITS, word);
  return (uint64_t)word[1] << 32 | word[0];
}

void crd_random_block(uint64_t seed, uint32_t stream, uint32_t block, uint64_t index, uint32_t word[4]) {
  philox(seed, index, stream, block + FIRST_BLOCK, word);
}

double crd_random_uniform(uint64_t seed, uint32_t stream, uint64_t index) {
  return (double)(crd_random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

double crd_random_normal(uint64_t seed, uint32_t stream, uint64_t index) {
  uint32_t word[4];
  philox(seed, index, stream, NORMAL, word);
  double radius_uniform = ((double)word[0] + 1) * 0x1p-32, angle_uniform = (double)word[1] * 0x1p-32;
  return sqrt(-2 * log(radius_uniform)) * cos(CRD_TURN * angle_uniform);
}
