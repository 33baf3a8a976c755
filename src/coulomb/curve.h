/* What the curve of lifted problems (curve.c) keeps of a unit beside its impulses. */
#ifndef SRC_COULOMB_CURVE_H
#define SRC_COULOMB_CURVE_H

#include "coulomb/linear.h"

/* s: of a contact the l of each friction, y_f = -l x_f; of a single row the multipliers of its lower and upper bound. */
typedef struct crd_dual {
  double lift;                                  /* d of the normal, or of a row with one bound */
  double normal, weight[CRD_COULOMB_FRICTIONS]; /* w of the normal's law and of the frictions' */
  double s[CRD_COULOMB_FRICTIONS], ds[CRD_COULOMB_FRICTIONS];
  double rate[CRD_COULOMB_FRICTIONS];                                 /* ds / dt */
  double kept[CRD_COULOMB_FRICTIONS], tangent[CRD_COULOMB_FRICTIONS]; /* of the last point on the curve */
} crd_dual;

#endif
