/* A step of the event-driven integrator: settle the contacts, carry the phase on to its first event or the end of the
 * step, and again (docs/simulation.md). */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/event.h"

/* Phases in a row that may end where they began. */
enum { MOST_STALLS = 5 };

/* ------------------------------------------------------------------------------------------------ life */

crd_status crd_event_new(crd_sim *sim, crd_error *err) {
#ifndef CRADLE_WITH_SUNDIALS
  (void)sim;
  return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                       "integrator event: this build has no SUNDIALS (CRADLE_WITH_SUNDIALS), expected rk4, euler or "
                       "midpoint");
#else
  crd_event *event = calloc(1, sizeof *event);
  if (!event) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the integrator");
  sim->event = event;
  crd_status status = crd_surface_init(&event->surface, sim->model);
  event->plain = crd_problem_new();
  event->tools = (crd_force_tools){.cones = sim->coulomb, .equations = &event->equations, .arena = &event->scratch};
  if (status == CRD_OK) status = crd_dry_init(&event->dries, sim->model);
  event->qacc = calloc((size_t)sim->model->nv + 1, sizeof *event->qacc);
  for (int j = 0; j < sim->model->njoint; j++) event->has_limits = event->has_limits || sim->model->joint[j].limited;
  if (status == CRD_OK && event->plain && event->qacc && crd_event_reserve(event, 16) == CRD_OK &&
      (event->smooth = crd_smooth_new(sim)))
    return CRD_OK;
  crd_event_free(event);
  sim->event = NULL;
  return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the integrator");
#endif
}

void crd_event_free(crd_event *event) {
  if (!event) return;
  crd_smooth_free(event->smooth);
  crd_surface_free(&event->surface);
  crd_problem_free(event->plain);
  crd_dry_free(&event->dries);
  crd_arena_free(&event->scratch);
  crd_force_memory_free(&event->equations);
  crd_arena_free(&event->phase_arena);
  free(event->qacc);
  free(event);
}

void crd_event_reset(crd_event *event) {
  memset(&event->kept, 0, sizeof event->kept);
  event->nfollowed = event->ncontact = event->npointcontact = 0;
  event->rest_known = false;
}

/* ------------------------------------------------------------------------------------------------ a phase */

/* Makes (t, q, v) of the last internal step the present state. */
static crd_status take_state(crd_sim *sim, double t) {
  crd_event *event = sim->event;
  const double *q, *v;
  crd_smooth_at(sim, t, &q, &v, NULL);
  memset(sim->chart, 0, (size_t)sim->model->nv * sizeof *sim->chart);
  crd_tree_integrate_position(sim->model, q, sim->chart, 1, sim->now.q); /* unit quaternions */
  memcpy(sim->now.v, v, (size_t)sim->model->nv * sizeof *sim->now.v);
  sim->now.t = t;
  crd_sim_place(sim, sim->now.q);
  crd_status status = crd_surface_locate(&event->surface, sim->work, event->followed, event->nfollowed, sim->size);
  if (status == CRD_OK) crd_surface_remember(&event->surface, sim->work, event->followed, event->nfollowed);
  status = crd_sim_detect(sim, sim->now.q, sim->closed, &sim->now.touches, &sim->trial.touches);
  if (status != CRD_OK) return status;
  crd_sim_touches fresh = sim->trial.touches;
  sim->trial.touches = sim->now.touches, sim->now.touches = fresh;
  return CRD_OK;
}

/* Returns the work of the contacts. */
static double book_works(crd_sim *sim, double t) {
  const double *q, *v, *works;
  crd_smooth_at(sim, t, &q, &v, &works);
  sim->now.work.actuation += works[CRD_WORK_ACTUATION];
  sim->now.work.damping += works[CRD_WORK_DAMPING];
  sim->now.work.contact += works[CRD_WORK_CONTACT];
  sim->now.work.loop += works[CRD_WORK_LOOP];
  crd_sim_note_gain(sim, works[CRD_WORK_CONTACT]);
  return works[CRD_WORK_CONTACT];
}

/* The work of the phase, shared by the contacts that slid as they took part in the impulse of friction. */
static void share_work(crd_sim *sim, double work) {
  const crd_event *event = sim->event;
  double sum = 0;
  for (int c = 0; c < event->plain->nc; c++) {
    const crd_contact *contact = &event->plain->contact[c];
    const double *p = event->impulse + contact->row;
    bool slid = event->mode[c] == CRD_MODE_SLIP && contact->ntangent > 0;
    sim->done[c] = slid ? hypot(p[1], contact->ntangent > 1 ? p[2] : 0) : 0;
    sum += sim->done[c];
  }
  for (int c = 0; c < event->plain->nc; c++) sim->done[c] *= sum > 0 ? work / sum : 0;
}

