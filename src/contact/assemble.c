/* The contact problem of a model at a state: memory and the order of the stages. */
#include <cradle/linalg.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "contact/assemble.h"

crd_contact_options crd_contact_default(void) {
  crd_contact_options options = {.distance = 1e-6,
                                 .mu = NAN,
                                 .e = NAN,
                                 .merge_tolerance = 1e-8,
                                 .mass_matrix = true,
                                 .jacobian = true,
                                 .names = true,
                                 .limits = true,
                                 .limit_distance = 1e-6};
  return options;
}

/* ------------------------------------------------------------------------------------------------ memory */

/* The most that a contact between any two geoms of the model has. */
static int rows_of_a_contact(const crd_model *model) {
  int rows = 3;
  for (int g = 0; g < model->ngeom; g++) rows = model->geom[g].condim > rows ? model->geom[g].condim : rows;
  for (int p = 0; p < model->npair; p++) rows = model->pair[p].condim > rows ? model->pair[p].condim : rows;
  return rows;
}

static bool make_lengths(crd_contact_assembler *s) {
  bool needed = false;
  for (int t = 0; t < s->model->ntendon; t++) {
    const crd_tendon *tendon = &s->model->tendon[t];
    needed = needed || (tendon->nwrap > 0 && (tendon->limited || tendon->frictionloss > 0));
  }
  for (int l = 0; l < s->model->nloop; l++) {
    const crd_loop *loop = &s->model->loop[l];
    if (loop->type == CRD_LOOP_TENDON)
      needed = needed || s->model->tendon[loop->tendon1].nwrap > 0 ||
               (loop->tendon2 >= 0 && s->model->tendon[loop->tendon2].nwrap > 0);
  }
  if (needed) s->lengths = crd_model_workspace_new(s->model);
  return !needed || s->lengths;
}

crd_contact_assembler *crd_contact_assembler_new(const crd_model *model) {
  crd_contact_assembler *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  size_t ngeom = (size_t)model->ngeom, nv = (size_t)model->nv, nlink = (size_t)model->nlink;
  const crd_layout table[] = {
      CRD_ARRAY(s->pos, 3 * ngeom),
      CRD_ARRAY(s->R, 9 * ngeom),
      CRD_ARRAY(s->jacobian, 12 * nv),
      CRD_ARRAY(s->entries, 6 * nv),
      CRD_ARRAY(s->node_of_link, nlink),
      CRD_ARRAY(s->node, nlink),
      CRD_ARRAY(s->node_motion, 6 * nlink),
      CRD_ARRAY(s->wrench, 6 * nlink),
      CRD_ARRAY(s->spread, nv),
      CRD_ARRAY(s->lane_velocity, nv),
      CRD_ARRAY(s->root, nlink),
      CRD_ARRAY(s->first_contact, nlink),
      CRD_ARRAY(s->last_contact, nlink),
      CRD_ARRAY(s->last_of_root, nlink),
      CRD_ARRAY(s->groups_of_root, nlink + 1),
      CRD_ARRAY(s->depth, nlink),
      CRD_ARRAY(s->depth_v, nlink),
      CRD_ARRAY(s->on_path, nlink),
      CRD_ARRAY(s->tendon_row, (size_t)model->ntendon_row),
      CRD_ARRAY(s->loop_shift, 3 * (size_t)model->nloop),
      CRD_ARRAY(s->tendon_way, (size_t)model->nq),
      CRD_ARRAY(s->tendon_loop, (size_t)model->nloop),
  };
  s->model = model;
  s->collider = crd_collide_new(model);
  s->point_rows = rows_of_a_contact(model);
  for (int l = 0; l < model->nloop; l++) s->max_loop_rows += model->loop[l].rows;
  if (!s->collider || CRD_LAYOUT_TAKE(&s->arena, table) != CRD_OK || !crd_part_new(&s->whole, model, 1, &s->arena) ||
      crd_planes_find(s) != CRD_OK || !make_lengths(s) || !crd_tendon_loops_make(s)) {
    crd_contact_assembler_free(s);
    return NULL;
  }
  for (size_t k = 0; k < nlink; k++) s->node_of_link[k] = s->first_contact[k] = -1;
  crd_assembly_find_trees(s);
  s->part = &s->whole;
  return s;
}

