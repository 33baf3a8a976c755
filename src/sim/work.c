/* Works of a trial: what joint forces and the rows of its Coulomb problem did; and what the accepted trial means for
 * ledger, list of contacts and events. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/prescribed.h"
#include "sim/stiff_motion.h"

/* ------------------------------------------------------------------------------------------------ joint forces */

/* Of implicit Euler: forces of the end along the mean velocity. */
static void book_implicit_euler(crd_group *group, double dt) {
  const crd_model *model = group->model;
  const double *v = group->now.v, *v1 = group->trial->v;
  double *impulse = group->stage->scratch[0], *way = group->stage->scratch[1], *change = group->stage->scratch[2];
  CRD_EACH (group->part, v, k) impulse[k] = dt * group->begin->driven[k], way[k] = dt * v1[k], change[k] = v1[k] - v[k];
  if (group->stiff) crd_slopes_apply(&group->stiff->slopes, group->part, true, -dt, way, change, impulse);
  CRD_EACH (group->part, v, k) {
    double mean = 0.5 * (v[k] + v1[k]);
    group->trial->work.actuation += mean * (impulse[k] - dt * group->begin->drag[k]);
    group->trial->work.damping += mean * dt * (group->begin->drag[k] - model->dof_damping[k] * v1[k]);
    change[k] = mean;
  }
  group->trial->work.damping -= dt * crd_tree_tendon_damping(model, group->stage->work, group->now.q, change, v1);
}

/* The contacts change the velocity by dv from what it is in the free motion, evenly over the step, so that actuators and
 * dampers act over another way than there, from a to b: their work changes by tau . dv dt / 2, and with d the damping by
 * -d (dv (a + 2 b) / 3 + dv^2 / 3) dt. */
static void book_change(crd_group *group, double dt) {
  const crd_model *model = group->model;
  double *sum = group->stage->scratch[0];
  CRD_EACH (group->part, v, i) {
    double dv = group->stage->dv[i], way = (dv * (group->now.v[i] + 2 * group->stage->free_v[i]) + dv * dv) / 3;
    group->trial->work.actuation += 0.5 * dt * (group->begin->driven[i] - group->begin->drag[i]) * dv;
    group->trial->work.damping += dt * (0.5 * group->begin->drag[i] * dv - model->dof_damping[i] * way);
    sum[i] = dv + group->now.v[i] + 2 * group->stage->free_v[i];
  }
  group->trial->work.damping -=
      dt / 3 * crd_tree_tendon_damping(model, group->stage->work, group->now.q, group->stage->dv, sum);
}

void crd_sim_book_forces(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  if (!group->scene->has_forces) return;
  if (scheme->at_start) {
    book_implicit_euler(group, dt);
    return;
  }
  CRD_EACH (group->part, v, k) group->stage->dv[k] = group->trial->v[k] - group->stage->free_v[k];
  if (crd_sim_prescribes(group)) group->trial->work.actuation += crd_sim_prescribed_change(group, dt);
  if (group->begin->implicit)
    crd_stiff_book_change(group, dt);
  else
    book_change(group, dt);
}

/* ------------------------------------------------------------------------------------------------ rows */

/* A constant force along a velocity that changes evenly; what an impulse changes the kinetic energy by. */
static double work_of(const crd_group *group, int row, int count) {
  double sum = 0;
  for (int i = row; i < row + count; i++) sum += 0.5 * group->rows->p[i] * (group->rows->before[i] + group->rows->u[i]);
  return sum;
}

/* Did the touch persist in the step before? */
static bool persisted(const crd_group *group, const crd_sim_touch *touch) {
  return touch->source >= 0 && group->now.touches.item[touch->source].active;
}

void crd_sim_book_rows(crd_group *group) {
  const crd_contact_problem *problem = group->rows->problem;
  crd_sim_work *work = &group->trial->work;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int touch = group->rows->touch_of[c];
    group->rows->done[c] = touch >= 0 ? work_of(group, contact->row, crd_contact_rows(contact)) : 0;
    if (touch >= 0)
      *(persisted(group, &group->rows->touches.item[touch]) ? &work->contact : &work->impact) += group->rows->done[c];
  }
  work->loop += work_of(group, problem->nrow, problem->nb);
  work->damping += work_of(group, problem->nrow + problem->nb, problem->nf);
}

