/* The central path of a large island, with a sparse factor: the equations of interior.c,
 *
 *   (T G + sum of C' W^2 C) dp = sum of C' (s + W d) - Phi(u),   Phi_n = u_n + sum of mu_f sqrt(|u_f|^2 + eps^2)
 *
 * whose matrix has G's own pattern, since T and C couple rows of one contact only. It needs no guess and minds no
 * self-stress, which is what stalls the sweeps. Near its end Newton's method takes over (sweep_newton.c).
 *
 * Impulses are measured in units of sqrt(energy / g) to start with; everything after that is the same in all units.
 * Cost: some 20 to 40 factorisations.
 */
#include <math.h>
#include <string.h>

#include "coulomb/cone.h"
#include "coulomb/sweep.h"

static const double REGULAR = 1e-11;  /* of a row's own compliance: contacts may be redundant */
static const double REACH = 0.99;     /* of the way to the boundary of the cones */
static const double SMOOTH = 0.3;     /* eps, of the root of the mean complementarity */
static const double ASK = 1e-3;       /* residual at which Newton's method is asked first, */
static const double ASK_AGAIN = 0.03; /* and then each time it has gone down by this much */
enum { MOST_STEPS = 60, POLISH = 8, STALLED = 15 };

typedef crd_interior_cone cone;

typedef struct path {
  crd_sweep_memory *m;
  const crd_dense_task *task;
  double eps, speed; /* in units of sqrt(g): largest velocity without contact */
} path;

/* ------------------------------------------------------------------------------------------------ the iterate */

/* sqrt(|u_f|^2 + eps^2) with u_f a share of the step further on */
static double root_of(const path *p, const cone *k, double share) {
  const crd_sweep_memory *m = p->m;
  double sum = p->eps * p->eps * m->island.weight[k->row];
  for (int t = 0; t < k->size - 1; t++) {
    double u = m->u[k->row + t] + share * m->trial_u[k->row + t];
    sum += u * u;
  }
  return sqrt(sum);
}

/* z = C p + c */
static void set_z(cone *k, const double *p) {
  k->z[0] = k->mu * p[k->normal] + k->shift;
  for (int t = 1; t < k->size; t++) k->z[t] = p[k->row + t - 1];
}

static void add_cone(crd_sweep_memory *m, cone k) { m->cone[m->ncone++] = k; }

/* Cones of unit u, at the end of the list; its first one is noted. */
static void list_cones(crd_sweep_memory *m, int u) {
  const crd_sweep_unit *unit = &m->island.unit[u];
  int row = unit->row;
  m->first_cone[u] = m->ncone;
  if (unit->kind == CRD_SWEEP_BOUNDED) {
    if (isfinite(unit->lower)) add_cone(m, (cone){.size = 1, .normal = row, .mu = 1, .shift = -unit->lower});
    if (isfinite(unit->upper)) add_cone(m, (cone){.size = 1, .normal = row, .mu = -1, .shift = unit->upper});
  } else if (unit->kind != CRD_SWEEP_BILATERAL) {
    crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
    const crd_coulomb_contact *c = &m->island.contact[unit->id];
    int count = crd_coulomb_frictions(c, friction);
    if (count == 0) add_cone(m, (cone){.size = 1, .normal = row, .mu = 1});
    for (int f = 0; f < count; f++)
      add_cone(m, (cone){.size = 1 + friction[f].count,
                         .normal = row,
                         .row = row + friction[f].row - c->row,
                         .mu = friction[f].mu});
  }
}

