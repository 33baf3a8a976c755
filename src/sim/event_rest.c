/* Trees at rest take no part in a phase.
 *
 * What has neither velocity nor acceleration, together with all that it touches, stays where it is until something else
 * touches it, for all forces are functions of the state (where a control may change at any time nothing is left out). Its
 * contacts keep their forces. A phase in which everything rests needs no integration.
 *
 * Acceleration is nothing where it is rounding of what it is the sum of, qacc_free + sum_i X_i f_i: a share of X_i
 * times the force of the contact that row i belongs to. A heavy body that rests on a light one is known no better than
 * the light one's accelerations are. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/event.h"
#include "sim/groups.h"

static const double ROUNDING = 1e-12, COUPLED = 1e-14;

/* Largest force of a row's contact, N: of what its rounding is a share. */
static double strength_of(const crd_contact_problem *problem, const double *f, int row) {
  double largest = fabs(f[row]);
  for (int c = 0; c < problem->nc; c++) {
    int first = problem->contact[c].row, last = first + problem->contact[c].ntangent;
    for (int i = first; row >= first && row <= last && i <= last; i++) largest = fmax(largest, fabs(f[i]));
  }
  return largest;
}

/* Trees with a velocity that is not zero or changes do not rest. Scratch: sum (nv), one (rows, zero). */
static void find_still(crd_sim *sim, const crd_phase_point *at, int rows, double *sum, double *one) {
  const crd_contact_problem *problem = sim->event->problem;
  int nv = sim->model->nv;
  double largest = 0;
  for (int k = 0; k < nv; k++) sum[k] = fabs(at->qacc[k]);
  for (int i = 0; i < rows; i++) {
    one[i] = strength_of(problem, at->answer.f, i);
    if (one[i] > 0) crd_contact_response(sim->stage.assembler, sim->stage.work, one, sim->event->change);
    for (int k = 0; k < nv && one[i] > 0; k++) sum[k] += 2 * fabs(sim->event->change[k]);
    one[i] = 0;
  }
  for (int k = 0; k < nv; k++) largest = fmax(largest, sum[k]);
  for (int k = 0; k < nv; k++) {
    double rounding = fmax(ROUNDING * sum[k], COUPLED * largest);
    bool still = fabs(sim->now.v[k]) <= crd_event_accurate.asleep * sim->event->still && fabs(at->qacc[k]) <= rounding;
    if (!still) sim->trees.rests[crd_group_of(sim, sim->scene.tree_of_dof[k])] = false;
  }
}

static bool point_rests(const crd_sim *sim, const crd_contact_point *point) {
  const crd_geom *geom = sim->model->geom;
  int a = crd_sim_tree_of_body(sim, geom[point->geomA].body), b = crd_sim_tree_of_body(sim, geom[point->geomB].body);
  return (a < 0 || sim->trees.rests[a]) && (b < 0 || sim->trees.rests[b]);
}

static bool limit_rests(const crd_sim *sim, int key) {
  const crd_model *model = sim->model;
  int joint = abs(key) - 1;
  if (joint >= model->njoint) joint = model->tendon[joint - model->njoint].joint[0]; /* all are of one tree */
  return sim->trees.rests[sim->scene.tree_of_dof[model->joint[joint].v]];
}

/* Contact c of the phase keeps its force and leaves the phase. */
static void put_to_rest(crd_sim *sim, const crd_phase_point *at, int c) {
  crd_event *event = sim->event;
  const crd_phase_contact *phase = &event->contact[c];
  int there = crd_limit_place(event, c), k = event->nrest++;
  event->rest[k] =
      (crd_rest){.contact = sim->rows.problem->contact[phase->source], .mode = crd_event_mode(&phase->mode)};
  for (int i = 0; there >= 0 && i <= event->problem->contact[there].ntangent; i++)
    event->rest[k].force[i] = at->answer.f[event->problem->contact[there].row + i];
}

