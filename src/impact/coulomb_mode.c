/* The linear system of a mode: A x = -b in the rows that must come to rest, A_ij = (row i of W) (generator j). Rows and
 * columns are scaled by 1/sqrt(W_rr), so that contacts of unlike inertia do not look singular beside each other. */
#include "impact/coulomb_mode.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"

/* Below this reciprocal condition a mode's impulses count as undetermined. */
static const double singular = 1e-11;

/* Contacts among whose undetermined impulses others than those of least norm are looked for: it takes some twenty rows
 * of a complementarity problem for each. */
enum { MOST_CHOSEN = 12 };

static size_t at(int columns, int i, int j) { return (size_t)columns * (size_t)i + (size_t)j; }

static double unit_of(double compliance) { return compliance > 0 ? 1 / sqrt(compliance) : 1; }

crd_status coulomb_work_new(coulomb_work *work, const crd_cones *problem, crd_impact_result *memory) {
  crd_arena *arena = &memory->arena;
  size_t m = (size_t)problem->m, nc = (size_t)problem->nc, d = sizeof(double);
  *work = (coulomb_work){.problem = problem, .memory = memory};
  work->mode = crd_arena_alloc(arena, nc, sizeof *work->mode);
  work->direction = crd_arena_alloc(arena, 2 * nc, d);
  work->row = crd_arena_alloc(arena, m, sizeof *work->row),
  work->owner = crd_arena_alloc(arena, m, sizeof *work->owner);
  work->pivot = crd_arena_alloc(arena, m, sizeof *work->pivot);
  work->iwork = crd_arena_alloc(arena, m, sizeof *work->iwork);
  work->A = crd_arena_alloc(arena, m * m, d), work->svd = crd_arena_alloc(arena, 2 * m * m, d);
  work->scale = crd_arena_alloc(arena, m, d), work->x = crd_arena_alloc(arena, m, d);
  work->p = crd_arena_alloc(arena, m, d), work->w = crd_arena_alloc(arena, m, d);
  work->values = crd_arena_alloc(arena, m, d), work->many = crd_arena_alloc(arena, m * (m > 4 ? m : 4), d);
  work->work = crd_arena_alloc(arena, 4 * m + crd_dense_svd_work(problem->m, problem->m), d);
  if (!work->mode || !work->direction || !work->row || !work->owner || !work->pivot || !work->iwork || !work->A ||
      !work->svd || !work->scale || !work->x || !work->p || !work->w || !work->values || !work->many || !work->work)
    return CRD_ERR_MEMORY;
  for (int r = 0; r < problem->m; r++) work->scale[r] = unit_of(problem->W[at(problem->m, r, r)]);
  /* one unit for both tangents, so that impulses of least norm do not depend on how they are turned */
  for (int c = 0; c < problem->nc; c++) {
    int r = problem->contact[c].row;
    if (problem->contact[c].ntangent < 2) continue;
    double trace = problem->W[at(problem->m, r + 1, r + 1)] + problem->W[at(problem->m, r + 2, r + 2)];
    work->scale[r + 1] = work->scale[r + 2] = unit_of(0.5 * trace);
  }
  return CRD_OK;
}

static bool slips(crd_cones_mode mode) {
  return mode == CRD_CONES_SLIP_PLUS || mode == CRD_CONES_SLIP_MINUS || mode == CRD_CONES_SLIP;
}

static void add_unknown(coulomb_work *work, int contact, int row) {
  work->owner[work->count] = contact;
  work->row[work->count++] = row;
}

void coulomb_collect(coulomb_work *work, int without) {
  work->count = 0;
  for (int c = 0; c < work->problem->nc; c++) {
    const crd_cones_contact *contact = &work->problem->contact[c];
    if (c == without || work->mode[c] == CRD_CONES_SEPARATE) continue;
    add_unknown(work, c, contact->row);
    for (int t = 1; t <= contact->ntangent && work->mode[c] == CRD_CONES_STICK; t++)
      add_unknown(work, c, contact->row + t);
  }
}

double coulomb_generator(const coulomb_work *work, int r, int j) {
  const crd_cones *problem = work->problem;
  int c = work->owner[j];
  const double *row = problem->W + at(problem->m, r, work->row[j]);
  double sum = row[0];
  if (slips(work->mode[c]))
    for (int t = 0; t < problem->contact[c].ntangent; t++)
      sum -= problem->contact[c].mu * work->direction[2 * c + t] * row[1 + t];
  return sum;
}

static void build(coulomb_work *work) {
  for (int i = 0; i < work->count; i++)
    for (int j = 0; j < work->count; j++)
      work->A[at(work->count, i, j)] =
          work->scale[work->row[i]] * work->scale[work->row[j]] * coulomb_generator(work, work->row[i], j);
}

