/* The natural map of the reduced problem [Alart and Curnier 1991]: zero at a solution, piecewise smooth elsewhere.
 *
 *   normal     x_n - max(0, x_n - y_n) = min(x_n, y_n)
 *   friction   x_f - P(x_f - y_f),  P: onto the ball of radius mu max(0, x_n)
 *   bounded    x - clamp(x - y, lower, upper)
 */
#include <math.h>

#include "coulomb/reduced.h"

static double length_of(int count, const double *v) {
  return count == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]);
}

/* | x_f - P(x_f - y_f) |^2 */
CRD_ALWAYS_INLINE double friction_map(const crd_coulomb_friction *f, double mu, const double *x, const double *y,
                                      double xn) {
  double radius = xn > 0 ? mu * xn : 0, z[2] = {0, 0}, square = 0;
  for (int t = 0; t < f->count; t++) z[t] = x[f->row + t] - y[f->row + t];
  double length = length_of(f->count, z), share = length > radius ? radius / length : 1;
  for (int t = 0; t < f->count; t++) {
    double error = x[f->row + t] - share * z[t];
    square += error * error;
  }
  return square;
}

/* x and y in units that are `factor` (NULL: one) times those of the reduced problem. */
CRD_ALWAYS_INLINE double natural_map(const crd_reduced *r, const double *factor, const double *x, const double *y,
                                     double *norm) {
  double worst = 0, sum = 0;
  for (int i = 0; i < r->ncontact; i++) {
    const crd_unit *c = &r->unit[i];
    double normal = x[c->row] < y[c->row] ? x[c->row] : y[c->row], own = factor ? factor[c->row] : 1;
    double weighted = fabs(normal) * own * r->weight[c->row];
    sum += normal * normal;
    if (weighted > worst) worst = weighted;
    for (int k = 0; k < c->nfriction; k++) {
      const crd_coulomb_friction *f = &c->friction[k];
      double other = factor ? factor[f->row] : 1, square = friction_map(f, f->mu * other / own, x, y, x[c->row]);
      sum += square;
      weighted = sqrt(square) * other * r->weight[f->row];
      if (weighted > worst) worst = weighted;
    }
  }
  for (int i = r->ncontact; i < r->nunit; i++) {
    const crd_unit *b = &r->unit[i];
    double own = factor ? factor[b->row] : 1;
    double lower = own * b->lower, upper = own * b->upper, z = x[b->row] - y[b->row];
    double f = x[b->row] - (z < lower ? lower : z > upper ? upper : z);
    double weighted = fabs(f) * own * r->weight[b->row];
    sum += f * f;
    if (weighted > worst && !(b->bilateral && weighted <= r->slack)) worst = weighted;
  }
  *norm = sum;
  return isfinite(sum) ? worst : INFINITY;
}

double crd_natural_map(const crd_reduced *r, const double *x, const double *y, double *norm) {
  return natural_map(r, NULL, x, y, norm);
}

double crd_natural_map_full(const crd_reduced *r, const double *x, const double *y) {
  double norm;
  return natural_map(r, r->factor, x, y, &norm);
}
