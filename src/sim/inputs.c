/* Inputs of a simulation from outside its model, besides the callback: controls in an array that the caller writes,
 * which hold until they are written again, and pushes on bodies, which last for one step.
 *
 * A push is a moment n about the body's centre of mass and a force f there, constant in world axes during the step; its
 * generalised force is J' (n, f) with the Jacobian J of the centre of mass, wherever the body is in the step. Its work
 * is booked with that of the actuators. Steps know by comparison that an input has changed: what was at rest under the
 * old ones need not stay so under the new ones.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "model/workspace.h"
#include "sim/event.h"
#include "sim/groups.h"
#include "sim/partition.h"

double *crd_sim_ctrl(crd_sim *sim) { return sim->inputs.ctrl; }
void crd_sim_set_seed(crd_sim *sim, uint64_t seed) { sim->options.seed = seed; }

void crd_sim_wake(crd_sim *sim) {
  for (int t = 0; t < sim->scene.ntree; t++) sim->groups.asleep[t] = false;
  for (int g = 0; g < sim->groups.dealt; g++) sim->groups.group[g].asleep = false;
  sim->whole.asleep = false, sim->sensed.due = true;
}

void crd_sim_inputs_clear(crd_sim *sim) {
  for (int a = 0; a < sim->model->nactuator; a++) sim->inputs.ctrl[a] = sim->inputs.ctrl_before[a] = 0;
  sim->inputs.nnext = sim->inputs.nlast = 0;
}

/* ------------------------------------------------------------------------------------------------ controls */

crd_status crd_sim_inputs_begin(crd_sim *sim) {
  crd_sim_inputs *inputs = &sim->inputs;
  bool changed = inputs->nnext > 0 || inputs->nlast > 0;
  for (int a = 0; a < sim->model->nactuator; a++) {
    if (!isfinite(inputs->ctrl[a]))
      return crd_sim_fail(&sim->whole, CRD_ERR_NUMBER,
                          "ctrl[%d] of actuator \"%s\": found %g, expected a finite number", a,
                          sim->model->actuator[a].name, inputs->ctrl[a]);
    changed = changed || inputs->ctrl[a] != inputs->ctrl_before[a];
    inputs->ctrl_before[a] = inputs->ctrl[a];
  }
  sim->scene.has_forces = inputs->forces_without_push || inputs->nnext > 0;
  if (!changed) return CRD_OK;
  crd_sim_wake(sim);
  if (sim->whole.event) crd_event_interrupt(&sim->whole);
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ pushes */

void crd_sim_body_centre(const crd_group *group, int body, double centre[3]) {
  double pos[3], R[9];
  crd_tree_body_pose(group->model, group->stage->work, body, pos, R);
  crd_mat3_mul_vec(centre, R, group->model->body[body].ipos);
  crd_vec3_add(centre, centre, pos);
}

static bool is_finite(const double x[3]) { return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]); }

crd_status crd_sim_wrench(crd_sim *sim, int body, const double force[3], const double torque[3],
                          const double point[3]) {
  crd_sim_inputs *inputs = &sim->inputs;
  if (body < 1 || body >= sim->model->nbody)
    return crd_sim_fail(&sim->whole, CRD_ERR_ARGUMENT, "body: found %d, expected a number from 1 to %d", body,
                        sim->model->nbody - 1);
  if ((force && !is_finite(force)) || (torque && !is_finite(torque)) || (point && !is_finite(point)))
    return crd_sim_fail(&sim->whole, CRD_ERR_NUMBER, "wrench on body \"%s\": found numbers that are not finite",
                        sim->model->body[body].name);
  int i = 0;
  while (i < inputs->nnext && inputs->next[i].body != body) i++;
  if (i == inputs->nnext) inputs->next[inputs->nnext++] = (crd_sim_push){.body = body};
  crd_sim_push *push = &inputs->next[i];
  if (force) crd_vec3_add(push->force, push->force, force);
  if (torque) crd_vec3_add(push->moment, push->moment, torque);
  if (!force || !point) return CRD_OK;
  double centre[3], arm[3], moment[3];
  crd_tree_kinematics(sim->model, sim->whole.stage->work, sim->whole.now.q);
  crd_sim_body_centre(&sim->whole, body, centre);
  crd_vec3_sub(arm, point, centre);
  crd_vec3_cross(moment, arm, force);
  crd_vec3_add(push->moment, push->moment, moment);
  return CRD_OK;
}

void crd_sim_inputs_push(crd_group *group, const double *q) {
  const crd_sim_inputs *inputs = group->inputs;
  if (inputs->nnext == 0) return;
  crd_tree_kinematics(group->model, group->stage->work, q);
  for (int i = 0; i < inputs->nnext; i++) {
    const crd_sim_push *push = &inputs->next[i];
    const int tree = crd_sim_tree_of_body(group->scene, push->body);
    if (tree < 0 || !crd_partition_has(group, tree)) continue;
    crd_node node = {.body = push->body};
    crd_sim_body_centre(group, push->body, node.point);
    double wrench[6];
    crd_vec3_copy(wrench, push->moment), crd_vec3_copy(wrench + 3, push->force);
    crd_tree_joint_forces(group->model, group->stage->work, &node, 1, wrench, group->stage->tau);
  }
}

void crd_sim_inputs_end(crd_sim *sim) {
  crd_sim_inputs *inputs = &sim->inputs;
  crd_sim_push *spent = inputs->next;
  inputs->next = inputs->last, inputs->last = spent;
  inputs->nlast = inputs->nnext, inputs->nnext = 0;
}
