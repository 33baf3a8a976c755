/* Readings of sensors: positions, velocities, accelerations and forces in frames that move with bodies.
 *
 * Accelerations are those that an accelerometer shows, less gravity: a - g. The force of a sensor on body b is what its
 * parent passes on to it, by Newton and Euler over all bodies that hang on b:
 *
 *   f = sum m (a - g) - sum fext,   n = sum (I alpha + w x I w + r x m (a - g)) - sum (n_ext + r_ext x fext)
 *
 * about the site, a at the centres of mass. Forces that act along joints (springs, dampers, actuators) are within it. */
#include <cradle/linalg.h>
#include <cradle/tree.h>
#include <math.h>
#include <string.h>

#include "model/ray.h"
#include "model/workspace.h"
#include "tree/tendon.h"

typedef struct frame {
  int body;
  double pos[3], R[9];
} frame;

static frame frame_of(const crd_model *model, const crd_workspace *work, crd_sensor_object object, int id) {
  frame at = {0};
  if (object == CRD_OBJECT_SITE) {
    at.body = model->site[id].body;
    crd_tree_site_pose(model, work, id, at.pos, at.R);
  } else if (object == CRD_OBJECT_GEOM) {
    at.body = model->geom[id].body;
    crd_tree_geom_pose(model, work, id, at.pos, at.R);
  } else {
    at.body = id;
    crd_tree_body_pose(model, work, id, at.pos, at.R);
    if (object == CRD_OBJECT_BODY) { /* its inertial frame */
      double own[9], R[9], offset[3];
      crd_quat_to_mat3(own, model->body[id].iquat);
      crd_mat3_mul_vec(offset, at.R, model->body[id].ipos);
      crd_vec3_add(at.pos, at.pos, offset);
      crd_mat3_mul(R, at.R, own);
      memcpy(at.R, R, sizeof R);
    }
  }
  return at;
}

static void velocity_of(const crd_model *model, const crd_workspace *work, const frame *at, double velocity[6]) {
  crd_tree_point_velocity(model, work, at->body, at->pos, velocity);
}

/* (angular, linear less gravity); NaN without qacc. */
static void acceleration_of(const crd_model *model, const crd_workspace *work, int body, const double pos[3],
                            const double *qacc, double acc[6]) {
  const crd_node node = {body, {pos[0], pos[1], pos[2]}};
  crd_tree_point_acceleration(model, work, &node, qacc, acc);
  for (int i = 0; i < 3; i++) acc[3 + i] -= model->gravity[i];
  for (int i = 0; i < 6 && !qacc; i++) acc[i] = NAN;
}

/* ------------------------------------------------------------------------------------------------ subtrees */

/* Bodies are in depth-first order: those that hang on b are b .. last. */
static int last_of(const crd_model *model, int b) {
  int last = b;
  while (last + 1 < model->nbody && model->body[last + 1].parent >= b) last++;
  return last;
}

static void centre_of(const crd_model *model, const crd_workspace *work, int b, double com[3]) {
  const frame at = frame_of(model, work, CRD_OBJECT_BODY, b);
  crd_vec3_copy(com, at.pos);
}

/* I x of a body in world axes. */
static void inertia_times(const crd_model *model, const frame *inertial, const double x[3], double out[3]) {
  double own[3];
  crd_mat3_tmul_vec(own, inertial->R, x);
  for (int i = 0; i < 3; i++) own[i] *= model->body[inertial->body].inertia[i];
  crd_mat3_mul_vec(out, inertial->R, own);
}

typedef struct subtree {
  double mass, com[3], velocity[3], momentum[3]; /* angular momentum about the centre of mass */
} subtree;

