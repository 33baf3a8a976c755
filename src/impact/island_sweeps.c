/* The contact problem of an island contact by contact, for islands where the facets end on a ray by rounding or their
 * turning does not settle: nonlinear block Gauss-Seidel on the round cones.
 *
 *   each contact   its own problem with the others' impulses as they stand: open, stick, or slide with p_t = -mu p_n d
 *   all loops      G_bb dp_b = -u_b
 *   dry friction   p = p - u / G, cut to its bound
 *
 * Slow, but every sweep is cheap, redundant contacts do not matter, and where it settles the answer is that of the
 * round cone. Cost: O(rows^2) a sweep.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

enum { MOST_SWEEPS = 2000, CHECK = 25, MOST_TURNS = 40 };

static double entry(const crd_island *s, int i, int j) { return s->G[(size_t)s->n * (size_t)i + (size_t)j]; }

/* p[row] += dp, u follows. */
static void push(crd_island *s, int row, double dp) {
  if (dp == 0) return;
  s->p[row] += dp;
  for (int i = 0; i < s->n; i++) s->u[i] += entry(s, i, row) * dp;
}

/* x with G_cc x = -b, by elimination; G_cc of one contact is positive definite but for rows that nothing moves. */
static bool solve_own(const crd_island *s, const crd_island_contact *c, const double *b, double *x) {
  double A[3][4];
  int k = 1 + c->ntangent;
  for (int i = 0; i < k; i++) {
    for (int j = 0; j < k; j++) A[i][j] = entry(s, c->row + i, c->row + j);
    A[i][k] = -b[i];
  }
  for (int i = 0; i < k; i++) {
    if (!(A[i][i] > 1e-14 * entry(s, c->row + i, c->row + i))) return false;
    for (int r = i + 1; r < k; r++) {
      double f = A[r][i] / A[i][i];
      for (int j = i; j <= k; j++) A[r][j] -= f * A[i][j];
    }
  }
  for (int i = k - 1; i >= 0; i--) {
    x[i] = A[i][k];
    for (int j = i + 1; j < k; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
  return true;
}

/* Sliding along d = c->slide, which is found by iteration; b: the velocity without the contact's own impulse. */
static bool slide_own(const crd_island *s, crd_island_contact *c, const double *b, double *x) {
  for (int turn = 0; turn < MOST_TURNS; turn++) {
    double stiff = entry(s, c->row, c->row), ut[2] = {0, 0};
    for (int t = 0; t < c->ntangent; t++) stiff -= c->mu * c->slide[t] * entry(s, c->row, c->row + 1 + t);
    if (!(stiff > 0)) return false;
    x[0] = -b[0] / stiff;
    for (int t = 0; t < c->ntangent; t++) {
      x[1 + t] = -c->mu * x[0] * c->slide[t];
      ut[t] = b[1 + t] + entry(s, c->row + 1 + t, c->row) * x[0];
      for (int j = 0; j < c->ntangent; j++)
        ut[t] -= c->mu * x[0] * c->slide[j] * entry(s, c->row + 1 + t, c->row + 1 + j);
    }
    double speed = hypot(ut[0], ut[1]);
    if (!(speed > 0)) return true;
    double change = hypot(ut[0] / speed - c->slide[0], ut[1] / speed - c->slide[1]);
    c->slide[0] = ut[0] / speed, c->slide[1] = ut[1] / speed;
    if (change <= 1e-13) return true;
  }
  return true;
}

static void resolve_contact(crd_island *s, crd_island_contact *c) {
  int k = 1 + c->ntangent;
  double b[3] = {0, 0, 0}, x[3] = {0, 0, 0};
  for (int i = 0; i < k; i++) {
    b[i] = s->u[c->row + i];
    for (int j = 0; j < k; j++) b[i] -= entry(s, c->row + i, c->row + j) * s->p[c->row + j];
  }
  if (b[0] < 0 && entry(s, c->row, c->row) > 0) {
    bool stuck = solve_own(s, c, b, x) && x[0] >= 0 && hypot(x[1], x[2]) <= c->mu * x[0];
    if (!stuck && !slide_own(s, c, b, x)) return;
  }
  for (int i = 0; i < k; i++) push(s, c->row + i, x[i] - s->p[c->row + i]);
}

static void resolve_loops(crd_island_memory *m, crd_island *s) {
  if (s->nb == 0) return;
  for (int b = 0; b < s->nb; b++) m->x[b] = -s->u[s->first_b + b];
  crd_island_solve(m, s->nb, m->x);
  for (int b = 0; b < s->nb; b++) push(s, s->first_b + b, m->x[b]);
}

static void resolve_dry(crd_island *s, const crd_island_dry *d, int row) {
  double own = entry(s, row, row);
  if (!(own > 0)) return;
  push(s, row, fmin(d->bound, fmax(-d->bound, s->p[row] - s->u[row] / own)) - s->p[row]);
}

static bool factor_loops(crd_island_memory *m, const crd_island *s) {
  for (int i = 0; i < s->nb; i++) {
    m->weight[i] = 1;
    for (int j = 0; j < s->nb; j++)
      m->A[(size_t)s->nb * (size_t)i + (size_t)j] = entry(s, s->first_b + i, s->first_b + j);
  }
  return s->nb == 0 || crd_island_factor(m, s->nb);
}

double crd_island_by_sweeps(crd_island_memory *m, crd_island *s, double enough) {
  double violation = INFINITY;
  if (!factor_loops(m, s)) return INFINITY;
  crd_island_velocity(s);
  for (int sweep = 1; sweep <= MOST_SWEEPS && violation > enough; sweep++) {
    for (int i = 0; i < s->ncontact; i++) resolve_contact(s, &s->contact[i]);
    for (int i = 0; i < s->ndry; i++) resolve_dry(s, &s->dry[i], s->first_dry + i);
    resolve_loops(m, s);
    if (sweep % CHECK) continue;
    crd_island_velocity(s); /* against the rounding of the updates */
    violation = crd_island_violation(s);
    if (isnan(violation)) return INFINITY;
  }
  crd_island_read_modes(s);
  return violation;
}
