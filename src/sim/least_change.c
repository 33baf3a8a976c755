/* The smallest change in the kinetic metric that removes the errors of some rows, the one mechanism by which steps,
 * event-driven phases and starts return to their constraints:
 *
 *   min 1/2 x' M x   subject to   J_i x = e_i,   or J_i x >= e_i where the row may open
 *
 * is x = M^-1 J' l with W l = e, or 0 <= l _|_ W l - e >= 0 there, island by island; x is a displacement where e are
 * errors of gaps and loops, and a change of velocities where they are velocities. Rows may depend on each other and
 * contradict each other: (1 + REGULAR) W_ii on the diagonal leaves what contradicts with the least sum of squares, and
 * of the multipliers of others the least; whoever repeats it gains eight digits each time.
 */
#include <math.h>
#include <string.h>

#include "linalg/small_lu.h"
#include "sim/group.h"

static const double REGULAR = 1e-8, NOISE = 1e-15; /* of a row's own compliance, and of the largest */
static const double RELAXATION = 1.3;   /* converges between 0 and 2; a chain of touching bodies likes more than 1 */
enum { DENSE_ROWS = 150, SWEEPS = 20 }; /* of an island with more */
enum { ACTIVE_SETS = 12 };

/* Brings the rows of each island together; those of one stay in their order. */
static void sort_by_island(crd_sim_chosen *chosen, int n) {
  for (int i = 1; i < n; i++) {
    crd_sim_chosen one = chosen[i];
    int k = i;
    for (; k > 0 && chosen[k - 1].island > one.island; k--) chosen[k] = chosen[k - 1];
    chosen[k] = one;
  }
}

static crd_status reserve_matrix(crd_group *group, int n) {
  size_t needed = (size_t)n * (size_t)n;
  if (needed <= group->closing->matrix_capacity) return CRD_OK;
  crd_arena fresh = {0};
  double *matrix = crd_arena_alloc(&fresh, 2 * needed, sizeof *matrix);
  if (!matrix) return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d rows", n);
  crd_arena_free(&group->closing->arena);
  group->closing->arena = fresh, group->closing->matrix = matrix, group->closing->matrix_capacity = 2 * needed;
  return CRD_OK;
}

/* A (n x n) = W of the rows in group->closing->place, regularised. */
static void gather(crd_group *group, const crd_contact_problem *problem, int n) {
  double *A = group->closing->matrix, largest = 0;
  size_t m = (size_t)(problem->nrow + problem->nb), rows = (size_t)n;
  if (problem->blocks)
    crd_blocks_gather(problem->blocks, group->closing->place, n, A);
  else
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < rows; j++)
        A[rows * i + j] = problem->W[m * (size_t)group->closing->place[i] + (size_t)group->closing->place[j]];
  for (size_t i = 0; i < rows; i++) largest = fmax(largest, A[(rows + 1) * i]);
  for (size_t i = 0; i < rows; i++) A[(rows + 1) * i] += fmax(REGULAR * A[(rows + 1) * i], NOISE * largest);
}

/* Row of W times x; *own: its diagonal entry. g: the group of the row. */
static double product_of_row(const crd_blocks *W, int g, int row, const double *x, double *own) {
  double sum = 0;
  for (int k = W->first[g]; k < W->first[g + 1]; k++) {
    int first = W->first_row[W->column[k]], end = W->first_row[W->column[k] + 1];
    const double *line = W->value + W->offset[k] + (size_t)(end - first) * (size_t)(row - W->first_row[g]);
    for (int j = first; j < end; j++) sum += line[j - first] * x[j];
    if (row >= first && row < end) *own = line[row - first];
  }
  return sum;
}

/* Projected Gauss-Seidel, which is enough for corrections that are repeated. */
static void sweep_together(const crd_blocks *W, const crd_sim_chosen *row, int count, double *lambda) {
  for (int sweep = 0; sweep < SWEEPS; sweep++)
    for (int i = 0, g = 0; i < count; i++) {
      double own = 0;
      while (W->first_row[g] > row[i].row) g--;
      while (W->first_row[g + 1] <= row[i].row) g++;
      double left = row[i].error - product_of_row(W, g, row[i].row, lambda, &own);
      double *own_lambda = &lambda[row[i].row];
      if (own > 0) *own_lambda += RELAXATION * left / own;
      if (row[i].opens) *own_lambda = fmax(0, *own_lambda);
    }
}

