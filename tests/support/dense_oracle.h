/* An independent reference in extended precision, written from the definitions and sharing no code with the tree
 * algorithms: poses by multiplying out the joints' motions, Jacobians by summing joint axes, M = sum over bodies of J'
 * I J + armature, dense Cholesky. Long double carries 64 bits on x86-64, so that ill-conditioned mechanisms can be
 * judged at 1e-12. */
#ifndef TESTS_DENSE_ORACLE_H
#define TESTS_DENSE_ORACLE_H

#include <cradle/tree.h>

typedef struct dense_oracle {
  const crd_model *model;
  long double *body_pos, *body_R; /* nbody x 3, x 9 */
  long double *axis, *anchor;     /* nv x 3 each: direction and a point of every velocity's axis */
  bool *angular;                  /* nv */
  long double *M, *L;             /* nv x nv, and its lower Cholesky factor */
} dense_oracle;

dense_oracle dense_oracle_new(const crd_model *model, const double *qpos);
void dense_oracle_free(dense_oracle *oracle);

/* J of the node, 6 x nv. */
void dense_oracle_jacobian(const dense_oracle *oracle, const crd_node *node, long double *J);
/* x = M^-1 x */
void dense_oracle_solve(const dense_oracle *oracle, long double *x);

#endif
