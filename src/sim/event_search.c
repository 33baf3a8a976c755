/* The first event within an internal step of CVODE, on its interpolant.
 *
 * Margins. A phase goes on while all of these are positive: normal force of every contact that holds, friction reserve
 * mu f_n - |f_t| of one that sticks, velocity along the direction of sliding of one that slides, the same two of joints
 * with dry friction, and the determinant of the equations of force, which changes its sign where sliding contact becomes
 * ill-posed. Each is divided by the scale of the phase. A margin that is zero where the phase begins (sliding begins
 * from rest) may fall to a small negative offset until it has once been clearly positive. Whoever fails first is
 * remembered: its mode changes.
 *
 * Gaps. G(t) is the least gap of all points that do not hold and approach. No point moves faster than L (the fastest
 * geom, with its rotation, at both ends); where nothing is nearer than 2 L (t1 - t0) nothing can touch. Otherwise the
 * step is cut so that no geom moves by more than half the smallest body, and halved further while a point would reach
 * its partner by its present velocity: it may have touched and turned round in between.
 *
 * Roots are bracketed by signs (root.c): the margins may have kinks and jumps. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "sim/event.h"
#include "sim/groups.h"
#include "sim/root.h"

enum { MOST_HALVINGS = 14, MOST_PARTS = 2000 };
static const double NO_DIRECTION = 0.5; /* between the lengths 0 (no direction) and 1 (a unit vector) */

/* ------------------------------------------------------------------------------------------------ margins */

static double tangential(const crd_contact *contact, const double *x) {
  const double *t = x + contact->row + 1;
  return contact->ntangent == 2 ? hypot(t[0], t[1]) : contact->ntangent == 1 ? fabs(t[0]) : 0;
}

/* The three margins of contact c of the phase, INFINITY where there is none. */
static void margins_of(const crd_event_driven *event, const crd_phase_point *at, int c, double margin[3]) {
  const crd_contact_problem *problem = event->problem;
  const crd_phase_contact *phase = &event->contact[c];
  margin[0] = margin[1] = margin[2] = INFINITY;
  if (phase->mode.kind < CRD_PHASE_STICK) return;
  const crd_contact *contact = &problem->contact[c];
  size_t m = (size_t)(problem->nrow + problem->nb), row = (size_t)contact->row;
  double unit = problem->W[m * row + row] / event->force_scale, *f = at->answer.f;
  margin[0] = f[row] * unit;
  if (c == 0) margin[2] = event->orientation * at->answer.determinant;
  if (contact->ntangent == 0 || contact->mu == 0) return;
  if (phase->mode.kind == CRD_PHASE_STICK) {
    margin[1] = (contact->mu * f[row] - tangential(contact, f)) * unit;
  } else if (!phase->mode.tied) {
    double along = 0;
    for (int k = 0; k < contact->ntangent; k++)
      along += problem->u[row + 1 + (size_t)k] * crd_vec3_dot(contact->tangent[k], phase->direction);
    margin[1] = along / event->velocity_scale;
  }
}

static double dry_margin(const crd_group *group, const crd_phase_point *at, int k) {
  const crd_event_driven *event = group->event;
  const crd_phase_dry *dry = &event->dry[k];
  int row = event->problem->nrow + event->problem->nb - event->ndry + k;
  if (dry->mode.tied || crd_sim_rubbing_rests(group, dry->dof)) return INFINITY;
  if (dry->mode.kind == CRD_PHASE_SLIP) return dry->mode.d[0] * event->problem->u[row] / event->joint_speed;
  return 1 - fabs(at->answer.f[row]) / event->bound[k];
}

/* The phase at t, and the least of its margins there; negative where it cannot be evaluated. */
static double sample(crd_group *group, double t, crd_phase_point *at) {
  crd_event_driven *event = group->event;
  const double *q, *v, *act;
  double least = INFINITY, margin[3];
  crd_smooth_at(group, t, &q, &v, &act, NULL);
  *at = crd_event_evaluate(group, t, q, v, act);
  if (at->status != CRD_OK) return -1;
  for (int c = 0; c < event->ncontact; c++) {
    margins_of(event, at, c, margin);
    for (int k = 0; k < 3; k++) least = fmin(least, margin[k] + event->contact[c].offset[k]);
  }
  for (int k = 0; k < event->ndry; k++) least = fmin(least, dry_margin(group, at, k) + event->dry[k].offset);
  return least;
}

