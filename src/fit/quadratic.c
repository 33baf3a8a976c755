/* A quadratic in n variables through values at the points of a design, by least squares, and its minimum.
 *
 * The design is the central composite one [Box & Wilson 1951]: the corners of the cube [-1, 1]^n, its middle, and places on the
 * axes. The coefficients are linear in the values, c = (A'A)^-1 A' f with a row (1, x_i, x_i x_j) of A a point, so that
 * another draw of rows costs a product and no solves. */
#include "fit/quadratic.h"

#include <math.h>

#include "linalg/dense.h"

static const double on_axis[] = {-1, -0.5, 0.5, 1};
enum { ON_AXIS = 4, SWEEPS = 200 };
static const double CONVERGED = 1e-6; /* of the cube's half width */
static const double ROUNDING = 1e-7;  /* of losses, which are kept as floats */

static int coefficients(int n) { return 1 + n + n * (n + 1) / 2; }

int fit_design_points(int n) { return (1 << n) + ON_AXIS * n + 1; }

void fit_design_point(int n, int point, double *x) {
  for (int k = 0; k < n; k++) x[k] = point < 1 << n ? (point >> k & 1 ? 1 : -1) : 0;
  const int axis = point - (1 << n);
  if (axis >= 0 && axis < ON_AXIS * n) x[axis / ON_AXIS] = on_axis[axis % ON_AXIS];
}

static void monomials(int n, const double *x, double *a) {
  *a++ = 1;
  for (int i = 0; i < n; i++) *a++ = x[i];
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++) *a++ = x[i] * x[j];
}

const double *fit_design_solver(int n, crd_arena *arena) {
  const int m = coefficients(n), count = fit_design_points(n);
  double *solver = crd_arena_alloc(arena, (size_t)(m * count), sizeof *solver); /* count rows of m: A (A'A)^-1 */
  double *normal = crd_arena_alloc(arena, (size_t)(m * m), sizeof *normal), x[FIT_MOST_VARIABLES];
  if (!solver || !normal) return NULL;
  for (int i = 0; i < m * m; i++) normal[i] = 0;
  for (int p = 0; p < count; p++) {
    double *a = solver + m * p;
    fit_design_point(n, p, x);
    monomials(n, x, a);
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) normal[m * i + j] += a[i] * a[j];
  }
  if (!crd_dense_cholesky(m, normal)) return NULL; /* it is positive definite for every n */
  crd_dense_cholesky_solve(m, normal, count, solver);
  return solver;
}

/* Least of slope s + curvature s^2 / 2 in low .. high; 0 where neither is more than rounding of `scale`. */
static double least_along(double slope, double curvature, double scale, double low, double high) {
  if (fabs(slope) + fabs(curvature) <= ROUNDING * scale) return 0;
  if (curvature > 0) return fmin(high, fmax(low, -slope / curvature));
  return low * (slope + 0.5 * curvature * low) < high * (slope + 0.5 * curvature * high) ? low : high;
}

/* Each variable in turn. */
void fit_design_minimum(int n, const double *solver, const double *f, const double *low, const double *high,
                        double *x) {
  const int m = coefficients(n), count = fit_design_points(n);
  double c[1 + FIT_MOST_VARIABLES + FIT_MOST_VARIABLES * (FIT_MOST_VARIABLES + 1) / 2] = {0};
  double H[FIT_MOST_VARIABLES][FIT_MOST_VARIABLES];
  for (int p = 0; p < count; p++)
    for (int i = 0; i < m; i++) c[i] += solver[m * p + i] * f[p];
  for (int i = 0, k = 1 + n; i < n; i++)
    for (int j = i; j < n; j++, k++) H[i][j] = H[j][i] = i == j ? 2 * c[k] : c[k];
  for (int i = 0; i < n; i++) x[i] = 0;
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double moved = 0;
    for (int i = 0; i < n; i++) {
      double slope = c[1 + i];
      for (int j = 0; j < n; j++) slope += j == i ? 0 : H[i][j] * x[j];
      const double to = least_along(slope, H[i][i], fabs(c[0]), low[i], high[i]);
      moved = fmax(moved, fabs(to - x[i])), x[i] = to;
    }
    if (moved < CONVERGED) return;
  }
}
