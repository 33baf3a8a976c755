/* A step: impacts at the present instant, motion to the next event or the end of the step, again until the step is
 * done.
 *
 * A trial (src/sim/trial.c) shows whether its motion can be taken. What it may show, and what is done about it:
 *
 *   forces         contacts have forces that no forecast knew     again, with these as the forecast
 *   lost           the forecast leads away from a contact         again, without it
 *   overlaps       the projection leaves a held contact in        again, every overlapping point projected
 *   let_go         a contact that opened is closed by others      again, it is held
 *   unsolved       no forces hold the contacts, or the instant
 *                  at which a gap closes is not found             a quarter of the time, twice; then Moreau and Jean
 *   coarse         too long for the motion, or energy is missed   half the time, remembered for the next pieces
 *   thin           a body moved further than it is thick          the time in which none does
 *   closes         a gap closes                                   the instant at which it does (time_of_impact.c)
 *   parts_slowly   a point parts and closes again at once         again, it is held
 *   crowded        more than max_impacts gaps close in the step   the rest of the step after Moreau and Jean
 *
 * The first four keep the time (crd_sim_attempt), the others change it (find_piece). crd_sim_counters.retries counts
 * them. Moreau's and Jean's time stepping (src/sim/moreau.c) takes whatever happens in one Coulomb problem, so that
 * every step ends after bounded work: after max_impacts impacts, after MOST_TRIALS trials, where no forces are found,
 * and at once where so many contacts persist that their forces are not solved to the accuracy of a trial.
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/event.h"
#include "sim/moreau.h"
#include "sim/time_of_impact.h"
#include "sim/tunnel.h"

enum {
  MOST_PIECES = 16,   /* of a step that is too coarse */
  MOST_TRIALS = 100,  /* of a step */
  MANY_CONTACTS = 200 /* that persist: above it the Coulomb solver stops at a tolerance of its own */
};
static const double LIFTED = 1e3; /* widths of the band: the forecast lifts a contact by less, and it is still one */
static const double LET_GO = 1e4; /* widths of the band: as far a contact is held that others close again */
static const double MISSED_ENERGY = 1e-3;  /* of the kinetic energy: what a trial may change it by unaccounted for */
static const double CHANGED = 0.05;        /* of the forecast: a force that changes by less in a step is smooth */
static const double TIME_ROUNDING = 1e-13; /* of the step: what is left of it is rounding */

static void count(crd_sim *sim, crd_sim_retry retry) { sim->counters.retries[retry]++; }

/* Trials so far, without those of thin walls: each piece takes two, and their number is that of the walls. */
static long trials_spent(const crd_sim *sim) {
  return sim->counters.trials - 2 * sim->counters.retries[CRD_RETRY_THIN];
}

/* ------------------------------------------------------------------------------------------------ one time */

/* Was the pair held at the start of the step, and no longer in it? */
static bool was_let_go(const crd_sim *sim, const crd_contact_point *at) {
  const crd_sim_touches *before = &sim->now.touches;
  for (int i = 0; i < before->count; i++) {
    const crd_sim_touch *old = &before->item[i];
    if (!old->touching || old->at.geomA != at->geomA || old->at.geomB != at->geomB) continue;
    bool kept = false;
    for (int k = 0; sim->seen.held && k < sim->held.count; k++) kept = kept || sim->held.item[k].source == i;
    if (!kept) return true;
  }
  return false;
}

/* A contact that opens in the free motion, but which the forces of others close again, has to be held after all. */
static bool let_go_too_soon(const crd_sim *sim) {
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (!touch->touching && touch->at.gap < -sim->exact && was_let_go(sim, &touch->at)) return true;
  }
  return false;
}

/* Does the trial change the energy by more than the ledger knows of? At rest what gravity does in the step counts as
 * kinetic energy, or nothing would be exact enough. */
static bool misses_energy(crd_sim *sim, double dt) {
  double k0, k1, u, fall = dt * crd_vec3_norm(sim->model->gravity);
  double start = crd_sim_mechanical(sim, sim->now.q, sim->now.v, &k0, &u);
  double end = crd_sim_mechanical(sim, sim->trial.q, sim->trial.v, &k1, &u);
  double known = crd_sim_booked(&sim->trial.work) - crd_sim_booked(&sim->now.work);
  return fabs(end - start - known) > MISSED_ENERGY * fmax(fmax(k0, k1), 0.5 * sim->mass * fall * fall);
}

/* Are the forces found far from those of the forecast, so that its error counts? Where joint forces are steep the
 * ledger's own error is larger. */
