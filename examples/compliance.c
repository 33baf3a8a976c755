/* How yielding is a mechanism where it touches? Lambda = J M^-1 J' of the two corners of the rocking block, by Jain's
 * recursion in O(N), without forming M or J. With mass 1, inertia 5/12 and corner A at (-1/2, -1) from the centre,
 * Lambda_zz = 1/m + x^2/I = 1.6 and Lambda_xx = 1/m + z^2/I = 3.4; corner A against corner B: 1/m + x_A x_B / I = 0.4.
 *
 *   prints: A: along z 1.6, along x 3.4; A against B along z: 0.4
 */
#include <cradle/cradle.h>
#include <stdio.h>

int main(void) {
  crd_model *model;
  crd_error err;
  if (crd_io_example_model("rocking-block", NULL, &model, &err)) return puts(err.text), 1;
  crd_workspace *work = crd_model_workspace_new(model);
  crd_tree_kinematics(model, work, model->key[0].qpos);
  crd_tree_factor(model, work);

  crd_node corner[2];
  double R[9], Lambda[12 * 12];
  for (int i = 0; i < 2; i++) {
    const int geom = crd_model_find_geom(model, i == 0 ? "A" : "B");
    corner[i].body = model->geom[geom].body;
    crd_tree_geom_pose(model, work, geom, corner[i].point, R);
  }
  crd_tree_oscm(model, work, corner, 2, Lambda); /* rows: moments 0-2 and forces 3-5 of A, then of B */
  printf("A: along z %.10g, along x %.10g; A against B along z: %.10g\n", Lambda[12 * 5 + 5], Lambda[12 * 3 + 3],
         Lambda[12 * 5 + 11]);

  crd_model_workspace_free(work);
  crd_model_free(model);
  return 0;
}