static double least_margin(void *group, double t) {
  crd_phase_point at;
  return sample(group, t, &at);
}

static void keep_force(crd_event_driven *event, const crd_phase_point *at, int place, double t) {
  event->force_at[place] = NAN;
  if (at->status != CRD_OK || event->problem->nrow == 0) return;
  memcpy(event->force[place], at->answer.f, (size_t)event->problem->nrow * sizeof *event->force[place]);
  event->force_at[place] = t;
}

/* Lower bound of a margin with this value at the start. */
static double offset_of(double value, double small) {
  const double above = 1e3; /* times as large it is no rounding of zero */
  return value > above * small ? 0 : small + fmax(0, -value);
}

/* Notes which margins end the phase at t. */
static void note_failures(crd_group *group, double t) {
  crd_event_driven *event = group->event;
  crd_phase_point at;
  double margin[3];
  sample(group, t, &at);
  for (int c = 0; at.status == CRD_OK && c < event->ncontact; c++) {
    margins_of(event, &at, c, margin);
    for (int k = 2; k >= 0; k--)
      if (margin[k] + event->contact[c].offset[k] < 0) event->contact[c].failed = k;
  }
  for (int k = 0; at.status == CRD_OK && k < event->ndry; k++)
    event->dry[k].failed = dry_margin(group, &at, k) + event->dry[k].offset < 0;
}

void crd_event_arm(crd_group *group, int stalls) {
  crd_event_driven *event = group->event;
  /* smaller than the threshold of rest: a margin that fails by its offset leaves a contact at rest */
  double small = crd_event_accurate.begins * pow(10, stalls), margin[3];
  event->force_scale = 1, event->rows.count = 0;
  crd_phase_point at = crd_event_evaluate(group, group->now.t, group->now.q, group->now.v, group->now.act);
  if (at.status != CRD_OK) return; /* the first step will tell */
  event->force_scale = at.scale, event->orientation = at.answer.determinant < 0 ? -1 : 1;
  event->acceleration = 0;
  for (int k = 0; k < group->model->nv; k++) event->acceleration = fmax(event->acceleration, fabs(at.qacc[k]));
  /* and what surfaces bring about that bend from here on, an edge for one */
  if (event->ncontact > 0)
    event->acceleration = fmax(event->acceleration, event->velocity_scale * event->velocity_scale / group->scene->size);
  event->force_at[CRD_STEP_START] = event->force_at[CRD_STEP_MIDDLE] = event->force_at[CRD_STEP_END] = NAN;
  if (event->ncontact > 0) keep_force(event, &at, CRD_STEP_END, group->now.t);
  for (int c = 0; c < event->ncontact; c++) {
    margins_of(event, &at, c, margin);
    event->contact[c].failed = -1;
    for (int k = 0; k < 3; k++) event->contact[c].offset[k] = offset_of(margin[k], small);
  }
  event->joint_speed = crd_event_accurate.joint_speed;
  for (int k = 0; k < group->model->nv; k++) event->joint_speed = fmax(event->joint_speed, fabs(group->now.v[k]));
  for (int k = 0; k < event->ndry; k++)
    event->dry[k].offset = offset_of(dry_margin(group, &at, k), small), event->dry[k].failed = false;
}

/* At the end of a step: offsets that have served are dropped, directions follow. */
static void rearm(crd_group *group, const crd_phase_point *at) {
  crd_event_driven *event = group->event;
  const crd_contact_problem *problem = event->problem;
  double margin[3];
  for (int k = 0; k < event->ndry; k++)
    if (dry_margin(group, at, k) > crd_event_accurate.clear) event->dry[k].offset = 0;
  for (int c = 0; c < event->ncontact; c++) {
    crd_phase_contact *phase = &event->contact[c];
    margins_of(event, at, c, margin);
    for (int k = 0; k < 3; k++)
      if (margin[k] > crd_event_accurate.clear) phase->offset[k] = 0;
    if (c >= event->npointcontact) continue;
    const crd_contact *contact = &problem->contact[c];
    if (phase->mode.kind != CRD_PHASE_SLIP || contact->ntangent < 2) continue;
    phase->turn = phase->mode.turn;
    double d[3] = {0, 0, 0};
    for (int k = 0; k < 2; k++) crd_vec3_axpy(d, phase->mode.d[k], contact->tangent[k]);
    if (crd_vec3_norm(d) > NO_DIRECTION) crd_vec3_copy(phase->direction, d);
    phase->starts = phase->starts && !crd_event_has_started(event, c);
  }
}

