/* Inverse, then forward dynamics: the torques that hold a robot still, and the proof that they do.
 * A link of the pendulum weighs 9.8 N; the base has to hold 3 of them at 1, 3 and 5 m from it, 88.2 Nm:
 *
 *   prints: torque at the base -88.2 Nm
 *   prints: largest acceleration under these torques below 1e-12
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model("pendulum:3", NULL, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  double qvel[3] = {0}, tau[3], qacc[3], most = 0;

  crd_tree_kinematics(model, work, model->qpos0); /* level */
  crd_tree_velocity(model, work, qvel);
  crd_tree_rnea(model, work, NULL, NULL, tau); /* no acceleration asked for */
  printf("torque at the base %.10g Nm\n", tau[0]);

  crd_tree_aba(model, work, model->qpos0, qvel, tau, NULL, qacc);
  for (int i = 0; i < model->nv; i++) most = fmax(most, fabs(qacc[i]));
  printf("largest acceleration under these torques %s 1e-12\n", most < 1e-12 ? "below" : "ABOVE");

  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
