#include "analysis/without.h"

#include <string.h>

#include "analysis/matrix.h"
#include "base/layout.h"

typedef struct kept {
  int nc, nrow, rows;
  int *contact, *row; /* of the problem; rows: contact rows, then the bilateral ones */
} kept;

static crd_status choose(const crd_contact_problem *problem, const bool *leave, kept *k, crd_arena *arena) {
  *k = (kept){0};
  if (CRD_TAKE(arena, CRD_ARRAY(k->contact, problem->nc), CRD_ARRAY(k->row, problem->nrow + problem->nb)))
    return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) {
    if (leave[c]) continue;
    k->contact[k->nc++] = c;
    for (int t = 0; t <= problem->contact[c].ntangent; t++) k->row[k->rows++] = problem->contact[c].row + t;
  }
  k->nrow = k->rows;
  for (int b = 0; b < problem->nb; b++) k->row[k->rows++] = problem->nrow + b;
  return CRD_OK;
}

static void copy_rows(const crd_contact_problem *problem, const kept *k, crd_contact_problem *to) {
  int n = problem->nv, m = problem->nrow + problem->nb;
  for (int i = 0; i < k->rows; i++) {
    int row = k->row[i];
    memcpy(to->J + crd_at(n, i, 0), problem->J + crd_at(n, row, 0), sizeof *to->J * (size_t)n);
    memcpy(to->X + crd_at(n, i, 0), problem->X + crd_at(n, row, 0), sizeof *to->X * (size_t)n);
    to->u[i] = problem->u[row], to->u_free[i] = problem->u_free[row];
    for (int j = 0; j < k->rows; j++) to->W[crd_at(k->rows, i, j)] = problem->W[crd_at(m, row, k->row[j])];
  }
  for (int i = 0, row = 0; i < k->nc; i++) {
    to->contact[i] = problem->contact[k->contact[i]];
    to->contact[i].row = row, row += 1 + to->contact[i].ntangent;
  }
  for (int i = 0; to->restitution_matrix && i < k->nc; i++)
    for (int j = 0; j < k->nc; j++)
      to->restitution_matrix[crd_at(k->nc, i, j)] =
          problem->restitution_matrix[crd_at(problem->nc, k->contact[i], k->contact[j])];
}

crd_status crd_problem_without(const crd_contact_problem *problem, const bool *leave, crd_contact_problem *without,
                               crd_arena *arena) {
  kept k;
  crd_status status = choose(problem, leave, &k, arena);
  if (status != CRD_OK) return status;
  crd_contact_problem to = *problem;
  to.memory = NULL;
  if (k.nc == problem->nc) {
    *without = to;
    return CRD_OK;
  }
  to.nc = k.nc, to.nrow = k.nrow, to.blocks = NULL, to.restitution_full = NULL, to.nf = 0, to.dry = NULL;
  to.W_dry = to.u_dry = NULL;
  if (CRD_TAKE(arena, CRD_ARRAY(to.contact, k.nc), CRD_MATRIX(to.J, k.rows, problem->nv),
               CRD_MATRIX(to.X, k.rows, problem->nv), CRD_MATRIX(to.W, k.rows, k.rows), CRD_ARRAY(to.u, k.rows),
               CRD_ARRAY(to.u_free, k.rows)))
    return CRD_ERR_MEMORY;
  if (problem->restitution_matrix && !(to.restitution_matrix = crd_matrix(arena, k.nc, k.nc))) return CRD_ERR_MEMORY;
  copy_rows(problem, &k, &to);
  *without = to;
  return CRD_OK;
}
