/* Forces of contacts in given modes.
 *
 * Unknown are the normal forces of the contacts that hold, both tangential forces of those that stick, and the
 * bilateral forces. A sliding contact pushes along J_n' - mu sum_k d_k J_tk', so that the equations
 *
 *   sum_j [W_ij - mu_j sum_k d_jk W_i,tk] f_j = -a_free,i
 *
 * are not symmetric there. They are scaled to unit diagonals of W. Where rows depend on each other (four corners of a
 * box) the forces of least norm are taken, in a norm in which tangential forces count less where the normal force is
 * large, |f_t|^2/f_n: a box that neither turns nor slides then has friction in proportion to the load of its corners,
 * and sticks whenever the sum allows it. Accelerations do not depend on that choice. */
#include "sim/event_force.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"

/* Equations whose condition number is larger than 1 / DEPENDENT have dependent rows. */
static const double DEPENDENT = 1e-11, RANK_TOLERANCE = 1e-9;

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

double crd_force_scale(const crd_contact_problem *problem, const double *a_free) {
  double scale = 0;
  for (int i = 0; i < problem->nrow + problem->nb; i++) scale = fmax(scale, fabs(a_free[i]));
  return scale > 0 ? scale : 1;
}

/* One unknown: its row of the problem, and for the normal of a sliding contact that contact. */
typedef struct unknown {
  int row, slides; /* contact, or -1 */
  int contact;     /* -1: bilateral */
} unknown;

static int list_unknowns(const crd_contact_problem *problem, const crd_held *held, unknown *list) {
  int n = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (held[c].hold == CRD_HOLD_OPEN || held[c].hold == CRD_HOLD_IDLE) continue;
    list[n++] = (unknown){contact->row, held[c].hold == CRD_HOLD_SLIP ? c : -1, c};
    for (int k = 0; held[c].hold == CRD_HOLD_STICK && k < contact->ntangent; k++)
      list[n++] = (unknown){contact->row + 1 + k, -1, c};
  }
  for (int b = 0; b < problem->nb; b++) list[n++] = (unknown){problem->nrow + b, -1, -1};
  return n;
}

static double coefficient(const crd_contact_problem *problem, const crd_held *held, int row, const unknown *column) {
  int m = problem->nrow + problem->nb;
  double entry = problem->W[at(m, row, column->row)];
  if (column->slides < 0) return entry;
  const crd_contact *contact = &problem->contact[column->slides];
  for (int k = 0; k < contact->ntangent; k++)
    entry -= contact->mu * held[column->slides].d[k] * problem->W[at(m, row, contact->row + 1 + k)];
  return entry;
}

typedef struct equations {
  int n;
  unknown *list;
  double *A, *r, *scale;      /* n x n and n, scaled; scale: 1/sqrt(W_ii) */
  double *lu, *x, *work;      /* scratch */
  double *weighted, *inverse; /* n x n */
  int *pivot, *iwork;
} equations;

static crd_status set_up(equations *e, const crd_force_problem *force, const crd_held *held, crd_arena *arena) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb;
  e->list = crd_arena_alloc(arena, (size_t)m + 1, sizeof *e->list);
  if (!e->list) return CRD_ERR_MEMORY;
  e->n = list_unknowns(problem, held, e->list);
  size_t n = (size_t)e->n + 1, d = sizeof(double);
  e->A = crd_arena_alloc(arena, n * n, d), e->lu = crd_arena_alloc(arena, n * n, d);
  e->weighted = crd_arena_alloc(arena, n * n, d), e->inverse = crd_arena_alloc(arena, n * n, d);
  e->r = crd_arena_alloc(arena, n, d), e->scale = crd_arena_alloc(arena, n, d), e->x = crd_arena_alloc(arena, n, d);
  e->work = crd_arena_alloc(arena, crd_dense_pseudo_inverse_work(e->n, e->n) + 4 * n, d);
  e->pivot = crd_arena_alloc(arena, n, sizeof(int)), e->iwork = crd_arena_alloc(arena, n, sizeof(int));
  if (!e->A || !e->lu || !e->weighted || !e->inverse || !e->r || !e->scale || !e->x || !e->work || !e->pivot ||
      !e->iwork)
    return CRD_ERR_MEMORY;
  for (int i = 0; i < e->n; i++) {
    double diagonal = problem->W[at(m, e->list[i].row, e->list[i].row)];
    e->scale[i] = diagonal > 0 ? 1 / sqrt(diagonal) : 1;
  }
  for (int i = 0; i < e->n; i++) {
    e->r[i] = -force->a_free[e->list[i].row] * e->scale[i];
    for (int j = 0; j < e->n; j++)
      e->A[at(e->n, i, j)] = coefficient(problem, held, e->list[i].row, &e->list[j]) * e->scale[i] * e->scale[j];
  }
  return CRD_OK;
}

/* The same for symmetric equations (nothing slides) by proximal points: x += D (D A D + eps)^-1 D (r - A x) from x = 0
 * stays in the range of D A D and loses all but eps/(eps + lambda) of the error in each step; cheap, but without the
 * rank. False: it does not arrive. */
