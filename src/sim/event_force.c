/* Forces of contacts and joints in given modes.
 *
 * Unknown are the normal forces of the contacts that carry, both tangential forces of those that stick, the bilateral
 * forces and those of joints that dry friction holds. A sliding contact pushes along J_n' - mu sum_k d_k J_tk', so that
 * the equations
 *
 *   sum_j [W_ij - mu_j sum_k d_jk W_i,tk] f_j = -a_free,i - sum_s W_is f_s      (s: joints that slip, f_s = -bound sign)
 *
 * are not symmetric there. A contact that begins to slide has the direction in which it is accelerated, d = a_t/|a_t|,
 * for its velocity would turn into it at once; a force l across d is a further unknown then, and d turns until nothing is
 * left of it: Newton's method for a_t x d = 0 on the circle of friction, where turning d by -l/(mu f_n) turns what is
 * across, too, a_t,across + l a_t.d/(mu f_n) = 0. Every row is in units of its own compliance W_ii, tangents in those of their mean.
 *
 * Rows may depend on each other (four corners of a box, two hundred feet of a table). W is symmetric without friction,
 * so a pivoted factor of it shows which rows are independent, in n rank^2 operations, and only these are equations:
 * what depends on them holds by itself, and is checked. Of the forces that are then not unique those nearest to `base`
 * are taken, f = base + x with x among the rows of W: the least change where A = W, as the Coulomb solver's policy is
 * (cradle/coulomb.h), and where contacts slide the change that equally compliant contacts show in the limit of no
 * compliance, (A + eps) x = r with eps -> 0. With the Coulomb problem's solution as base a phase begins with exactly
 * the forces that its modes were read from, and goes on smoothly, past zero force and past the cone too. */
#include "sim/event_force.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/lu.h"

/* Remainder of a row's unit diagonal where it depends on others. Rounding leaves 1e-15, mass ratios of 1e9 leave
 * 1e-9. Where there are loops, whose axes are parallel to some digits only, as for these (contact/loop_force.c). */
static const double DEPENDENT = 1e-11, DEPENDENT_LOOPS = 1e-8;

/* Accelerations that count as kept, as a share of the scale; as a share of what the largest one means for the row in the
 * kinetic metric, in roots of DEPENDENT, to which a row that depends on others is known; and rounding of what they are
 * sums of. */
static const double KEPT = 1e-6, KEPT_BY_OTHERS = 3, ROUNDING = 1e-14;

static size_t at(int m, int i, int j) { return (size_t)m * (size_t)i + (size_t)j; }

/* One unknown: what its unit pushes on some rows of the problem, and the sum of their accelerations that it keeps zero. */
typedef struct crd_force_unknown {
  int index;   /* in the list of all */
  int contact; /* -1: bilateral */
  int n, row[3];
  double push[3], test[3];
  double own; /* added to its own entry */
} unknown;

static unknown single(int contact, int row) {
  return (unknown){.contact = contact, .n = 1, .row = {row}, .push = {1}, .test = {1}};
}

/* The normal of a sliding contact, with its friction. */
static unknown sliding_normal(const crd_contact_problem *problem, int c, const crd_phase_mode *mode) {
  const crd_contact *contact = &problem->contact[c];
  unknown one = single(c, contact->row);
  for (int k = 0; k < contact->ntangent && contact->mu > 0; k++, one.n++)
    one.row[one.n] = contact->row + 1 + k, one.push[one.n] = -contact->mu * mode->d[k], one.test[one.n] = 0;
  return one;
}

/* Across the direction of sliding. */
static unknown across(const crd_contact_problem *problem, int c, const crd_phase_mode *mode) {
  int row = problem->contact[c].row + 1;
  return (unknown){.contact = c,
                   .n = 2,
                   .row = {row, row + 1},
                   .push = {-mode->d[1], mode->d[0]},
                   .test = {-mode->d[1], mode->d[0]},
                   .own = mode->turn};
}

int crd_force_dry_row(const crd_force_problem *force, int k) {
  return force->problem->nrow + force->problem->nb - force->ndry + k;
}

static double dependent_share(const crd_force_problem *force) {
  return force->problem->nb > force->ndry ? DEPENDENT_LOOPS : DEPENDENT;
}

