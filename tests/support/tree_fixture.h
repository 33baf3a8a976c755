/* A random mechanism at a random state with everything a tree test needs. */
#ifndef TESTS_TREE_FIXTURE_H
#define TESTS_TREE_FIXTURE_H

#include "support/random_tree.h"

typedef struct tree_fixture {
  crd_model *model;
  crd_workspace *work;
  double *qpos, *qvel, *tau, *qacc, *fext, *M;
  random_stream stream;
} tree_fixture;

/* Poses, velocities and M are computed, tau and fext random, qacc zero. */
tree_fixture tree_fixture_new(uint64_t seed, random_tree_options options);
void tree_fixture_free(tree_fixture *f);

/* A node on a random body. */
crd_node random_node(tree_fixture *f);

/* Calls check on 60 random mechanisms of 1 to 200 bodies: chains, bushes and trees, with and without armature. */
void for_random_trees(void (*check)(tree_fixture *f));

#endif
