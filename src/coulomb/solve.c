/* One solve: check the input, find the islands, solve each, let the residual judge.
 *
 *   single     an island of one contact, in closed form (single.c); counts as newton
 *   newton     from the guess, the modes of the last solution first (newton.c)
 *   interior   where that fails, or there is no guess that leads anywhere: the continuation, by descents,
 *   curve      and along its curves (continuation.c)
 *   nearest    of impulses that are not determined those nearest to the guess
 *   refine     what elimination lost to rounding
 *   modes      where the residual is above the tolerance all the same: every mode of a small island (enumerate.c)
 *
 * Islands of more rows than that pays for go to the sweeps and their sparse factor (sweep.c), the largest of them with
 * a tolerance of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb/accuracy.h"
#include "coulomb/linear.h"
#include "coulomb/work.h"

enum { REFINEMENTS = 4, DENSE_ROWS = 300 };
/* Contacts of an island whose modes are all searched, which takes about a second; few of them where work is bounded. */
enum { MOST_ENUMERATED = 7, QUICKLY_ENUMERATED = 6 };
static const double GAINED = 0.1; /* remaining share of the residual after a refinement that is worth another */

/* ------------------------------------------------------------------------------------------------ workspace */

crd_coulomb_work *crd_coulomb_work_new(void) { return calloc(1, sizeof(crd_coulomb_work)); }

void crd_coulomb_work_free(crd_coulomb_work *work) {
  if (!work) return;
  crd_arena_free(&work->arena);
  crd_memory_free(&work->memory);
  free(work);
}

void crd_coulomb_ways(const crd_coulomb_work *work, long settled[CRD_COULOMB_METHODS]) {
  for (int k = 0; work && k < CRD_COULOMB_METHODS; k++) settled[k] += work->settled[k];
}

const int *crd_coulomb_islands(const crd_coulomb_work *work) { return work->islands.parent; }

static crd_status reserve_lists(crd_coulomb_work *work, int n) {
  if (n <= work->n && work->p) return CRD_OK;
  crd_arena arena = {0};
  crd_islands islands;
  size_t size = (size_t)n + (size_t)n / 2 + 1;
  double *vector[4] = {NULL};
  crd_coulomb_measure *measure = crd_arena_alloc(&arena, size, sizeof *measure);
  crd_coulomb_method *method = crd_arena_alloc(&arena, size, sizeof *method);
  bool all = measure && method && crd_islands_alloc(&islands, &arena, (int)size);
  for (int k = 0; k < 4; k++) all = all && (vector[k] = crd_arena_alloc(&arena, size, sizeof(double)));
  if (!all) {
    crd_arena_free(&arena);
    return CRD_ERR_MEMORY;
  }
  crd_arena_free(&work->arena);
  work->arena = arena, work->n = (int)size - 1, work->islands = islands, work->measure = measure;
  work->method = method;
  work->p = vector[0], work->u = vector[1], work->error = vector[2], work->rounding = vector[3];
  return CRD_OK;
}

crd_status crd_coulomb_reserve(crd_coulomb_work *work, int n, int largest) {
  crd_status status = reserve_lists(work, n);
  int dense = largest < DENSE_ROWS ? largest : DENSE_ROWS;
  crd_room room = {.problem_rows = n, .rows = dense, .dense = dense};
  return status == CRD_OK ? crd_memory_reserve(&work->memory, &room) : status;
}

/* ------------------------------------------------------------------------------------------------ one island */

/* Modes of the guess, for the contacts of the reduced problem. */
static const crd_mode *guessed_modes(crd_memory *m, const crd_task *task, const crd_mode *mode) {
  if (!task->options->warm || !mode) return NULL;
  for (int i = 0; i < m->reduced.ncontact; i++) m->mode[i] = mode[m->reduced.unit[i].id];
  return m->mode;
}

static bool carries(int n, const double *p) {
  for (int i = 0; i < n; i++)
    if (p[i] != 0) return true;
  return false;
}

static crd_newton_limits newton_limits(const crd_task *task) {
  return crd_newton_until(CRD_ACCURACY.rounded, CRD_ACCURACY.fair * task->options->tolerance);
}

static double solve_by(crd_coulomb_method method, crd_memory *m, const crd_task *task, const crd_mode *mode) {
  double enough = CRD_ACCURACY.margin * task->options->tolerance;
  if (method == CRD_COULOMB_NEWTON)
    return crd_coulomb_newton(m, task, guessed_modes(m, task, mode), newton_limits(task));
  return (method == CRD_COULOMB_INTERIOR ? crd_coulomb_descend : crd_coulomb_follow)(m, task, enough);
}

