/* min x' A x / 2 + b' x over |x| <= r. Inside, A x = -b. On the rim (A + kappa I) x = -b with kappa > 0 and |x| = r: |x|
 * falls with kappa, and 1 / |x| is nearly linear in it and convex from below, so that Newton's method from kappa = 0
 * rises to the root. */
#include "impact/disk.h"

#include <math.h>

static const double CONVERGED = 1e-15; /* relative: the last digit */

enum { MOST_STEPS = 100 };

void crd_disk_minimise(int n, const double A[4], const double b[2], double radius, double *x) {
  if (n == 0) return;
  if (!(radius > 0)) {
    for (int i = 0; i < n; i++) x[i] = 0;
    return;
  }
  if (n == 1) {
    double free = -b[0] / A[0];
    x[0] = fabs(b[0]) <= A[0] * radius ? free : b[0] > 0 ? -radius : radius;
    return;
  }
  double size = hypot(b[0], b[1]), largest = A[0] + A[3];
  if (size == 0) {
    x[0] = x[1] = 0;
    return;
  }
  /* a start below the root at which A + kappa I is safely invertible: |x| >= |b| / (largest + kappa) > r */
  double kappa = fmax(0, size / radius - largest), least = CONVERGED * largest;
  if (A[0] * A[3] - A[1] * A[2] <= least * largest && kappa < least) kappa = least;
  for (int k = 0; k < MOST_STEPS; k++) {
    double a = A[0] + kappa, c = A[1], d = A[3] + kappa, det = a * d - c * c;
    x[0] = -(d * b[0] - c * b[1]) / det, x[1] = -(a * b[1] - c * b[0]) / det;
    double length = hypot(x[0], x[1]);
    if (kappa == 0 && length <= radius) return;
    double y[2] = {(d * x[0] - c * x[1]) / det, (a * x[1] - c * x[0]) / det};
    double step = (length - radius) / radius * length * length / (x[0] * y[0] + x[1] * y[1]);
    kappa += step;
    if (kappa < 0) kappa = 0;
    if (fabs(step) <= CONVERGED * kappa) break;
  }
  double length = hypot(x[0], x[1]);
  if (length > radius) x[0] *= radius / length, x[1] *= radius / length;
}
