/* A step: impacts at the present instant, motion to the next event or the end of the step, again until the step is
 * done.
 *
 * A trial (src/sim/trial.c) shows whether its motion can be taken. What it may show, and what is done about it:
 *
 *   forecast   the forces of the last step lead away from a  again, without these
 *              contact, or it turns too far for them
 *   forces     it misses energy                            once more with the forces that it has found
 *   coarse     it still does, or the free motion is not     half the time, remembered for the next pieces
 *              resolved
 *   unsolved   no forces hold the contacts, or the instant  a quarter of the time, twice; then Moreau and Jean
 *              at which a gap closes is not found
 *   thin       a body moved further than it is thick        the time in which none does
 *   closes     a gap closes                                 the instant at which it does (time_of_impact.c)
 *   crowded    more than max_impacts gaps close in the step the rest of the step after Moreau and Jean, in halves as long as
 *                                                           its free motion is coarse
 *   strays     a body leaves the bounds of its group        the step anew, with wider ones (local_time.c)
 *
 * crd_sim_counters.retries counts them. Moreau's and Jean's time stepping takes whatever happens in
 * one Coulomb problem, so that every step ends after bounded work: after max_impacts impacts, after MOST_TRIALS trials,
 * where no forces are found, and at once where so many contacts persist that their forces are not solved to the
 * accuracy of a trial.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/activation.h"
#include "sim/event.h"
#include "sim/groups.h"
#include "sim/local_time.h"
#include "sim/partition.h"
#include "sim/time_of_impact.h"
#include "sim/tunnel.h"

enum {
  MOST_PIECES = 16,   /* of a step that is too coarse */
  MOST_TRIALS = 100,  /* of a step */
  MANY_CONTACTS = 200 /* that persist and act on each other: above it the solver stops at a tolerance of its own */
};
static const double MISSED_ENERGY = 1e-3;  /* of the kinetic energy: largest unaccounted change in a trial */
static const double TIME_ROUNDING = 1e-13; /* of the step: a shorter remainder is rounding */
static const double SAME_STEP = 1e-9;      /* of the step: a rest that differs from a step by less is one, or none */

static void count(crd_group *group, crd_sim_retry retry) { group->ledger.counters.retries[retry]++; }

/* Trials so far, without those of thin walls: each piece takes two, and their number is that of the walls. */
static long trials_spent(const crd_group *group) {
  return group->ledger.counters.trials - 2 * group->ledger.counters.retries[CRD_RETRY_THIN];
}

/* ------------------------------------------------------------------------------------------------ one time */

/* Does the trial miss more of the energy than it may? At rest what gravity does in the piece counts as kinetic energy,
 * or nothing would be exact enough; where joint forces are steep the ledger's own error is larger. */
static bool is_inaccurate(const crd_group *group, double dt) {
  double fall = dt * crd_vec3_norm(group->model->gravity);
  if (!group->seen.constrained || group->begin->implicit) return false;
  return group->seen.missed > MISSED_ENERGY * fmax(group->begin->kinetic, group->mass * fall * fall / 2);
}

/* A trial with the forecast, or without it where it does not fit. */
static crd_status try_forecast(crd_group *group, double dt) {
  crd_status status = crd_sim_trial(group, &crd_sim_persistent, dt);
  if (!group->seen.misled) return status;
  count(group, CRD_RETRY_FORECAST);
  group->forecast->acts = false;
  return crd_sim_trial(group, &crd_sim_persistent, dt);
}

crd_status crd_sim_attempt(crd_group *group, double dt) {
  crd_status status = try_forecast(group, dt);
  if (status != CRD_OK) return status;
  if (group->seen.constrained) crd_sim_forecast_warm(group);
  if (!group->forecast->fresh && is_inaccurate(group, dt)) {
    double missed = group->seen.missed;
    count(group, CRD_RETRY_FORCES);
    crd_sim_forecast_adopt(group);
    status = try_forecast(group, dt);
    if (status != CRD_OK || group->seen.missed > missed) { /* the forces belong to an impact (Painleve) */
      crd_sim_forecast_begin(group);
      status = try_forecast(group, dt);
    }
  }
  group->seen.coarse = group->seen.coarse || is_inaccurate(group, dt);
  return status;
}

