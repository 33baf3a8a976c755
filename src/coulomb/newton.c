/* Newton's method on the natural map: sufficient for nearly all steps of a simulation.
 *
 *   normal     closed where x_n > y_n: y_n = 0, else x = 0
 *   friction   z = x_f - y_f. Stick where |z| <= mu x_n: y_f = 0. Else slip, x_f = mu x_n z / |z|, linearised with its
 *              direction d = z / |z|:
 *                along d    dx_d = mu dx_n + (mu x_n - x_d)                      eliminated
 *                across     (1 - k) dx_t + k (A dx)_t = -x_t,   k = mu x_n / |z|
 *   bounded    y = 0 between the bounds, else x at the bound
 *
 * so that an open contact has no unknown, a slipping one two (spatial) or one (planar), a sticking one three. Friction
 * and velocity share the direction of z, and a contact between stick and slip does not swing between the two.
 *
 * The first steps take the modes of the last solution instead of those of the map: in a motion that goes on as before
 * one step is enough, and where several solutions exist (Painleve) it stays with the branch. Then the map's own modes,
 * each step shortened until it reduces the map.
 *
 * A step whose modes are those of the last one takes its factors again (the chord method), as long as the residual goes
 * down quickly: what eps holds up, or a direction that still turns a little, costs a product with A, not a
 * factorisation.
 *
 * Rows that must vanish get eps dx: where contacts are redundant the step is the least one. eps is large where the
 * residual is: held rows that contradict each other a little, as they do on the way where contacts are redundant, would
 * be answered with the residual over eps. It goes down where whole steps succeed, so that a light body under a heavy
 * one, whose compliance is 1e-6 of its own, is reached too. A guess that is nearly a solution and whose first step leads
 * away from it (legs that dry joints lock between two feet) is tried again with a larger eps.
 */
#include "coulomb/newton.h"
#include "coulomb/accuracy.h"

#include <math.h>
#include <string.h>

static const double DAMPING = 1e-2; /* most of eps over the residual; less by LIGHTER after every whole step */
static const double LIGHTER = 0.1;
static const double NEAR = 1e-2, RISE = 10; /* a guess this good, whose first step increases the residual by that, */
static const double HEAVIER = 30;           /* is left with so much more damping */
static const double SLOW = 1e-2;            /* remaining share of the residual after a step not limited by eps */
static const double CRAWLS = 0.7;           /* remaining share of the residual after a step without progress */
static const double QUICK = 0.1;            /* remaining share after a step that is worth another */
static const double DECREASE = 0.5;         /* of a full step, least relative decrease of the map */
static const double SHORTEN = 0.4;          /* from one trial of a step to the next */
static const double TRUST = 0.1;            /* given modes are kept while a step with them leaves at most this much */
static const double CHORD = 0.1;            /* largest remaining share of the residual after a step with old factors, */
static const double CHORD_AGAIN = 1e-2;     /* and where another one pays */
static const double CONVERGES = 0.5;        /* remaining share of the best residual; above it a step does not count */
enum { MOST_CUTS = 5, MOST_RETURNS = 3, MOST_UNCOUNTED = 20 };

/* ------------------------------------------------------------------------------------------------ modes */

static double length_of(int count, const double *v) {
  return count == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]);
}

/* Slip or stick, by the mode given or by the map. Where nothing has a direction yet it is against the velocity. */
static crd_newton_friction friction_at(const crd_coulomb_friction *f, const double *x, const double *y, double xn,
                                       const crd_mode *given) {
  double radius = xn > 0 ? f->mu * xn : 0, z[2] = {0, 0};
  crd_newton_friction s = {.slip = false, .d = {1, 0}};
  for (int t = 0; t < f->count; t++) z[t] = x[f->row + t] - y[f->row + t];
  double length = length_of(f->count, z);
  s.slip = given ? *given == CRD_MODE_SLIP : length > radius;
  if (!(length > 0)) return s;
  s.d[0] = z[0] / length, s.d[1] = z[1] / length;
  s.k = radius < length ? radius / length : 1;
  return s;
}

/* Friction of a contact that begins to slip may push it together by more than its normal force parts it (Painleve):
 * nothing lies that way but sticking. */
static bool drives_together(const crd_reduced *r, int unit, const crd_coulomb_friction *f,
                            const crd_newton_friction *s) {
  double own = crd_reduced_own(r, unit, 0, 0);
  for (int t = 0; t < f->count; t++)
    own += f->mu * s->d[t] * crd_reduced_own(r, unit, 0, f->row - r->unit[unit].row + t);
  return own <= 0;
}

