/* Free motion over a step: gravity, springs, dampers, actuators, control; no contact.
 *
 *   rk4        classical Runge-Kutta of order four; attitudes in the chart of the exponential map about the start of
 * the step [Munthe-Kaas 1998]: q = q0 exp(phi), phi' = w + phi x w / 2 + phi x (phi x w) / 12 (Bortz), w in body axes.
 * What the series leaves out is of fourth order in phi. euler      v1 = v0 + h a(q0, v0),  q1 = q0 + h v1 midpoint   v1
 * = v0 + h a(qm, vm),  vm = (v0 + v1) / 2,  qm = q0 + h/2 vm,  q1 = q0 + h vm, by fixed-point iteration to rounding:
 * time-reversible, no drift of the energy in long runs
 *
 * The work of actuators and dampers is integrated with the same weights as the motion.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/activation.h"
#include "sim/prescribed.h"
#include "sim/stiff_motion.h"

void crd_sim_drive(crd_group *group, double t, const double *q, const double *v, const double *act) {
  const crd_model *model = group->model;
  crd_part_clear_v(group->part, group->stage->tau);
  if (model->nactuator > 0)
    memcpy(group->stage->ctrl, group->inputs->ctrl, (size_t)model->nactuator * sizeof *group->stage->ctrl);
  if (group->options->control)
    group->options->control(group->options->control_context, t, q, v, group->stage->ctrl, group->stage->tau);
  crd_tree_actuation(model, group->stage->work, q, v, act, group->stage->ctrl, group->stage->tau);
  crd_sim_inputs_push(group, q);
  if (model->nimmersed == 0) return;
  crd_part_clear_v(group->part, group->stage->drag);
  crd_tree_kinematics(model, group->stage->work, q);
  crd_tree_velocity(model, group->stage->work, v);
  crd_tree_medium(model, group->stage->work, group->stage->drag);
  CRD_EACH (group->part, v, k) group->stage->tau[k] += group->stage->drag[k];
}

/* Adds springs, dampers and gravity compensation to group->stage->tau, and accelerates by it; load NULL: none. */
static crd_status accelerate(crd_group *group, crd_workspace *work, double t, const double *q, const double *v,
                             const double *load, double *qacc) {
  const crd_model *model = group->model;
  if (!group->scene->has_forces) return crd_tree_aba(model, work, q, v, load, NULL, qacc);
  if (load) {
    CRD_EACH (group->part, v, k) group->stage->tau[k] += load[k];
  }
  crd_tree_part_passive(model, group->part, q, v, group->stage->tau);
  crd_tree_tendon_forces(model, work, q, v, group->stage->tau);
  if (model->compensated) {
    crd_tree_kinematics(model, work, q);
    crd_tree_gravity_compensation(model, work, group->stage->tau);
  }
  if (group->scene->nprescribed > 0) {
    crd_part_copy_v(group->part, group->stage->applied, group->stage->tau);
    crd_status status = crd_sim_prescribe_force(group, t, group->stage->tau);
    if (status != CRD_OK) return status;
  }
  return crd_tree_aba(model, work, q, v, group->stage->tau, NULL, qacc);
}

crd_status crd_sim_move_by(crd_group *group, double t, const double *q, const double *v, const double *load,
                           double *qacc) {
  return accelerate(group, group->stage->work, t, q, v, load, qacc);
}

/* Powers of actuators and control, whose forces are in group->stage->tau together with those of the medium, and of dampers
 * and the medium. */
static void measure_powers(const crd_group *group, const double *q, const double *v, double *actuation,
                           double *damping) {
  *actuation = *damping = 0;
  if (!group->scene->has_forces) return;
  CRD_EACH (group->part, v, i) {
    *actuation += (group->stage->tau[i] - group->stage->drag[i]) * v[i];
    *damping += (group->stage->drag[i] - group->model->dof_damping[i] * v[i]) * v[i];
  }
  *damping -= crd_tree_tendon_damping(group->model, group->stage->work, q, v, v);
}

crd_status crd_sim_acceleration(crd_group *group, double t, const double *q, const double *v, const double *act,
                                double *qacc, double *actuation, double *damping) {
  if (group->scene->has_forces) crd_sim_drive(group, t, q, v, act);
  measure_powers(group, q, v, actuation, damping);
  return accelerate(group, group->stage->work, t, q, v, NULL, qacc);
}

/* ------------------------------------------------------------------------------------------------ the start */

/* Of the steepness (stiff_motion.h): explicit stages serve up to the first. The implicit ones damp what oscillates, so
 * that springs without much damping are followed, in pieces of the step with FOLLOWED at most, up to the last. */
static const double EXPLICIT = 1, FOLLOWED = 0.5, STEEP = 4;

