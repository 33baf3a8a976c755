/* Sensors of a simulation: places and velocities of the present state, and of the last step what needs forces.
 *
 * A rigid contact may act at an instant, so that only its impulse over a time is finite. Accelerations and forces are therefore
 * means over the last step, of length h,
 *
 *   qacc = (v1 - v0) / h,   f = p / h,
 *
 * impacts included: what an accelerometer shows, times h, adds up to the change of velocity. Where forces are constant
 * over a step (all that rests) these are the forces. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "model/ray.h"
#include "sim/sim_state.h"

void crd_sim_sense_start(crd_sim *sim) {
  memcpy(sim->sensed.before, sim->whole.now.v, (size_t)sim->model->nv * sizeof *sim->whole.now.v);
}

void crd_sim_sense_end(crd_sim *sim, double h) {
  crd_sim_inputs_end(sim);
  for (int i = 0; i < sim->model->nv; i++) sim->sensed.qacc[i] = (sim->whole.now.v[i] - sim->sensed.before[i]) / h;
  sim->sensed.length = h, sim->sensed.due = true;
}

/* (moment about the body's origin, force) on it by a wrench at the point. */
static void add_wrench(crd_sim *sim, int body, const double point[3], const double moment[3], const double force[3],
                       double sign) {
  double pos[3], R[9], arm[3], turn[3], *on = sim->sensed.fext + 6 * body;
  crd_tree_body_pose(sim->model, sim->whole.stage->work, body, pos, R);
  crd_vec3_sub(arm, point, pos);
  crd_vec3_cross(turn, arm, force);
  for (int i = 0; i < 3; i++) on[i] += sign * (moment[i] + turn[i]), on[3 + i] += sign * force[i];
}

/* Mean wrenches of the contacts between bodies; a limit acts along its joint. */
static void add_contacts(crd_sim *sim) {
  const double h = sim->sensed.length;
  for (int c = 0; c < sim->whole.listed.ncontact; c++) {
    const crd_sim_contact *touch = &sim->whole.listed.contact[c];
    const crd_contact *at = &touch->contact;
    double force[3], moment[3];
    if (at->joint >= 0) continue;
    crd_vec3_scale(force, touch->impulse_n / h, at->normal);
    crd_vec3_scale(moment, touch->impulse_spin / h, at->normal);
    for (int t = 0; t < 2; t++) {
      crd_vec3_axpy(force, touch->impulse_t[t] / h, at->tangent[t]);
      crd_vec3_axpy(moment, touch->impulse_roll[t] / h, at->roll[t]);
    }
    add_wrench(sim, at->body1, at->point, moment, force, 1);
    add_wrench(sim, at->body2, at->point, moment, force, -1);
  }
}

/* Forces applied to bodies by the caller. */
static void add_pushes(crd_sim *sim) {
  for (int i = 0; i < sim->inputs.nlast; i++) {
    const crd_sim_push *push = &sim->inputs.last[i];
    double centre[3];
    crd_sim_body_centre(&sim->whole, push->body, centre);
    add_wrench(sim, push->body, centre, push->moment, push->force, 1);
  }
}

/* Mean normal force of the contacts of a site's body that the site feels: the ray from the point out of the body meets the
 * site's shape, as in MuJoCo, always from a point inside. */
static double touch_of(const crd_sim *sim, const crd_workspace *work, int id) {
  const crd_site *site = &sim->model->site[id];
  double pos[3], R[9], sum = 0;
  crd_tree_site_pose(sim->model, work, id, pos, R);
  for (int c = 0; c < sim->whole.listed.ncontact; c++) {
    const crd_sim_contact *touch = &sim->whole.listed.contact[c];
    const crd_contact *at = &touch->contact;
    if (at->joint >= 0 || (at->body1 != site->body && at->body2 != site->body) || !(touch->impulse_n > 0)) continue;
    double away[3], out[3], origin[3], direction[3];
    crd_vec3_sub(away, at->point, pos);
    crd_vec3_scale(out, at->body1 == site->body ? -1 : 1, at->normal);
    crd_mat3_tmul_vec(origin, R, away);
    crd_mat3_tmul_vec(direction, R, out);
    if (isfinite(crd_ray_shape(site->type, site->size, NULL, origin, direction)))
      sum += touch->impulse_n / sim->sensed.length;
  }
  return sum;
}

