/* Claims, on random mechanisms of 1 to 200 bodies with all joint types: the compliance matrix by Jain's recursion is
 * the dense J M^-1 J' of an independent reference in extended precision; impulses at nodes change the velocities by
 * M^-1 J' p; nodes may coincide, share a body, lie on the ground or on one path; nothing is allocated once nodes are
 * reserved. */
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/dense_oracle.h"
#include "support/tree_fixture.h"

static const double tolerance = 1e-12;

static void check_nodes(tree_fixture *f, const dense_oracle *oracle, const crd_node *node, int nnode) {
  int n = f->model->nv, rows = 6 * nnode;
  size_t size = sizeof(long double) * (size_t)(rows * n + 1);
  long double *J = malloc(size), *X = malloc(size);
  double *Lambda = new_vector(rows * rows), *p = new_vector(rows), *dv = new_vector(n);
  assert_true(J && X);
  for (int a = 0; a < nnode; a++) dense_oracle_jacobian(oracle, &node[a], J + 6 * a * n);
  memcpy(X, J, sizeof *X * (size_t)(rows * n));
  for (int r = 0; r < rows; r++) dense_oracle_solve(oracle, X + r * n);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  assert_int_equal(crd_tree_oscm(f->model, f->work, node, nnode, Lambda), CRD_OK);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < rows; c++) {
      long double dense = 0, scale = 1;
      for (int v = 0; v < n; v++) {
        long double term = J[r * n + v] * X[c * n + v];
        dense += term, scale += fabsl(term);
      }
      double got = Lambda[r * rows + c];
      assert_true(got == Lambda[c * rows + r]);
      if (!(fabsl(got - dense) <= tolerance * scale))
        fail_msg("%d links, entry %d %d: %.17g, dense %.17Lg", f->model->nlink, r, c, got, dense);
    }

  random_vector(&f->stream, rows, p);
  crd_tree_impulse(f->model, f->work, node, nnode, p, dv);
  for (int v = 0; v < n; v++) {
    long double dense = 0, scale = 1;
    for (int r = 0; r < rows; r++) {
      long double term = X[r * n + v] * p[r];
      dense += term, scale += fabsl(term);
    }
    if (!(fabsl(dv[v] - dense) <= tolerance * scale))
      fail_msg("%d links, velocity %d: %.17g, dense %.17Lg", f->model->nlink, v, dv[v], dense);
  }
  free(J), free(X), free(Lambda), free(p), free(dv);
}

static void random_nodes_agree(tree_fixture *f) {
  dense_oracle oracle = dense_oracle_new(f->model, f->qpos);
  crd_node node[7];
  for (int nnode = 1; nnode <= 7; nnode += 2) {
    for (int a = 0; a < nnode; a++) node[a] = random_node(f);
    check_nodes(f, &oracle, node, nnode);
  }
  dense_oracle_free(&oracle);
}

static void test_random_nodes(void **state) {
  (void)state;
  for_random_trees(random_nodes_agree);
}

static void special_nodes_agree(tree_fixture *f) {
  dense_oracle oracle = dense_oracle_new(f->model, f->qpos);
  crd_node a = random_node(f), ground = {.body = 0, .point = {1, 2, 3}}, last = {.body = f->model->nbody - 1};
  crd_node twice[2] = {a, a}, with_ground[3] = {ground, a, ground}, path[4];
  check_nodes(f, &oracle, twice, 2);
  check_nodes(f, &oracle, with_ground, 3);
  /* a body, its ancestors and the body again: keys on one path */
  for (int i = 0, b = last.body; i < 4; i++) {
    path[3 - i] = (crd_node){.body = b};
    if (f->model->body[b].parent > 0) b = f->model->body[b].parent;
  }
  check_nodes(f, &oracle, path, 4);
  dense_oracle_free(&oracle);
}

static void test_special_nodes(void **state) {
  (void)state;
  for_random_trees(special_nodes_agree);
}

/* A rod of mass m, length l on a hinge at one end, in closed form: an impulse p across the tip gives the rate 3 p / (m
 * l), so the tip's compliance is 3/m. */
static void the_tip_of_a_hinged_rod_has_compliance_three_over_m(void **state) {
  (void)state;
  const double m = 2.5, l = 0.8;
  crd_builder *builder = crd_model_builder_new();
  crd_body_def body = crd_model_body_default();
  body.has_inertial = true;
  body.inertial = (crd_inertial){.mass = m,
                                 .pos = {l / 2, 0, 0},
                                 .quat = {1, 0, 0, 0},
                                 .inertia = {1e-6, m * l * l / 12, m * l * l / 12, 0, 0, 0}};
  int id = crd_model_builder_body(builder, &body);
  crd_joint_def hinge = crd_model_joint_default();
  hinge.axis[0] = 0, hinge.axis[1] = 1, hinge.axis[2] = 0;
  crd_model_builder_joint(builder, id, &hinge);
  crd_build_options options = crd_model_build_default();
  crd_model *model = NULL;
  crd_error err;
  assert_int_equal(crd_model_builder_build(builder, &options, &model, &err), CRD_OK);
  crd_workspace *work = crd_model_workspace_new(model);
  double qpos[1] = {0}, Lambda[36], dv[1];
  crd_tree_kinematics(model, work, qpos);
  assert_int_equal(crd_tree_factor(model, work), CRD_OK);
  crd_node tip = {.body = id, .point = {l, 0, 0}};
  assert_int_equal(crd_tree_oscm(model, work, &tip, 1, Lambda), CRD_OK);
  assert_true(fabs(Lambda[6 * 5 + 5] - 3 / m) < 1e-13);
  assert_true(fabs(Lambda[6 * 3 + 3]) < 1e-15 && fabs(Lambda[6 * 4 + 4]) < 1e-15);
  double p[6] = {0, 0, 0, 0, 0, 1};
  crd_tree_impulse(model, work, &tip, 1, p, dv);
  assert_true(fabs(dv[0] + 3 / (m * l)) < 1e-13); /* +z at +x turns about -y */
  crd_model_workspace_free(work);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_tip_of_a_hinged_rod_has_compliance_three_over_m),
      cmocka_unit_test(test_random_nodes),
      cmocka_unit_test(test_special_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
