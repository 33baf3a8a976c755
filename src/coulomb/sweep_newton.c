/* Newton's method on the natural map of a large island, with a sparse factor. Sweeps find the modes; this finds the
 * impulses that belong to them, also where they are far away along a self-stress.
 *
 *   closed normal    F = u_n
 *   sticking         F = u_f
 *   slipping         F = g p_f - mu g p_n d,  d = z / |z|,  z = g p_f - u_f;  k = mu g p_n / |z|,  P = 1 - d d'
 *                    dF = g (1 - k P) dp_f - mu g d dp_n + k P du_f
 *   bounded          F = u between the bounds, g (p - bound) at one
 *   open             F = g p: its impulse goes to zero and it is left out
 *
 * so that dF = A du + B dp with small blocks A, B of each unit, du = G dp, and the matrix A G + B has G's own pattern
 * (linalg/block_lu.h). Rows that hold get a proximal term, A (G + eps g) + B: contacts may be redundant. A step is
 * shortened until it reduces |F|.
 *
 * Where that does not settle, the island is softened, u + s g (p - c) with c the impulses so far, in stages (the
 * proximal point method): each softened problem is well posed and near the last one, and impulses travel r / (s g)
 * along a self-stress that leaves a velocity r. s goes down while the stages can be solved.
 */
#include <math.h>
#include <string.h>

#include "coulomb/sweep.h"

static const double LEAST_EPS = 1e-9, MOST_EPS = 1e-2; /* of a row's own compliance */
static const double EPS_SHARE = 1e-2;                  /* of the residual */
static const double DECREASE = 0.5;                    /* of a full step, least relative decrease of |F| */
static const double SHORTEN = 0.4;                     /* from one trial of a step to the next */
static const double STAGE = 0.1; /* of the residual wanted: how well a softened problem is solved */
enum { MOST_CUTS = 6, MOST_STALLED = 5 };

typedef crd_sweep_linear linear;

/* ------------------------------------------------------------------------------------------------ the natural map */

static void hold(const crd_sweep_unit *unit, int i, double u, double *F, linear *l) {
  F[i] = u;
  if (l) l->A[(unit->rows + 1) * i] = 1;
}

static void fix(const crd_sweep_unit *unit, int i, double g, double off, double *F, linear *l) {
  F[i] = g * off;
  if (l) l->B[(unit->rows + 1) * i] = g > 0 ? g : 1;
}

/* One friction, `count` rows from i. */
static void map_friction(const crd_sweep_unit *unit, int i, int count, double mu, double g, const double *p,
                         const double *u, double *F, linear *l) {
  int rows = unit->rows;
  double z[2], length = 0, radius = mu * g * fmax(0, p[0]);
  for (int t = 0; t < count; t++) z[t] = g * p[i + t] - u[i + t], length += z[t] * z[t];
  length = sqrt(length);
  if (mu == 0 || !(g > 0)) {
    for (int t = 0; t < count; t++) fix(unit, i + t, g, p[i + t], F, l);
  } else if (length <= radius) {
    for (int t = 0; t < count; t++) hold(unit, i + t, u[i + t], F, l);
  } else {
    double share = radius / length;
    for (int t = 0; t < count; t++) {
      F[i + t] = g * p[i + t] - share * z[t];
      if (!l) continue;
      l->B[rows * (i + t)] = -mu * g * z[t] / length;
      for (int s = 0; s < count; s++) {
        double across = (s == t) - z[t] * z[s] / (length * length);
        l->A[rows * (i + t) + i + s] = share * across;
        l->B[rows * (i + t) + i + s] = g * ((s == t) - share * across);
      }
    }
  }
}

