/* A step of the event-driven integrator: resolve the instant, carry the phase on to its first event or the end of the
 * step, and again (docs/simulation.md).
 *
 * The end of a step is no end of a phase: CVODE goes beyond it, and the state there is interpolated. A control
 * callback may change from step to step, so that with one phases end with the step. A simulation that is saved inside a
 * phase is saved at its beginning, too, and repeats it when restored: to the same bits. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "sim/event.h"
#include "sim/sim_state.h"

/* Phases in a row that may end where they began, or all but there; internal steps of a phase, which whoever restores it
 * has to repeat. */
enum { MOST_STALLS = 5, LONGEST_PHASE = 1000 };

const crd_event_accuracy crd_event_accurate = {.slow = 1e-5,
                                               .least_speed = 1e-3,
                                               .joint_still = 1e-12,
                                               .joint_speed = 1e-3,
                                               .asleep = 1e-3,
                                               .begins = 1e-11,
                                               .clear = 1e-6,
                                               .drift = 0.2,
                                               .parts = 1e-5,
                                               .reach = 1e-4,
                                               .projected = 1e-15,
                                               .brief = 1e-9,
                                               .carry = 1e-6,
                                               .farthest = 1e-2,
                                               .horizon = 1000,
                                               .instant = 1e-14,
                                               .stops = 1e-6,
                                               .started = 1e-5,
                                               .spread = 1e-6,
                                               .folded = 1e-8,
                                               .turned = 1e-13,
                                               .relative = 1e-11,
                                               .absolute = 1e-13,
                                               .loosest = 1e-7,
                                               .first = 2e-4};

/* ------------------------------------------------------------------------------------------------ life */

#ifdef CRADLE_WITH_SUNDIALS
static crd_status reserve_rows(crd_event_driven *event, const crd_model *model) {
  size_t loops = 0, nv = (size_t)model->nv;
  for (int l = 0; l < model->nloop; l++) loops += (size_t)model->loop[l].rows;
  const size_t ndry = nv + (size_t)model->ntendon + 1;
  event->nloop_row = (int)loops;
  if (CRD_TAKE(&event->arena, CRD_ARRAY(event->dry, ndry), CRD_ARRAY(event->bound, ndry),
               CRD_ARRAY(event->qacc, nv + 1), CRD_ARRAY(event->change, nv + 1), CRD_ARRAY(event->loop_base, loops + 1),
               CRD_ARRAY(event->loop_unit, loops + 1), CRD_ARRAY(event->loop_row, loops + 1)))
    return CRD_ERR_MEMORY;
  for (int i = 0; i < model->nv + model->ntendon; i++) {
    const double bound = i < model->nv ? model->dof_frictionloss[i] : model->tendon[i - model->nv].frictionloss;
    if (!(bound > 0)) continue;
    event->bound[event->ndry] = bound;
    event->dry[event->ndry++] = (crd_phase_dry){.dof = i, .mode.kind = CRD_PHASE_STICK};
  }
  return CRD_OK;
}
#endif

crd_status crd_event_new(crd_group *group, crd_error *err) {
#ifndef CRADLE_WITH_SUNDIALS
  (void)group;
  return crd_error_set(err, CRD_ERR_ARGUMENT, NULL, 0,
                       "integrator event: this build has no SUNDIALS (CRADLE_WITH_SUNDIALS), expected rk4, euler or "
                       "midpoint");
#else
  crd_event_driven *event = calloc(1, sizeof *event);
  if (!event) return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the integrator");
  group->event = event;
  crd_status status = crd_surface_init(&event->surface, group->model);
  event->problem = crd_contact_problem_new();
  event->tools = (crd_force_tools){.cones = group->rows->coulomb,
                                   .equations = &event->equations,
                                   .arena = &event->scratch,
                                   .stop = group->options->stop,
                                   .context = group->options->stop_context};
  if (status == CRD_OK) status = reserve_rows(event, group->model);
  if (status == CRD_OK && event->problem && crd_event_reserve(event, 16) == CRD_OK &&
      (event->smooth = crd_smooth_new(group)))
    return CRD_OK;
  crd_event_free(event);
  group->event = NULL;
  return crd_error_set(err, CRD_ERR_MEMORY, NULL, 0, "no memory for the integrator");
#endif
}

