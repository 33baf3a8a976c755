/* Quantiles, and intervals of resamples. */
#ifndef SRC_FIT_ORDER_H
#define SRC_FIT_ORDER_H

#include <stdbool.h>

/* Sorts x and returns its quantile, linear between order statistics; NaN without numbers. */
void crd_fit_sort(int count, double *x);
double crd_fit_quantile(int count, const double *sorted, double level);

/* Interval of `level` from the sorted values of a number in resamples of n rows; `fitted` numbers are taken from the
 * same rows. false: the rows are too few for any interval of that level, and low and high are NaN. */
bool fit_interval(int n, int fitted, double level, int resamples, const double *sorted, double *low, double *high);

#endif
