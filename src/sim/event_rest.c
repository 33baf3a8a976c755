/* Trees at rest take no part in a phase.
 *
 * Bodies without velocity and acceleration, together with everything they touch, stay where they are until something else
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

/* Largest force of a row's contact, N: the scale of its rounding. */
static double strength_of(const crd_contact_problem *problem, const double *f, int row) {
  double largest = fabs(f[row]);
  for (int c = 0; c < problem->nc; c++) {
    int first = problem->contact[c].row, last = first + problem->contact[c].ntangent;
    for (int i = first; row >= first && row <= last && i <= last; i++) largest = fmax(largest, fabs(f[i]));
  }
  return largest;
}

/* Trees with a velocity that is not zero or changes do not rest. Scratch: sum (nv), one (rows, zero). */
static void find_still(crd_group *group, const crd_phase_point *at, int rows, double *sum, double *one) {
  const crd_contact_problem *problem = group->event->problem;
  int nv = group->model->nv;
  double largest = 0;
  for (int k = 0; k < nv; k++) sum[k] = fabs(at->qacc[k]);
  for (int i = 0; i < rows; i++) {
    one[i] = strength_of(problem, at->answer.f, i);
    if (one[i] > 0) crd_contact_response(group->stage->assembler, group->stage->work, one, group->event->change);
    for (int k = 0; k < nv && one[i] > 0; k++) sum[k] += 2 * fabs(group->event->change[k]);
    one[i] = 0;
  }
  for (int k = 0; k < nv; k++) largest = fmax(largest, sum[k]);
  for (int k = 0; k < nv; k++) {
    double rounding = fmax(ROUNDING * sum[k], COUPLED * largest);
    bool still =
        fabs(group->now.v[k]) <= crd_event_accurate.asleep * group->event->still && fabs(at->qacc[k]) <= rounding;
    if (!still) group->trees->rests[crd_group_of(group, group->scene->tree_of_dof[k])] = false;
  }
}

static bool point_rests(const crd_group *group, const crd_contact_point *point) {
  const crd_geom *geom = group->model->geom;
  int a = crd_sim_tree_of_body(group->scene, geom[point->geomA].body),
      b = crd_sim_tree_of_body(group->scene, geom[point->geomB].body);
  return (a < 0 || group->trees->rests[a]) && (b < 0 || group->trees->rests[b]);
}

static bool limit_rests(const crd_group *group, int joint) {
  const crd_model *model = group->model;
  if (joint >= model->njoint) joint = model->tendon[joint - model->njoint].joint[0]; /* all are of one tree */
  return group->trees->rests[group->scene->tree_of_dof[model->joint[joint].v]];
}

/* Contact c of the phase keeps its force and leaves the phase. */
static void put_to_rest(crd_group *group, const crd_phase_point *at, int c) {
  crd_event_driven *event = group->event;
  const crd_phase_contact *phase = &event->contact[c];
  const crd_contact *contact = &event->problem->contact[c];
  const int k = event->nrest++;
  event->rest[k] =
      (crd_rest){.contact = group->rows->problem->contact[phase->source], .mode = crd_event_mode(&phase->mode)};
  for (int i = 0; i <= contact->ntangent; i++) event->rest[k].force[i] = at->answer.f[contact->row + i];
}

static void take_out_contacts(crd_group *group, const crd_phase_point *at) {
  crd_event_driven *event = group->event;
  const int *contact_of = crd_contact_of_point(group->stage->assembler);
  int kept = 0, contacts = 0, next = 0;
  /* forces first: places in the list of the phase change with it */
  for (int i = 0; i < event->nfollowed; i++) {
    if (contact_of[i] != next) continue;
    if (point_rests(group, &event->followed[i].point)) put_to_rest(group, at, next);
    next++;
  }
  for (int k = 0; k < event->nlimit; k++)
    if (limit_rests(group, event->limit[k].geomB)) put_to_rest(group, at, event->npointcontact + k);
  next = 0;
  for (int i = 0; i < event->nfollowed; i++) {
    bool is_first = contact_of[i] == next, rests = point_rests(group, &event->followed[i].point);
    if (is_first && !rests) event->contact[contacts++] = event->contact[next];
    next += is_first;
    if (!rests) event->followed[kept++] = event->followed[i];
  }
  event->nfollowed = kept;
  int limits = 0;
  for (int k = 0; k < event->nlimit; k++) {
    if (limit_rests(group, event->limit[k].geomB)) continue;
    event->contact[contacts + limits] = event->contact[event->npointcontact + k];
    event->limit[limits++] = event->limit[k];
  }
  event->npointcontact = contacts, event->nlimit = limits, event->ncontact = contacts + limits;
  event->rows.count = 0;
}

/* Forces that change with time: contacts that persist now may part later. */
static bool activations_move(crd_group *group) {
  const crd_model *model = group->model;
  if (model->nact == 0) return false;
  crd_sim_drive(group, group->options->control_next ? group->event->control_t : group->now.t, group->now.q,
                group->now.v, group->now.act);
  crd_tree_activation_rate(model, group->now.act, group->stage->ctrl, group->stage->drive[0], NULL);
  crd_tree_hold_activation(model, group->now.act, group->stage->drive[0]);
  for (int k = 0; k < model->nact; k++)
    if (group->stage->drive[0][k] != 0) return true;
  return false;
}

void crd_event_rest(crd_group *group) {
  crd_event_driven *event = group->event;
  event->nrest = 0, event->kept.asleep = false, event->rest_known = false;
  for (int t = 0; t < group->scene->ntree; t++) group->trees->rests[t] = false;
  if ((group->options->control && !group->options->control_next) || group->inputs->nnext > 0) return;
  if (activations_move(group)) return;
  crd_phase_point at = crd_event_evaluate(group, group->now.t, group->now.q, group->now.v, group->now.act);
  if (at.status != CRD_OK) return;
  int rows = crd_event_has_rows(group) ? event->problem->nrow + event->problem->nb : 0;
  double *one = crd_arena_alloc(&event->scratch, (size_t)rows + 1, sizeof *one);
  if (!one) return;
  crd_groups_of_contacts(group);
  for (int t = 0; t < group->scene->ntree; t++) group->trees->rests[t] = true;
  find_still(group, &at, rows, group->stage->scratch[0], one);
  bool all = true;
  for (int t = 0; t < group->scene->ntree; t++)
    group->trees->rests[t] = group->trees->rests[crd_group_of(group, t)], all = all && group->trees->rests[t];
  for (int k = 0; k < group->model->nv; k++)
    if (group->trees->rests[group->scene->tree_of_dof[k]]) group->now.v[k] = 0;
  if (all)
    at = crd_event_evaluate(group, group->now.t, group->now.q, group->now.v,
                            group->now.act); /* as whoever restores this state */
  event->kept.asleep = event->rest_known = all;
  take_out_contacts(group, &at);
}

void crd_event_book_rest(crd_group *group, double duration) {
  crd_contact_problem *whole = group->rows->problem, one = *whole;
  for (int i = 0; i < group->event->nrest; i++) {
    crd_rest *rest = &group->event->rest[i];
    double impulse[3], velocity[3] = {0, 0, 0};
    crd_vec3_scale(impulse, duration, rest->force);
    rest->contact.row = 0;
    one.nc = 1, one.contact = &rest->contact;
    group->rows->problem = &one;
    crd_sim_note_impulse(group, impulse);
    crd_sim_add_impulses(group, impulse, velocity, &rest->mode, NULL);
  }
  group->rows->problem = whole;
}
