/* Works of a trial: what joint forces and the rows of its Coulomb problem did; and what the accepted trial means for
 * ledger, list of contacts and events. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

/* ------------------------------------------------------------------------------------------------ joint forces */

/* Of implicit Euler: forces of the end along the mean velocity. */
static void book_implicit_euler(crd_sim *sim, double dt) {
  const crd_model *model = sim->model;
  const double *v = sim->now.v, *v1 = sim->trial.v;
  double *impulse = sim->stage.acc[1], *way = sim->stage.acc[2], *change = sim->stage.acc[3];
  CRD_EACH (&sim->part, v, k) impulse[k] = dt * sim->begin.driven[k], way[k] = dt * v1[k], change[k] = v1[k] - v[k];
  if (sim->stiff) crd_slopes_apply(&sim->stiff->slopes, &sim->part, true, -dt, way, change, impulse);
  CRD_EACH (&sim->part, v, k) {
    double mean = 0.5 * (v[k] + v1[k]);
    sim->trial.work.actuation += mean * (impulse[k] - dt * sim->begin.drag[k]);
    sim->trial.work.damping += mean * dt * (sim->begin.drag[k] - model->dof_damping[k] * v1[k]);
    change[k] = mean;
  }
  sim->trial.work.damping -= dt * crd_tree_tendon_damping(model, sim->stage.work, sim->now.q, change, v1);
}

/* The contacts change the velocity by dv from what it is in the free motion, evenly over the step, so that actuators and
 * dampers act over another way than there, from a to b: their work changes by tau . dv dt / 2, and with d the damping by
 * -d (dv (a + 2 b) / 3 + dv^2 / 3) dt. */
static void book_change(crd_sim *sim, double dt) {
  const crd_model *model = sim->model;
  double *sum = sim->stage.acc[1];
  CRD_EACH (&sim->part, v, i) {
    double dv = sim->stage.chart[i], way = (dv * (sim->now.v[i] + 2 * sim->stage.free_v[i]) + dv * dv) / 3;
    sim->trial.work.actuation += 0.5 * dt * (sim->begin.driven[i] - sim->begin.drag[i]) * dv;
    sim->trial.work.damping += dt * (0.5 * sim->begin.drag[i] * dv - model->dof_damping[i] * way);
    sum[i] = dv + sim->now.v[i] + 2 * sim->stage.free_v[i];
  }
  sim->trial.work.damping -=
      dt / 3 * crd_tree_tendon_damping(model, sim->stage.work, sim->now.q, sim->stage.chart, sum);
}

void crd_sim_book_forces(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  if (!sim->scene.has_forces) return;
  if (scheme->at_start) {
    book_implicit_euler(sim, dt);
    return;
  }
  CRD_EACH (&sim->part, v, k) sim->stage.chart[k] = sim->trial.v[k] - sim->stage.free_v[k];
  if (sim->begin.implicit)
    crd_stiff_book_change(sim, dt);
  else
    book_change(sim, dt);
}

/* ------------------------------------------------------------------------------------------------ rows */

/* A constant force along a velocity that changes evenly; what an impulse changes the kinetic energy by. */
static double work_of(const crd_sim *sim, int row, int count) {
  double sum = 0;
  for (int i = row; i < row + count; i++) sum += 0.5 * sim->rows.p[i] * (sim->rows.before[i] + sim->rows.u[i]);
  return sum;
}

/* Did the touch persist in the step before? */
static bool persisted(const crd_sim *sim, const crd_sim_touch *touch) {
  return touch->source >= 0 && sim->now.touches.item[touch->source].active;
}

void crd_sim_book_rows(crd_sim *sim) {
  const crd_contact_problem *problem = sim->rows.problem;
  crd_sim_work *work = &sim->trial.work;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int touch = sim->rows.touch_of[c];
    sim->rows.done[c] = touch >= 0 ? work_of(sim, contact->row, crd_contact_rows(contact)) : 0;
    if (contact->joint >= 0)
      work->loop += sim->rows.done[c];
    else if (touch >= 0)
      *(persisted(sim, &sim->rows.touches.item[touch]) ? &work->contact : &work->impact) += sim->rows.done[c];
  }
  work->loop += work_of(sim, problem->nrow, problem->nb);
  work->damping += work_of(sim, problem->nrow + problem->nb, problem->nf);
}

/* ------------------------------------------------------------------------------------------------ acceptance */

