/* The central path through the cones: needs no guess, and redundant contacts do not disturb it.
 *
 * With De Saxce's change of variables Coulomb's law is a complementarity on second-order cones [Acary, Cadoux,
 * Lemarechal, Malick 2011]. Every constraint is a cone z = C x + c in K with a multiplier s in K, z . s = 0:
 *
 *   friction   z = (mu x_n, x_f)              K = {z_0 >= |z_f|}
 *   normal     z = x_n                        of a contact without friction
 *   bounded    z = x - lower,  z = upper - x
 *
 *   Phi(y) = sum of C' s,     Phi_n = y_n + sum of mu_f |y_f|,   Phi_f = y_f,   y = A x + b
 *
 * Newton's method follows z o s = m e down to m = 0 with Nesterov and Todd's scaling W (W z = W^-1 s = lambda) and
 * Mehrotra's predictor and corrector:
 *
 *   (T A + sum of C' W^2 C) dx = sum of C' (s + W d) - Phi,     ds = W d - W^2 dz,     T = d Phi / d y
 *
 * |y_f| is smoothed, sqrt(|y_f|^2 + eps^2), with eps going down along the path, and the step in s is curved like it:
 * what the root adds is evaluated where the step ends, since the linear step leaves the cone where the true one does
 * not. Near the end rounding leaves half the digits; Newton's method on the natural map gives the rest (newton.c).
 * Cost: some 8 to 15 factorisations of n rows, in large islands 20 to 40.
 */
#include <math.h>
#include <string.h>

#include "coulomb/cone.h"
#include "coulomb/linear.h"

static const double REGULAR = 1e-11;  /* of a row's own compliance: contacts may be redundant */
static const double STOPPED = 1e-9;   /* of a row's own compliance: regularises the first look at the impulses */
static const double REACH = 0.9;      /* of the way to the boundary of the cones */
static const double SMOOTH = 1;       /* eps at the start, of the velocities; it goes down with the complementarity */
static const double ASK = 1e-4;       /* residual at which Newton's method is asked first, */
static const double ROUNDED = 1e-13;  /* residual that no further step of Newton's method can improve */
static const double ASK_AGAIN = 0.03; /* and then each time it has gone down by this much */
enum { MOST_STEPS = 50, POLISH = 6, STALLED = 12 };

typedef struct path {
  crd_memory *m;
  const crd_task *task;
  int ncone;
  double eps;   /* m/s, scaled */
  double speed; /* largest of the velocities without contact, scaled */
  double first; /* complementarity at the start */
} path;

/* ------------------------------------------------------------------------------------------------ the iterate */

static double root_of(const path *p, const crd_cone *k, const double *y) {
  double square_sum = p->eps * p->eps;
  for (int t = 0; t < k->size - 1; t++) square_sum += y[k->row + t] * y[k->row + t];
  return sqrt(square_sum);
}

/* z = C x + c */
static void set_z(crd_cone *k, const double *x) {
  k->z[0] = k->mu * x[k->normal] + k->shift;
  for (int t = 1; t < k->size; t++) k->z[t] = x[k->row + t - 1];
}

static void add_half_line(path *p, int row, double sign, double shift) {
  p->m->cone[p->ncone++] = (crd_cone){.size = 1, .normal = row, .mu = sign, .shift = shift};
}

static void list_cones(path *p) {
  const crd_reduced *r = &p->m->reduced;
  p->ncone = 0;
  for (int i = 0; i < r->nunit; i++) {
    const crd_unit *u = &r->unit[i];
    if (i < r->ncontact && u->nfriction == 0) add_half_line(p, u->row, 1, 0);
    for (int k = 0; k < u->nfriction; k++) {
      const crd_coulomb_friction *f = &u->friction[k];
      p->m->cone[p->ncone++] = (crd_cone){.size = 1 + f->count, .normal = u->row, .row = f->row, .mu = f->mu};
    }
    if (i >= r->ncontact && isfinite(u->lower)) add_half_line(p, u->row, 1, -u->lower);
    if (i >= r->ncontact && isfinite(u->upper)) add_half_line(p, u->row, -1, u->upper);
  }
}

