/* Newton's method on the natural map: what nearly all steps of a simulation need.
 *
 * The first steps take the modes of the last solution instead of those of the map: in a motion that goes on as before
 * one step is enough, and where several solutions exist (Painleve) it stays with the branch. Then the map's own modes,
 * each step shortened until it reduces the map.
 *
 * eps, the proximal term of a step, is large where the residual is: held rows that contradict each other a little, as
 * they do on the way where contacts are redundant, would be answered with the residual over eps. It goes down where
 * whole steps succeed, so that a light body under a heavy one, whose compliance is 1e-6 of its own, is reached too.
 *
 * Where neither this nor the central path settles, the problem is softened, y = A x + b + s (x - c), c the answer so
 * far: its solution is unique and near, and s goes down in a few stages (the proximal point method).
 */
#include "coulomb/newton.h"

#include <math.h>
#include <string.h>

static const double FIRST_EPS = 1e-6, LEAST_EPS = 1e-10; /* of a row's own compliance: rounding of a residual comes
                                                          * back divided by eps where impulses are not determined */
static const double DAMPING = 1e-2; /* most of eps over the residual; less by LIGHTER after every whole step */
static const double LIGHTER = 0.1;
static const double SLOW = 1e-2;     /* what a step leaves of the residual where eps does not hold it up */
static const double ROUNDED = 1e-14; /* residual that no further step can improve */
static const double ENOUGH = 1e-12;  /* residual at which a step that does not halve it is the last */
static const double DECREASE = 0.5;  /* of a full step, least relative decrease of the map */
static const double STILL = 1e-10;   /* of the velocities: not sliding */
static const double SHORTEN = 0.4;   /* from one trial of a step to the next */
static const double TRUST = 0.1;     /* given modes are kept while a step with them leaves at most this much */
static const double SOFTEST = 0.1, HARDEN = 0.1; /* of the stages of softness */
static const double STAGE = 1e-6;                /* residual of a softened problem that is solved well enough */
enum { MOST_CUTS = 5, MOST_STALLED = 5, STAGES = 7, STAGE_STEPS = 20 };

/* The longest of a few steps that reduces the map enough, else the best of them. Returns its share of a whole step, 0
 * where even that one increases the map. */
static double search_line(crd_dense_memory *m, double *residual, double *norm) {
  const crd_reduced *r = &m->reduced;
  double before = *norm, best = INFINITY, best_share = 1, share = 1;
  for (int cut = 0; cut < MOST_CUTS; cut++, share *= SHORTEN) {
    for (int i = 0; i < r->n; i++) {
      m->x0[i] = m->x[i] + share * (m->x1[i] - m->x[i]);
      m->y0[i] = m->y[i] + share * (m->y1[i] - m->y[i]);
    }
    crd_natural_map(r, m->x0, m->y0, norm);
    if (*norm < best) best = *norm, best_share = share;
    if (sqrt(*norm) <= (1 - DECREASE * share) * sqrt(before)) break;
  }
  for (int i = 0; i < r->n; i++) {
    m->x[i] += best_share * (m->x1[i] - m->x[i]);
    m->y[i] += best_share * (m->y1[i] - m->y[i]);
  }
  *residual = crd_natural_map(r, m->x, m->y, norm);
  return best < before ? best_share : 0;
}

/* From memory->x until the residual is at most `enough`. */
static double iterate(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *given, int steps,
                      double enough) {
  const crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  double norm, best, residual, damping = DAMPING, least = FIRST_EPS;
  int stalled = 0;
  crd_reduced_velocity(r, m->x, m->y);
  best = residual = crd_natural_map(r, m->x, m->y, &norm);
  memcpy(m->best, m->x, bytes);
  for (int step = 0; step < steps && stalled < MOST_STALLED && best > enough; step++) {
    double last = residual;
    m->eps = fmax(least, damping * residual);
    if (!crd_newton_step(m, task, given)) break;
    task->report->iterations[CRD_COULOMB_NEWTON]++;
    if (given) { /* the modes are the caller's word, not a step downhill */
      memcpy(m->x, m->x1, bytes), memcpy(m->y, m->y1, bytes);
      residual = crd_natural_map(r, m->x, m->y, &norm);
      if (step > 0 && residual > TRUST * last) given = NULL;
    } else {
      double share = search_line(m, &residual, &norm);
      stalled = share > 0 ? 0 : stalled + 1;
      damping = share == 1 ? LIGHTER * damping : fmin(DAMPING, damping / LIGHTER);
    }
    if (residual > SLOW * last && residual < last) least = fmax(LEAST_EPS, LIGHTER * least); /* eps may hold it up */
    if (best <= ENOUGH && residual > 0.5 * best) break;
    if (residual < best) best = residual, memcpy(m->best, m->x, bytes);
  }
  memcpy(m->x, m->best, bytes);
  crd_reduced_velocity(r, m->x, m->y);
  return best;
}

