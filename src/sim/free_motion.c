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
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

void crd_sim_drive(crd_sim *sim, double t, const double *q, const double *v, const double *act) {
  const crd_model *model = sim->model;
  crd_part_clear_v(&sim->part, sim->stage.tau);
  if (model->nactuator > 0)
    memcpy(sim->stage.ctrl, sim->inputs.ctrl, (size_t)model->nactuator * sizeof *sim->stage.ctrl);
  if (sim->options.control)
    sim->options.control(sim->options.control_context, t, q, v, sim->stage.ctrl, sim->stage.tau);
  crd_tree_actuation(model, sim->stage.work, q, v, act, sim->stage.ctrl, sim->stage.tau);
  crd_sim_inputs_push(sim, q);
  if (model->nimmersed == 0) return;
  crd_part_clear_v(&sim->part, sim->stage.drag);
  crd_tree_kinematics(model, sim->stage.work, q);
  crd_tree_velocity(model, sim->stage.work, v);
  crd_tree_medium(model, sim->stage.work, sim->stage.drag);
  CRD_EACH (&sim->part, v, k) sim->stage.tau[k] += sim->stage.drag[k];
}

/* Adds springs, dampers and gravity compensation to sim->stage.tau, and accelerates by it; load NULL: none. */
static crd_status accelerate(crd_sim *sim, crd_workspace *work, const double *q, const double *v, const double *load,
                             double *qacc) {
  const crd_model *model = sim->model;
  if (!sim->scene.has_forces) return crd_tree_aba(model, work, q, v, load, NULL, qacc);
  if (load) {
    CRD_EACH (&sim->part, v, k) sim->stage.tau[k] += load[k];
  }
  crd_tree_part_passive(model, &sim->part, q, v, sim->stage.tau);
  crd_tree_tendon_forces(model, work, q, v, sim->stage.tau);
  if (model->compensated) {
    crd_tree_kinematics(model, work, q);
    crd_tree_gravity_compensation(model, work, sim->stage.tau);
  }
  return crd_tree_aba(model, work, q, v, sim->stage.tau, NULL, qacc);
}

crd_status crd_sim_move_by(crd_sim *sim, const double *q, const double *v, const double *load, double *qacc) {
  return accelerate(sim, sim->stage.work, q, v, load, qacc);
}

/* Powers of actuators and control, whose forces are in sim->stage.tau together with those of the medium, and of dampers
 * and the medium. */
static void measure_powers(const crd_sim *sim, const double *q, const double *v, double *actuation, double *damping) {
  *actuation = *damping = 0;
  if (!sim->scene.has_forces) return;
  CRD_EACH (&sim->part, v, i) {
    *actuation += (sim->stage.tau[i] - sim->stage.drag[i]) * v[i];
    *damping += (sim->stage.drag[i] - sim->model->dof_damping[i] * v[i]) * v[i];
  }
  *damping -= crd_tree_tendon_damping(sim->model, sim->stage.work, q, v, v);
}

crd_status crd_sim_acceleration(crd_sim *sim, double t, const double *q, const double *v, const double *act,
                                double *qacc, double *actuation, double *damping) {
  if (sim->scene.has_forces) crd_sim_drive(sim, t, q, v, act);
  measure_powers(sim, q, v, actuation, damping);
  return accelerate(sim, sim->stage.work, q, v, NULL, qacc);
}

/* ------------------------------------------------------------------------------------------------ the start */

/* Of the steepness (stiff_motion.h): explicit stages serve up to the first. The implicit ones damp what oscillates, so
 * that springs without much damping are followed, in pieces of the step with FOLLOWED at most, up to the last. */
static const double EXPLICIT = 1, FOLLOWED = 0.5, STEEP = 4;

static void choose_method(crd_sim *sim) {
  crd_sim_begin *begin = &sim->begin;
  begin->implicit = begin->knows_loaded = false, begin->longest = INFINITY;
  if (!sim->stiff || sim->options.integrator != CRD_SIM_RK4) return;
  bool oscillates;
  crd_sim_begin_acceleration(sim, sim->now.load, begin->loaded);
  begin->knows_loaded = true;
  double steepness = crd_stiff_steepness(sim, begin->loaded, &oscillates);
  begin->implicit = steepness > (oscillates ? STEEP : EXPLICIT);
  if (!begin->implicit && oscillates) begin->longest = FOLLOWED * sim->options.timestep / steepness;
}

