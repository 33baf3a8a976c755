/* A step: impacts at the present instant, motion to the next event or the end of the step, again until the step is done
 * (docs/simulation.md).
 */
#include <math.h>
#include <string.h>

#include "sim/event.h"
#include "sim/moreau.h"
#include "sim/time_of_impact.h"
#include "sim/tunnel.h"

crd_status crd_sim_detect_trial(crd_sim *sim, double distance) {
  const crd_sim_touches *before = sim->holds ? &sim->held : &sim->now.touches;
  crd_sim_place(sim, sim->trial.q);
  crd_status status = crd_sim_detect(sim, sim->trial.q, distance, before, &sim->trial.touches);
  for (int i = 0; i < sim->trial.touches.count; i++) {
    crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (!sim->holds)
      touch->touching = false; /* nothing was held */
    else if (touch->source >= 0)
      touch->gap_before = sim->held.item[touch->source].gap_before; /* at the start of the step */
  }
  return status;
}

/* Was the pair held at the start of the step, and no longer in it? */
static bool was_let_go(const crd_sim *sim, const crd_contact_point *at) {
  const crd_sim_touches *before = &sim->now.touches;
  for (int i = 0; i < before->count; i++) {
    const crd_sim_touch *old = &before->item[i];
    if (!old->touching || old->at.geomA != at->geomA || old->at.geomB != at->geomB) continue;
    bool kept = false;
    for (int k = 0; sim->holds && k < sim->held.count; k++) kept = kept || sim->held.item[k].source == i;
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

/* Of the width of the band: a contact that the forces of the last step lifted by less is still one. */
static const double LIFTED = 1e3;

/* Largest velocity that the forces of the last step give in this one. */
static double pushed(const crd_sim *sim, double dt) {
  double most = 0;
  for (int k = 0; k < sim->model->nv; k++) most = fmax(most, fabs(sim->now.push[k]));
  return dt * most;
}

/* A forecast that fails although its forces matter: the step is too long for the contacts (a body that spins on its
 * rim).
 */
static bool is_coarse(const crd_sim *sim, double dt) {
  double fastest = 0;
  for (int k = 0; k < sim->model->nv; k++) fastest = fmax(fastest, fabs(sim->now.v[k]));
  return pushed(sim, dt) > 0.05 * fastest && dt * pushed(sim, dt) > sim->exact; /* at rest nothing matters */
}

/* Free motion over dt, then all that is held; `distance` as for crd_sim_hold. */
static crd_status move(crd_sim *sim, double dt, bool predict, double distance) {
  sim->predicts = predict;
  crd_status status = crd_sim_free_motion(sim, dt);
  if (status != CRD_OK) return status;
  memcpy(sim->stage_q, sim->trial.q, (size_t)sim->model->nq * sizeof *sim->stage_q);
  memcpy(sim->free_v, sim->trial.v, (size_t)sim->model->nv * sizeof *sim->free_v);
  /* limits: half of what these forces displace, as those of a step without forecast are wrong by as much */
  sim->limit_reach = predict ? 0.25 * dt * pushed(sim, dt) : 0;
  if (predict) distance = fmax(distance, LIFTED * sim->closed);
  status = crd_sim_hold(sim, dt, distance);
  sim->limit_reach = 0;
  return status;
}

/* Does the trial change the energy by more than the ledger knows of, a thousandth of the kinetic one? */
static bool misses_energy(crd_sim *sim) {
  double k0, k1, u;
  double start = crd_sim_mechanical(sim, sim->now.q, sim->now.v, &k0, &u);
  double end = crd_sim_mechanical(sim, sim->trial.q, sim->trial.v, &k1, &u);
  double known = crd_sim_booked(&sim->trial.work) - crd_sim_booked(&sim->now.work);
  return fabs(end - start - known) > 1e-3 * fmax(k0, k1);
}

/* Only a contact that opens without any force has opened. Forces of the last step that are too large lift a contact by
 * little (whether it persists is then decided by the force that it takes in this one); where it is not found near the
 * end of the motion that they push, it is looked for at the end of one without them. */
static crd_status move_and_detect(crd_sim *sim, double dt, double distance) {
  bool predict = crd_sim_has_push(sim);
  crd_status status = move(sim, dt, predict, distance);
  if (status == CRD_OK && !predict && sim->holds) { /* the first step of a contact: once for its forces */
    crd_sim_adopt_forces(sim);
    predict = crd_sim_has_push(sim);
    if (predict) status = move(sim, dt, true, distance);
  }
  if (status == CRD_OK && sim->misled) {
    status = move(sim, dt, false, distance);
    sim->coarse = sim->coarse || is_coarse(sim, dt);
  }
  if (status == CRD_OK && sim->adopted) sim->coarse = sim->coarse || misses_energy(sim);
  return status == CRD_OK ? crd_sim_detect_trial(sim, sim->closed) : status;
}

/* Did the return leave a held contact that overlaps? */
static bool overlaps_held(const crd_sim *sim) {
  for (int i = 0; i < sim->trial.touches.count; i++) {
    const crd_sim_touch *touch = &sim->trial.touches.item[i];
    if (touch->touching && touch->at.gap < -sim->closed) return true;
  }
  return false;
}

crd_status crd_sim_try(crd_sim *sim, double dt) {
  sim->jump = 0, sim->coarse = sim->careful = false;
  crd_status status = move_and_detect(sim, dt, sim->closed);
  if (status == CRD_OK && overlaps_held(sim)) {
    sim->careful = true;
    status = move_and_detect(sim, dt, sim->closed);
  }
  if (status != CRD_OK || !let_go_too_soon(sim)) return status;
  return move_and_detect(sim, dt, 1e4 * sim->closed);
}

static void commit(crd_sim *sim) {
  sim->adopted = false;
  if (sim->holds) crd_sim_hold_accept(sim);
  crd_sim_moment old = sim->now;
  sim->now = sim->trial;
  sim->trial = old;
  memcpy(sim->pos_now, sim->pos, (size_t)sim->model->ngeom * 3 * sizeof *sim->pos);
  if (sim->holds) sim->counters.loop_max = fmax(sim->counters.loop_max, sim->loop_error);
  for (int i = 0; i < sim->now.touches.count; i++)
    sim->counters.penetration_max = fmax(sim->counters.penetration_max, -sim->now.touches.item[i].at.gap);
}

/* All impacts of this instant. */
static crd_status resolve_impacts(crd_sim *sim, int *impacts) {
  for (;;) {
    bool resolved, limit = *impacts >= sim->options.max_impacts;
    crd_status status = crd_sim_impact(sim, limit, &resolved);
    if (status != CRD_OK || !resolved) return status;
    ++*impacts;
    if (*impacts == sim->options.max_impacts) {
      crd_sim_event event = {.t = sim->now.t, .kind = CRD_EVENT_LIMIT, .contact = "", .count = *impacts};
      crd_sim_emit(sim, &event);
    }
    if (*impacts > 2 * sim->options.max_impacts)
      return crd_sim_fail(sim, CRD_LIMIT, "more than %d impacts in one step at t = %g s", *impacts - 1, sim->now.t);
  }
}

enum { MOST_PIECES = 16 }; /* of a step whose free motion is too fast for it */

/* A motion over *dt, or over a shorter time where the contacts' problem has no solution; where that does not help, with
 * the best there is. */
static crd_status try_shorter(crd_sim *sim, double *dt) {
  double whole = *dt, least = *dt / 16, fine = sim->options.timestep / MOST_PIECES;
  crd_status status = crd_sim_try(sim, *dt);
  while (status > CRD_OK && *dt > least) {
    *dt /= 4;
    status = crd_sim_try(sim, *dt);
  }
  for (sim->tolerant = true; status > CRD_OK && whole > 1e-4 * sim->options.timestep; whole /= 4) {
    *dt = whole;
    status = crd_sim_try(sim, whole);
  }
  while (status == CRD_OK && sim->coarse && *dt > fine) {
    *dt /= 2;
    status = crd_sim_try(sim, *dt);
  }
  double safe = status == CRD_OK ? crd_sim_safe_time(sim, *dt) : *dt;
  if (safe < *dt) *dt = safe, status = crd_sim_try(sim, safe);
  if (status == CRD_OK) sim->message[0] = 0;
  return status;
}

/* A contact that was held has left the band. */
static void report_release(crd_sim *sim) {
  const crd_sim_touches *before = &sim->now.touches, *after = &sim->trial.touches;
  for (int i = 0; i < before->count; i++) sim->take[i] = before->item[i].touching;
  for (int i = 0; i < after->count; i++) {
    int source = after->item[i].source;
    if (source >= 0 && sim->holds) source = sim->held.item[source].source;
    if (source >= 0) sim->take[source] = false;
  }
  for (int i = 0; i < before->count; i++) {
    crd_sim_event event = {.t = sim->trial.t, .kind = CRD_EVENT_RELEASE, .contact = before->item[i].name, .count = 1};
    if (sim->take[i]) crd_sim_emit(sim, &event);
  }
}

static crd_status step_forward(crd_sim *sim, double h) {
  double end = sim->now.t + h, dt = h;
  int impacts = 0;
  crd_status status = CRD_OK;
  crd_sim_copy_moment(sim, &sim->start, &sim->now);
  sim->ncontact = 0, sim->message[0] = 0;
  while (dt > 0 && status == CRD_OK) {
    double tau = dt;
    status = resolve_impacts(sim, &impacts);
    if (status == CRD_OK) crd_sim_settle(sim);
    if (status == CRD_OK) status = try_shorter(sim, &tau);
    if (status == CRD_OK && crd_sim_any_penetrates(sim)) status = crd_sim_find_impact(sim, tau, &tau);
    sim->tolerant = false;
    if (status != CRD_OK) break;
    dt = dt - tau > 1e-13 * h ? dt - tau : 0;
    if (dt == 0) sim->trial.t = end;
    report_release(sim);
    commit(sim);
  }
  if (status == CRD_OK) {
    sim->counters.steps++;
    sim->counters.contacts += sim->ncontact;
    if (sim->options.observer.step) sim->options.observer.step(sim->options.observer.context, sim);
  } else {
    crd_sim_copy_moment(sim, &sim->now, &sim->start);
  }
  return status;
}

crd_status crd_sim_advance(crd_sim *sim, double h) {
  if (sim->unfit) return CRD_ERR_MODEL; /* the message says why */
  if (sim->options.integrator == CRD_SIM_MOREAU) return crd_sim_moreau(sim, h);
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
