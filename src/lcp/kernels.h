/* The hot loops of the LCP layer, compiled once for any processor and, on x86-64, once more for AVX2 and FMA: the files
 * kernel_*.c, with CRD_KERNEL_AVX2 defined the second time. A workspace holds the table that fits the processor. */
#ifndef SRC_LCP_KERNELS_H
#define SRC_LCP_KERNELS_H

#include "lcp/work.h"

struct lcp_kernels {
  bool (*quick)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
  bool (*warm)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
  lemke_end (*lemke)(lcp_lemke_double_state *state, const double *cover);
};

extern const lcp_kernels lcp_kernels_portable;
extern const lcp_kernels lcp_kernels_avx2;

const lcp_kernels *lcp_kernels_of_cpu(void);

#ifdef CRD_KERNEL_AVX2
#define LCP_KERNEL(name) lcp_kernel_##name##_avx2
#define LCP_KERNEL_TABLE lcp_kernels_avx2
#else
#define LCP_KERNEL(name) lcp_kernel_##name##_portable
#define LCP_KERNEL_TABLE lcp_kernels_portable
#endif

bool LCP_KERNEL(quick)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
bool LCP_KERNEL(warm)(crd_lcp_work *work, const crd_lcp_options *options, double *z, crd_lcp_report *report);
lemke_end LCP_KERNEL(lemke)(lcp_lemke_double_state *state, const double *cover);

#endif