static subtree subtree_of(const crd_model *model, const crd_workspace *work, int b) {
  subtree s = {0};
  const int last = last_of(model, b);
  double v[6], d[3], u[3], spin[3];
  for (int i = b; i <= last; i++) {
    const frame at = frame_of(model, work, CRD_OBJECT_BODY, i);
    velocity_of(model, work, &at, v);
    s.mass += model->body[i].mass;
    crd_vec3_axpy(s.com, model->body[i].mass, at.pos);
    crd_vec3_axpy(s.velocity, model->body[i].mass, v + 3);
  }
  if (s.mass > 0) {
    crd_vec3_scale(s.com, 1 / s.mass, s.com);
    crd_vec3_scale(s.velocity, 1 / s.mass, s.velocity);
  } else {
    centre_of(model, work, b, s.com);
  }
  for (int i = b; i <= last; i++) {
    const frame at = frame_of(model, work, CRD_OBJECT_BODY, i);
    velocity_of(model, work, &at, v);
    inertia_times(model, &at, v, spin);
    crd_vec3_add(s.momentum, s.momentum, spin);
    crd_vec3_sub(d, at.pos, s.com);
    crd_vec3_sub(u, v + 3, s.velocity);
    crd_vec3_cross(spin, d, u);
    crd_vec3_axpy(s.momentum, model->body[i].mass, spin);
  }
  return s;
}

/* (moment about `point`, force) that body b takes from its parent, world axes. */
static void passed_on(const crd_model *model, const crd_workspace *work, int b, const double point[3],
                      const crd_sensor_state *at, double wrench[6]) {
  memset(wrench, 0, 6 * sizeof *wrench);
  const int last = last_of(model, b);
  for (int i = b; i <= last; i++) {
    const frame body = frame_of(model, work, CRD_OBJECT_BODY, i);
    double acc[6], v[6], force[3], arm[3], moment[3], spin[3];
    acceleration_of(model, work, i, body.pos, at->qacc, acc);
    velocity_of(model, work, &body, v);
    crd_vec3_scale(force, model->body[i].mass, acc + 3);
    crd_vec3_add(wrench + 3, wrench + 3, force);
    crd_vec3_sub(arm, body.pos, point);
    crd_vec3_cross(moment, arm, force);
    crd_vec3_add(wrench, wrench, moment);
    inertia_times(model, &body, acc, moment);
    crd_vec3_add(wrench, wrench, moment);
    inertia_times(model, &body, v, spin);
    crd_vec3_cross(moment, v, spin);
    crd_vec3_add(wrench, wrench, moment);
    if (!at->fext) continue;
    const double *external = at->fext + 6 * i;
    const frame origin = frame_of(model, work, CRD_OBJECT_XBODY, i);
    crd_vec3_sub(arm, origin.pos, point);
    crd_vec3_cross(moment, arm, external + 3);
    for (int k = 0; k < 3; k++) wrench[k] -= external[k] + moment[k], wrench[3 + k] -= external[3 + k];
  }
}

/* ------------------------------------------------------------------------------------------------ sensors */

static void site_data(const crd_model *model, const crd_workspace *work, const crd_sensor *sensor,
                      const crd_sensor_state *state, double *data) {
  const frame at = frame_of(model, work, CRD_OBJECT_SITE, sensor->object_id);
  double world[6];
  const bool angular = sensor->type == CRD_SENSOR_GYRO || sensor->type == CRD_SENSOR_TORQUE;
  switch (sensor->type) {
    case CRD_SENSOR_MAGNETOMETER: crd_vec3_copy(world + 3, model->magnetic); break;
    case CRD_SENSOR_ACCELEROMETER: acceleration_of(model, work, at.body, at.pos, state->qacc, world); break;
    case CRD_SENSOR_FORCE:
    case CRD_SENSOR_TORQUE: passed_on(model, work, at.body, at.pos, state, world); break;
    default: velocity_of(model, work, &at, world);
  }
  crd_mat3_tmul_vec(data, at.R, angular ? world : world + 3);
}

/* Rates seen from a reference that moves: v - v_ref - w_ref x (p - p_ref), w - w_ref, in its axes. */
static void relative_velocity(const crd_model *model, const crd_workspace *work, const frame *at, const frame *from,
                              double v[6]) {
  double v0[6], d[3], turn[3];
  velocity_of(model, work, from, v0);
  crd_vec3_sub(d, at->pos, from->pos);
  crd_vec3_cross(turn, v0, d);
  for (int i = 0; i < 3; i++) v[i] -= v0[i], v[3 + i] -= v0[3 + i] + turn[i];
}