/* ------------------------------------------------------------------------------------------------ acceptance */

void crd_sim_list_contacts(crd_group *group) {
  if (!group->listed.due) return;
  group->listed.due = false;
  crd_contact_names(group->rows->assembler, group->rows->point, group->rows->npoint, group->rows->problem);
  crd_sim_add_impulses(group, group->rows->p, group->rows->u, group->rows->mode, group->rows->done);
}

static void name_touches(crd_group *group) {
  for (int i = 0; i < group->rows->touches.count; i++)
    if (group->rows->contact_of[i] >= 0)
      memcpy(group->rows->touches.item[i].name, group->rows->problem->contact[group->rows->contact_of[i]].name,
             sizeof group->rows->touches.item[i].name);
}

/* Of forces every contact's work counts by itself. Impulses of a capture act on each other as those of an impact do, of
 * which the path of the velocities is not known: only the work of a whole island is. */
static void note_gains(crd_group *group, const crd_sim_scheme *scheme) {
  const crd_contact_problem *problem = group->rows->problem;
  double *whole = group->rows->scratch;
  memset(whole, 0, (size_t)(problem->nrow + problem->nb + problem->nf) * sizeof *whole);
  for (int c = 0, cone = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    double by_law = 0;
    for (int i = contact->row; i < contact->row + crd_contact_rows(contact); i++)
      by_law += group->rows->p[i] * group->rows->u[i];
    if (group->rows->touch_of[c] >= 0) by_law -= group->rows->p[contact->row] * group->rows->cone[cone++].target;
    whole[scheme->capture ? group->rows->island[contact->row] : contact->row] += group->rows->done[c];
    crd_sim_note_gain(group, 0, by_law);
  }
  for (int i = 0; i < problem->nrow; i++) crd_sim_note_gain(group, whole[i], 0);
}

static bool changes(crd_mode from, crd_mode to) {
  return (from == CRD_MODE_STICK && to == CRD_MODE_SLIP) || (from == CRD_MODE_SLIP && to == CRD_MODE_STICK);
}

/* One event for all contacts that were captured, one for each that changes its mode. */
static void report(crd_group *group) {
  crd_sim_event impact = {.t = group->trial->t, .kind = CRD_EVENT_IMPACT, .contact = ""};
  for (int i = 0; i < group->rows->touches.count; i++) {
    const crd_sim_touch *touch = &group->rows->touches.item[i];
    int c = group->rows->contact_of[i];
    if (c < 0 || !(touch->active || touch->guess.normal > 0)) continue;
    crd_mode before = touch->source >= 0 ? group->now.touches.item[touch->source].force.mode : CRD_MODE_NONE;
    int row = group->rows->problem->contact[c].row;
    double approach = -group->rows->before[row];
    if (persisted(group, touch) && changes(before, touch->force.mode)) {
      crd_sim_event event = {.t = group->trial->t, .contact = touch->name, .count = 1};
      event.kind = touch->force.mode == CRD_MODE_SLIP ? CRD_EVENT_SLIP : CRD_EVENT_STICK;
      crd_sim_emit(group, &event);
    } else if (!persisted(group, touch) && approach > 0) {
      impact.count++, impact.impulse += group->rows->p[row] / group->rows->members[c];
      impact.energy += group->rows->done[c] / group->rows->members[c];
      if (approach > impact.approach) impact.approach = approach, impact.contact = touch->name;
    }
  }
  group->ledger.counters.impacts += impact.count;
  if (impact.count > 0) crd_sim_emit(group, &impact);
}

void crd_sim_accept_rows(crd_group *group, const crd_sim_scheme *scheme) {
  group->ledger.counters.residual_max = fmax(group->ledger.counters.residual_max, group->seen.residual);
  group->ledger.counters.loop_max = fmax(group->ledger.counters.loop_max, group->seen.loop_open);
  group->ledger.counters.failed_solves += group->seen.failed;
  crd_sim_note_impulse(group, group->rows->p);
  note_gains(group, scheme);
  group->listed.due = true;
  if (group->options->integrator == CRD_SIM_MOREAU && !group->options->observer.event)
    return; /* a heap has thousands */
  crd_sim_list_contacts(group);
  name_touches(group);
  report(group);
}