void crd_event_free(crd_event_driven *event) {
  if (!event) return;
  crd_smooth_free(event->smooth);
  crd_surface_free(&event->surface);
  crd_contact_problem_free(event->problem);
  crd_arena_free(&event->arena);
  crd_arena_free(&event->scratch);
  crd_force_memory_free(&event->equations);
  crd_arena_free(&event->phase_arena);
  free(event->checkpoint);
  free(event);
}

void crd_event_reset(crd_event_driven *event) {
  memset(&event->kept, 0, sizeof event->kept);
  event->nfollowed = event->nlimit = event->ncontact = event->npointcontact = 0;
  event->rest_known = event->phase.runs = false;
}

/* ------------------------------------------------------------------------------------------------ a phase */

/* Makes (t, q, v) of the last internal step the present state. */
static crd_status take_state(crd_group *group, double t) {
  crd_event_driven *event = group->event;
  crd_status status = CRD_OK;
  const double *q, *v, *act;
  crd_smooth_at(group, t, &q, &v, &act, NULL);
  memset(group->stage->displacement, 0, (size_t)group->model->nv * sizeof *group->stage->displacement);
  crd_tree_integrate_position(group->model, q, group->stage->displacement, 1, group->now.q); /* unit quaternions */
  memcpy(group->now.v, v, (size_t)group->model->nv * sizeof *group->now.v);
  if (group->model->nact > 0) memcpy(group->now.act, act, (size_t)group->model->nact * sizeof *act);
  crd_tree_clamp_activation(group->model, group->now.act);
  group->now.t = t;
  crd_sim_place(group, group->now.q);
  if (t == event->phase.reached) { /* a state in between leaves no trace in the phase */
    status =
        crd_surface_locate(&event->surface, group->stage->work, event->followed, event->nfollowed, group->scene->size);
    if (status == CRD_OK) crd_surface_remember(&event->surface, group->stage->work, event->followed, event->nfollowed);
  }
  return crd_sim_detect_now(group);
}

/* Books the works since the last time. Returns the work of the contacts. */
static double book_works(crd_group *group, double t) {
  const double *q, *v, *works;
  double *before = group->event->phase.works, done[CRD_WORKS];
  crd_smooth_at(group, t, &q, &v, NULL, &works);
  for (int i = 0; i < CRD_WORKS; i++) done[i] = works[i] - before[i], before[i] = works[i];
  group->now.work.actuation += done[CRD_WORK_ACTUATION];
  group->now.work.damping += done[CRD_WORK_DAMPING];
  group->now.work.contact += done[CRD_WORK_CONTACT];
  group->now.work.loop += done[CRD_WORK_LOOP];
  crd_sim_note_gain(group, done[CRD_WORK_CONTACT], done[CRD_WORK_CONTACT]);
  return done[CRD_WORK_CONTACT];
}

/* The work of the phase, shared by the contacts that slid as they took part in the impulse of friction. */
static void share_work(crd_group *group, double work) {
  const crd_event_driven *event = group->event;
  double sum = 0;
  for (int c = 0; c < event->problem->nc; c++) {
    const crd_contact *contact = &event->problem->contact[c];
    const double *p = event->impulse + contact->row;
    bool slid = event->mode[c] == CRD_MODE_SLIP && contact->ntangent > 0;
    group->rows->done[c] = slid ? hypot(p[1], contact->ntangent > 1 ? p[2] : 0) : 0;
    sum += group->rows->done[c];
  }
  for (int c = 0; c < event->problem->nc; c++) group->rows->done[c] *= sum > 0 ? work / sum : 0;
}

static void clear_impulses(crd_group *group) {
  crd_event_driven *event = group->event;
  memset(event->impulse, 0, 3 * sizeof *event->impulse * (size_t)event->capacity);
}

/* Mode of contact c of event->problem from now on: unchanged, unless its margin ended the phase. */
static crd_mode next_mode(const crd_phase_contact *phase) {
  if (phase->failed == 0) return CRD_MODE_SEPARATE;
  if (phase->failed == 1) return phase->mode.kind == CRD_PHASE_STICK ? CRD_MODE_SLIP : CRD_MODE_STICK;
  return phase->mode.kind == CRD_PHASE_SLIP ? CRD_MODE_SLIP : crd_event_mode(&phase->mode);
}

