/* Groups of trees that can meet or act on each other within a step. Each is moved through the step by itself, at
 * instants of its own (src/sim/local_time.c).
 *
 * Trees are of one group where a loop, an actuator or a contact couples them, or where bounds of two of their geoms
 * overlap: the box about a geom at the start of the step, grown by its reach
 *
 *   2 h (|v| + r |w|) + h^2 |g| + r / 20
 *
 * v, w the velocities of the geom, r its radius. What is fixed joins nothing. A bound, not a proof: impacts make bodies faster, so the motion
 * is held against it, and where a geom leaves it, the step is made anew with bounds that are wider for its group. O(n log n).
 */
#include "sim/partition.h"

#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "base/forest.h"
#include "base/layout.h"
#include "collide/solid.h"
#include "sim/groups.h"

static const double SWEPT = 2,
                    STANDS = 0.05; /* of the way that its velocity leads, and of its radius: the reach of a geom */
static const double BEND = 1.5;    /* upper bound of a way over its chord */
static const double WIDER = 2;     /* times the way that a geom has gone: the reach of all of its group from then on */

/* ------------------------------------------------------------------------------------------------ memory */

crd_status crd_partition_new(crd_sim *sim) {
  const crd_model *model = sim->model;
  crd_sim_groups *groups = &sim->groups;
  size_t ngeom = (size_t)model->ngeom, ntree = (size_t)sim->scene.ntree, d = sizeof(double), i = sizeof(int);
  size_t nloop = (size_t)model->nloop, nactuator = (size_t)model->nactuator, ntendon = (size_t)model->ntendon;
  const crd_layout table[] = {
      {&groups->group, ntree, sizeof *groups->group, 0},
      {&groups->holder, ntree, i, 0},
      {&groups->piece, ntree, d, 0},
      {&groups->asleep, ntree, sizeof(bool), 0},
      {&groups->span, ntree, sizeof *groups->span, 0},
      {&groups->forest, ntree, i, 0},
      {&groups->number, ntree, i, 0},
      {&groups->least, ntree, d, 0},
      {&groups->moving, ngeom, i, 0},
      {&groups->boxed, ntree, i, 0},
      {&groups->tree_of_geom, ngeom, i, 0},
      {&groups->pos, ngeom, 3 * d, 0},
      {&groups->R, ngeom, 9 * d, 0},
      {&groups->reach, ngeom, d, 0},
      {&groups->low, ngeom, 3 * d, 0},
      {&groups->high, ngeom, 3 * d, 0},
      {&groups->tree_low, ntree, 3 * d, 0},
      {&groups->tree_high, ntree, 3 * d, 0},
      {&groups->trees.item, ntree, i, 0},
      {&groups->trees.first, ntree + 1, i, 0},
      {&groups->trees.tree, ntree, i, 0},
      {&groups->loops.item, nloop, i, 0},
      {&groups->loops.first, ntree + 1, i, 0},
      {&groups->loops.tree, nloop, i, 0},
      {&groups->actuators.item, nactuator, i, 0},
      {&groups->actuators.first, ntree + 1, i, 0},
      {&groups->actuators.tree, nactuator, i, 0},
      {&groups->tendons.item, ntendon, i, 0},
      {&groups->tendons.first, ntree + 1, i, 0},
      {&groups->tendons.tree, ntendon, i, 0},
  };
  crd_status status = crd_layout_renew(&groups->arena, table, sizeof table / sizeof *table);
  if (status == CRD_OK && !crd_bvh_reserve(&groups->bvh, sim->scene.ntree, &groups->arena)) status = CRD_ERR_MEMORY;
  if (status != CRD_OK) return status;
  groups->count = 1;
  for (int first = 0, end; first < model->nlink; first = end) {
    for (end = first + 1; end < model->nlink && model->link[end].parent >= 0;) end++;
    groups->span[sim->scene.tree_of_dof[model->link[first].v]] = crd_part_tree(model, first, end);
  }
  for (int g = 0; g < model->ngeom; g++) {
    groups->tree_of_geom[g] = crd_sim_tree_of_body(&sim->scene, model->geom[g].body);
    if (sim->scene.moves[g]) groups->moving[groups->nmoving++] = g;
  }
  groups->trees.count = sim->scene.ntree;
  for (int t = 0; t < sim->scene.ntree; t++) groups->trees.tree[t] = t;
  crd_partition_forget(sim);
  return CRD_OK;
}

