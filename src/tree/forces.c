/* Forces of the joints' springs and dampers, of gravity compensation and of the actuators. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/link_motion.h"

/* Spring torque of a ball, or of the rotation of a free joint: -k times the rotation vector from the rest attitude. */
static void add_attitude_spring(double stiffness, const double *rest, const double *quat, double *tau) {
  double angle[3];
  crd_quat_rotation_vector(angle, rest, quat);
  for (int i = 0; i < 3; i++) tau[i] -= stiffness * angle[i];
}

void crd_tree_passive(const crd_model *model, const double *qpos, const double *qvel, double *tau) {
  for (int v = 0; v < model->nv; v++) tau[v] -= model->dof_damping[v] * qvel[v];
  for (int j = 0; j < model->njoint; j++) {
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

void crd_tree_gravity_compensation(const crd_model *model, crd_workspace *work, double *tau) {
  if (!model->compensated) return;
  for (int i = 0; i <= model->nlink; i++) work->link[i].z = (crd_sv){{0}, {0}};
  for (int b = 1; b < model->nbody; b++) {
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

static double clamp(double x, bool limited, const double range[2]) {
  return limited ? fmin(fmax(x, range[0]), range[1]) : x;
}

/* Length of the transmission and its rate; see crd_actuator_def. */
static void transmission(const crd_model *model, const crd_actuator *actuator, const double *qpos, const double *qvel,
                         double *length, double *rate) {
  *length = *rate = 0;
  if (actuator->joint < 0) {
    for (int i = 0; i < actuator->nterm; i++) {
      const crd_joint *joint = &model->joint[actuator->term_joint[i]];
      *length += actuator->gear[0] * actuator->term_coef[i] * qpos[joint->q];
      *rate += actuator->gear[0] * actuator->term_coef[i] * qvel[joint->v];
    }
    return;
  }
  const crd_joint *joint = &model->joint[actuator->joint];
  for (int i = 0; i < joint->nv; i++) *rate += actuator->gear[i] * qvel[joint->v + i];
  if (joint->nv == 1) {
    *length = actuator->gear[0] * qpos[joint->q];
  } else if (joint->type == CRD_BALL) {
    const double identity[4] = {1, 0, 0, 0};
    double angle[3];
    crd_quat_rotation_vector(angle, identity, qpos + joint->q);
    *length = crd_vec3_dot(actuator->gear, angle);
  }
}

static void add_actuator(const crd_model *model, const crd_actuator *actuator, const double *qpos, const double *qvel,
                         double ctrl, double *tau) {
  double length, rate;
  transmission(model, actuator, qpos, qvel, &length, &rate);
  const double *gain = actuator->gain, *bias = actuator->bias;
  double force =
      (gain[0] + gain[1] * length + gain[2] * rate) * clamp(ctrl, actuator->ctrl_limited, actuator->ctrl_range);
  force += bias[0] + bias[1] * length + bias[2] * rate;
  force = clamp(force, actuator->force_limited, actuator->force_range);
  if (actuator->joint < 0) {
    for (int i = 0; i < actuator->nterm; i++)
      tau[model->joint[actuator->term_joint[i]].v] += actuator->gear[0] * actuator->term_coef[i] * force;
  } else {
    const crd_joint *joint = &model->joint[actuator->joint];
    for (int i = 0; i < joint->nv; i++) tau[joint->v + i] += actuator->gear[i] * force;
  }
}

void crd_tree_actuation(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                        const double *ctrl, double *tau) {
  double *sum = work->actuation;
  memset(sum, 0, sizeof *sum * (size_t)model->nv);
  for (int a = 0; a < model->nactuator; a++)
    add_actuator(model, &model->actuator[a], qpos, qvel, ctrl ? ctrl[a] : 0, sum);
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (joint->nv == 1) sum[joint->v] = clamp(sum[joint->v], joint->force_limited, joint->force_range);
  }
  for (int v = 0; v < model->nv; v++) tau[v] += sum[v];
}
