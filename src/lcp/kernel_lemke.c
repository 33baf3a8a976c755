/* Lemke's method in double arithmetic on a scaled problem of any size, and the table of kernels. */
#include "lcp/kernels.h"
#include "lcp/lemke_double.h"

lemke_end LCP_KERNEL(lemke)(lcp_lemke_double_state *s, const double *cover) {
  return lcp_lemke_double_from_start(s, cover, crd_v4_count(s->n));
}

const lcp_kernels LCP_KERNEL_TABLE = {.quick = LCP_KERNEL(quick), .warm = LCP_KERNEL(warm), .lemke = LCP_KERNEL(lemke)};
