/* Claims, by central differences along the motion q(+)(t qvel): a point's velocity is the rate of its position, its
 * acceleration the rate of its velocity, J qvel its velocity, the bias Jdot qvel its acceleration at zero qacc; and the
 * closed forms of a planar double pendulum. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>

#include "support/cmocka_all.h"
#include "support/tree_fixture.h"

/* Pose of the node's body, and the node carried along, at q (+) t qvel. */
static void node_at(tree_fixture *f, const double *local, int body, double t, double point[3], double R[9]) {
  double *q = new_vector(f->model->nq);
  crd_tree_integrate_position(f->model, f->qpos, f->qvel, t, q);
  crd_tree_kinematics(f->model, f->work, q);
  crd_tree_velocity(f->model, f->work, f->qvel);
  double pos[3];
  crd_tree_body_pose(f->model, f->work, body, pos, R);
  crd_mat3_mul_vec(point, R, local);
  crd_vec3_add(point, point, pos);
  free(q);
}

static void rates_match_differences(tree_fixture *f) {
  const double h = 1e-5;
  int n = f->model->nv;
  double *J = new_vector(6 * n), *zero = new_vector(n);
  for (int trial = 0; trial < 5; trial++) {
    crd_tree_kinematics(f->model, f->work, f->qpos);
    crd_tree_velocity(f->model, f->work, f->qvel);
    crd_node node = random_node(f);
    double pos[3], R[9], local[3], velocity[6], acceleration[6], with_zero[6];
    crd_tree_body_pose(f->model, f->work, node.body, pos, R);
    crd_vec3_sub(local, node.point, pos);
    crd_mat3_tmul_vec(local, R, local);
    crd_tree_point_velocity(f->model, f->work, node.body, node.point, velocity);
    crd_tree_point_acceleration(f->model, f->work, &node, NULL, acceleration);
    crd_tree_point_acceleration(f->model, f->work, &node, zero, with_zero);
    assert_true(max_difference(acceleration, with_zero, 6) == 0);
    crd_tree_jacobian(f->model, f->work, &node, J);
    double scale = max_abs(velocity, 6) + 1;
    for (int i = 0; i < 6; i++) {
      double product = 0;
      for (int v = 0; v < n; v++) product += J[n * i + v] * f->qvel[v];
      assert_true(fabs(product - velocity[i]) <= 1e-12 * scale * sqrt(n + 1.0));
    }
    double before[3], after[3], Rb[9], Ra[9], vb[6], va[6];
    node_at(f, local, node.body, -h, before, Rb);
    crd_tree_point_velocity(f->model, f->work, node.body, before, vb);
    node_at(f, local, node.body, h, after, Ra);
    crd_tree_point_velocity(f->model, f->work, node.body, after, va);
    /* truncation h^2/6 times third derivatives, which grow like (rates)^3 times lengths */
    double rates = max_abs(va, 6) + 1, allowed = 1e-8 * rates * rates * rates + 1e-10 * rates / h * 1e-5;
    for (int i = 0; i < 3; i++) assert_true(fabs((after[i] - before[i]) / (2 * h) - velocity[3 + i]) < allowed);
    for (int i = 0; i < 6; i++) assert_true(fabs((va[i] - vb[i]) / (2 * h) - acceleration[i]) < allowed * rates);
    /* Rdot R' = omega~ */
    double W[9], Rt[9];
    crd_mat3_transpose(Rt, R);
    for (int i = 0; i < 9; i++) W[i] = (Ra[i] - Rb[i]) / (2 * h);
    crd_mat3_mul(W, W, Rt);
    assert_true(fabs(W[7] - velocity[0]) < allowed && fabs(W[2] - velocity[1]) < allowed &&
                fabs(W[3] - velocity[2]) < allowed);
  }
  free(J), free(zero);
}

static void test_rates(void **state) {
  (void)state;
  for_random_trees(rates_match_differences);
}

