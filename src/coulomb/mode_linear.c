/* The linear system of a mode (mode.h). Equations are scaled by 1/sqrt(G_rr), so that contacts of unlike inertia do not
 * look singular beside each other, and unknowns by the length of their generator in these units, so that |y| is that of
 * the impulses. Columns are balanced before A is called singular: mu = 1e12 makes nothing singular. Cost: n count for
 * the generators, count^3 for A. */
#include <math.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/mode.h"
#include "linalg/dense.h"
#include "linalg/lu.h"

static void *take(crd_arena *arena, size_t count, size_t size, bool *ok) {
  void *memory = crd_arena_alloc(arena, count, size);
  *ok &= memory != NULL;
  return memory;
}

static bool allocate(coulomb_mode *mode, crd_arena *arena) {
  const crd_coulomb_problem *problem = mode->problem;
  size_t n = (size_t)problem->n, nc = (size_t)problem->ncontact, d = sizeof(double);
  bool ok = true;
  mode->closed = take(arena, nc, sizeof *mode->closed, &ok);
  mode->first = take(arena, nc + 1, sizeof *mode->first, &ok);
  mode->friction = take(arena, CRD_COULOMB_FRICTIONS * nc, sizeof *mode->friction, &ok);
  mode->bound = take(arena, (size_t)problem->nbounded, sizeof *mode->bound, &ok);
  mode->row = take(arena, n, sizeof *mode->row, &ok), mode->owner = take(arena, n, sizeof *mode->owner, &ok);
  mode->pivot = take(arena, n, sizeof *mode->pivot, &ok), mode->iwork = take(arena, n, sizeof *mode->iwork, &ok);
  mode->b = take(arena, n, d, &ok), mode->scale = take(arena, n, d, &ok);
  mode->known = take(arena, n, d, &ok), mode->rest = take(arena, n, d, &ok);
  mode->column = take(arena, n * n, d, &ok), mode->unit = take(arena, n, d, &ok), mode->factor = take(arena, n, d, &ok);
  mode->A = take(arena, n * n, d, &ok), mode->U = take(arena, n * n, d, &ok), mode->V = take(arena, n * n, d, &ok);
  mode->sigma = take(arena, n, d, &ok), mode->x = take(arena, n, d, &ok);
  mode->p = take(arena, n, d, &ok), mode->u = take(arena, n, d, &ok);
  mode->offset = take(arena, n, d, &ok), mode->spare = take(arena, n, d, &ok);
  mode->many = take(arena, n * (n > 4 ? n : 4), d, &ok);
  mode->work = take(arena, 4 * n + crd_dense_svd_work(problem->n, problem->n), d, &ok);
  return ok;
}

static double diagonal(const coulomb_mode *mode, int r) { return mode->problem->G[coulomb_at(mode->n, r, r)]; }

/* One compliance for both rows of a plane, whichever way they point. */
static void share(coulomb_mode *mode, int row) {
  mode->scale[row] = mode->scale[row + 1] = 0.5 * (mode->scale[row] + mode->scale[row + 1]);
}

/* Is the row's velocity in rad/s? */
static bool turns(const coulomb_mode *mode, int row) {
  for (int k = 0; k < mode->nfriction; k++) {
    const crd_coulomb_friction *f = &mode->friction[k].rows;
    if (f->turns && row >= f->row && row < f->row + f->count) return true;
  }
  return false;
}

/* A row without compliance gets the unit of the softest: any will do, if it changes with the units of the problem. */
static void set_scales(coulomb_mode *mode) {
  double softest = 0;
  for (int r = 0; r < mode->n; r++) mode->scale[r] = diagonal(mode, r), softest = fmax(softest, mode->scale[r]);
  for (int k = 0; k < mode->nfriction; k++)
    if (mode->friction[k].rows.count == 2) share(mode, mode->friction[k].rows.row);
  for (int c = 0; c < mode->problem->ncontact; c++) {
    const crd_coulomb_contact *contact = &mode->problem->contact[c];
    if (contact->slides && contact->ntangent == 2) share(mode, contact->row + 1);
  }
  for (int r = 0; r < mode->n; r++) {
    double g = mode->scale[r] > 0 ? mode->scale[r] : softest;
    mode->scale[r] = g > 0 ? 1 / sqrt(g) : 1;
  }
  double velocity = crd_coulomb_scale(mode->problem), soft = 0;
  for (int r = 0; r < mode->n; r++)
    if (!turns(mode, r)) soft = fmax(soft, mode->scale[r]);
  mode->energy = velocity * soft;
}

