/* Algebra of the second-order cone K = {z : z_0 >= |z_f|} of one, two or three entries, for the central path: Nesterov
 * and Todd's scaling W with W z = W^-1 s = lambda, products of Jordan's algebra, reach of a step. */
#ifndef SRC_COULOMB_CONE_H
#define SRC_COULOMB_CONE_H

#include <math.h>

#include "coulomb/reduced.h"

typedef struct crd_cone {
  int size;     /* 1: half line */
  int normal;   /* row of x_n, or of the bounded row */
  int row;      /* first row of x_f */
  double mu;    /* of x_n; +1 or -1 on a half line */
  double shift; /* c of a half line */
  double z[3], s[3], dz[3], ds[3];
  double root; /* sqrt(|y_f|^2 + eps^2) */
  double beta, w[3], v[3], lambda[3], Wd[3];
} crd_cone;

static inline double crd_cone_dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* |z_f| */
static inline double crd_cone_tail(int size, const double *z) {
  return size == 1 ? 0 : size == 2 ? fabs(z[1]) : sqrt(z[1] * z[1] + z[2] * z[2]);
}

/* Distance to the boundary in the hyperbolic norm, and the unit vector. */
static inline double crd_cone_hyperbolic(int size, const double *z, double *unit) {
  double t = crd_cone_tail(size, z), norm = sqrt((z[0] - t) * (z[0] + t));
  for (int i = 0; i < size; i++) unit[i] = z[i] / norm;
  return norm;
}

/* W z = beta (2 v v' - J) z, J = diag(1, -1, -1) */
static inline void crd_cone_scale(const crd_cone *k, const double *z, double *out) {
  double along = 2 * crd_cone_dot(k->size, k->v, z);
  for (int i = 0; i < k->size; i++) out[i] = k->beta * (along * k->v[i] + (i ? z[i] : -z[i]));
}

/* W^-1 z = J W J z / beta^2 */
static inline void crd_cone_scale_back(const crd_cone *k, const double *z, double *out) {
  double along = 2 * k->v[0] * z[0];
  for (int i = 1; i < k->size; i++) along -= 2 * k->v[i] * z[i];
  for (int i = 0; i < k->size; i++) out[i] = (i ? z[i] - along * k->v[i] : along * k->v[0] - z[0]) / k->beta;
}

/* An entry of W^2 = beta^2 (2 w w' - J) */
static inline double crd_cone_square(const crd_cone *k, int i, int j) {
  return k->beta * k->beta * (2 * k->w[i] * k->w[j] - (i != j ? 0 : i ? -1 : 1));
}

/* W at (z, s), both inside. */
static inline void crd_cone_set_scaling(crd_cone *k) {
  double z[3], s[3], hz = crd_cone_hyperbolic(k->size, k->z, z), hs = crd_cone_hyperbolic(k->size, k->s, s);
  double gamma = sqrt(0.5 * (1 + crd_cone_dot(k->size, z, s)));
  for (int i = 0; i < k->size; i++) k->w[i] = (s[i] + (i ? -z[i] : z[i])) / (2 * gamma);
  double f = sqrt(2 * (k->w[0] + 1));
  for (int i = 0; i < k->size; i++) k->v[i] = (k->w[i] + (i == 0)) / f;
  k->beta = sqrt(hs / hz);
  crd_cone_scale(k, k->z, k->lambda);
}

/* z with lambda o z = d */
static inline void crd_cone_divide(const crd_cone *k, const double *d, double *z) {
  double t = crd_cone_tail(k->size, k->lambda), cross = 0;
  for (int i = 1; i < k->size; i++) cross += k->lambda[i] * d[i];
  z[0] = (k->lambda[0] * d[0] - cross) / ((k->lambda[0] - t) * (k->lambda[0] + t));
  for (int i = 1; i < k->size; i++) z[i] = (d[i] - z[0] * k->lambda[i]) / k->lambda[0];
}

/* 1 / the longest step along dz that stays in the cone; 0: any. */
static inline double crd_cone_shortness(int size, const double *z, const double *dz) {
  double bar[3] = {0, 0, 0}, r[3] = {0, 0, 0}, norm = crd_cone_hyperbolic(size, z, bar);
  r[0] = bar[0] * dz[0] / norm;
  for (int i = 1; i < size; i++) r[0] -= bar[i] * dz[i] / norm;
  for (int i = 1; i < size; i++) r[i] = dz[i] / norm - (r[0] + dz[0] / norm) / (bar[0] + 1) * bar[i];
  return fmax(0, crd_cone_tail(size, r) - r[0]);
}

/* Wd = W d with lambda o d = target e - lambda o lambda - (what the predictor's step makes of second order) */
static inline void crd_cone_set_target(crd_cone *k, double target, bool corrects) {
  double d[3], a[3] = {0, 0, 0}, c[3] = {0, 0, 0};
  if (corrects) crd_cone_scale(k, k->dz, a), crd_cone_scale_back(k, k->ds, c);
  d[0] = target - crd_cone_dot(k->size, k->lambda, k->lambda) - crd_cone_dot(k->size, a, c);
  for (int j = 1; j < k->size; j++) d[j] = -2 * k->lambda[0] * k->lambda[j] - a[0] * c[j] - c[0] * a[j];
  crd_cone_divide(k, d, a);
  crd_cone_scale(k, a, k->Wd);
}

#endif
