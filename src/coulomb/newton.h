/* What a Newton step solves for (newton.c). */
#ifndef SRC_COULOMB_NEWTON_H
#define SRC_COULOMB_NEWTON_H

#include "coulomb/reduced.h"

/* A friction of a closed contact: its mode, the direction d = z / |z| and k = mu x_n / |z|. */
typedef struct crd_newton_friction {
  bool slip;
  double d[2], k;
} crd_newton_friction;

typedef struct crd_newton_unknown {
  enum { CRD_NEWTON_HOLD, CRD_NEWTON_NORMAL, CRD_NEWTON_ACROSS } kind;
  int row;                            /* of its equation and of x; ACROSS: first row of the friction */
  const crd_reduced_contact *contact; /* NORMAL */
  const crd_newton_friction *slips;   /* NORMAL: the first of the contact's; ACROSS: its own */
} crd_newton_unknown;

/* The natural map at x, y: its largest weighted component, *norm: its square. */
double crd_natural_map(const crd_reduced *reduced, const double *x, const double *y, double *norm);

/* Lists the unknowns of a step at memory->x, y and sets what is known of it in x0; returns their number. given: modes
 * of the contacts in place of those of the map, or NULL. */
int crd_newton_choose(crd_dense_memory *memory, const crd_mode *given);
/* Sets and factors the equations of the unknowns, with their right-hand sides at x0, y0 (memory->rhs). */
bool crd_newton_factor(crd_dense_memory *memory, const crd_dense_task *task, int count);
void crd_newton_solve(const crd_dense_memory *memory, int count);
/* x1 = x0 + the step in rhs. */
void crd_newton_spread(crd_dense_memory *memory, int count);
/* All of it: x1, y1 where a full step ends. False: the matrix is singular. */
bool crd_newton_step(crd_dense_memory *memory, const crd_dense_task *task, const crd_mode *given);

#endif