/* The middle of all cones: x_n = impulse, Phi_n = velocity at every contact. */
static void start(path *p, double impulse, double velocity) {
  crd_memory *m = p->m;
  const crd_reduced *r = &m->reduced;
  memset(m->x, 0, sizeof *m->x * (size_t)r->n);
  for (int i = 0; i < r->ncontact; i++) m->x[r->unit[i].row] = impulse;
  for (int i = r->ncontact; i < r->nunit; i++) {
    const crd_unit *b = &r->unit[i];
    bool below = isfinite(b->lower), above = isfinite(b->upper);
    m->x[b->row] = below && above ? 0.5 * (b->lower + b->upper)
                   : below        ? b->lower + impulse
                   : above        ? b->upper - impulse
                                  : 0;
  }
  list_cones(p);
  for (int i = 0; i < p->ncone; i++) {
    crd_cone *k = &m->cone[i];
    set_z(k, m->x);
    k->s[0] = impulse * velocity / k->z[0];
  }
  crd_reduced_velocity(r, m->x, m->y);
}

/* Mean of z . s, a share of the (linear) step further on. */
static double complementarity(const path *p, double share) {
  double sum = 0;
  for (int i = 0; i < p->ncone; i++) {
    const crd_cone *k = &p->m->cone[i];
    for (int j = 0; j < k->size; j++) sum += (k->z[j] + share * k->dz[j]) * (k->s[j] + share * k->ds[j]);
  }
  return p->ncone ? sum / p->ncone : 0;
}

static double longest_step(const path *p) {
  double shortest = 0;
  for (int i = 0; i < p->ncone; i++) {
    const crd_cone *k = &p->m->cone[i];
    shortest = fmax(shortest, fmax(crd_cone_shortness(k->size, k->z, k->dz), crd_cone_shortness(k->size, k->s, k->ds)));
  }
  return shortest > 0 ? 1 / shortest : INFINITY;
}

/* ------------------------------------------------------------------------------------------------ equations */

/* Roots and scaling at the iterate. */
static void set_cones(path *p) {
  for (int i = 0; i < p->ncone; i++) {
    crd_cone *k = &p->m->cone[i];
    if (k->size > 1) k->root = root_of(p, k, p->m->y);
    crd_cone_set_scaling(k);
  }
}

/* All rows as unknowns and equations of their own, each with this much of itself. */
static void list_unknowns(crd_memory *m, double regular) {
  const crd_reduced *r = &m->reduced;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    for (int i = 0; i < unit->rows; i++) {
      crd_unknown *v = &m->unknown[unit->row + i];
      v->unit = u, v->row = v->first = unit->row, v->rows = v->count = unit->rows;
      v->at = v->equation = unit->row + i;
      for (int k = 0; k < CRD_UNIT_ROWS; k++) v->S[k] = i == k ? regular : 0;
    }
  }
}

/* T A + C' W^2 C, factored. */
static bool factor(path *p) {
  crd_memory *m = p->m;
  list_unknowns(m, REGULAR);
  for (int i = 0; i < p->ncone; i++) {
    const crd_cone *k = &m->cone[i];
    crd_unknown *normal = &m->unknown[k->normal];
    if (k->size > 1 && normal->equation >= 0) {
      normal->equation = -1;
      memset(normal->R, 0, sizeof normal->R);
      normal->R[0] = 1;
    }
    for (int t = 0; t < k->size - 1; t++) normal->R[k->row + t - k->normal] = k->mu * m->y[k->row + t] / k->root;
    for (int a = 0; a < k->size; a++)
      for (int b = 0; b < k->size; b++) {
        int row = a ? k->row + a - 1 : k->normal, column = b ? k->row + b - 1 : k->normal;
        m->unknown[row].S[column - k->normal] += (a ? 1 : k->mu) * crd_cone_square(k, a, b) * (b ? 1 : k->mu);
      }
  }
  return crd_linear_factor(m, p->task, m->reduced.n);
}