void crd_partition_forget(crd_sim *sim) {
  for (int t = 0; t < sim->scene.ntree; t++) sim->groups.least[t] = 0;
}

/* ------------------------------------------------------------------------------------------------ permanent couplings */

/* Trees that loops, actuators and the control couple; into the lists the first tree of each. */
static void join_coupled(crd_sim *sim) {
  const crd_model *model = sim->model;
  crd_sim_groups *groups = &sim->groups;
  groups->loops.count = model->nloop, groups->actuators.count = model->nactuator,
  groups->tendons.count = model->ntendon;
  for (int l = 0; l < model->nloop; l++) {
    int tree[2] = {-1, -1};
    if (model->loop[l].active) crd_sim_trees_of_loop(&sim->scene, &model->loop[l], tree);
    groups->loops.tree[l] = tree[0] >= 0 ? tree[0] : tree[1];
    crd_forest_join(groups->forest, tree[0], tree[1]);
  }
  for (int a = 0; a < model->nactuator; a++) {
    const crd_actuator *actuator = &model->actuator[a];
    int tree = actuator->ndof > 0 ? sim->scene.tree_of_dof[actuator->dof[0]] : -1;
    groups->actuators.tree[a] = tree;
    for (int k = 1; k < actuator->ndof; k++)
      crd_forest_join(groups->forest, tree, sim->scene.tree_of_dof[actuator->dof[k]]);
  }
  for (int t = 0; t < model->ntendon; t++) {
    const crd_tendon *tendon = &model->tendon[t];
    const int tree = tendon->nterm > 0 ? crd_sim_tree_of_joint(&sim->scene, model->njoint + t) : -1;
    groups->tendons.tree[t] = tree;
    const bool acts = tendon->stiffness > 0 || tendon->damping > 0 || tendon->limited || tendon->frictionloss > 0;
    for (int k = 0; acts && k < tendon->nterm; k++)
      crd_forest_join(groups->forest, tree, crd_sim_tree_of_joint(&sim->scene, tendon->joint[k]));
  }
}

/* ------------------------------------------------------------------------------------------------ bounds */

static void set_bounds(crd_sim *sim, double h) {
  const crd_model *model = sim->model;
  crd_sim_groups *groups = &sim->groups;
  double fall = h * h * crd_vec3_norm(model->gravity);
  const crd_sim_stage *stage = sim->whole.stage;
  const crd_sim_seek *seek = sim->whole.seek;
  crd_sim_place(&sim->whole, sim->whole.now.q);
  crd_tree_velocity(model, stage->work, sim->whole.now.v);
  memcpy(groups->pos, seek->pos, (size_t)model->ngeom * 3 * sizeof *groups->pos);
  memcpy(groups->R, seek->R, (size_t)model->ngeom * 9 * sizeof *groups->R);
  for (int i = 0; i < groups->nmoving; i++) {
    int g = groups->moving[i];
    const double *pos = groups->pos + 3 * g, radius = model->geom[g].radius;
    double V[6], half[3];
    crd_solid solid;
    groups->reach[g] = INFINITY;
    if (model->geom[g].type == CRD_PLANE) continue;
    crd_tree_point_velocity(model, stage->work, model->geom[g].body, pos, V);
    groups->reach[g] = fmax(groups->least[groups->tree_of_geom[g]],
                            SWEPT * h * (crd_vec3_norm(V + 3) + radius * crd_vec3_norm(V)) + fall + STANDS * radius);
    crd_solid_of_geom(&solid, model, g, pos, groups->R + 9 * g);
    crd_solid_half_extents(&solid, half);
    for (int k = 0; k < 3; k++) {
      groups->low[3 * g + k] = pos[k] - half[k] - groups->reach[g];
      groups->high[3 * g + k] = pos[k] + half[k] + groups->reach[g];
    }
  }
}

static void join_geoms(crd_sim *sim, int a, int b) {
  int *forest = sim->groups.forest, s = sim->groups.tree_of_geom[a], t = sim->groups.tree_of_geom[b];
  if (crd_forest_root(forest, s) == crd_forest_root(forest, t)) return;
  if (crd_model_may_collide(sim->model, a, b, NULL)) crd_forest_join(forest, s, t);
}

