/* How actuators act on the joints: length l of the transmission and its moment dl/dq', at a configuration.
 *
 * joint      l = gear q; ball: gear . (rotation vector), free: 0. A ball's or free joint's rotation about axes of the
 *            parent has the moment R' gear, R the joint's rotation.
 * weights    l = gear sum coef_i q_i
 */
#include "tree/transmission.h"

#include <cradle/linalg.h>
#include <string.h>

#include "model/workspace.h"

/* The rotational part of gear in the axes of the moving body. */
static void rotational_moment(const crd_actuator *actuator, const double *gear, const double *quat, double *moment) {
  crd_vec3_copy(moment, gear);
  if (!actuator->in_parent) return;
  double back[4];
  crd_quat_conjugate(back, quat);
  crd_quat_normalize(back);
  crd_quat_rotate(moment, back, gear);
}

static void through_joint(const crd_model *model, const crd_actuator *actuator, const double *qpos, double *length,
                          double *moment) {
  static const double identity[4] = {1, 0, 0, 0};
  const crd_joint *joint = &model->joint[actuator->joint];
  const double *q = qpos + joint->q;
  double angle[3];
  switch (joint->type) {
    case CRD_HINGE:
    case CRD_SLIDE:
      moment[0] = actuator->gear[0];
      *length = actuator->gear[0] * q[0];
      break;
    case CRD_BALL:
      rotational_moment(actuator, actuator->gear, q, moment);
      crd_quat_rotation_vector(angle, identity, q);
      *length = crd_vec3_dot(actuator->gear, angle);
      break;
    case CRD_FREE:
      crd_vec3_copy(moment, actuator->gear);
      rotational_moment(actuator, actuator->gear + 3, q + 3, moment + 3);
      *length = 0;
      break;
  }
}

static void through_weights(const crd_model *model, const crd_actuator *actuator, const double *qpos, double *length,
                            double *moment) {
  *length = 0;
  for (int i = 0; i < actuator->nterm; i++) {
    moment[i] = actuator->gear[0] * actuator->term_coef[i];
    *length += moment[i] * qpos[model->joint[actuator->term_joint[i]].q];
  }
}

void crd_transmissions_at(const crd_model *model, crd_workspace *work, const double *qpos) {
  for (int i = 0; i < work->part->nactuator; i++) {
    const int a = work->part->actuator[i];
    const crd_actuator *actuator = &model->actuator[a];
    if (actuator->joint >= 0)
      through_joint(model, actuator, qpos, &work->length[a], work->moment + actuator->moment);
    else
      through_weights(model, actuator, qpos, &work->length[a], work->moment + actuator->moment);
  }
}

double crd_transmission_rate(const crd_actuator *actuator, const crd_workspace *work, const double *qvel) {
  const double *moment = work->moment + actuator->moment;
  double rate = 0;
  for (int k = 0; k < actuator->ndof; k++) rate += moment[k] * qvel[actuator->dof[k]];
  return rate;
}

void crd_transmission_add(const crd_actuator *actuator, const crd_workspace *work, double factor, double *row) {
  const double *moment = work->moment + actuator->moment;
  for (int k = 0; k < actuator->ndof; k++) row[actuator->dof[k]] += moment[k] * factor;
}

void crd_tree_moment(const crd_model *model, crd_workspace *work, const double *qpos, int actuator, double *moment) {
  memset(moment, 0, (size_t)model->nv * sizeof *moment);
  crd_transmissions_at(model, work, qpos);
  crd_transmission_add(&model->actuator[actuator], work, 1, moment);
}

void crd_tree_transmissions(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                            double *length, double *rate) {
  crd_transmissions_at(model, work, qpos);
  for (int a = 0; a < model->nactuator; a++) {
    if (length) length[a] = work->length[a];
    if (rate) rate[a] = crd_transmission_rate(&model->actuator[a], work, qvel);
  }
}
