/* Forces of the joints' springs and dampers, of gravity compensation and of the actuators, and their slopes. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <string.h>

#include "model/workspace.h"
#include "tree/link_motion.h"
#include "tree/parts.h"
#include "tree/slopes.h"

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

/* Force before it is clamped. */
static double actuator_force(const crd_model *model, const crd_actuator *actuator, const double *qpos,
                             const double *qvel, double ctrl) {
  double length, rate;
  transmission(model, actuator, qpos, qvel, &length, &rate);
  const double *gain = actuator->gain, *bias = actuator->bias;
  double force =
      (gain[0] + gain[1] * length + gain[2] * rate) * clamp(ctrl, actuator->ctrl_limited, actuator->ctrl_range);
  force += bias[0] + bias[1] * length + bias[2] * rate;
  return force;
}

/* row += factor times the velocities that the actuator acts on. */
static void add_transmission(const crd_model *model, const crd_actuator *actuator, double factor, double *row) {
  if (actuator->joint < 0) {
    for (int i = 0; i < actuator->nterm; i++)
      row[model->joint[actuator->term_joint[i]].v] += actuator->gear[0] * actuator->term_coef[i] * factor;
  } else {
    const crd_joint *joint = &model->joint[actuator->joint];
    for (int i = 0; i < joint->nv; i++) row[joint->v + i] += actuator->gear[i] * factor;
  }
}

/* The sum of the actuators on each velocity, before the joints clamp it. */
static void sum_actuators(const crd_model *model, const crd_part *part, const double *qpos, const double *qvel,
                          const double *ctrl, double *sum) {
  crd_part_clear_v(part, sum);
  for (int i = 0; i < part->nactuator; i++) {
    int a = part->actuator[i];
    const crd_actuator *actuator = &model->actuator[a];
    double force = actuator_force(model, actuator, qpos, qvel, ctrl ? ctrl[a] : 0);
    add_transmission(model, actuator, clamp(force, actuator->force_limited, actuator->force_range), sum);
  }
}

void crd_tree_actuation(const crd_model *model, crd_workspace *work, const double *qpos, const double *qvel,
                        const double *ctrl, double *tau) {
  double *sum = work->actuation;
  const bool carried = model->compensated && model->carried;
  sum_actuators(model, work->part, qpos, qvel, ctrl, sum);
  if (carried) {
    crd_part_clear_v(work->part, work->carried);
    crd_tree_kinematics(model, work, qpos);
    crd_tree_gravity_compensation(model, work, work->carried);
  }
  CRD_EACH (work->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    /* what crd_tree_gravity_compensation adds as a whole, less what the range cuts off */
    const double lift = carried && joint->carries_gravity ? work->carried[joint->v] : 0;
    if (lift != 0)
      sum[joint->v] = clamp(sum[joint->v] + lift, true, joint->force_range) - lift;
    else if (joint->nv == 1)
      sum[joint->v] = clamp(sum[joint->v], joint->force_limited, joint->force_range);
  }
  CRD_EACH (work->part, v, v) tau[v] += sum[v];
}

/* ------------------------------------------------------------------------------------------------ slopes */

static bool has_slope(const crd_actuator *actuator) {
  return actuator->bias[1] != 0 || actuator->bias[2] != 0 || actuator->gain[1] != 0 || actuator->gain[2] != 0;
}

/* The velocity that the actuator acts on, -1 where it acts on several. */
static int only_velocity(const crd_model *model, const crd_actuator *actuator) {
  if (actuator->joint < 0) return actuator->nterm == 1 ? model->joint[actuator->term_joint[0]].v : -1;
  const crd_joint *joint = &model->joint[actuator->joint];
  int found = -1;
  for (int i = 0; i < joint->nv; i++) {
    if (actuator->gear[i] != 0 && found >= 0) return -1;
    if (actuator->gear[i] != 0 || joint->nv == 1) found = joint->v + i;
  }
  return found;
}

static double only_gear(const crd_actuator *actuator, const crd_model *model, int velocity) {
  if (actuator->joint < 0) return actuator->gear[0] * actuator->term_coef[0];
  return actuator->gear[velocity - model->joint[actuator->joint].v];
}

bool crd_slopes_exist(const crd_model *model) {
  for (int i = 0; i < model->nv; i++)
    if (model->dof_damping[i] > 0) return true;
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].stiffness > 0) return true;
  for (int a = 0; a < model->nactuator; a++)
    if (has_slope(&model->actuator[a])) return true;
  return false;
}

