/* Which of the two compilations of the kernels this processor runs. */
#include "lcp/kernels.h"

const lcp_kernels *lcp_kernels_of_cpu(void) {
#ifdef CRADLE_HAVE_AVX2_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &lcp_kernels_avx2;
#endif
  return &lcp_kernels_portable;
}