static void take_out_contacts(crd_sim *sim, const crd_phase_point *at) {
  crd_event *event = sim->event;
  const int *contact_of = crd_contact_of_point(sim->stage.assembler);
  int kept = 0, contacts = 0, next = 0;
  /* forces first: places in the list of the phase change with it */
  for (int i = 0; i < event->nfollowed; i++) {
    if (contact_of[i] != next) continue;
    if (point_rests(sim, &event->followed[i].point)) put_to_rest(sim, at, next);
    next++;
  }
  for (int c = event->npointcontact; c < event->ncontact; c++)
    if (limit_rests(sim, event->contact[c].key)) put_to_rest(sim, at, c);
  next = 0;
  for (int i = 0; i < event->nfollowed; i++) {
    bool is_first = contact_of[i] == next, rests = point_rests(sim, &event->followed[i].point);
    if (is_first && !rests) event->contact[contacts++] = event->contact[next];
    next += is_first;
    if (!rests) event->followed[kept++] = event->followed[i];
  }
  event->nfollowed = kept;
  int points = contacts;
  for (int c = event->npointcontact; c < event->ncontact; c++)
    if (!limit_rests(sim, event->contact[c].key)) event->contact[contacts++] = event->contact[c];
  event->npointcontact = points, event->ncontact = contacts;
}

/* Forces that change with time: what holds now need not hold later. */
static bool activations_move(crd_sim *sim) {
  const crd_model *model = sim->model;
  if (model->nact == 0) return false;
  crd_sim_drive(sim, sim->options.control_next ? sim->event->control_t : sim->now.t, sim->now.q, sim->now.v,
                sim->now.act);
  crd_tree_activation_rate(model, sim->now.act, sim->stage.ctrl, sim->stage.drive[0], NULL);
  crd_tree_hold_activation(model, sim->now.act, sim->stage.drive[0]);
  for (int k = 0; k < model->nact; k++)
    if (sim->stage.drive[0][k] != 0) return true;
  return false;
}

void crd_event_rest(crd_sim *sim) {
  crd_event *event = sim->event;
  event->nrest = 0, event->kept.asleep = false, event->rest_known = false;
  for (int t = 0; t < sim->scene.ntree; t++) sim->trees.rests[t] = false;
  if ((sim->options.control && !sim->options.control_next) || sim->inputs.nnext > 0) return;
  if (activations_move(sim)) return;
  crd_phase_point at = crd_event_evaluate(sim, sim->now.t, sim->now.q, sim->now.v, sim->now.act);
  if (at.status != CRD_OK) return;
  int rows = crd_event_has_rows(sim) ? event->problem->nrow + event->problem->nb : 0;
  double *one = crd_arena_alloc(&event->scratch, (size_t)rows + 1, sizeof *one);
  if (!one) return;
  crd_groups_of_contacts(sim);
  for (int t = 0; t < sim->scene.ntree; t++) sim->trees.rests[t] = true;
  find_still(sim, &at, rows, sim->stage.chart, one);
  bool all = true;
  for (int t = 0; t < sim->scene.ntree; t++)
    sim->trees.rests[t] = sim->trees.rests[crd_group_of(sim, t)], all = all && sim->trees.rests[t];
  for (int k = 0; k < sim->model->nv; k++)
    if (sim->trees.rests[sim->scene.tree_of_dof[k]]) sim->now.v[k] = 0;
  if (all)
    at = crd_event_evaluate(sim, sim->now.t, sim->now.q, sim->now.v, sim->now.act); /* as whoever restores this state */
  event->kept.asleep = event->rest_known = all;
  take_out_contacts(sim, &at);
}

void crd_event_book_rest(crd_sim *sim, double duration) {
  crd_contact_problem *whole = sim->rows.problem, one = *whole;
  for (int i = 0; i < sim->event->nrest; i++) {
    crd_rest *rest = &sim->event->rest[i];
    double impulse[3], velocity[3] = {0, 0, 0};
    crd_vec3_scale(impulse, duration, rest->force);
    rest->contact.row = 0;
    one.nc = 1, one.contact = &rest->contact;
    sim->rows.problem = &one;
    crd_sim_note_impulse(sim, impulse);
    crd_sim_add_impulses(sim, impulse, velocity, &rest->mode, NULL);
  }
  sim->rows.problem = whole;
}
