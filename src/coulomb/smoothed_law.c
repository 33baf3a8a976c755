/* Coulomb's law smoothed and lifted by one parameter t; at t = 0 it is the law.
 *
 *   y = A x + b + t d,   m = m_0 t
 *
 *   normal     x_n y_n = m w_n                                          x_n, y_n > 0
 *   friction   y_f + l x_f = 0,   l (mu^2 x_n^2 - |x_f|^2) = m w_f      l, mu x_n - |x_f| > 0
 *   bounded    y = s_1 - s_2,   s_1 (x - lower) = m,   s_2 (upper - x) = m
 *
 * This is the central path of De Saxce's cones [Acary, Cadoux, Lemarechal, Malick 2011] within a factor of two in the
 * normals' products, stated without the term mu |y_f|, whose kink and cancellation it has not. d is what makes a point
 * in the middle of all laws a solution at the start, so that a curve of solutions begins there.
 *
 * Newton's equations, with g = mu^2 x_n^2 - |x_f|^2:
 *
 *   (A + S) dx = ...,   S_nn = y_n / x_n,   S_ff = l + 2 l x_f x_f' / g,   S_fn = -2 l mu^2 x_n x_f / g
 *
 * Weights w_n = 1 / (1 + mu), w_f = mu / (1 + mu) make the friction impulses of the start as large as normal ones,
 * whatever mu. Cost of a step: one factorisation of n rows.
 */
#include "coulomb/smoothed_law.h"

#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"

static const double REACH = 0.95; /* of the way to the boundary of the laws */
static const double SKEW = 0.3;   /* size of y_f + l x_f, relative to l mu x_n, that counts as a factor of two */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* mu^2 x_n^2 - |x_f|^2 a share of dx further on; 0: outside. */
static double room(const crd_coulomb_friction *f, int normal, const double *x, const double *dx, double share) {
  double radius = f->mu * (x[normal] + share * dx[normal]), square = 0;
  for (int t = 0; t < f->count; t++) {
    double at = x[f->row + t] + share * dx[f->row + t];
    square += at * at;
  }
  double length = sqrt(square);
  return radius > length ? (radius - length) * (radius + length) : 0;
}

static double room_at(const crd_coulomb_friction *f, int normal, const double *x) { return room(f, normal, x, x, 0); }

/* ------------------------------------------------------------------------------------------------ the point */

void crd_smoothed_set_velocities(crd_smoothed *c) {
  crd_memory *m = c->m;
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  for (int i = 0; i < m->reduced.n; i++) m->y[i] += c->t * m->lift[i];
}

static void begin_contact(crd_smoothed *c, int u) {
  const crd_unit *unit = &c->m->reduced.unit[u];
  crd_smoothed_unit *law = &c->m->smooth[u];
  double mu = 0, *x = c->m->x + unit->row;
  for (int k = 0; k < unit->nfriction; k++) mu = crd_greater(mu, unit->friction[k].mu);
  law->normal = 1 / (1 + mu), *x = c->m0 * law->normal;
  for (int k = 0; k < unit->nfriction; k++) {
    double radius = unit->friction[k].mu * *x;
    law->weight[k] = unit->friction[k].mu / (1 + mu);
    law->s[k] = c->m0 * c->t * law->weight[k] / (radius * radius);
  }
  c->m->y[unit->row] = c->t;
}

static void begin_row(crd_smoothed *c, int u) {
  const crd_unit *unit = &c->m->reduced.unit[u];
  double *s = c->m->smooth[u].s, *x = c->m->x + unit->row, m = c->m0 * c->t;
  bool below = isfinite(unit->lower), above = isfinite(unit->upper);
  *x = below && above ? (unit->lower + unit->upper) / 2 : below ? unit->lower + c->m0 : above ? unit->upper - c->m0 : 0;
  if (below) s[0] = m / (*x - unit->lower);
  if (above) s[1] = m / (unit->upper - *x);
  c->m->y[unit->row] = s[0] - s[1];
}

void crd_smoothed_begin(crd_smoothed *c, double impulse, double t) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  c->m0 = impulse, c->t = t;
  memset(m->x, 0, sizeof *m->x * (size_t)r->n), memset(m->y, 0, sizeof *m->y * (size_t)r->n);
  memset(m->smooth, 0, sizeof *m->smooth * (size_t)r->nunit);
  for (int u = 0; u < r->nunit; u++) (u < r->ncontact ? begin_contact : begin_row)(c, u);
  crd_reduced_velocity(r, m->x, m->y0);
  for (int i = 0; i < r->n; i++) m->lift[i] = (m->y[i] - m->y0[i]) / t;
}

double crd_smoothed_products(const crd_smoothed *c, double share) {
  const crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  double sum = 0, weights = 0;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_smoothed_unit *law = &m->smooth[u];
    int n = unit->row;
    double x = m->x[n] + share * m->rhs[n];
    if (u >= r->ncontact) {
      if (isfinite(unit->lower)) sum += (x - unit->lower) * (law->s[0] + share * law->ds[0]), weights++;
      if (isfinite(unit->upper)) sum += (unit->upper - x) * (law->s[1] + share * law->ds[1]), weights++;
      continue;
    }
    sum += x * (m->y[n] + share * m->y1[n]), weights += law->normal;
    for (int k = 0; k < unit->nfriction; k++) {
      sum += room(&unit->friction[k], n, m->x, m->rhs, share) * (law->s[k] + share * law->ds[k]);
      weights += law->weight[k];
    }
  }
  return weights > 0 ? sum / weights : 0;
}