static void add_touches(const crd_sim *sim, const crd_model *model, double *data) {
  for (int i = 0; i < model->nsensor; i++) {
    const crd_sensor *sensor = &model->sensor[i];
    if (sensor->type != CRD_SENSOR_TOUCH) continue;
    const double force = touch_of(sim, sim->whole.stage->work, sensor->object_id);
    data[sensor->first] = sensor->cutoff > 0 ? fmin(force, sensor->cutoff) : force;
  }
}

/* Readings of the sensors of `model`: the model of the simulation, possibly with other sensors. */
static void sense(crd_sim *sim, const crd_model *model, double *data) {
  crd_workspace *work = sim->whole.stage->work;
  crd_sim_list_contacts(&sim->whole);
  crd_sim_gather_listed(sim);
  crd_sim_drive(&sim->whole, sim->whole.now.t, sim->whole.now.q, sim->whole.now.v, sim->whole.now.act);
  crd_tree_kinematics(model, work, sim->whole.now.q);
  crd_tree_velocity(model, work, sim->whole.now.v);
  memset(sim->sensed.fext, 0, 6 * (size_t)model->nbody * sizeof *sim->sensed.fext);
  const bool known = sim->sensed.length > 0;
  if (known) add_contacts(sim), add_pushes(sim);
  const crd_sensor_state state = {.time = sim->whole.now.t,
                                  .qpos = sim->whole.now.q,
                                  .qvel = sim->whole.now.v,
                                  .act = sim->whole.now.act,
                                  .ctrl = sim->whole.stage->ctrl,
                                  .qacc = known ? sim->sensed.qacc : NULL,
                                  .fext = known ? sim->sensed.fext : NULL};
  crd_tree_sensors(model, work, &state, data);
  if (known) add_touches(sim, model, data);
}

/* Readings of an inertial measurement unit at a site. */
static const double *sense_inertia(crd_sim *sim, int site) {
  crd_sensor unit[] = {{.type = CRD_SENSOR_ACCELEROMETER}, {.type = CRD_SENSOR_GYRO, .first = 3}};
  for (int k = 0; k < 2; k++) unit[k].object = CRD_OBJECT_SITE, unit[k].object_id = site, unit[k].dim = 3;
  crd_model model = *sim->model;
  model.sensor = unit, model.nsensor = 2;
  sense(sim, &model, sim->sensed.unit);
  return sim->sensed.unit;
}

const double *crd_sim_qacc(const crd_sim *sim) {
  crd_sim *self = sim->self;
  for (int i = 0; i < sim->model->nv && !(sim->sensed.length > 0); i++) self->sensed.qacc[i] = NAN;
  return sim->sensed.qacc;
}

const double *crd_sim_sensors(const crd_sim *sim) {
  crd_sim *self = sim->self;
  if (self->sensed.due && self->model->nsensor > 0) sense(self, self->model, self->sensed.data);
  self->sensed.due = false;
  return self->sensed.data;
}

const double *crd_sim_sensor(const crd_sim *sim, const char *name, int *dim) {
  const int id = crd_model_find_sensor(sim->model, name);
  const int site = id < 0 ? crd_model_find_site(sim->model, name) : -1;
  if (dim) *dim = id >= 0 ? sim->model->sensor[id].dim : site >= 0 ? CRD_SIM_INERTIAL : 0;
  if (site >= 0) return sense_inertia(sim->self, site);
  return id < 0 ? NULL : crd_sim_sensors(sim) + sim->model->sensor[id].first;
}