void crd_newton_modes(crd_memory *m, const crd_mode *given) {
  const crd_reduced *r = &m->reduced;
  const double *x = m->x, *y = m->y;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    crd_newton_unit *mode = &m->newton[u];
    int row = unit->row;
    if (u >= r->ncontact) {
      mode->closed = x[row] - y[row] >= unit->lower && x[row] - y[row] <= unit->upper;
      continue;
    }
    mode->closed = given ? given[u] == CRD_MODE_STICK || given[u] == CRD_MODE_SLIP : x[row] > y[row];
    for (int k = 0; mode->closed && k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      crd_newton_friction *s = &mode->friction[k];
      *s = friction_at(f, x, y, x[row], given && k == 0 ? &given[u] : NULL);
      if (!given && s->slip && x[row] <= 0 && drives_together(r, u, f, s)) s->slip = false;
    }
  }
}

/* Start of the step: x0. */
static void set_known(crd_memory *m) {
  const crd_reduced *r = &m->reduced;
  double *x0 = m->x0;
  memcpy(x0, m->x, sizeof *x0 * (size_t)r->n);
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_newton_unit *mode = &m->newton[u];
    if (!mode->closed && u >= r->ncontact)
      x0[unit->row] = m->x[unit->row] - m->y[unit->row] < unit->lower ? unit->lower : unit->upper;
    else if (!mode->closed)
      memset(x0 + unit->row, 0, sizeof *x0 * (size_t)unit->rows);
    for (int k = 0; mode->closed && k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      const crd_newton_friction *s = &mode->friction[k];
      double short_of = f->mu * m->x[unit->row];
      if (!s->slip) continue;
      for (int t = 0; t < f->count; t++) short_of -= m->x[f->row + t] * s->d[t];
      for (int t = 0; t < f->count; t++) x0[f->row + t] += short_of * s->d[t];
    }
  }
}

/* ------------------------------------------------------------------------------------------------ unknowns */

/* An unknown of the unit, row `at` of x and the equation of the same row. */
static crd_unknown *add(crd_memory *m, int u, int first, int *count, int at) {
  const crd_unit *unit = &m->reduced.unit[u];
  crd_unknown *v = &m->unknown[*count];
  v->unit = u, v->row = unit->row, v->rows = unit->rows, v->first = first, v->at = v->equation = at, v->f = 0;
  if (!m->reuse) { /* where it may be factored already */
    for (int k = 0; k < CRD_UNIT_ROWS; k++) v->S[k] = 0;
    v->S[*count - first] = m->eps + m->reduced.softness;
  }
  ++*count;
  return v;
}

/* Across the direction of slip of a spatial friction. */
static void add_across(crd_memory *m, int u, int first, int *count, const crd_coulomb_friction *f,
                       const crd_newton_friction *s) {
  crd_unknown *v = add(m, u, first, count, -1);
  int at = f->row - v->row;
  memset(v->E, 0, sizeof v->E), memset(v->R, 0, sizeof v->R);
  v->E[at] = -s->d[1], v->E[at + 1] = s->d[0];
  v->R[at] = -s->k * s->d[1], v->R[at + 1] = s->k * s->d[0];
  if (!m->reuse) v->S[*count - 1 - first] = 1 - s->k + (m->eps + m->reduced.softness) * s->k;
  v->f = -(1 - s->k) * (s->d[0] * m->x0[f->row + 1] - s->d[1] * m->x0[f->row]);
}

int crd_newton_unknowns(crd_memory *m, crd_newton_free what) {
  const crd_reduced *r = &m->reduced;
  int count = 0;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    const crd_newton_unit *mode = &m->newton[u];
    int first = count;
    if (!mode->closed || (u >= r->ncontact && what == CRD_FREE_NORMAL)) continue;
    crd_unknown *normal = add(m, u, first, &count, unit->row);
    for (int k = 0; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      const crd_newton_friction *s = &mode->friction[k];
      for (int t = 0; !s->slip && what >= CRD_FREE_HOLDING && t < f->count; t++) add(m, u, first, &count, f->row + t);
      if (!s->slip) continue;
      if (normal->at >= 0) { /* brings its friction along */
        normal->at = -1;
        memset(normal->E, 0, sizeof normal->E);
        normal->E[0] = 1;
      }
      for (int t = 0; t < f->count; t++) normal->E[f->row - unit->row + t] = f->mu * s->d[t];
      if (what == CRD_FREE_ALL && f->count == 2) add_across(m, u, first, &count, f, s);
    }
    for (int k = first; k < count; k++) m->unknown[k].count = count - first;
  }
  return count;
}