int coulomb_factor(coulomb_work *work) {
  int k = work->count;
  double *U = work->svd, *V = U + at(k, k, 0);
  build(work);
  work->rank = k;
  if (crd_lu_factor(k, work->A, work->pivot, work->work, work->iwork) > singular) return 0;
  build(work);
  work->rank = 0;
  if (crd_dense_svd(k, k, work->A, U, work->values, V, work->work))
    while (work->rank < k && work->values[work->rank] > singular * work->values[0]) work->rank++;
  return k - work->rank;
}

/* x = V' diag(1/values) U' x, the singular values that count as zero left out. */
static void least_norm(coulomb_work *work, double *x) {
  int k = work->count;
  const double *U = work->svd, *V = U + at(k, k, 0);
  double *along = work->work;
  for (int r = 0; r < work->rank; r++) {
    along[r] = 0;
    for (int i = 0; i < k; i++) along[r] += U[at(k, i, r)] * x[i] / work->values[r];
  }
  memset(x, 0, sizeof *x * (size_t)k);
  for (int r = 0; r < work->rank; r++)
    for (int j = 0; j < k; j++) x[j] += V[at(k, r, j)] * along[r];
}

static void rescale(const coulomb_work *work, int count, double *x) {
  for (int s = 0; s < count; s++)
    for (int i = 0; i < work->count; i++) x[at(work->count, s, i)] *= work->scale[work->row[i]];
}

void coulomb_solve(coulomb_work *work, int count, double *x) {
  rescale(work, count, x);
  if (work->rank == work->count)
    crd_lu_solve(work->count, work->A, work->pivot, count, x);
  else
    for (int s = 0; s < count; s++) least_norm(work, x + at(work->count, s, 0));
  rescale(work, count, x);
}

void coulomb_solve_mode(coulomb_work *work) {
  for (int j = 0; j < work->count; j++) work->x[j] = -work->problem->b[work->row[j]];
  coulomb_solve(work, 1, work->x);
  coulomb_expand(work, work->x);
  coulomb_velocity(work);
}

void coulomb_expand(coulomb_work *work, const double *x) {
  const crd_cones *problem = work->problem;
  memset(work->p, 0, sizeof *work->p * (size_t)problem->m);
  for (int j = 0; j < work->count; j++) {
    int c = work->owner[j];
    work->p[work->row[j]] += x[j];
    if (slips(work->mode[c]))
      for (int t = 0; t < problem->contact[c].ntangent; t++)
        work->p[work->row[j] + 1 + t] -= problem->contact[c].mu * work->direction[2 * c + t] * x[j];
  }
}

void coulomb_velocity(coulomb_work *work) {
  const crd_cones *problem = work->problem;
  for (int r = 0; r < problem->m; r++)
    work->w[r] = problem->b[r] + crd_dense_dot(problem->m, problem->W + at(problem->m, r, 0), work->p);
}

/* Whether p and w of a contact agree with its mode. Written from the law, not from the system that was solved. */
static bool holds(const coulomb_work *work, int c) {
  const crd_cones *problem = work->problem;
  const crd_cones_contact *contact = &problem->contact[c];
  const double *p = work->p + contact->row, *w = work->w + contact->row, *d = work->direction + 2 * c;
  double tolerance = 0.1 * problem->tolerance, slow = tolerance * problem->velocity,
         weak = tolerance * problem->impulse;
  if (work->mode[c] == CRD_CONES_SEPARATE) return w[0] >= -slow;
  if (p[0] < -weak || fabs(w[0]) > slow) return false;
  double friction = 0, speed = 0, along = 0;
  for (int t = 0; t < contact->ntangent; t++) {
    friction = hypot(friction, p[1 + t]), speed = hypot(speed, w[1 + t]);
    along += d[t] * w[1 + t];
  }
  if (work->mode[c] == CRD_CONES_STICK) return speed <= slow && friction <= contact->mu * p[0] + weak;
  return along >= -slow && fabs(speed - fabs(along)) <= slow;
}

static bool all_hold(const coulomb_work *work) {
  for (int c = 0; c < work->problem->nc; c++)
    if (!holds(work, c)) return false;
  return true;
}

crd_status coulomb_offer(coulomb_work *work, int freedom) {
  if (!all_hold(work)) {
    if (freedom == 0) return CRD_OK;
    if (work->problem->nc > MOST_CHOSEN) return work->report->undecided = true, CRD_OK;
    crd_status status = coulomb_choose(work);
    if (status == CRD_OK && !all_hold(work)) status = CRD_UNKNOWN;
    if (status < 0) return status;
    if (status != CRD_OK) {
      bool spatial = false; /* a polygon that is too small proves nothing */
      for (int c = 0; c < work->problem->nc; c++) spatial |= work->problem->contact[c].ntangent == 2;
      work->report->undecided |= spatial || status != CRD_NO_SOLUTION;
      return CRD_OK;
    }
  }
  return work->sink(work->context,
                    &(crd_cones_answer){.p = work->p, .w = work->w, .mode = work->mode, .freedom = freedom});
}