static void map_contact(const crd_sweep_unit *unit, const crd_coulomb_contact *c, const double *weight, const double *p,
                        const double *u, double *F, linear *l) {
  const int count[] = {c->ntangent, c->nspin, c->nroll};
  const double mu[] = {c->mu, c->mu_spin, c->mu_roll};
  double g = weight[0];
  if (!(g > 0) || g * p[0] - u[0] <= 0) {
    for (int i = 0; i < unit->rows; i++) F[i] = weight[i] * p[i];
    if (l) l->open = true;
    return;
  }
  hold(unit, 0, u[0], F, l);
  for (int k = 0, row = 1; k < 3; row += count[k++]) {
    if (k > 0 || !c->slides) {
      map_friction(unit, row, count[k], mu[k], weight[row], p, u, F, l);
      continue;
    }
    for (int t = 0; t < count[0]; t++) {
      fix(unit, 1 + t, weight[1 + t], p[1 + t] + c->mu * p[0] * c->slide[t], F, l);
      if (l) l->B[unit->rows * (1 + t)] = weight[1 + t] * c->mu * c->slide[t];
    }
  }
}

static void map_unit(const crd_sweep_island *s, const crd_sweep_unit *unit, const double *p, const double *u, double *F,
                     linear *l) {
  const double *weight = s->weight + unit->row;
  if (l) memset(l, 0, sizeof *l);
  if (unit->kind == CRD_SWEEP_BILATERAL) {
    if (weight[0] > 0)
      hold(unit, 0, u[0], F, l);
    else
      fix(unit, 0, 0, 0, F, l);
  } else if (unit->kind == CRD_SWEEP_BOUNDED) {
    double g = weight[0], z = g * p[0] - u[0];
    if (g > 0 && z > g * unit->lower && z < g * unit->upper)
      hold(unit, 0, u[0], F, l);
    else
      fix(unit, 0, g, p[0] - (z > g * unit->lower ? unit->upper : unit->lower), F, l);
  } else {
    map_contact(unit, &s->contact[unit->id], weight, p, u, F, l);
  }
}

/* |F|^2; *worst: its largest component, m/s */
static double natural_map(const crd_sweep_island *s, const double *p, const double *u, double *worst) {
  double sum = 0, largest = 0, F[CRD_SWEEP_ROWS];
  for (int k = 0; k < s->nunit; k++) {
    const crd_sweep_unit *unit = &s->unit[k];
    map_unit(s, unit, p + unit->row, u + unit->row, F, NULL);
    for (int i = 0; i < unit->rows; i++) {
      sum += F[i] * F[i];
      if (!(fabs(F[i]) <= largest)) largest = fabs(F[i]);
    }
  }
  *worst = largest;
  return sum;
}

/* ------------------------------------------------------------------------------------------------ one step */

void crd_sweep_set_row(crd_sweep_memory *m, int k, const linear *l, double soft) {
  crd_sweep_island *s = &m->island;
  const crd_sweep_unit *unit = &s->unit[k];
  int rows = unit->rows, vectors = rows > 4 ? 2 : 1;
  const double *own = s->own + unit->own, *weight = s->weight + unit->row;
  double *rhs = m->newton_step + unit->row, *D = crd_block_lu_block(&m->lu, k, k), *block = NULL;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < rows; j++) {
      double sum = l->B[rows * i + j] + l->A[rows * i + j] * soft * weight[j];
      for (int t = 0; t < rows; t++) sum += l->A[rows * i + t] * own[rows * t + j];
      D[rows * i + j] = sum;
    }
  for (int c = 0, last = -1; c < unit->count; c++) {
    int column = s->column[unit->column + c], other = m->unit_of[column];
    const double *G = (const double *)(s->value + unit->value + (size_t)(vectors * c));
    double entry[CRD_SWEEP_ROWS];
    for (int i = 0; i < rows; i++) {
      entry[i] = 0;
      for (int t = 0; t < rows; t++) entry[i] += l->A[rows * i + t] * G[t];
    }
    if (m->open[other]) {
      for (int i = 0; i < rows; i++) rhs[i] -= entry[i] * m->newton_step[column];
      continue;
    }
    if (other != last) block = crd_block_lu_block(&m->lu, k, other), last = other;
    int width = s->unit[other].rows, at = column - s->unit[other].row;
    for (int i = 0; i < rows; i++) block[width * i + at] = entry[i];
  }
}