/* Forces at the end of the phase, and who ended it, into the touches and the dry friction of (now): the next modes begin
 * with them. A joint that is to be held has less than its bound, however little. */
static void keep_forces(crd_group *group, const double *f) {
  crd_event_driven *event = group->event;
  const crd_contact_problem *problem = event->problem;
  for (int c = 0; c < problem->nc; c++) {
    const crd_phase_contact *phase = &event->contact[c];
    crd_touch_force force = crd_event_touch_force(&problem->contact[c], f, next_mode(phase));
    for (int i = 0; i < group->now.touches.count; i++) {
      crd_sim_touch *touch = &group->now.touches.item[i];
      if (touch->phase == phase->source + 1) touch->guess = force, touch->starts = phase->starts;
    }
  }
  for (int k = 0; k < event->ndry; k++) {
    const crd_phase_dry *dry = &event->dry[k];
    double *force = &group->now.dry[dry->dof], most = event->bound[k];
    bool slips = (dry->mode.kind == CRD_PHASE_SLIP) != dry->failed;
    *force = f[problem->nrow + problem->nb - event->ndry + k];
    *force = copysign(slips ? most : fmin(fabs(*force), nextafter(most, 0)), *force);
  }
}

void crd_event_interrupt(crd_group *group) {
  crd_event_driven *event = group->event;
  if (event->phase.runs && crd_event_has_rows(group)) {
    crd_phase_point at = crd_event_evaluate(group, group->now.t, group->now.q, group->now.v, group->now.act);
    if (at.status == CRD_OK) keep_forces(group, at.answer.f);
  }
  event->rest_known = event->phase.runs = false;
}

/* Impulses of the phase into the list of the step. */
static void book_impulses(crd_group *group, double work) {
  crd_event_driven *event = group->event;
  if (!crd_event_has_rows(group)) return;
  crd_phase_point at = crd_event_evaluate(group, group->now.t, group->now.q, group->now.v, group->now.act);
  if (at.status == CRD_OK && !event->phase.runs) keep_forces(group, at.answer.f);
  if (at.status !=
      CRD_OK) { /* the phase ends where there are no forces: rows and contacts as the internal step began */
    const double *q, *v, *act, begin = event->force_at[CRD_STEP_START];
    crd_smooth_at(group, begin, &q, &v, &act, NULL);
    at = crd_event_evaluate(group, begin, q, v, act);
  }
  if (at.status != CRD_OK) return;
  crd_contact_problem *problem = group->rows->problem, *own = event->problem;
  const crd_phase_mode *mode = crd_event_modes(group);
  if (!mode || crd_sim_reserve_rows(group, own->nrow + own->nb, own->nc) != CRD_OK) return;
  for (int c = 0; c < own->nc; c++) event->mode[c] = crd_event_mode(&mode[c]);
  share_work(group, work);
  crd_contact_names(group->stage->assembler, event->point, event->nfollowed, own);
  group->rows->problem = own;
  crd_sim_note_impulse(group, event->impulse);
  crd_sim_add_impulses(group, event->impulse, own->u, event->mode, group->rows->done);
  group->rows->problem = problem;
  clear_impulses(group);
}

/* Have the contacts and loops of the phase left their place? */
static bool has_drifted(crd_group *group) {
  const crd_event_driven *event = group->event;
  group->ledger.counters.loop_max = fmax(group->ledger.counters.loop_max, event->loop_now);
  const double drift = crd_event_accurate.drift;
  return event->gap_now > drift * group->scene->contact_band ||
         event->loop_now > drift * group->options->loop_tolerance;
}

/* Nobody knows when the control changes, or pushes act in this step alone: phases end with the step. */
static bool ends_with_step(const crd_group *group) {
  return (group->options->control && !group->options->control_next) || group->inputs->nnext > 0;
}

/* Remembers the present state as that in which a phase is about to begin. */
static crd_status set_checkpoint(crd_group *group) {
  crd_event_driven *event = group->event;
  size_t size = crd_sim_saved_size(group->sim);
  if (ends_with_step(group)) return CRD_OK;
  if (size > event->checkpoint_room) {
    void *larger = realloc(event->checkpoint, size + size / 2);
    if (!larger) return crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %zu bytes of state", size);
    event->checkpoint = larger, event->checkpoint_room = size + size / 2;
  }
  event->checkpoint_size = size;
  return crd_sim_save(group->sim, event->checkpoint, size);
}

