/* A start without overlap: bodies that overlap are moved apart, joints beyond a limit to it, open loops closed, by the
 * smallest displacement d in the kinetic metric,
 *
 *   min 1/2 d' M d   subject to   gap + J_n d >= 0,   loop error + J_b d = 0,
 *
 * whose multipliers solve the mixed problem  0 <= l _|_ gap + W l >= 0. Gaps are not linear in d, so this is repeated;
 * it converges like Newton's method. Friction and velocities have no part in it.
 */
#include <cradle/lcp.h>
#include <math.h>
#include <string.h>

#include "sim/sim_state.h"

enum { MOST_ROUNDS = 60 };

/* Errors of the present problem: the deepest overlap (0: none), the largest loop error. */
typedef struct start_errors {
  double overlap, loop;
} start_errors;

static start_errors errors_of(const crd_contact_problem *problem) {
  start_errors errors = {0};
  for (int c = 0; c < problem->nc; c++) errors.overlap = fmax(errors.overlap, -problem->contact[c].gap);
  for (int b = 0; b < problem->nb; b++) errors.loop = fmax(errors.loop, fabs(problem->residual[b]));
  return errors;
}

/* The multipliers of the smallest displacement into l (nc + nb), loops last. */
static crd_status solve(const crd_contact_problem *problem, crd_arena *arena, double **l) {
  int nc = problem->nc, n = nc + problem->nb, m = problem->nrow + problem->nb;
  size_t rows = (size_t)n;
  double *W = crd_arena_alloc(arena, rows * rows, sizeof *W), *w = crd_arena_alloc(arena, rows, sizeof *w);
  unsigned char *free_row = crd_arena_alloc(arena, rows, 1);
  crd_lcp_work *work = crd_lcp_work_new(n, 0);
  *l = crd_arena_alloc(arena, rows, sizeof **l);
  crd_status status = W && w && free_row && work && *l ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK) {
    for (int i = 0; i < n; i++) {
      int row = i < nc ? problem->contact[i].row : problem->nrow + i - nc;
      for (int j = 0; j < n; j++) {
        int column = j < nc ? problem->contact[j].row : problem->nrow + j - nc;
        W[rows * (size_t)i + (size_t)j] = problem->W[(size_t)m * (size_t)row + (size_t)column];
      }
      w[i] = i < nc ? problem->contact[i].gap : problem->residual[i - nc];
      free_row[i] = i >= nc;
    }
    crd_lcp_problem lcp = crd_lcp_dense(n, W, w);
    lcp.free_row = free_row;
    status = crd_lcp_solve(work, &lcp, NULL, *l, NULL);
  }
  crd_lcp_work_free(work);
  return status;
}

static crd_status displace(crd_sim *sim) {
  const crd_contact_problem *problem = sim->problem;
  crd_arena arena = {0};
  double *l;
  crd_status status = solve(problem, &arena, &l);
  if (status == CRD_OK) {
    memset(sim->chart, 0, sizeof *sim->chart * (size_t)problem->nv);
    for (int i = 0; i < problem->nc + problem->nb; i++) {
      int row = i < problem->nc ? problem->contact[i].row : problem->nrow + i - problem->nc;
      const double *X = problem->X + (size_t)problem->nv * (size_t)row;
      for (int k = 0; k < problem->nv; k++) sim->chart[k] += l[i] * X[k];
    }
    crd_tree_integrate_position(sim->model, sim->trial.q, sim->chart, 1, sim->trial.q);
  }
  crd_arena_free(&arena);
  return status;
}

/* The problem of all that overlaps at trial.q or lies within reach of what is moved. */
static crd_status measure(crd_sim *sim, double reach) {
  const int *contact_of;
  crd_sim_place(sim, sim->trial.q);
  crd_status status = crd_sim_detect(sim, sim->trial.q, reach, NULL, &sim->trial.touches);
  if (status != CRD_OK) return status;
  return crd_sim_assemble(sim, sim->trial.q, sim->trial.v, &sim->trial.touches, NULL, false, &contact_of);
}

crd_status crd_sim_clear_start(crd_sim *sim, double *overlap, double *loop) {
  start_errors first = {0}, errors = {0};
  double reach = sim->closed;
  for (int round = 0; round <= MOST_ROUNDS; round++) {
    crd_status status = measure(sim, reach);
    if (status != CRD_OK) return status;
    errors = errors_of(sim->problem);
    if (round == 0) first = errors;
    if (errors.overlap <= sim->exact && errors.loop <= 1e-3 * sim->options.loop_tolerance) break;
    if (round < MOST_ROUNDS && displace(sim) != CRD_OK) break; /* the check that follows names what is left */
    reach = fmax(sim->closed, 2 * errors.overlap);
  }
  *overlap = first.overlap > 2 * sim->closed ? first.overlap : 0;
  *loop = first.loop > sim->options.loop_tolerance ? first.loop : 0;
  return CRD_OK;
}