/* newton_step: dp of a Newton step from p with velocities u. False: singular. */
static bool step(crd_sweep_memory *m, const double *p, const double *u, double soft) {
  crd_sweep_island *s = &m->island;
  double F[CRD_SWEEP_ROWS];
  linear l;
  crd_block_lu_clear(&m->lu);
  for (int k = 0; k < s->nunit; k++) {
    const crd_sweep_unit *unit = &s->unit[k];
    map_unit(s, unit, p + unit->row, u + unit->row, F, &l);
    m->open[k] = l.open;
    if (!l.open) continue;
    crd_block_lu_skip(&m->lu, k);
    for (int i = 0; i < unit->rows; i++) m->newton_step[unit->row + i] = -p[unit->row + i];
  }
  for (int k = 0; k < s->nunit; k++) {
    const crd_sweep_unit *unit = &s->unit[k];
    if (m->open[k]) continue;
    map_unit(s, unit, p + unit->row, u + unit->row, F, &l);
    for (int i = 0; i < unit->rows; i++) m->newton_step[unit->row + i] = -F[i];
    crd_sweep_set_row(m, k, &l, soft);
  }
  if (!crd_block_lu_factor(&m->lu)) return false;
  crd_block_lu_solve(&m->lu, m->unit_row, m->newton_step);
  return true;
}

/* ------------------------------------------------------------------------------------------------ iteration */

typedef struct softness {
  double s; /* of the rows' own compliance */
  const double *center;
} softness;

/* u = w + G p + s g (p - c) */
static void velocity(const crd_sweep_island *s, const softness *soft, const double *p, double *u) {
  crd_sweep_velocity(s, p, u);
  for (int i = 0; soft->s > 0 && i < s->n; i++) u[i] += soft->s * s->weight[i] * (p[i] - soft->center[i]);
}

/* The longest of a few steps that reduces |F| enough, else the best of them; p and u move there. */
static double search_line(crd_sweep_memory *m, const softness *soft, double *norm, double *worst, bool *fell) {
  crd_sweep_island *s = &m->island;
  double before = *norm, best = INFINITY, best_share = 1, share = 1, residual;
  for (int i = 0; i < s->n; i++) m->trial[i] = m->p[i] + m->newton_step[i];
  velocity(s, soft, m->trial, m->trial_u);
  for (int i = 0; i < s->n; i++) m->trial_u[i] -= m->u[i]; /* du */
  for (int cut = 0; cut < MOST_CUTS; cut++, share *= SHORTEN) {
    for (int i = 0; i < s->n; i++) {
      m->trial[i] = m->p[i] + share * m->newton_step[i];
      m->shifted_u[i] = m->u[i] + share * m->trial_u[i];
    }
    *norm = natural_map(s, m->trial, m->shifted_u, &residual);
    if (*norm < best) best = *norm, best_share = share;
    if (sqrt(*norm) <= (1 - DECREASE * share) * sqrt(before)) break;
  }
  for (int i = 0; i < s->n; i++) m->p[i] += best_share * m->newton_step[i];
  velocity(s, soft, m->p, m->u);
  *norm = natural_map(s, m->p, m->u, worst);
  *fell = best < before;
  return *worst;
}