crd_status coulomb_mode_begin(coulomb_mode *mode, const crd_coulomb_problem *problem, double tolerance,
                              crd_arena *arena) {
  *mode = (coulomb_mode){.problem = problem, .n = problem->n, .tolerance = tolerance, .arena = arena};
  if (!allocate(mode, arena)) return CRD_ERR_MEMORY;
  memcpy(mode->b, problem->w, sizeof *mode->b * (size_t)mode->n);
  for (int c = 0; c < problem->ncontact; c++) {
    crd_coulomb_friction friction[CRD_COULOMB_FRICTIONS];
    int count = crd_coulomb_frictions(&problem->contact[c], friction);
    mode->b[problem->contact[c].row] -= problem->contact[c].target;
    mode->first[c] = mode->nfriction;
    for (int k = 0; k < count; k++)
      mode->friction[mode->nfriction++] = (coulomb_mode_friction){.rows = friction[k], .contact = c};
  }
  mode->first[problem->ncontact] = mode->nfriction;
  set_scales(mode);
  return CRD_OK;
}

static void add_column(const coulomb_mode *mode, int row, double factor, double *column) {
  for (int i = 0; i < mode->n; i++) column[i] += factor * mode->problem->G[coulomb_at(mode->n, i, row)];
}

void coulomb_mode_generator(const coulomb_mode *mode, int c, int without, double *column) {
  const crd_coulomb_contact *contact = &mode->problem->contact[c];
  memset(column, 0, sizeof *column * (size_t)mode->n);
  add_column(mode, contact->row, 1, column);
  for (int t = 0; t < contact->ntangent && contact->slides; t++)
    add_column(mode, contact->row + 1 + t, -contact->mu * contact->slide[t], column);
  for (int k = mode->first[c]; k < mode->first[c + 1]; k++) {
    const coulomb_mode_friction *f = &mode->friction[k];
    for (int t = 0; t < f->rows.count && f->slips && !f->open && k != without; t++)
      add_column(mode, f->rows.row + t, -f->rows.mu * f->d[t], column);
  }
}

static void add_unknown(coulomb_mode *mode, int row, int owner) {
  mode->row[mode->count] = row, mode->owner[mode->count] = owner;
  mode->count++;
}

static void collect_contact(coulomb_mode *mode, int c, int without) {
  int normal = mode->problem->contact[c].row;
  if (!mode->closed[c]) return;
  if (normal != without) add_unknown(mode, normal, c);
  for (int k = mode->first[c]; k < mode->first[c + 1]; k++) {
    const coulomb_mode_friction *f = &mode->friction[k];
    for (int t = 0; t < f->rows.count && (!f->slips || f->open); t++) add_unknown(mode, f->rows.row + t, -1);
  }
}

static void set_known(coulomb_mode *mode) {
  const crd_coulomb_problem *problem = mode->problem;
  memset(mode->known, 0, sizeof *mode->known * (size_t)mode->n);
  memcpy(mode->rest, mode->b, sizeof *mode->rest * (size_t)mode->n);
  for (int i = 0; i < problem->nbounded; i++) {
    const crd_coulomb_bounded *b = &problem->bounded[i];
    if (mode->bound[i] == COULOMB_BETWEEN) continue;
    mode->known[b->row] = mode->bound[i] == COULOMB_AT_LOWER ? b->lower : b->upper;
    add_column(mode, b->row, mode->known[b->row], mode->rest);
  }
}

/* 1 / |g|, g measured by the compliance of its rows. */
static double unit_of(const coulomb_mode *mode, int c) {
  const crd_coulomb_contact *contact = &mode->problem->contact[c];
  double length = 1 / mode->scale[contact->row];
  for (int t = 0; t < contact->ntangent && contact->slides; t++)
    length = hypot(length, contact->mu * contact->slide[t] / mode->scale[contact->row + 1 + t]);
  for (int k = mode->first[c]; k < mode->first[c + 1]; k++) {
    const crd_coulomb_friction *f = &mode->friction[k].rows;
    if (mode->friction[k].slips && !mode->friction[k].open) length = hypot(length, f->mu / mode->scale[f->row]);
  }
  return 1 / length;
}

void coulomb_mode_turn(coulomb_mode *mode) {
  for (int j = 0; j < mode->count; j++) {
    mode->unit[j] = mode->scale[mode->row[j]];
    if (mode->owner[j] < 0) continue;
    mode->unit[j] = unit_of(mode, mode->owner[j]);
    coulomb_mode_generator(mode, mode->owner[j], -1, mode->column + coulomb_at(mode->n, j, 0));
  }
}

