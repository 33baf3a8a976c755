/* Return to the constraints of a phase, without which the drift of the accelerations would open and close its contacts:
 *
 *   q: Newton on gaps and loop errors g(q) = 0,   dq = M^-1 J' f,   J M^-1 J' f = -g
 *   v: J v = 0 for normals, tangents that stick and loops, the same in one step
 *
 * the smallest changes in the kinetic metric. */
#include <math.h>
#include <string.h>

#include "sim/event.h"

enum { MOST_ROUNDS = 8 };

/* x (nv) = M^-1 J' f with J M^-1 J' f = -error on the rows that hold. */
static crd_status correction(crd_sim *sim, const double *error, bool tangents, double *x) {
  crd_event *event = sim->event;
  const crd_contact_problem *problem = event->problem;
  crd_held *held = crd_arena_alloc(&event->scratch, (size_t)problem->nc + 1, sizeof *held);
  if (!held) return CRD_ERR_MEMORY;
  for (int c = 0; c < problem->nc; c++) {
    crd_hold hold = crd_event_held(event, c)->hold;
    if (hold >= CRD_HOLD_STICK) held[c].hold = hold == CRD_HOLD_STICK && tangents ? CRD_HOLD_STICK : CRD_HOLD_SLIP;
  }
  crd_force_problem force = {.problem = problem, .a_free = error, .scale = INFINITY};
  crd_force_answer answer;
  crd_status status = crd_force_solve(&force, held, &event->tools, &answer);
  if (status != CRD_OK) return status;
  int nv = problem->nv;
  memset(x, 0, (size_t)nv * sizeof *x);
  for (int i = 0; i < problem->nrow + problem->nb; i++)
    for (int k = 0; k < nv; k++) x[k] += problem->X[(size_t)nv * (size_t)i + (size_t)k] * answer.f[i];
  return CRD_OK;
}

/* The phase's problem at sim->now. */
static crd_status assemble(crd_sim *sim) {
  crd_event *event = sim->event;
  crd_arena_reset(&event->scratch);
  crd_tree_kinematics(sim->model, sim->work, sim->now.q);
  crd_tree_velocity(sim->model, sim->work, sim->now.v);
  crd_status status = crd_tree_factor(sim->model, sim->work);
  if (status == CRD_OK) status = crd_event_rows(sim, sim->now.q, sim->now.v);
  return status;
}

/* Errors of the rows in *error (scratch memory); returns the largest. */
static double errors(crd_event *event, double **error) {
  const crd_contact_problem *problem = event->problem;
  double worst = 0;
  *error = crd_arena_alloc(&event->scratch, (size_t)(problem->nrow + problem->nb) + 1, sizeof **error);
  if (!*error) return NAN;
  for (int c = 0; c < problem->nc; c++) {
    if (crd_event_held(event, c)->hold < CRD_HOLD_STICK) continue;
    (*error)[problem->contact[c].row] = problem->contact[c].gap;
    worst = fmax(worst, fabs(problem->contact[c].gap));
  }
  for (int b = 0; b < problem->nb; b++) {
    (*error)[problem->nrow + b] = problem->residual[b];
    worst = fmax(worst, fabs(problem->residual[b]));
  }
  return worst;
}

/* The largest normal velocity of a contact that holds. */
static double fastest(const crd_event *event) {
  const crd_contact_problem *problem = event->problem;
  double speed = 0;
  for (int c = 0; c < problem->nc; c++)
    if (crd_event_held(event, c)->hold >= CRD_HOLD_STICK)
      speed = fmax(speed, fabs(problem->u[problem->contact[c].row]));
  return speed;
}

crd_status crd_event_project(crd_sim *sim, double most) {
  crd_event *event = sim->event;
  double *error, last = INFINITY;
  if (!crd_event_has_rows(sim)) return CRD_OK;
  crd_status status = assemble(sim);
  for (int round = 0; status == CRD_OK && round < MOST_ROUNDS; round++) {
    double worst = errors(event, &error);
    if (!(worst > 1e-15 * sim->size) || worst >= 0.5 * last) break;
    last = worst;
    status = correction(sim, error, false, event->qacc);
    if (status != CRD_OK) break;
    crd_tree_integrate_position(sim->model, sim->now.q, event->qacc, 1, sim->now.q);
    status = assemble(sim);
  }
  if (status == CRD_OK && fastest(event) > most) return CRD_UNKNOWN;
  if (status == CRD_OK) status = correction(sim, event->problem->u, true, event->qacc);
  for (int k = 0; status == CRD_OK && k < sim->model->nv; k++) sim->now.v[k] += event->qacc[k];
  return status;
}
