/* Lemke's method in double arithmetic on a scaled problem of any size. */
#include "lcp/lemke_double.h"

CRD_CLONES lemke_end lemke_double_solve(lemke_double_state *s, const double *cover) {
  return lemke_double_from_start(s, cover, crd_v4_count(s->n));
}