void coulomb_mode_collect(coulomb_mode *mode, int without) {
  const crd_coulomb_problem *problem = mode->problem;
  mode->count = 0;
  for (int c = 0; c < problem->ncontact; c++) collect_contact(mode, c, without);
  for (int i = 0; i < problem->nbilateral; i++) add_unknown(mode, problem->bilateral[i], -1);
  for (int i = 0; i < problem->nbounded; i++)
    if (mode->bound[i] == COULOMB_BETWEEN) add_unknown(mode, problem->bounded[i].row, -1);
  for (int j = 0; j < mode->count; j++) {
    double *column = mode->column + coulomb_at(mode->n, j, 0);
    memset(column, 0, sizeof *column * (size_t)mode->n);
    add_column(mode, mode->row[j], 1, column);
  }
  coulomb_mode_turn(mode);
  set_known(mode);
}

/* Columns of A; balanced: each of the length 1. */
static void build(coulomb_mode *mode, bool balanced) {
  for (int j = 0; j < mode->count; j++) {
    double length = 0;
    mode->factor[j] = mode->unit[j];
    for (int i = 0; i < mode->count; i++) {
      double a = mode->scale[mode->row[i]] * mode->unit[j] * mode->column[coulomb_at(mode->n, j, mode->row[i])];
      mode->A[coulomb_at(mode->count, i, j)] = a, length += a * a;
    }
    if (!balanced || !(length > 0)) continue;
    length = sqrt(length);
    mode->factor[j] /= length;
    for (int i = 0; i < mode->count; i++) mode->A[coulomb_at(mode->count, i, j)] /= length;
  }
}

int coulomb_mode_factor(coulomb_mode *mode) {
  int k = mode->count;
  build(mode, true);
  mode->rank = k;
  if (crd_lu_factor(k, mode->A, mode->pivot, mode->work, mode->iwork) > CRD_ACCURACY.eliminated) return 0;
  build(mode, false);
  mode->rank = 0;
  if (crd_dense_svd(k, k, mode->A, mode->U, mode->sigma, mode->V, mode->work))
    while (mode->rank < k && mode->sigma[mode->rank] > CRD_ACCURACY.eliminated * mode->sigma[0]) mode->rank++;
  return k - mode->rank;
}

/* x = V' diag(1/sigma) U' x, the singular values that count as zero left out. */
static void least_norm(coulomb_mode *mode, double *x) {
  int k = mode->count;
  double *along = mode->work;
  for (int r = 0; r < mode->rank; r++) {
    along[r] = 0;
    for (int i = 0; i < k; i++) along[r] += mode->U[coulomb_at(k, i, r)] * x[i] / mode->sigma[r];
  }
  memset(x, 0, sizeof *x * (size_t)k);
  for (int r = 0; r < mode->rank; r++)
    for (int j = 0; j < k; j++) x[j] += mode->V[coulomb_at(k, r, j)] * along[r];
}

void coulomb_mode_solve(coulomb_mode *mode, int count, double *x) {
  int k = mode->count;
  for (int s = 0; s < count; s++)
    for (int i = 0; i < k; i++) x[coulomb_at(k, s, i)] *= mode->scale[mode->row[i]];
  if (mode->rank == k)
    crd_lu_solve(k, mode->A, mode->pivot, count, x);
  else
    for (int s = 0; s < count; s++) least_norm(mode, x + coulomb_at(k, s, 0));
  for (int s = 0; s < count; s++)
    for (int j = 0; j < k; j++) x[coulomb_at(k, s, j)] *= mode->factor[j];
}

void coulomb_mode_answer(coulomb_mode *mode) {
  for (int j = 0; j < mode->count; j++) mode->x[j] = -mode->rest[mode->row[j]];
  coulomb_mode_solve(mode, 1, mode->x);
  coulomb_mode_expand(mode);
}

static void expand_contact(coulomb_mode *mode, int c, double x) {
  const crd_coulomb_contact *contact = &mode->problem->contact[c];
  for (int t = 0; t < contact->ntangent && contact->slides; t++)
    mode->p[contact->row + 1 + t] = -contact->mu * contact->slide[t] * x;
  for (int k = mode->first[c]; k < mode->first[c + 1]; k++) {
    const coulomb_mode_friction *f = &mode->friction[k];
    for (int t = 0; t < f->rows.count && f->slips; t++) mode->p[f->rows.row + t] = -f->rows.mu * f->d[t] * x;
  }
}

void coulomb_mode_expand(coulomb_mode *mode) {
  memcpy(mode->p, mode->known, sizeof *mode->p * (size_t)mode->n);
  for (int j = 0; j < mode->count; j++) {
    mode->p[mode->row[j]] = mode->x[j];
    if (mode->owner[j] >= 0) expand_contact(mode, mode->owner[j], mode->x[j]);
  }
  crd_coulomb_residual_parts parts;
  crd_coulomb_residual(mode->problem, mode->p, mode->u, &parts);
  mode->residual = parts.worst;
}
