/* Large islands by accelerated sweeps.
 *
 * A sweep (sweep_pass.c) is a map p -> S(p) whose fixed points solve the problem; it finds the contacts' modes
 * quickly and their impulses slowly. Two accelerations take turns, since each fails where the other works:
 *
 *   Anderson mixing      f = S(p) - p, the last 5 of them:  p = S(p) - dS c,  c the least squares solution of dF c = f
 *                        [Anderson 1965; Walker and Ni 2011]: modes fixed, S nearly linear, error falling geometrically
 *   conjugate gradients  d = f + beta d, p = S(p) + beta d, beta = |f|^2 / |f last|^2, from anew where beta > 1
 *                        [Silcowitz, Niebe, Erleben 2010]: where contacts are jammed f stays nearly constant, and the
 *                        impulses travel along a self-stress until one of them opens or slips
 *
 * Mixing goes on while |f| falls. When it rises, the last sweep's answer is taken up again and conjugate gradients run
 * for a while, longer each time. By then the change is local: in a heap of 2400 contacts a hundred still move by more
 * than the tolerance, and units that do not are passed over except for every 50th sweep. Impulses are in units of their own
 * compliance: |f|^2 is an energy, and units and tangents do not matter.
 *
 * Where the sweeps do not get there, a sparse factor of G's pattern is tried (newton.c, continuation.c) at
 * about the expense of the sweeps before it: in most piles the graph of contacts is close to a tree and a factor costs
 * no more than 10 to 200 sweeps. Islands whose factor costs more than 1000 are left to the sweeps.
 *
 * Of impulses that are not determined: sweeps change them only along self-stresses that the modes demand to change, so
 * they stay near the guess, without being the nearest; Newton's method is proximal and does the same. The continuation
 * does not look at the guess. Cost of a sweep: some 1.3 times the entries of G; all operations have one order, so the
 * same input gives the same bits.
 */
#include <math.h>
#include <string.h>

#include "coulomb/sweep_local.h"

static const double REGULAR = 1e-8; /* of the mean |dF|^2: sweeps that are nearly the same direction */
static const double QUIET = 0.1;    /* of the tolerance: units that move less are passed over for a while */
static const double CLOSER = 0.5;   /* a better iterate is kept when its change is this much smaller */
enum {
  FIRST_TURN = 10, /* sweeps by conjugate gradients */
  LAST_TURN = 80,
  WHOLE_SWEEP = 50,    /* sweeps by conjugate gradients, of which one visits every unit */
  COARSE_SWEEPS = 100, /* before the sparse factor is thought of */
  FINE_SWEEPS = 30,
  MEDIUM_SWEEPS = 5000, /* at most, of islands that are not large */
  NEWTON_STEPS = 6,
  PATH_STEPS = 20 /* factors of a descent, what the sweeps before it may cost */
};
static const double COARSE = 1e-7;     /* tolerance above which sweeps alone are usually enough */
static const double MOST_SWEEPS = 1e3; /* price of a factor in sweeps above which it is not used */
static const double SWEEP_PRICE = 4;   /* multiplications of the factor that take as long as a column of a sweep */
static const double FACTOR_BASE = 5;   /* sweeps that setting up a factor takes */

typedef struct mixing {
  crd_memory *m;
  int n;
  int known;      /* differences kept: known % CRD_SWEEP_WINDOW is written next */
  bool has_last;  /* m->change and m->image hold the last sweep's */
  bool mixed;     /* the last start was a mixture */
  double last;    /* |f|^2 */
  int turn, left; /* length of the next turn of conjugate gradients; sweeps left of this one */
  double gram[CRD_SWEEP_WINDOW][CRD_SWEEP_WINDOW], projection[CRD_SWEEP_WINDOW]; /* dF.dF, dF.f */
} mixing;

CRD_CLONES static double product(int n, const double *a, const double *b) {
  crd_v4 sum = {0};
  int i = 0;
  for (; i + 3 < n; i += 4) sum += *(const crd_v4_unaligned *)(a + i) * *(const crd_v4_unaligned *)(b + i);
  double rest = 0;
  for (; i < n; i++) rest += a[i] * b[i];
  return crd_v4_total(sum) + rest;
}

/* ------------------------------------------------------------------------------------------------ mixing */

/* Notes f and S of this sweep, and their differences from the last one. */
CRD_CLONES static void remember(mixing *a, const double *start, const double *p) {
  crd_memory *m = a->m;
  size_t slot = (size_t)(a->known % CRD_SWEEP_WINDOW) * (size_t)a->n;
  double *df = m->change_steps + slot, *ds = m->image_steps + slot;
  for (int i = 0; i < a->n; i++) {
    double f = p[i] - start[i];
    df[i] = f - m->change[i], ds[i] = p[i] - m->image[i];
    m->change[i] = f, m->image[i] = p[i];
  }
}