static void relative_velocity(const crd_sim *sim, const crd_contact_point *at, double u[3]) {
  const crd_geom *geom = sim->model->geom;
  double v1[6], v2[6];
  crd_tree_point_velocity(sim->model, sim->begin.work, geom[at->geomA].body, at->point, v1);
  crd_tree_point_velocity(sim->model, sim->begin.work, geom[at->geomB].body, at->point, v2);
  crd_vec3_sub(u, v1 + 3, v2 + 3);
}

/* Which rows of the loops are independent is decided once for a step, at its start. */
static crd_status choose_loop_rows(crd_sim *sim) {
  crd_sim_begin *begin = &sim->begin;
  crd_status status =
      crd_contact_factor_loops(begin->assembler, begin->work, sim->now.q, sim->now.v, NULL, begin->loops);
  if (status == CRD_OK) crd_contact_loop_rows(begin->assembler, 0, begin->loops->nb, begin->loop_row);
  begin->knows_loop_rows = status == CRD_OK;
  return status;
}

crd_status crd_sim_hold_loops(crd_sim *sim, const double *q, const double *v, double *qacc) {
  crd_sim_stage *stage = &sim->stage;
  crd_status status = crd_contact_factor_loops(stage->assembler, stage->work, q, v, sim->begin.loop_row, stage->loops);
  if (status == CRD_OK) crd_contact_force_loops(stage->assembler, stage->work, v, stage->loops, qacc, NULL);
  return status;
}

crd_status crd_sim_begin_piece(crd_sim *sim) {
  crd_sim_begin *begin = &sim->begin;
  const crd_sim_moment *now = &sim->now;
  if (sim->scene.has_forces) {
    crd_sim_drive(sim, now->t, now->q, now->v, now->act);
    crd_activation_start(sim);
    crd_part_copy_v(&sim->part, begin->driven, sim->stage.tau);
    crd_part_copy_v(&sim->part, begin->drag, sim->stage.drag);
  }
  measure_powers(sim, now->q, now->v, &begin->actuation, &begin->damping);
  crd_status status = accelerate(sim, begin->work, now->q, now->v, NULL, begin->qacc);
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, begin->work, status);
  if (status == CRD_OK && sim->part.nloop > 0) status = choose_loop_rows(sim);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "loops: %s", crd_status_text(status));
  begin->kinetic = crd_tree_kinetic_energy(sim->model, begin->work, now->v);
  begin->potential = crd_tree_potential_energy(sim->model, begin->work, now->q);
  for (int i = 0; i < now->touches.count; i++) {
    const crd_sim_touch *touch = &now->touches.item[i];
    if (!isnan(touch->velocity[0]))
      crd_vec3_copy(begin->velocity[i], touch->velocity);
    else if (touch->at.geomA != CRD_SIM_LIMIT)
      relative_velocity(sim, &touch->at, begin->velocity[i]);
  }
  choose_method(sim);
  return CRD_OK;
}

void crd_sim_begin_acceleration(crd_sim *sim, const double *load, double *qacc) {
  crd_sim_begin *begin = &sim->begin;
  if (begin->knows_loaded && load == sim->forecast.load && !sim->forecast.fresh) {
    crd_part_copy_v(&sim->part, qacc, begin->loaded);
    return;
  }
  if (load) crd_tree_solve(sim->model, begin->work, load, qacc);
  CRD_EACH (&sim->part, v, k) qacc[k] = begin->qacc[k] + (load ? qacc[k] : 0);
  if (sim->part.nloop > 0) crd_contact_force_loops(begin->assembler, begin->work, sim->now.v, begin->loops, qacc, NULL);
}

/* ------------------------------------------------------------------------------------------------ stages */

/* rate = what the chart's coordinates change by while the body turns with w; chart is where they are. */
static void attitude_rate(const double *phi, const double *w, double *rate) {
  double first[3], second[3];
  crd_vec3_cross(first, phi, w);
  crd_vec3_cross(second, phi, first);
  for (int i = 0; i < 3; i++) rate[i] = w[i] + first[i] / 2 + second[i] / 12;
}

void crd_sim_chart_rate(const crd_sim *sim, const double *chart, const double *v, double *rate) {
  crd_part_copy_v(&sim->part, rate, v);
  CRD_EACH (&sim->part, link, j) {
    const crd_joint *joint = &sim->model->joint[j];
    int at = joint->v + (joint->type == CRD_FREE ? 3 : 0);
    if (joint->nv > 1) attitude_rate(chart + at, v + at, rate + at);
  }
}

