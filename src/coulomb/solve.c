/* One solve: check the input, find the islands, solve each, let the residual judge.
 *
 *   newton     from the guess, the modes of the last solution first
 *   interior   where that does not settle, or there is no guess that leads anywhere
 *   nearest    of impulses that are not determined those nearest to the guess
 *   refine     what elimination lost to rounding
 *
 * Islands of more rows than that pays for go to the sweeps and their sparse factor (sweep.c), the largest of them with
 * a tolerance of their own.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coulomb/islands.h"
#include "coulomb/work.h"

enum { NEWTON_STEPS = 10, REFINEMENTS = 3, DENSE_ROWS = 150 };
enum { MOST_ENUMERATED = 6 };        /* contacts */
static const double MARGIN = 0.03;   /* of the tolerance: what elimination and scaling may still lose */
static const double REFINED = 1e-12; /* residual that is not refined further */

/* ------------------------------------------------------------------------------------------------ workspace */

crd_coulomb_work *crd_coulomb_work_new(void) { return calloc(1, sizeof(crd_coulomb_work)); }

void crd_coulomb_work_free(crd_coulomb_work *work) {
  if (!work) return;
  crd_arena_free(&work->arena);
  crd_dense_free(&work->dense);
  crd_sweep_free(&work->sweep);
  free(work);
}