/* Multipliers of the active ones of `count` rows, those of the others zero. */
static crd_status solve_active(crd_group *group, const crd_contact_problem *problem, const crd_sim_chosen *row,
                               int count, double *lambda) {
  double *x = group->rows->scratch;
  int n = 0;
  for (int i = 0; i < count; i++) {
    lambda[row[i].row] = 0;
    if (row[i].active) x[n] = row[i].error, group->closing->place[n++] = row[i].row;
  }
  gather(group, problem, n);
  if (!(crd_small_lu_factor(n, group->closing->matrix, n, group->closing->place) > 0)) return CRD_SINGULAR;
  crd_small_lu_solve(n, group->closing->matrix, n, group->closing->place, x);
  for (int i = count - 1; i >= 0; i--)
    if (row[i].active) lambda[row[i].row] = x[--n];
  return CRD_OK;
}

/* Rows that may open, by active sets: those that would pull leave, those that would be passed enter. It need not end,
 * and need not: whoever asks measures again. */
static crd_status solve_active_sets(crd_group *group, const crd_contact_problem *problem, crd_sim_chosen *row,
                                    int count, double *lambda) {
  const crd_blocks *W = problem->blocks;
  crd_status status = CRD_OK;
  for (int i = 0; i < count; i++) row[i].active = !row[i].opens || row[i].error > 0;
  for (int round = 0; status == CRD_OK && round < ACTIVE_SETS; round++) {
    bool changed = false;
    status = solve_active(group, problem, row, count, lambda);
    for (int i = 0; i < count; i++) {
      bool pulls = row[i].opens && row[i].active && lambda[row[i].row] < 0;
      if (pulls) row[i].active = false, changed = true;
    }
    for (int i = 0, g = 0; i < count && !changed; i++) {
      double own;
      while (W->first_row[g] > row[i].row) g--;
      while (W->first_row[g + 1] <= row[i].row) g++;
      bool passed = !row[i].active && product_of_row(W, g, row[i].row, lambda, &own) < row[i].error;
      if (passed) row[i].active = true;
    }
    for (int i = 0; i < count && !changed; i++) changed = row[i].active && lambda[row[i].row] == 0 && row[i].opens;
    if (!changed) break;
  }
  for (int i = 0; i < count; i++)
    if (row[i].opens) lambda[row[i].row] = fmax(0, lambda[row[i].row]);
  return status;
}

/* Multipliers of `count` rows, all of one island. */
static crd_status solve_together(crd_group *group, const crd_contact_problem *problem, crd_sim_chosen *row, int count,
                                 double *lambda) {
  double *x = group->rows->scratch;
  bool opens = false;
  for (int i = 0; i < count; i++) opens = opens || row[i].opens;
  if (problem->blocks && count > DENSE_ROWS) return sweep_together(problem->blocks, row, count, lambda), CRD_OK;
  crd_status status = reserve_matrix(group, count);
  if (status != CRD_OK) return status;
  if (opens) return solve_active_sets(group, problem, row, count, lambda);
  for (int i = 0; i < count; i++) x[i] = row[i].error, group->closing->place[i] = row[i].row;
  gather(group, problem, count);
  if (!(crd_small_lu_factor(count, group->closing->matrix, count, group->closing->place) > 0)) return CRD_SINGULAR;
  crd_small_lu_solve(count, group->closing->matrix, count, group->closing->place, x);
  for (int i = 0; i < count; i++) lambda[row[i].row] = x[i];
  return CRD_OK;
}

crd_status crd_sim_least_change(crd_group *group, const crd_contact_problem *problem, crd_sim_chosen *row, int n,
                                double *lambda) {
  int rows = problem->nrow + problem->nb + problem->nf;
  for (int i = 0; i < rows; i++) lambda[i] = 0;
  sort_by_island(row, n);
  for (int first = 0, end; first < n; first = end) {
    for (end = first + 1; end < n && row[end].island == row[first].island;) end++;
    crd_status status = solve_together(group, problem, row + first, end - first, lambda);
    if (status != CRD_OK) return status;
  }
  return CRD_OK;
}
