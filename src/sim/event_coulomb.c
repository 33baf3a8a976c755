/* Forces of closed contacts: the Coulomb problem of analysis/acceleration_rows.h, island by island. Friction that drives sliding contacts together can leave no solution, or several (Painleve). Only such islands, and
 * those that the solver does not settle, are enumerated. */
#include "sim/event_coulomb.h"

#include <math.h>
#include <string.h>

#include "coulomb/islands.h"
#include "linalg/dense.h"

enum { FEW_SLIDING = 3 };            /* contacts: see is_doubtful */
static const double AT_BOUND = 1e-9; /* of a bound: rounding of the force that reaches it */

/* ------------------------------------------------------------------------------------------------ one island */

/* G_in - mu sum_k d_k G_i,tk of a contact that slides. */
static double sliding_entry(const crd_coulomb_problem *problem, int row, const crd_coulomb_contact *contact) {
  const double *G = problem->G + (size_t)problem->n * (size_t)row + contact->row;
  double entry = G[0];
  for (int k = 0; k < contact->ntangent; k++) entry -= contact->mu * contact->slide[k] * G[1 + k];
  return entry;
}

/* Can sliding friction leave the contacts without a force, or with several? Not where their normals, with their
 * friction, are positive definite. Where many slide, only one that friction drives together by itself is looked into:
 * dependent normals (corners of a face) are indefinite without being ambiguous, and the modes of many are too many. */
static bool is_doubtful(const crd_coulomb_problem *problem) {
  double S[FEW_SLIDING * FEW_SLIDING];
  const crd_coulomb_contact *sliding[FEW_SLIDING];
  int n = 0;
  for (int c = 0; c < problem->ncontact; c++) {
    const crd_coulomb_contact *contact = &problem->contact[c];
    if (!contact->slides) continue;
    if (!(sliding_entry(problem, contact->row, contact) > 0)) return true;
    if (n < FEW_SLIDING) sliding[n] = contact;
    n++;
  }
  if (n == 0 || n > FEW_SLIDING) return false;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      S[n * i + j] = 0.5 * (sliding_entry(problem, sliding[i]->row, sliding[j]) +
                            sliding_entry(problem, sliding[j]->row, sliding[i]));
  return !crd_dense_cholesky(n, S);
}

static double total_normal(const crd_coulomb_problem *problem, const double *f) {
  double sum = 0;
  for (int c = 0; c < problem->ncontact; c++) sum += f[problem->contact[c].row];
  return sum;
}

/* Of all solutions the one with the least contact force. CRD_LIMIT: undecided. */
static crd_status by_enumeration(const crd_coulomb_problem *problem, const crd_force_tools *tools,
                                 crd_coulomb_state *state, crd_force_verdict *verdict) {
  crd_coulomb_enumerate_options options = crd_coulomb_enumerate_default();
  crd_coulomb_solutions all = {0};
  options.stop = tools->stop, options.context = tools->context;
  crd_status status = crd_coulomb_enumerate(problem, &options, &all);
  crd_coulomb_motion motion = crd_coulomb_judge(&all).motion;
  if (motion == CRD_MOTION_NONE) *verdict = CRD_FORCE_NONE;
  if (motion == CRD_MOTION_SEVERAL) *verdict = CRD_FORCE_SEVERAL;
  int least = 0;
  for (int k = 1; k < all.count; k++)
    if (total_normal(problem, all.solution[k].p) < total_normal(problem, all.solution[least].p)) least = k;
  if (all.count > 0) {
    memcpy(state->p, all.solution[least].p, sizeof *state->p * (size_t)problem->n);
    memcpy(state->u, all.solution[least].u, sizeof *state->u * (size_t)problem->n);
  }
  bool decided = all.count > 0 || motion == CRD_MOTION_NONE;
  crd_coulomb_solutions_free(&all);
  return status < 0 ? status : decided ? CRD_OK : CRD_LIMIT;
}

static const double SETTLED =
    1e-6; /* residual of forces whose modes are worth asking: mass ratios of a million leave 1e-9 */

/* CRD_LIMIT: not solved, or only by the list of all solutions, which says more than one of them. */
static crd_status by_solving(const crd_coulomb_problem *problem, bool warm, const crd_force_tools *tools,
                             crd_coulomb_state *state) {
  crd_coulomb_options options = crd_coulomb_default();
  crd_coulomb_report report;
  options.warm = warm, options.large_tolerance = options.tolerance;
  options.stop = tools->stop, options.context = tools->context;
  crd_status status = crd_coulomb_solve(tools->cones, problem, &options, state, &report);
  if (status == CRD_LIMIT && report.residual <= SETTLED) status = CRD_OK;
  return status > 0 || report.settled[CRD_COULOMB_MODES] > 0 ? CRD_LIMIT : status;
}