/* The step towards complementarity `target`, with the factors in the matrix: dx in rhs, dy in y1. */
static void set_step(path *p, double target, bool corrects) {
  crd_memory *m = p->m;
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < r->n; i++) m->rhs[i] = -m->y[i];
  for (int i = 0; i < p->ncone; i++) {
    crd_cone *k = &m->cone[i];
    crd_cone_set_target(k, target, corrects);
    m->rhs[k->normal] += k->mu * (k->s[0] + k->Wd[0] - (k->size > 1 ? k->root : 0));
    for (int t = 1; t < k->size; t++) m->rhs[k->row + t - 1] += k->s[t] + k->Wd[t];
  }
  crd_linear_solve(m, r->n, m->rhs);
  for (int i = 0; i < p->ncone; i++) {
    crd_cone *k = &m->cone[i];
    k->dz[0] = k->mu * m->rhs[k->normal];
    for (int t = 1; t < k->size; t++) k->dz[t] = m->rhs[k->row + t - 1];
    for (int a = 0; a < k->size; a++) {
      k->ds[a] = k->Wd[a];
      for (int b = 0; b < k->size; b++) k->ds[a] -= crd_cone_square(k, a, b) * k->dz[b];
    }
  }
}

/* s a share of the step further on: the root's part as it is there. False: outside the cone. */
static bool curved(const path *p, const crd_cone *k, double share, double *s) {
  const double *y = p->m->y, *dy = p->m->y1;
  double square_sum = p->eps * p->eps, slope = 0;
  for (int j = 0; j < k->size; j++) s[j] = k->s[j] + share * k->ds[j];
  for (int t = 0; t < k->size - 1; t++) {
    double end = y[k->row + t] + share * dy[k->row + t];
    square_sum += end * end;
    slope += y[k->row + t] * dy[k->row + t];
  }
  if (k->size > 1) s[0] += sqrt(square_sum) - k->root - share * slope / k->root;
  return s[0] > crd_cone_tail(k->size, s);
}

/* The longest curved step, shortened from the linear one where that leaves a cone. */
static double longest_curved(const path *p) {
  enum { MOST = 50 }; /* to rounding: impulses that are not determined are where the path ends */
  double share = 1;
  for (int i = 0; i < p->ncone; i++) {
    const crd_cone *k = &p->m->cone[i];
    double reach = crd_cone_shortness(k->size, k->z, k->dz), s[3];
    if (reach * share > REACH) share = REACH / reach;
    if (k->size == 1) {
      reach = crd_cone_shortness(1, k->s, k->ds);
      if (reach * share > REACH) share = REACH / reach;
      continue;
    }
    if (curved(p, k, fmin(1, share / REACH), s)) continue;
    double low = 0, high = fmin(1, share / REACH);
    for (int cut = 0; cut < MOST && high - low > 1e-12 * high; cut++) {
      double middle = 0.5 * (low + high);
      if (curved(p, k, middle, s))
        low = middle;
      else
        high = middle;
    }
    share = REACH * low;
  }
  return share;
}

static void advance(path *p, double share) {
  crd_memory *m = p->m;
  const crd_reduced *r = &m->reduced;
  for (int i = 0; i < p->ncone; i++) {
    crd_cone *k = &m->cone[i];
    double s[3];
    curved(p, k, share, s);
    memcpy(k->s, s, sizeof *s * (size_t)k->size);
  }
  for (int i = 0; i < r->n; i++) m->x[i] += share * m->rhs[i];
  for (int i = 0; i < p->ncone; i++) set_z(&m->cone[i], m->x);
  crd_reduced_velocity(r, m->x, m->y);
}

