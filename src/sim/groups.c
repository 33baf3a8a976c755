/* Trees that act on each other through loops and persistent contacts. */
#include "sim/groups.h"

#include "base/forest.h"

int crd_sim_tree_of_body(const crd_sim_scene *scene, int body) {
  int link = scene->model->body[body].link;
  return link < 0 ? -1 : scene->tree_of_dof[scene->model->link[link].v];
}

int crd_sim_tree_of_joint(const crd_sim_scene *scene, int joint) {
  const crd_model *model = scene->model;
  /* of a tendon the first joint stands for all, and partition.c joins their trees */
  return scene
      ->tree_of_dof[model->joint[joint < model->njoint ? joint : model->tendon[joint - model->njoint].joint[0]].v];
}

/* A tendon with limits or friction acts on one tree, or on two. */
static void trees_of_tendon(const crd_sim_scene *scene, const crd_tendon *tendon, int tree[2]) {
  tree[0] = tree[1] = scene->tree_of_dof[tendon->dof[0]];
  for (int k = 1; k < tendon->ndof; k++) {
    const int other = scene->tree_of_dof[tendon->dof[k]];
    if (other != tree[0]) tree[1] = other;
  }
}

int crd_group_of(crd_group *group, int tree) { return crd_forest_root(group->trees->group, tree); }

void crd_sim_trees_of_point(const crd_sim_scene *scene, const crd_contact_point *at, int tree[2]) {
  bool limit = at->geomA == CRD_SIM_LIMIT;
  if (limit && at->geomB >= scene->model->njoint) {
    trees_of_tendon(scene, &scene->model->tendon[at->geomB - scene->model->njoint], tree);
    return;
  }
  tree[0] =
      limit ? crd_sim_tree_of_joint(scene, at->geomB) : crd_sim_tree_of_body(scene, scene->model->geom[at->geomA].body);
  tree[1] = limit ? tree[0] : crd_sim_tree_of_body(scene, scene->model->geom[at->geomB].body);
}

/* The first tree and the last of two tendons, which act on two at most. */
static void trees_of_tendons(const crd_sim_scene *scene, const crd_loop *loop, int tree[2]) {
  tree[0] = tree[1] = -1;
  for (int k = 0; k < 2; k++) {
    const int t = k == 0 ? loop->tendon1 : loop->tendon2;
    if (t < 0 || scene->model->tendon[t].ndof == 0) continue;
    int own[2];
    trees_of_tendon(scene, &scene->model->tendon[t], own);
    if (tree[0] < 0) tree[0] = own[0];
    for (int i = 0; i < 2; i++)
      if (own[i] != tree[0]) tree[1] = own[i];
  }
}

bool crd_sim_rubbing_rests(const crd_group *group, int rubbing) {
  const crd_sim_scene *scene = group->scene;
  int tree[2];
  if (rubbing < scene->model->nv) return group->trees->rests[scene->tree_of_dof[rubbing]];
  trees_of_tendon(scene, &scene->model->tendon[rubbing - scene->model->nv], tree);
  return group->trees->rests[tree[0]] && group->trees->rests[tree[1]];
}

void crd_sim_trees_of_loop(const crd_sim_scene *scene, const crd_loop *loop, int tree[2]) {
  if (loop->type == CRD_LOOP_TENDON) {
    trees_of_tendons(scene, loop, tree);
    return;
  }
  bool joint = loop->type == CRD_LOOP_JOINT;
  tree[0] = joint ? crd_sim_tree_of_joint(scene, loop->joint1) : crd_sim_tree_of_body(scene, loop->body1);
  tree[1] = !joint             ? crd_sim_tree_of_body(scene, loop->body2)
            : loop->joint2 < 0 ? -1
                               : crd_sim_tree_of_joint(scene, loop->joint2);
}

int crd_groups_of_contacts(crd_group *group) {
  const crd_sim_touches *touches = &group->now.touches;
  int *forest = group->trees->group, tree[2], most = 0;
  crd_forest_begin(forest, group->scene->ntree);
  for (int l = 0; l < group->part->nloop; l++) {
    crd_sim_trees_of_loop(group->scene, &group->model->loop[group->part->loop[l]], tree);
    crd_forest_join(forest, tree[0], tree[1]);
  }
  for (int i = 0; i < group->part->nrubbing; i++) {
    const int t = group->part->rubbing[i] - group->model->nv;
    if (t < 0) continue;
    trees_of_tendon(group->scene, &group->model->tendon[t], tree);
    crd_forest_join(forest, tree[0], tree[1]);
  }
  for (int i = 0; i < touches->count; i++) {
    crd_sim_trees_of_point(group->scene, &touches->item[i].at, tree);
    crd_forest_join(forest, tree[0], tree[1]);
  }
  for (int t = 0; t < group->scene->ntree; t++) group->trees->tally[t] = 0;
  for (int i = 0; i < touches->count; i++) {
    crd_sim_trees_of_point(group->scene, &touches->item[i].at, tree);
    int count = ++group->trees->tally[crd_forest_root(forest, tree[0] >= 0 ? tree[0] : tree[1])];
    if (count > most) most = count;
  }
  return most;
}
