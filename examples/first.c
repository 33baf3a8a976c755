/* A double pendulum without any file: two uniform rods of 1 kg and 1 m, let go from the horizontal.
 * In closed form the accelerations are 9g/7 and -12g/7:
 *
 *   prints: qacc = 12.612857 -16.817143 rad/s^2
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_builder *builder = crd_model_builder_new();
  for (int i = 0; i < 2; i++) {
    crd_body_def rod = crd_model_body_default();
    rod.parent = i, rod.pos[0] = i, rod.has_inertial = true;
    rod.inertial = (crd_inertial){.mass = 1, .pos = {0.5}, .quat = {1}, .inertia = {0.001, 1.0 / 12, 1.0 / 12}};
    crd_joint_def hinge = crd_model_joint_default();
    hinge.type = CRD_HINGE, hinge.axis[1] = 1, hinge.axis[2] = 0;
    crd_model_builder_joint(builder, crd_model_builder_body(builder, &rod), &hinge);
  }
  crd_build_options options = crd_model_build_default();
  crd_model *model;
  crd_error err;
  if (crd_model_builder_build(builder, &options, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  double qpos[2] = {0, 0}, qvel[2] = {0, 0}, qacc[2];
  crd_tree_aba(model, work, qpos, qvel, NULL, NULL, qacc);
  printf("qacc = %.6f %.6f rad/s^2\n", qacc[0], qacc[1]);
  return crd_model_workspace_free(work), crd_model_free(model), crd_model_builder_free(builder), 0;
}
