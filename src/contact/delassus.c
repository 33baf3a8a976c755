/* The Delassus operator of the rows that were decided on, and what they do to velocities, without M and without J.
 *
 * W = D' Q Lambda Q' D [Jain, eq. 28]: Lambda is the operational-space compliance of one node per link that takes part,
 * from the O(N) recursion, and the forms of the rows are D' Q. Rows on joints (limits, couplings, dry friction) have no
 * nodes; the motion that each causes, one O(N) solve, gives its row of W.
 *
 * u = J v and dv = M^-1 J' p go through the velocities of the nodes and the impulses on them: O(N + m) each.
 */
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

/* ------------------------------------------------------------------------------------------------ W */

/* What a unit impulse of a row on joints does to all nodes, and the velocities x of the joints. */
static void move_joints(crd_assembly *a, const crd_row *row, double *x) {
  crd_contact_assembler *s = a->assembler;
  double *unit = s->entries;
  crd_assembly_entries(a, row, unit);
  crd_tree_solve(s->model, a->work, unit, x);
  for (int k = 0; k < s->nnode; k++) crd_tree_response_at(s->model, a->work, &s->node[k], s->node_motion + 6 * k);
}

/* Velocity of a row for the motions of nodes and joints. */
static double row_velocity(const crd_contact_assembler *s, const crd_row *row, const double *joint_motion) {
  double sum = 0;
  for (int k = 0; k < row->ndof; k++) sum += row->coefficient[k] * joint_motion[row->dof[k]];
  for (int k = 0; row->ndof == 0 && k < 2; k++) {
    if (row->node[k] < 0) continue;
    const double *f = row->form[k], *V = s->node_motion + 6 * row->node[k];
    sum += f[0] * V[0] + f[1] * V[1] + f[2] * V[2] + f[3] * V[3] + f[4] * V[4] + f[5] * V[5];
  }
  return sum;
}

/* Velocity of a row with nodes while those in the trees of `moved` move and all others rest. */
static double velocity_beside(const crd_contact_assembler *s, const crd_row *row, const crd_row *moved) {
  double sum = 0;
  for (int k = 0; k < 2; k++) {
    bool moves = false;
    for (int l = 0; l < 2 && row->node[k] >= 0; l++)
      moves = moves || (moved->node[l] >= 0 && s->block_of_node[row->node[k]] == s->block_of_node[moved->node[l]]);
    if (!moves) continue;
    const double *f = row->form[k], *V = s->node_motion + 6 * row->node[k];
    sum += f[0] * V[0] + f[1] * V[1] + f[2] * V[2] + f[3] * V[3] + f[4] * V[4] + f[5] * V[5];
  }
  return sum;
}

static void set_pair(crd_contact_problem *problem, size_t m, size_t i, size_t j, double value) {
  problem->W[m * i + j] = problem->W[m * j + i] = value;
}

/* Row i with nodes: itself and the rows with nodes before it that act on one of its trees; then it joins their lists.
 */
static void couple_nodes(crd_contact_assembler *s, crd_contact_problem *problem, size_t m, int i) {
  const crd_row *row = &s->row[i];
  crd_compliance_move_nodes(s, row);
  set_pair(problem, m, (size_t)i, (size_t)i, velocity_beside(s, row, row));
  for (int k = 0; k < 2; k++) {
    s->next_row[2 * i + k] = -1;
    if (row->node[k] < 0) continue;
    int block = s->block_of_node[row->node[k]];
    if (k == 1 && row->node[0] >= 0 && s->block_of_node[row->node[0]] == block) continue;
    for (int j = s->first_row[block]; j >= 0;) {
      const crd_row *other = &s->row[j];
      set_pair(problem, m, (size_t)i, (size_t)j, velocity_beside(s, other, row));
      bool by_first = other->node[0] >= 0 && s->block_of_node[other->node[0]] == block;
      j = s->next_row[2 * j + (by_first ? 0 : 1)];
    }
    s->next_row[2 * i + k] = s->first_row[block];
    s->first_row[block] = i;
  }
}