void crd_newton_move(crd_memory *m, int count) {
  double *rhs = m->rhs;
  for (int k = 0; k < count; k++) {
    const crd_unknown *v = &m->unknown[k];
    rhs[k] = v->f;
    if (v->equation >= 0) rhs[k] -= m->y0[v->equation];
    for (int t = 0; v->equation < 0 && t < v->rows; t++) rhs[k] -= v->R[t] * m->y0[v->row + t];
  }
  if (count > 0) crd_linear_solve(m, count, rhs);
  memcpy(m->x1, m->x0, sizeof *m->x1 * (size_t)m->reduced.n);
  for (int k = 0; k < count; k++) {
    const crd_unknown *v = &m->unknown[k];
    if (v->at >= 0) m->x1[v->at] += rhs[k];
    for (int t = 0; v->at < 0 && t < v->rows; t++) m->x1[v->row + t] += v->E[t] * rhs[k];
  }
}

bool crd_newton_same_modes(crd_memory *m) {
  const crd_reduced *r = &m->reduced;
  bool same = true;
  for (int u = 0; u < r->nunit; u++) {
    const crd_newton_unit *mode = &m->newton[u];
    unsigned char now = mode->closed;
    for (int k = 0; mode->closed && k < r->unit[u].nfriction; k++)
      now |= (unsigned char)(mode->friction[k].slip << (1 + k));
    same = same && now == m->signature[u];
    m->signature[u] = now;
  }
  return same;
}

/* x1, y1: where a full step ends, with the last factors (memory->reuse) if the modes are the same and it may. False:
 * the matrix is singular. */
static bool step(crd_memory *m, const crd_task *task, const crd_mode *given, bool may_reuse) {
  crd_newton_modes(m, given);
  m->reuse = crd_newton_same_modes(m) && may_reuse;
  set_known(m);
  int count = crd_newton_unknowns(m, CRD_FREE_ALL);
  if (!m->reuse && count > 0 && !crd_linear_factor(m, task, count)) return false;
  crd_reduced_velocity(&m->reduced, m->x0, m->y0); /* recomputed: y has been interpolated, with rounding */
  crd_newton_move(m, count);
  crd_reduced_velocity(&m->reduced, m->x1, m->y1);
  task->report->iterations[CRD_COULOMB_NEWTON]++;
  return true;
}

/* ------------------------------------------------------------------------------------------------ iteration */

/* The longest of a few steps that reduces the map enough, else the best of them. Returns its share of a whole step, 0
 * where even that one increases the map. */
static double search_line(crd_memory *m, double *residual, double *norm) {
  const crd_reduced *r = &m->reduced;
  double before = *norm, best = INFINITY, best_share = 1, share = 1;
  for (int cut = 0; cut < MOST_CUTS; cut++, share *= SHORTEN) {
    for (int i = 0; i < r->n; i++) {
      m->x0[i] = m->x[i] + share * (m->x1[i] - m->x[i]);
      m->y0[i] = m->y[i] + share * (m->y1[i] - m->y[i]);
    }
    *residual = crd_natural_map(r, m->x0, m->y0, norm);
    if (*norm < best) best = *norm, best_share = share;
    if (sqrt(*norm) <= (1 - DECREASE * share) * sqrt(before)) break;
  }
  bool last = best_share == share; /* x0, y0 are it */
  for (int i = 0; i < r->n; i++) {
    m->x[i] = last ? m->x0[i] : m->x[i] + best_share * (m->x1[i] - m->x[i]);
    m->y[i] = last ? m->y0[i] : m->y[i] + best_share * (m->y1[i] - m->y[i]);
  }
  if (!last) *residual = crd_natural_map(r, m->x, m->y, norm);
  return best < before ? best_share : 0;
}

/* State of the iteration. */
typedef struct iteration {
  crd_memory *m;
  const crd_mode *given; /* NULL: modes follow from the iterate */
  double norm, residual; /* of the natural map: squared, scaled */
  double best, last;     /* least residual so far, kept in m->best; the one before this step */
  double damping, least; /* of eps: times the residual, and what it does not fall below */
  int stalled;           /* steps in a row that gained nothing */
  bool may_reuse;        /* the last factor may serve once more */
} iteration;

