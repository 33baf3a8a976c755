/* Four doubles at a time, and functions compiled for several processors.
 *
 * crd_v4 is GCC's and clang's vector extension: one AVX register, two SSE or NEON registers, depending on the target.
 * CRD_CLONES compiles a function twice, for the baseline and for AVX2, and the loader picks one. The code must not
 * depend on contraction: without -ffp-contract=fast, which ISO C mode switches off, both give the same bits. The
 * sanitizers cannot run before the loader's choice, so they get the baseline only.
 */
#ifndef SRC_LINALG_SIMD_H
#define SRC_LINALG_SIMD_H

#include <stdint.h>

#define CRD_ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(CRADLE_SANITIZE)
#define CRD_CLONES __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define CRD_CLONES
#endif

typedef double crd_v4 __attribute__((vector_size(32)));
typedef double crd_v4_unaligned __attribute__((vector_size(32), aligned(8)));
typedef int64_t crd_v4_mask __attribute__((vector_size(32)));

/* doubles -> whole vectors */
CRD_ALWAYS_INLINE int crd_v4_count(int n) { return (n + 3) / 4; }

#define CRD_V4_SPLAT(a) ((crd_v4){(a), (a), (a), (a)})

/* a where the mask is set, b elsewhere */
CRD_ALWAYS_INLINE crd_v4 crd_v4_select(crd_v4_mask mask, crd_v4 a, crd_v4 b) {
  return (crd_v4)((mask & (crd_v4_mask)a) | (~mask & (crd_v4_mask)b));
}

/* The lesser and the greater; where a is NaN, b. */
CRD_ALWAYS_INLINE crd_v4 crd_v4_min(crd_v4 a, crd_v4 b) { return crd_v4_select(a < b, a, b); }
CRD_ALWAYS_INLINE crd_v4 crd_v4_max(crd_v4 a, crd_v4 b) { return crd_v4_select(a > b, a, b); }

CRD_ALWAYS_INLINE crd_v4 crd_v4_abs(crd_v4 a) { return (crd_v4)((crd_v4_mask)a & INT64_MAX); }

/* Bit k is set where lane k of the mask is. */
CRD_ALWAYS_INLINE unsigned crd_v4_bits(crd_v4_mask mask) {
#if defined(__AVX__)
  return (unsigned)__builtin_ia32_movmskpd256((crd_v4)mask);
#elif defined(__SSE2__)
  typedef double v2 __attribute__((vector_size(16)));
  crd_v4 m = (crd_v4)mask;
  v2 low = __builtin_shufflevector(m, m, 0, 1), high = __builtin_shufflevector(m, m, 2, 3);
  return (unsigned)__builtin_ia32_movmskpd(low) | (unsigned)__builtin_ia32_movmskpd(high) << 2;
#else
  return (unsigned)((mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8));
#endif
}

CRD_ALWAYS_INLINE double crd_v4_least(crd_v4 a) {
  double low = a[0] < a[1] ? a[0] : a[1], high = a[2] < a[3] ? a[2] : a[3];
  return low < high ? low : high;
}

CRD_ALWAYS_INLINE double crd_v4_greatest(crd_v4 a) {
  double low = a[0] > a[1] ? a[0] : a[1], high = a[2] > a[3] ? a[2] : a[3];
  return low > high ? low : high;
}

CRD_ALWAYS_INLINE double crd_v4_total(crd_v4 a) { return (a[0] + a[1]) + (a[2] + a[3]); }

/* a . b; vectors of up to three entries in their order */
CRD_ALWAYS_INLINE double crd_v4_dot(int n, const double *restrict a, const double *restrict b) {
  crd_v4 sum[2] = {{0}, {0}};
  double rest = 0;
  int j = 0;
  for (; j + 7 < n; j += 8) {
    sum[0] += *(const crd_v4_unaligned *)(a + j) * *(const crd_v4_unaligned *)(b + j);
    sum[1] += *(const crd_v4_unaligned *)(a + j + 4) * *(const crd_v4_unaligned *)(b + j + 4);
  }
  if (j + 3 < n) sum[0] += *(const crd_v4_unaligned *)(a + j) * *(const crd_v4_unaligned *)(b + j), j += 4;
  for (; j < n; j++) rest += a[j] * b[j];
  return crd_v4_total(sum[0] + sum[1]) + rest;
}

/* sum of |a_j b_j| */
CRD_ALWAYS_INLINE double crd_v4_dot_magnitude(int n, const double *restrict a, const double *restrict b) {
  crd_v4 sum = {0};
  double rest = 0;
  int j = 0;
  for (; j + 3 < n; j += 4) sum += crd_v4_abs(*(const crd_v4_unaligned *)(a + j) * *(const crd_v4_unaligned *)(b + j));
  for (; j < n; j++) rest += a[j] * b[j] < 0 ? -a[j] * b[j] : a[j] * b[j];
  return crd_v4_total(sum) + rest;
}

#endif
