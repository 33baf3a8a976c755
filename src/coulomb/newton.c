/* Newton's method on the natural map [Alart and Curnier 1991]: what nearly all steps of a simulation need.
 *
 *   normal     x_n = max(0, x_n - y_n)          y_n = 0 where closed, x = 0 where open
 *   friction   x_f = P(z), z = x_f - y_f        P: onto the ball of radius mu x_n. Inside y_f = 0 (stick), outside
 *              x_f = mu x_n z / |z|             (slip), linearised with its direction d = z / |z|:
 *
 *                along d    dx_d = mu dx_n + (mu x_n - x_d)                      eliminated
 *                across     (1 - k) dx_t + k (A dx)_t = -x_t,   k = mu x_n / |z|
 *   bounded    x = clamp(x - y, lower, upper)
 *
 * so that an open contact has no unknown, a slipping one two (spatial) or one (planar), a sticking one three. Friction
 * and velocity share the direction of z, and a contact between stick and slip does not swing between the two. The first
 * step takes the modes of the last solution instead of those of the map: in a motion that goes on as before it is the
 * last one, too, and where several solutions exist (Painleve) it stays with the branch.
 *
 * Rows that must vanish get a proximal term EPS dx: where contacts are redundant the step is the least one. A step that
 * does not reduce the map is shortened. Each costs one factorisation of the unknowns.
 */
#include <math.h>
#include <string.h>

#include "coulomb/newton.h"
#include "linalg/small_lu.h"

static const double EPS = 1e-8;      /* proximal term, of a row's own compliance */
static const double ROUNDED = 1e-14; /* residual that no further step can improve */
static const double DECREASE = 0.5;  /* of a full step, least relative decrease of |F| */
static const double SHORTEN = 0.4;
static const double ENOUGH = 1e-12; /* residual at which a step that does not halve it is the last */
enum { MOST_CUTS = 5, MOST_STALLED = 5 };

typedef crd_newton_unknown unknown;
typedef crd_newton_friction friction_state;

/* ------------------------------------------------------------------------------------------------ natural map */

static double length_of(int count, const double *v) { return count == 1 ? fabs(v[0]) : hypot(v[0], v[1]); }

/* x_f - P(x_f - y_f) */
static void friction_map(const crd_coulomb_friction *f, const double *x, const double *y, double xn, double *F) {
  double radius = f->mu * fmax(xn, 0), z[2] = {0, 0};
  for (int t = 0; t < f->count; t++) z[t] = x[f->row + t] - y[f->row + t];
  double length = length_of(f->count, z), share = length > radius ? radius / length : 1;
  for (int t = 0; t < f->count; t++) F[f->row + t] = x[f->row + t] - share * z[t];
}

/* The map; returns its largest weighted component, *norm: its square. */
static double natural_map(const crd_reduced *r, const double *x, const double *y, double *norm) {
  double worst = 0, sum = 0, F[1 + 2 * CRD_COULOMB_FRICTIONS];
  for (int i = 0; i < r->ncontact; i++) {
    const crd_reduced_contact *c = &r->contact[i];
    int count = 1;
    F[0] = fmin(x[c->row], y[c->row]);
    for (int k = 0; k < c->nfriction; k++) {
      friction_map(&c->friction[k], x, y, x[c->row], F - c->row);
      count += c->friction[k].count;
    }
    for (int k = 0; k < count; k++) {
      sum += F[k] * F[k];
      worst = fmax(worst, fabs(F[k]) * r->weight[c->row + k]);
    }
  }
  for (int i = 0; i < r->nbounded; i++) {
    const crd_reduced_bounded *b = &r->bounded[i];
    double f = x[b->row] - fmin(fmax(x[b->row] - y[b->row], b->lower), b->upper);
    sum += f * f;
    worst = fmax(worst, fabs(f) * r->weight[b->row]);
  }
  *norm = sum;
  return isfinite(sum) ? worst : INFINITY;
}

double crd_reduced_residual(const crd_reduced *r, const double *x, const double *y) {
  double norm;
  return natural_map(r, x, y, &norm);
}

