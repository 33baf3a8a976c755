/* Groups of trees that act on each other: a forest in sim->trees.group, every tree pointing to one of its group with a lower
 * number, the lowest to itself. */
#include "sim/groups.h"

int crd_sim_tree_of_body(const crd_sim *sim, int body) {
  int link = sim->model->body[body].link;
  return link < 0 ? -1 : sim->scene.tree_of_dof[sim->model->link[link].v];
}

void crd_groups_begin(crd_sim *sim) {
  for (int t = 0; t < sim->scene.ntree; t++) sim->trees.group[t] = t;
}

int crd_group_of(crd_sim *sim, int tree) {
  while (sim->trees.group[tree] != tree) tree = sim->trees.group[tree] = sim->trees.group[sim->trees.group[tree]];
  return tree;
}

void crd_groups_join(crd_sim *sim, int tree1, int tree2) {
  if (tree1 < 0 || tree2 < 0) return;
  int a = crd_group_of(sim, tree1), b = crd_group_of(sim, tree2);
  sim->trees.group[a > b ? a : b] = a > b ? b : a;
}

/* The trees of the two sides of a touch, -1: the world; of a joint's limit its own. */
static void trees_of_touch(const crd_sim *sim, const crd_contact_point *at, int tree[2]) {
  const crd_model *model = sim->model;
  bool limit = at->geomA == CRD_SIM_LIMIT;
  /* the joints of a tendon are of one tree */
  int joint = limit && at->geomB >= model->njoint ? model->tendon[at->geomB - model->njoint].joint[0] : at->geomB;
  tree[0] = limit ? sim->scene.tree_of_dof[model->joint[joint].v]
                  : crd_sim_tree_of_body(sim, sim->model->geom[at->geomA].body);
  tree[1] = limit ? tree[0] : crd_sim_tree_of_body(sim, sim->model->geom[at->geomB].body);
}

static void join_loops(crd_sim *sim) {
  const crd_model *model = sim->model;
  for (int l = 0; l < model->nloop; l++) {
    const crd_loop *loop = &model->loop[l];
    if (!loop->active) continue;
    if (loop->type != CRD_LOOP_JOINT)
      crd_groups_join(sim, crd_sim_tree_of_body(sim, loop->body1), crd_sim_tree_of_body(sim, loop->body2));
    else if (loop->joint2 >= 0)
      crd_groups_join(sim, sim->scene.tree_of_dof[model->joint[loop->joint1].v],
                      sim->scene.tree_of_dof[model->joint[loop->joint2].v]);
  }
}

int crd_groups_of_contacts(crd_sim *sim) {
  const crd_sim_touches *touches = &sim->now.touches;
  int tree[2], most = 0;
  crd_groups_begin(sim);
  join_loops(sim);
  for (int i = 0; i < touches->count; i++) {
    trees_of_touch(sim, &touches->item[i].at, tree);
    crd_groups_join(sim, tree[0], tree[1]);
  }
  for (int t = 0; t < sim->scene.ntree; t++) sim->trees.tally[t] = 0;
  for (int i = 0; i < touches->count; i++) {
    trees_of_touch(sim, &touches->item[i].at, tree);
    int count = ++sim->trees.tally[crd_group_of(sim, tree[0] >= 0 ? tree[0] : tree[1])];
    if (count > most) most = count;
  }
  return most;
}
