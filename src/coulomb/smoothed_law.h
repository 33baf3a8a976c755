/* Coulomb's law smoothed and lifted by one parameter t (smoothed_law.c): a point of it, and steps from there. */
#ifndef SRC_COULOMB_SMOOTHED_LAW_H
#define SRC_COULOMB_SMOOTHED_LAW_H

#include "coulomb/linear.h"

/* Unknowns of a unit besides its impulses. s: of a contact the l of each friction, y_f = -l x_f; of a single row the
 * multipliers of its lower and upper bound. */
typedef struct crd_smoothed_unit {
  double normal, weight[CRD_COULOMB_FRICTIONS]; /* w of the normal's law and of the frictions' */
  double s[CRD_COULOMB_FRICTIONS], ds[CRD_COULOMB_FRICTIONS];
  double second[CRD_COULOMB_FRICTIONS]; /* of a step: terms of second order in the products l g */
  double rate[CRD_COULOMB_FRICTIONS];   /* ds / dt along the curve */
  double kept[CRD_COULOMB_FRICTIONS], tangent[CRD_COULOMB_FRICTIONS]; /* of the last point on the curve */
} crd_smoothed_unit;

/* memory->x and y are the point's impulses and (lifted) velocities, memory->smooth its multipliers, memory->lift is d. */
typedef struct crd_smoothed {
  crd_memory *m;
  const crd_task *task;
  double t, dt; /* the parameter, in units of the velocities; of a step */
  double m0;    /* m = m_0 t on the curve */
  double speed; /* largest of the velocities without contact */
} crd_smoothed;

/* The middle of all laws: normal impulses of this size, velocities t; d is such that the curve begins here. */
void crd_smoothed_begin(crd_smoothed *point, double impulse, double t);
/* Factors the equations of a step. False: singular. */
bool crd_smoothed_factor(crd_smoothed *point);

/* Where a step leads to. */
typedef struct crd_smoothed_aim {
  double target; /* of the products, over their weights */
  double keep;   /* 1: from where the point is; 0: of what changes with t alone, a tangent */
  double dt;     /* change of the parameter */
  double second; /* share of the last step's terms of second order that it corrects; 0: none */
} crd_smoothed_aim;
/* The step dx (memory->rhs), dy (y1), ds (smooth) and dt by the factors. */
void crd_smoothed_step(crd_smoothed *point, crd_smoothed_aim aim);
/* dy of a step whose dx, ds and dt are known. */
void crd_smoothed_complete(crd_smoothed *point, double dt);
/* The share of the step, at most 1, that ends inside all laws. */
double crd_smoothed_reach(const crd_smoothed *point);
void crd_smoothed_advance(crd_smoothed *point, double share);
/* y at memory->x and t. */
void crd_smoothed_set_velocities(crd_smoothed *point);

/* Mean of the products over their weights, a share of the step further on: m of a point on the curve. */
double crd_smoothed_products(const crd_smoothed *point, double share);
/* How far off the curve: the largest factor by which a product misses its m. */
double crd_smoothed_distance(const crd_smoothed *point);

#endif