static bool is_asked(const crd_task *task, crd_coulomb_method method) {
  crd_coulomb_method asked = task->options->method;
  return asked == method || asked == CRD_COULOMB_AUTO || asked == CRD_COULOMB_MODES;
}

/* Impulses of all rows in memory->full from those of memory->x, freed of what elimination lost; returns their
 * residual. */
static double refine(crd_memory *m, const crd_task *task) {
  size_t bytes = sizeof *m->full * (size_t)m->reduced.m;
  double best = crd_coulomb_expand(m, task);
  memcpy(m->kept_full, m->full, bytes);
  for (int k = 0; k < REFINEMENTS && best > CRD_ACCURACY.refined && best < 1 && !crd_coulomb_stopped(m, task); k++) {
    crd_coulomb_refine(m);
    crd_coulomb_newton(m, task, NULL, newton_limits(task));
    double residual = crd_coulomb_expand(m, task);
    bool gained = residual <= GAINED * best;
    if (residual < best) best = residual, memcpy(m->kept_full, m->full, bytes);
    if (!gained) break;
  }
  memcpy(m->full, m->kept_full, bytes);
  return best;
}

/* The best answer in memory->answer_full, and which method found it. Impulses may be so large that their rounding alone
 * exceeds the tolerance: another way may find others. */
static crd_coulomb_method by_methods(crd_memory *m, const crd_task *task, const crd_mode *mode) {
  size_t bytes = sizeof *m->x * (size_t)m->reduced.n, full_bytes = sizeof *m->full * (size_t)m->reduced.m;
  double best = INFINITY, rough = INFINITY, tolerance = task->options->tolerance;
  crd_coulomb_method method = CRD_COULOMB_NEWTON, rough_method = CRD_COULOMB_NEWTON;
  memcpy(m->guess, m->x, bytes);
  memcpy(m->first, m->x, bytes);
  for (crd_coulomb_method now = CRD_COULOMB_NEWTON; now <= CRD_COULOMB_CURVE; now++) { /* in the order of their cost */
    if (!(best > CRD_ACCURACY.safe * tolerance) || crd_coulomb_stopped(m, task)) break;
    if (!is_asked(task, now)) continue;
    double residual = solve_by(now, m, task, mode);
    if (residual > tolerance) {
      if (residual < rough) rough = residual, rough_method = now, memcpy(m->first, m->x, bytes);
      continue;
    }
    /* from a guess that carries something Newton's proximal steps in its modes are the least change already */
    bool changed_least = now == CRD_COULOMB_NEWTON && m->as_given && carries(m->reduced.n, m->guess);
    if (!changed_least) crd_coulomb_nearest(m, task, m->guess, CRD_ACCURACY.refined);
    residual = refine(m, task);
    if (residual < best) best = residual, method = now, memcpy(m->answer_full, m->full, full_bytes);
  }
  if (best < INFINITY) return method;
  memcpy(m->x, m->first, bytes);
  refine(m, task);
  memcpy(m->answer_full, m->full, full_bytes);
  return rough_method;
}

static crd_status solve_dense(crd_coulomb_work *work, const crd_task *task, crd_coulomb_state *state,
                              crd_coulomb_method *method) {
  crd_memory *m = &work->memory;
  crd_status status = crd_coulomb_reduce(m, task, &task->report->row);
  if (status != CRD_OK) return status;
  crd_coulomb_restrict(m, task->options->warm ? state->p : NULL);
  *method = by_methods(m, task, state->mode);
  crd_coulomb_scatter(&m->reduced, task, m->answer_full, work->p);
  return CRD_OK;
}

/* Is an island of this many rows solved by sweeps? */
static bool is_large(const crd_task *task, int rows) {
  crd_coulomb_method asked = task->options->method;
  return asked == CRD_COULOMB_AUTO ? rows > DENSE_ROWS : asked == CRD_COULOMB_SWEEPS;
}

/* The tolerance of an island. */
static double tolerance_of(const crd_task *task) {
  const crd_coulomb_options *o = task->options;
  return task->island.ncontact > o->large_contacts ? crd_greater(o->tolerance, o->large_tolerance) : o->tolerance;
}

/* Contacts alone that open without impulses, and the guess has none: there is nothing to solve. work->p is the guess. */
static bool opens_freely(const crd_coulomb_work *work, const crd_task *task) {
  const crd_coulomb_problem *problem = task->problem;
  if (task->island.nbilateral + task->island.nbounded > 0) return false;
  for (int i = 0; i < task->island.ncontact; i++) {
    const crd_coulomb_contact *c = &problem->contact[task->island.contact[i]];
    if (problem->w[c->row] < c->target || carries(crd_coulomb_contact_rows(c), work->p + c->row)) return false;
  }
  return true;
}

