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
 *   crowded    more than max_impacts gaps close in the step the rest of the step after Moreau and Jean
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
static const double MISSED_ENERGY = 1e-3;  /* of the kinetic energy: what a trial may change it by unaccounted for */
static const double TIME_ROUNDING = 1e-13; /* of the step: what is left of it is rounding */

static void count(crd_sim *sim, crd_sim_retry retry) { sim->ledger.counters.retries[retry]++; }

/* Trials so far, without those of thin walls: each piece takes two, and their number is that of the walls. */
static long trials_spent(const crd_sim *sim) {
  return sim->ledger.counters.trials - 2 * sim->ledger.counters.retries[CRD_RETRY_THIN];
}

/* ------------------------------------------------------------------------------------------------ one time */

/* Does the trial miss more of the energy than it may? At rest what gravity does in the piece counts as kinetic energy,
 * or nothing would be exact enough; where joint forces are steep the ledger's own error is larger. */
static bool is_inaccurate(const crd_sim *sim, double dt) {
  double fall = dt * crd_vec3_norm(sim->model->gravity);
  if (!sim->seen.constrained || sim->begin.implicit) return false;
  return sim->seen.missed > MISSED_ENERGY * fmax(sim->begin.kinetic, 0.5 * sim->scene.mass * fall * fall);
}

/* A trial with the forecast, or without it where it does not fit. */
static crd_status try_forecast(crd_sim *sim, double dt) {
  crd_status status = crd_sim_trial(sim, &crd_sim_persistent, dt);
  if (!sim->seen.misled) return status;
  count(sim, CRD_RETRY_FORECAST);
  sim->forecast.acts = false;
  return crd_sim_trial(sim, &crd_sim_persistent, dt);
}

crd_status crd_sim_attempt(crd_sim *sim, double dt) {
  crd_status status = try_forecast(sim, dt);
  if (status != CRD_OK) return status;
  if (sim->seen.constrained) crd_sim_forecast_warm(sim);
  if (!sim->forecast.fresh && is_inaccurate(sim, dt)) {
    double missed = sim->seen.missed;
    count(sim, CRD_RETRY_FORCES);
    crd_sim_forecast_adopt(sim);
    status = try_forecast(sim, dt);
    if (status != CRD_OK || sim->seen.missed > missed) { /* they were those of an impact (Painleve) */
      crd_sim_forecast_begin(sim);
      status = try_forecast(sim, dt);
    }
  }
  sim->seen.coarse = sim->seen.coarse || is_inaccurate(sim, dt);
  return status;
}

/* Is there a point in the trial that overlaps by more than the permitted penetration? */
static bool overlaps(const crd_sim *sim) {
  for (int i = 0; i < sim->trial.touches.count; i++)
    if (sim->trial.touches.item[i].at.gap < -2 * sim->scene.contact_band) return true;
  return false;
}

/* ------------------------------------------------------------------------------------------------ shorter times */

/* Pairs of geoms that close in the trial; the points of a pair strike together. */
static int count_closing(const crd_sim *sim) {
  const crd_contact_point *last = NULL;
  int closing = 0;
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_contact_point *at = &sim->trial.touches.item[i].at;
    if (!crd_sim_penetrates(sim, &sim->trial.touches.item[i])) continue;
    closing += !last || last->geomA != at->geomA || last->geomB != at->geomB;
    last = at;
  }
  return closing;
}

/* Should the time of the trial be halved? */
static bool is_coarse(const crd_sim *sim, double dt) {
  return sim->seen.coarse && dt > sim->options.timestep / MOST_PIECES;
}

/* The motion over the longest time up to `left` that can be taken; *dt: that time. A verdict: there is none. */
static crd_status find_piece(crd_sim *sim, double left, int impacts, double *dt) {
  double h = sim->options.timestep;
  long before = trials_spent(sim);
  bool coarse = false, thin = false;
  crd_status status = crd_sim_begin_piece(sim);
  if (status != CRD_OK) return status;
  crd_sim_forecast_begin(sim);
  double whole = *dt = fmin(left, fmin(sim->now.piece, sim->begin.longest));
  for (;;) {
    status = crd_sim_attempt(sim, *dt);
    bool fine = status == CRD_OK && !is_coarse(sim, *dt);
    double safe = fine && !thin ? crd_sim_safe_time(sim, *dt) : *dt;
    if (safe < *dt) {
      count(sim, CRD_RETRY_THIN);
      *dt = safe, thin = true;
      continue;
    }
    if (fine && impacts + count_closing(sim) > sim->options.max_impacts) return CRD_LIMIT;
    if (fine && crd_sim_any_penetrates(sim)) {
      count(sim, CRD_RETRY_CLOSES);
      status = crd_sim_find_impact(sim, dt);
      if (status == CRD_UNKNOWN) return CRD_LIMIT;
    }
    if (status == CRD_OK && is_coarse(sim, *dt)) {
      count(sim, CRD_RETRY_COARSE);
      *dt /= 2, coarse = true;
      continue;
    }
    /* an instant that was not found: no state with more than the permitted penetration is taken */
    if (status == CRD_OK && overlaps(sim)) status = CRD_LIMIT;
    if (status <= CRD_OK) {
      sim->trial.piece = coarse ? *dt : 2 * sim->now.piece;
      if (sim->trial.piece >= h) sim->trial.piece = INFINITY;
      if (status == CRD_OK) sim->message[0] = 0;
      return status;
    }
    if (*dt <= whole / MOST_PIECES || trials_spent(sim) - before > MOST_TRIALS) return status;
    count(sim, CRD_RETRY_UNSOLVED);
    *dt /= 4;
  }
}