void crd_assembly_delassus(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  size_t m = (size_t)a->rows;
  double *x = s->entries + s->model->nv;
  memset(problem->W, 0, m * m * sizeof *problem->W);
  for (int b = 0; b < s->nblock; b++) s->first_row[b] = -1;
  for (int i = 0; i < a->rows; i++)
    if (s->row[i].ndof == 0) couple_nodes(s, problem, m, i);
  /* rows on joints move everything; of two of them the later one moves the earlier */
  for (size_t i = 0; i < m; i++) {
    if (s->row[i].ndof == 0) continue;
    move_joints(a, &s->row[i], x);
    for (size_t j = 0; j < m; j++)
      if (s->row[j].ndof == 0 || j <= i) set_pair(problem, m, i, j, row_velocity(s, &s->row[j], x));
  }
}

crd_status crd_assembly_dry_friction(crd_assembly *a, crd_contact_problem *problem) {
  crd_contact_assembler *s = a->assembler;
  s->dry = 0;
  if (!a->options->dry_friction) return CRD_OK;
  crd_status status = crd_problem_add_dry_friction(problem, s->nrubbing);
  if (status != CRD_OK) return status;
  size_t m = (size_t)a->rows, stride = m + (size_t)s->nrubbing;
  double *x = s->entries + s->model->nv;
  for (int i = 0; i < s->nrubbing; i++) {
    int dof = s->rubbing[i];
    double *row = problem->W_dry + stride * (size_t)i;
    const crd_row unit = {.node = {-1, -1}, .ndof = 1, .dof = {dof}, .coefficient = {1}};
    problem->dry[i] = (crd_dry_friction){dof, s->model->dof_frictionloss[dof]};
    problem->u_dry[i] = a->qvel[dof];
    move_joints(a, &unit, x);
    for (size_t j = 0; j < m; j++) row[j] = row_velocity(s, &s->row[j], x);
    for (int j = 0; j < s->nrubbing; j++) row[m + (size_t)j] = x[s->rubbing[j]];
  }
  s->dry = s->nrubbing;
  return CRD_OK;
}

/* x = M^-1 J' of one row: nothing but the trees it acts on moves. */
static void move_by_row(const crd_assembly *a, const double *J, double *x) {
  const crd_contact_assembler *s = a->assembler;
  const crd_model *model = s->model;
  memset(x, 0, (size_t)model->nv * sizeof *x);
  for (int first = 0, last; first < model->nlink; first = last + 1) {
    last = s->last_of_root[first];
    int k = model->link[first].v, end = model->link[last].v + model->link[last].nv;
    while (k < end && J[k] == 0) k++;
    if (k < end) crd_tree_solve_trees(model, a->work, first, last, J, x);
  }
}

void crd_assembly_jacobian(crd_assembly *a, crd_contact_problem *problem) {
  size_t n = (size_t)problem->nv;
  for (size_t i = 0; i < (size_t)a->rows; i++) {
    crd_assembly_entries(a, &a->assembler->row[i], problem->J + n * i);
    move_by_row(a, problem->J + n * i, problem->X + n * i);
  }
}

/* ------------------------------------------------------------------------------------------------ velocities */

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
  for (int i = 0; i < s->dry; i++) u[s->rows + i] = v[s->rubbing[i]];
}

/* Impulses of the rows as wrenches on nodes and generalised impulses tau; false: there are none of these. */
static bool collect_impulses(crd_contact_assembler *s, const double *p, double *tau) {
  bool on_joints = s->dry > 0;
  memset(s->wrench, 0, sizeof *s->wrench * 6 * (size_t)s->nnode);
  for (int i = 0; i < s->rows; i++) {
    const crd_row *row = &s->row[i];
    on_joints = on_joints || row->ndof > 0;
    for (int k = 0; row->ndof == 0 && k < 2; k++)
      for (int c = 0; row->node[k] >= 0 && c < 6; c++) s->wrench[6 * row->node[k] + c] += row->form[k][c] * p[i];
  }
  if (!on_joints) return false;
  memset(tau, 0, sizeof *tau * (size_t)s->model->nv);
  for (int i = 0; i < s->rows; i++)
    for (int k = 0; k < s->row[i].ndof; k++) tau[s->row[i].dof[k]] += s->row[i].coefficient[k] * p[i];
  for (int i = 0; i < s->dry; i++) tau[s->rubbing[i]] += p[s->rows + i];
  return true;
}

void crd_contact_response(crd_contact_assembler *s, crd_workspace *work, const double *p, double *dv) {
  double *tau = s->entries;
  bool on_joints = collect_impulses(s, p, tau);
  crd_tree_response(s->model, work, s->node, s->nnode, s->wrench, on_joints ? tau : NULL, dv);
}
