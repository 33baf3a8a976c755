/* Which of the two compilations of the kernels this processor runs. */
#include "outcome/kernels.h"

const outcome_kernels *outcome_kernels_of_cpu(void) {
#ifdef CRADLE_HAVE_AVX2_KERNELS
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &outcome_kernels_avx2;
#endif
  return &outcome_kernels_portable;
}
