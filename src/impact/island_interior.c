/* The contact problem of an island by an interior-point method on the round cones, for steps whose modes are not known.
 *
 * With De Saxce's change of variables Coulomb's law is a complementarity on second-order cones [Acary, Cadoux,
 * Lemarechal, Malick 2011],
 *
 *   x = (mu p_n, p_t),   y = phi(u) = (u_n / mu + |u_t|, u_t),   x and y in L = {z_0 >= |z_t|},   x . y = 0
 *
 * and dry friction one of two half lines, (bound - p) a = 0, (bound + p) c = 0, u + a - c = 0. Newton's method follows
 * x o y = m e down to m = 0 with Nesterov and Todd's scaling W (W x = W^-1 y = lambda) and Mehrotra's predictor and
 * corrector. |u_t| is linearised with the rest, which makes the matrix unsymmetric:
 *
 *   (T G S + W^2) dx = W d - (phi(u) - y),   dy = W d - W^2 dx,   d = lambda \ (m e - lambda o lambda - ...)
 *   T = d phi / d u,   S = d p / d x
 *
 * Where kinks of |u_t| hold the way up (many contacts at the limit of sticking) it is taken from the answer before
 * instead, from 0 at first: each problem is then convex, and a few of them end at Coulomb's law.
 *
 * The path runs through the middle of the solutions, so that neither redundant contacts, whose forces are not
 * determined, nor contacts about to open or to slide disturb it. Near the end rounding leaves half the digits; the
 * modes that show there give the rest (island_modes.c). Cost: some 8 to 15 factorisations of n rows.
 */
#include <math.h>
#include <string.h>

#include "impact/island.h"

enum { MOST_ROUNDS = 60, MOST_STALLED = 8, MOST_PROBLEMS = 20 };
static const double SLOW = 1e-5;                    /* a violation at which the path is given up for convex problems */
static const double REGULAR = 1e-11, NOISE = 1e-15; /* of a row's own and of the largest compliance: may be redundant */
static const double NEARLY = 0.995;                 /* of the way to the boundary of the cones */

/* A contact: its point of the cones, the step from it and Nesterov and Todd's scaling there,
 * W = beta (2 v v' - J), W^2 = beta^2 (2 w w' - J) with J = diag(1, -1, -1). */
typedef struct cone {
  int row, size;
  double mu; /* 1 where the cone is a half line */
  double x[3], y[3], dx[3], dy[3], phi[3];
  double beta, w[3], v[3], lambda[3], Wd[3];
  double speed; /* |u_t| of the answer before; negative: it goes with u */
} cone;

/* A row of dry friction between its bounds. */
typedef struct strip {
  int row;
  double bound, p, a, c, dp, da, dc;
  double target_a, target_c; /* of (bound - p) a, (bound + p) c */
} strip;

/* ------------------------------------------------------------------------------------------------ cones */

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double tail(int size, const double *z) {
  return size == 1 ? 0 : size == 2 ? fabs(z[1]) : sqrt(z[1] * z[1] + z[2] * z[2]);
}

/* sqrt(z' J z); bar = z over it. */
static double hyperbolic(int size, const double *z, double *bar) {
  double t = tail(size, z), norm = sqrt((z[0] - t) * (z[0] + t));
  for (int i = 0; i < size; i++) bar[i] = z[i] / norm;
  return norm;
}

/* W z */
static void scale(const cone *k, const double *z, double *out) {
  double along = 2 * dot(k->size, k->v, z);
  for (int i = 0; i < k->size; i++) out[i] = k->beta * (along * k->v[i] + (i ? z[i] : -z[i]));
}

/* W^-1 z = J W J z / beta^2 */
static void scale_back(const cone *k, const double *z, double *out) {
  double along = 2 * k->v[0] * z[0];
  for (int i = 1; i < k->size; i++) along -= 2 * k->v[i] * z[i];
  for (int i = 0; i < k->size; i++) out[i] = (i ? z[i] - along * k->v[i] : along * k->v[0] - z[0]) / k->beta;
}

static void set_scaling(cone *k) {
  double x[3], y[3], hx = hyperbolic(k->size, k->x, x), hy = hyperbolic(k->size, k->y, y);
  double gamma = sqrt(0.5 * (1 + dot(k->size, x, y)));
  for (int i = 0; i < k->size; i++) k->w[i] = (y[i] + (i ? -x[i] : x[i])) / (2 * gamma);
  double f = sqrt(2 * (k->w[0] + 1));
  for (int i = 0; i < k->size; i++) k->v[i] = (k->w[i] + (i == 0)) / f;
  k->beta = sqrt(hy / hx);
  scale(k, k->x, k->lambda);
}