/* The middle of all cones: impulses and velocities of this size at every contact. */
static void start(path *p, double impulse, double velocity) {
  crd_sweep_memory *m = p->m;
  const crd_sweep_island *s = &m->island;
  m->ncone = 0;
  for (int u = 0; u < s->nunit; u++) {
    const crd_sweep_unit *unit = &s->unit[u];
    double g = s->weight[unit->row], x = g > 0 ? impulse / sqrt(g) : 0, *to = m->p + unit->row;
    memset(to, 0, sizeof *to * (size_t)unit->rows);
    list_cones(m, u);
    if (unit->kind == CRD_SWEEP_BOUNDED) {
      bool below = isfinite(unit->lower), above = isfinite(unit->upper);
      to[0] = below && above ? 0.5 * (unit->lower + unit->upper)
              : below        ? unit->lower + x
              : above        ? unit->upper - x
                             : 0;
    } else if (unit->kind != CRD_SWEEP_BILATERAL) {
      const crd_coulomb_contact *c = &s->contact[unit->id];
      to[0] = x;
      for (int t = 0; c->slides && t < c->ntangent; t++) to[1 + t] = -c->mu * x * c->slide[t];
    }
  }
  for (int i = 0; i < m->ncone; i++) {
    set_z(&m->cone[i], m->p);
    m->cone[i].s[0] = impulse * velocity / m->cone[i].z[0];
  }
  m->first_cone[s->nunit] = m->ncone;
  crd_sweep_velocity(s, m->p, m->u);
}

/* Mean of z . s, a share of the (linear) step further on. */
static double complementarity(const crd_sweep_memory *m, double share) {
  double sum = 0;
  for (int i = 0; i < m->ncone; i++) {
    const cone *k = &m->cone[i];
    for (int j = 0; j < k->size; j++) sum += (k->z[j] + share * k->dz[j]) * (k->s[j] + share * k->ds[j]);
  }
  return m->ncone ? sum / m->ncone : 0;
}

/* ------------------------------------------------------------------------------------------------ equations */

/* T and C' W^2 C of a unit; rows that carry nothing keep p = 0, or the direction of sliding. */
static void linearise(const path *p, int u, crd_sweep_linear *l) {
  const crd_sweep_memory *m = p->m;
  const crd_sweep_unit *unit = &m->island.unit[u];
  int rows = unit->rows, first = unit->row;
  bool carries[CRD_SWEEP_ROWS] = {true};
  memset(l, 0, sizeof *l);
  for (int c = m->first_cone[u]; c < m->first_cone[u + 1]; c++) {
    const cone *k = &m->cone[c];
    for (int a = 0; a < k->size; a++) {
      int i = a ? k->row + a - 1 - first : 0;
      carries[i] = true;
      if (a) l->A[i] += k->mu * m->u[k->row + a - 1] / k->root;
      for (int b = 0; b < k->size; b++) {
        int j = b ? k->row + b - 1 - first : 0;
        l->B[rows * i + j] += (a ? 1 : k->mu) * crd_cone_square(k, a, b) * (b ? 1 : k->mu);
      }
    }
  }
  for (int i = 0; i < rows; i++) {
    double g = m->island.weight[first + i];
    if (carries[i] && g > 0)
      l->A[(rows + 1) * i] += 1;
    else
      l->B[(rows + 1) * i] += g > 0 ? g : 1;
  }
  if (unit->kind == CRD_SWEEP_BILATERAL || unit->kind == CRD_SWEEP_BOUNDED) return;
  const crd_coulomb_contact *contact = &m->island.contact[unit->id];
  for (int t = 0; contact->slides && t < contact->ntangent; t++)
    l->B[rows * (1 + t)] = m->island.weight[first + 1 + t] * contact->mu * contact->slide[t];
}

static bool factor(path *p) {
  crd_sweep_memory *m = p->m;
  crd_sweep_linear l;
  crd_block_lu_clear(&m->lu);
  memset(m->open, 0, sizeof *m->open * (size_t)m->island.nunit);
  for (int u = 0; u < m->island.nunit; u++) {
    linearise(p, u, &l);
    crd_sweep_set_row(m, u, &l, REGULAR);
  }
  p->task->report->factorizations++;
  return crd_block_lu_factor(&m->lu);
}