/* ------------------------------------------------------------------------------------------------ modes */

/* Slip or stick, by the mode given or by the map. Where nothing has a direction yet it is against the velocity. */
static friction_state friction_at(const crd_coulomb_friction *f, const double *x, const double *y, double xn,
                                  const crd_mode *given) {
  double radius = f->mu * fmax(xn, 0), z[2] = {0, 0};
  friction_state s = {.slip = false, .d = {1, 0}};
  for (int t = 0; t < f->count; t++) z[t] = x[f->row + t] - y[f->row + t];
  double length = length_of(f->count, z);
  s.slip = length > radius;
  if (given) s.slip = *given == CRD_MODE_SLIP;
  if (!(length > 0)) return s;
  s.d[0] = z[0] / length, s.d[1] = z[1] / length;
  s.k = fmin(radius / length, 1);
  return s;
}

static void apply_slip(const crd_coulomb_friction *f, const friction_state *s, double xn, const double *x, double *x0) {
  double along = 0;
  for (int t = 0; t < f->count; t++) along += x[f->row + t] * s->d[t];
  for (int t = 0; t < f->count; t++) x0[f->row + t] += (f->mu * xn - along) * s->d[t];
}

/* Lists the unknowns and sets what is known of the step in x0. given: modes of the contacts, or NULL. */
static int choose(crd_dense_memory *m, const crd_mode *given) {
  const crd_reduced *r = &m->reduced;
  const double *x = m->x, *y = m->y;
  double *x0 = m->x0;
  int count = 0, state = 0;
  memcpy(x0, x, sizeof *x * (size_t)r->n);
  for (int i = 0; i < r->ncontact; i++) {
    const crd_reduced_contact *c = &r->contact[i];
    bool closed = given ? given[i] == CRD_MODE_STICK || given[i] == CRD_MODE_SLIP : x[c->row] > y[c->row];
    friction_state *first = &m->friction_state[state];
    if (!closed) {
      x0[c->row] = 0;
      for (int k = 0; k < c->nfriction; k++)
        for (int t = 0; t < c->friction[k].count; t++) x0[c->friction[k].row + t] = 0;
      continue;
    }
    m->unknown[count++] = (unknown){.kind = CRD_NEWTON_NORMAL, .row = c->row, .contact = c, .slips = first};
    for (int k = 0; k < c->nfriction; k++) {
      const crd_coulomb_friction *f = &c->friction[k];
      friction_state *s = &m->friction_state[state++];
      *s = friction_at(f, x, y, x[c->row], given && k == 0 ? &given[i] : NULL);
      for (int t = 0; !s->slip && t < f->count; t++) m->unknown[count++] = (unknown){.kind = CRD_NEWTON_HOLD, .row = f->row + t};
      if (!s->slip) continue;
      apply_slip(f, s, x[c->row], x, x0);
      if (f->count == 2) m->unknown[count++] = (unknown){.kind = CRD_NEWTON_ACROSS, .row = f->row, .slips = s};
    }
  }
  for (int i = 0; i < r->nbounded; i++) {
    const crd_reduced_bounded *b = &r->bounded[i];
    double wish = x[b->row] - y[b->row];
    if (wish < b->lower || wish > b->upper)
      x0[b->row] = wish < b->lower ? b->lower : b->upper;
    else
      m->unknown[count++] = (unknown){.kind = CRD_NEWTON_HOLD, .row = b->row};
  }
  return count;
}

/* ------------------------------------------------------------------------------------------------ a step */

/* y + A (x0 - x), where few entries differ */
static void follow_known(const crd_dense_memory *m) {
  const crd_reduced *r = &m->reduced;
  size_t n = (size_t)r->n;
  int changed = 0;
  for (int j = 0; j < r->n; j++)
    if (m->x0[j] != m->x[j]) m->lu_pivot[changed++] = j;
  for (int i = 0; i < r->n; i++) {
    const double *row = r->A + n * (size_t)i;
    double sum = m->y[i];
    for (int k = 0; k < changed; k++) sum += row[m->lu_pivot[k]] * (m->x0[m->lu_pivot[k]] - m->x[m->lu_pivot[k]]);
    m->y0[i] = sum;
  }
}