static bool overlap(const double *low1, const double *high1, const double *low2, const double *high2) {
  for (int k = 0; k < 3; k++)
    if (low1[k] > high2[k] || low2[k] > high1[k]) return false;
  return true;
}

/* Has the geom, of tree t, a box that the other one meets? */
static bool comes_near(const crd_sim *sim, int g, int t, const double *low, const double *high) {
  const crd_sim_groups *groups = &sim->groups;
  if (groups->tree_of_geom[g] != t || !sim->scene.moves[g] || sim->model->geom[g].type == CRD_PLANE) return false;
  return overlap(groups->low + 3 * g, groups->high + 3 * g, low, high);
}

/* Two trees whose boxes overlap are of one group where those of two of their geoms do. */
static void join_trees(void *context, int s, int t) {
  crd_sim *sim = context;
  const crd_sim_groups *groups = &sim->groups;
  const int *own = groups->span[s].geom, *other = groups->span[t].geom;
  if (crd_forest_root(groups->forest, s) == crd_forest_root(groups->forest, t)) return;
  for (int a = own[0]; a < own[1]; a++) {
    if (!comes_near(sim, a, s, groups->tree_low + 3 * t, groups->tree_high + 3 * t)) continue;
    for (int b = other[0]; b < other[1]; b++) {
      if (!comes_near(sim, b, t, groups->low + 3 * a, groups->high + 3 * a)) continue;
      join_geoms(sim, a, b);
      if (crd_forest_root(groups->forest, s) == crd_forest_root(groups->forest, t)) return;
    }
  }
}

static void bound_trees(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  for (int i = 0; i < 3 * sim->scene.ntree; i++) groups->tree_low[i] = INFINITY, groups->tree_high[i] = -INFINITY;
  for (int i = 0; i < groups->nmoving; i++) {
    int g = groups->moving[i], t = groups->tree_of_geom[g];
    for (int k = 0; sim->model->geom[g].type != CRD_PLANE && k < 3; k++) {
      groups->tree_low[3 * t + k] = fmin(groups->tree_low[3 * t + k], groups->low[3 * g + k]);
      groups->tree_high[3 * t + k] = fmax(groups->tree_high[3 * t + k], groups->high[3 * g + k]);
    }
  }
}

/* Planes that move are near everything. */
static void join_near(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  int boxes = 0;
  for (int i = 0; i < groups->nmoving; i++) {
    int g = groups->moving[i];
    bool plane = sim->model->geom[g].type == CRD_PLANE;
    for (int k = 0; plane && k < groups->nmoving; k++) join_geoms(sim, g, groups->moving[k]);
  }
  bound_trees(sim);
  for (int t = 0; t < sim->scene.ntree; t++)
    if (groups->tree_low[3 * t] <= groups->tree_high[3 * t]) groups->boxed[boxes++] = t;
  crd_bvh_pairs(&groups->bvh, groups->boxed, boxes, groups->tree_low, groups->tree_high, join_trees, sim);
}

static void join_contacts_of(crd_sim *sim, const crd_group *group) {
  for (int i = 0; i < group->now.touches.count; i++) {
    int tree[2];
    crd_sim_trees_of_point(&sim->scene, &group->now.touches.item[i].at, tree);
    crd_forest_join(sim->groups.forest, tree[0], tree[1]);
  }
}

static void join_contacts(crd_sim *sim) {
  if (sim->groups.dealt == 0) join_contacts_of(sim, &sim->whole);
  for (int g = 0; g < sim->groups.dealt; g++) join_contacts_of(sim, &sim->groups.group[g]);
}

/* ------------------------------------------------------------------------------------------------ groups */

/* Numbers the groups by their lowest trees. */
static void number_groups(crd_sim *sim) {
  crd_sim_groups *groups = &sim->groups;
  groups->count = 0;
  for (int t = 0; t < sim->scene.ntree; t++) {
    int root = crd_forest_root(groups->forest, t);
    groups->number[t] = root == t ? groups->count++ : groups->number[root];
  }
}

static int group_of(const crd_sim_groups *groups, int tree) { return tree < 0 ? -1 : groups->number[tree]; }