/* ------------------------------------------------------------------------------------------------ the step */

/* Points that a capture has closed. */
static int count_captured(const crd_sim *sim) {
  int closed = 0;
  for (int i = 0; i < sim->rows.touches.count; i++) {
    const crd_sim_touch *touch = &sim->rows.touches.item[i];
    closed += touch->guess.normal > 0 && !(touch->source >= 0 && sim->now.touches.item[touch->source].active);
  }
  return closed;
}

static void note_penetration(crd_sim *sim) {
  for (int i = 0; i < sim->now.touches.count; i++)
    sim->ledger.counters.penetration_max = fmax(sim->ledger.counters.penetration_max, -sim->now.touches.item[i].at.gap);
}

static void commit(crd_sim *sim, const crd_sim_scheme *scheme) {
  if (sim->seen.constrained) crd_sim_accept_rows(sim, scheme);
  if (scheme->capture) sim->trial.piece = count_captured(sim) > sim->options.max_impacts ? 0 : INFINITY;
  if (scheme->at_start) {
    crd_sim_touches end = sim->trial.touches;
    sim->trial.touches = sim->rows.touches, sim->rows.touches = end;
  }
  crd_sim_touches old = sim->now.touches;
  sim->now.touches = sim->trial.touches, sim->trial.touches = old;
  sim->now.t = sim->trial.t, sim->now.work = sim->trial.work, sim->now.piece = sim->trial.piece;
  crd_part_copy_q(&sim->part, sim->now.q, sim->trial.q);
  crd_part_copy_v(&sim->part, sim->now.v, sim->trial.v);
  crd_activation_copy(sim, sim->now.act, sim->trial.act);
  crd_part_copy_v(&sim->part, sim->now.load, sim->trial.load);
  crd_part_copy_v(&sim->part, sim->now.dry, sim->trial.dry);
  crd_sim_keep_positions(sim);
}

