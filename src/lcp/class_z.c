/* Z-matrices, and K-matrices among them: a Z-matrix is a P-matrix if and only if elimination without exchange meets
 * positive pivots only, and then W d = 1 has a solution d > 0 (Fiedler & Ptak 1962). */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "lcp/classes.h"

bool lcp_class_z(class_task *task) {
  crd_lcp_evidence *out = &task->out->of[CRD_LCP_Z];
  int n = task->n;
  out->answer = CRD_LCP_YES;
  out->reason = "no entry off the diagonal is positive";
  for (int i = 0; i < n && out->answer; i++)
    for (int j = 0; j < n; j++)
      if (i != j && task->W[(ptrdiff_t)i * n + j] > 0) {
        *out = (crd_lcp_evidence){
            .answer = CRD_LCP_NO, .reason = "an entry off the diagonal is positive", .row = i, .col = j};
        out->margin = task->W[(ptrdiff_t)i * n + j];
        break;
      }
  return true;
}

/* Solves the scaled system A d = 1 by elimination; returns the row of the first pivot that is not positive, or n. */
static int eliminate(double *A, double *d, int n) {
  for (int i = 0; i < n; i++) d[i] = 1;
  for (int p = 0; p < n; p++) {
    if (!(A[(ptrdiff_t)p * n + p] > CLASS_ROUNDING * n)) return p;
    for (int i = p + 1; i < n; i++) {
      double f = A[(ptrdiff_t)i * n + p] / A[(ptrdiff_t)p * n + p];
      for (int j = p; j < n; j++) A[(ptrdiff_t)i * n + j] -= f * A[(ptrdiff_t)p * n + j];
      d[i] -= f * d[p];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) d[i] -= A[(ptrdiff_t)i * n + j] * d[j];
    d[i] /= A[(ptrdiff_t)i * n + i];
  }
  return n;
}

bool lcp_class_k(class_task *task) {
  crd_lcp_evidence *out = &task->out->of[CRD_LCP_K];
  const crd_lcp_evidence *z = &task->out->of[CRD_LCP_Z], *p = &task->out->of[CRD_LCP_P];
  size_t n = (size_t)task->n;
  if (z->answer == CRD_LCP_NO) {
    *out = *z;
    return true;
  }
  double *A, *d;
  if (CRD_TAKE(&task->scratch, CRD_MATRIX(A, n, n), CRD_ARRAY(d, n))) return false;
  memcpy(A, task->scaled, sizeof(double) * n * n);
  if (eliminate(A, d, task->n) < task->n) {
    *out = *p;
    out->answer = CRD_LCP_NO;
    return true;
  }
  for (int i = 0; i < task->n; i++) d[i] *= task->col[i];
  out->answer = CRD_LCP_YES;
  out->reason = "a Z-matrix, and W d > 0 for the positive vector";
  out->vector = lcp_class_vector(task, d);
  return out->vector != NULL;
}
