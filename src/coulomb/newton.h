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

#endif