/* Impulses of the phase into the list of the step. */
static void book_impulses(crd_sim *sim, double work) {
  crd_event *event = sim->event;
  if (event->ncontact == 0) return;
  crd_phase_point at = crd_event_evaluate(sim, sim->now.t, sim->now.q, sim->now.v, false);
  if (at.status != CRD_OK) return;
  for (int c = 0; c < event->plain->nc; c++) event->mode[c] = crd_event_mode(crd_event_held(event, c));
  if (crd_sim_hold_reserve(sim, event->plain->nrow + event->plain->nb, event->plain->nc) != CRD_OK) return;
  share_work(sim, work);
  crd_contact_names(sim->assembler, event->point, event->nfollowed, event->plain);
  crd_contact_problem *problem = sim->problem;
  sim->problem = event->plain;
  crd_sim_add_impulses(sim, event->impulse, event->plain->u, event->mode, sim->done);
  sim->problem = problem;
}

/* Have the contacts and loops of the phase left their place? */
static bool has_drifted(crd_sim *sim) {
  const crd_event *event = sim->event;
  sim->counters.loop_max = fmax(sim->counters.loop_max, event->loop_now);
  return event->gap_now > 0.2 * sim->closed || event->loop_now > 0.2 * sim->options.loop_tolerance;
}

/* Carries the phase on until its first event, its drift, or `stop`. */
static crd_status run_phase(crd_sim *sim, double stop) {
  crd_event *event = sim->event;
  double from, to, at = sim->now.t;
  bool found = false;
  if (event->kept.asleep) {
    crd_event_book_rest(sim, stop - sim->now.t);
    sim->now.t = stop;
    return CRD_OK;
  }
  double start = sim->now.t;
  memset(event->impulse, 0, sizeof *event->impulse * 3 * (size_t)(event->capacity + 2 * sim->model->njoint));
  crd_status status = crd_smooth_start(sim, stop);
  while (status == CRD_OK && !found && at < stop) {
    status = crd_smooth_step(sim, &from, &to);
    if (status == CRD_OK) status = crd_event_search(sim, from, to, &found, &at);
    if (status == CRD_OK) status = take_state(sim, at);
    if (status == CRD_OK && !found && at < stop && has_drifted(sim)) break;
  }
  if (status != CRD_OK) return status;
  book_impulses(sim, book_works(sim, at));
  crd_event_book_rest(sim, at - start);
  /* what held has drifted by the tolerances only: the next settling must not take that for parting. A point that leapt
   * to another place (the lowest one of a rim) has a velocity of its own, and strikes or parts */
  status = crd_event_project(sim, 1e-5 * event->velocity_scale);
  return status == CRD_UNKNOWN || status == CRD_SINGULAR ? CRD_OK : status;
}

static void tell_limits(crd_sim *sim) {
  for (;;) {
    crd_zeno_pair *next = crd_zeno_next(&sim->event->kept.zeno);
    if (!next || next->due > sim->now.t) return;
    crd_sim_event event = {
        .t = next->due, .kind = CRD_EVENT_ZENO, .contact = next->name, .count = 1, .energy = next->energy};
    next->due = INFINITY;
    crd_sim_emit(sim, &event);
  }
}

/* ------------------------------------------------------------------------------------------------ a step */

static crd_status advance(crd_sim *sim, double end) {
  int impacts = 0, stalls = 0;
  while (sim->now.t < end) {
    double start = sim->now.t;
    crd_status status = CRD_OK;
    if (!sim->event->rest_known) status = crd_event_settle(sim, stalls, &impacts);
    if (status != CRD_OK) return status;
    const crd_zeno_pair *due = crd_zeno_next(&sim->event->kept.zeno);
    double stop = due && due->due < end ? due->due : end, least = 1e-14 * (1 + fabs(end));
    if (stop - start > least) {
      crd_event_arm(sim, stalls);
      status = run_phase(sim, stop);
      if (status == CRD_LIMIT) status = crd_sim_fail(sim, status, "no smooth motion from t = %g s on", sim->now.t);
      if (status != CRD_OK) return status;
    }
    if (stop - sim->now.t <= least) sim->now.t = stop;
    tell_limits(sim);
    stalls = sim->now.t - start > least ? 0 : stalls + 1;
    if (stalls > MOST_STALLS)
      return crd_sim_fail(sim, CRD_LIMIT, "contacts change their modes without end at t = %g s", sim->now.t);
  }
  return CRD_OK;
}

crd_status crd_event_advance(crd_sim *sim, double h) {
  double end = sim->now.t + h;
  crd_sim_copy_moment(sim, &sim->start, &sim->now);
  crd_event_memory kept = sim->event->kept;
  sim->ncontact = 0, sim->message[0] = 0;
  sim->event->slow_impacts = 0;
  crd_status status = advance(sim, end);
  if (status != CRD_OK) {
    crd_sim_copy_moment(sim, &sim->now, &sim->start);
    sim->event->kept = kept, sim->event->rest_known = false;
    return status;
  }
  sim->counters.steps++;
  sim->counters.contacts += sim->ncontact;
  if (sim->options.observer.step) sim->options.observer.step(sim->options.observer.context, sim);
  return CRD_OK;
}
