/* The vector b of the contact LCP (26) of [C] for a mechanism at a state: what the normal accelerations would be
 * without contact forces,
 *
 *   |grad h_i| b_i = J_i a + d/dt(J_i) qd,      a: acceleration of the mechanism that obeys its bilateral rows
 *
 * (contacts persist, J_n qd = 0, so that the rate of 1/|grad h| does not matter). Rates of the rows are central
 * differences along the motion: contact points roll and slide, and no closed form holds for all shapes. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"
#include "impact/oblique.h"
#include "linalg/dense.h"

/* Rows of the problem that stand for those of `row` (contact c, or -1 and bilateral row). -1: none. */
static int same_row(const crd_contact_problem *problem, const crd_contact_problem *moved, int row) {
  if (row >= problem->nrow) return moved->nb == problem->nb ? moved->nrow + row - problem->nrow : -1;
  for (int c = 0; c < problem->nc; c++) {
    if (problem->contact[c].row != row) continue;
    for (int k = 0; k < moved->nc; k++)
      if (strcmp(moved->contact[k].name, problem->contact[c].name) == 0) return moved->contact[k].row;
  }
  return -1;
}

/* rate += sign/(2h) J(q + sign h qd) qd for the normals and the bilateral rows. */
static crd_status add_side(const crd_model *model, crd_workspace *work, crd_contact_assembler *assembler,
                           const double *qpos, const double *qvel, double step, const crd_contact_problem *problem,
                           crd_contact_problem *moved, double *q, double *rate) {
  crd_contact_options options = crd_contact_default();
  options.distance = options.limit_distance = 1e-3, options.mass_matrix = false;
  crd_tree_integrate_position(model, qpos, qvel, step, q);
  crd_status status = crd_contact_at_state(assembler, work, q, qvel, &options, moved);
  for (int row = 0; status == CRD_OK && row < problem->nrow + problem->nb; row++) {
    bool wanted = row >= problem->nrow;
    for (int c = 0; c < problem->nc; c++) wanted = wanted || problem->contact[c].row == row;
    if (!wanted) continue;
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

crd_status crd_wellposed_bias(const crd_model *model, crd_workspace *work, crd_contact_assembler *assembler,
                              const double *qpos, const double *qvel, const double *force,
                              const crd_contact_problem *problem, double *b, crd_arena *arena) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  double *a = crd_matrix(arena, n, 1), *q = crd_matrix(arena, model->nq, 1), *rate = crd_matrix(arena, m, 1);
  crd_contact_problem *moved = crd_problem_new();
  double fastest = 0;
  for (int i = 0; i < n; i++) fastest = fmax(fastest, fabs(qvel[i]));
  crd_status status = a && q && rate && moved ? CRD_OK : CRD_ERR_MEMORY;
  double step = fastest > 0 ? 1e-5 / fastest : 0;
  for (int side = -1; status == CRD_OK && step > 0 && side <= 1; side += 2)
    status = add_side(model, work, assembler, qpos, qvel, side * step, problem, moved, q, rate);
  crd_problem_free(moved);
  if (status == CRD_OK) status = crd_tree_aba(model, work, qpos, qvel, force, NULL, a);
  if (status != CRD_OK) return status;
  for (int i = 0; i < m; i++) rate[i] += crd_dense_dot(n, problem->J + crd_at(n, i, 0), a);
  if (problem->nb > 0) status = hold_bilateral(problem, rate, arena);
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    b[c] = rate[row] / sqrt(problem->W[crd_at(m, row, row)]);
  }
  return status;
}