static crd_mode mode_of(const crd_held *held) {
  static const crd_mode mode[] = {CRD_MODE_SEPARATE, CRD_MODE_NONE, CRD_MODE_STICK, CRD_MODE_SLIP};
  return mode[held->hold];
}

/* Forces and accelerations of an island into state. */
static crd_status solve_island(const crd_acceleration_rows *s, const crd_island_problem *island, const crd_held *before,
                               const bool *known, const crd_force_tools *tools, crd_coulomb_state *state,
                               crd_force_verdict *verdict) {
  const crd_coulomb_problem *problem = &island->problem;
  bool warm = before != NULL;
  for (int c = 0; c < problem->ncontact && warm; c++) {
    int source = s->contact[island->contact[c]];
    warm = known[source];
    state->mode[c] = mode_of(&before[source]);
  }
  memset(state->p, 0, sizeof *state->p * (size_t)problem->n);
  bool doubtful = is_doubtful(problem);
  crd_status status =
      doubtful ? by_enumeration(problem, tools, state, verdict) : by_solving(problem, warm, tools, state);
  if (status != CRD_LIMIT) return status;
  return doubtful ? by_solving(problem, warm, tools, state) : by_enumeration(problem, tools, state, verdict);
}

/* ------------------------------------------------------------------------------------------------ all islands */

/* Which way a joint begins to move whose friction is at its bound. */
static int sign_of(double a, double f, double bound, double zero) {
  if (fabs(a) <= zero || fabs(f) < bound * (1 - AT_BOUND)) return 0;
  return a > 0 ? 1 : -1;
}

static void spread(const crd_acceleration_input *input, const crd_acceleration_rows *s,
                   const crd_island_problem *island, const crd_coulomb_state *state, int *sign,
                   crd_force_solution *solution) {
  double zero = CRD_FORCE_ZERO * crd_coulomb_scale(&island->problem);
  for (int i = 0; i < island->problem.n; i++) {
    int row = s->row[island->row[i]], b = row - input->problem->nrow;
    solution->f[row] = state->p[i], solution->a[row] = state->u[i];
    if (b >= 0 && sign && crd_acceleration_bounded(input, b))
      sign[b] = sign_of(state->u[i], state->p[i], input->bound[b], zero);
  }
  for (int c = 0; c < island->problem.ncontact; c++) solution->zero[s->contact[island->contact[c]]] = zero;
}

crd_status crd_force_coulomb(const crd_force_problem *force, const double *slip, const crd_held *before,
                             const bool *known, const crd_force_tools *tools, crd_force_solution *solution,
                             crd_force_verdict *verdict) {
  const crd_acceleration_input input = {force->problem, force->a_free, slip, force->parts, force->bound, force->scale};
  crd_acceleration_rows s;
  crd_arena *arena = tools->arena;
  crd_island_problem *island;
  int count;
  size_t m = (size_t)(force->problem->nrow + force->problem->nb) + 1, nc = (size_t)force->problem->nc + 1;
  solution->f = crd_arena_alloc(arena, m, sizeof(double)), solution->a = crd_arena_alloc(arena, m, sizeof(double));
  solution->zero = crd_arena_alloc(arena, nc, sizeof(double));
  crd_coulomb_state state = {.p = crd_arena_alloc(arena, m, sizeof *state.p),
                             .u = crd_arena_alloc(arena, m, sizeof *state.u),
                             .mode = crd_arena_alloc(arena, nc, sizeof *state.mode)};
  if (!solution->f || !solution->a || !solution->zero || !state.p || !state.u || !state.mode) return CRD_ERR_MEMORY;
  *verdict = CRD_FORCE_UNIQUE;
  crd_status status = crd_acceleration_rows_form(&s, &input, arena);
  if (status == CRD_OK) status = crd_island_problems(&s.problem, arena, &island, &count);
  for (int i = 0; status == CRD_OK && i < count; i++) {
    status = solve_island(&s, &island[i], before, known, tools, &state, verdict);
    if (*verdict == CRD_FORCE_NONE) return CRD_OK;
    if (status == CRD_OK) spread(&input, &s, &island[i], &state, force->sign, solution);
  }
  return status;
}
