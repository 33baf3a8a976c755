/* The curve of lifted problems: leads to a solution where the shorter ways lose theirs.
 *
 * All contacts are lifted, y = A x + b + t d, d > 0 in the normals, and the law is smoothed by m = m_0 t:
 *
 *   normal     x_n y_n = m w_n                                          x_n, y_n > 0
 *   friction   y_f + l x_f = 0,   l (mu^2 x_n^2 - |x_f|^2) = m w_f      l, mu x_n - |x_f| > 0
 *   bounded    y = s_1 - s_2,   s_1 (x - lower) = m,   s_2 (upper - x) = m
 *
 * For large t every contact is open and there is one solution. Solutions for all t form a curve, which ends at a
 * solution of the problem, t = 0, or at infinity: it is what Lemke's pivots follow, with round cones. In a product with
 * x the frictions only dissipate,
 *
 *   x'A x + x'b + t x'd <= (number of laws) m,
 *
 * so x is bounded while t > 0 unless x' b < 0 for impulses within the cones that move nothing (A x = 0), and such a
 * self-stress b must contradict: contacts closing on both sides, or targets that no motion meets without sliding.
 *
 * The curve may turn back, t growing for a while, where contacts with large coefficients jam. It is followed by its
 * length: a step along the tangent, then Newton's method across it. The side to which the tangent points is told by the
 * determinant of the equations, which changes its sign where t turns [Allgower and Georg 1990, 2.1].
 *
 *   (A + S) dx = ...,   S_nn = y_n / x_n,   S_ff = l + 2 l x_f x_f' / g,   S_fn = -2 l mu^2 x_n x_f / g,
 *                       g = mu^2 x_n^2 - |x_f|^2
 *
 * Weights w_n = 1 / (1 + mu) make the friction impulses of the start as large as normal ones, whatever mu. Newton's
 * method on the natural map takes over near the end. If the curve goes to infinity other lifts are tried.
 */
#include <math.h>
#include <string.h>

#include "coulomb/curve.h"

static const double IMPULSE = 0.1; /* normal impulses at the start, of the velocities */
static const double LIFT = 10;     /* t at the start, of the velocities */
static const double OPEN = 0.3;    /* of its lift: the least normal velocity of a contact at the start */
static const double NEAR = 1.2;    /* factor by which products may miss m on the curve, */
static const double SKEW = 0.3;  /* and what of y_f + l x_f, relative to l mu x_n, counts as much as a factor of two */
static const double LOST = 1e15; /* such factor from which no correction comes back */
static const double REACH = 0.9; /* of the way to the boundary of the laws */
static const double DESCEND = 0.9;    /* most of t that a step takes off, */
static const double CORRECT = 0.95;   /* and that a correction does */
static const double TURN = 0.2;       /* least cosine between tangents one step apart */
static const double LONGER = 4;       /* the next step, */
static const double CAREFUL = 1.5;    /* after one that had to be cut, */
static const double SHORTER = 0.3;    /* and the next trial of one that failed */
static const double ASK = 1e-2;       /* residual at which Newton's method is asked first, */
static const double ASK_AGAIN = 0.03; /* and then each time it has gone down by this much */
static const double ROUNDED = 1e-13;  /* residual that no further step of Newton's method can improve */
static const double REGULAR = 1e-13;  /* of a row's own compliance: contacts may be redundant */
static const double FAR = 1e4;        /* impulses, of the velocities, and change of t along the curve */
static const double LEVEL = 1e-10;    /* by which a curve that goes to infinity is told */
static const double SHORTEST = 1e-13; /* step, of the velocities, that leads nowhere */
static const double LOWEST = 1e-15;   /* t, of the velocities, below which nothing changes */
static const double SPREAD = 2;       /* decades between the lifts of a further try */
enum {
  LIFTS = 4,
  ROUNDS = 2000,
  MOST_ROUNDS = 3000,
  FIRST_CORRECTIONS = 40,
  CORRECTIONS = 4,
  CUTS = 25,
  SHARP = 8,
  POLISH = 6
};

typedef struct curve {
  crd_memory *m;
  const crd_task *task;
  double t, dt;
  double m0;
  double speed;
  int sign;         /* of the determinant where t falls */
  double tangent_t; /* of the unit tangent; the rest: memory->tangent and the duals */
  double kept_t;    /* of the last point on the curve; the rest: memory->kept and the duals */
  int rounds;       /* of all lifts */
} curve;

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

/* ------------------------------------------------------------------------------------------------ equations */

