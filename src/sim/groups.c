/* Trees that act on each other through loops and persistent contacts. */
#include "sim/groups.h"

#include "base/forest.h"

int crd_sim_tree_of_body(const crd_sim *sim, int body) {
  int link = sim->model->body[body].link;
  return link < 0 ? -1 : sim->scene.tree_of_dof[sim->model->link[link].v];
}

int crd_sim_tree_of_joint(const crd_sim *sim, int joint) {
  const crd_model *model = sim->model;
  /* of a tendon the first joint stands for all, and partition.c joins their trees */
  return sim->scene
      .tree_of_dof[model->joint[joint < model->njoint ? joint : model->tendon[joint - model->njoint].joint[0]].v];
}

/* A tendon with limits acts on one tree, or on two. */
static void trees_of_tendon(const crd_sim *sim, const crd_tendon *tendon, int tree[2]) {
  tree[0] = tree[1] = sim->scene.tree_of_dof[tendon->dof[0]];
  for (int k = 1; k < tendon->ndof; k++) {
    const int other = sim->scene.tree_of_dof[tendon->dof[k]];
    if (other != tree[0]) tree[1] = other;
  }
}

int crd_group_of(crd_sim *sim, int tree) { return crd_forest_root(sim->trees.group, tree); }

void crd_sim_trees_of_point(const crd_sim *sim, const crd_contact_point *at, int tree[2]) {
  bool limit = at->geomA == CRD_SIM_LIMIT;
  if (limit && at->geomB >= sim->model->njoint) {
    trees_of_tendon(sim, &sim->model->tendon[at->geomB - sim->model->njoint], tree);
    return;
  }
  tree[0] = limit ? crd_sim_tree_of_joint(sim, at->geomB) : crd_sim_tree_of_body(sim, sim->model->geom[at->geomA].body);
  tree[1] = limit ? tree[0] : crd_sim_tree_of_body(sim, sim->model->geom[at->geomB].body);
}

void crd_sim_trees_of_loop(const crd_sim *sim, const crd_loop *loop, int tree[2]) {
  bool joint = loop->type == CRD_LOOP_JOINT;
  tree[0] = joint ? crd_sim_tree_of_joint(sim, loop->joint1) : crd_sim_tree_of_body(sim, loop->body1);
  tree[1] = !joint             ? crd_sim_tree_of_body(sim, loop->body2)
            : loop->joint2 < 0 ? -1
                               : crd_sim_tree_of_joint(sim, loop->joint2);
}

int crd_groups_of_contacts(crd_sim *sim) {
  const crd_sim_touches *touches = &sim->now.touches;
  int *forest = sim->trees.group, tree[2], most = 0;
  crd_forest_begin(forest, sim->scene.ntree);
  for (int l = 0; l < sim->part.nloop; l++) {
    crd_sim_trees_of_loop(sim, &sim->model->loop[sim->part.loop[l]], tree);
    crd_forest_join(forest, tree[0], tree[1]);
  }
  for (int i = 0; i < touches->count; i++) {
    crd_sim_trees_of_point(sim, &touches->item[i].at, tree);
    crd_forest_join(forest, tree[0], tree[1]);
  }
  for (int t = 0; t < sim->scene.ntree; t++) sim->trees.tally[t] = 0;
  for (int i = 0; i < touches->count; i++) {
    crd_sim_trees_of_point(sim, &touches->item[i].at, tree);
    int count = ++sim->trees.tally[crd_forest_root(forest, tree[0] >= 0 ? tree[0] : tree[1])];
    if (count > most) most = count;
  }
  return most;
}