static void measure(iteration *s) { s->residual = crd_natural_map(&s->m->reduced, s->m->x, s->m->y, &s->norm); }

static void take_step(iteration *s) {
  const size_t bytes = sizeof(double) * (size_t)s->m->reduced.n;
  memcpy(s->m->x, s->m->x1, bytes), memcpy(s->m->y, s->m->y1, bytes);
}

static void keep_best(iteration *s) {
  if (!(s->residual < s->best)) return;
  s->best = s->residual;
  memcpy(s->m->best, s->m->x, sizeof(double) * (size_t)s->m->reduced.n);
}

static void return_to_best(iteration *s) {
  memcpy(s->m->x, s->m->best, sizeof(double) * (size_t)s->m->reduced.n);
  crd_reduced_velocity(&s->m->reduced, s->m->x, s->m->y);
}

/* A step with the factor of the one before, which counts only where it gains as much as a step with its own would.
 * false: it does not, and what there is suffices. */
static bool try_chord(iteration *s, const crd_newton_limits *limits) {
  s->residual = crd_natural_map(&s->m->reduced, s->m->x1, s->m->y1, &s->norm);
  s->may_reuse = s->residual <= CHORD * s->last;
  if (!s->may_reuse) {
    if (s->best <= limits->fair) return false;
    measure(s); /* as if it had not been */
    return true;
  }
  s->may_reuse = s->residual <= CHORD_AGAIN * s->last;
  take_step(s);
  keep_best(s);
  return true;
}

/* Step k with given modes: they are the caller's word, not a step downhill. true: it led away from a good guess, which
 * is taken up again with more damping. */
static bool follow_modes(iteration *s, int k, const crd_newton_limits *limits) {
  take_step(s);
  measure(s);
  const bool near = s->last == s->best && s->last <= NEAR && s->last > limits->fair;
  if (k <= MOST_RETURNS && near && s->residual > RISE * s->last) {
    return_to_best(s);
    measure(s);
    s->damping *= HEAVIER, s->may_reuse = false;
    return true;
  }
  if (k > 1 && s->residual > TRUST * s->last) s->given = NULL;
  return false;
}

static void descend(iteration *s) {
  const double share = search_line(s->m, &s->residual, &s->norm);
  s->stalled = share > 0 && s->residual <= CRAWLS * s->last ? 0 : s->stalled + 1;
  s->damping = share == 1 ? LIGHTER * s->damping : fmin(DAMPING, s->damping / LIGHTER);
}

/* The least eps of a problem that was softened already need not be that of others. */
static double least_eps(const crd_reduced *r) {
  if (!(r->softness > 0)) return CRD_ACCURACY.proximal;
  return crd_greater(CRD_ACCURACY.proximal_end, fmin(CRD_ACCURACY.proximal, SLOW * r->softness));
}

double crd_coulomb_newton(crd_memory *m, const crd_task *task, const crd_mode *given, crd_newton_limits limits) {
  iteration s = {.m = m, .given = given, .damping = DAMPING, .least = least_eps(&m->reduced), .best = INFINITY};
  int most = limits.steps;
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  measure(&s);
  s.best = s.residual;
  memcpy(m->best, m->x, sizeof(double) * (size_t)m->reduced.n);
  for (int k = 0; k < most && s.stalled < limits.stalled && s.best > limits.enough && !crd_coulomb_stopped(m, task);) {
    s.last = s.residual;
    m->eps = crd_greater(s.least, s.damping * s.residual), m->off = s.residual;
    if (!step(m, task, s.given, s.may_reuse)) break;
    if (m->reuse) {
      if (!try_chord(&s, &limits)) break;
      continue;
    }
    k++, s.may_reuse = true;
    if (!s.given)
      descend(&s);
    else if (follow_modes(&s, k, &limits))
      continue;
    if (s.residual > SLOW * s.last && s.residual < s.last) /* eps may hold it up */
      s.least = crd_greater(CRD_ACCURACY.proximal_end, LIGHTER * s.least);
    if (s.residual <= CONVERGES * s.best && most < limits.steps + MOST_UNCOUNTED) most++;
    const bool done = s.best <= limits.fair && s.residual > QUICK * s.best;
    keep_best(&s);
    if (done) break;
  }
  m->as_given = s.given != NULL;
  return_to_best(&s);
  return s.best;
}