/* The pair whose limit is due first, NULL: none. */
static crd_sim_rebound *next_limit(const crd_group *group) {
  crd_sim_rebound *next = NULL;
  for (int i = 0; i < group->ledger.nrebound; i++) {
    crd_sim_rebound *pair = &group->ledger.rebound[i];
    if (isfinite(pair->due) && (!next || pair->due < next->due)) next = pair;
  }
  return next;
}

/* When a phase that begins now ends at the latest. */
static double stop_of_phase(crd_group *group, double end) {
  const crd_event_driven *event = group->event;
  const crd_sim_rebound *due = next_limit(group);
  double stop =
      ends_with_step(group) || event->kept.asleep ? end : group->now.t + crd_event_accurate.horizon * event->pace;
  if (group->options->control && group->options->control_next)
    stop = fmin(stop, group->options->control_next(group->options->control_context, group->now.t));
  return due ? fmin(due->due, stop) : stop;
}

static crd_status begin_phase(crd_group *group, double end, int stalls) {
  crd_event_driven *event = group->event;
  event->phase =
      (crd_phase){.runs = true, .begun = group->now.t, .reached = group->now.t, .stop = stop_of_phase(group, end)};
  if (event->kept.asleep) return CRD_OK;
  crd_event_arm(group, stalls);
  clear_impulses(group);
  return crd_smooth_start(group, event->phase.stop);
}

/* The next internal step of the phase, up to its first event. */
static crd_status continue_phase(crd_group *group) {
  crd_event_driven *event = group->event;
  crd_phase *phase = &event->phase;
  double from, to;
  bool found;
  crd_status status = crd_sim_stopped(group) ? CRD_STOPPED : crd_smooth_step(group, &from, &to);
  if (status == CRD_OK) status = crd_event_search(group, from, to, &found, &phase->reached);
  if (status != CRD_OK) return status;
  phase->over = found || phase->reached >= phase->stop || ++phase->steps >= LONGEST_PHASE || has_drifted(group);
  return CRD_OK;
}

/* Carries the phase on until it is over, or to `end`, which it may go beyond. */
static crd_status run_phase(crd_group *group, double end) {
  crd_event_driven *event = group->event;
  crd_phase *phase = &event->phase;
  double start = group->now.t;
  crd_status status = CRD_OK;
  if (event->kept.asleep) {
    group->now.t = phase->stop;
    if (group->options->control) event->rest_known = false; /* it may have changed */
    crd_event_book_rest(group, group->now.t - start);
    phase->runs = false;
    return CRD_OK;
  }
  while (status == CRD_OK && group->now.t < end && !(phase->over && group->now.t >= phase->reached)) {
    if (group->now.t >= phase->reached) status = continue_phase(group);
    double from = group->now.t, to = fmin(phase->reached, end);
    if (status == CRD_OK) crd_event_add_impulses(group, from, to);
    if (status == CRD_OK) status = take_state(group, to);
  }
  if (status < CRD_OK) return status;
  const crd_status ended = status; /* a verdict: the step ends here and keeps its motion so far */
  phase->runs = ended == CRD_OK && !(phase->over && group->now.t >= phase->reached);
  book_impulses(group, book_works(group, group->now.t));
  crd_event_book_rest(group, group->now.t - start);
  /* what held has drifted by the tolerances only: the next instant must not take that for parting. A point that leapt
   * to another place (the lowest one of a rim) has a velocity of its own, and strikes or parts */
  status = crd_event_project(group, crd_event_accurate.parts * event->velocity_scale);
  if (status < CRD_OK) return status;
  return ended != CRD_OK || status == CRD_UNKNOWN || status == CRD_SINGULAR ? ended : status;
}

static void tell_limits(crd_group *group) {
  for (;;) {
    crd_sim_rebound *next = next_limit(group);
    if (!next || next->due > group->now.t) return;
    crd_sim_event event = {
        .t = next->due, .kind = CRD_EVENT_ZENO, .contact = next->name, .count = 1, .energy = next->energy};
    next->due = INFINITY;
    crd_sim_emit(group, &event);
  }
}

/* ------------------------------------------------------------------------------------------------ a step */