static void frame_data(const crd_model *model, const crd_workspace *work, const crd_sensor *sensor,
                       const crd_sensor_state *state, double *data) {
  const frame at = frame_of(model, work, sensor->object, sensor->object_id);
  frame from = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
  const bool relative = sensor->reference != CRD_OBJECT_NONE;
  if (relative) from = frame_of(model, work, sensor->reference, sensor->reference_id);
  double R[9], v[6], d[3];
  switch (sensor->type) {
    case CRD_SENSOR_FRAMEPOS:
      crd_vec3_sub(d, at.pos, from.pos);
      crd_mat3_tmul_vec(data, from.R, d);
      return;
    case CRD_SENSOR_FRAMELINACC:
    case CRD_SENSOR_FRAMEANGACC:
      acceleration_of(model, work, at.body, at.pos, state->qacc, v);
      crd_vec3_copy(data, sensor->type == CRD_SENSOR_FRAMELINACC ? v + 3 : v);
      return;
    case CRD_SENSOR_FRAMELINVEL:
    case CRD_SENSOR_FRAMEANGVEL:
      velocity_of(model, work, &at, v);
      if (relative) relative_velocity(model, work, &at, &from, v);
      crd_mat3_tmul_vec(data, from.R, sensor->type == CRD_SENSOR_FRAMELINVEL ? v + 3 : v);
      return;
    default: break;
  }
  crd_mat3_tmul(R, from.R, at.R);
  if (sensor->type == CRD_SENSOR_FRAMEQUAT) {
    crd_quat_from_mat3(data, R);
  } else {
    const int axis = (int)sensor->type - CRD_SENSOR_FRAMEXAXIS;
    for (int i = 0; i < 3; i++) data[i] = R[3 * i + axis];
  }
}

static void joint_data(const crd_model *model, const crd_sensor *sensor, const crd_sensor_state *state,
                       const double *driven, double *data) {
  const crd_joint *joint = &model->joint[sensor->object_id];
  switch (sensor->type) {
    case CRD_SENSOR_JOINTPOS: data[0] = state->qpos[joint->q]; break;
    case CRD_SENSOR_JOINTVEL: data[0] = state->qvel[joint->v]; break;
    case CRD_SENSOR_JOINTACTUATORFRC: data[0] = driven[joint->v]; break;
    case CRD_SENSOR_BALLANGVEL: crd_vec3_copy(data, state->qvel + joint->v); break;
    default: memcpy(data, state->qpos + joint->q, 4 * sizeof *data); crd_quat_normalize(data);
  }
}

/* The nearest geom of another body that the ray from the site along its z axis meets; -1: none. */
static double range_of(const crd_model *model, const crd_workspace *work, int site) {
  const frame at = frame_of(model, work, CRD_OBJECT_SITE, site);
  const double ahead[3] = {at.R[2], at.R[5], at.R[8]};
  double best = INFINITY;
  for (int g = 0; g < model->ngeom; g++) {
    const crd_geom *geom = &model->geom[g];
    double pos[3], R[9], away[3], origin[3], direction[3];
    if (geom->body == at.body) continue;
    crd_tree_geom_pose(model, work, g, pos, R);
    crd_vec3_sub(away, at.pos, pos);
    const double along = -crd_vec3_dot(away, ahead); /* the sphere about the geom tells most of them */
    if (crd_vec3_dot(away, away) - along * along > geom->radius * geom->radius || along + geom->radius < 0) continue;
    crd_mat3_tmul_vec(origin, R, away);
    crd_mat3_tmul_vec(direction, R, ahead);
    best = fmin(best, crd_ray_shape(geom->type, geom->size, geom->mesh >= 0 ? &model->mesh[geom->mesh] : NULL, origin,
                                    direction));
  }
  return isfinite(best) ? best : -1;
}