/* z with lambda o z = d */
static void divide(const cone *k, const double *d, double *z) {
  double t = tail(k->size, k->lambda), cross = 0;
  for (int i = 1; i < k->size; i++) cross += k->lambda[i] * d[i];
  z[0] = (k->lambda[0] * d[0] - cross) / ((k->lambda[0] - t) * (k->lambda[0] + t));
  for (int i = 1; i < k->size; i++) z[i] = (d[i] - z[0] * k->lambda[i]) / k->lambda[0];
}

/* 1 / the longest step along dz that stays in the cone; 0: any. */
static double shortness(int size, const double *z, const double *dz) {
  double bar[3] = {0, 0, 0}, r[3], norm = hyperbolic(size, z, bar);
  r[0] = bar[0] * dz[0] / norm;
  for (int i = 1; i < size; i++) r[0] -= bar[i] * dz[i] / norm;
  for (int i = 1; i < size; i++) r[i] = dz[i] / norm - (r[0] + dz[0] / norm) / (bar[0] + 1) * bar[i];
  return fmax(0, tail(size, r) - r[0]);
}

/* ------------------------------------------------------------------------------------------------ the iterate */

static double own_compliance(const crd_island *s, int row) { return s->G[(size_t)(s->n + 1) * (size_t)row]; }

static void set_phi(const crd_island *s, cone *k) {
  const double *u = s->u + k->row;
  k->phi[0] = u[0] / k->mu + (k->speed < 0 ? tail(k->size, u) : k->speed);
  for (int i = 1; i < k->size; i++) k->phi[i] = u[i];
}

/* p of the island from its cones and strips, and the velocities that follow. */
static void spread(const crd_island_memory *m, crd_island *s, cone *k, const strip *d) {
  for (int i = 0; i < s->ncontact; i++)
    for (int j = 0; j < k[i].size; j++) s->p[k[i].row + j] = j ? k[i].x[j] : k[i].x[0] / k[i].mu;
  for (int b = 0; b < s->nb; b++) s->p[s->first_b + b] = m->loop[b];
  for (int i = 0; i < s->ndry; i++) s->p[d[i].row] = d[i].p;
  crd_island_velocity(s);
  for (int i = 0; i < s->ncontact; i++) set_phi(s, &k[i]);
}

/* The same whichever way the tangents point. */
static double mean_tangential(const crd_island *s, const crd_island_contact *c) {
  double sum = 0;
  for (int t = 1; t <= c->ntangent; t++) sum += own_compliance(s, c->row + t);
  return c->ntangent ? sum / c->ntangent : 0;
}

/* Root of the kinetic energy that the contact's velocity stands for. */
static double root_energy_of(const crd_island *s, const crd_island_contact *c, double floor) {
  double normal = fabs(s->w[c->row]) / sqrt(fmax(own_compliance(s, c->row), floor));
  return fmax(normal, tail(1 + c->ntangent, s->w + c->row) / sqrt(fmax(mean_tangential(s, c), floor)));
}

/* The middle of all cones, at equal shares of a typical kinetic energy. */
static void start(const crd_island_memory *m, crd_island *s, cone *k, strip *d) {
  double root_energy = 0, floor = 1e-12 * s->soft;
  for (int b = 0; b < s->nb; b++) m->loop[b] = 0;
  for (int i = s->first_b; i < s->n; i++)
    root_energy = fmax(root_energy, fabs(s->w[i]) / sqrt(fmax(own_compliance(s, i), floor)));
  for (int i = 0; i < s->ncontact; i++) root_energy = fmax(root_energy, root_energy_of(s, &s->contact[i], floor));
  for (int i = 0; i < s->ncontact; i++) {
    const crd_island_contact *c = &s->contact[i];
    double root = sqrt(fmax(own_compliance(s, c->row), floor));
    k[i] = (cone){.row = c->row, .size = 1 + c->ntangent, .mu = c->ntangent ? c->mu : 1, .speed = k[i].speed};
    k[i].x[0] = root_energy / root, k[i].y[0] = root_energy * root;
  }
  for (int i = 0; i < s->ndry; i++) {
    double force = root_energy * sqrt(fmax(own_compliance(s, s->first_dry + i), floor));
    d[i] = (strip){.row = s->first_dry + i, .bound = s->dry[i].bound, .a = force, .c = force};
  }
  spread(m, s, k, d);
}