/* Predictor and corrector; false: the matrix is singular, or the step leads nowhere. */
static bool step(path *p) {
  crd_memory *m = p->m;
  double now = complementarity(p, 0);
  p->eps = fmin(p->eps, SMOOTH * p->speed * fmax(now, 0) / p->first);
  set_cones(p);
  if (!factor(p)) return false;
  set_step(p, 0, false);
  double share = fmin(1, longest_step(p));
  double left = now > 0 ? fmin(1, fmax(0, complementarity(p, share)) / now) : 0;
  set_step(p, left * left * left * now, true);
  crd_reduced_change(&m->reduced, m->rhs, m->y1);
  share = longest_curved(p);
  if (!(share > 1e-8)) return false;
  advance(p, share);
  return true;
}

/* ------------------------------------------------------------------------------------------------ the way */

/* Newton's method from here; the path goes on from where it is. True: solved, the answer is in x. */
static bool polish(path *p, double enough, double *best) {
  crd_memory *m = p->m;
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  memcpy(m->kept, m->x, bytes);
  double target = m->reduced.form == CRD_FORM_SPARSE ? enough : ROUNDED;
  double residual = crd_coulomb_newton(m, p->task, NULL, (crd_newton_limits){POLISH, 2, target, enough});
  if (residual < *best) *best = residual, memcpy(m->answer, m->x, bytes);
  if (residual <= enough) return true;
  memcpy(m->x, m->kept, bytes);
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  return false;
}

/* Follows the path from one start; the best answer is left in memory->answer. */
static bool follow(path *p, double enough, double *best) {
  crd_memory *m = p->m;
  double ask = ASK, lowest = INFINITY;
  for (int round = 0, stalled = 0; round < MOST_STEPS && stalled < STALLED; round++) {
    double norm, residual = crd_natural_map(&m->reduced, m->x, m->y, &norm);
    if (!isfinite(residual)) return false;
    stalled = residual < 0.9 * lowest ? 0 : stalled + 1;
    lowest = fmin(lowest, residual);
    if (residual <= ask) {
      if (polish(p, enough, best)) return true;
      ask = ASK_AGAIN * residual;
    }
    if (crd_coulomb_stopped(m, p->task)) return false;
    if (!step(p)) break;
    p->task->report->iterations[CRD_COULOMB_INTERIOR]++;
  }
  return polish(p, enough, best);
}

/* Impulses as large as those of the guess or, where there is none, as those that would stop everything: a light body
 * under a heavy one carries far more than its own velocity tells. */
static double impulse_of(crd_memory *m, const crd_task *task, double speed) {
  const crd_reduced *r = &m->reduced;
  double largest = 0;
  for (int i = 0; i < r->ncontact; i++) largest = fmax(largest, fabs(m->guess[r->unit[i].row]));
  if (task->options->warm && largest > 0) return fmax(largest, speed);
  largest = speed;
  list_unknowns(m, STOPPED);
  if (!crd_linear_factor(m, task, r->n)) return speed;
  for (int i = 0; i < r->n; i++) m->rhs[i] = -r->b[i];
  crd_linear_solve(m, r->n, m->rhs);
  for (int i = 0; i < r->ncontact; i++) largest = fmax(largest, fabs(m->rhs[r->unit[i].row]));
  return largest;
}

double crd_coulomb_path(crd_memory *m, const crd_task *task, double enough) {
  static const double starts[][2] = {{1, 1}, {10, 1}, {1, 10}, {10, 0.1}};
  path p = {.m = m, .task = task};
  double best = INFINITY, speed = crd_reduced_speed(&m->reduced), load = impulse_of(m, task, speed);
  memset(m->answer, 0, sizeof *m->answer * (size_t)m->reduced.n);
  for (size_t k = 0; k < sizeof starts / sizeof *starts && speed > 0 && !crd_coulomb_stopped(m, task); k++) {
    p.speed = speed, p.eps = SMOOTH * speed, p.first = starts[k][0] * load * starts[k][1] * speed;
    start(&p, starts[k][0] * load, starts[k][1] * speed);
    if (follow(&p, enough, &best) || best <= task->options->tolerance) break;
  }
  memcpy(m->x, m->answer, sizeof *m->x * (size_t)m->reduced.n);
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  return best;
}