bool crd_slopes_reserve(crd_slopes *slopes, const crd_model *model, crd_arena *arena) {
  size_t nv = (size_t)model->nv, n = 0, d = sizeof(double);
  for (int a = 0; a < model->nactuator; a++)
    n += has_slope(&model->actuator[a]) && only_velocity(model, &model->actuator[a]) < 0;
  slopes->k = crd_arena_alloc(arena, nv, d), slopes->d = crd_arena_alloc(arena, nv, d);
  slopes->driven_k = crd_arena_alloc(arena, nv, d), slopes->driven_d = crd_arena_alloc(arena, nv, d);
  slopes->coupling = crd_arena_alloc(arena, (size_t)model->nactuator, sizeof *slopes->coupling);
  slopes->active = crd_arena_alloc(arena, n, sizeof *slopes->active);
  slopes->g = crd_arena_alloc(arena, n * nv, d);
  slopes->coupled_k = crd_arena_alloc(arena, n, d), slopes->coupled_d = crd_arena_alloc(arena, n, d);
  bool done = slopes->k && slopes->d && slopes->driven_k && slopes->driven_d && slopes->coupling && slopes->active &&
              slopes->g && slopes->coupled_k && slopes->coupled_d;
  for (int a = 0; done && a < model->nactuator; a++) {
    const crd_actuator *actuator = &model->actuator[a];
    if (!has_slope(actuator) || only_velocity(model, actuator) >= 0) continue;
    add_transmission(model, actuator, 1, slopes->g + nv * (size_t)slopes->room);
    slopes->coupling[a] = slopes->room++;
  }
  slopes->nv = model->nv;
  return done;
}

static void add_passive_slopes(const crd_model *model, const crd_part *part, crd_slopes *slopes) {
  CRD_EACH (part, v, i) slopes->d[i] += model->dof_damping[i];
  CRD_EACH (part, link, j)
    for (int i = 0; i < model->joint[j].nv; i++) slopes->k[model->joint[j].v + i] += model->joint[j].stiffness;
}

/* At the same bound with both values. */
static bool stays_clamped(double x, double x1, bool limited, const double range[2]) {
  return limited && ((x <= range[0] && x1 <= range[0]) || (x >= range[1] && x1 >= range[1]));
}

void crd_slopes_at(crd_slopes *slopes, const crd_model *model, crd_workspace *work, const double *ctrl, const double *q,
                   const double *v, const double *q1, const double *v1) {
  const crd_part *part = work->part;
  double *now = work->actuation, *then = work->tau;
  crd_part_clear_v(part, slopes->driven_k), crd_part_clear_v(part, slopes->driven_d);
  sum_actuators(model, part, q, v, ctrl, now);
  sum_actuators(model, part, q1, v1, ctrl, then);
  slopes->ncoupling = 0;
  for (int at = 0; at < part->nactuator; at++) {
    int a = part->actuator[at];
    const crd_actuator *actuator = &model->actuator[a];
    if (!has_slope(actuator)) continue;
    double c = clamp(ctrl ? ctrl[a] : 0, actuator->ctrl_limited, actuator->ctrl_range);
    double k = fmax(0, -(actuator->gain[1] * c + actuator->bias[1]));
    double d = fmax(0, -(actuator->gain[2] * c + actuator->bias[2]));
    int i = only_velocity(model, actuator);
    const crd_joint *joint = i >= 0 ? &model->joint[model->dof_link[i]] : NULL;
    if (stays_clamped(actuator_force(model, actuator, q, v, c), actuator_force(model, actuator, q1, v1, c),
                      actuator->force_limited, actuator->force_range) ||
        (joint && joint->nv == 1 && stays_clamped(now[i], then[i], joint->force_limited, joint->force_range)))
      k = d = 0;
    if (i < 0) {
      slopes->coupled_k[slopes->ncoupling] = k, slopes->coupled_d[slopes->ncoupling] = d;
      slopes->active[slopes->ncoupling++] = slopes->coupling[a];
    } else {
      double gear = only_gear(actuator, model, i);
      slopes->driven_k[i] += gear * gear * k, slopes->driven_d[i] += gear * gear * d;
    }
  }
  crd_part_copy_v(part, slopes->k, slopes->driven_k), crd_part_copy_v(part, slopes->d, slopes->driven_d);
  add_passive_slopes(model, part, slopes);
}

const double *crd_slopes_coupling(const crd_slopes *slopes, int t) {
  return slopes->g + (size_t)slopes->nv * (size_t)slopes->active[t];
}

void crd_slopes_apply(const crd_slopes *slopes, const crd_part *part, bool driven, double factor, const double *dq,
                      const double *dv, double *f) {
  const double *k = driven ? slopes->driven_k : slopes->k, *d = driven ? slopes->driven_d : slopes->d;
  CRD_EACH (part, v, i) f[i] += factor * (k[i] * dq[i] + d[i] * dv[i]);
  for (int t = 0; t < slopes->ncoupling; t++) {
    const double *g = crd_slopes_coupling(slopes, t);
    double pull = 0;
    CRD_EACH (part, v, i) pull += g[i] * (slopes->coupled_k[t] * dq[i] + slopes->coupled_d[t] * dv[i]);
    CRD_EACH (part, v, i) f[i] += factor * pull * g[i];
  }
}