static int list_unknowns(const crd_force_problem *force, const crd_phase_mode *mode, unknown *list) {
  const crd_contact_problem *problem = force->problem;
  int n = 0;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    if (mode[c].kind == CRD_PHASE_SLIP) list[n++] = sliding_normal(problem, c, &mode[c]);
    if (mode[c].kind == CRD_PHASE_SLIP && mode[c].turns) list[n++] = across(problem, c, &mode[c]);
    for (int k = 0; mode[c].kind == CRD_PHASE_STICK && k <= contact->ntangent; k++)
      list[n++] = single(c, contact->row + k);
  }
  for (int b = 0; b < problem->nb - force->ndry; b++) list[n++] = single(-1, problem->nrow + b);
  for (int k = 0; k < force->ndry; k++)
    if (mode[problem->nc + k].kind == CRD_PHASE_STICK) list[n++] = single(-1, crd_force_dry_row(force, k));
  for (int i = 0; i < n; i++) list[i].index = i;
  return n;
}

/* test_i' W x_j, x the pushes or tests of j. */
static double entry(const crd_contact_problem *problem, const unknown *i, const unknown *j, const double *x) {
  int m = problem->nrow + problem->nb;
  double sum = 0;
  for (int a = 0; a < i->n; a++)
    for (int b = 0; i->test[a] != 0 && b < j->n; b++)
      if (x[b] != 0) sum += i->test[a] * problem->W[at(m, i->row[a], j->row[b])] * x[b];
  return sum;
}

/* n unknowns; the equations are order[0 .. rank - 1]. */
typedef struct equations {
  const crd_contact_problem *problem;
  double dependent;
  int n, rank, *order;
  unknown *list;
  double *A, *x;        /* rank x n; n */
  double *scale, *work; /* n: 1/sqrt(W_ii) */
  double *unit;         /* n x n: W of the unknowns, with unit diagonal */
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
  size_t n = (size_t)rows + (size_t)rows / 2 + 4, d = sizeof(double);
  memory->rows = (int)n;
  memory->A = crd_arena_alloc(arena, n * n, d), memory->unit = crd_arena_alloc(arena, n * n, d);
  memory->x = crd_arena_alloc(arena, n, d), memory->scale = crd_arena_alloc(arena, n, d);
  memory->work = crd_arena_alloc(arena, 4 * n, d);
  memory->order = crd_arena_alloc(arena, n, sizeof(int)), memory->pivot = crd_arena_alloc(arena, n, sizeof(int));
  memory->unknown = crd_arena_alloc(arena, n, sizeof(unknown));
  bool all = memory->A && memory->unit && memory->x && memory->scale && memory->work && memory->order &&
             memory->pivot && memory->unknown;
  if (!all) crd_force_memory_free(memory);
  return all ? CRD_OK : CRD_ERR_MEMORY;
}

/* Of n unknowns in the list. */
static equations equations_of(const crd_force_problem *force, crd_force_memory *memory, unknown *list, int n) {
  return (equations){.problem = force->problem,
                     .dependent = dependent_share(force),
                     .n = n,
                     .order = memory->order,
                     .list = list,
                     .A = memory->A,
                     .x = memory->x,
                     .scale = memory->scale,
                     .work = memory->work,
                     .unit = memory->unit,
                     .pivot = memory->pivot};
}

static bool are_coupled(const crd_contact_problem *problem, const unknown *a, const unknown *b) {
  int m = problem->nrow + problem->nb;
  for (int i = 0; i < a->n; i++)
    for (int j = 0; j < b->n; j++)
      if (problem->W[at(m, a->row[i], b->row[j])] != 0) return true;
  return false;
}

/* Moves those of the n unknowns that act on the first one, directly or through others, to the front, by their rows.
 * Returns how many they are. */
static int gather_coupled(const crd_contact_problem *problem, unknown *list, int n) {
  int count = 1;
  for (int i = 0; i < count; i++)
    for (int j = count; j < n; j++) {
      if (!are_coupled(problem, &list[i], &list[j])) continue;
      unknown found = list[j];
      memmove(list + count + 1, list + count, (size_t)(j - count) * sizeof *list);
      list[count++] = found;
    }
  for (int i = 1; i < count; i++) {
    unknown one = list[i];
    int j = i;
    for (; j > 0 && list[j - 1].row[0] > one.row[0]; j--) list[j] = list[j - 1];
    list[j] = one;
  }
  return count;
}

/* Compliance of an unknown's first row; the tangents of a contact have their mean, whichever way they point. */
static double compliance_of(const crd_contact_problem *problem, const unknown *one) {
  int m = problem->nrow + problem->nb, row = one->row[0], count = 1;
  const crd_contact *contact = one->contact >= 0 ? &problem->contact[one->contact] : NULL;
  if (contact && row > contact->row) row = contact->row + 1, count = contact->ntangent;
  double sum = 0;
  for (int k = 0; k < count; k++) sum += problem->W[at(m, row + k, row + k)];
  return sum / count;
}

