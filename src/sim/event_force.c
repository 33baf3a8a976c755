/* Forces of contacts in given modes.
 *
 * Unknown are the normal forces of the contacts that hold, both tangential forces of those that stick, and the
 * bilateral forces. A sliding contact pushes along J_n' - mu sum_k d_k J_tk', so that the equations
 *
 *   sum_j [W_ij - mu_j sum_k d_jk W_i,tk] f_j = -a_free,i
 *
 * are not symmetric there. Every row is in units of its own compliance W_ii, tangents in those of their mean.
 *
 * Rows may depend on each other (four corners of a box, two hundred feet of a table). W is symmetric without friction,
 * so a pivoted factor of it shows which rows are independent, in n rank^2 operations, and only these are equations:
 * what depends on them holds by itself, and is checked. Their solution of least norm is taken in these units, as the
 * Coulomb solver does without a guess (cradle/coulomb.h). Where forces are shared out, tangential ones count less the
 * larger the normal force is, |f_t|^2/f_n: a box that neither turns nor slides then has friction in proportion to the
 * load of its corners, and sticks whenever the sum allows it.
 *
 * Where contacts slide the forces are those that equally compliant contacts would have in the limit of no compliance:
 * (A + eps) x = r with eps -> 0 is solved by an x among the rows of W, which is the least norm where A = W, and again
 * what the Coulomb solver's proximal steps lead to. The load of a face is then a linear function of the place on it. */
#include "sim/event_force.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"

/* What is left of a row's unit diagonal where it depends on others. Rounding leaves 1e-15, mass ratios of 1e9 leave
 * 1e-9. */
static const double DEPENDENT = 1e-11;

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

