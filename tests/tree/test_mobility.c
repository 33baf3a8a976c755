/* Claims, on random mechanisms of 1 to 200 bodies with all joint types: crd_tree_mobility is the diagonal of the dense
 * M^-1 of an independent reference in extended precision; with armature of one's own the factor is that of M plus what
 * was added, and NULL gives the model's back to the last bit. */
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/dense_oracle.h"
#include "support/tree_fixture.h"

static void diagonal_agrees(tree_fixture *f) {
  int n = f->model->nv;
  dense_oracle oracle = dense_oracle_new(f->model, f->qpos);
  double *diagonal = new_vector(n);
  long double *x = malloc(sizeof *x * (size_t)(n + 1));
  assert_non_null(x);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  crd_tree_mobility(f->model, f->work, diagonal);
  for (int i = 0; i < n; i++) {
    memset(x, 0, sizeof *x * (size_t)n);
    x[i] = 1;
    dense_oracle_solve(&oracle, x);
    if (!(fabsl(diagonal[i] - x[i]) <= 1e-11 * (1 + x[i])))
      fail_msg("%d links, velocity %d: %.17g, dense %.17Lg", f->model->nlink, i, diagonal[i], x[i]);
  }
  free(diagonal), free(x);
  dense_oracle_free(&oracle);
}

static void mobility_is_the_diagonal_of_the_inverse(void **state) {
  (void)state;
  for_random_trees(diagonal_agrees);
}

static void armature_is_added(tree_fixture *f) {
  int n = f->model->nv;
  double *armature = new_vector(n), *x = new_vector(n), *y = new_vector(n), *z = new_vector(n);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  crd_tree_solve(f->model, f->work, f->tau, x);
  for (int i = 0; i < n; i++) armature[i] = f->model->dof_armature[i] + random_in(&f->stream, 0, 10);
  crd_tree_set_armature(f->work, armature);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  crd_tree_solve(f->model, f->work, f->tau, y);
  for (int i = 0; i < n; i++) {
    double force = (armature[i] - f->model->dof_armature[i]) * y[i], scale = 1 + fabs(force);
    for (int j = 0; j < n; j++) force += f->M[n * i + j] * y[j], scale += fabs(f->M[n * i + j] * y[j]);
    assert_true(fabs(force - f->tau[i]) <= 1e-10 * scale);
  }
  crd_tree_set_armature(f->work, NULL);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  crd_tree_solve(f->model, f->work, f->tau, z);
  assert_memory_equal(x, z, sizeof *x * (size_t)n);
  free(armature), free(x), free(y), free(z);
}

static void armature_of_ones_own_is_in_the_factor(void **state) {
  (void)state;
  for_random_trees(armature_is_added);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mobility_is_the_diagonal_of_the_inverse),
      cmocka_unit_test(armature_of_ones_own_is_in_the_factor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