/* What the equation's row says of a unit of each unknown. */
static void set_row(const crd_dense_memory *m, int count, const double *row, double *out) {
  for (int l = 0; l < count; l++) {
    const unknown *v = &m->unknown[l];
    double entry;
    if (v->kind == CRD_NEWTON_ACROSS) {
      entry = v->slips->d[0] * row[v->row + 1] - v->slips->d[1] * row[v->row];
    } else {
      entry = row[v->row];
      for (int k = 0; v->kind == CRD_NEWTON_NORMAL && k < v->contact->nfriction; k++) {
        const crd_coulomb_friction *f = &v->contact->friction[k];
        const friction_state *s = &v->slips[k];
        for (int t = 0; s->slip && t < f->count; t++) entry += f->mu * s->d[t] * row[f->row + t];
      }
    }
    out[l] = entry;
  }
}

static void set_equation(crd_dense_memory *m, int count, int k) {
  const crd_reduced *r = &m->reduced;
  size_t n = (size_t)r->n;
  const unknown *v = &m->unknown[k];
  double *out = m->matrix + (size_t)count * (size_t)k;
  const double *row = r->A + n * (size_t)v->row;
  if (v->kind != CRD_NEWTON_ACROSS) {
    set_row(m, count, row, out);
    out[k] += EPS;
    m->rhs[k] = -m->y0[v->row];
    return;
  }
  const double *d = v->slips->d, share = v->slips->k, *next = row + n;
  for (size_t j = 0; j < n; j++) m->combined[j] = share * (d[0] * next[j] - d[1] * row[j]);
  set_row(m, count, m->combined, out);
  double across_x = d[0] * m->x0[v->row + 1] - d[1] * m->x0[v->row];
  double across_y = d[0] * m->y0[v->row + 1] - d[1] * m->y0[v->row];
  out[k] += 1 - share + EPS * share;
  m->rhs[k] = -(1 - share) * across_x - share * across_y;
}

/* x1 = x0 + the step of all unknowns */
static void spread(crd_dense_memory *m, int count) {
  memcpy(m->x1, m->x0, sizeof *m->x1 * (size_t)m->reduced.n);
  for (int l = 0; l < count; l++) {
    const unknown *v = &m->unknown[l];
    double dx = m->rhs[l];
    if (v->kind == CRD_NEWTON_ACROSS) {
      m->x1[v->row] -= v->slips->d[1] * dx, m->x1[v->row + 1] += v->slips->d[0] * dx;
      continue;
    }
    m->x1[v->row] += dx;
    for (int k = 0; v->kind == CRD_NEWTON_NORMAL && k < v->contact->nfriction; k++) {
      const crd_coulomb_friction *f = &v->contact->friction[k];
      const friction_state *s = &v->slips[k];
      for (int t = 0; s->slip && t < f->count; t++) m->x1[f->row + t] += f->mu * s->d[t] * dx;
    }
  }
}

static bool solve_step(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *given) {
  const crd_reduced *r = &m->reduced;
  int count = choose(m, given);
  follow_known(m);
  for (int k = 0; k < count; k++) set_equation(m, count, k);
  if (count > 0) {
    task->report->factorizations++;
    if (!(crd_small_lu_factor(count, m->matrix, count, m->lu_pivot) > 0)) return false;
    crd_small_lu_solve(count, m->matrix, count, m->lu_pivot, m->rhs);
  }
  spread(m, count);
  crd_reduced_velocity(r, m->x1, m->y1);
  return true;
}

/* ------------------------------------------------------------------------------------------------ the iteration */