static void choose_method(crd_group *group) {
  crd_sim_begin *begin = group->begin;
  begin->implicit = begin->knows_loaded = false, begin->longest = INFINITY;
  if (!group->stiff || group->options->integrator != CRD_SIM_RK4) return;
  bool oscillates;
  crd_sim_begin_acceleration(group, group->now.load, begin->loaded);
  begin->knows_loaded = true;
  double steepness = crd_stiff_steepness(group, begin->loaded, &oscillates);
  /* the implicit stages do not tell what drives have to give: with these, steep forces are followed in pieces */
  const bool driven = crd_sim_prescribes(group);
  begin->implicit = !driven && steepness > (oscillates ? STEEP : EXPLICIT);
  if (!begin->implicit && (driven || oscillates)) begin->longest = FOLLOWED * group->options->timestep / steepness;
}

static void relative_velocity(const crd_group *group, const crd_contact_point *at, double u[3]) {
  const crd_geom *geom = group->model->geom;
  double v1[6], v2[6];
  crd_tree_point_velocity(group->model, group->begin->work, geom[at->geomA].body, at->point, v1);
  crd_tree_point_velocity(group->model, group->begin->work, geom[at->geomB].body, at->point, v2);
  crd_vec3_sub(u, v1 + 3, v2 + 3);
}

/* Which rows of the loops are independent is decided once for a step, at its start. */
static crd_status choose_loop_rows(crd_group *group) {
  crd_sim_begin *begin = group->begin;
  crd_status status =
      crd_contact_factor_loops(begin->assembler, begin->work, group->now.q, group->now.v, NULL, begin->loops);
  if (status == CRD_OK) crd_contact_loop_rows(begin->assembler, 0, begin->loops->nb, begin->loop_row);
  begin->knows_loop_rows = status == CRD_OK;
  return status;
}

crd_status crd_sim_hold_loops(crd_group *group, const double *q, const double *v, double *qacc) {
  crd_sim_stage *stage = group->stage;
  crd_status status =
      crd_contact_factor_loops(stage->assembler, stage->work, q, v, group->begin->loop_row, stage->loops);
  if (status == CRD_OK) crd_contact_force_loops(stage->assembler, stage->work, v, stage->loops, qacc, NULL);
  return status;
}

crd_status crd_sim_begin_piece(crd_group *group) {
  crd_sim_begin *begin = group->begin;
  const crd_sim_moment *now = &group->now;
  if (group->scene->has_forces) {
    crd_sim_drive(group, now->t, now->q, now->v, now->act);
    crd_activation_start(group);
    crd_part_copy_v(group->part, begin->driven, group->stage->tau);
    crd_part_copy_v(group->part, begin->drag, group->stage->drag);
  }
  measure_powers(group, now->q, now->v, &begin->actuation, &begin->damping);
  crd_status status = accelerate(group, begin->work, now->t, now->q, now->v, NULL, begin->qacc);
  if (group->scene->nprescribed > 0) crd_part_copy_v(group->part, begin->applied, group->stage->applied);
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(group, begin->work, status);
  if (status == CRD_OK && group->part->nloop > 0) status = choose_loop_rows(group);
  if (status != CRD_OK) return crd_sim_fail(group, status, "loops: %s", crd_status_text(status));
  begin->kinetic = crd_tree_kinetic_energy(group->model, begin->work, now->v);
  begin->potential = crd_tree_potential_energy(group->model, begin->work, now->q);
  for (int i = 0; i < now->touches.count; i++) {
    const crd_sim_touch *touch = &now->touches.item[i];
    if (!isnan(touch->velocity[0]) || touch->at.geomA == CRD_SIM_LIMIT)
      crd_vec3_copy(begin->velocity[i], touch->velocity);
    else
      relative_velocity(group, &touch->at, begin->velocity[i]);
  }
  choose_method(group);
  return CRD_OK;
}

void crd_sim_begin_acceleration(crd_group *group, const double *load, double *qacc) {
  crd_sim_begin *begin = group->begin;
  if (begin->knows_loaded && load == group->forecast->load && !group->forecast->fresh) {
    crd_part_copy_v(group->part, qacc, begin->loaded);
    return;
  }
  if (load) crd_tree_solve(group->model, begin->work, load, qacc);
  CRD_EACH (group->part, v, k) qacc[k] = begin->qacc[k] + (load ? qacc[k] : 0);
  if (group->part->nloop > 0)
    crd_contact_force_loops(begin->assembler, begin->work, group->now.v, begin->loops, qacc, NULL);
}

/* ------------------------------------------------------------------------------------------------ stages */

/* rate: of the chart's coordinates while the body turns with w, at the coordinates `chart`. */
static void attitude_rate(const double *phi, const double *w, double *rate) {
  double first[3], second[3];
  crd_vec3_cross(first, phi, w);
  crd_vec3_cross(second, phi, first);
  for (int i = 0; i < 3; i++) rate[i] = w[i] + first[i] / 2 + second[i] / 12;
}

