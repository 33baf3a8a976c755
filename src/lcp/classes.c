/* crd_lcp_classify: scales the matrix and asks the tests one after the other. */
#include "lcp/classes.h"

#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "linalg/dense.h"

const char *crd_lcp_class_name(crd_lcp_class which) {
  static const char *const names[CRD_LCP_CLASSES] = {
      "positive definite", "positive semidefinite", "P", "P0", "Z", "K", "strictly copositive", "copositive"};
  return which >= 0 && which < CRD_LCP_CLASSES ? names[which] : "undefined class";
}

void crd_lcp_classification_free(crd_lcp_classification *classification) {
  crd_arena_free(&classification->arena);
  *classification = (crd_lcp_classification){0};
}

double *lcp_class_vector(class_task *task, const double *vector) {
  double *copy = crd_arena_alloc(task->arena, (size_t)task->n, sizeof *copy);
  if (copy) memcpy(copy, vector, sizeof(double) * (size_t)task->n);
  return copy;
}

unsigned char *lcp_class_set(class_task *task, uint64_t set) {
  unsigned char *flags = crd_arena_alloc(task->arena, (size_t)task->n, 1);
  for (int i = 0; flags && i < task->n; i++) flags[i] = set >> i & 1;
  return flags;
}

double lcp_class_form(const class_task *task, const double *x) { return crd_dense_quadratic(task->n, task->W, x); }

static double power_below(double a) {
  int exponent;
  frexp(a, &exponent);
  return ldexp(1, exponent);
}

/* Rows and columns divided in turns by the square roots of their largest entries. */
static void equilibrate(class_task *task) {
  int n = task->n;
  for (int i = 0; i < n; i++) task->row[i] = task->col[i] = 1;
  for (int sweep = 0; sweep < 6; sweep++)
    for (int i = 0; i < n; i++) {
      double in_row = 0, in_col = 0;
      for (int j = 0; j < n; j++) {
        in_row = fmax(in_row, fabs(task->W[(ptrdiff_t)i * n + j]) * task->row[i] * task->col[j]);
        in_col = fmax(in_col, fabs(task->W[(ptrdiff_t)j * n + i]) * task->row[j] * task->col[i]);
      }
      if (in_row > 0) task->row[i] /= power_below(sqrt(in_row));
      if (in_col > 0) task->col[i] /= power_below(sqrt(in_col));
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      task->scaled[(ptrdiff_t)i * n + j] = task->W[(ptrdiff_t)i * n + j] * task->row[i] * task->col[j];
}

/* The symmetric part, scaled by a congruence so that each row has its largest entry near 1. */
static void symmetrize(class_task *task) {
  int n = task->n;
  double *S = task->symmetric, *c = task->congruence;
  for (int i = 0; i < n; i++) {
    c[i] = 1;
    for (int j = 0; j < n; j++)
      S[(ptrdiff_t)i * n + j] = 0.5 * (task->W[(ptrdiff_t)i * n + j] + task->W[(ptrdiff_t)j * n + i]);
  }
  for (int sweep = 0; sweep < 6; sweep++)
    for (int i = 0; i < n; i++) {
      double most = 0;
      for (int j = 0; j < n; j++) most = fmax(most, fabs(S[(ptrdiff_t)i * n + j]) * c[i] * c[j]);
      if (most > 0) c[i] /= power_below(sqrt(most));
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) S[(ptrdiff_t)i * n + j] *= c[i] * c[j];
}

static bool allocate(class_task *task) {
  size_t n = (size_t)task->n;
  return !CRD_TAKE(&task->scratch, CRD_MATRIX(task->W, n, n), CRD_MATRIX(task->scaled, n, n),
                   CRD_MATRIX(task->symmetric, n, n), CRD_ARRAY(task->row, n), CRD_ARRAY(task->col, n),
                   CRD_ARRAY(task->congruence, n));
}

crd_status crd_lcp_classify(int n, const double *W, int row_stride, long max_steps,
                            crd_lcp_classification *classification) {
  if (n < 1 || !W || !classification || max_steps < 0 || (row_stride != 0 && row_stride < n)) return CRD_ERR_ARGUMENT;
  int ld = row_stride ? row_stride : n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (!isfinite(W[(ptrdiff_t)i * ld + j])) return CRD_ERR_NUMBER;
  crd_lcp_classification_free(classification);
  classification->n = n;
  for (int k = 0; k < CRD_LCP_CLASSES; k++)
    classification->of[k] = (crd_lcp_evidence){.answer = CRD_LCP_UNDECIDED, .reason = "", .row = -1, .col = -1};
  class_task task = {
      .n = n, .max_steps = max_steps ? max_steps : 4000000, .arena = &classification->arena, .out = classification};
  bool ok = allocate(&task);
  if (ok) {
    for (int i = 0; i < n; i++) memcpy(task.W + (ptrdiff_t)i * n, W + (ptrdiff_t)i * ld, sizeof(double) * (size_t)n);
    equilibrate(&task);
    symmetrize(&task);
    ok = lcp_class_definite(&task) && lcp_class_z(&task) && lcp_class_minors(&task) && lcp_class_k(&task) &&
         lcp_class_copositive(&task);
  }
  crd_arena_free(&task.scratch);
  if (ok) return CRD_OK;
  crd_lcp_classification_free(classification);
  return CRD_ERR_MEMORY;
}