static crd_status reserve_lists(crd_coulomb_work *work, int n) {
  if (n <= work->n && work->owner) return CRD_OK;
  crd_arena fresh = {0};
  size_t size = (size_t)n + (size_t)n / 2 + 1, i = sizeof(int), d = sizeof(double);
  const struct {
    void *to; /* address of the pointer */
    size_t size;
  } table[] = {{&work->owner, i},
               {&work->rows, i},
               {&work->contact, i},
               {&work->bilateral, i},
               {&work->bounded, i},
               {&work->first_contact, i},
               {&work->first_bilateral, i},
               {&work->first_bounded, i},
               {&work->p, d},
               {&work->u, d}};
  enum { COUNT = sizeof table / sizeof *table };
  void *memory[COUNT];
  for (size_t k = 0; k < COUNT; k++) {
    memory[k] = crd_arena_alloc(&fresh, size, table[k].size);
    if (memory[k]) continue;
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  for (size_t k = 0; k < COUNT; k++) *(void **)table[k].to = memory[k];
  crd_arena_free(&work->arena);
  work->arena = fresh, work->n = (int)size - 1;
  return CRD_OK;
}

crd_status crd_coulomb_reserve(crd_coulomb_work *work, int n, int largest) {
  crd_status status = reserve_lists(work, n);
  return status == CRD_OK ? crd_dense_reserve(&work->dense, n, largest < DENSE_ROWS ? largest : DENSE_ROWS) : status;
}

/* ------------------------------------------------------------------------------------------------ one island */

/* Modes of the guess, for the contacts of the reduced problem. */
static const crd_mode *guessed_modes(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *mode) {
  if (!task->options->warm || !mode) return NULL;
  for (int i = 0; i < m->reduced.ncontact; i++) m->mode[i] = mode[m->reduced.contact[i].id];
  return m->mode;
}

/* The ways to an answer, in the order of what they cost: each is asked only if those before did not reach the
 * tolerance. */
typedef enum way {
  FROM_GUESS,  /* Newton's method from the guess, the modes of the last solution first */
  ALONG_PATH,  /* the central path */
  FROM_ZERO,   /* Newton's method from zero: the guess may have misled it */
  FROM_SOFTER, /* from zero through softened problems */
  WAYS
} way;

static double go(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *mode, way which, double enough) {
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  if (which == FROM_GUESS) return crd_coulomb_newton(m, task, guessed_modes(m, task, mode), NEWTON_STEPS);
  if (which == ALONG_PATH) return crd_coulomb_interior(m, task, enough);
  memset(m->x, 0, bytes);
  return which == FROM_ZERO ? crd_coulomb_newton(m, task, NULL, NEWTON_STEPS) : crd_coulomb_harden(m, task);
}

static bool is_asked(const crd_dense_task *task, way which) {
  crd_coulomb_method asked = task->options->method;
  if (asked == CRD_COULOMB_INTERIOR) return which == ALONG_PATH;
  if (asked == CRD_COULOMB_NEWTON && which == ALONG_PATH) return false;
  return which != FROM_ZERO || task->options->warm; /* which a cold start has been */
}

/* The best answer in memory->x, its residual, and which method found it. */
static double by_methods(crd_dense_memory *m, const crd_dense_task *task, const crd_mode *mode,
                         crd_coulomb_method *method) {
  size_t bytes = sizeof(double) * (size_t)m->reduced.n;
  double best = INFINITY, tolerance = task->options->tolerance;
  memcpy(m->guess, m->x, bytes);
  memset(m->first, 0, bytes);
  *method = CRD_COULOMB_NEWTON;
  for (way which = FROM_GUESS; which < WAYS; which++) {
    if (!is_asked(task, which)) continue;
    double residual = go(m, task, mode, which, MARGIN * tolerance);
    if (residual < best) {
      best = residual, *method = which == ALONG_PATH ? CRD_COULOMB_INTERIOR : CRD_COULOMB_NEWTON;
      memcpy(m->first, m->x, bytes);
    }
    if (best <= (which == FROM_GUESS ? MARGIN : 1) * tolerance || crd_coulomb_stopped(m, task)) break;
  }
  memcpy(m->x, m->first, bytes);
  return best;
}

static crd_status solve_dense(crd_coulomb_work *work, const crd_dense_task *task, crd_coulomb_state *state) {
  crd_dense_memory *m = &work->dense;
  crd_coulomb_report *report = task->report;
  crd_coulomb_method which;
  crd_status status = crd_coulomb_reduce(m, task, &report->row);
  if (status != CRD_OK) return status;
  crd_coulomb_restrict(m, task->options->warm ? state->p : NULL);
  double residual = by_methods(m, task, state->mode, &which);
  if (residual <= task->options->tolerance) crd_coulomb_nearest(m, task, m->guess, REFINED);
  residual = crd_coulomb_expand(m, task);
  for (int k = 0; k < REFINEMENTS && residual > REFINED && residual < 1 && !m->stopped; k++) {
    double last = residual;
    memcpy(m->kept_full, m->full, sizeof *m->full * (size_t)m->reduced.m);
    crd_coulomb_refine(m);
    crd_coulomb_newton(m, task, NULL, NEWTON_STEPS);
    residual = crd_coulomb_expand(m, task);
    if (residual < last) continue;
    memcpy(m->full, m->kept_full, sizeof *m->full * (size_t)m->reduced.m);
    residual = last;
    break;
  }
  crd_coulomb_scatter(m, task, work->p);
  work->missed |= !(residual <= task->options->tolerance);
  report->settled[which]++;
  return CRD_OK;
}

/* Is an island of this many rows solved by sweeps? */
static bool is_large(const crd_dense_task *task, int rows) {
  crd_coulomb_method asked = task->options->method;
  return asked == CRD_COULOMB_AUTO ? rows > DENSE_ROWS : asked == CRD_COULOMB_SWEEPS;
}

/* The tolerance of an island. */
static double tolerance_of(const crd_dense_task *task) {
  const crd_coulomb_options *o = task->options;
  return task->ncontact > o->large_contacts ? fmax(o->tolerance, o->large_tolerance) : o->tolerance;
}

/* work->p holds the guess, then the answer. */
static crd_status solve_large(crd_coulomb_work *work, const crd_dense_task *task) {
  double residual;
  crd_status status = crd_coulomb_sweep(&work->sweep, task, tolerance_of(task), work->p, &residual);
  if (status < 0) return status;
  work->missed |= status != CRD_OK;
  work->loosest = fmax(work->loosest, tolerance_of(task));
  task->report->settled[CRD_COULOMB_SWEEPS]++;
  return CRD_OK; /* the residual judges */
}

/* ------------------------------------------------------------------------------------------------ all islands */

/* The items of a kind by island: those of the island that row r stands for are list[first[r] .. first[r + 1] - 1]. */
static void sort_by_island(int count, const int *parent, int n, int row_of(const crd_coulomb_problem *, int),
                           const crd_coulomb_problem *problem, int *list, int *first) {
  memset(first, 0, sizeof *first * ((size_t)n + 1));
  for (int i = 0; i < count; i++) first[parent[row_of(problem, i)] + 1]++;
  for (int r = 0; r < n; r++) first[r + 1] += first[r];
  for (int i = 0; i < count; i++) list[first[parent[row_of(problem, i)]]++] = i;
  for (int r = n; r > 0; r--) first[r] = first[r - 1]; /* back to where each begins */
  first[0] = 0;
}

static int contact_row(const crd_coulomb_problem *problem, int i) { return problem->contact[i].row; }
static int bilateral_row(const crd_coulomb_problem *problem, int i) { return problem->bilateral[i]; }
static int bounded_row(const crd_coulomb_problem *problem, int i) { return problem->bounded[i].row; }

static crd_status solve_islands(crd_coulomb_work *work, crd_dense_task *task, crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = task->problem;
  int *parent = work->owner, *rows = work->rows, n = problem->n, largest = 0;
  work->missed = false, work->loosest = task->options->tolerance;
  if (task->options->warm)
    memcpy(work->p, state->p, sizeof *work->p * (size_t)n);
  else
    memset(work->p, 0, sizeof *work->p * (size_t)n);
  crd_coulomb_find_islands(problem, parent);
  sort_by_island(problem->ncontact, parent, n, contact_row, problem, work->contact, work->first_contact);
  sort_by_island(problem->nbilateral, parent, n, bilateral_row, problem, work->bilateral, work->first_bilateral);
  sort_by_island(problem->nbounded, parent, n, bounded_row, problem, work->bounded, work->first_bounded);
  memset(rows, 0, sizeof *rows * (size_t)n);
  for (int i = 0; i < n; i++) rows[parent[i]]++;
  for (int i = 0; i < n; i++)
    if (rows[i] > largest && !is_large(task, rows[i])) largest = rows[i];
  crd_status status = crd_dense_reserve(&work->dense, n, largest);
  for (int r = 0; r < n && status == CRD_OK; r++) {
    if (rows[r] == 0) continue;
    task->report->islands++;
    task->contact = work->contact + work->first_contact[r];
    task->bilateral = work->bilateral + work->first_bilateral[r];
    task->bounded = work->bounded + work->first_bounded[r];
    task->ncontact = work->first_contact[r + 1] - work->first_contact[r];
    task->nbilateral = work->first_bilateral[r + 1] - work->first_bilateral[r];
    task->nbounded = work->first_bounded[r + 1] - work->first_bounded[r];
    status = is_large(task, rows[r]) ? solve_large(work, task) : solve_dense(work, task, state);
  }
  return status;
}

/* Distance from the guess in units of each row's own compliance. */
static double change_from(const crd_coulomb_problem *problem, const double *guess, const double *p) {
  double sum = 0;
  for (int i = 0; i < problem->n; i++) sum += crd_coulomb_diagonal(problem, i) * (p[i] - guess[i]) * (p[i] - guess[i]);
  return sum;
}

/* Of all solutions of a small problem the one nearest to the guess, into work->p. */
static bool solve_by_modes(crd_coulomb_work *work, const crd_dense_task *task, const crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = task->problem;
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  crd_coulomb_solutions all = {0};
  double nearest = INFINITY;
  options.tolerance = task->options->tolerance;
  options.stop = task->options->stop, options.context = task->options->context;
  if (!task->options->warm) memset(work->u, 0, sizeof *work->u * (size_t)problem->n);
  const double *guess = task->options->warm ? state->p : work->u;
  crd_coulomb_enumerate(problem, &options, &all);
  for (int k = 0; k < all.count; k++) {
    double change = change_from(problem, guess, all.solution[k].p);
    if (!(change < nearest)) continue;
    nearest = change;
    memcpy(work->p, all.solution[k].p, sizeof *work->p * (size_t)problem->n);
  }
  crd_coulomb_solutions_free(&all);
  return nearest < INFINITY;
}

/* Judges work->p and gives it to the caller. */
static crd_status conclude(crd_coulomb_work *work, const crd_dense_task *task, crd_coulomb_state *state) {
  const crd_coulomb_problem *problem = task->problem;
  crd_coulomb_report *report = task->report;
  crd_coulomb_residual_parts parts;
  crd_coulomb_residual(problem, work->p, work->u, &parts);
  double residual = parts.worst + parts.rounding;
  bool solved = residual <= task->options->tolerance || (residual <= work->loosest && !work->missed);
  bool small = problem->ncontact <= MOST_ENUMERATED;
  crd_coulomb_method asked = task->options->method;
  if (!solved && small && !crd_coulomb_stopped(&work->dense, task) &&
      (asked == CRD_COULOMB_AUTO || asked == CRD_COULOMB_MODES) && solve_by_modes(work, task, state)) {
    report->settled[CRD_COULOMB_MODES]++;
    crd_coulomb_residual(problem, work->p, work->u, &parts);
    residual = parts.worst + parts.rounding;
    solved = residual <= task->options->tolerance;
  }
  memcpy(state->p, work->p, sizeof *state->p * (size_t)problem->n);
  memcpy(state->u, work->u, sizeof *state->u * (size_t)problem->n);
  if (state->mode) crd_coulomb_modes(problem, state->p, state->u, state->mode);
  report->residual = residual;
  report->row = solved ? -1 : parts.row;
  return solved ? CRD_OK : CRD_LIMIT;
}

crd_status crd_coulomb_solve(crd_coulomb_work *work, const crd_coulomb_problem *problem,
                             const crd_coulomb_options *options, crd_coulomb_state *state, crd_coulomb_report *report) {
  crd_coulomb_options standard = crd_coulomb_default();
  crd_coulomb_report unused;
  if (!report) report = &unused;
  *report = (crd_coulomb_report){.row = -1};
  crd_dense_task task = {
      .problem = problem, .options = options ? options : &standard, .report = report, .contact = NULL};
  if (problem->n < 0) return report->status = CRD_ERR_ARGUMENT;
  crd_status status = reserve_lists(work, problem->n);
  if (status == CRD_OK) status = crd_coulomb_check(problem, work->owner, &report->row);
  for (int i = 0; status == CRD_OK && task.options->warm && i < problem->n; i++)
    if (!isfinite(state->p[i])) status = CRD_ERR_NUMBER, report->row = i;
  if (status != CRD_OK || problem->n == 0) return report->status = status;
  task.scale = crd_coulomb_scale(problem);
  work->dense.stopped = false;
  status = solve_islands(work, &task, state);
  if (status != CRD_OK) return report->status = status;
  return report->status = conclude(work, &task, state);
}