void crd_sim_chart_rate(const crd_group *group, const double *chart, const double *v, double *rate) {
  crd_part_copy_v(group->part, rate, v);
  CRD_EACH (group->part, link, j) {
    const crd_joint *joint = &group->model->joint[j];
    int at = joint->v + (joint->type == CRD_FREE ? 3 : 0);
    if (joint->nv > 1) attitude_rate(chart + at, v + at, rate + at);
  }
}

static const double *load_of(const crd_group *group) { return group->forecast->acts ? group->forecast->load : NULL; }

/* Acceleration of stage i at t, stage->q and stage->v and the stage's activations into group->stage->acc[i], the activations' drive into
 * group->stage->drive[i]; the work of the powers there over `weight` seconds. */
static crd_status stage(crd_group *group, int i, double t, double weight) {
  crd_sim_work *work = &group->trial->work;
  double *q = group->stage->q, *v = group->stage->v, actuation, damping;
  crd_status status = crd_sim_prescribe(group, t, q, v);
  if (status != CRD_OK) return status;
  if (group->scene->has_forces) crd_sim_drive(group, t, q, v, group->stage->act);
  crd_activation_drive(group, group->stage->act, i);
  measure_powers(group, q, v, &actuation, &damping);
  status = accelerate(group, group->stage->work, t, q, v, load_of(group), group->stage->acc[i]);
  if (status == CRD_OK && group->part->nloop > 0) status = crd_sim_hold_loops(group, q, v, group->stage->acc[i]);
  if (status == CRD_OK && crd_sim_prescribes(group))
    actuation += crd_sim_prescribed_power(group, group->stage->work, v, group->stage->acc[i], group->stage->applied,
                                          NULL); /* the load is among the applied forces */
  work->actuation += weight * actuation;
  work->damping += weight * damping;
  return status;
}

/* The same at (now). */
static void first_stage(crd_group *group, double weight) {
  crd_sim_begin_acceleration(group, load_of(group), group->stage->acc[0]);
  double actuation = group->begin->actuation;
  if (crd_sim_prescribes(group))
    actuation += crd_sim_prescribed_power(group, group->begin->work, group->now.v, group->stage->acc[0],
                                          group->begin->applied, load_of(group));
  group->trial->work.actuation += weight * actuation;
  group->trial->work.damping += weight * group->begin->damping;
}

/* The two accelerations in the middle of the step differ by O(h^2), so that h |a3 - a2| over the speed is the measure
 * of a step that is too long for the motion (the tip of a chain that cracks like a whip): the error is some power 5/3
 * of it. */
static bool is_coarse(const crd_group *group, double h) {
  static const double COARSE = 1e-2;
  double difference = 0, speed = 0;
  CRD_EACH (group->part, v, k) {
    difference = fmax(difference, fabs(group->stage->acc[2][k] - group->stage->acc[1][k]));
    speed = fmax(speed, fabs(group->now.v[k]) + h * fabs(group->stage->acc[0][k]));
  }
  return h * difference > COARSE * speed;
}

/* Activations at stage i of Runge-Kutta, after those before it. The last starts from the second. */
static void activate(crd_group *group, int i, double h) {
  const double *start = group->begin->drive, *act = i == 3 ? group->stage->act2 : group->now.act;
  double *const *drive = group->stage->drive;
  crd_activation_advance(group, act, 0.5 * h, i == 2 ? drive[1] : start, i == 3 ? drive[2] : NULL, group->stage->act);
  if (i == 1) crd_activation_copy(group, group->stage->act2, group->stage->act);
}

/* And at the end: the parabola through start, mean of the middle stages and end. */
static void activate_end(crd_group *group, double h) {
  static const double node[2] = {0.5, 1};
  double *const *drive = group->stage->drive;
  for (int k = 0; k < group->model->nact; k++) drive[1][k] = 0.5 * (drive[1][k] + drive[2][k]);
  crd_activation_finish(group, h, node, (const double *const[]){group->begin->drive, drive[1], drive[3]});
}

