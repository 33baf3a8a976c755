/* The contact problem of a model at a state: memory, order of the stages, Delassus matrix, derived velocities.
 *
 * W = D' Q Lambda Q' D [Jain, eq. 28]: Lambda is the operational-space compliance of one node per link that takes part,
 * from the O(N) recursion, and the forms of the rows are D' Q. Neither the mass matrix nor its inverse is needed for
 * it. A joint coupling has no nodes; its entries are J X'.
 */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "contact/assemble.h"
#include "linalg/dense.h"

crd_contact_options crd_contact_default(void) {
  crd_contact_options options = {.distance = 1e-6,
                                 .mu = NAN,
                                 .e = NAN,
                                 .merge_tolerance = 1e-8,
                                 .mass_matrix = true,
                                 .limits = true,
                                 .limit_distance = 1e-6};
  return options;
}

crd_contact_assembler *crd_contact_assembler_new(const crd_model *model) {
  crd_contact_assembler *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  size_t ngeom = (size_t)model->ngeom, nv = (size_t)model->nv, nlink = (size_t)model->nlink, d = sizeof(double);
  s->model = model;
  s->collider = crd_collider_new(model);
  s->pos = crd_arena_alloc(&s->arena, ngeom, 3 * d), s->R = crd_arena_alloc(&s->arena, ngeom, 9 * d);
  s->jacobian = crd_arena_alloc(&s->arena, nv, 12 * d);
  s->node_of_link = crd_arena_alloc(&s->arena, nlink, sizeof(int));
  s->node = crd_arena_alloc(&s->arena, nlink, sizeof(crd_node));
  s->column = crd_arena_alloc(&s->arena, nlink, 6 * d);
  s->limited = crd_arena_alloc(&s->arena, (size_t)model->njoint, sizeof(int));
  s->rubbing = crd_arena_alloc(&s->arena, nv, sizeof(int));
  for (int l = 0; l < model->nloop; l++) s->max_loop_rows += model->loop[l].rows;
  if (!s->collider || !s->pos || !s->R || !s->jacobian || !s->node_of_link || !s->node || !s->column || !s->limited ||
      !s->rubbing) {
    crd_contact_assembler_free(s);
    return NULL;
  }
  for (size_t k = 0; k < nlink; k++) s->node_of_link[k] = -1;
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].limited) s->limited[s->nlimited++] = j;
  for (int v = 0; v < model->nv; v++)
    if (model->dof_frictionloss[v] > 0) s->rubbing[s->nrubbing++] = v;
  return s;
}

void crd_contact_assembler_free(crd_contact_assembler *s) {
  if (!s) return;
  crd_collider_free(s->collider);
  crd_arena_free(&s->arena);
  crd_arena_free(&s->point_arena);
  crd_arena_free(&s->row_arena);
  crd_arena_free(&s->node_arena);
  free(s);
}

const crd_contact_point *crd_contact_points(const crd_contact_assembler *s, int *count) {
  *count = s->npoint;
  return s->point;
}

const int *crd_contact_of_point(const crd_contact_assembler *s) { return s->contact_of; }

/* Each grows one kind of memory to hold `needed`; on failure what was there stays. */
static crd_status reserve_points(crd_contact_assembler *s, int needed) {
  if (needed <= s->point_capacity) return CRD_OK;
  crd_arena fresh = {0};
  int capacity = needed + needed / 2;
  crd_contact_point *point = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *point);
  if (!point) return CRD_ERR_MEMORY;
  crd_arena_free(&s->point_arena);
  s->point_arena = fresh, s->point = point, s->point_capacity = capacity;
  return CRD_OK;
}

static crd_status reserve_rows(crd_contact_assembler *s, int npoint) {
  int fixed = s->max_loop_rows + 2 * s->nlimited, rows = 3 * npoint + fixed;
  if (npoint <= s->contact_of_capacity && rows <= s->row_capacity) return CRD_OK;
  crd_arena fresh = {0};
  int capacity = npoint + npoint / 2;
  rows = 3 * capacity + fixed;
  int *contact_of = crd_arena_alloc(&fresh, (size_t)capacity, sizeof *contact_of);
  crd_row_form *row = crd_arena_alloc(&fresh, (size_t)rows, sizeof *row);
  if (!contact_of || !row) {
    crd_arena_free(&fresh);
    return CRD_ERR_MEMORY;
  }
  crd_arena_free(&s->row_arena);
  s->row_arena = fresh;
  s->contact_of = contact_of, s->contact_of_capacity = capacity;
  s->row = row, s->row_capacity = rows;
  return CRD_OK;
}

static crd_status reserve_nodes(crd_contact_assembler *s, int needed) {
  if (needed <= s->Lambda_capacity) return CRD_OK;
  crd_arena fresh = {0};
  size_t size = (size_t)6 * (size_t)needed;
  double *Lambda = crd_arena_alloc(&fresh, size * size, sizeof *Lambda);
  if (!Lambda) return CRD_ERR_MEMORY;
  crd_arena_free(&s->node_arena);
  s->node_arena = fresh, s->Lambda = Lambda, s->Lambda_capacity = needed;
  return CRD_OK;
}

/* column = Lambda form': what a unit impulse of the row does to all nodes. */
static void node_response(crd_contact_assembler *s, const crd_row_form *row) {
  size_t size = (size_t)6 * (size_t)s->nnode;
  memset(s->column, 0, size * sizeof *s->column);
  for (int k = 0; k < 2; k++) {
    if (row->node[k] < 0) continue;
    /* Lambda is symmetric: its rows are its columns */
    const double *Lambda = s->Lambda + size * (size_t)(6 * row->node[k]);
    for (size_t i = 0; i < 6; i++)
      for (size_t j = 0; j < size; j++) s->column[j] += row->form[k][i] * Lambda[size * i + j];
  }
}