static const double *load_of(const crd_sim *sim) { return sim->forecast.acts ? sim->forecast.load : NULL; }

/* Acceleration of stage i at (t, q, v) and the stage's activations into sim->stage.acc[i], the activations' drive into
 * sim->stage.drive[i]; the work of the powers there over `weight` seconds. */
static crd_status stage(crd_sim *sim, int i, double t, const double *q, const double *v, double weight) {
  crd_sim_work *work = &sim->trial.work;
  double actuation, damping;
  if (sim->scene.has_forces) crd_sim_drive(sim, t, q, v, sim->stage.act);
  crd_activation_drive(sim, sim->stage.act, i);
  measure_powers(sim, q, v, &actuation, &damping);
  crd_status status = accelerate(sim, sim->stage.work, q, v, load_of(sim), sim->stage.acc[i]);
  if (status == CRD_OK && sim->part.nloop > 0) status = crd_sim_hold_loops(sim, q, v, sim->stage.acc[i]);
  work->actuation += weight * actuation;
  work->damping += weight * damping;
  return status;
}

/* The same at (now). */
static void first_stage(crd_sim *sim, double weight) {
  crd_sim_begin_acceleration(sim, load_of(sim), sim->stage.acc[0]);
  sim->trial.work.actuation += weight * sim->begin.actuation;
  sim->trial.work.damping += weight * sim->begin.damping;
}

/* The two accelerations in the middle of the step differ by O(h^2), so that h |a3 - a2| over the speed is the measure
 * of a step that is too long for the motion (the tip of a chain that cracks like a whip): the error is some power 5/3
 * of it. */
static bool is_coarse(const crd_sim *sim, double h) {
  static const double COARSE = 1e-2;
  double difference = 0, speed = 0;
  CRD_EACH (&sim->part, v, k) {
    difference = fmax(difference, fabs(sim->stage.acc[2][k] - sim->stage.acc[1][k]));
    speed = fmax(speed, fabs(sim->now.v[k]) + h * fabs(sim->stage.acc[0][k]));
  }
  return h * difference > COARSE * speed;
}

/* Activations at stage i of Runge-Kutta, after those before it. The last starts from the second. */
static void activate(crd_sim *sim, int i, double h) {
  const double *start = sim->begin.drive, *act = i == 3 ? sim->stage.act2 : sim->now.act;
  double *const *drive = sim->stage.drive;
  crd_activation_advance(sim, act, 0.5 * h, i == 2 ? drive[1] : start, i == 3 ? drive[2] : NULL, sim->stage.act);
  if (i == 1) crd_activation_copy(sim, sim->stage.act2, sim->stage.act);
}

/* And at the end: the parabola through start, mean of the middle stages and end. */
static void activate_end(crd_sim *sim, double h) {
  static const double node[2] = {0.5, 1};
  double *const *drive = sim->stage.drive;
  for (int k = 0; k < sim->model->nact; k++) drive[1][k] = 0.5 * (drive[1][k] + drive[2][k]);
  crd_activation_finish(sim, h, node, (const double *const[]){sim->begin.drive, drive[1], drive[3]});
}

static crd_status runge_kutta(crd_sim *sim, double h) {
  static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const crd_sim_moment *now = &sim->now;
  crd_status status = CRD_OK;
  if (sim->begin.implicit) return crd_stiff_motion(sim, h);
  crd_part_copy_v(&sim->part, sim->stage.rate[0], now->v);
  first_stage(sim, weight[0] * h);
  for (int i = 1; i < 4 && status == CRD_OK; i++) {
    double step = node[i] * h;
    CRD_EACH (&sim->part, v, k) {
      sim->stage.chart[k] = step * sim->stage.rate[i - 1][k];
      sim->stage.v[k] = now->v[k] + step * sim->stage.acc[i - 1][k];
    }
    crd_tree_part_integrate(sim->model, &sim->part, now->q, sim->stage.chart, 1, sim->stage.q);
    crd_sim_chart_rate(sim, sim->stage.chart, sim->stage.v, sim->stage.rate[i]);
    activate(sim, i, h);
    status = stage(sim, i, now->t + step, sim->stage.q, sim->stage.v, weight[i] * h);
  }
  if (status != CRD_OK) return status;
  activate_end(sim, h);
  sim->seen.coarse = is_coarse(sim, h);
  CRD_EACH (&sim->part, v, k) {
    double dq = 0, dv = 0;
    for (int i = 0; i < 4; i++) dq += weight[i] * sim->stage.rate[i][k], dv += weight[i] * sim->stage.acc[i][k];
    sim->stage.chart[k] = h * dq;
    sim->trial.v[k] = now->v[k] + h * dv;
  }
  crd_tree_part_integrate(sim->model, &sim->part, now->q, sim->stage.chart, 1, sim->trial.q);
  return CRD_OK;
}