static double factor_off(double product, double wanted) { return crd_greater(product / wanted, wanted / product); }

static double friction_distance(const crd_smoothed *c, const crd_coulomb_friction *f, int n, double lambda,
                                double wanted) {
  const double *x = c->m->x, *y = c->m->y;
  double square = 0;
  for (int t = 0; t < f->count; t++) {
    double error = y[f->row + t] + lambda * x[f->row + t];
    square += error * error;
  }
  return crd_greater(factor_off(lambda * room_at(f, n, x), wanted), 1 + sqrt(square) / (SKEW * lambda * f->mu * x[n]));
}

double crd_smoothed_distance(const crd_smoothed *c) {
  const crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  double worst = 1, wanted = c->m0 * c->t;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_smoothed_unit *law = &m->smooth[u];
    double x = m->x[unit->row], y = m->y[unit->row], low = law->s[0], high = law->s[1];
    if (u >= r->ncontact) {
      bool below = isfinite(unit->lower), above = isfinite(unit->upper);
      if (below) worst = crd_greater(worst, factor_off(low * (x - unit->lower), wanted));
      if (above) worst = crd_greater(worst, factor_off(high * (unit->upper - x), wanted));
      if (below || above) worst = crd_greater(worst, 1 + fabs(y - low + high) / (SKEW * (low + high)));
      continue;
    }
    worst = crd_greater(worst, factor_off(x * y, wanted * law->normal));
    for (int k = 0; k < unit->nfriction; k++)
      worst =
          crd_greater(worst, friction_distance(c, &unit->friction[k], unit->row, law->s[k], wanted * law->weight[k]));
  }
  return worst;
}

/* ------------------------------------------------------------------------------------------------ equations */

static void add_friction(crd_unknown *v, const crd_coulomb_friction *f, int normal, const double *x, double lambda) {
  double share = 2 * lambda / room_at(f, normal, x);
  int at = f->row - normal;
  for (int a = 0; a < f->count; a++) {
    double xa = x[f->row + a];
    v[at + a].S[at + a] += lambda;
    for (int b = 0; b < f->count; b++) v[at + a].S[at + b] += share * xa * x[f->row + b];
    v[at + a].S[0] -= share * f->mu * f->mu * x[normal] * xa;
  }
}

/* A + S */
bool crd_smoothed_factor(crd_smoothed *c) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  crd_linear_all_rows(m, CRD_ACCURACY.path_regular);
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const double *s = m->smooth[u].s;
    int n = unit->row;
    crd_unknown *v = &m->unknown[n];
    if (u >= r->ncontact) {
      if (isfinite(unit->lower)) v->S[0] += s[0] / (m->x[n] - unit->lower);
      if (isfinite(unit->upper)) v->S[0] += s[1] / (unit->upper - m->x[n]);
      continue;
    }
    v->S[0] += m->y[n] / m->x[n];
    for (int k = 0; k < unit->nfriction; k++) add_friction(v, &unit->friction[k], n, m->x, s[k]);
  }
  return crd_linear_factor(m, c->task, r->n);
}

/* Right sides of a contact's rows, with what the last step (dx in x0, dy in y1, dl in ds) makes of second order. */
static void aim_contact(crd_smoothed *c, int u, const crd_smoothed_aim *aim) {
  crd_memory *m = c->m;
  const crd_unit *unit = &m->reduced.unit[u];
  crd_smoothed_unit *law = &m->smooth[u];
  const double *x = m->x, *last = m->x0;
  int n = unit->row;
  double *rhs = m->rhs, product = aim->target * law->normal;
  if (aim->second > 0) product -= aim->second * last[n] * m->y1[n];
  rhs[n] += product / x[n];
  for (int k = 0; k < unit->nfriction; k++) {
    const crd_coulomb_friction *f = &unit->friction[k];
    double mu2 = f->mu * f->mu;
    law->second[k] = 0;
    if (aim->second > 0) {
      double dg = 2 * (mu2 * x[n] * last[n] - dot(f->count, x + f->row, last + f->row));
      double ddg = mu2 * last[n] * last[n] - dot(f->count, last + f->row, last + f->row);
      law->second[k] = -aim->second * (law->ds[k] * dg + law->s[k] * ddg);
      for (int t = 0; t < f->count; t++) rhs[f->row + t] -= aim->second * law->ds[k] * last[f->row + t];
    }
    double share = (aim->target * law->weight[k] + law->second[k]) / room_at(f, n, x);
    for (int t = 0; t < f->count; t++) rhs[f->row + t] -= share * x[f->row + t];
  }
}

