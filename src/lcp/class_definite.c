/* Positive (semi)definite: the least eigenvalue of the symmetric part, with its eigenvector. The sign is read from the
 * scaled matrix, where it is accurate; a congruence does not change it (Sylvester). */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "lcp/classes.h"
#include "linalg/dense.h"

static void tell(class_task *task, double sign, double least, const double *x) {
  crd_lcp_evidence *definite = &task->out->of[CRD_LCP_POSITIVE_DEFINITE];
  crd_lcp_evidence *semidefinite = &task->out->of[CRD_LCP_POSITIVE_SEMIDEFINITE];
  double form = lcp_class_form(task, x);
  definite->answer = sign > 0 ? CRD_LCP_YES : CRD_LCP_NO;
  semidefinite->answer = sign >= 0 ? CRD_LCP_YES : CRD_LCP_NO;
  definite->reason = semidefinite->reason = sign > 0    ? "every eigenvalue of the symmetric part is positive"
                                            : sign >= 0 ? "the least eigenvalue of the symmetric part is zero"
                                                        : "the symmetric part has a negative eigenvalue";
  definite->margin = sign > 0 ? least : fmin(form, 0);
  semidefinite->margin = sign >= 0 ? fmax(least, 0) : form;
  if (definite->answer == CRD_LCP_NO) definite->vector = lcp_class_vector(task, x);
  if (semidefinite->answer == CRD_LCP_NO) semidefinite->vector = lcp_class_vector(task, x);
}

bool lcp_class_definite(class_task *task) {
  int n = task->n;
  size_t size = (size_t)n;
  double *A, *values, *work, *x;
  if (CRD_TAKE(&task->scratch, CRD_MATRIX(A, size, size), CRD_ARRAY(values, size), CRD_MATRIX(work, 3, size),
               CRD_ARRAY(x, size)))
    return false;
  memcpy(A, task->symmetric, sizeof(double) * size * size);
  if (!crd_dense_eigen_symmetric(n, A, values, work)) return true; /* undecided */
  double sign = fabs(values[0]) <= CLASS_ROUNDING * n ? 0 : values[0];
  /* with the scaled matrix C S C and its eigenvector a, x = C a is a witness for S */
  for (int i = 0; i < n; i++) x[i] = A[i] * task->congruence[i];
  for (int i = 0; i < n * n; i++) A[i] = task->symmetric[i] / (task->congruence[i / n] * task->congruence[i % n]);
  if (!crd_dense_eigen_symmetric(n, A, values, work)) return true;
  tell(task, sign, values[0], x);
  return sign > 0 || task->out->of[CRD_LCP_POSITIVE_DEFINITE].vector != NULL;
}
