/* Forces of the joints' springs and dampers, and of gravity compensation. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/link_motion.h"
#include "tree/parts.h"

/* Spring torque of a ball, or of the rotation of a free joint: -k times the rotation vector from the rest attitude. */
static void add_attitude_spring(double stiffness, const double *rest, const double *quat, double *tau) {
  double angle[3];
  crd_quat_rotation_vector(angle, rest, quat);
  for (int i = 0; i < 3; i++) tau[i] -= stiffness * angle[i];
}

void crd_tree_part_passive(const crd_model *model, const crd_part *part, const double *qpos, const double *qvel,
                           double *tau) {
  CRD_EACH (part, v, v) tau[v] -= model->dof_damping[v] * qvel[v];
  CRD_EACH (part, link, j) {
    const crd_joint *joint = &model->joint[j];
    if (joint->stiffness == 0) continue;
    const double *q = qpos + joint->q, *rest = model->qpos_spring + joint->q;
    switch (joint->type) {
      case CRD_HINGE:
      case CRD_SLIDE: tau[joint->v] -= joint->stiffness * (q[0] - rest[0]); break;
      case CRD_BALL: add_attitude_spring(joint->stiffness, rest, q, tau + joint->v); break;
      case CRD_FREE:
        for (int i = 0; i < 3; i++) tau[joint->v + i] -= joint->stiffness * (q[i] - rest[i]);
        add_attitude_spring(joint->stiffness, rest + 3, q + 3, tau + joint->v + 3);
        break;
    }
  }
}

void crd_tree_passive(const crd_model *model, const double *qpos, const double *qvel, double *tau) {
  crd_span span;
  const crd_part whole = crd_part_view(model, &span);
  crd_tree_part_passive(model, &whole, qpos, qvel, tau);
}

void crd_tree_gravity_compensation(const crd_model *model, crd_workspace *work, double *tau) {
  if (!model->compensated) return;
  CRD_EACH (work->part, link, i) work->link[i + 1].z = (crd_sv){{0}, {0}};
  CRD_EACH (work->part, body, b) {
    const crd_body *body = &model->body[b];
    if (body->gravcomp == 0 || body->link < 0) continue;
    crd_link_state *s = &work->link[body->link + 1];
    double com[3];
    crd_mat3_mul_vec(com, body->link_R, body->ipos);
    crd_vec3_add(com, com, body->link_pos);
    crd_sv lift = {{0}, -body->gravcomp * body->mass * v4_load3(model->gravity)};
    s->z = sv_add(s->z, sv_shift_force(lift, rotate(s->R, com)));
  }
  collect_joint_forces(model, work, tau);
}