static void set_row(crd_unknown *v, const crd_unit *unit, int u, int i) {
  v->unit = u, v->row = v->first = unit->row, v->rows = v->count = unit->rows;
  v->at = v->equation = unit->row + i;
  for (int k = 0; k < CRD_UNIT_ROWS; k++) v->S[k] = i == k ? REGULAR : 0;
}

static void add_friction(crd_unknown *v, const crd_coulomb_friction *f, int normal, const double *x, double lambda) {
  double share = 2 * lambda / room(f, normal, x, x, 0);
  int at = f->row - normal;
  for (int a = 0; a < f->count; a++) {
    double xa = x[f->row + a];
    v[at + a].S[at + a] += lambda;
    for (int b = 0; b < f->count; b++) v[at + a].S[at + b] += share * xa * x[f->row + b];
    v[at + a].S[0] -= share * f->mu * f->mu * x[normal] * xa;
  }
}

/* A + S, factored. */
static bool factor(curve *c) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_dual *dual = &m->dual[u];
    int n = unit->row;
    crd_unknown *v = &m->unknown[n];
    for (int i = 0; i < unit->rows; i++) set_row(&v[i], unit, u, i);
    if (u >= r->ncontact) {
      if (isfinite(unit->lower)) v->S[0] += dual->s[0] / (m->x[n] - unit->lower);
      if (isfinite(unit->upper)) v->S[0] += dual->s[1] / (unit->upper - m->x[n]);
      continue;
    }
    v->S[0] += m->y[n] / m->x[n];
    for (int k = 0; k < unit->nfriction; k++) add_friction(v, &unit->friction[k], n, m->x, dual->s[k]);
  }
  return crd_linear_factor(m, c->task, r->n);
}

/* dx into rhs and ds for products of `target`, velocities `keep` y, and a lift of `up` more: (m, 1, 0) is the step
 * onto the curve at this t, (m_0, 0, 1) what changes with t along it. */
static void solve(curve *c, double target, double keep, double up) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  const double *x = m->x;
  double *dx = m->rhs;
  for (int i = 0; i < r->n; i++) dx[i] = -keep * m->y[i];
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_dual *dual = &m->dual[u];
    int n = unit->row;
    dx[n] -= up * dual->lift;
    if (u >= r->ncontact) {
      dx[n] += target / (x[n] - unit->lower) - target / (unit->upper - x[n]); /* nothing where there is no bound */
      continue;
    }
    dx[n] += target * dual->normal / x[n];
    for (int k = 0; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      double share = target * dual->weight[k] / room(f, n, x, x, 0);
      for (int t = 0; t < f->count; t++) dx[f->row + t] -= share * x[f->row + t];
    }
  }
  crd_linear_solve(m, r->n, dx);
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    crd_dual *dual = &m->dual[u];
    double *s = dual->s, *ds = dual->ds;
    int n = unit->row;
    if (u >= r->ncontact) {
      ds[0] = (target - s[0] * dx[n]) / (x[n] - unit->lower) - keep * s[0];
      ds[1] = (target + s[1] * dx[n]) / (unit->upper - x[n]) - keep * s[1];
    }
    for (int k = 0; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      double change = f->mu * f->mu * x[n] * dx[n] - dot(f->count, x + f->row, dx + f->row);
      ds[k] = (target * dual->weight[k] - 2 * s[k] * change) / room(f, n, x, x, 0) - keep * s[k];
    }
  }
}

/* ------------------------------------------------------------------------------------------------ steps */

static void add_lift(const crd_memory *m, double t, double *y) {
  for (int u = 0; u < m->reduced.nunit; u++) y[m->reduced.unit[u].row] += t * m->dual[u].lift;
}

static void set_velocities(curve *c) {
  crd_reduced_velocity(&c->m->reduced, c->m->x, c->m->y);
  add_lift(c->m, c->t, c->m->y);
}

/* The step is dx, ds and dt: dy into y1. */
static void set_change(curve *c, double dt) {
  crd_reduced_change(&c->m->reduced, c->m->rhs, c->m->y1);
  add_lift(c->m, dt, c->m->y1);
  c->dt = dt;
}

static bool is_inside(const curve *c, double share) {
  const crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const double *s = m->dual[u].s, *ds = m->dual[u].ds;
    int n = unit->row;
    double x = m->x[n] + share * m->rhs[n];
    if (u >= r->ncontact) {
      bool above = !isfinite(unit->lower) || (x > unit->lower && s[0] + share * ds[0] > 0);
      bool below = !isfinite(unit->upper) || (x < unit->upper && s[1] + share * ds[1] > 0);
      if (!above || !below) return false;
      continue;
    }
    if (!(x > 0 && m->y[n] + share * m->y1[n] > 0)) return false;
    for (int k = 0; k < unit->nfriction; k++)
      if (!(room(&unit->friction[k], n, m->x, m->rhs, share) > 0 && s[k] + share * ds[k] > 0)) return false;
  }
  return true;
}

