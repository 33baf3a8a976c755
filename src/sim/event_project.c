/* Return to the constraints of a phase, without which the drift of the accelerations would open and close its contacts:
 *
 *   q: Newton on gaps and loop errors g(q) = 0
 *   v: J v = 0 for normals, tangents that stick, loops and joints at rest
 *
 * by the smallest changes in the kinetic metric (least_change.c). */
#include <math.h>

#include "sim/event.h"

enum { MOST_ROUNDS = 8, VELOCITY_ROUNDS = 2 };
static const double SLOW = 0.5; /* of the last error left after a round: further ones gain nothing but rounding */

/* The phase's problem at group->now. */
static crd_status assemble(crd_group *group) {
  crd_event_driven *event = group->event;
  crd_arena_reset(&event->scratch);
  crd_tree_kinematics(group->model, group->stage->work, group->now.q);
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  crd_status status = crd_tree_factor(group->model, group->stage->work);
  if (status == CRD_OK) status = crd_event_rows(group, group->now.q, group->now.v);
  if (status != CRD_OK) return status;
  return crd_sim_reserve_rows(group, event->problem->nrow + event->problem->nb, event->problem->nc);
}

static void add_row(crd_group *group, int *n, int row, double error) {
  group->closing->chosen[(*n)++] = (crd_sim_chosen){.row = row, .error = -error};
}

static bool carries(const crd_event_driven *event, int c) { return event->contact[c].mode.kind >= CRD_PHASE_STICK; }

/* Gaps of the contacts that carry and loop errors into group->closing->chosen; *worst: the largest. */
static int position_rows(crd_group *group, double *worst) {
  const crd_contact_problem *problem = group->event->problem;
  int n = 0;
  for (int c = 0; c < problem->nc; c++)
    if (carries(group->event, c)) add_row(group, &n, problem->contact[c].row, problem->contact[c].gap);
  for (int b = 0; b < problem->nb - group->event->ndry; b++)
    add_row(group, &n, problem->nrow + b, problem->residual[b]);
  *worst = 0;
  for (int i = 0; i < n; i++) *worst = fmax(*worst, fabs(group->closing->chosen[i].error));
  return n;
}

static int velocity_rows(crd_group *group, const crd_contact_problem *problem, const crd_phase_mode *mode, int ndry,
                         const double *u) {
  int n = 0, first_dry = problem->nrow + problem->nb - ndry;
  for (int c = 0; c < problem->nc; c++) {
    const crd_contact *contact = &problem->contact[c];
    int rows = mode[c].kind < CRD_PHASE_STICK ? 0 : mode[c].kind == CRD_PHASE_STICK ? 1 + contact->ntangent : 1;
    for (int k = 0; k < rows; k++) add_row(group, &n, contact->row + k, u[contact->row + k]);
  }
  for (int b = problem->nrow; b < first_dry; b++) add_row(group, &n, b, u[b]);
  for (int k = 0; k < ndry; k++)
    if (mode[problem->nc + k].kind == CRD_PHASE_STICK) add_row(group, &n, first_dry + k, u[first_dry + k]);
  return n;
}

/* x = the change that n rows in group->closing->chosen want of the problem assembled last. */
static crd_status change(crd_group *group, const crd_contact_problem *problem, int n, double *x) {
  crd_status status = crd_sim_least_change(group, problem, group->closing->chosen, n, group->rows->w);
  if (status == CRD_OK) crd_contact_response(group->stage->assembler, group->stage->work, group->rows->w, x);
  return status;
}

/* Of the multipliers of the last change. */
static double normal_sum(const crd_group *group, const crd_contact_problem *problem, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < problem->nc; c++)
      if (problem->contact[c].row == group->closing->chosen[i].row)
        sum += group->rows->w[group->closing->chosen[i].row];
  return sum;
}

crd_status crd_event_stop_rows(crd_group *group, const crd_contact_problem *problem, const crd_phase_mode *mode,
                               int ndry) {
  crd_status status = crd_sim_reserve_rows(group, problem->nrow + problem->nb, problem->nc);
  for (int round = 0; status == CRD_OK && round < VELOCITY_ROUNDS; round++) {
    crd_contact_velocity(group->stage->assembler, group->stage->work, group->now.v, group->rows->u);
    int n = velocity_rows(group, problem, mode, ndry, group->rows->u);
    status = change(group, problem, n, group->event->change);
    for (int k = 0; status == CRD_OK && k < problem->nv; k++) group->now.v[k] += group->event->change[k];
    if (status == CRD_OK)
      group->event->stop_impulse = (round ? group->event->stop_impulse : 0) + normal_sum(group, problem, n);
  }
  return status;
}

/* The largest normal velocity of a contact that carries. */
static double fastest(const crd_event_driven *event) {
  const crd_contact_problem *problem = event->problem;
  double speed = 0;
  for (int c = 0; c < problem->nc; c++)
    if (carries(event, c)) speed = fmax(speed, fabs(problem->u[problem->contact[c].row]));
  return speed;
}

crd_status crd_event_project(crd_group *group, double most) {
  crd_event_driven *event = group->event;
  double worst, last = INFINITY;
  if (!crd_event_has_rows(group)) return CRD_OK;
  crd_status status = assemble(group);
  for (int round = 0; status == CRD_OK && round < MOST_ROUNDS; round++) {
    int n = position_rows(group, &worst);
    if (!(worst > crd_event_accurate.projected * group->scene->size) || worst >= SLOW * last) break;
    last = worst;
    status = change(group, event->problem, n, event->change);
    if (status != CRD_OK) break;
    crd_tree_integrate_position(group->model, group->now.q, event->change, 1, group->now.q);
    status = assemble(group);
  }
  if (status == CRD_OK && fastest(event) > most) return CRD_UNKNOWN;
  if (status != CRD_OK) return status;
  const crd_phase_mode *mode = crd_event_modes(group);
  return mode ? crd_event_stop_rows(group, event->problem, mode, event->ndry) : CRD_ERR_MEMORY;
}
