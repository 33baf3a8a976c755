/* One step of Newton's method on the natural map.
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
 * Rows that must vanish get eps dx: where contacts are redundant the step is the least one. One factorisation of the
 * unknowns, or of the rank of A where that is less (low_rank.h).
 */
#include <math.h>
#include <string.h>

#include "coulomb/low_rank.h"
#include "coulomb/newton.h"
#include "linalg/small_lu.h"

static const double SINGULAR = 1e-6; /* pivot, of a unit diagonal, that redundant rows may leave beside eps */

typedef crd_newton_unknown unknown;
typedef crd_newton_friction friction_state;

static double length_of(int count, const double *v) {
  return count == 1 ? fabs(v[0]) : sqrt(v[0] * v[0] + v[1] * v[1]);
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

/* Friction of a contact that begins to slip may push it together by more than its normal force parts it (Painleve):
 * nothing lies that way but sticking. */
static bool drives_together(const crd_reduced *r, const crd_reduced_contact *c, const crd_coulomb_friction *f,
                            const friction_state *s) {
  const double *row = r->A + (size_t)r->n * (size_t)c->row;
  double own = row[c->row];
  for (int t = 0; t < f->count; t++) own += f->mu * s->d[t] * row[f->row + t];
  return own <= 0;
}

/* Lists the unknowns and sets what is known of the step in x0. given: modes of the contacts, or NULL. */
int crd_newton_choose(crd_dense_memory *m, const crd_mode *given) {
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
      if (!given && s->slip && x[c->row] <= 0 && drives_together(r, c, f, s)) s->slip = false;
      for (int t = 0; !s->slip && t < f->count; t++)
        m->unknown[count++] = (unknown){.kind = CRD_NEWTON_HOLD, .row = f->row + t};
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
  if (r->rank_A > 0 || 4 * changed > r->n || r->softness > 0) {
    crd_reduced_velocity(r, m->x0, m->y0);
    return;
  }
  for (int i = 0; i < r->n; i++) {
    const double *row = r->A + n * (size_t)i;
    double sum = m->y[i];
    for (int k = 0; k < changed; k++) sum += row[m->lu_pivot[k]] * (m->x0[m->lu_pivot[k]] - m->x[m->lu_pivot[k]]);
    m->y0[i] = sum;
  }
}

/* What the equation's row says of a unit of each unknown: most are an entry of it, the others are listed. */
static void set_row(const crd_dense_memory *m, int count, int ncombined, const double *row, double *out) {
  for (int l = 0; l < count; l++) out[l] = row[m->unknown_row[l]];
  for (int i = 0; i < ncombined; i++) {
    int l = m->combined_unknown[i];
    const unknown *v = &m->unknown[l];
    if (v->kind == CRD_NEWTON_ACROSS) {
      out[l] = v->slips->d[0] * row[v->row + 1] - v->slips->d[1] * row[v->row];
      continue;
    }
    for (int k = 0; k < v->contact->nfriction; k++) {
      const crd_coulomb_friction *f = &v->contact->friction[k];
      const friction_state *s = &v->slips[k];
      for (int t = 0; s->slip && t < f->count; t++) out[l] += f->mu * s->d[t] * row[f->row + t];
    }
  }
}

/* Rows of the unknowns, and those that are more than an entry; returns how many these are. */
static int list_combined(const crd_dense_memory *m, int count) {
  int found = 0;
  for (int l = 0; l < count; l++) {
    const unknown *v = &m->unknown[l];
    bool slips = v->kind == CRD_NEWTON_ACROSS;
    for (int k = 0; v->kind == CRD_NEWTON_NORMAL && k < v->contact->nfriction; k++) slips = slips || v->slips[k].slip;
    m->unknown_row[l] = v->row;
    if (slips) m->combined_unknown[found++] = l;
  }
  return found;
}

/* The equation's row of `from` (A or L, `columns` wide), which is `from` itself or a combination in `combined`; what it
 * adds on the diagonal, and its right-hand side. */
static const double *equation(crd_dense_memory *m, int k, const double *from, size_t columns, double *combined) {
  const unknown *v = &m->unknown[k];
  const double *row = from + columns * (size_t)v->row;
  if (v->kind != CRD_NEWTON_ACROSS) {
    m->D[k] = m->eps + m->reduced.softness;
    m->rhs[k] = -m->y0[v->row];
    return row;
  }
  const double *d = v->slips->d, share = v->slips->k, *next = row + columns;
  for (size_t j = 0; j < columns; j++) combined[j] = share * (d[0] * next[j] - d[1] * row[j]);
  double across_x = d[0] * m->x0[v->row + 1] - d[1] * m->x0[v->row];
  double across_y = d[0] * m->y0[v->row + 1] - d[1] * m->y0[v->row];
  m->D[k] = 1 - share + (m->eps + m->reduced.softness) * share;
  m->rhs[k] = -(1 - share) * across_x - share * across_y;
  return combined;
}

/* Column of an unknown as a combination of rows of L. */
static void set_column(const crd_dense_memory *m, const unknown *v, double *out) {
  const crd_reduced *r = &m->reduced;
  size_t rank = (size_t)r->rank_A;
  const double *row = r->L + rank * (size_t)v->row;
  if (v->kind == CRD_NEWTON_ACROSS) {
    for (size_t j = 0; j < rank; j++) out[j] = v->slips->d[0] * row[rank + j] - v->slips->d[1] * row[j];
    return;
  }
  memcpy(out, row, sizeof *out * rank);
  for (int k = 0; v->kind == CRD_NEWTON_NORMAL && k < v->contact->nfriction; k++) {
    const crd_coulomb_friction *f = &v->contact->friction[k];
    const friction_state *s = &v->slips[k];
    for (int t = 0; s->slip && t < f->count; t++) {
      const double *other = r->L + rank * (size_t)(f->row + t);
      for (size_t j = 0; j < rank; j++) out[j] += f->mu * s->d[t] * other[j];
    }
  }
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* rhs = (P Q' + D)^-1 rhs, Q' D^-1 P factored; P holds D^-1 P. */
static void solve_low_rank(const crd_dense_memory *m, int count, double *x) {
  int rank = m->reduced.rank_A;
  memset(m->q, 0, sizeof *m->q * (size_t)rank);
  for (int k = 0; k < count; k++) {
    x[k] /= m->D[k];
    for (int j = 0; j < rank; j++) m->q[j] += m->Q[rank * k + j] * x[k];
  }
  crd_small_lu_solve(rank, m->matrix, rank, m->lu_pivot, m->q);
  for (int k = 0; k < count; k++) x[k] -= dot(rank, m->P + (size_t)rank * (size_t)k, m->q);
}

static bool factor_low_rank(crd_dense_memory *m, int count) {
  int rank = m->reduced.rank_A;
  for (int k = 0; k < count; k++) {
    double *P = m->P + (size_t)rank * (size_t)k;
    const double *row = equation(m, k, m->reduced.L, (size_t)rank, P);
    for (int j = 0; j < rank; j++) P[j] = row[j] / m->D[k];
    set_column(m, &m->unknown[k], m->Q + (size_t)rank * (size_t)k);
  }
  m->singular = count > rank;
  return crd_low_rank_matrix(count, rank, m->Q, m->P, m->matrix, m->lu_pivot) > 0;
}

/* Sets and factors the equations of the unknowns, and their right-hand sides. */
bool crd_newton_factor(crd_dense_memory *m, const crd_dense_task *task, int count) {
  size_t n = (size_t)m->reduced.n;
  task->report->factorizations++;
  if (m->reduced.rank_A > 0) return factor_low_rank(m, count);
  int ncombined = list_combined(m, count);
  for (int k = 0; k < count; k++) {
    double *out = m->matrix + (size_t)count * (size_t)k;
    set_row(m, count, ncombined, equation(m, k, m->reduced.A, n, m->combined), out);
    out[k] += m->D[k];
  }
  double least = crd_small_lu_factor(count, m->matrix, count, m->lu_pivot);
  m->singular = least <= SINGULAR + 100 * m->eps;
  return least > 0;
}

void crd_newton_solve(const crd_dense_memory *m, int count) {
  if (m->reduced.rank_A > 0)
    solve_low_rank(m, count, m->rhs);
  else
    crd_small_lu_solve(count, m->matrix, count, m->lu_pivot, m->rhs);
}

/* x1 = x0 + the step of all unknowns */
void crd_newton_spread(crd_dense_memory *m, int count) {
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

bool crd_newton_step(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *given) {
  const crd_reduced *r = &m->reduced;
  int count = crd_newton_choose(m, given);
  follow_known(m);
  if (count > 0) {
    if (!crd_newton_factor(m, task, count)) return false;
    crd_newton_solve(m, count);
  }
  crd_newton_spread(m, count);
  crd_reduced_velocity(r, m->x1, m->y1);
  return true;
}