/* qacc enters the acceleration through J. */
static void accelerations_are_linear_in_qacc(tree_fixture *f) {
  int n = f->model->nv;
  double *J = new_vector(6 * n);
  crd_node node = random_node(f);
  double bias[6], full[6];
  random_vector(&f->stream, n, f->qacc);
  crd_tree_point_acceleration(f->model, f->work, &node, NULL, bias);
  crd_tree_point_acceleration(f->model, f->work, &node, f->qacc, full);
  crd_tree_jacobian(f->model, f->work, &node, J);
  for (int i = 0; i < 6; i++) {
    double expected = bias[i], scale = fabs(bias[i]) + 1;
    for (int v = 0; v < n; v++) expected += J[n * i + v] * f->qacc[v], scale += fabs(J[n * i + v] * f->qacc[v]);
    assert_true(fabs(full[i] - expected) <= 1e-12 * scale);
  }
  free(J);
}

static void test_linear(void **state) {
  (void)state;
  for_random_trees(accelerations_are_linear_in_qacc);
}

/* Two uniform unit rods of mass 1 in the x-z plane, hanging, relative angles about -y: M11 = 5/3 + cos q2, M12 = 1/3 +
 * cos(q2)/2, M22 = 1/3, gravity moment and the Coriolis term -sin(q2)/2 (2 q1' q2' + q2'^2) [any text on the double
 * pendulum]. */
static void the_double_pendulum_has_its_textbook_matrices(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  for (int i = 0; i < 2; i++) {
    crd_body_def body = crd_model_body_default();
    body.parent = i;
    body.pos[2] = i ? -1 : 0;
    body.has_inertial = true;
    body.inertial = (crd_inertial){
        .mass = 1, .pos = {0, 0, -0.5}, .quat = {1, 0, 0, 0}, .inertia = {1.0 / 12, 1.0 / 12, 1e-9, 0, 0, 0}};
    int id = crd_model_builder_body(builder, &body);
    crd_joint_def hinge = crd_model_joint_default();
    hinge.axis[0] = 0, hinge.axis[1] = -1, hinge.axis[2] = 0;
    crd_model_builder_joint(builder, id, &hinge);
  }
  crd_build_options options = crd_model_build_default();
  options.gravity[0] = options.gravity[1] = 0, options.gravity[2] = -9.81;
  options.balance_inertia = false;
  crd_model *model = NULL;
  crd_error err = {0};
  if (crd_model_builder_build(builder, &options, &model, &err) != CRD_OK) fail_msg("%s", err.text);
  crd_workspace *work = crd_model_workspace_new(model);
  const double q[2] = {0.3, 0.7}, v[2] = {1.1, -0.4}, g = 9.81;
  double M[4], bias[2];
  crd_tree_kinematics(model, work, q);
  crd_tree_velocity(model, work, v);
  crd_tree_crba(model, work, M);
  crd_tree_rnea(model, work, NULL, NULL, bias);
  double c2 = cos(q[1]), s2 = sin(q[1]), s1 = sin(q[0]), s12 = sin(q[0] + q[1]);
  assert_true(fabs(M[0] - (5.0 / 3 + c2)) < 1e-14 && fabs(M[1] - (1.0 / 3 + c2 / 2)) < 1e-14 &&
              fabs(M[3] - 1.0 / 3) < 1e-14);
  double b1 = -s2 / 2 * (2 * v[0] * v[1] + v[1] * v[1]) + g * (1.5 * s1 + 0.5 * s12);
  double b2 = s2 / 2 * v[0] * v[0] + g * 0.5 * s12;
  assert_true(fabs(bias[0] - b1) < 1e-13 && fabs(bias[1] - b2) < 1e-13);
  double potential = -g * (0.5 * cos(q[0]) + cos(q[0]) + 0.5 * cos(q[0] + q[1]));
  assert_true(fabs(crd_tree_potential_energy(model, work, q) - potential) < 1e-13);
  crd_model_workspace_free(work);
  crd_model_free(model);
  crd_model_builder_free(builder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_double_pendulum_has_its_textbook_matrices),
      cmocka_unit_test(test_rates),
      cmocka_unit_test(test_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