/* The share of the step that may be taken. */
static double share_within(const curve *c) {
  enum { MOST = 60 };
  double low = 0, high = 1;
  if (is_inside(c, 1)) return 1;
  for (int k = 0; k < MOST && high - low > 1e-3 * high; k++) {
    double middle = low > 0 ? 0.5 * (low + high) : 0.3 * high;
    *(is_inside(c, middle) ? &low : &high) = middle;
  }
  return REACH * low;
}

static void advance(curve *c, double share) {
  crd_memory *m = c->m;
  for (int i = 0; i < m->reduced.n; i++) m->x[i] += share * m->rhs[i];
  for (int u = 0; u < m->reduced.nunit; u++)
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->dual[u].s[k] += share * m->dual[u].ds[k];
  c->t += share * c->dt;
  set_velocities(c);
}

static double factor_off(double product, double wanted) { return fmax(product / wanted, wanted / product); }

/* How far from the curve: the largest factor by which a product misses its m. */
static double distance(const curve *c) {
  const crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  double worst = 1, target = c->m0 * c->t;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_dual *dual = &m->dual[u];
    int n = unit->row;
    if (u >= r->ncontact) {
      bool below = isfinite(unit->lower), above = isfinite(unit->upper);
      double low = below ? dual->s[0] : 0, high = above ? dual->s[1] : 0;
      if (below) worst = fmax(worst, factor_off(low * (m->x[n] - unit->lower), target));
      if (above) worst = fmax(worst, factor_off(high * (unit->upper - m->x[n]), target));
      if (below || above) worst = fmax(worst, 1 + fabs(m->y[n] - low + high) / (SKEW * (low + high)));
      continue;
    }
    worst = fmax(worst, factor_off(m->x[n] * m->y[n], target * dual->normal));
    for (int k = 0; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      double lambda = dual->s[k], square = 0;
      for (int t = 0; t < f->count; t++) {
        double error = m->y[f->row + t] + lambda * m->x[f->row + t];
        square += error * error;
      }
      worst = fmax(worst, factor_off(lambda * room(f, n, m->x, m->x, 0), target * dual->weight[k]));
      worst = fmax(worst, 1 + sqrt(square) / (SKEW * lambda * f->mu * m->x[n]));
    }
  }
  return worst;
}

/* What changes with t along the curve, by the factors of the last equations: dx / dt into x1, ds / dt into rate. */
static void set_rates(curve *c) {
  crd_memory *m = c->m;
  solve(c, c->m0, 0, 1);
  memcpy(m->x1, m->rhs, sizeof *m->x1 * (size_t)m->reduced.n);
  for (int u = 0; u < m->reduced.nunit; u++) memcpy(m->dual[u].rate, m->dual[u].ds, sizeof m->dual[u].ds);
}

/* Newton's method onto the curve, across the tangent or (at the start) at the same t; ends with the rates there, or a
 * step before. False: it does not get there. */
static bool correct(curve *c, bool across, int most) {
  crd_memory *m = c->m;
  int n = m->reduced.n, nunit = m->reduced.nunit;
  for (int k = 0; k <= most; k++) {
    double far = distance(c), dt = 0;
    bool near = far <= (k ? 0.5 * (1 + NEAR) : NEAR);
    if (near && k > 0) return true;
    if (k == most || !(far < LOST) || !factor(c)) return false;
    set_rates(c);
    if (near) return true;
    solve(c, c->m0 * c->t, 1, 0);
    if (across) {
      dt = -dot(n, m->tangent, m->rhs) / (c->tangent_t + dot(n, m->tangent, m->x1));
      for (int i = 0; i < n; i++) m->rhs[i] += dt * m->x1[i];
      for (int u = 0; u < nunit; u++)
        for (int i = 0; i < CRD_COULOMB_FRICTIONS; i++) m->dual[u].ds[i] += dt * m->dual[u].rate[i];
    }
    set_change(c, dt);
    double share = share_within(c);
    if (share * dt < -CORRECT * c->t) share = -CORRECT * c->t / dt;
    if (!(share > 0)) return false;
    advance(c, share);
  }
  return false;
}

