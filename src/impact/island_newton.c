/* The contact problem of an island by a generalised Newton method on its natural map [Alart and Curnier 1991], for
 * steps in which several modes change at once.
 *
 *   normal    p_n = max(0, p_n - u_n / g)            linear on either side: u_n = 0 or p_n = 0
 *   tangent   p_t = P(q), q = p_t - u_t / g_t        P: onto the disk of radius mu p_n; u_t = 0 inside, outside
 *             p_t = mu p_n q / |q|                   with its derivative
 *
 * The direction of sliding is that of q, which friction and velocity have in common, so that contacts between sticking
 * and sliding do not swing between the two as they do where each mode is solved to its end (island_modes.c). Nothing
 * says that it converges; where it does, it takes some five to ten factorisations, and the modes give the last digits.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

enum { MOST_STEPS = 20, MOST_STALLED = 6 };
static const double REGULAR = 1e-9, CLOSE = 1e-5;

static double own(const crd_island *s, int row) { return s->G[(size_t)(s->n + 1) * (size_t)row]; }

static double *line(const crd_island_memory *m, const crd_island *s, int row) {
  return m->A + (size_t)s->n * (size_t)row;
}

/* u_row = 0 */
static void hold_row(const crd_island_memory *m, const crd_island *s, int row, double weight) {
  memcpy(line(m, s, row), s->G + (size_t)s->n * (size_t)row, sizeof *m->A * (size_t)s->n);
  line(m, s, row)[row] += REGULAR * fmax(weight, 1e-7 * s->soft);
  m->x[row] = -s->u[row];
}

/* p_row = value */
static void set_row(const crd_island_memory *m, const crd_island *s, int row, double g, double value) {
  memset(line(m, s, row), 0, sizeof *m->A * (size_t)s->n);
  line(m, s, row)[row] = g;
  m->x[row] = g * (value - s->p[row]);
}

/* g p_t - mu g p_n d - (mu g p_n / |q|) (1 - d d') (g p_t - u_t) as linear equations for dp, d = q / |q|. */
static void slide_rows(const crd_island_memory *m, const crd_island *s, crd_island_contact *c, double g, double pn,
                       const double *d, double length) {
  int k = c->ntangent;
  double radius = c->mu * g * pn;
  for (int t = 0; t < k; t++) {
    int row = c->row + 1 + t;
    double *A = line(m, s, row);
    memset(A, 0, sizeof *A * (size_t)s->n);
    for (int r = 0; r < k; r++) {
      double across = radius / length * ((t == r) - d[t] * d[r]);
      const double *G = s->G + (size_t)s->n * (size_t)(c->row + 1 + r);
      if (across != 0)
        for (int j = 0; j < s->n; j++) A[j] += across * G[j];
      A[c->row + 1 + r] += g * ((t == r) - across);
    }
    A[c->row] -= c->mu * g * d[t];
    m->x[row] = radius * d[t] - g * s->p[row];
  }
}

static void set_contact(const crd_island_memory *m, const crd_island *s, crd_island_contact *c) {
  const double *p = s->p + c->row, *u = s->u + c->row;
  double g = fmax(own(s, c->row), 1e-12 * s->soft), gt = 0, q[2] = {0, 0};
  for (int t = 1; t <= c->ntangent; t++) gt += own(s, c->row + t) / c->ntangent;
  gt = fmax(gt, 1e-12 * s->soft);
  bool closed = g * p[0] - u[0] > 0;
  double pn = fmax(p[0] - (closed ? u[0] / g : 0), 0);
  if (!closed) {
    for (int i = 0; i <= c->ntangent; i++) set_row(m, s, c->row + i, i ? gt : g, 0);
    return;
  }
  hold_row(m, s, c->row, g);
  for (int t = 0; t < c->ntangent; t++) q[t] = gt * p[1 + t] - u[1 + t];
  double length = hypot(q[0], q[1]);
  if (length <= c->mu * gt * pn) {
    for (int t = 1; t <= c->ntangent; t++) hold_row(m, s, c->row + t, gt);
    return;
  }
  const double d[2] = {q[0] / length, q[1] / length};
  slide_rows(m, s, c, gt, fmax(p[0], 0), d, length);
}

static void set_dry(const crd_island_memory *m, const crd_island *s, const crd_island_dry *dry, int row) {
  double g = fmax(own(s, row), 1e-12 * s->soft), wish = g * s->p[row] - s->u[row], bound = g * dry->bound;
  if (fabs(wish) <= bound)
    hold_row(m, s, row, g);
  else
    set_row(m, s, row, g, wish > 0 ? dry->bound : -dry->bound);
}

static bool step(crd_island_memory *m, crd_island *s) {
  for (int i = 0; i < s->ncontact; i++) set_contact(m, s, &s->contact[i]);
  for (int b = s->first_b; b < s->first_b + s->nb; b++) hold_row(m, s, b, own(s, b));
  for (int i = 0; i < s->ndry; i++) set_dry(m, s, &s->dry[i], s->first_dry + i);
  if (!crd_island_factor_bare(m, s->n)) return false;
  crd_island_solve(m, s->n, m->x);
  for (int i = 0; i < s->n; i++) s->p[i] += m->x[i];
  crd_island_velocity(s);
  return true;
}

bool crd_island_by_newton(crd_island_memory *m, crd_island *s) {
  double best = INFINITY;
  int stalled = 0;
  s->soft = crd_island_softest(s);
  crd_island_velocity(s);
  for (int k = 0; k < MOST_STEPS && stalled < MOST_STALLED; k++) {
    if (!step(m, s)) return false;
    double violation = crd_island_violation(s);
    if (!(violation < INFINITY)) return false;
    if (violation <= CLOSE) {
      memcpy(m->best, s->p, sizeof *s->p * (size_t)s->n);
      crd_island_read_modes(s);
      if (crd_island_by_modes(m, s, 2)) return true;
      memcpy(s->p, m->best, sizeof *s->p * (size_t)s->n);
      crd_island_velocity(s);
    }
    stalled = violation < 0.5 * best ? 0 : stalled + 1;
    best = fmin(best, violation);
  }
  return false;
}
