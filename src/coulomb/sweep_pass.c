/* One sweep of block Gauss-Seidel [Jourdan, Alart, Jean 1998].
 *
 *   for every unit:   v = w + sum of G p over the other units,   p = solution of the unit alone (sweep_local.h)
 *
 * Cost: one multiplication and addition for each entry of G, four at a time, and a local problem a contact.
 */
#include "coulomb/accuracy.h"
#include "coulomb/sweep_local.h"

enum { LOCAL_ROUNDS = 3 }; /* sliding, spinning and rolling of one contact in turn */

/* ------------------------------------------------------------------------------------------------ units */

void crd_sweep_prepare(crd_memory *memory) {
  const crd_reduced *r = &memory->reduced;
  for (int u = 0; u < r->nunit; u++) {
    const crd_unit *unit = &r->unit[u];
    int nt = unit->nfriction > 0 ? unit->friction[0].count : 0;
    memory->local[u] =
        crd_sweep_local_of(unit->rows, nt, nt > 0 ? unit->friction[0].mu : 0, r->own + r->columns[u].own);
    if (u >= r->ncontact) memory->local[u].kind = CRD_SWEEP_SINGLE;
    if (unit->nfriction > 1) memory->local[u].kind = CRD_SWEEP_GENERAL;
  }
}

/* ------------------------------------------------------------------------------------------------ local problems */

/* Velocity of a row of the unit without the impulses of its rows first .. last - 1. */
static double apart_from(int rows, const double *own, const double *v, const double *p, int row, int first, int last) {
  double sum = v[row];
  for (int j = 0; j < rows; j++)
    if (j < first || j >= last) sum += own[rows * row + j] * p[j];
  return sum;
}

/* A further friction, `count` rows from `row`, within a ball of the radius that the normal impulse gives. */
static void solve_friction(int rows, const double *own, int row, int count, double mu, const double *v, double *p) {
  double e[2] = {0, 0};
  crd_sweep_local ball = {.mu = mu, .H = {0, 0, 0, 1}};
  for (int i = 0; i < count; i++) {
    e[i] = apart_from(rows, own, v, p, row + i, row, row + count);
    for (int j = 0; j < count; j++) ball.H[2 * i + j] = own[rows * (row + i) + row + j];
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

/* Several frictions in turn; p: the impulses so far, then the contact's own solution. */
static void solve_general(const crd_unit *unit, crd_sweep_local *local, const double *own, const double *v, double *p) {
  int nt = 1 + unit->friction[0].count;
  for (int round = 0; round < LOCAL_ROUNDS; round++) {
    double a[3] = {0, 0, 0};
    for (int i = 0; i < nt; i++) a[i] = apart_from(unit->rows, own, v, p, i, 0, nt);
    if (nt == 2)
      crd_sweep_planar(local, a, p);
    else
      crd_sweep_spatial(local, a, p);
    for (int k = 1; k < unit->nfriction; k++) {
      const crd_coulomb_friction *f = &unit->friction[k];
      solve_friction(unit->rows, own, f->row - unit->row, f->count, f->mu, v, p);
    }
  }
}

static double clamp(double x, double lower, double upper) { return x < lower ? lower : x > upper ? upper : x; }

/* ------------------------------------------------------------------------------------------------ sweep */

CRD_CLONES double crd_sweep_pass(crd_memory *m, double *p, double quiet, double *worst) {
  const crd_reduced *r = &m->reduced;
  double sum = 0, largest = 0;
  for (int k = 0; k < r->nunit; k++) {
    const crd_unit *unit = &r->unit[k];
    crd_sweep_local *local = &m->local[k];
    if (local->moved < quiet * quiet) continue;
    const double *weight = r->weight + unit->row, *b = r->b + unit->row;
    double v[8], x[CRD_UNIT_ROWS], *old = p + unit->row, change = 0, speed = 0;
    crd_sparse_gather(r, k, p, v);
    for (int i = 0; i < unit->rows; i++) v[i] += b[i];
    switch (local->kind) {
      case CRD_SWEEP_NORMAL: x[0] = crd_sweep_normal(local, v[0]); break;
      case CRD_SWEEP_PLANAR: crd_sweep_planar(local, v, x); break;
      case CRD_SWEEP_SPATIAL: crd_sweep_spatial(local, v, x); break;
      case CRD_SWEEP_GENERAL:
        for (int i = 0; i < unit->rows; i++) x[i] = old[i];
        solve_general(unit, local, r->own + r->columns[k].own, v, x);
        break;
      case CRD_SWEEP_SINGLE:
        x[0] = clamp(local->inverse > 0 ? -v[0] * local->inverse : old[0], unit->lower, unit->upper);
        break;
    }
    for (int i = 0; i < unit->rows; i++) {
      double step = x[i] - old[i];
      change += step * step, speed += (weight[i] * step) * (weight[i] * step);
      old[i] = x[i];
    }
    sum += change, local->moved = speed;
    if (!(speed <= largest)) largest = speed; /* not a number is the worst */
  }
  *worst = sqrt(largest);
  return sum;
}
