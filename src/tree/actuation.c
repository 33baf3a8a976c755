/* Forces of the actuators, and the rates of their activations.
 *
 *   f = gain(l, l') u + bias(l, l'),   tau += moment' f       (crd_actuator_def)
 */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/muscle.h"
#include "tree/transmission.h"

static double clamp(double x, bool limited, const double range[2]) {
  return limited ? fmin(fmax(x, range[0]), range[1]) : x;
}

static double control(const crd_actuator *actuator, double ctrl) {
  return clamp(ctrl, actuator->ctrl_limited, actuator->ctrl_range);
}

double crd_actuator_input(const crd_model *model, int a, const double *act, const double *ctrl) {
  const crd_actuator *actuator = &model->actuator[a];
  if (actuator->act < 0) return control(actuator, ctrl ? ctrl[a] : 0);
  return clamp(act ? act[actuator->act] : 0, actuator->act_limited, actuator->act_range);
}

double crd_actuator_law(const crd_actuator *actuator, double length, double rate, double input) {
  const double *g = actuator->gain, *b = actuator->bias;
  const double gain = actuator->gain_law == CRD_FORCE_MUSCLE ? crd_muscle_gain(g, actuator->length_range, length, rate)
                                                             : g[0] + g[1] * length + g[2] * rate;
  const double bias = actuator->bias_law == CRD_FORCE_MUSCLE ? crd_muscle_bias(b, actuator->length_range, length)
                                                             : b[0] + b[1] * length + b[2] * rate;
  return gain * input + bias;
}

double crd_actuator_clamped(const crd_model *model, int a, double length, double rate, const double *act,
                            const double *ctrl) {
  const crd_actuator *actuator = &model->actuator[a];
  const double force = crd_actuator_law(actuator, length, rate, crd_actuator_input(model, a, act, ctrl));
  return clamp(force, actuator->force_limited, actuator->force_range);
}

void crd_tree_actuator_forces(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                              const double *act, const double *ctrl, double *force) {
  crd_transmissions_at(model, work, qpos);
  for (int a = 0; a < model->nactuator; a++) {
    const double rate = crd_transmission_rate(&model->actuator[a], work, qvel);
    force[a] = crd_actuator_clamped(model, a, work->length[a], rate, act, ctrl);
  }
}

/* The sum of the actuators on each velocity, before the joints clamp it. */
void crd_actuators_sum(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                       const double *act, const double *ctrl, double *sum) {
  crd_part_clear_v(work->part, sum);
  crd_transmissions_at(model, work, qpos);
  for (int i = 0; i < work->part->nactuator; i++) {
    const int a = work->part->actuator[i];
    const crd_actuator *actuator = &model->actuator[a];
    const double rate = crd_transmission_rate(actuator, work, qvel);
    crd_transmission_add(actuator, work, crd_actuator_clamped(model, a, work->length[a], rate, act, ctrl), sum);
  }
}

void crd_tree_actuation(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                        const double *act, const double *ctrl, double *tau) {
  double *sum = work->actuation;
  const bool carried = model->compensated && model->carried;
  crd_actuators_sum(model, work, qpos, qvel, act, ctrl, sum);
  if (carried) {
    crd_part_clear_v(work->part, work->carried);
    crd_tree_kinematics(model, work, qpos);
    crd_tree_gravity_compensation(model, work, work->carried);
  }
  CRD_EACH (work->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    /* the whole force added by crd_tree_gravity_compensation, less the part that the range cuts off */
    const double lift = carried && joint->carries_gravity ? work->carried[joint->v] : 0;
    if (lift != 0)
      sum[joint->v] = clamp(sum[joint->v] + lift, true, joint->force_range) - lift;
    else if (joint->nv == 1)
      sum[joint->v] = clamp(sum[joint->v], joint->force_limited, joint->force_range);
  }
  CRD_EACH (work->part, v, v) tau[v] += sum[v];
}

/* ------------------------------------------------------------------------------------------------ activation */

void crd_tree_activation_rate(const crd_model *model, const double *act, const double *ctrl, double *rate,
                              double *decay) {
  for (int a = 0; a < model->nactuator; a++) {
    const crd_actuator *actuator = &model->actuator[a];
    const int i = actuator->act;
    if (i < 0) continue;
    const double now = act ? act[i] : 0, u = control(actuator, ctrl ? ctrl[a] : 0);
    double slope = 0, target = u;
    if (actuator->dynamics == CRD_DYNAMICS_MUSCLE)
      slope = 1 / crd_muscle_time(actuator, now, u), target = fmin(fmax(u, 0), 1);
    else if (actuator->dynamics == CRD_DYNAMICS_FILTER)
      slope = 1 / actuator->time_constant[0];
    rate[i] = actuator->dynamics == CRD_DYNAMICS_INTEGRATOR ? u : (target - now) * slope;
    if (decay) decay[i] = slope;
  }
}

void crd_tree_hold_activation(const crd_model *model, const double *act, double *rate) {
  for (int a = 0; a < model->nactuator; a++) {
    const crd_actuator *actuator = &model->actuator[a];
    const int i = actuator->act;
    if (i < 0 || !actuator->act_limited) continue;
    if ((act[i] >= actuator->act_range[1] && rate[i] > 0) || (act[i] <= actuator->act_range[0] && rate[i] < 0))
      rate[i] = 0;
  }
}

void crd_tree_clamp_activation(const crd_model *model, double *act) {
  for (int a = 0; a < model->nactuator; a++) {
    const crd_actuator *actuator = &model->actuator[a];
    if (actuator->act >= 0) act[actuator->act] = clamp(act[actuator->act], actuator->act_limited, actuator->act_range);
  }
}