static bool forces_change(const crd_sim *sim) {
  double change = 0, largest = 0;
  if (sim->seen.implicit) return false;
  for (int k = 0; k < sim->model->nv; k++) {
    change = fmax(change, fabs(sim->trial.push[k] - sim->forecast.qacc[k]));
    largest = fmax(largest, fabs(sim->forecast.qacc[k]));
  }
  return change > CHANGED * largest;
}

/* Is there a point in the trial that overlaps by more than the depth: one that is held, or any? */
static bool overlaps(const crd_sim *sim, bool held, double depth) {
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_sim_touch *touch = &sim->trial.touches.item[i];
    if ((touch->touching || !held) && touch->at.gap < -depth) return true;
  }
  return false;
}

/* Only a contact that opens without any force has opened. Forces of the last step that are too large lift a contact by
 * little (whether it persists is then decided by the force that it takes in this one); where it is not found near the
 * end of the motion that they push, it is looked for at the end of one without them. Every reason to try again
 * occurs once, so that this ends after six trials. */
crd_status crd_sim_attempt(crd_sim *sim, crd_sim_ask *ask) {
  bool lost = false;
  double reach = sim->closed;
  ask->forecast = sim->forecast.acts, ask->careful = false;
  for (;;) {
    ask->reach = ask->forecast ? fmax(reach, LIFTED * sim->closed) : reach;
    crd_status status = crd_sim_trial(sim, ask);
    sim->counters.trials++;
    if (status != CRD_OK) return status;
    if (sim->seen.lost) {
      count(sim, CRD_RETRY_LOST);
      lost = true, ask->forecast = false;
      continue;
    }
    crd_sim_forecast_warm(sim);
    if (sim->seen.held && !ask->forecast && !lost) {
      crd_sim_forecast_adopt(sim);
      ask->forecast = sim->forecast.acts;
      if (ask->forecast) {
        count(sim, CRD_RETRY_FORCES);
        continue;
      }
    }
    if (!ask->careful && overlaps(sim, true, sim->closed)) {
      count(sim, CRD_RETRY_OVERLAPS);
      ask->careful = true;
    } else if (reach < LET_GO * sim->closed && let_go_too_soon(sim)) {
      count(sim, CRD_RETRY_LET_GO);
      reach = LET_GO * sim->closed;
    } else {
      break;
    }
  }
  bool doubtful = lost || (sim->forecast.fresh && ask->forecast) || forces_change(sim);
  sim->seen.coarse = sim->seen.coarse || (doubtful && misses_energy(sim, ask->dt));
  return CRD_OK;
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
static bool is_coarse(const crd_sim *sim, const crd_sim_ask *ask) {
  return sim->seen.coarse && ask->dt > sim->options.timestep / MOST_PIECES;
}

/* The motion over the longest time up to `left` that can be taken; *dt: that time. A verdict: there is none. */
static crd_status find_piece(crd_sim *sim, double left, int impacts, double *dt) {
  double h = sim->options.timestep, whole = fmin(left, sim->now.piece);
  long before = trials_spent(sim);
  bool coarse = false, thin = false;
  crd_sim_ask ask = {.dt = whole};
  crd_sim_forecast_begin(sim);
  for (;;) {
    crd_status status = crd_sim_attempt(sim, &ask);
    bool fine = status == CRD_OK && !is_coarse(sim, &ask);
    double safe = fine && !thin ? crd_sim_safe_time(sim, ask.dt) : ask.dt;
    if (safe < ask.dt) {
      count(sim, CRD_RETRY_THIN);
      ask.dt = safe, thin = true;
      continue;
    }
    if (fine && impacts + count_closing(sim) > sim->options.max_impacts) return CRD_LIMIT;
    if (fine && crd_sim_any_penetrates(sim)) {
      count(sim, CRD_RETRY_CLOSES);
      status = crd_sim_find_impact(sim, &ask);
    }
    if (status == CRD_OK && is_coarse(sim, &ask)) {
      count(sim, CRD_RETRY_COARSE);
      ask.dt /= 2, coarse = true;
      continue;
    }
    /* an instant that was not found: no state with more than the permitted penetration is taken */
    if (status == CRD_OK && overlaps(sim, false, 2 * sim->closed)) status = CRD_LIMIT;
    if (status <= CRD_OK) {
      *dt = ask.dt;
      sim->trial.crowded = false;
      sim->trial.piece = coarse ? ask.dt : 2 * sim->now.piece;
      if (sim->trial.piece >= h) sim->trial.piece = INFINITY;
      if (status == CRD_OK) sim->message[0] = 0;
      return status;
    }
    if (ask.dt <= whole / MOST_PIECES || trials_spent(sim) - before > MOST_TRIALS) return status;
    count(sim, CRD_RETRY_UNSOLVED);
    ask.dt /= 4;
  }
}

/* ------------------------------------------------------------------------------------------------ the step */

static void commit(crd_sim *sim) {
  if (sim->seen.held) crd_sim_hold_accept(sim);
  crd_sim_moment old = sim->now;
  sim->now = sim->trial;
  sim->trial = old;
  memcpy(sim->pos_now, sim->pos, (size_t)sim->model->ngeom * 3 * sizeof *sim->pos);
  for (int i = 0; i < sim->now.touches.count; i++)
    sim->counters.penetration_max = fmax(sim->counters.penetration_max, -sim->now.touches.item[i].at.gap);
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

/* A contact that was held has left the band. */
static void report_release(crd_sim *sim) {
  const crd_sim_touches *before = &sim->now.touches, *after = &sim->trial.touches;
  for (int i = 0; i < before->count; i++) sim->take[i] = before->item[i].touching;
  for (int i = 0; i < after->count; i++) {
    int source = after->item[i].source;
    if (source >= 0 && sim->seen.held) source = sim->held.item[source].source;
    if (source >= 0) sim->take[source] = false;
  }
  for (int i = 0; i < before->count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    if (!sim->take[i]) continue;
    if (!touch->name[0]) name_touch(sim->model, touch);
    crd_sim_event event = {.t = sim->trial.t, .kind = CRD_EVENT_RELEASE, .contact = touch->name, .count = 1};
    crd_sim_emit(sim, &event);
  }
}

static bool is_crowded(const crd_sim *sim) {
  int held = 0;
  for (int i = 0; i < sim->now.touches.count; i++) held += sim->now.touches.item[i].touching;
  return sim->now.crowded || held > MANY_CONTACTS;
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
    if (status == CRD_OK) crd_sim_settle(sim);
    if (status == CRD_OK) status = find_piece(sim, *left, impacts, &dt);
    if (status != CRD_OK) return status;
    *left = *left - dt > TIME_ROUNDING * h ? *left - dt : 0;
    if (*left == 0) sim->trial.t = end;
    report_release(sim);
    commit(sim);
  }
  return CRD_OK;
}

/* The rest of the step in one Coulomb problem, whatever happens in it. */
static crd_status finish_by_moreau(crd_sim *sim, double left) {
  crd_sim_event event = {.t = sim->now.t, .kind = CRD_EVENT_LIMIT, .contact = ""};
  count(sim, CRD_RETRY_CROWDED);
  crd_sim_emit(sim, &event);
  crd_status status = crd_sim_moreau(sim, left);
  if (status != CRD_OK) return status;
  crd_moreau_list(sim->moreau);
  crd_moreau_reset(sim->moreau);
  return sim->problem->nc > MANY_CONTACTS ? CRD_OK : crd_sim_project_now(sim);
}

/* Every contact at its own instant; *contacts: how many took part. */
static crd_status step_by_instants(crd_sim *sim, double h, int *contacts) {
  double left = h;
  crd_sim_copy_moment(sim, &sim->start, &sim->now);
  sim->ncontact = 0;
  crd_status status = is_crowded(sim) ? CRD_LIMIT : move_by_instants(sim, h, &left);
  if (status > CRD_OK) status = finish_by_moreau(sim, left);
  if (status != CRD_OK) crd_sim_copy_moment(sim, &sim->now, &sim->start);
  *contacts = sim->ncontact;
  return status;
}

/* Time stepping keeps the velocities of loops at zero; their positions drift by the square of the step. */
static crd_status close_loops(crd_sim *sim) {
  crd_moreau_list(sim->moreau);
  crd_moreau_reset(sim->moreau);
  return crd_sim_project_now(sim);
}

static crd_status step_forward(crd_sim *sim, double h) {
  int contacts;
  crd_status status;
  sim->message[0] = 0;
  if (sim->options.integrator == CRD_SIM_MOREAU) {
    status = crd_sim_moreau(sim, h);
    contacts = sim->problem->nc;
    if (status == CRD_OK && sim->has_loops) status = close_loops(sim);
  } else {
    status = step_by_instants(sim, h, &contacts);
  }
  if (status != CRD_OK) return status;
  sim->message[0] = 0;
  sim->counters.steps++, sim->counters.contacts += contacts;
  if (sim->options.observer.step) sim->options.observer.step(sim->options.observer.context, sim);
  return CRD_OK;
}

crd_status crd_sim_advance(crd_sim *sim, double h) {
  if (sim->unfit) return CRD_ERR_MODEL; /* the message says why */
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
