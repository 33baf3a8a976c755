/* Where geoms touch, how deep, along which normal: a box that is 1 mm in the floor, at its four lower corners.
 *
 *   prints: 4 contacts, gap -0.001 m, normal 0 0 1
 *   prints: corner at 0.1 0.2
 */
#include <cradle/cradle.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char scene[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
    "<body pos='0 0 0.299'><freejoint/><geom type='box' size='0.1 0.2 0.3'/></body></worldbody></mujoco>";

int main(void) {
  crd_model *model;
  crd_error err;
  crd_read_options options = crd_io_read_default();
  if (crd_io_read_model_text(scene, strlen(scene), "scene", &options, &model, NULL, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_collider *collider = crd_collide_new(model);
  double pos[2 * 3], R[2 * 9];
  crd_contact_point contact[16];
  int count;

  crd_tree_kinematics(model, work, model->qpos0);
  for (int g = 0; g < model->ngeom; g++) crd_tree_geom_pose(model, work, g, pos + 3 * g, R + 9 * g);
  crd_status status = crd_collide_all(collider, pos, R, NULL, contact, 16, &count);
  if (status) return puts(crd_status_text(status)), 1;
  const double *n = contact[0].normal;
  printf("%d contacts, gap %.6g m, normal %g %g %g\n", count, contact[0].gap, n[0], n[1], n[2]);
  for (int k = 0; k < count; k++) printf("corner at %.6g %.6g\n", contact[k].point[0], contact[k].point[1]);

  crd_collide_free(collider);
  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