void crd_partition_sort(const crd_sim_groups *groups, crd_sim_group_list *list) {
  memset(list->first, 0, (size_t)(groups->count + 1) * sizeof *list->first);
  for (int i = 0; i < list->count; i++) {
    int g = group_of(groups, list->tree[i]);
    if (g >= 0) list->first[g + 1]++;
  }
  for (int g = 0; g < groups->count; g++) list->first[g + 1] += list->first[g];
  for (int i = 0; i < list->count; i++) {
    int g = group_of(groups, list->tree[i]);
    if (g >= 0) list->item[list->first[g]++] = i;
  }
  for (int g = groups->count; g > 0; g--) list->first[g] = list->first[g - 1];
  list->first[0] = 0;
}

static bool is_one(crd_sim *sim) {
  for (int t = 1; t < sim->scene.ntree; t++)
    if (crd_forest_root(sim->groups.forest, t) != 0) return false;
  return true;
}

void crd_partition_find(crd_sim *sim, double h, bool together) {
  crd_sim_groups *groups = &sim->groups;
  groups->count = 1;
  if (together || sim->scene.ntree < 2 || (sim->options.control && !sim->options.control_apart)) return;
  crd_forest_begin(groups->forest, sim->scene.ntree);
  join_coupled(sim);
  join_contacts(sim);
  if (is_one(sim)) return;
  set_bounds(sim, h);
  join_near(sim);
  number_groups(sim);
  if (groups->count == 1) return;
  crd_partition_sort(groups, &groups->trees);
  crd_partition_sort(groups, &groups->loops);
  crd_partition_sort(groups, &groups->actuators);
  crd_partition_sort(groups, &groups->tendons);
}

static int add_items(const crd_sim_group_list *list, int group, int *to, int offset) {
  int count = list->first[group + 1] - list->first[group];
  for (int i = 0; i < count; i++) to[i] = list->item[list->first[group] + i] + offset;
  return count;
}

void crd_partition_set_part(crd_group *group) {
  const crd_sim_groups *groups = &group->sim->groups;
  crd_part *part = group->part;
  const int g = group->number;
  if (g < 0) {
    crd_part_set_whole(part, group->model);
    return;
  }
  crd_part_begin(part);
  for (int i = groups->trees.first[g]; i < groups->trees.first[g + 1]; i++)
    crd_part_add_tree(part, group->model, &groups->span[groups->trees.item[i]]);
  part->nloop = add_items(&groups->loops, g, part->loop, 0);
  part->nactuator = add_items(&groups->actuators, g, part->actuator, 0);
  for (int i = groups->tendons.first[g]; i < groups->tendons.first[g + 1]; i++)
    crd_part_add_tendon(part, group->model, groups->tendons.item[i]);
}

int crd_partition_count(const crd_group *group) {
  const int *first = group->sim->groups.trees.first;
  return group->number < 0 ? group->scene->ntree : first[group->number + 1] - first[group->number];
}

bool crd_partition_has(const crd_group *group, int tree) {
  return tree >= 0 && (group->number < 0 || group->sim->groups.number[tree] == group->number);
}

/* ------------------------------------------------------------------------------------------------ the motion */

/* How far a point of the geom can have come since the start of the step (src/collide/watch.c). */
static double way_of(const crd_group *group, int g) {
  const crd_sim_groups *groups = &group->sim->groups;
  const crd_sim_seek *seek = group->seek;
  double d[3], turn = 0;
  crd_vec3_sub(d, seek->pos + 3 * g, groups->pos + 3 * g);
  for (int k = 9 * g; k < 9 * g + 9; k++) turn += (seek->R[k] - groups->R[k]) * (seek->R[k] - groups->R[k]);
  double radius = group->model->geom[g].type == CRD_SPHERE ? 0 : group->model->geom[g].radius;
  return crd_vec3_norm(d) + (radius > 0 ? radius * sqrt(turn / 2) : 0);
}

bool crd_partition_strays(crd_group *group) {
  crd_sim_groups *groups = &group->sim->groups;
  double farthest = 0;
  bool strays = false;
  if (group->number < 0) return false;
  CRD_EACH (group->part, geom, g) {
    double way = group->scene->moves[g] ? BEND * way_of(group, g) : 0;
    farthest = fmax(farthest, way);
    strays = strays || way > groups->reach[g];
  }
  for (int i = groups->trees.first[group->number]; strays && i < groups->trees.first[group->number + 1]; i++)
    groups->least[groups->trees.item[i]] = WIDER * farthest;
  return strays;
}