/* ------------------------------------------------------------------------------------------------ gaps */

/* Poses and velocities at t. */
static void place(crd_group *group, double t, const double **q, const double **v) {
  crd_smooth_at(group, t, q, v, NULL, NULL);
  crd_sim_place(group, *q);
  crd_tree_velocity(group->model, group->stage->work, *v);
}

double crd_event_geom_speed(const crd_group *group, int g) {
  const crd_geom *geom = &group->model->geom[g];
  double V[6];
  if (geom->link < 0) return 0;
  crd_tree_point_velocity(group->model, group->stage->work, geom->body, group->seek->pos + 3 * g, V);
  double spin = crd_vec3_norm(V);
  return crd_vec3_norm(V + 3) + (spin > 0 ? spin * geom->radius : 0);
}

static double fastest_geom(const crd_group *group) {
  double fastest = 0;
  for (int g = 0; g < group->model->ngeom; g++) fastest = fmax(fastest, crd_event_geom_speed(group, g));
  return fastest;
}

/* Least gap of the points that approach without being held; *reached: when the first of them would touch by its present
 * velocity. Points that approach by rounding only do not count. */
static double least_gap(crd_group *group, double t, double *reached) {
  crd_event_driven *event = group->event;
  const double *q, *v;
  double least = event->reach;
  *reached = INFINITY;
  place(group, t, &q, &v);
  crd_sim_touches *found = &group->trial->touches;
  if (crd_sim_detect_reach(group, q, event->reach, INFINITY, &group->now.touches, found) != CRD_OK) return least;
  for (int i = 0; i < found->count; i++) {
    const crd_sim_touch *touch = &found->item[i];
    if (touch->active) continue;
    double closing = crd_sim_closing_speed(group, group->stage->work, &touch->at, q, v, NULL);
    /* slower than the threshold of rest, it has not begun to approach, unless it has come in already */
    if (closing <= 0 || (closing <= event->still && touch->at.gap >= -group->scene->gap_tolerance)) continue;
    least = fmin(least, touch->at.gap);
    *reached = fmin(*reached, touch->at.gap / closing);
  }
  return least;
}

static double gap_value(void *group, double t) {
  double reached;
  return least_gap(group, t, &reached);
}

/* First contact in [a, b]; INFINITY: none. reached: of a. */
static double scan(crd_group *group, double a, double b, double reached, int depth) {
  double reached_b, gap_b = least_gap(group, b, &reached_b);
  if (depth > 0 && gap_b >= 0 && reached >= b - a) return INFINITY;
  if (depth > 0 && gap_b >= 0 && depth < MOST_HALVINGS) {
    double middle = 0.5 * (a + b), reached_middle;
    double first = scan(group, a, middle, reached, depth + 1);
    if (first < INFINITY) return first;
    least_gap(group, middle, &reached_middle);
    return scan(group, middle, b, reached_middle, depth + 1);
  }
  if (gap_b >= 0) return INFINITY;
  return crd_root_find(&(crd_root_function){gap_value, group}, a, b);
}

static double first_contact(crd_group *group, double from, double to) {
  crd_event_driven *event = group->event;
  const double *q, *v;
  double reached;
  place(group, to, &q, &v);
  double fastest = fastest_geom(group);
  place(group, from, &q, &v);
  fastest = fmax(fastest, fastest_geom(group));
  double travel = isfinite(fastest) ? fastest * (to - from) : 0;
  event->reach = 2 * travel + group->scene->contact_band;
  double gap = least_gap(group, from, &reached);
  if (gap >= event->reach && group->trial->touches.count == 0) return INFINITY;
  int parts = 1 + (int)fmin(MOST_PARTS, 2 * travel / group->scene->size);
  for (int i = 0; i < parts; i++) {
    double a = from + (to - from) * i / parts, b = i + 1 == parts ? to : from + (to - from) * (i + 1) / parts;
    if (i > 0) least_gap(group, a, &reached);
    double first = scan(group, a, b, reached, 1);
    if (first < INFINITY) return first;
  }
  return INFINITY;
}

