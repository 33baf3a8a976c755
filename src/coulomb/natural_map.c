/* The natural map of the reduced problem [Alart and Curnier 1991]: zero at a solution, piecewise smooth elsewhere.
 *
 *   normal     x_n - max(0, x_n - y_n) = min(x_n, y_n)
 *   friction   x_f - P(x_f - y_f),  P: onto the ball of radius mu max(0, x_n)
 *   bounded    x - clamp(x - y, lower, upper)
 */
#include <math.h>

#include "coulomb/reduced.h"

/* | x_f - P(x_f - y_f) |^2; where it sticks that is |y_f|^2 */
CRD_ALWAYS_INLINE double friction_map(const crd_coulomb_friction *f, double mu, const double *x, const double *y,
                                      double xn) {
  const double *xf = x + f->row, *yf = y + f->row;
  double radius = xn > 0 ? mu * xn : 0, z[2] = {xf[0] - yf[0], f->count > 1 ? xf[1] - yf[1] : 0};
  double square = z[0] * z[0] + z[1] * z[1];
  double share = square > radius * radius ? radius / sqrt(square) : 1, a = xf[0] - share * z[0];
  double b = f->count > 1 ? xf[1] - share * z[1] : 0;
  return a * a + b * b;
}

/* x and y in units that are `factor` (NULL: one) times those of the reduced problem. */
CRD_ALWAYS_INLINE double natural_map(const crd_reduced *r, const double *factor, const double *x, const double *y,
                                     double *norm) {
  double worst = 0, sum = 0; /* squares */
  for (int i = 0; i < r->ncontact; i++) {
    const crd_unit *c = &r->unit[i];
    double normal = x[c->row] < y[c->row] ? x[c->row] : y[c->row], own = factor ? factor[c->row] : 1;
    double scale = own * r->weight[c->row], weighted = normal * normal * scale * scale;
    sum += normal * normal;
    if (weighted > worst) worst = weighted;
    for (int k = 0; k < c->nfriction; k++) {
      const crd_coulomb_friction *f = &c->friction[k];
      double other = factor ? factor[f->row] : 1, square = friction_map(f, f->mu * other / own, x, y, x[c->row]);
      sum += square;
      scale = other * r->weight[f->row], weighted = square * scale * scale;
      if (weighted > worst) worst = weighted;
    }
  }
  for (int i = r->ncontact; i < r->nunit; i++) {
    const crd_unit *b = &r->unit[i];
    double own = factor ? factor[b->row] : 1;
    double lower = own * b->lower, upper = own * b->upper, z = x[b->row] - y[b->row];
    double f = x[b->row] - (z < lower ? lower : z > upper ? upper : z);
    double scale = own * r->weight[b->row], weighted = f * f * scale * scale;
    sum += f * f;
    if (weighted > worst && !(b->bilateral && weighted <= r->slack * r->slack)) worst = weighted;
  }
  *norm = sum;
  return isfinite(sum) ? sqrt(worst) : INFINITY;
}

double crd_natural_map(const crd_reduced *r, const double *x, const double *y, double *norm) {
  return natural_map(r, NULL, x, y, norm);
}

double crd_natural_map_full(const crd_reduced *r, const double *x, const double *y) {
  double norm;
  return natural_map(r, r->factor, x, y, &norm);
}
