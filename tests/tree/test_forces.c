/* Claims: joint springs pull to their rest position with the gradient of their energy, dampers take -d qvel; actuators
 * follow f = gain ctrl + bias with their clamps; armature adds to the diagonal; a joint with nothing to move is
 * reported, and no state is written. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/cmocka_all.h"
#include "support/random_tree.h"

static crd_body_def ball_body(int parent) {
  crd_body_def body = crd_model_body_default();
  body.parent = parent;
  body.pos[0] = 0.5;
  body.has_inertial = true;
  body.inertial =
      (crd_inertial){.mass = 1, .pos = {0.1, 0.2, 0.3}, .quat = {1, 0, 0, 0}, .inertia = {0.1, 0.1, 0.1, 0, 0, 0}};
  return body;
}

static crd_model *build(crd_builder *builder) {
  crd_build_options options = crd_model_build_default();
  memset(options.gravity, 0, sizeof options.gravity);
  crd_model *model = NULL;
  crd_error err = {0};
  if (crd_model_builder_build(builder, &options, &model, &err) != CRD_OK) fail_msg("%s", err.text);
  crd_model_builder_free(builder);
  return model;
}

/* One joint of every type in a chain, each with a spring and a damper. */
static crd_model *sprung_chain(void) {
  const crd_joint_type type[4] = {CRD_FREE, CRD_HINGE, CRD_SLIDE, CRD_BALL};
  crd_builder *builder = crd_model_builder_new();
  for (int b = 1; b <= 4; b++) {
    crd_body_def body = ball_body(b - 1);
    crd_model_builder_body(builder, &body);
    crd_joint_def joint = crd_model_joint_default();
    joint.type = type[b - 1];
    joint.stiffness = 10.0 * b, joint.damping = 0.5 * b, joint.ref = b == 2 ? 0.2 : 0,
    joint.springref = b == 3 ? -0.3 : 0.1;
    crd_model_builder_joint(builder, b, &joint);
  }
  return build(builder);
}

static void spring_forces_are_the_gradient_of_their_energy(void **state) {
  (void)state;
  crd_model *model = sprung_chain();
  crd_workspace *work = crd_model_workspace_new(model);
  for (uint64_t seed = 1; seed <= 50; seed++) {
    random_stream stream = {.seed = seed};
    double q[13], v[11], tau[11] = {0}, zero[11] = {0}, direction[11], plus[13], minus[13];
    assert_true(model->nq == 13 && model->nv == 11);
    random_state(model, &stream, q, v);
    random_vector(&stream, 11, direction);
    crd_tree_passive(model, q, zero, tau);
    const double h = 1e-5;
    crd_tree_integrate_position(model, q, direction, h, plus);
    crd_tree_integrate_position(model, q, direction, -h, minus);
    double power = 0;
    for (int i = 0; i < 11; i++) power += tau[i] * direction[i];
    crd_tree_kinematics(model, work, plus);
    double after = crd_tree_potential_energy(model, work, plus);
    crd_tree_kinematics(model, work, minus);
    double before = crd_tree_potential_energy(model, work, minus);
    assert_true(fabs((after - before) / (2 * h) + power) < 1e-6 * (fabs(power) + 100));

    double damped[11] = {0};
    crd_tree_passive(model, q, v, damped);
    for (int j = 0; j < 4; j++)
      for (int i = 0; i < model->joint[j].nv; i++) {
        int k = model->joint[j].v + i;
        assert_true(fabs(damped[k] - tau[k] + 0.5 * (j + 1) * v[k]) < 1e-13);
      }
  }
  crd_model_workspace_free(work);
  crd_model_free(model);
}

static void a_hinge_spring_rests_at_springref(void **state) {
  (void)state;
  crd_model *model = sprung_chain();
  double q[13], zero[11] = {0}, tau[11] = {0};
  memcpy(q, model->qpos0, sizeof q);
  assert_true(q[model->joint[1].q] == 0.2); /* ref */
  crd_tree_passive(model, q, zero, tau);
  assert_true(fabs(tau[model->joint[1].v] - 20 * (0.1 - 0.2)) < 1e-14);
  assert_true(fabs(tau[model->joint[2].v] - 30 * (-0.3 - 0)) < 1e-14);
  crd_model_free(model);
}