/* Mean of x . y, a share of the step further on. */
static double complementarity(const crd_island *s, const cone *k, const strip *d, double share) {
  double sum = 0;
  for (int i = 0; i < s->ncontact; i++)
    for (int j = 0; j < k[i].size; j++) sum += (k[i].x[j] + share * k[i].dx[j]) * (k[i].y[j] + share * k[i].dy[j]);
  for (int i = 0; i < s->ndry; i++) {
    double p = d[i].p + share * d[i].dp;
    sum += (d[i].bound - p) * (d[i].a + share * d[i].da) + (d[i].bound + p) * (d[i].c + share * d[i].dc);
  }
  return s->ncontact + s->ndry ? sum / (s->ncontact + 2 * s->ndry) : 0;
}

static double longest_step(const crd_island *s, const cone *k, const strip *d) {
  double shortest = 0;
  for (int i = 0; i < s->ncontact; i++) {
    shortest = fmax(shortest, shortness(k[i].size, k[i].x, k[i].dx));
    shortest = fmax(shortest, shortness(k[i].size, k[i].y, k[i].dy));
  }
  for (int i = 0; i < s->ndry; i++) {
    if (!(d[i].bound > 0)) continue;
    shortest = fmax(shortest, fmax(d[i].dp / (d[i].bound - d[i].p), -d[i].dp / (d[i].bound + d[i].p)));
    shortest = fmax(shortest, fmax(-d[i].da / d[i].a, -d[i].dc / d[i].c));
  }
  return shortest > 0 ? 1 / shortest : INFINITY;
}

static void advance(crd_island_memory *m, crd_island *s, cone *k, strip *d, double share) {
  for (int i = 0; i < s->ncontact; i++)
    for (int j = 0; j < k[i].size; j++) k[i].x[j] += share * k[i].dx[j], k[i].y[j] += share * k[i].dy[j];
  for (int i = 0; i < s->ndry; i++) d[i].p += share * d[i].dp, d[i].a += share * d[i].da, d[i].c += share * d[i].dc;
  for (int b = 0; b < s->nb; b++) m->loop[b] += share * m->x[s->first_b + b];
  spread(m, s, k, d);
}

/* ------------------------------------------------------------------------------------------------ equations */

/* T G S + W^2 into m->A. */
static void set_matrix(const crd_island_memory *m, const crd_island *s, cone *k, const strip *d) {
  size_t n = (size_t)s->n;
  double *A = m->A;
  memcpy(A, s->G, n * n * sizeof *A);
  for (size_t i = 0; i < n; i++) A[(n + 1) * i] += NOISE * s->soft;
  for (size_t i = (size_t)s->first_b; i < n; i++) A[(n + 1) * i] += REGULAR * s->G[(n + 1) * i];
  for (int i = 0; i < s->ncontact; i++) {
    A[(n + 1) * (size_t)k[i].row] += REGULAR * own_compliance(s, k[i].row);
    if (k[i].size == 1) continue;
    double mean = mean_tangential(s, &s->contact[i]);
    for (int t = 1; t < k[i].size; t++) A[(n + 1) * (size_t)(k[i].row + t)] += REGULAR * mean;
    double *row = A + n * (size_t)k[i].row, speed = tail(k[i].size, k[i].phi);
    bool moves = k[i].speed < 0 && speed > 0;
    double d1 = moves ? k[i].phi[1] / speed : 0, d2 = k[i].size == 3 && moves ? k[i].phi[2] / speed : 0;
    const double *g1 = row + n, *g2 = row + (k[i].size - 1) * (int)n;
    for (size_t j = 0; j < n; j++) row[j] = row[j] / k[i].mu + d1 * g1[j] + d2 * g2[j];
  }
  for (int i = 0; i < s->ncontact; i++) {
    set_scaling(&k[i]);
    for (size_t j = 0; j < n; j++) A[n * j + (size_t)k[i].row] /= k[i].mu;
    double b = k[i].beta * k[i].beta;
    for (int r = 0; r < k[i].size; r++)
      for (int c = 0; c < k[i].size; c++)
        A[n * (size_t)(k[i].row + r) + (size_t)(k[i].row + c)] += b * (2 * k[i].w[r] * k[i].w[c] - (r != c ? 0
                                                                                                    : r    ? -1
                                                                                                           : 1));
  }
  for (int i = 0; i < s->ndry; i++) {
    double *own = &A[(n + 1) * (size_t)d[i].row];
    /* without a bound there is no friction: p = 0 */
    *own += d[i].bound > 0 ? d[i].a / (d[i].bound - d[i].p) + d[i].c / (d[i].bound + d[i].p) : 1e20 * s->soft;
  }
}