static crd_status semi_implicit_euler(crd_sim *sim, double h) {
  const crd_sim_moment *now = &sim->now;
  first_stage(sim, h);
  crd_activation_advance(sim, now->act, h, sim->begin.drive, NULL, sim->trial.act);
  CRD_EACH (&sim->part, v, k) sim->trial.v[k] = now->v[k] + h * sim->stage.acc[0][k];
  crd_tree_part_integrate(sim->model, &sim->part, now->q, sim->trial.v, h, sim->trial.q);
  return CRD_OK;
}

static crd_status implicit_midpoint(crd_sim *sim, double h) {
  enum { MOST = 60 };
  const crd_sim_moment *now = &sim->now;
  double *acc = sim->stage.acc[0], last = INFINITY;
  crd_sim_work before = sim->trial.work;
  double *drive = sim->stage.drive[0];
  crd_activation_copy(sim, drive, sim->begin.drive);
  crd_part_clear_v(&sim->part, acc);
  crd_part_copy_v(&sim->part, sim->trial.v, now->v);
  for (int i = 0; i < MOST; i++) {
    double change = 0, size = 0;
    CRD_EACH (&sim->part, v, k) sim->stage.v[k] = 0.5 * (now->v[k] + sim->trial.v[k]);
    crd_tree_part_integrate(sim->model, &sim->part, now->q, sim->stage.v, 0.5 * h, sim->stage.q);
    sim->trial.work = before;
    crd_activation_advance(sim, now->act, 0.5 * h, drive, NULL, sim->stage.act);
    crd_status status = stage(sim, 0, now->t + 0.5 * h, sim->stage.q, sim->stage.v, h);
    if (status != CRD_OK) return status;
    CRD_EACH (&sim->part, v, k) {
      double v = now->v[k] + h * acc[k];
      change = fmax(change, fabs(v - sim->trial.v[k]));
      size = fmax(size, fabs(v) + fabs(h * acc[k]));
      sim->trial.v[k] = v;
    }
    /* done at rounding: nothing changes, or what changes no longer shrinks */
    if (change <= 1e-15 * size || (change <= 1e-13 * size && change >= last)) {
      CRD_EACH (&sim->part, v, k) sim->stage.v[k] = 0.5 * (now->v[k] + sim->trial.v[k]);
      crd_tree_part_integrate(sim->model, &sim->part, now->q, sim->stage.v, h, sim->trial.q);
      crd_activation_advance(sim, now->act, h, drive, NULL, sim->trial.act);
      return CRD_OK;
    }
    last = change;
  }
  return crd_sim_fail(sim, CRD_LIMIT, "implicit midpoint does not converge: the time step of %g s is too long", h);
}

static bool is_finite(const crd_part *part, const double *q, const double *v) {
  CRD_EACH (part, q, i)
    if (!isfinite(q[i])) return false;
  CRD_EACH (part, v, i)
    if (!isfinite(v[i])) return false;
  return true;
}

crd_status crd_sim_free_motion(crd_sim *sim, double dt) {
  sim->trial.t = sim->now.t + dt;
  sim->trial.work = sim->now.work;
  crd_status status;
  switch (sim->options.integrator) {
    case CRD_SIM_EULER: status = semi_implicit_euler(sim, dt); break;
    case CRD_SIM_MIDPOINT: status = implicit_midpoint(sim, dt); break;
    default: status = runge_kutta(sim, dt); break;
  }
  if (status == CRD_SINGULAR) return crd_sim_fail_singular(sim, sim->stage.work, status);
  if (status != CRD_OK) return status;
  if (!is_finite(&sim->part, sim->trial.q, sim->trial.v))
    return crd_sim_fail(sim, CRD_LIMIT, "the motion leaves the range of numbers: the time step of %g s is too long",
                        dt);
  return CRD_OK;
}
