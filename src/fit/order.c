#include "fit/order.h"

#include <math.h>
#include <stdlib.h>

enum { NEWTON_STEPS = 20 };
static const double PI = 3.141592653589793;

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

/* z with P(Z > z) = share of a normal Z, by Newton's method from 0: P is concave from there on. */
static double normal_beyond(double share) {
  double z = 0;
  for (int i = 0; i < NEWTON_STEPS; i++) z += (0.5 * erfc(z / sqrt(2)) - share) * sqrt(2 * PI) * exp(0.5 * z * z);
  return z;
}

/* The same of Student's t with v degrees of freedom, from the normal one [Fisher & Cornish 1960]: to 2e-3 from v = 5 on. */
static double student_beyond(double share, double v) {
  const double z = normal_beyond(share), s = z * z;
  const double first = z * (s + 1) / 4, second = z * ((5 * s + 16) * s + 3) / 96;
  const double third = z * (((3 * s + 19) * s + 17) * s - 15) / 384;
  return z + (first + (second + third / v) / v) / v;
}

/* Percentiles of resamples are narrower than the numbers' own by sqrt(1 - 1/n), and do as if the spread of n rows were known.
 * Expanded percentiles [Hesterberg, The American Statistician 69, 2015] correct both: the normal quantile becomes
 * t sqrt(n / (n - 1)), n less what is fitted besides. Resamples never leave the range of what single rows say. It holds the
 * median of a row with the chance 1 - 2^(1 - n): with fewer rows than that asks for there is no interval. */
bool fit_interval(int n, int fitted, double level, int resamples, const double *sorted, double *low, double *high) {
  const double rows = n - fitted + 1, beyond = 0.5 * (1 - level);
  *low = *high = NAN;
  if (rows < 2 || exp2(1 - rows) > 1 - level) return false;
  const double far = student_beyond(beyond, rows - 1) * sqrt(rows / (rows - 1)), share = 0.5 * erfc(far / sqrt(2));
  *low = crd_fit_quantile(resamples, sorted, share), *high = crd_fit_quantile(resamples, sorted, 1 - share);
  return true;
}