/* The step towards complementarity `target`: dp in newton_step. */
static void set_step(path *p, double target, bool corrects) {
  crd_sweep_memory *m = p->m;
  const crd_sweep_island *s = &m->island;
  double *rhs = m->newton_step;
  for (int u = 0; u < s->nunit; u++) {
    const crd_sweep_unit *unit = &s->unit[u];
    bool carries[CRD_SWEEP_ROWS] = {s->weight[unit->row] > 0};
    double *to = rhs + unit->row;
    for (int c = m->first_cone[u]; c < m->first_cone[u + 1]; c++)
      for (int t = 1; t < m->cone[c].size; t++) carries[m->cone[c].row + t - 1 - unit->row] = true;
    for (int i = 0; i < unit->rows; i++) to[i] = carries[i] ? -m->u[unit->row + i] : 0;
    for (int c = m->first_cone[u]; c < m->first_cone[u + 1]; c++) {
      cone *k = &m->cone[c];
      crd_cone_set_target(k, target, corrects);
      to[0] += k->mu * (k->s[0] + k->Wd[0] - (k->size > 1 ? k->root : 0));
      for (int t = 1; t < k->size; t++) to[k->row + t - 1 - unit->row] += k->s[t] + k->Wd[t];
    }
  }
  crd_block_lu_solve(&m->lu, m->unit_row, rhs);
  for (int i = 0; i < m->ncone; i++) {
    cone *k = &m->cone[i];
    k->dz[0] = k->mu * rhs[k->normal];
    for (int t = 1; t < k->size; t++) k->dz[t] = rhs[k->row + t - 1];
    for (int a = 0; a < k->size; a++) {
      k->ds[a] = k->Wd[a];
      for (int b = 0; b < k->size; b++) k->ds[a] -= crd_cone_square(k, a, b) * k->dz[b];
    }
  }
}

/* trial_u: G dp */
static void set_change(crd_sweep_memory *m) {
  const crd_sweep_island *s = &m->island;
  for (int i = 0; i < s->n; i++) m->trial[i] = m->p[i] + m->newton_step[i];
  crd_sweep_velocity(s, m->trial, m->trial_u);
  for (int i = 0; i < s->n; i++) m->trial_u[i] -= m->u[i];
}

/* s a share of the step further on: the root's part as it is there. False: outside the cone. */
static bool curved(const path *p, const cone *k, double share, double *s) {
  const double *u = p->m->u, *du = p->m->trial_u;
  double slope = 0;
  for (int j = 0; j < k->size; j++) s[j] = k->s[j] + share * k->ds[j];
  for (int t = 0; t < k->size - 1; t++) slope += u[k->row + t] * du[k->row + t];
  if (k->size > 1) s[0] += root_of(p, k, share) - k->root - share * slope / k->root;
  return s[0] > crd_cone_tail(k->size, s);
}