/* Servo kp (ctrl - q) - kv v on a hinge with gear 3, force clamped to +-5, then the joint's own clamp of +-8. */
static void actuators_follow_their_law_and_their_clamps(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_body_def body = ball_body(0);
  crd_model_builder_body(builder, &body);
  crd_joint_def joint = crd_model_joint_default();
  joint.force_limited = true, joint.force_range[0] = -8, joint.force_range[1] = 8;
  int hinge = crd_model_builder_joint(builder, 1, &joint);
  crd_actuator_def servo = crd_model_actuator_default();
  servo.joint = hinge, servo.gear[0] = 3;
  servo.gain[0] = 2, servo.gain[1] = servo.gain[2] = 0;
  servo.bias[0] = 0, servo.bias[1] = -2, servo.bias[2] = -0.1;
  servo.ctrl_limited = true, servo.ctrl_range[0] = -1, servo.ctrl_range[1] = 1;
  servo.force_limited = true, servo.force_range[0] = -5, servo.force_range[1] = 5;
  crd_model_builder_actuator(builder, &servo);
  crd_model *model = build(builder);
  crd_workspace *work = crd_model_workspace_new(model);
  double q[1] = {0.2}, v[1] = {0.5}, ctrl[1] = {0.9}, tau[1] = {1};
  crd_tree_actuation(model, work, q, v, NULL, ctrl, tau);
  /* length 0.6, rate 1.5: f = 2*0.9 - 2*0.6 - 0.1*1.5 = 0.45, torque 1.35 on top of what was there */
  assert_true(fabs(tau[0] - 2.35) < 1e-14);
  ctrl[0] = 100, q[0] = v[0] = tau[0] = 0; /* ctrl clamped to 1: f = 2, torque 6 */
  crd_tree_actuation(model, work, q, v, NULL, ctrl, tau);
  assert_true(fabs(tau[0] - 6) < 1e-14);
  q[0] = -2, tau[0] = 0; /* f = 2 + 12 = 14 clamped to 5, torque 15 clamped to 8 */
  crd_tree_actuation(model, work, q, v, NULL, ctrl, tau);
  assert_true(fabs(tau[0] - 8) < 1e-14);
  /* forward = M^-1 of all of it; M = I + m r^2 about the hinge axis z */
  double qacc[1], inertia = 0.1 + 1 * (0.1 * 0.1 + 0.2 * 0.2), applied[1] = {0.5};
  assert_int_equal(crd_tree_forward(model, work, q, v, NULL, ctrl, applied, NULL, qacc), CRD_OK);
  assert_true(fabs(qacc[0] - 8.5 / inertia) < 1e-12);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

/* A point mass on a hinge whose axis runs through it has no inertia about that axis. */
static void a_joint_without_inertia_is_named_and_nothing_is_written(void **state) {
  (void)state;
  crd_builder *builder = crd_model_builder_new();
  crd_body_def body = crd_model_body_default();
  body.has_inertial = true;
  body.inertial = (crd_inertial){.mass = 1, .quat = {1, 0, 0, 0}, .inertia = {0.1, 0.1, 0.1, 0, 0, 0}};
  crd_model_builder_body(builder, &body);
  crd_joint_def joint = crd_model_joint_default();
  crd_model_builder_joint(builder, 1, &joint);
  crd_model_builder_joint(builder, 1, &joint); /* the same axis twice: the first has nothing left to turn */
  crd_model *model = build(builder);
  crd_workspace *work = crd_model_workspace_new(model);
  double q[2] = {0.1, 0.2}, v[2] = {0}, qacc[2] = {7, 7};
  assert_int_equal(crd_tree_aba(model, work, q, v, NULL, NULL, qacc), CRD_SINGULAR);
  assert_int_equal(crd_model_workspace_singular_joint(work), 0);
  assert_true(qacc[0] == 7 && qacc[1] == 7);
  crd_tree_kinematics(model, work, q);
  assert_int_equal(crd_tree_factor(model, work), CRD_SINGULAR);
  double indefinite[4] = {1, 2, 2, 1};
  assert_int_equal(crd_tree_crba_factor(model, indefinite), CRD_SINGULAR);
  crd_model_workspace_free(work);
  crd_model_free(model);
}

static void armature_adds_to_the_diagonal(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    crd_model *with = random_tree(seed, (random_tree_options){.nbody = 12, .branching = 0.4, .armature = true});
    crd_workspace *work = crd_model_workspace_new(with);
    random_stream stream = {.seed = seed};
    double *q = new_vector(with->nq), *v = new_vector(with->nv), *bias = new_vector(with->nv),
           *tau = new_vector(with->nv);
    random_state(with, &stream, q, v);
    crd_tree_kinematics(with, work, q);
    crd_tree_velocity(with, work, v);
    double energy = crd_tree_kinetic_energy(with, work, v), of_rotors = 0, momentum[6];
    crd_tree_rnea(with, work, NULL, NULL, bias);
    crd_tree_rnea(with, work, v, NULL, tau);
    for (int i = 0; i < with->nv; i++) of_rotors += 0.5 * with->dof_armature[i] * v[i] * v[i];
    assert_true(of_rotors > 0);
    crd_tree_momentum(with, work, momentum, NULL);
    /* 1/2 v' (M v) = kinetic energy with the rotors in both */
    double form = 0, scale = energy;
    for (int i = 0; i < with->nv; i++) form += 0.5 * v[i] * (tau[i] - bias[i]), scale += fabs(v[i] * bias[i]);
    assert_true(fabs(form - energy) < 1e-12 * scale);
    free(q), free(v), free(bias), free(tau);
    crd_model_workspace_free(work);
    crd_model_free(with);
  }
}