double crd_coulomb_newton(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *given, int steps) {
  return iterate(m, task, given, steps, ROUNDED);
}

double crd_coulomb_harden(crd_dense_memory *m, const crd_dense_task *task) {
  crd_reduced *r = &m->reduced;
  double softness = SOFTEST;
  memset(m->x, 0, sizeof *m->x * (size_t)r->n);
  for (int stage = 0; stage < STAGES; stage++, softness *= HARDEN) {
    r->softness = softness;
    memcpy(r->center, m->x, sizeof *m->x * (size_t)r->n);
    iterate(m, task, NULL, STAGE_STEPS, STAGE);
  }
  r->softness = 0;
  return iterate(m, task, NULL, STAGE_STEPS, ROUNDED);
}

/* ------------------------------------------------------------------------------------------------ redundancy */

/* At the limit of sticking: its friction need not be the largest. */
static bool stands_still(const crd_dense_memory *m, const crd_coulomb_friction *f) {
  double square = 0;
  for (int t = 0; t < f->count; t++) square += m->y[f->row + t] * m->y[f->row + t];
  return sqrt(square) * m->reduced.weight[f->row] <= STILL;
}

/* The modes and directions of memory->x with the impulses of `from` where they are free, into x0; friction of a contact
 * that sticks is an unknown only if `friction` says so. Returns the number of unknowns. */
static int start_from(crd_dense_memory *m, const double *from, bool friction) {
  int every = crd_newton_choose(m, NULL), count = 0;
  for (int k = 0; k < every; k++) {
    crd_newton_unknown v = m->unknown[k];
    if (v.kind == CRD_NEWTON_ACROSS) continue;
    m->x0[v.row] = from[v.row];
    for (int j = 0; v.kind == CRD_NEWTON_NORMAL && j < v.contact->nfriction; j++) {
      const crd_coulomb_friction *f = &v.contact->friction[j];
      crd_newton_friction *state = &m->friction_state[v.slips - m->friction_state + j];
      if (!friction && stands_still(m, f)) state->slip = false;
      for (int t = 0; t < f->count; t++)
        m->x0[f->row + t] = state->slip ? f->mu * from[v.row] * state->d[t] : from[f->row + t];
    }
    if (v.kind == CRD_NEWTON_NORMAL || friction) m->unknown[count++] = v;
  }
  return count;
}

/* With the modes and directions of the answer the problem is linear; its solution nearest to `from` is reached by a few
 * proximal steps from there. False: it does not satisfy the problem. */
static bool take_nearest(crd_dense_memory *m, const crd_dense_task *task, const double *from, bool friction,
                         double tolerance) {
  enum { ROUNDS = 8 };
  const crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  double norm, residual = INFINITY;
  int count = start_from(m, from, friction);
  m->eps = FIRST_EPS;
  crd_reduced_velocity(r, m->x0, m->y0);
  if (count == 0 || !crd_newton_factor(m, task, count)) return false;
  for (int round = 0; round < ROUNDS; round++) {
    double last = residual;
    if (round > 0)
      for (int k = 0; k < count; k++) m->rhs[k] = -m->y0[m->unknown[k].row];
    crd_newton_solve(m, count);
    crd_newton_spread(m, count);
    memcpy(m->x0, m->x1, bytes);
    crd_reduced_velocity(r, m->x0, m->y0);
    residual = crd_natural_map(r, m->x0, m->y0, &norm);
    if (residual <= ROUNDED || residual > 0.5 * last) break;
  }
  if (!(residual <= tolerance)) return false;
  memcpy(m->x, m->x0, bytes);
  memcpy(m->y, m->y0, bytes);
  return true;
}

/* May other impulses have the same velocities: redundant rows, or a contact that does not slide although its friction
 * is the largest? */
static bool is_undetermined(const crd_dense_memory *m) {
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->ncontact && !m->singular; i++) {
    const crd_reduced_contact *c = &r->contact[i];
    for (int k = 0; k < c->nfriction; k++) {
      const crd_coulomb_friction *f = &c->friction[k];
      double square = 0;
      for (int t = 0; t < f->count; t++) square += m->x[f->row + t] * m->x[f->row + t];
      bool largest = m->x[c->row] > 0 && sqrt(square) >= f->mu * m->x[c->row] * (1 - STILL);
      if (largest && stands_still(m, f)) return true;
    }
  }
  return m->singular;
}

/* Friction changes only where it must: a door that hits its stop is stopped by the normal impulse alone. */
void crd_coulomb_nearest(crd_dense_memory *m, const crd_dense_task *task, const double *from, double tolerance) {
  if (!is_undetermined(m)) return;
  if (!take_nearest(m, task, from, false, tolerance)) take_nearest(m, task, from, true, tolerance);
}