/* dF.dF and dF.f after the newest difference: f is the last f + the newest dF. */
static int update_gram(mixing *a) {
  const crd_memory *m = a->m;
  int now = a->known++ % CRD_SWEEP_WINDOW, count = a->known < CRD_SWEEP_WINDOW ? a->known : CRD_SWEEP_WINDOW;
  const double *newest = m->change_steps + (size_t)now * (size_t)a->n;
  for (int k = 0; k < count; k++) {
    double g = product(a->n, m->change_steps + (size_t)k * (size_t)a->n, newest);
    a->gram[now][k] = a->gram[k][now] = g;
    a->projection[k] += g;
  }
  a->projection[now] = product(a->n, newest, m->change);
  return count;
}

/* c: least squares solution of dF c = f by the normal equations, regularised */
static void coefficients(const mixing *a, int count, double *c) {
  double A[CRD_SWEEP_WINDOW][CRD_SWEEP_WINDOW], trace = 0;
  for (int i = 0; i < count; i++) trace += a->gram[i][i];
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) A[i][j] = a->gram[i][j];
    A[i][i] += REGULAR * trace, c[i] = a->projection[i];
  }
  for (int i = 0; i < count; i++)
    for (int k = i + 1; k < count; k++) {
      double share = A[i][i] > 0 ? A[k][i] / A[i][i] : 0;
      for (int j = i; j < count; j++) A[k][j] -= share * A[i][j];
      c[k] -= share * c[i];
    }
  for (int i = count - 1; i >= 0; i--) {
    for (int j = i + 1; j < count; j++) c[i] -= A[i][j] * c[j];
    c[i] = A[i][i] > 0 ? c[i] / A[i][i] : 0;
  }
}

CRD_CLONES static void subtract(int n, double share, const double *step, double *p) {
  for (int i = 0; i < n; i++) p[i] -= share * step[i];
}

/* The next start by mixing; p is the sweep's outcome, |f|^2 = change. */
static void mix(mixing *a, const double *start, double *p, double change) {
  crd_memory *m = a->m;
  a->last = change;
  remember(a, start, p);
  if (!a->has_last) { /* only f and S were of use */
    a->has_last = true, a->mixed = false;
    return;
  }
  double c[CRD_SWEEP_WINDOW];
  int count = update_gram(a);
  coefficients(a, count, c);
  for (int k = 0; k < count; k++) subtract(a->n, c[k], m->image_steps + (size_t)k * (size_t)a->n, p);
  a->mixed = true;
}

/* ------------------------------------------------------------------------------------------------ gradients */

CRD_CLONES static void follow(int n, double beta, const double *start, double *direction, double *p) {
  for (int i = 0; i < n; i++) {
    double f = p[i] - start[i];
    p[i] += beta * direction[i];
    direction[i] = beta * direction[i] + f;
  }
}

static void turn_to_gradients(mixing *a, double *p) {
  memcpy(p, a->m->image, sizeof *p * (size_t)a->n);
  memset(a->m->direction, 0, sizeof *p * (size_t)a->n);
  a->left = a->turn, a->last = 0;
  if (a->turn < LAST_TURN) a->turn *= 2;
}

static void turn_to_mixing(mixing *a) { a->known = 0, a->has_last = a->mixed = false; }

/* The next start, from this sweep's outcome p. */
static void accelerate(mixing *a, const double *start, double *p, double change) {
  if (a->left > 0) {
    follow(a->n, change < a->last ? change / a->last : 0, start, a->m->direction, p);
    a->last = change;
    if (--a->left == 0) turn_to_mixing(a);
  } else if (a->mixed && !(change <= a->last)) {
    turn_to_gradients(a, p);
  } else {
    mix(a, start, p, change);
  }
}

/* ------------------------------------------------------------------------------------------------ solving */

/* The residual of memory->x, its velocities in y. */
static double residual_of(crd_memory *m) {
  double norm;
  crd_reduced_velocity(&m->reduced, m->x, m->y);
  return crd_natural_map(&m->reduced, m->x, m->y, &norm);
}

