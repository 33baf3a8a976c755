/* An impulse in O(N), without a mass matrix: strike a hinged rod at its centre of percussion.
 *
 * The rod (1 kg, 1 m, hinged at one end) is struck with 1 Ns at x = 2/3 m from the hinge. It turns with x p / (m
 * l^2/3), 2 rad/s, so its centre moves with p / m = 1 m/s as if it were free: the hinge feels nothing.
 *
 *   prints: rate 2 rad/s, velocity of the centre 1 m/s
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_builder *builder = crd_model_builder_new();
  crd_body_def rod = crd_model_body_default();
  rod.has_inertial = true;
  rod.inertial = (crd_inertial){.mass = 1, .pos = {0, 0, -0.5}, .quat = {1}, .inertia = {1.0 / 12, 1.0 / 12, 0.001}};
  crd_joint_def hinge = crd_model_joint_default();
  hinge.type = CRD_HINGE, hinge.axis[1] = -1, hinge.axis[2] = 0;
  const int body = crd_model_builder_body(builder, &rod);
  crd_model_builder_joint(builder, body, &hinge);

  crd_build_options options = crd_model_build_default();
  crd_model *model;
  crd_error err;
  if (crd_model_builder_build(builder, &options, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  const double qpos[1] = {0}, centre[3] = {0, 0, -0.5};
  const crd_node node = {body, {0, 0, -2.0 / 3}};
  const double impulse[6] = {0, 0, 0, 1, 0, 0}; /* moment, force: 1 Ns along x */
  double rate[1], velocity[6];

  crd_tree_kinematics(model, work, qpos);
  crd_tree_factor(model, work);
  crd_tree_impulse(model, work, &node, 1, impulse, rate);
  crd_tree_velocity(model, work, rate);
  crd_tree_point_velocity(model, work, body, centre, velocity);
  printf("rate %.10g rad/s, velocity of the centre %.10g m/s\n", rate[0], velocity[3]);

  crd_model_workspace_free(work);
  crd_model_free(model);
  crd_model_builder_free(builder);
  return 0;
}