/* Right-hand side of a contact: W d - (phi - y). The step in dx, dy is the predictor's, whose product is taken off. */
static void set_cone(cone *k, double target, bool corrects, double *rhs) {
  double d[3], a[3] = {0, 0, 0}, c[3] = {0, 0, 0};
  if (corrects) scale(k, k->dx, a), scale_back(k, k->dy, c);
  d[0] = target - dot(k->size, k->lambda, k->lambda) - dot(k->size, a, c);
  for (int j = 1; j < k->size; j++) d[j] = -2 * k->lambda[0] * k->lambda[j] - a[0] * c[j] - c[0] * a[j];
  divide(k, d, a);
  scale(k, a, k->Wd);
  for (int j = 0; j < k->size; j++) rhs[j] = k->Wd[j] - (k->phi[j] - k->y[j]);
}

static void set_strip(strip *d, double u, double target, bool corrects, double *rhs) {
  *rhs = 0;
  if (!(d->bound > 0)) return;
  d->target_a = target + (corrects ? d->dp * d->da : 0), d->target_c = target - (corrects ? d->dp * d->dc : 0);
  *rhs = -u - d->target_a / (d->bound - d->p) + d->target_c / (d->bound + d->p);
}

static void read_cone(cone *k, const double *dx) {
  double b = k->beta * k->beta, along = 2 * dot(k->size, k->w, dx);
  for (int j = 0; j < k->size; j++) {
    k->dx[j] = dx[j];
    k->dy[j] = k->Wd[j] - b * (along * k->w[j] + (j ? dx[j] : -dx[j]));
  }
}

static void read_strip(strip *d, double dp) {
  if (!(d->bound > 0)) return;
  double above = d->bound - d->p, below = d->bound + d->p;
  d->dp = dp;
  d->da = (d->target_a + d->a * dp) / above - d->a;
  d->dc = (d->target_c - d->c * dp) / below - d->c;
}

/* The step towards complementarity `target`, with the factor in the memory. */
static void set_step(crd_island_memory *m, const crd_island *s, cone *k, strip *d, double target, bool corrects) {
  for (int i = 0; i < s->ncontact; i++) set_cone(&k[i], target, corrects, m->x + k[i].row);
  for (int b = s->first_b; b < s->first_b + s->nb; b++) m->x[b] = -s->u[b];
  for (int i = 0; i < s->ndry; i++) set_strip(&d[i], s->u[d[i].row], target, corrects, m->x + d[i].row);
  crd_island_solve(m, s->n, m->x);
  for (int i = 0; i < s->ncontact; i++) read_cone(&k[i], m->x + k[i].row);
  for (int i = 0; i < s->ndry; i++) read_strip(&d[i], m->x[d[i].row]);
}

/* Predictor and corrector; false: the matrix is singular. */
static bool step(crd_island_memory *m, crd_island *s, cone *k, strip *d) {
  set_matrix(m, s, k, d);
  if (!crd_island_factor_bare(m, s->n)) return false;
  set_step(m, s, k, d, 0, false);
  double now = complementarity(s, k, d, 0), share = fmin(1, longest_step(s, k, d));
  double left = now > 0 ? fmin(1, fmax(0, complementarity(s, k, d, share)) / now) : 0;
  set_step(m, s, k, d, left * left * left * now, true);
  advance(m, s, k, d, fmin(1, NEARLY * longest_step(s, k, d)));
  return true;
}

/* ------------------------------------------------------------------------------------------------ the way */