/* One unknown: its row of the problem, and for the normal of a sliding contact that contact. */
typedef struct crd_force_unknown {
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

/* n unknowns; the equations are their rows order[0 .. rank - 1]. */
typedef struct equations {
  const crd_contact_problem *problem;
  const crd_held *held;
  int n, rank, *order;
  unknown *list;
  double *A, *x;         /* rank x n, weighted; n */
  double *scale, *work;  /* n: 1/sqrt(W_ii) */
  double *weight, *unit; /* n, n x n: W of the unknowns, with unit diagonal */
  int *pivot;
} equations;

void crd_force_memory_free(crd_force_memory *memory) {
  crd_arena_free(&memory->arena);
  *memory = (crd_force_memory){0};
}

static crd_status reserve(crd_force_memory *memory, int rows) {
  if (rows <= memory->rows && memory->A) return CRD_OK;
  crd_force_memory_free(memory);
  crd_arena *arena = &memory->arena;
  size_t n = (size_t)rows + (size_t)rows / 2 + 1, d = sizeof(double);
  memory->rows = (int)n;
  memory->A = crd_arena_alloc(arena, n * n, d), memory->unit = crd_arena_alloc(arena, n * n, d);
  memory->x = crd_arena_alloc(arena, n, d), memory->scale = crd_arena_alloc(arena, n, d);
  memory->weight = crd_arena_alloc(arena, n, d);
  memory->work = crd_arena_alloc(arena, crd_dense_least_norm_work((int)n) + 4 * n, d);
  memory->order = crd_arena_alloc(arena, n, sizeof(int)), memory->pivot = crd_arena_alloc(arena, n, sizeof(int));
  memory->unknown = crd_arena_alloc(arena, n, sizeof(unknown));
  bool all = memory->A && memory->unit && memory->x && memory->scale && memory->weight && memory->work &&
             memory->order && memory->pivot && memory->unknown;
  if (!all) crd_force_memory_free(memory);
  return all ? CRD_OK : CRD_ERR_MEMORY;
}

/* Of n unknowns in the list. */
static equations equations_of(const crd_contact_problem *problem, const crd_held *held, crd_force_memory *memory,
                              unknown *list, int n) {
  equations e = {.problem = problem,
                 .held = held,
                 .n = n,
                 .order = memory->order,
                 .list = list,
                 .A = memory->A,
                 .x = memory->x,
                 .scale = memory->scale,
                 .work = memory->work,
                 .weight = memory->weight,
                 .unit = memory->unit,
                 .pivot = memory->pivot};
  return e;
}

static bool are_coupled(const crd_contact_problem *problem, const crd_held *held, const unknown *a, const unknown *b) {
  int m = problem->nrow + problem->nb;
  return problem->W[at(m, a->row, b->row)] != 0 || coefficient(problem, held, a->row, b) != 0 ||
         coefficient(problem, held, b->row, a) != 0;
}

/* Moves those of the n unknowns that act on the first one, directly or through others, to the front, by their rows.
 * Returns how many they are. */
static int gather_coupled(const crd_contact_problem *problem, const crd_held *held, unknown *list, int n) {
  int count = 1;
  for (int i = 0; i < count; i++)
    for (int j = count; j < n; j++) {
      if (!are_coupled(problem, held, &list[i], &list[j])) continue;
      unknown found = list[j];
      memmove(list + count + 1, list + count, (size_t)(j - count) * sizeof *list);
      list[count++] = found;
    }
  for (int i = 1; i < count; i++) {
    unknown one = list[i];
    int j = i;
    for (; j > 0 && list[j - 1].row > one.row; j--) list[j] = list[j - 1];
    list[j] = one;
  }
  return count;
}

/* Compliance of a row; the tangents of a contact have their mean, whichever way they point. */
static double compliance_of(const crd_contact_problem *problem, const unknown *one) {
  int m = problem->nrow + problem->nb, row = one->row, count = 1;
  const crd_contact *contact = one->contact >= 0 ? &problem->contact[one->contact] : NULL;
  if (contact && row > contact->row) row = contact->row + 1, count = contact->ntangent;
  double sum = 0;
  for (int k = 0; k < count; k++) sum += problem->W[at(m, row + k, row + k)];
  return sum / count;
}

/* The rows that are equations. */
static void choose_rows(equations *e) {
  int m = e->problem->nrow + e->problem->nb, n = e->n;
  for (int i = 0; i < n; i++) {
    double compliance = compliance_of(e->problem, &e->list[i]);
    e->scale[i] = compliance > 0 ? 1 / sqrt(compliance) : 1;
  }
  for (int i = 0; i < n; i++) {
    const double *row = e->problem->W + at(m, e->list[i].row, 0);
    for (int j = 0; j < n; j++) e->unit[at(n, i, j)] = row[e->list[j].row] * e->scale[i] * e->scale[j];
  }
  e->rank = crd_dense_independent_rows(n, e->unit, DEPENDENT, e->order, e->work);
  if (e->rank == n) /* in their own order: the determinant keeps its sign */
    for (int i = 0; i < n; i++) e->order[i] = i;
}

/* A = the equations with their unknowns divided by the weights, x = their right-hand sides. */
static void set_up(equations *e, const double *a_free) {
  for (int i = 0; i < e->rank; i++) {
    int own = e->order[i], row = e->list[own].row;
    e->x[i] = -a_free[row] * e->scale[own];
    for (int j = 0; j < e->n; j++) {
      double entry = coefficient(e->problem, e->held, row, &e->list[j]);
      e->A[at(e->n, i, j)] = entry * e->scale[own] * e->scale[j] * e->weight[j];
    }
  }
}

static double unit_entry(const equations *e, int i, int j) {
  int m = e->problem->nrow + e->problem->nb;
  return e->problem->W[at(m, e->list[i].row, e->list[j].row)] * e->scale[i] * e->scale[j];
}

/* x among the weighted rows of W, x = D Q y with Q an orthonormal basis of D W_R': A_R D Q y = r. */
static bool in_rows_of_W(equations *e) {
  int n = e->n, r = e->rank;
  double *Q = e->unit, *y = e->x, *x = e->work;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < r; i++) Q[at(r, j, i)] = unit_entry(e, e->order[i], j) * e->weight[j];
  crd_dense_orthonormalize(n, r, Q, e->work);
  for (int i = 0; i < r; i++) { /* row i of A Q over row i of A, which is used up */
    double *row = e->A + at(n, i, 0), *product = e->work;
    memset(product, 0, sizeof *product * (size_t)r);
    for (int j = 0; j < n; j++)
      for (int k = 0; k < r; k++) product[k] += row[j] * Q[at(r, j, k)];
    memcpy(e->A + at(r, i, 0), product, sizeof *product * (size_t)r);
  }
  if (!crd_lu_factor_bare(r, e->A, e->pivot)) return false;
  crd_lu_solve(r, e->A, e->pivot, 1, y);
  for (int j = 0; j < n; j++) x[j] = crd_dense_dot(r, Q + at(r, j, 0), y);
  memcpy(e->x, x, sizeof *x * (size_t)n);
  return true;
}