/* From memory->p until |F| is at most `enough`; leaves the best p there and returns its |F|, m/s. */
static double iterate(crd_sweep_memory *m, const crd_dense_task *task, const softness *soft, int steps, double enough) {
  crd_sweep_island *s = &m->island;
  size_t bytes = sizeof(double) * (size_t)s->n;
  double worst, best;
  velocity(s, soft, m->p, m->u);
  double norm = natural_map(s, m->p, m->u, &worst);
  best = worst;
  memcpy(m->newton_best, m->p, bytes);
  for (int k = 0, stalled = 0; k < steps && stalled < MOST_STALLED && best > enough; k++) {
    if (task->options->stop && task->options->stop(task->options->context)) break;
    double eps = fmin(MOST_EPS, fmax(LEAST_EPS, EPS_SHARE * worst / task->scale));
    bool fell;
    if (!step(m, m->p, m->u, soft->s + eps)) break;
    task->report->factorizations++;
    search_line(m, soft, &norm, &worst, &fell);
    stalled = fell ? 0 : stalled + 1;
    if (worst < best) best = worst, memcpy(m->newton_best, m->p, bytes);
  }
  memcpy(m->p, m->newton_best, bytes);
  return best;
}

double crd_sweep_newton(crd_sweep_memory *m, const crd_dense_task *task, int steps, double enough) {
  return iterate(m, task, &(softness){0}, steps, enough);
}

double crd_sweep_harden(crd_sweep_memory *m, const crd_dense_task *task, double enough) {
  static const double SOFTEST = 0.1, HARDEN = 0.3, SOFTEN = 3; /* s at first, after a stage solved, and after one not */
  enum { STAGES = 40, STAGE_STEPS = 20 };
  crd_sweep_island *s = &m->island;
  size_t bytes = sizeof *m->p * (size_t)s->n;
  softness soft = {SOFTEST, m->center};
  double best = INFINITY;
  for (int stage = 0; stage < STAGES && best > enough; stage++) {
    memcpy(m->center, m->p, bytes);
    bool solved = iterate(m, task, &soft, STAGE_STEPS, STAGE * enough) <= enough;
    double residual = crd_sweep_residual(s, m->p);
    if (residual < best) best = residual, memcpy(m->answer, m->p, bytes);
    soft.s = solved ? HARDEN * soft.s : fmin(SOFTEST, SOFTEN * soft.s);
  }
  memcpy(m->p, m->answer, bytes);
  return best;
}

/* ------------------------------------------------------------------------------------------------ pattern */

/* Neighbours of each unit, both ways, and the factor's pattern; CRD_LIMIT: a factor costs more than `most`. */
crd_status crd_sweep_analyse(crd_sweep_memory *m, double most) {
  crd_sweep_island *s = &m->island;
  int *first = m->neighbour_first, *count = m->neighbour_mark, used = 0;
  for (int k = 0; k < s->nunit; k++) {
    m->unit_size[k] = s->unit[k].rows, m->unit_row[k] = s->unit[k].row;
    for (int i = 0; i < s->unit[k].rows; i++) m->unit_of[s->unit[k].row + i] = k;
  }
  /* every block (i, j) is listed in row i and row j, then rows are freed of repetitions */
  memset(first, 0, sizeof *first * (size_t)(s->nunit + 1));
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < s->nunit; k++) {
      const crd_sweep_unit *unit = &s->unit[k];
      for (int c = 0, last = -1; c < unit->count; c++) {
        int other = m->unit_of[s->column[unit->column + c]];
        if (other == last) continue;
        last = other;
        if (pass == 0)
          first[k + 1]++, first[other + 1]++;
        else
          m->neighbour[count[k]++] = other, m->neighbour[count[other]++] = k;
      }
    }
    if (pass == 1) break;
    for (int k = 0; k < s->nunit; k++) first[k + 1] += first[k], count[k] = first[k];
  }
  for (int k = 0; k < s->nunit; k++) count[k] = -1;
  for (int k = 0, from = 0; k < s->nunit; k++) {
    int end = first[k + 1];
    first[k] = used;
    for (int c = from; c < end; c++)
      if (count[m->neighbour[c]] != k) count[m->neighbour[c]] = k, m->neighbour[used++] = m->neighbour[c];
    from = end;
  }
  first[s->nunit] = used;
  return crd_block_lu_analyse(&m->lu, s->nunit, m->unit_size, first, m->neighbour, most);
}