static double form_value(const crd_contact_assembler *s, const crd_row_form *row) {
  double sum = 0;
  for (int k = 0; k < 2; k++)
    if (row->node[k] >= 0) sum += crd_dense_dot(6, row->form[k], s->column + 6 * row->node[k]);
  return sum;
}

static bool has_nodes(const crd_row_form *row) { return row->node[0] >= 0 || row->node[1] >= 0; }

crd_status crd_assembly_delassus(crd_assembly *a) {
  crd_contact_assembler *s = a->assembler;
  crd_contact_problem *problem = a->problem;
  size_t m = (size_t)a->rows, n = (size_t)problem->nv;
  crd_status status = reserve_nodes(s, s->nnode);
  if (status == CRD_OK && s->nnode > 0) status = crd_tree_oscm(s->model, a->work, s->node, s->nnode, s->Lambda);
  if (status != CRD_OK) return status;
  for (size_t i = 0; i < m; i++) {
    bool by_nodes = has_nodes(&s->row[i]);
    if (by_nodes) node_response(s, &s->row[i]);
    for (size_t j = 0; j <= i; j++) {
      double entry = by_nodes && has_nodes(&s->row[j]) ? form_value(s, &s->row[j])
                                                       : crd_dense_dot((int)n, problem->J + n * i, problem->X + n * j);
      problem->W[m * i + j] = problem->W[m * j + i] = entry;
    }
  }
  return CRD_OK;
}

static int count_limits(const crd_contact_assembler *s, const double *qpos, const crd_contact_options *options) {
  crd_limit limit[2];
  int count = 0;
  for (int k = 0; options->limits && k < s->nlimited; k++)
    count += crd_limits_of_joint(s->model, s->limited[k], qpos, options->limit_distance, limit);
  return count;
}

static void set_velocities(crd_assembly *a) {
  crd_contact_problem *problem = a->problem;
  size_t n = (size_t)problem->nv;
  memcpy(problem->v, a->qvel, n * sizeof *problem->v);
  memcpy(problem->v_free, a->qvel, n * sizeof *problem->v_free);
  for (int i = 0; i < a->rows; i++)
    problem->u[i] = problem->u_free[i] = crd_dense_dot(problem->nv, problem->J + n * (size_t)i, a->qvel);
  problem->kinetic = problem->kinetic_free = crd_tree_kinetic_energy(a->assembler->model, a->work, a->qvel);
}

crd_status crd_contact_assemble(crd_contact_assembler *s, crd_workspace *work, const double *qpos, const double *qvel,
                                const crd_contact_point *point, int npoint, const crd_contact_options *options,
                                crd_contact_problem *problem) {
  crd_contact_options given = options ? *options : crd_contact_default();
  int active = 0;
  for (int i = 0; i < npoint; i++) active += point[i].gap <= given.distance;
  active += count_limits(s, qpos, &given);
  crd_status status = reserve_rows(s, npoint);
  /* one contact more than there can be: a point is appended before it is compared with the others */
  if (status == CRD_OK)
    status =
        crd_problem_resize(problem, s->model->nv, active + 1, 3 * (active + 1), s->max_loop_rows, given.mass_matrix);
  if (status != CRD_OK) return status;
  crd_assembly a = {.assembler = s, .work = work, .qpos = qpos, .qvel = qvel, .options = &given, .problem = problem};
  s->nnode = 0;
  crd_assembly_contacts(&a, point, npoint);
  crd_assembly_limits(&a);
  crd_assembly_loops(&a);
  for (int k = 0; k < s->nnode; k++) s->node_of_link[s->model->body[s->node[k].body].link] = -1;
  status = crd_assembly_delassus(&a);
  if (status == CRD_OK) status = crd_assembly_dry_friction(&a);
  if (status != CRD_OK) return status;
  set_velocities(&a);
  if (given.mass_matrix) crd_tree_crba(s->model, work, problem->M);
  crd_contact_name_all(problem, s->model, point, s->contact_of, npoint);
  return CRD_OK;
}

static bool is_finite(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i])) return false;
  return true;
}

crd_status crd_contact_at_state(crd_contact_assembler *s, crd_workspace *work, const double *qpos, const double *qvel,
                                const crd_contact_options *options, crd_contact_problem *problem) {
  const crd_model *model = s->model;
  crd_contact_options given = options ? *options : crd_contact_default();
  crd_collide_options collide = {.distance = given.distance};
  if (!is_finite(qpos, model->nq) || !is_finite(qvel, model->nv)) return CRD_ERR_NUMBER;
  crd_tree_kinematics(model, work, qpos);
  crd_tree_velocity(model, work, qvel);
  crd_status status = crd_tree_factor(model, work);
  if (status != CRD_OK) return status;
  for (int g = 0; g < model->ngeom; g++) crd_tree_geom_pose(model, work, g, s->pos + 3 * g, s->R + 9 * g);
  do {
    status = crd_collide(s->collider, s->pos, s->R, &collide, s->point, s->point_capacity, &s->npoint);
    if (status == CRD_ERR_CAPACITY) status = reserve_points(s, s->npoint) == CRD_OK ? CRD_ERR_CAPACITY : CRD_ERR_MEMORY;
  } while (status == CRD_ERR_CAPACITY);
  if (status != CRD_OK) return status;
  return crd_contact_assemble(s, work, qpos, qvel, s->point, s->npoint, &given, problem);
}