static void other_data(const crd_model *model, crd_workspace *work, const crd_sensor *sensor,
                       const crd_sensor_state *state, double *data) {
  const int id = sensor->object_id;
  switch (sensor->type) {
    case CRD_SENSOR_CLOCK: data[0] = state->time; break;
    case CRD_SENSOR_TOUCH: data[0] = state->fext ? 0 : NAN; break; /* the caller adds its contacts */
    case CRD_SENSOR_RANGEFINDER: data[0] = range_of(model, work, id); break;
    case CRD_SENSOR_TENDONPOS: data[0] = work->tendon_length[id]; break;
    case CRD_SENSOR_TENDONVEL: data[0] = crd_tendon_rate(&model->tendon[id], work, state->qvel); break;
    case CRD_SENSOR_E_POTENTIAL: data[0] = crd_tree_potential_energy(model, work, state->qpos); break;
    default: data[0] = crd_tree_kinetic_energy(model, work, state->qvel);
  }
}

static bool needs_tendons(const crd_model *model) {
  for (int i = 0; i < model->nsensor; i++)
    if (model->sensor[i].object == CRD_OBJECT_TENDON) return true;
  return false;
}

static bool needs_actuators(const crd_model *model) {
  for (int i = 0; i < model->nsensor; i++)
    if (model->sensor[i].object == CRD_OBJECT_ACTUATOR || model->sensor[i].type == CRD_SENSOR_JOINTACTUATORFRC)
      return true;
  return false;
}

static void sense(const crd_model *model, crd_workspace *work, const crd_sensor *sensor, const crd_sensor_state *state,
                  double *data) {
  const double *length = work->sensed, *rate = length + model->nactuator, *force = rate + model->nactuator,
               *driven = force + model->nactuator;
  subtree tree;
  if (sensor->object == CRD_OBJECT_SITE && sensor->type <= CRD_SENSOR_MAGNETOMETER) {
    site_data(model, work, sensor, state, data);
  } else if (sensor->object == CRD_OBJECT_JOINT) {
    joint_data(model, sensor, state, driven, data);
  } else if (sensor->object == CRD_OBJECT_ACTUATOR) {
    const double *of = sensor->type == CRD_SENSOR_ACTUATORPOS   ? length
                       : sensor->type == CRD_SENSOR_ACTUATORVEL ? rate
                                                                : force;
    data[0] = of[sensor->object_id];
  } else if (sensor->type >= CRD_SENSOR_CLOCK) {
    other_data(model, work, sensor, state, data);
  } else if (sensor->type >= CRD_SENSOR_SUBTREECOM) {
    tree = subtree_of(model, work, sensor->object_id);
    crd_vec3_copy(data, sensor->type == CRD_SENSOR_SUBTREECOM      ? tree.com
                        : sensor->type == CRD_SENSOR_SUBTREELINVEL ? tree.velocity
                                                                   : tree.momentum);
  } else {
    frame_data(model, work, sensor, state, data);
  }
}

void crd_tree_sensors(const crd_model *model, crd_workspace *work, const crd_sensor_state *state, double *data) {
  if (needs_actuators(model)) {
    double *length = work->sensed, *force = length + 2 * model->nactuator, *driven = force + model->nactuator;
    crd_tree_transmissions(model, work, state->qpos, state->qvel, length, length + model->nactuator);
    crd_tree_actuator_forces(model, work, state->qpos, state->qvel, state->act, state->ctrl, force);
    memset(driven, 0, (size_t)model->nv * sizeof *driven);
    crd_tree_actuation(model, work, state->qpos, state->qvel, state->act, state->ctrl, driven);
  }
  if (needs_tendons(model)) crd_tendons_at(model, work, state->qpos);
  for (int i = 0; i < model->nsensor; i++) {
    const crd_sensor *sensor = &model->sensor[i];
    double *own = data + sensor->first;
    sense(model, work, sensor, state, own);
    for (int k = 0; sensor->cutoff > 0 && sensor->dim < 4 && k < sensor->dim; k++)
      own[k] = fmin(fmax(own[k], -sensor->cutoff), sensor->cutoff);
  }
}
