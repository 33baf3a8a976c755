#include "support/tree_fixture.h"

#include <stdlib.h>

tree_fixture tree_fixture_new(uint64_t seed, random_tree_options options) {
  tree_fixture f = {.model = random_tree(seed, options), .stream = {.seed = seed + 1000000}};
  int nv = f.model->nv;
  f.work = crd_model_workspace_new(f.model);
  f.qpos = new_vector(f.model->nq);
  f.qvel = new_vector(nv), f.tau = new_vector(nv), f.qacc = new_vector(nv);
  f.fext = new_vector(6 * f.model->nbody);
  f.M = new_vector(nv * nv);
  random_state(f.model, &f.stream, f.qpos, f.qvel);
  random_vector(&f.stream, nv, f.tau);
  random_vector(&f.stream, 6 * f.model->nbody, f.fext);
  crd_tree_kinematics(f.model, f.work, f.qpos);
  crd_tree_velocity(f.model, f.work, f.qvel);
  crd_tree_crba(f.model, f.work, f.M);
  return f;
}

void tree_fixture_free(tree_fixture *f) {
  crd_model_workspace_free(f->work);
  free(f->qpos), free(f->qvel), free(f->tau), free(f->qacc), free(f->fext), free(f->M);
  crd_model_free(f->model);
}

crd_node random_node(tree_fixture *f) {
  crd_node node = {.body = random_int(&f->stream, 0, f->model->nbody - 1)};
  double R[9];
  crd_tree_body_pose(f->model, f->work, node.body, node.point, R);
  for (int i = 0; i < 3; i++) node.point[i] += random_in(&f->stream, -0.5, 0.5);
  return node;
}

void for_random_trees(void (*check)(tree_fixture *f)) {
  const int sizes[] = {1, 2, 3, 5, 8, 13, 30, 60, 120, 200};
  const double branching[] = {0, 0.3, 1};
  uint64_t seed = 1;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t j = 0; j < 3; j++)
      for (int armature = 0; armature < 2; armature++) {
        tree_fixture f = tree_fixture_new(
            seed++, (random_tree_options){.nbody = sizes[i], .branching = branching[j], .armature = armature});
        check(&f);
        tree_fixture_free(&f);
      }
}