void crd_contact_assembler_free(crd_contact_assembler *s) {
  if (!s) return;
  crd_collide_free(s->collider);
  crd_model_workspace_free(s->lengths);
  crd_arena_free(&s->arena);
  crd_arena_free(&s->point_arena);
  crd_arena_free(&s->row_arena);
  crd_arena_free(&s->path_arena);
  crd_arena_free(&s->loop_arena);
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

crd_status crd_assembly_reserve_rows(crd_contact_assembler *s, int npoint) {
  if (s->row && npoint <= s->contact_of_capacity) return CRD_OK;
  int capacity = npoint + npoint / 2;
  size_t rows = (size_t)(s->point_rows * capacity + s->max_loop_rows + 2 * s->whole.nlimited + s->whole.nrubbing);
  const crd_layout table[] = {
      CRD_ARRAY(s->contact_of, capacity),    CRD_ARRAY(s->contact, capacity + 2 * s->whole.nlimited),
      CRD_ARRAY(s->normal_square, capacity), CRD_ARRAY(s->row, rows),
      CRD_ARRAY(s->group_row, rows + 1),     CRD_ARRAY(s->residual, rows),
      CRD_ARRAY(s->next_contact, capacity),  CRD_ARRAY(s->bundle, rows),
      CRD_ARRAY(s->group_tree, 2 * rows),    CRD_ARRAY(s->tree_group, 2 * rows)};
  crd_status status = crd_layout_renew(&s->row_arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK) s->contact_of_capacity = capacity;
  return status;
}

/* ------------------------------------------------------------------------------------------------ stages */

/* Joints with dry friction as rows of their own, each a unit of the Delassus operator. */
static void add_dry_rows(crd_assembly *a) {
  crd_contact_assembler *s = a->assembler;
  for (int i = 0; i < s->part->nrubbing; i++, a->rows++) {
    s->row[a->rows] = crd_assembly_dry_row(a, s->part->rubbing[i]);
    s->row[a->rows].loop = s->model->nloop + i;
    s->residual[a->rows] = 0;
  }
}

/* The rows of the problem: candidates, their compliance, the choice among them. */
static crd_status choose_rows(crd_assembly *a, const crd_contact_point *point, int npoint) {
  crd_contact_assembler *s = a->assembler;
  s->nnode = s->rows = s->dry = 0;
  s->jacobian_of[0].body = s->jacobian_of[1].body = -1;
  crd_assembly_collect_contacts(a, point, npoint);
  /* limits come between contacts and loops */
  const int points = a->candidates;
  int first_loop = points + crd_assembly_count_limits(s, a->qpos, a->options);
  crd_assembly_collect_loops(a, first_loop);
  for (int k = 0; k < s->nnode; k++) s->node_of_link[s->model->body[s->node[k].body].link] = -1;
  crd_assembly_begin_bundles(s);
  crd_status status = crd_assembly_bundle(a, 0, points);
  if (status == CRD_OK) status = crd_assembly_bundle_loops(a, first_loop);
  if (status != CRD_OK) return status;
  crd_assembly_contacts(a, point, npoint);
  crd_assembly_limits(a);
  int first_row = a->rows;
  crd_assembly_loops(a, first_loop);
  if (a->options->independent_loops && !a->options->loop_rows) status = crd_assembly_independent_loops(a, first_row);
  if (status != CRD_OK) return status;
  if (a->options->dry_rows) add_dry_rows(a);
  s->rows = a->rows;
  return CRD_OK;
}

/* Contacts of geoms get the restitution of their speed of approach, where the model has a table of it. */
static void set_restitution_of_speed(const crd_model *model, crd_contact_problem *problem) {
  for (int c = 0; model->restitution_of_speed.count > 0 && c < problem->nc; c++)
    if (problem->contact[c].joint < 0)
      problem->contact[c].e =
          crd_model_restitution_at(&model->restitution_of_speed, -problem->u[problem->contact[c].row]);
}

crd_status crd_contact_assemble(crd_contact_assembler *s, crd_workspace *work, const double *qpos, const double *qvel,
                                const crd_contact_point *point, int npoint, const crd_contact_options *options,
                                crd_contact_problem *problem) {
  crd_contact_options given = options ? *options : crd_contact_default();
  crd_assembly a = {.assembler = s, .work = work, .qpos = qpos, .qvel = qvel, .options = &given};
  if (given.blocks && given.jacobian) return CRD_ERR_ARGUMENT;
  crd_status status = crd_assembly_reserve_rows(s, npoint);
  if (status == CRD_OK) status = choose_rows(&a, point, npoint);
  if (status == CRD_OK)
    status = crd_problem_size(problem, s->model->nv, a.nc, a.nrow, a.rows - a.nrow,
                              (given.mass_matrix ? CRD_PROBLEM_MASS : 0) | (given.jacobian ? CRD_PROBLEM_ROWS : 0) |
                                  (given.blocks ? 0 : CRD_PROBLEM_DENSE));
  if (status != CRD_OK) return status;
  if (a.nc > 0) memcpy(problem->contact, s->contact, sizeof *problem->contact * (size_t)a.nc);
  if (problem->nb > 0) memcpy(problem->residual, s->residual + a.nrow, sizeof(double) * (size_t)problem->nb);
  status = crd_assembly_delassus(&a, problem);
  if (status != CRD_OK) return status;
  if (given.jacobian) crd_assembly_jacobian(&a, problem);
  crd_assembly_velocities(&a, problem);
  if (isnan(given.e)) set_restitution_of_speed(s->model, problem);
  if (given.mass_matrix) crd_tree_crba(s->model, work, problem->M);
  for (int c = 0; c < a.nc; c++) problem->contact[c].name = "";
  if (given.names) crd_contact_names(s, point, npoint, problem);
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
    status = crd_collide_all(s->collider, s->pos, s->R, &collide, s->point, s->point_capacity, &s->npoint);
    if (status == CRD_ERR_CAPACITY) status = reserve_points(s, s->npoint) == CRD_OK ? CRD_ERR_CAPACITY : CRD_ERR_MEMORY;
  } while (status == CRD_ERR_CAPACITY);
  if (status != CRD_OK) return status;
  if (given.max_points > 0 && s->npoint > given.max_points) return CRD_LIMIT;
  return crd_contact_assemble(s, work, qpos, qvel, s->point, s->npoint, &given, problem);
}
