#include "fit/order.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void crd_fit_sort(int count, double *x) { qsort(x, (size_t)count, sizeof *x, ascending); }

double crd_fit_quantile(int count, const double *sorted, double level) {
  if (count == 0) return NAN;
  const double at = level * (count - 1);
  const int below = (int)floor(at), above = below + 1 < count ? below + 1 : below;
  return sorted[below] + (at - below) * (sorted[above] - sorted[below]);
}
