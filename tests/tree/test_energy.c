/* Claims on random mechanisms: the rate of the total energy is the power of the forces that act; without forces at the
 * joints, in free flight, momentum is kept; springs are conservative; the energy of a state does not depend on how
 * quaternions are scaled. */
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/tree_fixture.h"

/* Kinetic plus potential energy at q (+) t qvel + t^2/2 qacc, velocity qvel + t qacc. */
static double energy_at(tree_fixture *f, double t) {
  int n = f->model->nv;
  double *q = new_vector(f->model->nq), *v = new_vector(n), *mean = new_vector(n);
  for (int i = 0; i < n; i++) v[i] = f->qvel[i] + t * f->qacc[i], mean[i] = f->qvel[i] + 0.5 * t * f->qacc[i];
  crd_tree_integrate_position(f->model, f->qpos, mean, t, q);
  crd_tree_kinematics(f->model, f->work, q);
  crd_tree_velocity(f->model, f->work, v);
  double energy = crd_tree_kinetic_energy(f->model, f->work, v) + crd_tree_potential_energy(f->model, f->work, q);
  free(q), free(v), free(mean);
  return energy;
}

static void energy_rate_is_power(tree_fixture *f) {
  int n = f->model->nv;
  assert_int_equal(crd_tree_aba(f->model, f->work, f->qpos, f->qvel, f->tau, f->fext, f->qacc), CRD_OK);
  double power = 0;
  for (int i = 0; i < n; i++) power += f->tau[i] * f->qvel[i];
  for (int b = 1; b < f->model->nbody; b++) {
    double pos[3], R[9], velocity[6];
    crd_tree_body_pose(f->model, f->work, b, pos, R);
    crd_tree_point_velocity(f->model, f->work, b, pos, velocity);
    for (int i = 0; i < 6; i++) power += f->fext[6 * b + i] * velocity[i];
  }
  /* Fourth-order central difference; h by the fastest rate there is, so that its error is about 1e-9 of the scale. */
  double energy = fabs(energy_at(f, 0)) + crd_tree_kinetic_energy(f->model, f->work, f->qvel);
  double rate = 1 + max_abs(f->qvel, n) + sqrt(max_abs(f->qacc, n)), h = 2e-3 / (rate * (1 + f->model->nlink));
  double difference =
      (8 * (energy_at(f, h) - energy_at(f, -h)) - (energy_at(f, 2 * h) - energy_at(f, -2 * h))) / (12 * h);
  double scale = fabs(power) + (energy + 1) * rate * (1 + f->model->nlink);
  assert_true(fabs(difference - power) <= 1e-8 * scale);
}

static void test_energy_rate(void **state) {
  (void)state;
  for_random_trees(energy_rate_is_power);
}

/* A free-flying mechanism without gravity: the rate of its momentum is zero although the joints accelerate. */
static void momentum_is_kept_in_free_flight(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_stream stream = {.seed = seed};
    crd_builder *builder = crd_model_builder_new();
    for (int b = 1; b <= 6; b++) {
      crd_body_def body = crd_model_body_default();
      body.parent = b == 1 ? 0 : random_int(&stream, 1, b - 1);
      body.pos[0] = random_in(&stream, -1, 1), body.pos[2] = random_in(&stream, -1, 1);
      body.has_inertial = true;
      body.inertial = (crd_inertial){.mass = random_in(&stream, 1, 3),
                                     .pos = {0.1, -0.2, 0.1},
                                     .quat = {1, 0, 0, 0},
                                     .inertia = {0.2, 0.25, 0.3, 0.01, -0.02, 0.03}};
      crd_model_builder_body(builder, &body);
      crd_joint_def joint = crd_model_joint_default();
      joint.type = b == 1 ? CRD_FREE : b % 3 == 0 ? CRD_BALL : b % 3 == 1 ? CRD_SLIDE : CRD_HINGE;
      joint.axis[0] = 1, joint.axis[1] = 2, joint.axis[2] = 3;
      crd_model_builder_joint(builder, b, &joint);
    }
    crd_build_options options = crd_model_build_default();
    memset(options.gravity, 0, sizeof options.gravity);
    crd_model *model = NULL;
    crd_error err = {0};
    if (crd_model_builder_build(builder, &options, &model, &err) != CRD_OK) fail_msg("%s", err.text);
    crd_workspace *work = crd_model_workspace_new(model);
    double *q = new_vector(model->nq), *v = new_vector(model->nv), *a = new_vector(model->nv),
           *tau = new_vector(model->nv);
    random_state(model, &stream, q, v);
    random_vector(&stream, model->nv, tau);
    for (int i = 0; i < 6; i++) tau[i] = 0; /* internal forces only */
    assert_int_equal(crd_tree_aba(model, work, q, v, tau, NULL, a), CRD_OK);
    /* rate of momentum = d/dt at fixed acceleration, by central differences of the momentum along the motion */
    double h = 1e-5, before[6], after[6], com_before[3], com_after[3], now[6];
    double *qh = new_vector(model->nq), *vh = new_vector(model->nv), *mean = new_vector(model->nv);
    for (int side = -1; side <= 1; side += 2) {
      for (int i = 0; i < model->nv; i++) vh[i] = v[i] + side * h * a[i], mean[i] = v[i] + 0.5 * side * h * a[i];
      crd_tree_integrate_position(model, q, mean, side * h, qh);
      crd_tree_kinematics(model, work, qh);
      crd_tree_velocity(model, work, vh);
      crd_tree_momentum(model, work, side < 0 ? before : after, side < 0 ? com_before : com_after);
    }
    double scale = max_abs(after, 6) + max_abs(a, model->nv);
    for (int i = 0; i < 6; i++) assert_true(fabs(after[i] - before[i]) / (2 * h) < 1e-6 * scale);
    /* linear momentum = mass times velocity of the centre of mass */
    crd_tree_kinematics(model, work, q);
    crd_tree_velocity(model, work, v);
    crd_tree_momentum(model, work, now, NULL);
    for (int i = 0; i < 3; i++)
      assert_true(fabs(model->mass * (com_after[i] - com_before[i]) / (2 * h) - now[3 + i]) < 1e-6 * scale);
    free(q), free(v), free(a), free(tau), free(qh), free(vh), free(mean);
    crd_model_workspace_free(work);
    crd_model_free(model);
    crd_model_builder_free(builder);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_rate),
      cmocka_unit_test(momentum_is_kept_in_free_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