/* At most `most` sweeps. Impulses in memory->x, the guess before and the best after; returns their residual. */
static double sweep(crd_memory *m, const crd_task *task, double wanted, int most, int *sweeps) {
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  mixing a = {.m = m, .n = m->reduced.n, .turn = FIRST_TURN};
  double worst, look = wanted, closest = INFINITY;
  for (*sweeps = 0; *sweeps < most && !crd_coulomb_stopped(m, task);) {
    memcpy(m->start, m->x, bytes);
    double quiet = a.left > 0 && *sweeps % WHOLE_SWEEP != 0 ? QUIET * wanted : 0;
    double change = crd_sweep_pass(m, m->x, quiet, &worst);
    ++*sweeps;
    if (worst <= look && quiet > 0) { /* and the units that were passed over? */
      memcpy(m->start, m->x, bytes);
      change = crd_sweep_pass(m, m->x, 0, &worst);
      ++*sweeps;
    }
    if (worst <= look) { /* the change tells the residual within a factor */
      double residual = residual_of(m);
      if (residual <= wanted) return residual;
      look = fmin(CLOSER * worst, worst * wanted / residual);
    }
    if (worst < CLOSER * closest) {
      closest = worst;
      memcpy(m->sweep_best, m->x, bytes);
    }
    accelerate(&a, m->start, m->x, change);
  }
  if (closest < INFINITY) memcpy(m->x, m->sweep_best, bytes), crd_sweep_pass(m, m->x, 0, &worst);
  return residual_of(m);
}

/* Methods with a sparse factor, each more expensive than the last: Newton's method from where the sweeps have come,
 * then the continuation, which is the same whatever the impulses are, by descents and along its curves. */
static crd_coulomb_method jump_of(int round) {
  return round == 0 ? CRD_COULOMB_NEWTON : round == 1 ? CRD_COULOMB_INTERIOR : CRD_COULOMB_CURVE;
}

static double jump(crd_memory *m, const crd_task *task, double wanted, crd_coulomb_method method) {
  if (method == CRD_COULOMB_NEWTON)
    return crd_coulomb_newton(m, task, NULL, (crd_newton_limits){NEWTON_STEPS, NEWTON_STEPS, wanted, wanted});
  if (method == CRD_COULOMB_CURVE) return crd_coulomb_follow(m, task, wanted);
  memcpy(m->guess, m->x, sizeof *m->x * (size_t)m->reduced.n); /* whose size descents start with */
  return crd_coulomb_descend(m, task, wanted);
}

/* Price of a factorisation in sweeps; infinite: too expensive, or no memory. */
static double analyse(crd_memory *m) {
  const crd_reduced *r = &m->reduced;
  double columns = r->n;
  for (int k = 0; k < r->nunit; k++) columns += r->columns[k].count;
  if (crd_sparse_analyse(m, MOST_SWEEPS * SWEEP_PRICE * columns) != CRD_OK) return INFINITY;
  return FACTOR_BASE + m->lu.flops / (SWEEP_PRICE * columns);
}

/* Is memory->x better than the best, memory->sweep_kept? It is kept then; otherwise the best is taken up again. */
static void keep_better(crd_memory *m, double residual, crd_coulomb_method method, crd_standing *best) {
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  bool better = residual < best->residual;
  memcpy(better ? m->sweep_kept : m->x, better ? m->x : m->sweep_kept, bytes);
  if (better) *best = (crd_standing){residual, method};
}

/* Sweeps, and now and then a jump, both at about the same expense. */
static crd_standing alternate(crd_memory *m, const crd_task *task, double wanted) {
  double price = INFINITY;
  crd_standing best = {INFINITY, CRD_COULOMB_SWEEPS};
  bool large = task->island.ncontact > task->options->large_contacts;
  int left = large ? task->options->max_sweeps : MEDIUM_SWEEPS, due = wanted > COARSE ? COARSE_SWEEPS : FINE_SWEEPS,
      sweeps;
  memcpy(m->sweep_kept, m->x, sizeof *m->x * (size_t)m->reduced.n);
  for (int round = 0;; round++) {
    double residual = sweep(m, task, wanted, due < left ? due : left, &sweeps);
    task->report->iterations[CRD_COULOMB_SWEEPS] += sweeps, left -= sweeps;
    keep_better(m, residual, CRD_COULOMB_SWEEPS, &best);
    if (!(best.residual > wanted) || left <= 0 || crd_coulomb_stopped(m, task)) return best;
    if (round == 0) price = analyse(m);
    int before = task->report->factorizations;
    if (price < INFINITY && (round > 0 || (wanted <= COARSE && price * NEWTON_STEPS <= COARSE_SWEEPS))) {
      keep_better(m, jump(m, task, wanted, jump_of(round)), jump_of(round), &best);
      if (best.residual <= wanted) return best;
    }
    int spent = round == 0 ? PATH_STEPS : task->report->factorizations - before;
    due = price * spent < left ? (int)fmax(FINE_SWEEPS, price * spent) : left;
  }
}

crd_status crd_coulomb_sweep(crd_memory *m, const crd_task *task, double tolerance, double *p, crd_standing *answer) {
  crd_status status = crd_coulomb_reduce_sparse(m, task);
  if (status != CRD_OK) return status;
  crd_sweep_prepare(m);
  crd_coulomb_restrict(m, p);
  *answer = alternate(m, task, tolerance);
  crd_coulomb_scatter(&m->reduced, task, m->x, p);
  return answer->residual <= tolerance ? CRD_OK : CRD_LIMIT;
}
