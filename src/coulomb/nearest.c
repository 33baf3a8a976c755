/* The policy of redundancy: of the impulses that share modes and velocities those nearest to the guess.
 *
 * With the modes and directions of an answer the problem is linear; its solution nearest to the guess is reached by a
 * few proximal steps from there. Friction changes only where it must: a door that hits its stop is stopped by the
 * normal impulse alone.
 */
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/newton.h"

static const double GAINED = 0.5; /* of the residual: a round that leaves more gains too little for another */

enum { PROJECTED = 30 }; /* rows up to which a projection onto the cones is worth its factorisations */

/* At the limit of sticking: its friction need not be the largest. */
static bool stands_still(const crd_memory *m, const crd_coulomb_friction *f) {
  double square = 0;
  for (int t = 0; t < f->count; t++) square += m->y[f->row + t] * m->y[f->row + t];
  return sqrt(square) * m->reduced.weight[f->row] <= CRD_ACCURACY.still;
}

/* Does the unit rest although it carries nothing, or the most it can? It may share what others carry. */
static bool rests(const crd_memory *m, const crd_unit *unit) {
  return fabs(m->y[unit->row]) * m->reduced.weight[unit->row] <= CRD_ACCURACY.still;
}

/* A contact that rests, taken for closed: it slips against its velocity, if it has one. */
static void close_contact(crd_memory *m, int u) {
  const crd_unit *unit = &m->reduced.unit[u];
  m->newton[u].closed = true;
  for (int k = 0; k < unit->nfriction; k++) {
    const crd_coulomb_friction *f = &unit->friction[k];
    const double *y = m->y + f->row, speed = f->count == 1 ? fabs(y[0]) : hypot(y[0], y[1]);
    crd_newton_friction *s = &m->newton[u].friction[k];
    s->slip = speed > 0;
    for (int t = 0; speed > 0 && t < f->count; t++) s->d[t] = -y[t] / speed;
  }
}

/* The modes and directions of memory->x with the impulses of `from` where they are free, into x0. */
static void start_from(crd_memory *m, const double *from) {
  const crd_reduced *r = &m->reduced;
  crd_newton_modes(m, NULL);
  memcpy(m->x0, m->x, sizeof *m->x0 * (size_t)r->n);
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    if (!m->newton[u].closed && rests(m, unit)) close_contact(m, u);
    if (!m->newton[u].closed) {
      if (u < r->ncontact) memset(m->x0 + unit->row, 0, sizeof *m->x0 * (size_t)unit->rows);
      continue;
    }
    m->x0[unit->row] = from[unit->row];
    for (int k = 0; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      crd_newton_friction *s = &m->newton[u].friction[k];
      if (stands_still(m, f)) s->slip = false;
      for (int t = 0; t < f->count; t++)
        m->x0[f->row + t] = s->slip ? f->mu * from[unit->row] * s->d[t] : from[f->row + t];
    }
  }
}

/* False: it does not satisfy the problem. */
static bool take_nearest(crd_memory *m, const crd_task *task, const double *from, crd_newton_free what,
                         double tolerance) {
  enum { ROUNDS = 8 };
  const crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  double norm, residual = INFINITY;
  start_from(m, from);
  m->eps = CRD_ACCURACY.proximal, m->off = 0, m->reuse = false;
  int count = crd_newton_unknowns(m, what);
  if (count == 0 || !crd_linear_factor(m, task, count)) return false;
  crd_reduced_velocity(r, m->x0, m->y0);
  for (int round = 0; round < ROUNDS; round++) {
    double last = residual;
    crd_newton_move(m, count);
    memcpy(m->x0, m->x1, bytes);
    crd_reduced_velocity(r, m->x0, m->y0);
    residual = crd_natural_map(r, m->x0, m->y0, &norm);
    if (residual <= CRD_ACCURACY.rounded || residual > GAINED * last) break;
  }
  if (!(residual <= tolerance)) return false;
  memcpy(m->x, m->x0, bytes);
  memcpy(m->y, m->y0, bytes);
  return true;
}