void crd_sim_list_contacts(crd_sim *sim) {
  if (!sim->listed.due) return;
  sim->listed.due = false;
  crd_contact_names(sim->rows.assembler, sim->rows.point, sim->rows.npoint, sim->rows.problem);
  crd_sim_add_impulses(sim, sim->rows.p, sim->rows.u, sim->rows.mode, sim->rows.done);
}

static void name_touches(crd_sim *sim) {
  for (int i = 0; i < sim->rows.touches.count; i++)
    if (sim->rows.contact_of[i] >= 0)
      memcpy(sim->rows.touches.item[i].name, sim->rows.problem->contact[sim->rows.contact_of[i]].name,
             sizeof sim->rows.touches.item[i].name);
}

/* Of forces every contact's work counts by itself. Impulses of a capture act on each other as those of an impact do, of
 * which the path of the velocities is not known: only the work of a whole island is. */
static void note_gains(crd_sim *sim, const crd_sim_scheme *scheme) {
  const crd_contact_problem *problem = sim->rows.problem;
  double *whole = sim->rows.scratch;
  memset(whole, 0, (size_t)(problem->nrow + problem->nb + problem->nf) * sizeof *whole);
  for (int c = 0, cone = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double by_law = 0;
    for (int i = contact->row; i < contact->row + crd_contact_rows(contact); i++)
      by_law += sim->rows.p[i] * sim->rows.u[i];
    if (sim->rows.touch_of[c] >= 0) by_law -= sim->rows.p[contact->row] * sim->rows.cone[cone++].target;
    whole[scheme->capture ? sim->rows.island[contact->row] : contact->row] += sim->rows.done[c];
    crd_sim_note_gain(sim, 0, by_law);
  }
  for (int i = 0; i < problem->nrow; i++) crd_sim_note_gain(sim, whole[i], 0);
}

static bool changes(crd_mode from, crd_mode to) {
  return (from == CRD_MODE_STICK && to == CRD_MODE_SLIP) || (from == CRD_MODE_SLIP && to == CRD_MODE_STICK);
}

/* One event for all contacts that were captured, one for each that changes its mode. */
static void report(crd_sim *sim) {
  crd_sim_event impact = {.t = sim->trial.t, .kind = CRD_EVENT_IMPACT, .contact = ""};
  for (int i = 0; i < sim->rows.touches.count; i++) {
    const crd_sim_touch *touch = &sim->rows.touches.item[i];
    int c = sim->rows.contact_of[i];
    if (c < 0 || !(touch->active || touch->guess.normal > 0)) continue;
    crd_mode before = touch->source >= 0 ? sim->now.touches.item[touch->source].force.mode : CRD_MODE_NONE;
    int row = sim->rows.problem->contact[c].row;
    double approach = -sim->rows.before[row];
    if (persisted(sim, touch) && changes(before, touch->force.mode)) {
      crd_sim_event event = {.t = sim->trial.t, .contact = touch->name, .count = 1};
      event.kind = touch->force.mode == CRD_MODE_SLIP ? CRD_EVENT_SLIP : CRD_EVENT_STICK;
      crd_sim_emit(sim, &event);
    } else if (!persisted(sim, touch) && approach > 0) {
      impact.count++, impact.impulse += sim->rows.p[row] / sim->rows.members[c];
      impact.energy += sim->rows.done[c] / sim->rows.members[c];
      if (approach > impact.approach) impact.approach = approach, impact.contact = touch->name;
    }
  }
  sim->ledger.counters.impacts += impact.count;
  if (impact.count > 0) crd_sim_emit(sim, &impact);
}

void crd_sim_accept_rows(crd_sim *sim, const crd_sim_scheme *scheme) {
  sim->ledger.counters.residual_max = fmax(sim->ledger.counters.residual_max, sim->seen.residual);
  sim->ledger.counters.loop_max = fmax(sim->ledger.counters.loop_max, sim->seen.loop_open);
  sim->ledger.counters.failed_solves += sim->seen.failed;
  crd_sim_note_impulse(sim, sim->rows.p);
  note_gains(sim, scheme);
  sim->listed.due = true;
  if (sim->options.integrator == CRD_SIM_MOREAU && !sim->options.observer.event) return; /* a heap has thousands */
  crd_sim_list_contacts(sim);
  name_touches(sim);
  report(sim);
}