/* x of least weighted norm, or where friction makes the equations unsymmetric the one that stands for it. */
static bool least_norm(equations *e, const double *a_free) {
  bool rubs = false;
  for (int i = 0; i < e->n; i++)
    rubs = rubs || (e->list[i].slides >= 0 && e->problem->contact[e->list[i].slides].mu > 0);
  set_up(e, a_free);
  if (!(rubs ? in_rows_of_W(e) : crd_dense_least_norm(e->rank, e->n, e->A, e->x, e->work))) return false;
  for (int i = 0; i < e->n; i++) e->x[i] *= e->weight[i];
  return true;
}

static bool is_normal(const equations *e, int i) {
  return e->list[i].contact >= 0 && e->list[i].row == e->problem->contact[e->list[i].contact].row;
}

/* Least norm; where shared, tangential forces as the normal ones are: weights sqrt(f_n), twice, for the normal forces
 * follow them. */
static bool solve_dependent(equations *e, const crd_force_problem *force) {
  bool done = least_norm(e, force->a_free);
  for (int round = 0; round < 2 && done && force->share; round++) {
    double largest = 0, load = 1;
    for (int i = 0; i < e->n; i++)
      if (is_normal(e, i)) largest = fmax(largest, e->x[i]);
    if (!(largest > 0)) break;
    for (int i = 0; i < e->n; i++) {
      bool normal = is_normal(e, i);
      if (normal) load = sqrt(fmax(e->x[i] / largest, 1e-4));
      e->weight[i] = e->list[i].contact < 0 || normal ? 1 : load;
    }
    done = least_norm(e, force->a_free);
  }
  return done;
}

/* Determinant of the factored equations: product of the diagonal, a sign for each exchange. */
static double determinant(const equations *e) {
  double product = 1;
  for (int i = 0; i < e->n; i++) product *= e->A[at(e->n, i, i)] * (e->pivot[i] != i + 1 ? -1 : 1);
  return product;
}

/* x, scaled; false: the equations have no solution. */
static bool solve(equations *e, const crd_force_problem *force, double *product) {
  for (int i = 0; i < e->n; i++) e->weight[i] = 1;
  if (e->rank < e->n) return solve_dependent(e, force);
  set_up(e, force->a_free);
  if (!crd_lu_factor_bare(e->n, e->A, e->pivot)) return false;
  crd_lu_solve(e->n, e->A, e->pivot, 1, e->x);
  *product = determinant(e);
  return true;
}

/* Forces on the rows of the equations, friction of their sliding contacts included. */
static void spread(const equations *e, crd_force_answer *answer) {
  for (int i = 0; i < e->n; i++) {
    const unknown *one = &e->list[i];
    const crd_contact *contact = one->slides >= 0 ? &e->problem->contact[one->slides] : NULL;
    answer->f[one->row] = e->x[i] * e->scale[i];
    for (int k = 0; contact && k < contact->ntangent; k++)
      answer->f[contact->row + 1 + k] = -contact->mu * e->held[one->slides].d[k] * answer->f[contact->row];
  }
}

static void set_accelerations(const crd_contact_problem *problem, const double *a_free, crd_force_answer *answer) {
  int m = problem->nrow + problem->nb;
  answer->rounding = 0;
  for (int i = 0; i < m; i++) {
    answer->a[i] = a_free[i] + crd_dense_dot(m, problem->W + at(m, i, 0), answer->f);
    answer->rounding = fmax(answer->rounding, 1e-14 * fabs(problem->W[at(m, i, i)] * answer->f[i]));
  }
}

crd_status crd_force_solve(const crd_force_problem *force, const crd_held *held, const crd_force_tools *tools,
                           crd_force_answer *answer) {
  const crd_contact_problem *problem = force->problem;
  int m = problem->nrow + problem->nb;
  answer->f = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof *answer->f);
  answer->a = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof *answer->a);
  if (!answer->f || !answer->a || reserve(tools->equations, m) != CRD_OK) return CRD_ERR_MEMORY;
  unknown *list = tools->equations->unknown;
  int n = list_unknowns(problem, held, list);
  answer->rows = n, answer->rank = 0, answer->determinant = 1;
  for (int first = 0, count; first < n; first += count) {
    count = gather_coupled(problem, held, list + first, n - first);
    equations e = equations_of(problem, held, tools->equations, list + first, count);
    double determinant = 1;
    choose_rows(&e);
    if (!solve(&e, force, &determinant)) return CRD_SINGULAR;
    answer->rank += e.rank, answer->determinant *= determinant;
    spread(&e, answer);
  }
  set_accelerations(problem, force->a_free, answer);
  for (int i = 0; i < n; i++)
    if (!(fabs(answer->a[list[i].row]) <= fmax(1e-6 * force->scale, answer->rounding))) return CRD_SINGULAR;
  return CRD_OK;
}