/* One contact alone, in closed form. */
static bool solve_single(crd_coulomb_work *work, const crd_task *task) {
  const crd_island *island = &task->island;
  bool alone = island->ncontact == 1 && island->nbilateral + island->nbounded == 0;
  if (!alone || task->options->method != CRD_COULOMB_AUTO) return false;
  return crd_coulomb_single(task->problem, &task->problem->contact[island->contact[0]], work->memory.where, work->p);
}

/* work->p holds the guess, then the answer. */
static crd_status solve_large(crd_coulomb_work *work, const crd_task *task, crd_coulomb_method *method) {
  crd_standing answer = {0};
  crd_status status = crd_coulomb_sweep(&work->memory, task, tolerance_of(task), work->p, &answer);
  *method = answer.method;
  return status < 0 ? status : CRD_OK; /* the residual judges */
}

/* ------------------------------------------------------------------------------------------------ all islands */

static void enter_island(const crd_coulomb_work *work, crd_task *task, int r) {
  crd_coulomb_measure measure = crd_coulomb_measure_of(&work->measures, r);
  task->island = crd_island_of(&work->islands, r), task->rows = work->islands.rows[r];
  task->scale = measure.scale, task->velocity = measure.velocity;
  task->factored_before = task->report->factorizations;
}

static crd_status solve_islands(crd_coulomb_work *work, crd_task *task, crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = task->problem;
  const int *rows = work->islands.rows;
  int n = problem->n, largest = 0;
  if (task->options->warm)
    memcpy(work->p, state->p, sizeof *work->p * (size_t)n);
  else
    memset(work->p, 0, sizeof *work->p * (size_t)n);
  for (int r = 0; r < n; r++)
    if (rows[r] > largest && !is_large(task, rows[r])) largest = rows[r];
  crd_room room = {.problem_rows = n, .rows = largest, .dense = largest};
  crd_status status = crd_memory_reserve(&work->memory, &room);
  for (int r = 0; r < n && status == CRD_OK; r++) {
    if (rows[r] == 0) continue;
    task->report->islands++;
    enter_island(work, task, r);
    crd_coulomb_method *method = &work->method[r];
    *method = CRD_COULOMB_NEWTON;
    if (opens_freely(work, task) || solve_single(work, task)) continue;
    status = is_large(task, rows[r]) ? solve_large(work, task, method) : solve_dense(work, task, state, method);
  }
  return status;
}

/* Distance from the guess in units of each row's own compliance. */
static double change_from(const crd_island_problem *island, const double *guess, const double *p) {
  double sum = 0;
  for (int i = 0; i < island->problem.n; i++) {
    double change = p[i] - (guess ? guess[island->row[i]] : 0);
    sum += crd_coulomb_diagonal(&island->problem, i) * change * change;
  }
  return sum;
}

/* Of all solutions of a small island the one nearest to the guess, into work->p. */
static bool solve_by_modes(crd_coulomb_work *work, const crd_task *task, const double *guess) {
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  crd_coulomb_solutions all = {0};
  crd_island_problem island;
  crd_arena arena = {0};
  double nearest = INFINITY;
  bool bounded = task->options->max_factorizations > 0;
  if (task->island.ncontact > (bounded ? QUICKLY_ENUMERATED : MOST_ENUMERATED)) return false;
  if (!bounded) options.max_searched = options.max_modes;
  options.tolerance = task->options->tolerance;
  options.stop = task->options->stop, options.context = task->options->context;
  if (crd_island_extract(task->problem, &task->island, work->memory.where, &arena, &island) == CRD_OK)
    crd_coulomb_enumerate(&island.problem, &options, &all);
  for (int k = 0; k < all.count; k++) {
    double change = change_from(&island, guess, all.solution[k].p);
    if (!(change < nearest)) continue;
    nearest = change;
    for (int i = 0; i < island.problem.n; i++) work->p[island.row[i]] = all.solution[k].p[i];
  }
  crd_coulomb_solutions_free(&all);
  crd_arena_free(&arena);
  return nearest < INFINITY;
}

/* Is it proved that no motion keeps the laws of this island? */
static bool is_impossible(crd_coulomb_work *work, const crd_task *task) {
  crd_island_problem island;
  crd_arena arena = {0};
  if (task->rows > DENSE_ROWS) return false;
  crd_status status = crd_island_extract(task->problem, &task->island, work->memory.where, &arena, &island);
  if (status == CRD_OK) status = crd_coulomb_attainable(&island.problem, task->scale, &arena);
  crd_arena_free(&arena);
  return status == CRD_NO_SOLUTION;
}