static crd_status runge_kutta(crd_group *group, double h) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const crd_sim_moment *now = &group->now;
  crd_status status = CRD_OK;
  if (group->begin->implicit) return crd_stiff_motion(group, h);
  crd_part_copy_v(group->part, group->stage->rate[0], now->v);
  first_stage(group, weight[0] * h);
  for (int i = 1; i < 4 && status == CRD_OK; i++) {
    double step = node[i] * h;
    CRD_EACH (group->part, v, k) {
      group->stage->displacement[k] = step * group->stage->rate[i - 1][k];
      group->stage->v[k] = now->v[k] + step * group->stage->acc[i - 1][k];
    }
    crd_tree_part_integrate(group->model, group->part, now->q, group->stage->displacement, 1, group->stage->q);
    crd_sim_chart_rate(group, group->stage->displacement, group->stage->v, group->stage->rate[i]);
    activate(group, i, h);
    status = stage(group, i, now->t + step, weight[i] * h);
  }
  if (status != CRD_OK) return status;
  activate_end(group, h);
  group->seen.coarse = is_coarse(group, h);
  CRD_EACH (group->part, v, k) {
    double dq = 0, dv = 0;
    for (int i = 0; i < 4; i++) dq += weight[i] * group->stage->rate[i][k], dv += weight[i] * group->stage->acc[i][k];
    group->stage->displacement[k] = h * dq;
    group->trial->v[k] = now->v[k] + h * dv;
  }
  crd_tree_part_integrate(group->model, group->part, now->q, group->stage->displacement, 1, group->trial->q);
  return CRD_OK;
}

static crd_status semi_implicit_euler(crd_group *group, double h) {
  const crd_sim_moment *now = &group->now;
  first_stage(group, h);
  crd_activation_advance(group, now->act, h, group->begin->drive, NULL, group->trial->act);
  CRD_EACH (group->part, v, k) group->trial->v[k] = now->v[k] + h * group->stage->acc[0][k];
  crd_tree_part_integrate(group->model, group->part, now->q, group->trial->v, h, group->trial->q);
  return CRD_OK;
}

static crd_status implicit_midpoint(crd_group *group, double h) {
  enum { MOST = 60 };
  static const double ROUNDING = 1e-15,
                      STALLED = 1e-13; /* of the velocities: no change; a change that may no longer shrink */
  const crd_sim_moment *now = &group->now;
  double *acc = group->stage->acc[0], last = INFINITY;
  crd_sim_work before = group->trial->work;
  double *drive = group->stage->drive[0];
  crd_activation_copy(group, drive, group->begin->drive);
  crd_part_clear_v(group->part, acc);
  crd_part_copy_v(group->part, group->trial->v, now->v);
  for (int i = 0; i < MOST; i++) {
    double change = 0, size = 0;
    CRD_EACH (group->part, v, k) group->stage->v[k] = 0.5 * (now->v[k] + group->trial->v[k]);
    crd_tree_part_integrate(group->model, group->part, now->q, group->stage->v, 0.5 * h, group->stage->q);
    group->trial->work = before;
    crd_activation_advance(group, now->act, 0.5 * h, drive, NULL, group->stage->act);
    crd_status status = stage(group, 0, now->t + 0.5 * h, h);
    if (status != CRD_OK) return status;
    CRD_EACH (group->part, v, k) {
      double v = now->v[k] + h * acc[k];
      change = fmax(change, fabs(v - group->trial->v[k]));
      size = fmax(size, fabs(v) + fabs(h * acc[k]));
      group->trial->v[k] = v;
    }
    /* done at rounding: nothing changes, or what changes no longer shrinks */
    if (change <= ROUNDING * size || (change <= STALLED * size && change >= last)) {
      CRD_EACH (group->part, v, k) group->stage->v[k] = 0.5 * (now->v[k] + group->trial->v[k]);
      crd_tree_part_integrate(group->model, group->part, now->q, group->stage->v, h, group->trial->q);
      crd_activation_advance(group, now->act, h, drive, NULL, group->trial->act);
      return CRD_OK;
    }
    last = change;
  }
  return crd_sim_fail(group, CRD_LIMIT, "implicit midpoint does not converge: the time step of %g s is too long", h);
}

static bool is_finite(const crd_part *part, const double *q, const double *v) {
  CRD_EACH (part, q, i)
    if (!isfinite(q[i])) return false;
  CRD_EACH (part, v, i)
    if (!isfinite(v[i])) return false;
  return true;
}

crd_status crd_sim_free_motion(crd_group *group, double dt) {
  group->trial->t = group->now.t + dt;
  group->trial->work = group->now.work;
  crd_status status;
  switch (group->options->integrator) {
    case CRD_SIM_EULER: status = semi_implicit_euler(group, dt); break;
    case CRD_SIM_MIDPOINT: status = implicit_midpoint(group, dt); break;
    default: status = runge_kutta(group, dt); break;
  }
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(group, group->stage->work, status);
  if (status == CRD_OK) status = crd_sim_prescribe(group, group->trial->t, group->trial->q, group->trial->v);
  if (status != CRD_OK) return status;
  if (!is_finite(group->part, group->trial->q, group->trial->v))
    return crd_sim_fail(group, CRD_LIMIT, "the motion leaves the range of numbers: the time step of %g s is too long",
                        dt);
  return CRD_OK;
}