/* May other impulses have the same velocities: redundant rows, a contact that rests without load, or one that does not
 * slide although its friction is the largest? Whether rows are redundant is known of the modes factored last. */
static bool is_undetermined(crd_memory *m) {
  const crd_reduced *r = &m->reduced;
  crd_newton_modes(m, NULL);
  if (!crd_newton_same_modes(m)) return true;
  for (int i = 0; i < r->nunit && !m->singular; i++) {
    const crd_unit *u = &r->unit[i];
    double x = m->x[u->row];
    if ((i < r->ncontact ? x <= 0 : x <= u->lower || x >= u->upper) && rests(m, u)) return true;
  }
  for (int i = 0; i < r->ncontact && !m->singular; i++) {
    const crd_unit *c = &r->unit[i];
    for (int k = 0; k < c->nfriction; k++) {
      const crd_coulomb_friction *f = &c->friction[k];
      double square = 0;
      for (int t = 0; t < f->count; t++) square += m->x[f->row + t] * m->x[f->row + t];
      bool largest = m->x[c->row] > 0 && sqrt(square) >= f->mu * m->x[c->row] * (1 - CRD_ACCURACY.still);
      if (largest && stands_still(m, f)) return true;
    }
  }
  return m->singular;
}

/* Solves y = A x + b + s (x - guess) for s from `softest` down to CRD_ACCURACY.proximal, then about its own answer, which takes off what
 * s has added to the velocities. False: a stage does not converge, or the problem is not satisfied. */
static bool harden_about(crd_memory *m, const crd_task *task, const double *from, double softest, double tolerance) {
  static const double HARDEN = 0.1;
  enum { FURTHER = 3, STEPS = 6 };
  crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  double norm, residual = INFINITY, s = softest;
  for (int further = 0; further < FURTHER && (s >= CRD_ACCURACY.proximal || residual > tolerance); s *= HARDEN) {
    bool about_guess = s > 0.5 * CRD_ACCURACY.proximal;
    memcpy(r->center, about_guess ? from : m->x, bytes);
    r->softness = crd_greater(s, CRD_ACCURACY.proximal), further += !about_guess;
    bool converged =
        crd_coulomb_newton(m, task, NULL, (crd_newton_limits){STEPS, 1, CRD_ACCURACY.rounded, 0}) <= tolerance;
    r->softness = 0;
    if (!converged) return false;
    crd_reduced_velocity(r, m->x, m->y);
    residual = crd_natural_map(r, m->x, m->y, &norm);
  }
  return residual <= tolerance;
}

/* The nearest impulses would pull or leave a cone. Those within the cones solve a problem softened about the guess, for
 * small s: with velocities given the cones are convex, and this is the projection of the guess onto them. At once where
 * the answer is near the guess, else by way of softer problems. */
static void project(crd_memory *m, const crd_task *task, const double *from, double tolerance) {
  static const double SOFTEST = 1e-2;
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  memcpy(m->kept, m->x, bytes);
  if (harden_about(m, task, from, CRD_ACCURACY.proximal, tolerance)) return;
  memcpy(m->x, m->kept, bytes);
  if (harden_about(m, task, from, SOFTEST, tolerance)) return;
  memcpy(m->x, m->kept, bytes);
  crd_reduced_velocity(&m->reduced, m->x, m->y);
}

/* Is the answer the guess? Then it is the nearest. */
static bool is_guess(const crd_memory *m, const double *from) {
  double change = 0, largest = 0;
  for (int i = 0; i < m->reduced.n; i++)
    change = crd_greater(change, fabs(m->x[i] - from[i])), largest = crd_greater(largest, fabs(m->x[i]));
  return change <= CRD_ACCURACY.unchanged * largest;
}

void crd_coulomb_nearest(crd_memory *m, const crd_task *task, const double *from, double tolerance) {
  if (!is_undetermined(m) || is_guess(m, from)) return;
  if (take_nearest(m, task, from, CRD_FREE_NORMAL, tolerance)) return;
  if (take_nearest(m, task, from, CRD_FREE_HOLDING, tolerance)) return;
  if (m->reduced.n <= PROJECTED) project(m, task, from, tolerance);
}
