/* One sweep of block Gauss-Seidel [Jourdan, Alart, Jean 1998], and the residual of the impulses it leaves.
 *
 *   for every unit:   v = w + sum of G p over the other units,   p = solution of the unit alone (sweep_local.h)
 *
 * Cost: one multiplication and addition for each entry of G, four at a time, and a local problem a contact.
 */
#include "coulomb/sweep_local.h"

enum { LOCAL_ROUNDS = 3 }; /* sliding, spinning and rolling of one contact in turn */

/* v = w + G p over the other units. Four sums, since each addition waits for the last one. */
CRD_ALWAYS_INLINE void gather(const crd_sweep_island *s, int k, const double *p, double v[8]) {
  const crd_sweep_unit *unit = &s->unit[k];
  const crd_v4 *B = s->value + unit->value;
  const int *column = s->column + unit->column;
  int count = unit->count, j = 0;
  if (unit->rows <= 4) {
    crd_v4 a = s->w[2 * k], b = {0}, c = {0}, d = {0};
    for (; j + 3 < count; j += 4) {
      a += B[j] * CRD_V4_SPLAT(p[column[j]]);
      b += B[j + 1] * CRD_V4_SPLAT(p[column[j + 1]]);
      c += B[j + 2] * CRD_V4_SPLAT(p[column[j + 2]]);
      d += B[j + 3] * CRD_V4_SPLAT(p[column[j + 3]]);
    }
    for (; j < count; j++) a += B[j] * CRD_V4_SPLAT(p[column[j]]);
    *(crd_v4_unaligned *)v = (a + b) + (c + d);
    return;
  }
  crd_v4 a = s->w[2 * k], b = s->w[2 * k + 1];
  for (; j < count; j++) {
    crd_v4 x = CRD_V4_SPLAT(p[column[j]]);
    a += B[2 * j] * x, b += B[2 * j + 1] * x;
  }
  *(crd_v4_unaligned *)v = a, *(crd_v4_unaligned *)(v + 4) = b;
}

/* Velocity of a row of the unit that its other rows, but for first .. last - 1, leave. */
static double apart_from(const crd_sweep_unit *unit, const double *own, const double *v, const double *p, int row,
                         int first, int last) {
  double sum = v[row];
  for (int j = 0; j < unit->rows; j++)
    if (j < first || j >= last) sum += own[unit->rows * row + j] * p[j];
  return sum;
}

/* Spin or roll, `count` rows from `row`, within a ball of the radius that the normal impulse gives. */
static void solve_friction(const crd_sweep_unit *unit, const double *own, int row, int count, double mu,
                           const double *v, double *p) {
  double e[2] = {0, 0};
  crd_sweep_unit ball = {.mu = mu, .H = {0, 0, 0, 1}};
  for (int i = 0; i < count; i++) {
    e[i] = apart_from(unit, own, v, p, row + i, row, row + count);
    for (int j = 0; j < count; j++) ball.H[2 * i + j] = own[unit->rows * (row + i) + row + j];
  }
  double det = ball.H[0] * ball.H[3] - ball.H[1] * ball.H[2], trace = ball.H[0] + ball.H[3], x[3] = {0, 0, 0};
  bool within = false;
  if (mu * p[0] > 0 && trace > 0 && (e[0] != 0 || e[1] != 0)) {
    if (det > 0) {
      x[1] = -(ball.H[3] * e[0] - ball.H[1] * e[1]) / det, x[2] = -(ball.H[0] * e[1] - ball.H[2] * e[0]) / det;
      within = hypot(x[1], x[2]) <= mu * p[0];
      ball.regular = true;
    }
    if (!within) crd_sweep_slip(&ball, -p[0], e[0], e[1], x);
  }
  for (int i = 0; i < count; i++) p[row + i] = x[1 + i];
}

/* Any contact; p: its impulses so far, then its own solution. */
static void solve_general(crd_sweep_unit *unit, const crd_coulomb_contact *c, const double *own, const double *v,
                          double *p) {
  int nt = 1 + c->ntangent, spin = nt, roll = nt + c->nspin;
  for (int round = 0; round < (unit->rows > nt ? LOCAL_ROUNDS : 1); round++) {
    double a[3] = {0, 0, 0};
    for (int i = 0; i < nt; i++) a[i] = apart_from(unit, own, v, p, i, 0, nt);
    if (c->slides || c->mu == 0 || nt == 1) {
      p[0] = crd_sweep_normal(unit, a[0]);
      for (int t = 1; t < nt; t++) p[t] = c->slides ? -c->mu * p[0] * c->slide[t - 1] : 0;
    } else if (nt == 2) {
      crd_sweep_planar(unit, a, p);
    } else {
      crd_sweep_spatial(unit, a, p);
    }
    if (c->nspin > 0) solve_friction(unit, own, spin, c->nspin, c->mu_spin, v, p);
    if (c->nroll > 0) solve_friction(unit, own, roll, c->nroll, c->mu_roll, v, p);
  }
}