static bool by_proximal_points(equations *e, const double *weight) {
  const double eps = 1e-9;
  int n = e->n;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      e->weighted[at(n, i, j)] = weight[i] * e->A[at(n, i, j)] * weight[j] + (i == j ? eps : 0);
  if (!crd_dense_cholesky(n, e->weighted)) return false;
  double size = 0, left = INFINITY;
  for (int i = 0; i < n; i++) e->x[i] = 0, size = fmax(size, fabs(e->r[i]));
  for (int round = 0; round < 6; round++) {
    for (int i = 0; i < n; i++) e->work[i] = weight[i] * (e->r[i] - crd_dense_dot(n, e->A + at(n, i, 0), e->x));
    double now = 0;
    for (int i = 0; i < n; i++) now = fmax(now, fabs(e->work[i]));
    if (now >= 0.5 * left) break;
    left = now;
    crd_dense_cholesky_solve(n, e->weighted, 1, e->work);
    for (int i = 0; i < n; i++) e->x[i] += weight[i] * e->work[i];
  }
  return left <= 1e-11 * size;
}

/* x of least weighted norm with A x = r: x = D (A D)^+ r, D = diag(weight). Returns the rank (n where it was not asked
 * for), -1: no convergence. */
static int least_norm(equations *e, const double *weight, bool with_rank) {
  bool symmetric = true;
  for (int i = 0; i < e->n; i++) symmetric = symmetric && e->list[i].slides < 0;
  if (symmetric && !with_rank && by_proximal_points(e, weight)) return e->n;
  for (int i = 0; i < e->n; i++)
    for (int j = 0; j < e->n; j++) e->weighted[at(e->n, i, j)] = e->A[at(e->n, i, j)] * weight[j];
  int rank = crd_dense_pseudo_inverse(e->n, e->n, e->weighted, RANK_TOLERANCE, e->inverse, e->work);
  for (int i = 0; i < e->n; i++) e->x[i] = weight[i] * crd_dense_dot(e->n, e->inverse + at(e->n, i, 0), e->r);
  return rank;
}

static bool is_normal(const equations *e, const crd_contact_problem *problem, int i) {
  return e->list[i].contact >= 0 && e->list[i].row == problem->contact[e->list[i].contact].row;
}

/* Least norm; where shared, tangential forces as the normal ones are: weights sqrt(f_n), twice, for the normal forces
 * follow them. Returns as above. */
static int solve_dependent(equations *e, const crd_force_problem *force, crd_arena *arena) {
  double *weight = crd_arena_alloc(arena, (size_t)e->n, sizeof *weight);
  if (!weight) return -1;
  for (int i = 0; i < e->n; i++) weight[i] = 1;
  int rank = least_norm(e, weight, force->with_rank);
  for (int round = 0; round < 2 && rank >= 0 && force->share; round++) {
    double largest = 0, load = 1;
    for (int i = 0; i < e->n; i++)
      if (is_normal(e, force->problem, i)) largest = fmax(largest, e->x[i]);
    if (!(largest > 0)) return rank;
    for (int i = 0; i < e->n; i++) {
      bool normal = is_normal(e, force->problem, i);
      if (normal) load = sqrt(fmax(e->x[i] / largest, 1e-4));
      weight[i] = e->list[i].contact < 0 || normal ? 1 : load;
    }
    rank = least_norm(e, weight, force->with_rank);
  }
  return rank;
}

/* Determinant of the factored equations: product of the diagonal, a sign for each exchange. */
static double determinant(const equations *e) {
  double product = 1;
  for (int i = 0; i < e->n; i++) product *= e->lu[at(e->n, i, i)] * (e->pivot[i] != i + 1 ? -1 : 1);
  return product;
}

static double residual(const equations *e) {
  double worst = 0;
  for (int i = 0; i < e->n; i++)
    worst = fmax(worst, fabs(crd_dense_dot(e->n, e->A + at(e->n, i, 0), e->x) - e->r[i]) / e->scale[i]);
  return worst;
}

crd_status crd_force_solve(const crd_force_problem *force, const crd_held *held, crd_force_answer *answer,
                           crd_arena *arena) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb;
  equations e;
  answer->f = crd_arena_alloc(arena, (size_t)m + 1, sizeof *answer->f);
  answer->a = crd_arena_alloc(arena, (size_t)m + 1, sizeof *answer->a);
  if (!answer->f || !answer->a) return CRD_ERR_MEMORY;
  crd_status status = set_up(&e, force, held, arena);
  if (status != CRD_OK) return status;
  answer->rows = answer->rank = e.n, answer->determinant = 1;
  if (e.n > 0) {
    memcpy(e.lu, e.A, sizeof *e.A * (size_t)e.n * (size_t)e.n);
    memcpy(e.x, e.r, sizeof *e.r * (size_t)e.n);
    if (crd_lu_factor(e.n, e.lu, e.pivot, e.work, e.iwork) > DEPENDENT) {
      crd_lu_solve(e.n, e.lu, e.pivot, 1, e.x);
      answer->determinant = determinant(&e);
    } else {
      answer->rank = solve_dependent(&e, force, arena);
      if (answer->rank < 0) return CRD_SINGULAR;
    }
    if (!(residual(&e) <= 1e-6 * force->scale)) return CRD_SINGULAR;
  }
  for (int i = 0; i < e.n; i++) answer->f[e.list[i].row] = e.x[i] * e.scale[i];
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    for (int k = 0; held[c].hold == CRD_HOLD_SLIP && k < contact->ntangent; k++)
      answer->f[contact->row + 1 + k] = -contact->mu * held[c].d[k] * answer->f[contact->row];
  }
  for (int i = 0; i < m; i++) answer->a[i] = force->a_free[i] + crd_dense_dot(m, problem->W + at(m, i, 0), answer->f);
  return CRD_OK;
}