/* All impacts of this instant, as many as are permitted. */
static crd_status resolve_impacts(crd_sim *sim, int *impacts) {
  bool resolved = true;
  crd_status status = CRD_OK;
  while (status == CRD_OK && resolved && *impacts <= sim->options.max_impacts) {
    status = crd_sim_impact(sim, &resolved);
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
static void report_release(crd_sim *sim, const crd_sim_scheme *scheme) {
  const crd_sim_touches *before = &sim->now.touches,
                        *after = scheme->at_start ? &sim->rows.touches : &sim->trial.touches;
  if (!sim->options.observer.event) return;
  for (int i = 0; i < before->count; i++) sim->rows.take[i] = before->item[i].active;
  for (int i = 0; i < after->count; i++) {
    int source = scheme->at_start && !after->item[i].active ? -1 : after->item[i].source;
    if (source >= 0 && !scheme->at_start && sim->seen.constrained) source = sim->rows.touches.item[source].source;
    if (source >= 0) sim->rows.take[source] = false;
  }
  for (int i = 0; i < before->count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    if (!sim->rows.take[i]) continue;
    if (!touch->name[0]) name_touch(sim->model, touch);
    crd_sim_event event = {.t = sim->trial.t, .kind = CRD_EVENT_RELEASE, .contact = touch->name, .count = 1};
    crd_sim_emit(sim, &event);
  }
}

static bool is_crowded(crd_sim *sim) {
  return sim->now.piece == 0 || (sim->now.touches.count > MANY_CONTACTS && crd_groups_of_contacts(sim) > MANY_CONTACTS);
}

/* Impacts and motion at their own instants as far as they go; *left: the time that remains. A verdict: the rest is not
 * to be had this way. */
static crd_status move_by_instants(crd_sim *sim, double h, double *left) {
  double end = sim->now.t + h;
  long before = trials_spent(sim);
  int impacts = 0;
  while (*left > 0) {
    double dt;
    if (trials_spent(sim) - before > MOST_TRIALS) return CRD_LIMIT;
    crd_status status = resolve_impacts(sim, &impacts);
    if (status == CRD_OK && impacts > sim->options.max_impacts) status = CRD_LIMIT;
    if (status == CRD_OK) status = crd_sim_mark_resting(sim);
    if (status == CRD_OK) status = find_piece(sim, *left, impacts, &dt);
    if (status != CRD_OK) return status;
    *left = *left - dt > TIME_ROUNDING * h ? *left - dt : 0;
    if (*left == 0) sim->trial.t = end;
    report_release(sim, &crd_sim_persistent);
    sim->sleep.asleep = sim->seen.still && dt == h && !sim->options.control;
    commit(sim, &crd_sim_persistent);
    note_penetration(sim);
    sim->groups.strayed = crd_partition_strays(sim);
    if (sim->groups.strayed) return CRD_OK;
  }
  return CRD_OK;
}

/* The rest of the step in one Coulomb problem, whatever happens in it. */
static crd_status finish_by_capture(crd_sim *sim, double left) {
  crd_sim_event event = {.t = sim->now.t, .kind = CRD_EVENT_LIMIT, .contact = ""};
  double end = sim->now.t + left;
  count(sim, CRD_RETRY_CROWDED);
  crd_sim_emit(sim, &event);
  crd_status status = crd_sim_begin_piece(sim);
  if (status != CRD_OK) return status;
  crd_sim_forecast_begin(sim);
  sim->forecast.acts = false;
  status = crd_sim_trial(sim, &crd_sim_capture, left);
  if (status != CRD_OK) return status;
  sim->trial.t = end;
  report_release(sim, &crd_sim_capture);
  commit(sim, &crd_sim_capture);
  if (sim->rows.problem->nc <= MANY_CONTACTS) status = crd_sim_project_now(sim);
  note_penetration(sim);
  sim->groups.strayed = crd_partition_strays(sim);
  return status > CRD_OK ? CRD_OK : status; /* as near to the constraints as it gets */
}

/* The simulation's part over h. */
static crd_status move_part(crd_sim *sim, double h) {
  double left = h;
  crd_status status = is_crowded(sim) ? CRD_LIMIT : move_by_instants(sim, h, &left);
  return status > CRD_OK ? finish_by_capture(sim, left) : status;
}

/* Every contact at its own instant; *contacts: how many took part. */
static crd_status step_by_instants(crd_sim *sim, double h, int *contacts) {
  crd_status status = crd_sim_move_groups(sim, h, move_part);
  *contacts = sim->listed.ncontact;
  return status;
}

/* Time stepping: one Coulomb problem a step. */
static crd_status step_by_moreau(crd_sim *sim, double h, int *contacts) {
  sim->listed.due = false, sim->listed.ncontact = 0;
  crd_sim_forecast_begin(sim);
  crd_status status = crd_sim_trial(sim, &crd_sim_moreau, h);
  if (status != CRD_OK) return status;
  report_release(sim, &crd_sim_moreau);
  if (sim->seen.constrained)
    sim->ledger.counters.penetration_max = fmax(sim->ledger.counters.penetration_max, crd_sim_deepest(sim));
  commit(sim, &crd_sim_moreau);
  sim->sleep.asleep = sim->seen.still && !sim->options.control;
  /* velocities of loops are kept at zero; their positions drift by the square of the step */
  if (sim->part.nloop > 0) crd_sim_list_contacts(sim), status = crd_sim_project_now(sim);
  *contacts = sim->rows.problem->nc;
  return status > CRD_OK ? CRD_OK : status;
}

/* A step that leaves the state as it was, with the forces of the last one, is not computed again: only time passes. */
static crd_status step_forward(crd_sim *sim, double h) {
  crd_status status = CRD_OK;
  sim->message[0] = 0;
  if (sim->sleep.asleep && h == sim->sleep.last_step) {
    sim->now.t += h, sim->ledger.counters.solves++;
  } else {
    if (h != sim->sleep.last_step) memset(sim->trees.asleep, 0, (size_t)sim->scene.ntree * sizeof *sim->trees.asleep);
    sim->sleep.asleep = false, sim->sleep.last_step = h;
    status = sim->options.integrator == CRD_SIM_MOREAU ? step_by_moreau(sim, h, &sim->sleep.last_contacts)
                                                       : step_by_instants(sim, h, &sim->sleep.last_contacts);
  }
  if (status != CRD_OK) return status;
  sim->message[0] = 0;
  crd_sim_sense_end(sim, h);
  sim->ledger.counters.steps++, sim->ledger.counters.groups += sim->groups.count;
  sim->ledger.counters.contacts += sim->sleep.last_contacts;
  if (sim->options.observer.step) sim->options.observer.step(sim->options.observer.context, sim);
  return CRD_OK;
}

crd_status crd_sim_advance(crd_sim *sim, double h) {
  if (sim->unfit) return CRD_ERR_MODEL; /* the message says why */
  crd_status status = crd_sim_inputs_begin(sim);
  if (status != CRD_OK) return status;
  crd_sim_sense_start(sim);
  return sim->event ? crd_event_advance(sim, h) : step_forward(sim, h);
}

crd_status crd_sim_step(crd_sim *sim) { return crd_sim_advance(sim, sim->options.timestep); }

crd_status crd_sim_run(crd_sim *sim, double t) {
  double h = sim->options.timestep;
  if (!isfinite(t)) return CRD_ERR_NUMBER;
  while (sim->now.t < t) {
    double rest = t - sim->now.t;
    /* a rest that differs from a whole step by rounding is one */
    crd_status status = crd_sim_advance(sim, rest < h * (1 + 1e-9) && rest > h * (1 - 1e-9) ? h : fmin(rest, h));
    if (status != CRD_OK) return status;
    if (t - sim->now.t < 1e-9 * h) break;
  }
  return CRD_OK;
}