/* Weight carried by gravcomp: with 1 on all bodies the mechanism is weightless, with a half it has half its weight; the
 * force is the gradient of the energy it takes away. */
static void gravity_compensation_carries_its_share_of_the_weight(void **state) {
  (void)state;
  for (int half = 1; half <= 2; half++) {
    const crd_joint_type type[4] = {CRD_HINGE, CRD_BALL, CRD_SLIDE, CRD_HINGE};
    crd_builder *builder = crd_model_builder_new();
    for (int b = 1; b <= 4; b++) {
      crd_body_def body = ball_body(b / 2);
      body.gravcomp = half / 2.0;
      crd_model_builder_body(builder, &body);
      crd_joint_def joint = crd_model_joint_default();
      joint.type = type[b - 1], joint.axis[0] = 1, joint.axis[1] = 0.5;
      crd_model_builder_joint(builder, b, &joint);
    }
    crd_build_options options = crd_model_build_default(); /* with gravity */
    crd_model *model = NULL;
    crd_error err = {0};
    if (crd_model_builder_build(builder, &options, &model, &err) != CRD_OK) fail_msg("%s", err.text);
    crd_model_builder_free(builder);
    crd_workspace *work = crd_model_workspace_new(model);
    random_stream stream = {.seed = 5};
    double q[7], v[6], rest[6] = {0}, weight[6], lift[6] = {0}, qacc[6], direction[6], plus[7], minus[7], power = 0;
    assert_true(model->nq == 7 && model->nv == 6 && model->compensated);
    random_state(model, &stream, q, v);
    crd_tree_kinematics(model, work, q);
    crd_tree_velocity(model, work, rest);
    crd_tree_rnea(model, work, NULL, NULL, weight);
    crd_tree_gravity_compensation(model, work, lift);
    for (int i = 0; i < 6; i++) assert_true(fabs(lift[i] - half / 2.0 * weight[i]) < 1e-13);
    assert_int_equal(crd_tree_forward(model, work, q, rest, NULL, NULL, NULL, NULL, qacc), CRD_OK);
    if (half == 2) assert_true(max_abs(qacc, 6) < 1e-12);
    /* net force of gravity and compensation = -gradient of the potential energy */
    const double h = 1e-5;
    random_vector(&stream, 6, direction);
    for (int i = 0; i < 6; i++) power += (lift[i] - weight[i]) * direction[i];
    crd_tree_integrate_position(model, q, direction, h, plus);
    crd_tree_integrate_position(model, q, direction, -h, minus);
    crd_tree_kinematics(model, work, plus);
    double after = crd_tree_potential_energy(model, work, plus);
    crd_tree_kinematics(model, work, minus);
    double before = crd_tree_potential_energy(model, work, minus);
    assert_true(fabs((after - before) / (2 * h) + power) < 1e-7);
    crd_model_workspace_free(work);
    crd_model_free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spring_forces_are_the_gradient_of_their_energy),
      cmocka_unit_test(a_hinge_spring_rests_at_springref),
      cmocka_unit_test(actuators_follow_their_law_and_their_clamps),
      cmocka_unit_test(a_joint_without_inertia_is_named_and_nothing_is_written),
      cmocka_unit_test(armature_adds_to_the_diagonal),
      cmocka_unit_test(gravity_compensation_carries_its_share_of_the_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