/* Modes by which of x and y stays away from the boundary of its cone, in the scale of velocities. */
static void read_modes(crd_island *s, const cone *k) {
  for (int i = 0; i < s->ncontact; i++) {
    crd_island_contact *c = &s->contact[i];
    const double *y = k[i].phi;
    double g = own_compliance(s, c->row), x0 = g * k[i].mu * s->p[c->row], tx = g * tail(k[i].size, s->p + c->row);
    double ty = tail(k[i].size, y);
    c->mode = x0 - tx > y[0] + ty ? CRD_MODE_STICK : y[0] - ty > x0 + tx ? CRD_MODE_NONE : CRD_MODE_SLIP;
    if (k[i].size == 1 && c->mode == CRD_MODE_SLIP) c->mode = CRD_MODE_STICK;
    for (int t = 1; c->mode == CRD_MODE_SLIP && t < k[i].size; t++) c->slide[t - 1] = y[t] / ty;
  }
  for (int i = 0; i < s->ndry; i++) {
    int row = s->first_dry + i;
    double u = s->u[row], reserve = own_compliance(s, row) * (s->dry[i].bound - fabs(s->p[row]));
    s->dry[i].sign = reserve > fabs(u) ? 0 : u > 0 ? 1 : -1;
  }
}

static void restore(crd_island_memory *m, crd_island *s, cone *k) {
  memcpy(s->p, m->best, sizeof *s->p * (size_t)s->n);
  crd_island_velocity(s);
  for (int i = 0; i < s->ncontact; i++) set_phi(s, &k[i]);
  read_modes(s, k);
}

/* Follows the path; the best answer goes to m->best. Returns its violation, 0 where the modes confirmed one. */
static double follow(crd_island_memory *m, crd_island *s, double enough) {
  cone *k = m->cone;
  strip *d = m->strip;
  double best = INFINITY, ask = 1e-4; /* the modes are asked at some violations on the way */
  int stalled = 0;
  for (int i = 0; i < s->ncontact; i++) k[i].speed = -1;
  start(m, s, k, d);
  for (int round = 0; round < MOST_ROUNDS && stalled < MOST_STALLED; round++) {
    double violation = crd_island_violation(s);
    if (!(violation < INFINITY)) break;
    stalled = violation < 0.9 * best ? 0 : stalled + 1;
    if (violation < best) memcpy(m->best, s->p, sizeof *s->p * (size_t)s->n), best = violation;
    if (best <= enough) break;
    if (violation <= ask) {
      read_modes(s, k);
      if (crd_island_by_modes(m, s, 3)) return 0;
      ask = 1e-2 * violation;
      spread(m, s, k, d);
    }
    if (!step(m, s, k, d)) break;
  }
  return best;
}

/* Problems with |u_t| of the answer before. Returns as follow does. */
static double follow_convex(crd_island_memory *m, crd_island *s, double enough, double best) {
  cone *k = m->cone;
  strip *d = m->strip;
  for (int i = 0; i < s->ncontact; i++) k[i].speed = 0;
  for (int problem = 0; problem < MOST_PROBLEMS && best > enough; problem++) {
    start(m, s, k, d);
    double first = complementarity(s, k, d, 0);
    for (int round = 0; round < MOST_ROUNDS && complementarity(s, k, d, 0) > 1e-13 * first; round++)
      if (!step(m, s, k, d)) return best;
    for (int i = 0; i < s->ncontact; i++) k[i].speed = tail(k[i].size, k[i].phi);
    double violation = crd_island_violation(s);
    if (!(violation < INFINITY)) return best;
    if (violation < best) memcpy(m->best, s->p, sizeof *s->p * (size_t)s->n), best = violation;
    if (violation > 1e-2) continue;
    for (int i = 0; i < s->ncontact; i++) set_phi(s, &k[i]);
    read_modes(s, k);
    if (crd_island_by_modes(m, s, 3)) return 0;
  }
  return best;
}

double crd_island_by_interior(crd_island_memory *m, crd_island *s, double enough) {
  cone *k = m->cone;
  s->soft = crd_island_softest(s);
  double best = follow(m, s, enough);
  if (best > SLOW) best = follow_convex(m, s, enough, best);
  if (best == 0) return crd_island_violation(s);
  if (!(best < INFINITY)) return INFINITY;
  for (int i = 0; i < s->ncontact; i++) k[i].speed = -1;
  restore(m, s, k);
  if (crd_island_by_modes(m, s, 6)) return crd_island_violation(s);
  restore(m, s, k);
  return best;
}

crd_status crd_island_reserve_interior(crd_arena *arena, size_t rows, crd_island_memory *m) {
  m->cone = crd_arena_alloc(arena, rows, sizeof(cone));
  m->strip = crd_arena_alloc(arena, rows, sizeof(strip));
  return m->cone && m->strip ? CRD_OK : CRD_ERR_MEMORY;
}
