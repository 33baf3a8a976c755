/* Least squares quadratics, for the optima of resamples in many parameters. */
#ifndef SRC_FIT_QUADRATIC_H
#define SRC_FIT_QUADRATIC_H

#include <cradle/base.h>

enum { FIT_MOST_VARIABLES = 10 };

/* Points of the design in n variables, each in [-1, 1]^n. */
int fit_design_points(int n);
void fit_design_point(int n, int point, double *x);
/* The matrix from values at the points to coefficients; NULL: no memory. */
const double *fit_design_solver(int n, crd_arena *arena);
/* Minimum of the quadratic through f, with low_i <= x_i <= high_i. */
void fit_design_minimum(int n, const double *solver, const double *f, const double *low, const double *high, double *x);

#endif
