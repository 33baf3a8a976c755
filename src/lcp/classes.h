/* The tests behind crd_lcp_classify. */
#ifndef SRC_LCP_CLASSES_H
#define SRC_LCP_CLASSES_H

#include <cradle/lcp.h>

enum { CLASS_INDICES = 64 }; /* the exponential tests hold index sets in one word */

#define CLASS_ROUNDING 1e-14 /* relative error of the data and of a few operations on them */

typedef struct class_task {
  int n;
  double *W;         /* [n][n] the matrix */
  double *scaled;    /* [n][n] rows and columns multiplied by positive powers of two: P, P0, Z, K do not change */
  double *row, *col; /* [n] these powers */
  double
      *symmetric; /* [n][n] (W + W')/2 with rows and columns divided by sqrt(their size): definiteness, copositivity */
  double *congruence; /* [n] the factors: symmetric = C (W+W')/2 C */
  long max_steps;
  crd_arena *arena; /* of the classification: evidence; scratch below */
  crd_arena scratch;
  crd_lcp_classification *out;
} class_task;

/* Each fills its evidence; false when memory is out. They use what was decided before: definite first. */
bool lcp_class_definite(class_task *task);
bool lcp_class_z(class_task *task);
bool lcp_class_minors(class_task *task);
bool lcp_class_k(class_task *task);
bool lcp_class_copositive(class_task *task);

/* Arena copies for the evidence. */
double *lcp_class_vector(class_task *task, const double *vector);
unsigned char *lcp_class_set(class_task *task, uint64_t set);
/* x' W x of the matrix as given. */
double lcp_class_form(const class_task *task, const double *x);

#endif
