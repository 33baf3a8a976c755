/* Quantiles. */
#ifndef SRC_FIT_ORDER_H
#define SRC_FIT_ORDER_H

/* Sorts x and returns its quantile, linear between order statistics; NaN without numbers. */
void crd_fit_sort(int count, double *x);
double crd_fit_quantile(int count, const double *sorted, double level);

#endif
