/* Claim: after the workspace is made and its nodes are reserved, no tree algorithm allocates; and the workspace grows
 * linearly. */
#include <cradle/tree.h>

#include "support/allocation.h"
#include "support/cmocka_all.h"
#include "support/tree_fixture.h"

static void no_algorithm_allocates(void **state) {
  (void)state;
  long at_start = requests;
  tree_fixture f = tree_fixture_new(3, (random_tree_options){.nbody = 40, .branching = 0.5, .armature = true});
  assert_true(requests > at_start); /* the counter works */
  crd_node node[8];
  double p[48], Lambda[48 * 48], J[6 * 240], acc[6], momentum[6], com[3];
  assert_true(f.model->nv <= 240);
  for (int a = 0; a < 8; a++) node[a] = random_node(&f);
  random_vector(&f.stream, 48, p);
  assert_int_equal(crd_model_workspace_reserve_nodes(f.work, 8), CRD_OK);
  long before = requests;
  assert_int_equal(crd_tree_aba(f.model, f.work, f.qpos, f.qvel, f.tau, f.fext, f.qacc), CRD_OK);
  assert_int_equal(crd_tree_forward(f.model, f.work, f.qpos, f.qvel, NULL, NULL, f.tau, f.fext, f.qacc), CRD_OK);
  crd_tree_kinematics(f.model, f.work, f.qpos);
  crd_tree_velocity(f.model, f.work, f.qvel);
  assert_int_equal(crd_tree_factor(f.model, f.work), CRD_OK);
  assert_int_equal(crd_tree_oscm(f.model, f.work, node, 8, Lambda), CRD_OK);
  crd_tree_impulse(f.model, f.work, node, 8, p, f.qacc);
  crd_tree_solve(f.model, f.work, f.tau, f.qacc);
  crd_tree_rnea(f.model, f.work, f.qacc, f.fext, f.tau);
  crd_tree_crba(f.model, f.work, f.M);
  assert_int_equal(crd_tree_crba_factor(f.model, f.M), CRD_OK);
  crd_tree_crba_solve(f.model, f.M, f.tau);
  crd_tree_jacobian(f.model, f.work, &node[0], J);
  crd_tree_point_acceleration(f.model, f.work, &node[0], f.qacc, acc);
  crd_tree_momentum(f.model, f.work, momentum, com);
  crd_tree_integrate_position(f.model, f.qpos, f.qvel, 0.01, f.qpos);
  assert_int_equal(requests, before);
  tree_fixture_free(&f);
}

static void the_workspace_is_linear_in_the_links(void **state) {
  (void)state;
  size_t bytes[2];
  for (int i = 0; i < 2; i++) {
    crd_model *model = random_tree(5, (random_tree_options){.nbody = i ? 2000 : 1000, .hinges_only = true});
    crd_workspace *work = crd_model_workspace_new(model);
    bytes[i] = crd_model_workspace_bytes(work);
    crd_model_workspace_free(work);
    crd_model_free(model);
  }
  assert_true(bytes[1] < 8u << 20 && bytes[1] <= 3 * bytes[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_algorithm_allocates),
                                     cmocka_unit_test(the_workspace_is_linear_in_the_links)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
