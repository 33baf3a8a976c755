/* Modes of a Newton step (newton.c), which the policy of redundancy shares (nearest.c). */
#ifndef SRC_COULOMB_NEWTON_H
#define SRC_COULOMB_NEWTON_H

#include "coulomb/linear.h"

/* A friction of a closed contact: its mode, the direction d = z / |z| and k = mu x_n / |z|. */
typedef struct crd_newton_friction {
  bool slip;
  double d[2], k;
} crd_newton_friction;

typedef struct crd_newton_unit {
  bool closed; /* a contact; a single row: between its bounds */
  crd_newton_friction friction[CRD_COULOMB_FRICTIONS];
} crd_newton_unit;

/* Unknowns that a step may change. */
typedef enum crd_newton_free {
  CRD_FREE_NORMAL,  /* normal impulses, with the frictions that slip in their directions */
  CRD_FREE_HOLDING, /* frictions that stick, too */
  CRD_FREE_ALL      /* and directions of slip */
} crd_newton_free;

/* Modes at memory->x, y into memory->newton, those given (NULL: none) for the frictions in the tangents. */
void crd_newton_modes(crd_memory *memory, const crd_mode *given);
/* Are they equal to the last step's? Stores them for the next call. */
bool crd_newton_same_modes(crd_memory *memory);
/* The unknowns of these modes at memory->x0; returns their number. */
int crd_newton_unknowns(crd_memory *memory, crd_newton_free what);
/* x1 = x0 + E q, q the solution at x0 with the velocities y0, which the factors are of. */
void crd_newton_move(crd_memory *memory, int count);

#endif