/* ------------------------------------------------------------------------------------------------ the step */

/* Where the margins of the phase fail in [from, to], INFINITY: nowhere. */
static double first_failure(crd_group *group, double from, double to) {
  crd_event_driven *event = group->event;
  crd_phase_point at = {.status = CRD_UNKNOWN};
  double middle = 0.5 * (from + to),
         *last = event->force[CRD_STEP_END]; /* the end of the step before is the start of this one */
  event->force[CRD_STEP_END] = event->force[CRD_STEP_START], event->force[CRD_STEP_START] = last;
  event->force_at[CRD_STEP_START] = event->force_at[CRD_STEP_END], event->force_at[CRD_STEP_END] = NAN;
  bool first_half = !crd_smooth_leapt(group) && sample(group, middle, &at) < 0;
  keep_force(event, &at, CRD_STEP_MIDDLE, middle);
  if (!first_half && sample(group, to, &at) >= 0) {
    event->gap_now = at.gap_max, event->loop_now = at.loop_max;
    keep_force(event, &at, CRD_STEP_END, to);
    rearm(group, &at);
    return INFINITY;
  }
  if (least_margin(group, from) < 0) return from;
  const crd_root_function margins = {least_margin, group};
  return crd_root_find(&margins, first_half ? from : middle, first_half ? middle : to);
}

/* Forces at the start, the middle and the end of the internal step as far as it is taken, from what the search has
 * evaluated or anew. Where a point has none (the phase ends there, or a leap hides it) those before it stand for them. */
static void complete_forces(crd_group *group, double from, double to) {
  crd_event_driven *event = group->event;
  const double t[3] = {from, 0.5 * (from + to), to};
  const size_t size = (size_t)event->problem->nrow * sizeof *event->force[CRD_STEP_START];
  for (int k = CRD_STEP_START; k <= CRD_STEP_END; k++) {
    crd_phase_point at = {.status = CRD_UNKNOWN};
    if (event->force_at[k] == t[k]) continue;
    if (k != CRD_STEP_MIDDLE || !crd_smooth_leapt(group)) sample(group, t[k], &at);
    keep_force(event, &at, k, t[k]);
    if (event->force_at[k] == t[k]) continue;
    if (k > CRD_STEP_START) memcpy(event->force[k], event->force[k - 1], size);
    if (k == CRD_STEP_START) memset(event->force[k], 0, size);
    event->force_at[k] = t[k];
  }
}

/* Of the parabola through these forces: nothing depends on where the step is cut by reports. */
void crd_event_add_impulses(crd_group *group, double from, double to) {
  crd_event_driven *event = group->event;
  const double begin = event->force_at[CRD_STEP_START], length = event->force_at[CRD_STEP_END] - begin;
  if (event->ncontact == 0 || !(length > 0)) return;
  const double s[2] = {(from - begin) / length, (to - begin) / length};
  double weight[3] = {0, 0, 0}; /* integrals of 1 - 3 s + 2 s^2, 4 s - 4 s^2, 2 s^2 - s */
  for (int i = 0; i < 2; i++) {
    const double sign = i ? length : -length, s2 = s[i] * s[i], s3 = s2 * s[i];
    weight[CRD_STEP_START] += sign * (s[i] - 1.5 * s2 + 2 * s3 / 3);
    weight[CRD_STEP_MIDDLE] += sign * (2 * s2 - 4 * s3 / 3);
    weight[CRD_STEP_END] += sign * (2 * s3 / 3 - 0.5 * s2);
  }
  for (int k = CRD_STEP_START; k <= CRD_STEP_END; k++)
    for (int i = 0; i < event->problem->nrow; i++) event->impulse[i] += weight[k] * event->force[k][i];
}

crd_status crd_event_search(crd_group *group, double from, double to, bool *found, double *at) {
  crd_event_driven *event = group->event;
  double failure = INFINITY;
  event->gap_now = event->loop_now = 0;
  double touch = first_contact(group, from, to);
  *at = fmin(touch, to);
  if (crd_event_has_rows(group)) failure = first_failure(group, from, *at);
  *at = fmin(failure, *at);
  if (failure < INFINITY) note_failures(group, failure);
  if (event->ncontact > 0) complete_forces(group, from, *at);
  *found = touch < INFINITY || failure < INFINITY;
  return CRD_OK;
}