/* The longest of a few steps that reduces the map enough; false: none, and x, y are those of the shortest. */
static bool search_line(crd_dense_memory *m, double *residual, double *norm) {
  const crd_reduced *r = &m->reduced;
  double share = 1, before = *norm;
  for (int cut = 0;; cut++, share *= SHORTEN) {
    for (int i = 0; i < r->n; i++) {
      m->x0[i] = m->x[i] + share * (m->x1[i] - m->x[i]);
      m->y0[i] = m->y[i] + share * (m->y1[i] - m->y[i]);
    }
    const double *x = share == 1 ? m->x1 : m->x0, *y = share == 1 ? m->y1 : m->y0;
    *residual = natural_map(r, x, y, norm);
    bool enough = sqrt(*norm) <= (1 - DECREASE * share) * sqrt(before);
    if (!enough && cut < MOST_CUTS - 1) continue;
    memcpy(m->x, x, sizeof *x * (size_t)r->n);
    memcpy(m->y, y, sizeof *y * (size_t)r->n);
    return enough;
  }
}

double crd_coulomb_newton(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *given, int steps) {
  const crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  double norm, best, residual;
  int stalled = 0;
  crd_reduced_velocity(r, m->x, m->y);
  best = residual = natural_map(r, m->x, m->y, &norm);
  memcpy(m->best, m->x, bytes);
  for (int step = 0; step < steps && stalled < MOST_STALLED && best > ROUNDED; step++) {
    if (!solve_step(m, task, step == 0 ? given : NULL)) break;
    task->report->iterations[CRD_COULOMB_NEWTON]++;
    double last = best;
    if (step == 0 && given) { /* the modes are the caller's word, not a step downhill */
      memcpy(m->x, m->x1, bytes), memcpy(m->y, m->y1, bytes);
      residual = natural_map(r, m->x, m->y, &norm);
    } else {
      stalled = search_line(m, &residual, &norm) ? 0 : stalled + 1;
    }
    if (residual < best) best = residual, memcpy(m->best, m->x, bytes);
    if (best <= ENOUGH && residual > 0.5 * last) break;
  }
  memcpy(m->x, m->best, bytes);
  crd_reduced_velocity(r, m->x, m->y);
  return best;
}

/* ------------------------------------------------------------------------------------------------ redundancy */

/* With the modes and directions of the answer the problem is linear; its solution nearest to `from` is reached by a few
 * proximal steps from there. */
void crd_coulomb_nearest(crd_dense_memory *m, const crd_dense_task *task, const double *from, double tolerance) {
  enum { ROUNDS = 3 };
  const crd_reduced *r = &m->reduced;
  size_t bytes = sizeof(double) * (size_t)r->n;
  int every = choose(m, NULL), count = 0;
  for (int k = 0; k < every; k++)
    if (m->unknown[k].kind != CRD_NEWTON_ACROSS) m->unknown[count++] = m->unknown[k];
  for (int k = 0; k < count; k++) {
    const unknown *v = &m->unknown[k];
    m->x0[v->row] = from[v->row];
    for (int j = 0; v->kind == CRD_NEWTON_NORMAL && j < v->contact->nfriction; j++) {
      const crd_coulomb_friction *f = &v->contact->friction[j];
      for (int t = 0; v->slips[j].slip && t < f->count; t++)
        m->x0[f->row + t] = f->mu * from[v->row] * v->slips[j].d[t];
    }
  }
  crd_reduced_velocity(r, m->x0, m->y0);
  for (int k = 0; k < count; k++) set_equation(m, count, k);
  task->report->factorizations++;
  if (count == 0 || !(crd_small_lu_factor(count, m->matrix, count, m->lu_pivot) > 0)) return;
  for (int round = 0; round < ROUNDS; round++) {
    if (round > 0)
      for (int k = 0; k < count; k++) m->rhs[k] = -m->y0[m->unknown[k].row];
    crd_small_lu_solve(count, m->matrix, count, m->lu_pivot, m->rhs);
    spread(m, count);
    memcpy(m->x0, m->x1, bytes);
    crd_reduced_velocity(r, m->x0, m->y0);
  }
  double norm;
  if (!(natural_map(r, m->x0, m->y0, &norm) <= tolerance)) return;
  memcpy(m->x, m->x0, bytes);
  memcpy(m->y, m->y0, bytes);
}
