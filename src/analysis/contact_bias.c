/* Accelerations of a problem's rows without contact forces for a mechanism at a state,
 *
 *   a_i = J_i qacc + d/dt(J_i) qd
 *
 * and the vector b of the contact LCP (26) of [C], the normal ones with the bilateral rows held:
 *
 *   |grad h_i| b_i = J_i a + d/dt(J_i) qd,      a: acceleration of the mechanism that obeys its bilateral rows
 *
 * (contacts persist, J_n qd = 0, so that the rate of 1/|grad h| does not matter). Rates of the rows are central
 * differences along the motion: contact points roll and slide, and no closed form holds for all shapes. Tangents may
 * turn with the contact: where it does not slide J_t qd = 0, and their rate does not matter either; where it slides its
 * friction is known and nobody asks for its tangential acceleration. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

static const double DIFFERENCE =
    1e-5; /* way of the fastest coordinate (m or rad) to either side: truncation h^2 and rounding 1e-16/h meet here */

/* The row of `moved` that stands for `row` of the problem. -1: none. */
static int same_row(const crd_contact_problem *problem, const crd_contact_problem *moved, int row) {
  if (row >= problem->nrow) return moved->nb == problem->nb ? moved->nrow + row - problem->nrow : -1;
  int c = 0;
  while (row > problem->contact[c].row + problem->contact[c].ntangent) c++;
  for (int k = 0; k < moved->nc; k++)
    if (strcmp(moved->contact[k].name, problem->contact[c].name) == 0 &&
        moved->contact[k].ntangent == problem->contact[c].ntangent)
      return moved->contact[k].row + row - problem->contact[c].row;
  return -1;
}

/* rate += sign/(2h) J(q + sign h qd) qd. */
static crd_status add_side(const crd_model *model, crd_workspace *work, crd_contact_assembler *assembler,
                           const double *qpos, const double *qvel, double step, const crd_contact_problem *problem,
                           crd_contact_problem *moved, double *q, double *rate) {
  crd_contact_options options = crd_contact_default();
  options.distance = options.limit_distance = 1e-3, options.mass_matrix = false;
  crd_tree_integrate_position(model, qpos, qvel, step, q);
  crd_status status = crd_contact_at_state(assembler, work, q, qvel, &options, moved);
  for (int row = 0; status == CRD_OK && row < problem->nrow + problem->nb; row++) {
    int there = same_row(problem, moved, row);
    if (there < 0) return CRD_UNKNOWN;
    rate[row] += crd_dense_dot(problem->nv, moved->J + crd_at(problem->nv, there, 0), qvel) / (2 * step);
  }
  return status;
}

/* Takes the bilateral rows' answer out of the normal accelerations. */
static crd_status hold_bilateral(const crd_contact_problem *problem, double *acceleration, crd_arena *arena) {
  int m = problem->nrow + problem->nb;
  int *row = crd_arena_alloc(arena, (size_t)problem->nb, sizeof *row);
  double *force = crd_matrix(arena, problem->nb, 1);
  crd_oblique held;
  if (!row || !force) return CRD_ERR_MEMORY;
  for (int k = 0; k < problem->nb; k++) row[k] = problem->nrow + k, force[k] = -acceleration[problem->nrow + k];
  crd_status status = crd_oblique_factor(&held, problem, problem->nb, row, arena);
  if (status != CRD_OK) return status;
  crd_oblique_solve(&held, force);
  for (int i = 0; i < problem->nrow; i++)
    acceleration[i] += crd_dense_dot(problem->nb, problem->W + crd_at(m, i, problem->nrow), force);
  return CRD_OK;
}

crd_status crd_analysis_load_at_state(const crd_model *model, crd_workspace *work, crd_contact_assembler *assembler,
                                      const double *qpos, const double *qvel, const double *force,
                                      const crd_contact_problem *problem, double *qacc, double *a_free,
                                      crd_arena *arena) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  double *q = crd_matrix(arena, model->nq, 1);
  crd_contact_problem *moved = crd_contact_problem_new();
  double fastest = 0;
  for (int i = 0; i < n; i++) fastest = fmax(fastest, fabs(qvel[i]));
  memset(a_free, 0, sizeof *a_free * (size_t)m);
  crd_status status = q && moved ? CRD_OK : CRD_ERR_MEMORY;
  double step = fastest > 0 ? DIFFERENCE / fastest : 0;
  for (int side = -1; status == CRD_OK && step > 0 && side <= 1; side += 2)
    status = add_side(model, work, assembler, qpos, qvel, side * step, problem, moved, q, a_free);
  crd_contact_problem_free(moved);
  if (status == CRD_OK) status = crd_tree_aba(model, work, qpos, qvel, force, NULL, qacc);
  for (int i = 0; status == CRD_OK && i < m; i++) a_free[i] += crd_dense_dot(n, problem->J + crd_at(n, i, 0), qacc);
  return status;
}

crd_status crd_analysis_load_of_problem(const crd_contact_problem *problem, double *qacc, double *a_free,
                                        crd_arena *arena) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  if (!problem->M || !problem->force) return CRD_ERR_ARGUMENT;
  double *L = crd_matrix(arena, n, n);
  if (!L) return CRD_ERR_MEMORY;
  memcpy(L, problem->M, sizeof *L * (size_t)n * (size_t)n);
  if (!crd_dense_cholesky(n, L)) return CRD_SINGULAR;
  memcpy(qacc, problem->force, sizeof *qacc * (size_t)n);
  crd_dense_cholesky_solve(n, L, 1, qacc);
  for (int i = 0; i < m; i++) a_free[i] = problem->rate[i] + crd_dense_dot(n, problem->J + crd_at(n, i, 0), qacc);
  return CRD_OK;
}

/* b from the rows' accelerations without contact forces, which become those with the bilateral rows held. */
static crd_status normalise(const crd_contact_problem *problem, double *a_free, double *b, crd_arena *arena) {
  int m = problem->nrow + problem->nb;
  crd_status status = problem->nb > 0 ? hold_bilateral(problem, a_free, arena) : CRD_OK;
  for (int c = 0; status == CRD_OK && c < problem->nc; c++) {
    int row = problem->contact[c].row;
    b[c] = a_free[row] / sqrt(problem->W[crd_at(m, row, row)]);
  }
  return status;
}

crd_status crd_analysis_wellposed_bias_of_problem(const crd_contact_problem *problem, double *b, crd_arena *arena) {
  double *qacc = crd_matrix(arena, problem->nv, 1), *a_free = crd_matrix(arena, problem->nrow + problem->nb, 1);
  crd_status status = qacc && a_free ? crd_analysis_load_of_problem(problem, qacc, a_free, arena) : CRD_ERR_MEMORY;
  return status == CRD_OK ? normalise(problem, a_free, b, arena) : status;
}

crd_status crd_analysis_wellposed_bias(const crd_model *model, crd_workspace *work, crd_contact_assembler *assembler,
                                       const double *qpos, const double *qvel, const double *force,
                                       const crd_contact_problem *problem, double *b, crd_arena *arena) {
  double *qacc = crd_matrix(arena, problem->nv, 1), *rate = crd_matrix(arena, problem->nrow + problem->nb, 1);
  crd_status status = qacc && rate ? CRD_OK : CRD_ERR_MEMORY;
  if (status == CRD_OK)
    status = crd_analysis_load_at_state(model, work, assembler, qpos, qvel, force, problem, qacc, rate, arena);
  return status == CRD_OK ? normalise(problem, rate, b, arena) : status;
}