static double unit_entry(const equations *e, int i, int j) {
  return entry(e->problem, &e->list[i], &e->list[j], e->list[j].test) * e->scale[i] * e->scale[j];
}

static void set_scales(equations *e) {
  for (int i = 0; i < e->n; i++) {
    double compliance = compliance_of(e->problem, &e->list[i]);
    e->scale[i] = compliance > 0 ? 1 / sqrt(compliance) : 1;
  }
}

/* The rows that are equations: those taken come first. */
static void keep_rows(equations *e, const bool *taken) {
  int left = 0;
  set_scales(e);
  for (int i = 0; i < e->n; i++) left += taken[e->list[i].index];
  e->rank = left;
  for (int i = 0, first = 0; i < e->n; i++) e->order[taken[e->list[i].index] ? first++ : left++] = i;
}

static void choose_rows(equations *e) {
  int n = e->n;
  set_scales(e);
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) e->unit[at(n, i, j)] = e->unit[at(n, j, i)] = unit_entry(e, i, j);
  e->rank = crd_dense_independent_rows(n, e->unit, e->dependent, e->order, e->work);
  if (e->rank == n) /* in their own order: the determinant keeps its sign */
    for (int i = 0; i < n; i++) e->order[i] = i;
}

/* The acceleration that an unknown keeps zero. */
static double tested(const unknown *one, const double *a) {
  double sum = 0;
  for (int k = 0; k < one->n; k++) sum += one->test[k] * a[one->row[k]];
  return sum;
}

/* A = the equations, x = what their accelerations lack. */
static void set_up(equations *e, const double *a) {
  for (int i = 0; i < e->rank; i++) {
    const unknown *own = &e->list[e->order[i]];
    double scale = e->scale[e->order[i]];
    e->x[i] = -tested(own, a) * scale;
    for (int j = 0; j < e->n; j++)
      e->A[at(e->n, i, j)] = entry(e->problem, own, &e->list[j], e->list[j].push) * scale * e->scale[j];
    e->A[at(e->n, i, e->order[i])] += own->own * scale * scale;
  }
}

/* x among the rows of W, x = Q y with Q an orthonormal basis of W_R': A_R Q y = r. */
static bool solve_dependent(equations *e) {
  int n = e->n, r = e->rank;
  double *Q = e->unit, *y = e->x, *x = e->work;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < r; i++) Q[at(r, j, i)] = unit_entry(e, e->order[i], j);
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

/* Determinant of the factored equations: product of the diagonal, a sign for each exchange. */
static double determinant(const equations *e) {
  double product = 1;
  for (int i = 0; i < e->n; i++) product *= e->A[at(e->n, i, i)] * (e->pivot[i] != i + 1 ? -1 : 1);
  return product;
}

/* x, scaled; false: the equations have no solution. */
static bool solve(equations *e, const double *a, double *product) {
  set_up(e, a);
  if (e->rank < e->n) return solve_dependent(e);
  if (!crd_lu_factor_bare(e->n, e->A, e->pivot)) return false;
  crd_lu_solve(e->n, e->A, e->pivot, 1, e->x);
  *product *= determinant(e);
  return true;
}

static void add_push(const unknown *one, double x, double *f) {
  for (int k = 0; k < one->n; k++) f[one->row[k]] += one->push[k] * x;
}

/* Forces that the modes give, and the base of the unknown ones. */
static void begin_forces(const crd_force_problem *force, const crd_phase_mode *mode, const double *base,
                         const unknown *list, int n, double *f) {
  for (int k = 0; k < force->ndry; k++) {
    const crd_phase_mode *dry = &mode[force->problem->nc + k];
    if (dry->kind == CRD_PHASE_SLIP) f[crd_force_dry_row(force, k)] = -force->bound[k] * dry->d[0];
  }
  for (int i = 0; base && i < n; i++)
    if (list[i].test[0] == 1) add_push(&list[i], base[list[i].row[0]], f); /* across d: nothing */
}

/* a = a_free + W f; returns what large forces between bodies of unlike mass leave of it. */
static double set_accelerations(const crd_force_problem *force, crd_force_answer *answer) {
  int m = force->problem->nrow + force->problem->nb;
  double rounding = 0;
  for (int i = 0; i < m; i++) {
    const double *row = force->problem->W + at(m, i, 0);
    answer->a[i] = force->a_free[i] + crd_dense_dot(m, row, answer->f);
    rounding = fmax(rounding, ROUNDING * fabs(row[i] * answer->f[i]));
  }
  return rounding;
}