/* The tangent of unit length, on the side where the curve goes on. False: none, or it turns by too much for a step that
 * could be shorter. */
static bool set_tangent(curve *c, bool first, bool sharp) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  double along = first ? -1 : c->tangent_t + dot(r->n, m->tangent, m->x1);
  int sign = crd_linear_sign(m, r->n);
  if (first) c->sign = sign;
  double tangent_t = (sign == c->sign ? -1 : 1) / sqrt(1 + dot(r->n, m->x1, m->x1));
  if (!isfinite(tangent_t) || !(first || sharp || along * tangent_t > TURN)) return false;
  c->tangent_t = tangent_t, c->kept_t = c->t;
  for (int i = 0; i < r->n; i++) m->tangent[i] = tangent_t * m->x1[i];
  memcpy(m->kept, m->x, sizeof *m->x * (size_t)r->n);
  for (int u = 0; u < r->nunit; u++) {
    crd_dual *dual = &m->dual[u];
    memcpy(dual->kept, dual->s, sizeof dual->s);
    for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) dual->tangent[k] = tangent_t * dual->rate[k];
  }
  return true;
}

/* Back to the last point on the curve. */
static void step_back(curve *c) {
  crd_memory *m = c->m;
  memcpy(m->x, m->kept, sizeof *m->x * (size_t)m->reduced.n);
  for (int u = 0; u < m->reduced.nunit; u++) memcpy(m->dual[u].s, m->dual[u].kept, sizeof m->dual[u].s);
  c->t = c->kept_t;
  set_velocities(c);
}

/* Along the tangent, at most `length`; returns how far. */
static double step_along(curve *c, double length) {
  crd_memory *m = c->m;
  double share = 1;
  for (int pass = 0; pass < 2; pass++) {
    length *= share;
    for (int i = 0; i < m->reduced.n; i++) m->rhs[i] = length * m->tangent[i];
    for (int u = 0; u < m->reduced.nunit; u++)
      for (int k = 0; k < CRD_COULOMB_FRICTIONS; k++) m->dual[u].ds[k] = length * m->dual[u].tangent[k];
    set_change(c, length * c->tangent_t);
    if (pass > 0 || (share = share_within(c)) == 1) break;
  }
  advance(c, 1);
  return length;
}

/* ------------------------------------------------------------------------------------------------ the start */

/* x_f against y_f and l on the curve for these velocities, with q = |x_f| / (mu x_n):  |y_f| mu x_n (1 - q^2) = m w q */
static void start_friction(crd_memory *m, const crd_coulomb_friction *f, int normal, double target, double *lambda) {
  const double *y = m->y + f->row;
  double radius = f->mu * m->x[normal], speed = sqrt(dot(f->count, y, y)), a = speed * radius / target;
  double q = 2 * a / (1 + sqrt(1 + 4 * a * a));
  for (int t = 0; t < f->count; t++) m->x[f->row + t] = speed > 0 ? -q * radius * y[t] / speed : 0;
  *lambda = target / (radius * radius * (1 - q) * (1 + q));
}

static void start_row(crd_memory *m, int u, double target) {
  const crd_unit *unit = &m->reduced.unit[u];
  double *s = m->dual[u].s, x = m->x[unit->row], y = m->y[unit->row];
  bool below = isfinite(unit->lower), above = isfinite(unit->upper);
  s[0] = below ? target / (x - unit->lower) + (above ? fmax(y, 0) : 0) : 0;
  s[1] = above ? target / (unit->upper - x) + (below ? fmax(-y, 0) : 0) : 0;
}

/* Weights and normal impulses; bounded rows in the middle. */
static void start_units(curve *c) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  memset(m->x, 0, sizeof *m->x * (size_t)r->n);
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    crd_dual *dual = &m->dual[u];
    double mu = 0, lift = dual->lift;
    memset(dual, 0, sizeof *dual);
    if (u >= r->ncontact) {
      bool below = isfinite(unit->lower), above = isfinite(unit->upper);
      m->x[unit->row] = below && above ? 0.5 * (unit->lower + unit->upper)
                        : below        ? unit->lower + c->m0
                        : above        ? unit->upper - c->m0
                                       : 0;
      dual->lift = below == above ? 0 : below ? lift : -lift;
      continue;
    }
    for (int k = 0; k < unit->nfriction; k++) mu = fmax(mu, unit->friction[k].mu);
    for (int k = 0; k < unit->nfriction; k++) dual->weight[k] = unit->friction[k].mu / (1 + mu);
    dual->lift = lift, dual->normal = 1 / (1 + mu), m->x[unit->row] = c->m0 * dual->normal;
  }
}