static double clamp(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

CRD_CLONES double crd_sweep_pass(crd_sweep_island *s, double *p, double *worst) {
  double sum = 0, largest = 0;
  for (int k = 0; k < s->nunit; k++) {
    crd_sweep_unit *unit = &s->unit[k];
    const double *weight = s->weight + unit->row;
    double v[8], x[CRD_SWEEP_ROWS], *old = p + unit->row, change = 0, speed = 0;
    gather(s, k, p, v);
    switch (unit->kind) {
      case CRD_SWEEP_NORMAL: x[0] = crd_sweep_normal(unit, v[0]); break;
      case CRD_SWEEP_PLANAR: crd_sweep_planar(unit, v, x); break;
      case CRD_SWEEP_SPATIAL: crd_sweep_spatial(unit, v, x); break;
      case CRD_SWEEP_GENERAL:
        for (int i = 0; i < unit->rows; i++) x[i] = old[i];
        solve_general(unit, &s->contact[unit->id], s->own + unit->own, v, x);
        break;
      case CRD_SWEEP_BILATERAL: x[0] = unit->inverse > 0 ? -v[0] * unit->inverse : old[0]; break;
      case CRD_SWEEP_BOUNDED:
        x[0] = clamp(unit->inverse > 0 ? -v[0] * unit->inverse : old[0], unit->lower, unit->upper);
        break;
    }
    for (int i = 0; i < unit->rows; i++) {
      double step = x[i] - old[i];
      change += weight[i] * step * step, speed += (weight[i] * step) * (weight[i] * step);
      old[i] = x[i];
    }
    sum += change;
    if (!(speed <= largest)) largest = speed; /* not a number is the worst */
  }
  *worst = sqrt(largest);
  return sum;
}

/* ------------------------------------------------------------------------------------------------ residual */

/* | g p - P(g p - u) |, P onto the ball of this radius */
static double ball_error(int count, double g, double radius, const double *p, const double *u) {
  double wish[2], length = 0, error = 0;
  for (int i = 0; i < count; i++) wish[i] = g * p[i] - u[i], length += wish[i] * wish[i];
  length = sqrt(length);
  for (int i = 0; i < count; i++) {
    double off = g * p[i] - (length > radius ? wish[i] * (radius / length) : wish[i]);
    error += off * off;
  }
  return sqrt(error);
}

static double contact_error(const crd_coulomb_contact *c, const double *weight, const double *p, const double *u) {
  const int count[] = {c->ntangent, c->nspin, c->nroll};
  const double mu[] = {c->mu, c->mu_spin, c->mu_roll};
  double error = fabs(fmin(weight[0] * p[0], u[0]));
  for (int k = 0, row = 1; k < 3; row += count[k++]) {
    if (count[k] == 0) continue;
    double g = weight[row];
    if (k == 0 && c->slides) {
      for (int t = 0; t < c->ntangent; t++) error = fmax(error, fabs(g * (p[1 + t] + c->mu * p[0] * c->slide[t])));
    } else {
      error = fmax(error, ball_error(count[k], g, mu[k] * g * fmax(0, p[0]), p + row, u + row));
    }
  }
  return error;
}

CRD_CLONES void crd_sweep_velocity(const crd_sweep_island *s, const double *p, double *u) {
  for (int k = 0; k < s->nunit; k++) {
    const crd_sweep_unit *unit = &s->unit[k];
    const double *own = s->own + unit->own, *q = p + unit->row;
    double v[8];
    gather(s, k, p, v);
    for (int i = 0; i < unit->rows; i++) {
      for (int j = 0; j < unit->rows; j++) v[i] += own[unit->rows * i + j] * q[j];
      u[unit->row + i] = v[i];
    }
  }
}

CRD_CLONES double crd_sweep_residual(const crd_sweep_island *s, const double *p) {
  double worst = 0;
  for (int k = 0; k < s->nunit; k++) {
    const crd_sweep_unit *unit = &s->unit[k];
    const double *own = s->own + unit->own, *q = p + unit->row, *weight = s->weight + unit->row;
    double u[8], error;
    gather(s, k, p, u);
    for (int i = 0; i < unit->rows; i++)
      for (int j = 0; j < unit->rows; j++) u[i] += own[unit->rows * i + j] * q[j];
    if (unit->kind == CRD_SWEEP_BILATERAL)
      error = fabs(u[0]) > s->slack ? fabs(u[0]) : 0;
    else if (unit->kind == CRD_SWEEP_BOUNDED)
      error = fabs(weight[0] * q[0] - clamp(weight[0] * q[0] - u[0], weight[0] * unit->lower, weight[0] * unit->upper));
    else
      error = contact_error(&s->contact[unit->id], weight, q, u);
    if (!(error <= worst)) worst = error; /* not a number is the worst */
  }
  return worst;
}