/* Are all constraints met? Dependent ones follow from the equations, or contradict them. */
static bool all_kept(const crd_force_problem *force, const unknown *list, int n, const double *a, double rounding) {
  int m = force->problem->nrow + force->problem->nb;
  double largest = 0;
  for (int i = 0; i < m; i++) {
    double own = force->problem->W[at(m, i, i)];
    if (own > 0) largest = fmax(largest, fabs(force->a_free[i]) / sqrt(own));
  }
  for (int i = 0; i < n; i++) {
    if (list[i].own != 0) continue; /* it is kept when d has turned */
    double share = KEPT_BY_OTHERS * largest * sqrt(dependent_share(force) * compliance_of(force->problem, &list[i]));
    if (!(fabs(tested(&list[i], a)) <= fmax(fmax(KEPT * force->scale, share), rounding))) return false;
  }
  return true;
}

/* The rows of the phase that are equations. */
static void choose_rows_of_phase(equations *e, crd_force_rows *rows, bool known) {
  if (known) {
    keep_rows(e, rows->taken);
    return;
  }
  choose_rows(e);
  for (int i = 0; rows && i < e->n; i++) rows->taken[e->list[e->order[i]].index] = i < e->rank;
}

crd_status crd_force_solve(const crd_force_problem *force, const crd_phase_mode *mode, const double *base,
                           const crd_force_tools *tools, crd_force_answer *answer) {
  int m = force->problem->nrow + force->problem->nb;
  answer->f = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof *answer->f);
  answer->a = crd_arena_alloc(tools->arena, (size_t)m + 1, sizeof *answer->a);
  if (!answer->f || !answer->a || reserve(tools->equations, m) != CRD_OK) return CRD_ERR_MEMORY;
  unknown *list = tools->equations->unknown;
  int n = list_unknowns(force, mode, list);
  crd_force_rows *rows = force->rows && n <= force->rows->room ? force->rows : NULL;
  const bool known = rows && rows->count == n;
  answer->determinant = 1;
  begin_forces(force, mode, base, list, n, answer->f);
  set_accelerations(force, answer);
  for (int first = 0, count; first < n; first += count) {
    count = gather_coupled(force->problem, list + first, n - first);
    equations e = equations_of(force, tools->equations, list + first, count);
    choose_rows_of_phase(&e, rows, known);
    if (!solve(&e, answer->a, &answer->determinant)) return CRD_SINGULAR;
    for (int i = 0; i < count; i++) add_push(&e.list[i], e.x[i] * e.scale[i], answer->f);
  }
  if (rows) rows->count = n;
  double rounding = set_accelerations(force, answer);
  return all_kept(force, list, n, answer->a, rounding) ? CRD_OK : CRD_SINGULAR;
}

/* d = the acceleration of the two rows for a unit force on the one that it moves more, all others kept: the column of
 * their compliance that is left. */
static crd_status free_direction(const crd_force_problem *force, const crd_phase_mode *mode, const int row[2],
                                 const crd_force_tools *tools, double d[2]) {
  int m = force->problem->nrow + force->problem->nb;
  double longest = 0;
  for (int k = 0; k < 2; k++) { /* W is symmetric */
    crd_force_problem alone = {.problem = force->problem, .a_free = force->problem->W + at(m, row[k], 0), .scale = 1};
    crd_force_answer answer;
    for (int i = 0; i < m; i++) alone.scale = fmax(alone.scale, fabs(alone.a_free[i]));
    crd_status status = crd_force_solve(&alone, mode, NULL, tools, &answer);
    if (status < 0) return status;
    double length = hypot(answer.a[row[0]], answer.a[row[1]]);
    if (status != CRD_OK || !(length > longest)) continue;
    longest = length, d[0] = answer.a[row[0]] / length, d[1] = answer.a[row[1]] / length;
  }
  return CRD_OK;
}

crd_status crd_force_freedom(const crd_force_problem *force, const crd_phase_mode *mode, const int *row, int count,
                             const crd_force_tools *tools, int *freedom, double *d) {
  if (reserve(tools->equations, force->problem->nrow + force->problem->nb) != CRD_OK) return CRD_ERR_MEMORY;
  unknown *list = tools->equations->unknown;
  int n = list_unknowns(force, mode, list);
  equations e = equations_of(force, tools->equations, list, n);
  choose_rows(&e);
  *freedom = -e.rank;
  for (int i = 0; i < count; i++) list[e.n++] = single(-1, row[i]);
  choose_rows(&e);
  *freedom += e.rank;
  return d && count == 2 && *freedom == 1 ? free_direction(force, mode, row, tools, d) : CRD_OK;
}