/* Judges work->p. error[r] becomes the residual of island r, its rounding included; returns the worst. */
static double judge(crd_coulomb_work *work, const crd_coulomb_problem *problem, int *row) {
  crd_coulomb_residual_parts parts;
  const int *parent = work->islands.parent;
  double *error = work->error, *rounding = work->rounding, worst = 0;
  crd_coulomb_judge_rows(problem, &work->measures, work->p, work->u, rounding, &parts, error);
  for (int i = 0; i < problem->n; i++) {
    error[parent[i]] = crd_greater(error[parent[i]], error[i]),
    rounding[parent[i]] = crd_greater(rounding[parent[i]], rounding[i]);
  }
  for (int r = 0; r < problem->n; r++)
    if (parent[r] == r) error[r] += rounding[r], worst = crd_greater(worst, error[r]);
  *row = parts.row;
  return worst;
}

/* Counts the islands above their tolerance, after another try by modes where that may help; returns the number of such
 * tries. *impossible: an island that has no solution, -1 where none is known. */
static int count_unsettled(crd_coulomb_work *work, crd_task *task, const double *guess, bool try, int *impossible) {
  crd_coulomb_method asked = task->options->method;
  int tries = 0;
  task->report->unsettled = 0;
  for (int r = 0; r < task->problem->n; r++) {
    if (work->islands.rows[r] == 0) continue;
    enter_island(work, task, r);
    if (work->error[r] <= tolerance_of(task)) continue;
    task->report->unsettled++;
    if (!try || (asked != CRD_COULOMB_AUTO && asked != CRD_COULOMB_MODES)) continue;
    if (crd_coulomb_stopped(&work->memory, task)) continue;
    if (solve_by_modes(work, task, guess))
      work->method[r] = CRD_COULOMB_MODES, tries++;
    else if (*impossible < 0 && is_impossible(work, task))
      *impossible = r;
  }
  return tries;
}

/* The contact of an island that closes fastest. */
static int most_closing(const crd_coulomb_work *work, const crd_coulomb_problem *problem, int island) {
  int worst = island;
  double fastest = INFINITY;
  for (int i = 0; i < problem->ncontact; i++) {
    int row = problem->contact[i].row;
    double opens = work->u[row] - problem->contact[i].target;
    if (work->islands.parent[row] == island && opens < fastest) fastest = opens, worst = row;
  }
  return worst;
}

/* Returns work->p to the caller, with its residual and status. */
static crd_status conclude(crd_coulomb_work *work, crd_task *task, crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = task->problem;
  crd_coulomb_report *report = task->report;
  int row, impossible = -1;
  report->residual = judge(work, problem, &row);
  if (count_unsettled(work, task, task->options->warm ? state->p : NULL, true, &impossible) > 0) {
    report->residual = judge(work, problem, &row);
    count_unsettled(work, task, NULL, false, &impossible);
  }
  for (int r = 0; r < problem->n; r++)
    if (work->islands.rows[r] > 0) report->settled[work->method[r]]++, work->settled[work->method[r]]++;
  memcpy(state->p, work->p, sizeof *state->p * (size_t)problem->n);
  memcpy(state->u, work->u, sizeof *state->u * (size_t)problem->n);
  if (state->mode)
    crd_coulomb_modes_by(problem, &work->measures, work->islands.parent, work->error, state->p, state->u, state->mode);
  report->row = impossible >= 0 ? most_closing(work, problem, impossible) : report->unsettled > 0 ? row : -1;
  return impossible >= 0 ? CRD_NO_SOLUTION : report->unsettled > 0 ? CRD_LIMIT : CRD_OK;
}

crd_status crd_coulomb_solve(crd_coulomb_work *work, const crd_coulomb_problem *problem,
                             const crd_coulomb_options *options, crd_coulomb_state *state, crd_coulomb_report *report) {
  crd_coulomb_options standard = crd_coulomb_default();
  crd_coulomb_report unused;
  if (!report) report = &unused;
  *report = (crd_coulomb_report){.row = -1};
  crd_task task = {.problem = problem, .options = options ? options : &standard, .report = report};
  if (problem->n < 0) return report->status = CRD_ERR_ARGUMENT;
  crd_status status = reserve_lists(work, problem->n);
  if (status == CRD_OK) status = crd_coulomb_check(problem, work->islands.parent, &report->row);
  for (int i = 0; status == CRD_OK && task.options->warm && i < problem->n; i++)
    if (!isfinite(state->p[i])) status = CRD_ERR_NUMBER, report->row = i;
  if (status != CRD_OK || problem->n == 0) return report->status = status;
  crd_islands_set(&work->islands, problem);
  work->measures = crd_coulomb_measure_rows(problem, work->islands.parent, work->measure);
  work->memory.stopped = false;
  status = solve_islands(work, &task, state);
  if (status != CRD_OK) return report->status = status;
  return report->status = conclude(work, &task, state);
}