/* To the end of the present phase, or of the step. A verdict: there is no phase, or none that goes on. */
static crd_status advance_phase(crd_group *group, double end, int *impacts, int *stalls) {
  crd_event_driven *event = group->event;
  const double least = crd_event_accurate.instant * (1 + fabs(end));
  const int before = *impacts;
  crd_status status = CRD_OK;
  if (!event->phase.runs) {
    event->control_t = group->now.t;
    if (!event->rest_known) status = set_checkpoint(group);
    if (status == CRD_OK && !event->rest_known) status = crd_event_resolve_instant(group, *stalls, impacts);
    if (status == CRD_OK) status = begin_phase(group, end, *stalls);
    if (status != CRD_OK) return status;
  }
  double until = fmin(event->phase.stop, end);
  if (until - group->now.t > least) status = run_phase(group, end);
  if (status == CRD_LIMIT) status = crd_sim_fail(group, status, "no smooth motion from t = %g s on", group->now.t);
  if (status != CRD_OK) return status;
  if (until - group->now.t <= least) {
    group->now.t = until;
    event->phase.runs = event->phase.runs && until < event->phase.stop;
  }
  const double brief = *impacts > before ? least : fmax(least, crd_event_accurate.brief * event->pace);
  const bool stalled = !event->phase.runs && group->now.t < end && group->now.t - event->phase.begun <= brief;
  *stalls = stalled ? *stalls + 1 : 0;
  if (*stalls <= MOST_STALLS) return CRD_OK;
  return crd_sim_fail(group, CRD_LIMIT, "contacts change their modes without end at t = %g s", group->now.t);
}

/* Where no phase begins or goes on Moreau and Jean's scheme leads on, as it does for steps: briefly at first, four times
 * as far where that has not helped. The event `limit` tells of it. */
static crd_status carry_over(crd_group *group, double end) {
  enum { GROWTH = 4, AGAIN = 10 }; /* again: within so many times what was carried over before */
  crd_event_driven *event = group->event;
  crd_event_memory *kept = &event->kept;
  const double shortest = fmax(crd_event_accurate.carry * event->pace, crd_event_accurate.instant * (1 + fabs(end)));
  const double most = fmax(crd_event_accurate.farthest * event->pace, shortest);
  const bool again = kept->carry > 0 && group->now.t - kept->carried <= AGAIN * kept->carry;
  kept->carry = again ? fmin(GROWTH * kept->carry, most) : shortest;
  double length = fmin(kept->carry, end - group->now.t);
  if (group->options->control && group->options->control_next)
    length = fmin(length, group->options->control_next(group->options->control_context, group->now.t) - group->now.t);
  event->phase.runs = event->rest_known = false, kept->asleep = 0;
  memset(group->trees->rests, 0, sizeof *group->trees->rests * (size_t)group->scene->ntree);
  crd_status status = crd_sim_carry_over(group, length);
  kept->carried = group->now.t, group->message[0] = 0;
  return status;
}

static crd_status advance(crd_group *group, double end) {
  int impacts = 0, stalls = 0;
  while (group->now.t < end) {
    crd_status status = advance_phase(group, end, &impacts, &stalls);
    if (status > CRD_OK) status = carry_over(group, end), impacts = stalls = 0;
    if (status != CRD_OK) return status;
    tell_limits(group);
  }
  return CRD_OK;
}

crd_status crd_event_replay(crd_group *group, double t) {
  crd_sim_observer *observer = &group->sim->options.observer, kept = *observer;
  *observer = (crd_sim_observer){0};
  crd_status status = advance(group, t);
  *observer = kept;
  return status;
}

crd_status crd_event_advance(crd_group *group, double h) {
  double end = group->now.t + h;
  crd_event_memory kept = group->event->kept;
  crd_status status = crd_group_keep_start(group);
  group->listed.ncontact = 0, group->message[0] = 0;
  if (status == CRD_OK) status = advance(group, end);
  if (status != CRD_OK) {
    crd_group_return_to_start(group);
    group->event->kept = kept, group->event->rest_known = group->event->phase.runs = false;
    return status;
  }
  crd_sim_sense_end(group->sim, h);
  group->ledger.counters.steps++;
  group->ledger.counters.contacts += group->listed.ncontact;
  return CRD_OK;
}