/* The longest curved step, shortened from the linear one where that leaves a cone. */
static double longest_curved(const path *p) {
  enum { MOST = 30 };
  double share = 1;
  for (int i = 0; i < p->m->ncone; i++) {
    const cone *k = &p->m->cone[i];
    double reach = crd_cone_shortness(k->size, k->z, k->dz), s[3];
    if (k->size == 1) reach = fmax(reach, crd_cone_shortness(1, k->s, k->ds));
    if (reach * share > REACH) share = REACH / reach;
    if (k->size == 1 || curved(p, k, fmin(1, share / REACH), s)) continue;
    double low = 0, high = fmin(1, share / REACH);
    for (int cut = 0; cut < MOST && high - low > 1e-3 * high; cut++) {
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
  crd_sweep_memory *m = p->m;
  for (int i = 0; i < m->ncone; i++) {
    double s[3];
    curved(p, &m->cone[i], share, s);
    memcpy(m->cone[i].s, s, sizeof *s * (size_t)m->cone[i].size);
  }
  for (int i = 0; i < m->island.n; i++) m->p[i] += share * m->newton_step[i];
  for (int i = 0; i < m->ncone; i++) set_z(&m->cone[i], m->p);
  crd_sweep_velocity(&m->island, m->p, m->u);
}

/* Predictor and corrector; false: the matrix is singular, or the step leads nowhere. */
static bool step(path *p) {
  crd_sweep_memory *m = p->m;
  double now = complementarity(m, 0), shortest = 0;
  p->eps = SMOOTH * fmin(sqrt(fmax(now, 0)), fmax(now, 0) / p->speed);
  for (int i = 0; i < m->ncone; i++) {
    if (m->cone[i].size > 1) m->cone[i].root = root_of(p, &m->cone[i], 0);
    crd_cone_set_scaling(&m->cone[i]);
  }
  if (!factor(p)) return false;
  set_step(p, 0, false);
  for (int i = 0; i < m->ncone; i++) {
    const cone *k = &m->cone[i];
    shortest = fmax(shortest, crd_cone_shortness(k->size, k->z, k->dz));
    shortest = fmax(shortest, crd_cone_shortness(k->size, k->s, k->ds));
  }
  double share = shortest > 1 ? 1 / shortest : 1;
  double left = now > 0 ? fmin(1, fmax(0, complementarity(m, share)) / now) : 0;
  set_step(p, left * left * left * now, true);
  set_change(m);
  share = longest_curved(p);
  if (!(share > 1e-8)) return false;
  advance(p, share);
  return true;
}

/* ------------------------------------------------------------------------------------------------ the way */

/* Newton's method from here; the path goes on from where it is. True: solved, the answer is in p. */
static bool polish(path *p, double enough, double *best) {
  crd_sweep_memory *m = p->m;
  size_t bytes = sizeof(double) * (size_t)m->island.n;
  memcpy(m->center, m->p, bytes);
  double residual = crd_sweep_newton(m, p->task, POLISH, enough);
  if (residual < *best) *best = residual, memcpy(m->answer, m->p, bytes);
  if (residual <= enough) return true;
  memcpy(m->p, m->center, bytes);
  crd_sweep_velocity(&m->island, m->p, m->u);
  return false;
}

static bool follow(path *p, double enough, double *best) {
  crd_sweep_memory *m = p->m;
  double ask = ASK * p->task->scale, lowest = INFINITY;
  for (int round = 0, stalled = 0; round < MOST_STEPS && stalled < STALLED; round++) {
    double residual = crd_sweep_residual(&m->island, m->p);
    if (!isfinite(residual)) return false;
    stalled = residual < 0.9 * lowest ? 0 : stalled + 1;
    lowest = fmin(lowest, residual);
    if (residual <= ask) {
      if (polish(p, enough, best)) return true;
      ask = ASK_AGAIN * residual;
    }
    if (p->task->options->stop && p->task->options->stop(p->task->options->context)) return false;
    if (!step(p)) break;
    p->task->report->iterations[CRD_COULOMB_INTERIOR]++;
  }
  return polish(p, enough, best);
}

double crd_sweep_interior(crd_sweep_memory *m, const crd_dense_task *task, double enough) {
  static const double starts[][2] = {{1, 1}, {10, 1}, {1, 10}, {10, 0.1}};
  const crd_sweep_island *s = &m->island;
  path p = {.m = m, .task = task};
  double best = INFINITY;
  memset(m->trial_u, 0, sizeof *m->trial_u * (size_t)s->n);
  memset(m->answer, 0, sizeof *m->answer * (size_t)s->n);
  crd_sweep_velocity(s, m->answer, m->u);
  for (int i = 0; i < s->n; i++)
    if (s->weight[i] > 0) p.speed = fmax(p.speed, fabs(m->u[i]) / sqrt(s->weight[i]));
  for (size_t k = 0; k < sizeof starts / sizeof *starts && p.speed > 0; k++) {
    start(&p, starts[k][0] * p.speed, starts[k][1] * p.speed);
    if (follow(&p, enough, &best)) break;
  }
  memcpy(m->p, m->answer, sizeof *m->p * (size_t)s->n);
  return best;
}