/* Is there a point in the trial that overlaps by more than the permitted penetration? */
static bool overlaps(const crd_group *group) {
  for (int i = 0; i < group->trial->touches.count; i++)
    if (group->trial->touches.item[i].at.gap < -2 * group->scene->contact_band) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------ shorter times */

/* Pairs of geoms that close in the trial; the points of a pair strike together. */
static int count_closing(const crd_group *group) {
  const crd_contact_point *last = NULL;
  int closing = 0;
  for (int i = 0; i < group->trial->touches.count; i++) {
    const crd_contact_point *at = &group->trial->touches.item[i].at;
    if (!crd_sim_penetrates(group, &group->trial->touches.item[i])) continue;
    closing += !last || last->geomA != at->geomA || last->geomB != at->geomB;
    last = at;
  }
  return closing;
}

/* Should the time of the trial be halved? */
static bool is_coarse(const crd_group *group, double dt) {
  return group->seen.coarse && dt > group->options->timestep / MOST_PIECES;
}

/* The motion over the longest time up to `left` that can be taken; *dt: that time. A verdict: there is none. */
static crd_status find_piece(crd_group *group, double left, int impacts, double *dt) {
  double h = group->options->timestep;
  long before = trials_spent(group);
  bool coarse = false, thin = false;
  crd_status status = crd_sim_begin_piece(group);
  if (status != CRD_OK) return status;
  crd_sim_forecast_begin(group);
  double whole = *dt = fmin(left, fmin(group->now.piece, group->begin->longest));
  for (;;) {
    status = crd_sim_attempt(group, *dt);
    bool fine = status == CRD_OK && !is_coarse(group, *dt);
    double safe = fine && !thin ? crd_sim_safe_time(group, *dt) : *dt;
    if (safe < *dt) {
      count(group, CRD_RETRY_THIN);
      *dt = safe, thin = true;
      continue;
    }
    if (fine && impacts + count_closing(group) > group->options->max_impacts) return CRD_LIMIT;
    if (fine && crd_sim_any_penetrates(group)) {
      count(group, CRD_RETRY_CLOSES);
      status = crd_sim_find_impact(group, dt);
      if (status == CRD_UNKNOWN) return CRD_LIMIT;
    }
    if (status == CRD_OK && is_coarse(group, *dt)) {
      count(group, CRD_RETRY_COARSE);
      *dt /= 2, coarse = true;
      continue;
    }
    /* an instant that was not found: no state with more than the permitted penetration is taken */
    if (status == CRD_OK && overlaps(group)) status = CRD_LIMIT;
    if (status <= CRD_OK) {
      group->trial->piece = coarse ? *dt : 2 * group->now.piece;
      if (group->trial->piece >= h) group->trial->piece = INFINITY;
      if (status == CRD_OK) group->message[0] = 0;
      return status;
    }
    if (*dt <= whole / MOST_PIECES || trials_spent(group) - before > MOST_TRIALS) return status;
    count(group, CRD_RETRY_UNSOLVED);
    *dt /= 4;
  }
}

/* ------------------------------------------------------------------------------------------------ the step */

/* Points that a capture has closed. */
static int count_captured(const crd_group *group) {
  int closed = 0;
  for (int i = 0; i < group->rows->touches.count; i++) {
    const crd_sim_touch *touch = &group->rows->touches.item[i];
    closed += touch->guess.normal > 0 && !(touch->source >= 0 && group->now.touches.item[touch->source].active);
  }
  return closed;
}

static void note_penetration(crd_group *group) {
  for (int i = 0; i < group->now.touches.count; i++)
    group->ledger.counters.penetration_max =
        fmax(group->ledger.counters.penetration_max, -group->now.touches.item[i].at.gap);
}

/* The trial becomes (now). */
static crd_status commit(crd_group *group, const crd_sim_scheme *scheme) {
  crd_sim_moment *now = &group->now, *trial = group->trial;
  if (group->seen.constrained) crd_sim_accept_rows(group, scheme);
  if (scheme->capture) trial->piece = count_captured(group) > group->options->max_impacts ? 0 : INFINITY;
  crd_status status = crd_group_take_touches(group, scheme->at_start ? &group->rows->touches : &trial->touches);
  if (status != CRD_OK) return status;
  now->t = trial->t, now->work = trial->work, now->piece = trial->piece;
  crd_part_copy_q(group->part, now->q, trial->q);
  crd_part_copy_v(group->part, now->v, trial->v);
  crd_activation_copy(group, now->act, trial->act);
  crd_part_copy_v(group->part, now->load, trial->load);
  crd_part_copy_dry(group->part, now->dry, trial->dry);
  crd_sim_keep_positions(group);
  return CRD_OK;
}

/* All impacts of this instant, as many as are permitted. */
static crd_status resolve_impacts(crd_group *group, int *impacts) {
  bool resolved = true;
  crd_status status = CRD_OK;
  while (status == CRD_OK && resolved && *impacts <= group->options->max_impacts) {
    status = crd_sim_impact(group, &resolved);
    *impacts += resolved;
  }
  return status;
}

/* A touch that was in no problem yet. */
static void name_touch(const crd_model *model, crd_sim_touch *touch) {
  if (touch->at.geomA == CRD_SIM_LIMIT)
    crd_contact_limit_name(model, touch->at.geomB, touch->at.index ? "upper" : "lower", touch->name);
  else
    crd_contact_point_name(model, &touch->at, touch->name);
}

/* Contacts that persisted have left the band, or carry nothing any more where the points of the start stand for those of
 * the end. */
static void report_release(crd_group *group, const crd_sim_scheme *scheme) {
  const crd_sim_touches *before = &group->now.touches,
                        *after = scheme->at_start ? &group->rows->touches : &group->trial->touches;
  if (!group->options->observer.event) return;
  for (int i = 0; i < before->count; i++) group->rows->take[i] = before->item[i].active;
  for (int i = 0; i < after->count; i++) {
    int source = scheme->at_start && !after->item[i].active ? -1 : after->item[i].source;
    if (source >= 0 && !scheme->at_start && group->seen.constrained) source = group->rows->touches.item[source].source;
    if (source >= 0) group->rows->take[source] = false;
  }
  for (int i = 0; i < before->count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    if (!group->rows->take[i]) continue;
    if (!touch->name[0]) name_touch(group->model, touch);
    crd_sim_event event = {.t = group->trial->t, .kind = CRD_EVENT_RELEASE, .contact = touch->name, .count = 1};
    crd_sim_emit(group, &event);
  }
}

static bool is_crowded(crd_group *group) {
  return group->now.piece == 0 ||
         (group->now.touches.count > MANY_CONTACTS && crd_groups_of_contacts(group) > MANY_CONTACTS);
}

/* Impacts and motion at their own instants as far as they go; *left: the time that remains. A verdict: the rest is not
 * to be had this way. */
static crd_status move_by_instants(crd_group *group, double h, double *left) {
  double end = group->now.t + h;
  long before = trials_spent(group);
  int impacts = 0;
  while (*left > 0) {
    double dt;
    if (trials_spent(group) - before > MOST_TRIALS) return CRD_LIMIT;
    crd_status status = resolve_impacts(group, &impacts);
    if (status == CRD_OK && impacts > group->options->max_impacts) status = CRD_LIMIT;
    if (status == CRD_OK) status = crd_sim_mark_resting(group);
    if (status == CRD_OK) status = find_piece(group, *left, impacts, &dt);
    if (status != CRD_OK) return status;
    *left = *left - dt > TIME_ROUNDING * h ? *left - dt : 0;
    if (*left == 0) group->trial->t = end;
    report_release(group, &crd_sim_persistent);
    group->asleep = group->seen.still && dt == h && !group->options->control;
    status = commit(group, &crd_sim_persistent);
    if (status != CRD_OK) return status;
    note_penetration(group);
    group->strayed = crd_partition_strays(group);
    if (group->strayed) return CRD_OK;
  }
  return CRD_OK;
}

/* Up to `left` in one Coulomb problem, whatever happens in it: half as much as long as the free motion is not resolved,
 * the problem not solved, or bodies are left inside each other. *dt: how much it was. */
static crd_status capture(crd_group *group, double left, double *dt) {
  crd_status status = crd_sim_begin_piece(group);
  if (status != CRD_OK) return status;
  crd_sim_forecast_begin(group);
  group->forecast->acts = false;
  for (*dt = left;; *dt /= 2) {
    status = crd_sim_trial(group, &crd_sim_capture, *dt);
    if (status != CRD_OK) return status;
    group->seen.coarse = group->seen.coarse || group->seen.failed || overlaps(group);
    if (!is_coarse(group, *dt)) return CRD_OK;
    count(group, CRD_RETRY_COARSE);
  }
}

/* The rest of the step after Moreau and Jean, from event to end in bounded time. */
static crd_status finish_by_capture(crd_group *group, double h, double left) {
  crd_sim_event event = {.t = group->now.t, .kind = CRD_EVENT_LIMIT, .contact = ""};
  double end = group->now.t + left, dt;
  count(group, CRD_RETRY_CROWDED);
  crd_sim_emit(group, &event);
  for (crd_status status = CRD_OK; left > 0; left = left - dt > TIME_ROUNDING * h ? left - dt : 0) {
    status = capture(group, left, &dt);
    if (status != CRD_OK) return status;
    if (left - dt <= TIME_ROUNDING * h) group->trial->t = end;
    report_release(group, &crd_sim_capture);
    status = commit(group, &crd_sim_capture);
    if (status == CRD_OK && group->rows->problem->nc <= MANY_CONTACTS) status = crd_sim_project_now(group);
    if (status < CRD_OK) return status; /* a verdict: as near to the constraints as it gets */
    note_penetration(group);
    group->strayed = crd_partition_strays(group);
    if (group->strayed) break;
  }
  return CRD_OK;
}

crd_status crd_sim_carry_over(crd_group *group, double length) { return finish_by_capture(group, length, length); }

/* A group over h, every contact at its own instant as far as that goes. */
static crd_status move_group(crd_group *group, double h) {
  double left = h;
  crd_status status = is_crowded(group) ? CRD_LIMIT : move_by_instants(group, h, &left);
  return status > CRD_OK ? finish_by_capture(group, h, left) : status;
}

/* Time stepping: all in one Coulomb problem. */
static crd_status step_by_moreau(crd_group *whole, double h) {
  whole->listed.due = false, whole->listed.ncontact = 0;
  crd_sim_forecast_begin(whole);
  crd_status status = crd_sim_trial(whole, &crd_sim_moreau, h);
  if (status != CRD_OK) return status;
  report_release(whole, &crd_sim_moreau);
  if (whole->seen.constrained)
    whole->ledger.counters.penetration_max = fmax(whole->ledger.counters.penetration_max, crd_sim_deepest(whole));
  status = commit(whole, &crd_sim_moreau);
  whole->asleep = whole->seen.still && !whole->options->control;
  /* velocities of loops are kept at zero; their positions drift by the square of the step */
  if (status == CRD_OK && whole->part->nloop > 0) crd_sim_list_contacts(whole), status = crd_sim_project_now(whole);
  return status > CRD_OK ? CRD_OK : status;
}

static int count_listed(const crd_sim *sim) {
  int count = 0;
  if (sim->options.integrator == CRD_SIM_MOREAU) return sim->whole.seen.constrained ? sim->whole.rows->problem->nc : 0;
  if (sim->groups.dealt == 0) return sim->whole.listed.ncontact;
  for (int g = 0; g < sim->groups.dealt; g++) count += sim->groups.group[g].listed.ncontact;
  return count;
}

/* A step that leaves the state as it was, with the forces of the last one, is not computed again: only time passes. */
static crd_status step_forward(crd_sim *sim, double h) {
  crd_group *whole = &sim->whole;
  crd_status status = CRD_OK;
  whole->message[0] = 0;
  if (whole->asleep && h == sim->last_step) {
    whole->now.t += h, whole->ledger.counters.solves++;
  } else {
    if (h != sim->last_step) crd_sim_wake(sim);
    sim->last_step = h;
    status =
        sim->options.integrator == CRD_SIM_MOREAU ? step_by_moreau(whole, h) : crd_sim_move_groups(sim, h, move_group);
    sim->last_contacts = count_listed(sim);
  }
  if (status != CRD_OK) return status;
  whole->message[0] = 0;
  crd_sim_counters *counters = &whole->ledger.counters;
  counters->steps++, counters->groups += sim->groups.count, counters->contacts += sim->last_contacts;
  crd_sim_sense_end(sim, h);
  return CRD_OK;
}

crd_status crd_sim_advance(crd_sim *sim, double h) {
  if (sim->unfit) return CRD_ERR_MODEL;                 /* the message says why */
  if (crd_sim_stopped(&sim->whole)) return CRD_STOPPED; /* trials ask, too, but sleeping groups have none */
  crd_status status = crd_sim_inputs_begin(sim);
  if (status != CRD_OK) return status;
  crd_sim_sense_start(sim);
  status = sim->whole.event ? crd_event_advance(&sim->whole, h) : step_forward(sim, h);
  if (status != CRD_OK) return status;
  if (sim->options.observer.step) sim->options.observer.step(sim->options.observer.context, sim);
  return CRD_OK;
}

crd_status crd_sim_step(crd_sim *sim) { return crd_sim_advance(sim, sim->options.timestep); }

crd_status crd_sim_run(crd_sim *sim, double t) {
  double h = sim->options.timestep;
  const double *now = &sim->whole.now.t;
  if (!isfinite(t)) return CRD_ERR_NUMBER;
  while (*now < t) {
    double rest = t - *now;
    /* a rest that differs from a whole step by rounding is one */
    crd_status status =
        crd_sim_advance(sim, rest < h * (1 + SAME_STEP) && rest > h * (1 - SAME_STEP) ? h : fmin(rest, h));
    if (status != CRD_OK) return status;
    if (t - *now < SAME_STEP * h) break;
  }
  return CRD_OK;
}
