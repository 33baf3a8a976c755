/* Uniform bounds for all active samples: Philox 4x32-10 at (sample, step, pair of contacts), four samples at a time;
 * the same bits as crd_random_block [Salmon et al., Parallel random numbers: as easy as 1, 2, 3]. */
#include <string.h>

#include "outcome/draw.h"
#include "outcome/kernels.h"

#ifdef CRD_KERNEL_AVX2
#include <immintrin.h>

typedef struct philox4 {
  __m256i word[4]; /* in the low halves of the lanes */
} philox4;

enum { PHILOX_ROUNDS = 10 }; /* as in src/base/random.c */

static inline philox4 philox_four(uint64_t seed, uint32_t step, uint32_t block, __m256i sample) {
  const __m256i multiplier0 = _mm256_set1_epi64x(0xD2511F53), multiplier1 = _mm256_set1_epi64x(0xCD9E8D57);
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  philox4 c = {{sample, _mm256_srli_epi64(sample, 32), _mm256_set1_epi64x(step), _mm256_set1_epi64x(block + 2)}};
  for (int round = 0; round < PHILOX_ROUNDS; round++) {
    __m256i a = _mm256_mul_epu32(c.word[0], multiplier0), b = _mm256_mul_epu32(c.word[2], multiplier1);
    __m256i high_a = _mm256_srli_epi64(a, 32), high_b = _mm256_srli_epi64(b, 32);
    c.word[0] = _mm256_xor_si256(_mm256_xor_si256(high_b, c.word[1]), _mm256_set1_epi64x(key0));
    c.word[1] = b;
    c.word[2] = _mm256_xor_si256(_mm256_xor_si256(high_a, c.word[3]), _mm256_set1_epi64x(key1));
    c.word[3] = a;
    key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;
  }
  return c;
}

/* outcome_unit of the words (low, high) */
static inline __m256d unit_four(__m256i low, __m256i high) {
  __m256i bits = _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xAA);
  bits = _mm256_or_si256(_mm256_srli_epi64(bits, 12), _mm256_set1_epi64x(0x3FF0000000000000));
  return _mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(1 - 0x1p-53));
}

void OUTCOME_KERNEL(draw_uniform)(const outcome_table *table, outcome_batch *batch, uint64_t seed, uint32_t step,
                                  double h) {
  int active[4] = {0};
  double even[4], odd[4];
  for (int i = 0; i < batch->nactive; i += 4) {
    int count = batch->nactive - i < 4 ? batch->nactive - i : 4;
    memcpy(active, batch->active + i, sizeof *active * (size_t)count);
    __m256i sample = _mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)active));
    sample = _mm256_add_epi64(sample, _mm256_set1_epi64x((long long)batch->first));
    for (int c = 0; c < table->nc; c += 2) {
      philox4 random = philox_four(seed, step, (uint32_t)(c / 2), sample);
      _mm256_storeu_pd(even, _mm256_mul_pd(_mm256_set1_pd(h), unit_four(random.word[0], random.word[1])));
      _mm256_storeu_pd(odd, _mm256_mul_pd(_mm256_set1_pd(h), unit_four(random.word[2], random.word[3])));
      for (int k = 0; k < count; k++) {
        double *bound = batch->x + (size_t)table->stride * (size_t)active[k] + table->rank + c;
        bound[0] = even[k];
        if (c + 1 < table->nc) bound[1] = odd[k];
      }
    }
  }
}

#else

void OUTCOME_KERNEL(draw_uniform)(const outcome_table *table, outcome_batch *batch, uint64_t seed, uint32_t step,
                                  double h) {
  for (int i = 0; i < batch->nactive; i++) {
    double *bound = batch->x + (size_t)table->stride * (size_t)batch->active[i] + table->rank;
    outcome_draw draw = {.seed = seed, .sample = batch->first + (uint64_t)batch->active[i], .step = step};
    for (int c = 0; c < table->nc; c++) bound[c] = h * outcome_draw_unit(&draw, (uint32_t)c);
  }
}

#endif
