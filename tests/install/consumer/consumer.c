/* Compiled against the installed library, as C17 and as C++17: the force that holds a body of 2 kg up. */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_builder *builder = crd_model_builder_new();
  crd_body_def body = crd_model_body_default();
  body.has_inertial = true, body.inertial.mass = 2;
  for (int i = 0; i < 3; i++) body.inertial.inertia[i] = 0.1;
  crd_joint_def lift = crd_model_joint_default();
  lift.type = CRD_SLIDE;
  crd_model_builder_joint(builder, crd_model_builder_body(builder, &body), &lift);

  crd_build_options options = crd_model_build_default();
  crd_model *model = NULL;
  crd_error err;
  if (crd_model_builder_build(builder, &options, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  double zero = 0, force = 0;
  crd_tree_kinematics(model, work, &zero);
  crd_tree_velocity(model, work, &zero);
  crd_tree_rnea(model, work, NULL, NULL, &force);
  printf("cradle %s: weight %.2f N\n", crd_version(), force);
  crd_model_workspace_free(work), crd_model_free(model), crd_model_builder_free(builder);
  return 0;
}