static void aim_row(crd_smoothed *c, int u, const crd_smoothed_aim *aim) {
  crd_memory *m = c->m;
  const crd_unit *unit = &m->reduced.unit[u];
  crd_smoothed_unit *law = &m->smooth[u];
  int n = unit->row;
  law->second[0] = aim->second > 0 ? -aim->second * m->x0[n] * law->ds[0] : 0;
  law->second[1] = aim->second > 0 ? aim->second * m->x0[n] * law->ds[1] : 0;
  m->rhs[n] += (aim->target + law->second[0]) / (m->x[n] - unit->lower); /* nothing where there is no bound */
  m->rhs[n] -= (aim->target + law->second[1]) / (unit->upper - m->x[n]);
}

static void set_multipliers(crd_smoothed *c, int u, const crd_smoothed_aim *aim) {
  const crd_memory *m = c->m;
  const crd_unit *unit = &m->reduced.unit[u];
  crd_smoothed_unit *law = &m->smooth[u];
  const double *x = m->x, *dx = m->rhs, *s = law->s;
  int n = unit->row;
  if (u >= m->reduced.ncontact) {
    law->ds[0] = (aim->target + law->second[0] - s[0] * dx[n]) / (x[n] - unit->lower) - aim->keep * s[0];
    law->ds[1] = (aim->target + law->second[1] + s[1] * dx[n]) / (unit->upper - x[n]) - aim->keep * s[1];
  }
  for (int k = 0; k < unit->nfriction; k++) {
    const crd_coulomb_friction *f = &unit->friction[k];
    double dg = 2 * (f->mu * f->mu * x[n] * dx[n] - dot(f->count, x + f->row, dx + f->row));
    double product = aim->target * law->weight[k] + law->second[k];
    law->ds[k] = (product - s[k] * dg) / room_at(f, n, x) - aim->keep * s[k];
  }
}

void crd_smoothed_complete(crd_smoothed *c, double dt) {
  crd_memory *m = c->m;
  crd_reduced_change(&m->reduced, m->rhs, m->y1);
  for (int i = 0; i < m->reduced.n; i++) m->y1[i] += dt * m->lift[i];
  c->dt = dt;
}

void crd_smoothed_step(crd_smoothed *c, crd_smoothed_aim aim) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  if (aim.second > 0) memcpy(m->x0, m->rhs, sizeof *m->x0 * (size_t)r->n);
  for (int i = 0; i < r->n; i++) m->rhs[i] = -aim.keep * m->y[i] - aim.dt * m->lift[i];
  for (int u = 0; u < r->nunit; u++) (u < r->ncontact ? aim_contact : aim_row)(c, u, &aim);
  crd_linear_solve(m, r->n, m->rhs);
  for (int u = 0; u < r->nunit; u++) set_multipliers(c, u, &aim);
  crd_smoothed_complete(c, aim.dt);
}

/* ------------------------------------------------------------------------------------------------ steps */

/* 1 / the share of the step at which v + share dv vanishes, v > 0; 0 or less: it does not. */
static double shortness(double v, double dv) { return -dv / v; }

/* The same of mu x_n - |x_f|: largest root of g s^2 + g' s + g'' = 0 for g(1 / s), g = mu^2 x_n^2 - |x_f|^2. */
static double friction_shortness(const crd_coulomb_friction *f, int normal, const double *x, const double *dx) {
  double radius = f->mu * x[normal], change = f->mu * dx[normal], g = room_at(f, normal, x);
  double slope = radius * change - dot(f->count, x + f->row, dx + f->row);
  double curvature = change * change - dot(f->count, dx + f->row, dx + f->row);
  double square = slope * slope - curvature * g;
  return square > 0 ? (sqrt(square) - slope) / g : 0;
}

double crd_smoothed_reach(const crd_smoothed *c) {
  const crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  double worst = 0;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const double *s = m->smooth[u].s, *ds = m->smooth[u].ds;
    double x = m->x[unit->row], dx = m->rhs[unit->row];
    if (u < r->ncontact) {
      worst = crd_greater(worst, shortness(x, dx));
      worst = crd_greater(worst, shortness(m->y[unit->row], m->y1[unit->row]));
    } else {
      if (isfinite(unit->lower))
        worst = crd_greater(crd_greater(worst, shortness(x - unit->lower, dx)), shortness(s[0], ds[0]));
      if (isfinite(unit->upper))
        worst = crd_greater(crd_greater(worst, shortness(unit->upper - x, -dx)), shortness(s[1], ds[1]));
    }
    for (int k = 0; k < unit->nfriction; k++) {
      worst = crd_greater(worst, friction_shortness(&unit->friction[k], unit->row, m->x, m->rhs));
      worst = crd_greater(worst, shortness(s[k], ds[k]));
    }
  }
  return worst > REACH ? REACH / worst : 1;
}

void crd_smoothed_advance(crd_smoothed *c, double share) {
  crd_memory *m = c->m;
  for (int i = 0; i < m->reduced.n; i++) m->x[i] += share * m->rhs[i];
  for (int u = 0; u < m->reduced.nunit; u++)
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->smooth[u].s[k] += share * m->smooth[u].ds[k];
  c->t += share * c->dt;
  crd_smoothed_set_velocities(c);
}
