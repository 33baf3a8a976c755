/* Effect of rows on velocities, without M and without J; J and X themselves where laws ask for them.
 *
 * u = J v and dv = M^-1 J' p go through the velocities of the nodes and the impulses on them: O(N + m) each.
 */
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "tree/lanes.h"

/* ------------------------------------------------------------------------------------------------ J, X */

/* Nothing but the trees that the rows act on moves. */
void crd_assembly_responses(const crd_assembly *a, int count, const double *J, double *X) {
  const crd_contact_assembler *s = a->assembler;
  const crd_model *model = s->model;
  size_t n = (size_t)model->nv;
  crd_v4 *x = s->lane_velocity;
  memset(X, 0, n * (size_t)count * sizeof *X);
  CRD_EACH (s->part, link, first) {
    int last = s->last_of_root[first];
    size_t begin = (size_t)model->link[first].v, end = (size_t)(model->link[last].v + model->link[last].nv);
    bool moves = false;
    for (size_t k = begin; k < end; k++) {
      x[k] = (crd_v4){0};
      for (size_t i = 0; i < (size_t)count; i++) x[k][i] = J[n * i + k], moves = moves || x[k][i] != 0;
    }
    if (moves) crd_tree_solve_lanes(model, a->work, first, last, last, x);
    for (size_t i = 0; moves && i < (size_t)count; i++)
      for (size_t k = begin; k < end; k++) X[n * i + k] = x[k][i];
    first = last;
  }
}

void crd_assembly_jacobian(crd_assembly *a, crd_contact_problem *problem) {
  size_t n = (size_t)problem->nv;
  for (size_t i = 0; i < (size_t)a->rows; i++) crd_assembly_entries(a, &a->assembler->row[i], problem->J + n * i);
  for (int i = 0; i < a->rows; i += 4)
    crd_assembly_responses(a, a->rows - i < 4 ? a->rows - i : 4, problem->J + n * (size_t)i,
                           problem->X + n * (size_t)i);
}

/* ------------------------------------------------------------------------------------------------ velocities */

/* Velocity of a row for the motions of nodes and joints. */
static double row_velocity(const crd_contact_assembler *s, const crd_row *row, const double *joint_motion) {
  double sum = crd_row_of_joints(row, joint_motion);
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    if (row->node[k] < 0) continue;
    const double *f = row->form[k], *V = s->node_motion + 6 * row->node[k];
    sum += f[0] * V[0] + f[1] * V[1] + f[2] * V[2] + f[3] * V[3] + f[4] * V[4] + f[5] * V[5];
  }
  return sum;
}

void crd_assembly_velocities(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  size_t n = (size_t)problem->nv;
  memcpy(problem->v, a->qvel, n * sizeof *problem->v);
  memcpy(problem->v_free, a->qvel, n * sizeof *problem->v_free);
  for (int k = 0; k < s->nnode; k++)
    crd_tree_point_velocity(s->model, a->work, s->node[k].body, s->node[k].point, s->node_motion + 6 * k);
  for (int i = 0; i < a->rows; i++) problem->u[i] = problem->u_free[i] = row_velocity(s, &s->row[i], a->qvel);
  problem->kinetic = a->options->jacobian ? crd_tree_kinetic_energy(s->model, a->work, a->qvel) : NAN;
  problem->kinetic_free = problem->kinetic;
}

void crd_contact_velocity(crd_contact_assembler *s, crd_workspace *work, const double *v, double *u) {
  if (s->nnode > 0) crd_tree_node_velocities(s->model, work, v, s->node, s->nnode, s->node_motion);
  for (int i = 0; i < s->rows; i++) u[i] = row_velocity(s, &s->row[i], v);
  for (int i = 0; i < s->dry; i++) u[s->rows + i] = crd_row_of_joints(&s->row[s->rows + i], v);
}

void crd_contact_parts(const crd_contact_assembler *s, const double *v, double *sum) {
  for (int i = 0; i < s->rows + s->dry; i++) {
    const crd_row *row = &s->row[i];
    sum[i] = 0;
    for (int k = 0; k < row->ndof; k++) sum[i] += fabs(crd_row_coefficient(row, k) * v[crd_row_dof(row, k)]);
    for (int k = 0; row->ndof == 0 && k < 2; k++) {
      double part = 0;
      for (int c = 0; row->node[k] >= 0 && c < 6; c++) part += row->form[k][c] * s->node_motion[6 * row->node[k] + c];
      sum[i] += fabs(part);
    }
  }
}

/* Impulses of the rows as wrenches on nodes, and added to tau where they act on joints; true: some do. */
static bool collect_impulses(crd_contact_assembler *s, const double *p, double *tau) {
  bool on_joints = false;
  memset(s->wrench, 0, sizeof *s->wrench * 6 * (size_t)s->nnode);
  for (int i = 0; i < s->rows + s->dry; i++) {
    const crd_row *row = &s->row[i];
    on_joints = on_joints || row->ndof > 0;
    for (int k = 0; k < row->ndof; k++) tau[crd_row_dof(row, k)] += crd_row_coefficient(row, k) * p[i];
    for (int k = 0; row->ndof == 0 && k < 2; k++)
      for (int c = 0; row->node[k] >= 0 && c < 6; c++) s->wrench[6 * row->node[k] + c] += row->form[k][c] * p[i];
  }
  return on_joints;
}

void crd_contact_response(crd_contact_assembler *s, crd_workspace *work, const double *p, double *dv) {
  double *tau = s->entries;
  crd_part_clear_v(s->part, tau);
  bool on_joints = collect_impulses(s, p, tau);
  crd_tree_response(s->model, work, s->node, s->nnode, s->wrench, on_joints ? tau : NULL, dv);
}

void crd_contact_response_with(crd_contact_assembler *s, crd_workspace *work, const double *p, const double *load,
                               double *dv) {
  double *tau = s->entries;
  crd_part_copy_v(s->part, tau, load);
  collect_impulses(s, p, tau);
  crd_tree_response(s->model, work, s->node, s->nnode, s->wrench, tau, dv);
}

void crd_contact_joint_forces(crd_contact_assembler *s, crd_workspace *work, const double *p, double *tau) {
  crd_part_clear_v(s->part, tau);
  collect_impulses(s, p, tau);
  crd_tree_joint_forces(s->model, work, s->node, s->nnode, s->wrench, tau);
}
