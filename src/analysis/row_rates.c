/* Rates of the rows of a contact problem along the motion, d/dt J, by central differences: contact points roll and
 * slide, and no closed form holds for all shapes. What [A] calls Adot. */
#include <cradle/analysis.h>
#include <math.h>
#include <string.h>

#include "analysis/matrix.h"

/* Way of the difference: h of the fastest coordinate (1, rad or m), where truncation h^2 and rounding 1e-16 / h meet. */
static const double WAY = 1e-5;

/* The row of `moved` that stands for one of the problem; -1: it is not there. */
static int row_there(const crd_contact_problem *problem, const crd_contact_problem *moved, int row) {
  if (row >= problem->nrow) return moved->nb == problem->nb ? moved->nrow + row - problem->nrow : -1;
  for (int c = 0; c < problem->nc; c++) {
    int within = row - problem->contact[c].row;
    if (within < 0 || within > problem->contact[c].ntangent) continue;
    for (int k = 0; k < moved->nc; k++)
      if (strcmp(moved->contact[k].name, problem->contact[c].name) == 0 &&
          moved->contact[k].ntangent == problem->contact[c].ntangent)
        return moved->contact[k].row + within;
  }
  return -1;
}

crd_status crd_analysis_projection_row_rates(const crd_model *model, crd_workspace *work,
                                             crd_contact_assembler *assembler, const double *qpos, const double *qvel,
                                             const crd_contact_problem *problem, int rows, const int *row,
                                             double *A_dot, crd_arena *arena) {
  int n = problem->nv;
  double *q = crd_matrix(arena, model->nq, 1), fastest = 0;
  crd_contact_problem *moved = crd_contact_problem_new();
  crd_contact_options options = crd_contact_default();
  options.distance = options.limit_distance = 1e-3, options.mass_matrix = false;
  memset(A_dot, 0, sizeof *A_dot * (size_t)rows * (size_t)n);
  for (int i = 0; i < n; i++) fastest = fmax(fastest, fabs(qvel[i]));
  crd_status status = q && moved ? CRD_OK : CRD_ERR_MEMORY;
  for (int side = -1; status == CRD_OK && fastest > 0 && side <= 1; side += 2) {
    double step = side * WAY / fastest;
    crd_tree_integrate_position(model, qpos, qvel, step, q);
    status = crd_contact_at_state(assembler, work, q, qvel, &options, moved);
    for (int i = 0; status == CRD_OK && i < rows; i++) {
      int there = row_there(problem, moved, row[i]);
      if (there < 0) status = CRD_UNKNOWN;
      for (int k = 0; there >= 0 && k < n; k++) A_dot[crd_at(n, i, k)] += moved->J[crd_at(n, there, k)] / (2 * step);
    }
  }
  crd_contact_problem_free(moved);
  return status;
}
