/* Counter-based random numbers: Philox 4x32-10 of (index, stream) under the key seed. */
#include <cradle/base.h>

#include <Random123/philox.h>
#include <math.h>

uint64_t crd_random_bits(uint64_t seed, uint32_t stream, uint64_t index) {
  philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, 0}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t word = philox4x32(counter, key);
  return (uint64_t)word.v[1] << 32 | word.v[0];
}

void crd_random_block(uint64_t seed, uint32_t stream, uint32_t block, uint64_t index, uint32_t word[4]) {
  /* the last word of the counter is 0 for crd_random_bits and 1 for crd_random_normal */
  philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, block + 2}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t out = philox4x32(counter, key);
  for (int i = 0; i < 4; i++) word[i] = out.v[i];
}

double crd_random_uniform(uint64_t seed, uint32_t stream, uint64_t index) {
  return (double)(crd_random_bits(seed, stream, index) >> 11) * 0x1p-53;
}

double crd_random_normal(uint64_t seed, uint32_t stream, uint64_t index) {
  philox4x32_ctr_t counter = {{(uint32_t)index, (uint32_t)(index >> 32), stream, 1}};
  philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
  philox4x32_ctr_t word = philox4x32(counter, key);
  double radius_uniform = ((double)word.v[0] + 1) * 0x1p-32, angle_uniform = (double)word.v[1] * 0x1p-32;
  return sqrt(-2 * log(radius_uniform)) * cos(6.283185307179586 * angle_uniform);
}
