/* Claims, on random mechanisms of 1 to 200 bodies with all joint types: inverse dynamics undoes forward dynamics; the
 * columns of the mass matrix are what Newton-Euler says; the factor solves; forces and impulses move the mechanism as
 * M^-1 says. */
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/tree_fixture.h"

static const double tolerance = 1e-12;

/* Scale of the terms that cancel in M x: the size rounding errors are measured by. */
static double product_scale(const tree_fixture *f, const double *x) {
  int n = f->model->nv;
  double scale = 0;
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += fabs(f->M[n * i + j] * x[j]);
    scale = fmax(scale, row);
  }
  return scale;
}

static void rnea_undoes_aba(tree_fixture *f) {
  int n = f->model->nv;
  double *tau = new_vector(n), *bias = new_vector(n);
  assert_int_equal(crd_tree_aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  crd_tree_rnea(f->model, f->work, f->qacc, f->fext, tau);
  crd_tree_rnea(f->model, f->work, NULL, f->fext, bias);
  double scale = product_scale(f, f->qacc) + max_abs(bias, n) + 1;
  assert_true(max_difference(tau, f->tau, n) <= tolerance * scale);
  free(tau), free(bias);
}

static void test_rnea_undoes_aba(void **state) {
  (void)state;
  for_random_trees(rnea_undoes_aba);
}

static void crba_columns_are_rnea_of_unit_accelerations(tree_fixture *f) {
  int n = f->model->nv;
  double *unit = new_vector(n), *bias = new_vector(n), *column = new_vector(n), *rest = new_vector(n);
  /* at zero velocity the bias is gravity alone, so the difference is the column */
  crd_tree_velocity(f->model, f->work, rest);
  crd_tree_rnea(f->model, f->work, NULL, NULL, bias);
  double scale = max_abs(f->M, n * n) + max_abs(bias, n);
  for (int j = 0; j < n; j++) {
    memset(unit, 0, sizeof *unit * (size_t)n);
    unit[j] = 1;
    crd_tree_rnea(f->model, f->work, unit, NULL, column);
    for (int i = 0; i < n; i++) assert_true(fabs(column[i] - bias[i] - f->M[n * i + j]) <= tolerance * scale);
  }
  free(unit), free(bias), free(column), free(rest);
}

static void test_crba_columns(void **state) {
  (void)state;
  for_random_trees(crba_columns_are_rnea_of_unit_accelerations);
}

/* Both factors against M itself: M x = f. */
static void factors_solve(tree_fixture *f) {
  int n = f->model->nv;
  double *x = new_vector(n), *y = new_vector(n), *L = new_vector(n * n);
  assert_int_equal(crd_tree_factor(f->model, f->work), CRD_OK);
  crd_tree_solve(f->model, f->work, f->tau, x);
  memcpy(L, f->M, sizeof *L * (size_t)(n * n));
  assert_int_equal(crd_tree_crba_factor(f->model, L), CRD_OK);
  memcpy(y, f->tau, sizeof *y * (size_t)n);
  crd_tree_crba_solve(f->model, L, y);
  const double *solution[2] = {x, y};
  for (int k = 0; k < 2; k++) {
    double scale = product_scale(f, solution[k]) + 1;
    for (int i = 0; i < n; i++) {
      double product = 0;
      for (int j = 0; j < n; j++) product += f->M[n * i + j] * solution[k][j];
      assert_true(fabs(product - f->tau[i]) <= tolerance * scale);
    }
  }
  free(x), free(y), free(L);
}

static void test_factors_solve(void **state) {
  (void)state;
  for_random_trees(factors_solve);
}

/* Gravity, velocity, wrenches and joint forces act through the same M: aba = M^-1 (tau + J' fext - bias). */
static void aba_equals_solve_of_the_force_balance(tree_fixture *f) {
  int n = f->model->nv;
  double *force = new_vector(n), *x = new_vector(n);
  crd_tree_rnea(f->model, f->work, NULL, f->fext, force);
  double scale = max_abs(force, n) + 1;
  for (int i = 0; i < n; i++) force[i] = f->tau[i] - force[i];
  assert_int_equal(crd_tree_aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  crd_tree_solve(f->model, f->work, force, x);
  /* compared as forces, so that the condition of M does not enter */
  double *back = new_vector(n);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) back[i] += f->M[n * i + j] * (x[j] - f->qacc[j]);
  assert_true(max_abs(back, n) <= tolerance * (scale + product_scale(f, x)));
  free(force), free(x), free(back);
}

static void test_aba_equals_solve(void **state) {
  (void)state;
  for_random_trees(aba_equals_solve_of_the_force_balance);
}

/* External wrenches enter by the transposed Jacobian of the body's origin. */
static void wrenches_act_through_the_jacobian(tree_fixture *f) {
  int n = f->model->nv;
  double *with = new_vector(n), *without = new_vector(n), *J = new_vector(6 * n);
  crd_tree_rnea(f->model, f->work, NULL, f->fext, with);
  crd_tree_rnea(f->model, f->work, NULL, NULL, without);
  double scale = max_abs(with, n) + max_abs(without, n) + 1;
  for (int b = 1; b < f->model->nbody; b++) {
    crd_node node = {.body = b};
    double R[9];
    crd_tree_body_pose(f->model, f->work, b, node.point, R);
    crd_tree_jacobian(f->model, f->work, &node, J);
    for (int v = 0; v < n; v++)
      for (int i = 0; i < 6; i++) without[v] -= J[n * i + v] * f->fext[6 * b + i];
  }
  assert_true(max_difference(with, without, n) <= tolerance * scale * 10);
  free(with), free(without), free(J);
}

static void test_wrenches(void **state) {
  (void)state;
  for_random_trees(wrenches_act_through_the_jacobian);
}

static void the_mass_matrix_is_symmetric_and_half_its_form_is_the_energy(tree_fixture *f) {
  int n = f->model->nv;
  double energy = 0, scale = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      assert_true(f->M[n * i + j] == f->M[n * j + i]);
      double term = 0.5 * f->qvel[i] * f->M[n * i + j] * f->qvel[j];
      energy += term, scale += fabs(term);
    }
  assert_true(fabs(energy - crd_tree_kinetic_energy(f->model, f->work, f->qvel)) <= tolerance * (scale + 1));
}

static void test_energy_form(void **state) {
  (void)state;
  for_random_trees(the_mass_matrix_is_symmetric_and_half_its_form_is_the_energy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rnea_undoes_aba), cmocka_unit_test(test_crba_columns),
      cmocka_unit_test(test_factors_solve),   cmocka_unit_test(test_aba_equals_solve),
      cmocka_unit_test(test_wrenches),        cmocka_unit_test(test_energy_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
