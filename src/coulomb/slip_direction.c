/* Unit vectors u = (cos a, sin a) with B u + w parallel to u: zeros of
 *
 *   g(a) = u_perp' (B u + w) = a0 + a1 cos a + b1 sin a + a2 cos 2a + b2 sin 2a,
 *
 * a trigonometric polynomial, hence at most four. Unlike the quartic in k, |(k I - B)^-1 w| = 1 (errata B-09), this has
 * no special case where k is an eigenvalue of B. With t = tan(a/2), g (1 + t^2)^2 is a quartic; the half circles about
 * a = 0 and a = pi map to |t| <= 1 each, and there the real roots are found between the roots of the derivative, degree
 * by degree: every root is bracketed, none is lost, and a double root is a critical point with value zero.
 */
#include "coulomb/slip_direction.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "base/angle.h"

enum {
  MOST_HALVINGS = 80,
  MOST_POLISHES = 4
}; /* of an interval in [-1, 1], to its last digit; Newton steps after it */
static const double CANCELLED = 8 * DBL_EPSILON; /* of the entries: coefficients that are rounding of their sums */

typedef struct trigonometric {
  double a0, a1, b1, a2, b2;
} trigonometric;

static double value(const trigonometric *g, double angle) {
  return g->a0 + g->a1 * cos(angle) + g->b1 * sin(angle) + g->a2 * cos(2 * angle) + g->b2 * sin(2 * angle);
}

static double slope(const trigonometric *g, double angle) {
  return g->b1 * cos(angle) - g->a1 * sin(angle) + 2 * g->b2 * cos(2 * angle) - 2 * g->a2 * sin(2 * angle);
}

static double size(const trigonometric *g) {
  return fabs(g->a0) + fabs(g->a1) + fabs(g->b1) + fabs(g->a2) + fabs(g->b2);
}

static double horner(int degree, const double *c, double t) {
  double sum = c[degree];
  for (int i = degree - 1; i >= 0; i--) sum = sum * t + c[i];
  return sum;
}

/* The root of a polynomial that changes its sign once in [low, high]. */
static double bisect(int degree, const double *c, double low, double high) {
  bool rising = horner(degree, c, low) < 0;
  for (int i = 0; i < MOST_HALVINGS; i++) {
    double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if ((horner(degree, c, middle) < 0) == rising)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

/* Real roots in [-1, 1] and, because a double root may miss zero by rounding, every critical point whose value is below
 * `near`. Roots may be listed twice. */
static int roots(int degree, const double *c, double near, double *root) {
  if (degree == 0) return 0;
  double derivative[4], mark[24]; /* at most two roots a mark but one, degree by degree: 3, 9, 21, 45 */
  for (int i = 1; i <= degree; i++) derivative[i - 1] = i * c[i];
  int marks = 0, count = 0;
  mark[marks++] = -1;
  marks += roots(degree - 1, derivative, 0, mark + 1);
  mark[marks++] = 1;
  for (int i = 0; i < marks; i++) {
    double here = horner(degree, c, mark[i]);
    if (fabs(here) <= near) root[count++] = mark[i];
    if (i + 1 < marks && (here < 0) != (horner(degree, c, mark[i + 1]) < 0))
      root[count++] = bisect(degree, c, mark[i], mark[i + 1]);
  }
  return count;
}

/* g (1 + t^2)^2 by powers of t = tan(a/2). */
static void half_angle_quartic(const trigonometric *g, double c[5]) {
  c[0] = g->a0 + g->a1 + g->a2;
  c[1] = 2 * g->b1 + 4 * g->b2;
  c[2] = 2 * g->a0 - 6 * g->a2;
  c[3] = 2 * g->b1 - 4 * g->b2;
  c[4] = g->a0 - g->a1 + g->a2;
}

/* Newton steps as long as they bring g closer to zero. */
static double polish(const trigonometric *g, double angle) {
  double best = fabs(value(g, angle));
  for (int i = 0; i < MOST_POLISHES && best > 0; i++) {
    double ds = slope(g, angle), next = angle - value(g, angle) / ds;
    if (!isfinite(next) || fabs(value(g, next)) >= best) break;
    angle = next, best = fabs(value(g, angle));
  }
  return angle;
}

static double between_pi(double angle) { return remainder(angle, CRD_TURN); }

/* Angles within this of each other are one root: double roots are known to about sqrt(DBL_EPSILON). */
static const double same_angle = 1e-7;

static int insert(double angle, int count, double *sorted) {
  int at = 0;
  for (int i = 0; i < count; i++)
    if (fabs(between_pi(angle - sorted[i])) <= same_angle) return count;
  if (count == CRD_SLIP_MAX) return count;
  while (at < count && sorted[at] < angle) at++;
  for (int i = count; i > at; i--) sorted[i] = sorted[i - 1];
  sorted[at] = angle;
  return count + 1;
}

int crd_slip_directions(const double B[4], const double w[2], double u[CRD_SLIP_MAX][2], double k[CRD_SLIP_MAX]) {
  trigonometric g = {
      .a0 = 0.5 * (B[2] - B[1]), .a1 = w[1], .b1 = -w[0], .a2 = 0.5 * (B[2] + B[1]), .b2 = 0.5 * (B[3] - B[0])};
  double scale = size(&g), entries = fabs(B[0]) + fabs(B[1]) + fabs(B[2]) + fabs(B[3]) + fabs(w[0]) + fabs(w[1]);
  if (scale <= CANCELLED * entries || scale == 0) return CRD_SLIP_EVERY;
  double angle[CRD_SLIP_MAX];
  int count = 0;
  for (int half = 0; half < 2; half++) {
    /* about a = CRD_PI, cos and sin of the simple angle change their signs */
    trigonometric turned = g;
    if (half) turned.a1 = -g.a1, turned.b1 = -g.b1;
    double c[5], root[48];
    half_angle_quartic(&turned, c);
    int found = roots(4, c, 64 * DBL_EPSILON * scale, root);
    for (int i = 0; i < found; i++)
      count = insert(between_pi(polish(&g, 2 * atan(root[i]) + (half ? CRD_PI : 0))), count, angle);
  }
  for (int i = 0; i < count; i++) {
    u[i][0] = cos(angle[i]), u[i][1] = sin(angle[i]);
    if (k)
      k[i] = u[i][0] * (B[0] * u[i][0] + B[1] * u[i][1] + w[0]) + u[i][1] * (B[2] * u[i][0] + B[3] * u[i][1] + w[1]);
  }
  return count;
}