/* Every contact open. False: no point of the curve was found. */
static bool start(curve *c) {
  crd_memory *m = c->m;
  const crd_reduced *r = &m->reduced;
  c->m0 = IMPULSE * c->speed;
  start_units(c);
  bool open = false;
  for (c->t = LIFT * c->speed; !open && isfinite(c->t); c->t *= open ? 1 : 2) {
    open = true;
    set_velocities(c);
    for (int u = 0; u < r->ncontact; u++) open = open && m->y[r->unit[u].row] > OPEN * m->dual[u].lift * c->t;
  }
  for (int u = 0; u < r->ncontact; u++)
    for (int k = 0; k < r->unit[u].nfriction; k++)
      start_friction(m, &r->unit[u].friction[k], r->unit[u].row, c->m0 * c->t * m->dual[u].weight[k], &m->dual[u].s[k]);
  for (int u = r->ncontact; u < r->nunit; u++) start_row(m, u, c->m0 * c->t);
  set_velocities(c);
  return open && correct(c, false, FIRST_CORRECTIONS) && set_tangent(c, true, false);
}

/* ------------------------------------------------------------------------------------------------ the way */

/* Newton's method from here; the curve goes on from where it is. True: solved. */
static bool polish(curve *c, double enough, double *best) {
  crd_memory *m = c->m;
  double target = m->reduced.form == CRD_FORM_SPARSE ? enough : ROUNDED;
  double residual = crd_coulomb_newton(m, c->task, NULL, (crd_newton_limits){POLISH, 2, target, enough});
  if (residual < *best) *best = residual, memcpy(m->answer, m->x, sizeof *m->x * (size_t)m->reduced.n);
  if (residual <= enough) return true;
  step_back(c);
  return false;
}

static bool goes_to_infinity(const curve *c) {
  double largest = 0;
  for (int i = 0; i < c->m->reduced.n; i++) largest = fmax(largest, fabs(c->m->x[i]));
  return largest > FAR * c->speed && fabs(c->tangent_t) < LEVEL;
}

/* Follows the curve to its end; the best answer is left in memory->answer. */
static bool follow(curve *c, double enough, double *best) {
  crd_memory *m = c->m;
  double ask = ASK, length = c->t, norm;
  for (int round = 0, cuts = 0; round < ROUNDS && c->rounds < MOST_ROUNDS; round++, c->rounds++) {
    if (cuts == 0) {
      crd_reduced_velocity(&m->reduced, m->x, m->y0);
      double residual = crd_natural_map(&m->reduced, m->x, m->y0, &norm);
      if (residual <= ask) {
        if (polish(c, enough, best)) return true;
        ask = ASK_AGAIN * residual;
      }
      if (c->tangent_t < 0) length = fmin(length, DESCEND * c->t / -c->tangent_t);
      if (c->t < LOWEST * c->speed || goes_to_infinity(c)) break;
    }
    if (crd_coulomb_stopped(m, c->task)) return false;
    length = step_along(c, length);
    if (!(length > SHORTEST * c->speed)) break;
    c->task->report->iterations[CRD_COULOMB_INTERIOR]++;
    if (correct(c, true, CORRECTIONS) && set_tangent(c, false, cuts > SHARP)) {
      length *= cuts ? CAREFUL : LONGER, cuts = 0;
    } else {
      if (++cuts > CUTS) break;
      step_back(c);
      length *= SHORTER;
    }
  }
  step_back(c);
  return polish(c, enough, best);
}

double crd_coulomb_curve(crd_memory *m, const crd_task *task, double enough) {
  static const double GOLDEN = 0.6180339887498949; /* its multiples spread evenly */
  const crd_reduced *r = &m->reduced;
  curve c = {.m = m, .task = task, .speed = crd_reduced_speed(r)};
  double best = INFINITY;
  memset(m->answer, 0, sizeof *m->answer * (size_t)r->n);
  for (int k = 0; k < LIFTS && c.speed > 0 && c.rounds < MOST_ROUNDS && !crd_coulomb_stopped(m, task); k++) {
    for (int u = 0; u < r->nunit; u++) m->dual[u].lift = pow(10, -SPREAD * fmod(GOLDEN * k * (u + 1), 1));
    if (start(&c) && follow(&c, enough, &best)) break;
  }
  memcpy(m->x, m->answer, sizeof *m->x * (size_t)r->n);
  crd_reduced_velocity(r, m->x, m->y);
  return best;
}
