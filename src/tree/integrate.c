/* Motion along a constant velocity: addition for hinge, slide and position, exponential map for attitudes. */
#include <cradle/linalg.h>
#include <cradle/tree.h>

#include "tree/parts.h"

/* out = quat exp(h w / 2): the attitude after turning with the body-fixed angular velocity w for the time h. */
static void turn(const double *quat, const double *w, double h, double *out) {
  double q[4] = {quat[0], quat[1], quat[2], quat[3]}, axis[3] = {w[0], w[1], w[2]}, step[4];
  double speed = crd_vec3_normalize(axis);
  crd_quat_normalize(q);
  crd_quat_from_axis_angle(step, axis, h * speed);
  crd_quat_mul(out, q, step);
  crd_quat_normalize(out);
}

void crd_tree_part_integrate(const crd_model *model, const crd_part *part, const double *qpos, const double *qvel,
                             double h, double *qpos_out) {
  CRD_EACH (part, link, j) {
    const crd_joint *joint = &model->joint[j];
    const double *q = qpos + joint->q, *v = qvel + joint->v;
    double *out = qpos_out + joint->q;
    switch (joint->type) {
      case CRD_HINGE:
      case CRD_SLIDE: out[0] = q[0] + h * v[0]; break;
      case CRD_BALL: turn(q, v, h, out); break;
      case CRD_FREE:
        for (int i = 0; i < 3; i++) out[i] = q[i] + h * v[i];
        turn(q + 3, v + 3, h, out + 3);
        break;
    }
  }
}

void crd_tree_integrate_position(const crd_model *model, const double *qpos, const double *qvel, double h,
                                 double *qpos_out) {
  crd_span span;
  const crd_part whole = crd_part_view(model, &span);
  crd_tree_part_integrate(model, &whole, qpos, qvel, h, qpos_out);
}
