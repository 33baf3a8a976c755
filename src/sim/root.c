/* Chandrupatla's method (Advances in Engineering Software 28, 1997): inverse quadratic interpolation through the last
 * three points where it can be trusted, that is where the function is monotonic and not too curved there, else
 * bisection. Some ten evaluations for a smooth function, twice those of bisection at most; no step is shorter than the
 * tolerance, so that the interval closes from both sides. */
#include "sim/root.h"

#include <math.h>
#include <stdbool.h>

enum { MOST_TRIALS = 200 };

/* Width at which an interval is closed, a share of t. */
static const double WIDTH = 8e-16;
static const double MIDDLE = 0.5; /* share of the interval: bisection */

typedef struct point {
  double t, f;
} point;

/* Where to try between a and b, as a share of the way from a: c is the point before. */
static double share_of(point a, point b, point c) {
  double xi = (a.t - b.t) / (c.t - b.t), phi = (a.f - b.f) / (c.f - b.f);
  if (!(phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi)) return MIDDLE;
  double share =
      a.f / (b.f - a.f) * c.f / (b.f - c.f) + (c.t - a.t) / (b.t - a.t) * a.f / (c.f - a.f) * b.f / (c.f - b.f);
  return isfinite(share) ? share : MIDDLE;
}

double crd_root_find(const crd_root_function *f, double low, double high) {
  point a = {high, f->value(f->context, high)}, b = {low, f->value(f->context, low)}, c;
  double share = MIDDLE;
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    double least = WIDTH * fmax(fabs(a.t), fabs(b.t)) / fabs(b.t - a.t);
    if (!(least < MIDDLE)) break;
    share = fmin(fmax(share, least), 1 - least);
    point next = {a.t + share * (b.t - a.t), 0};
    if (next.t == a.t || next.t == b.t) break;
    next.f = f->value(f->context, next.t);
    bool same = (next.f < 0) == (a.f < 0); /* the root lies between next and b, else between next and a */
    c = same ? a : b;
    if (!same) b = a;
    a = next;
    share = share_of(a, b, c);
  }
  return fmax(a.t, b.t);
}
