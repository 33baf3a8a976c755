/* What the contacts do from the present instant on.
 *
 *   1  points in the band: closed are those that held and those within `exact` of touching
 *   2  one that approaches: impact by the law, and again
 *   3  contacts that do not part: modes from the Coulomb problem at acceleration level; where it has no solution an
 *      impact without collision, and again
 *   4  the state returns to the constraints of the new phase
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "impact/impact.h"
#include "linalg/dense.h"
#include "sim/event.h"
#include "sim/event_coulomb.h"

/* Points in the band at sim->now, those that are closed into event->point; sim->rows.take tells which. */
static crd_status find_closed(crd_sim *sim) {
  crd_event *event = sim->event;
  crd_sim_place(sim, sim->now.q);
  crd_status status = crd_sim_detect(sim, sim->now.q, sim->scene.contact_band, &sim->now.touches, &sim->trial.touches);
  if (status != CRD_OK) return status;
  crd_sim_touches fresh = sim->trial.touches;
  sim->trial.touches = sim->now.touches, sim->now.touches = fresh;
  status = crd_event_reserve(event, fresh.count);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "no memory for %d contacts", fresh.count);
  event->npoint = 0;
  for (int i = 0; i < fresh.count; i++) {
    const crd_sim_touch *touch = &fresh.item[i];
    sim->rows.take[i] = false;
    if (touch->at.geomA == CRD_SIM_LIMIT) continue; /* the problem has its limits by itself (event_limits.c) */
    sim->rows.take[i] = touch->active || touch->at.gap <= sim->scene.gap_tolerance;
    if (sim->rows.take[i]) event->point[event->npoint++] = touch->at;
    sim->ledger.counters.penetration_max = fmax(sim->ledger.counters.penetration_max, -touch->at.gap);
  }
  return CRD_OK;
}

/* The fastest that a geom of a closed point moves. */
static double fastest_of_closed(const crd_sim *sim) {
  double fastest = 0;
  for (int i = 0; i < 2 * sim->event->npoint; i++) {
    const crd_contact_point *point = &sim->event->point[i / 2];
    fastest = fmax(fastest, crd_event_geom_speed(sim, i % 2 ? point->geomB : point->geomA));
  }
  return fastest;
}

/* Scale of velocities, and what counts as rest: rounding of it. Rebounds that hardly differ from rest do not end where
 * rounding of the impacts is as large as they are (a weight of a ton on one of a gram): the more of them there are
 * while a body would fall by its size, the more counts as rest. */
static void set_scales(crd_sim *sim, int stalls) {
  crd_event *event = sim->event;
  const crd_contact_problem *problem = sim->rows.problem;
  double gravity = crd_vec3_norm(sim->model->gravity);
  double falling = sqrt(gravity * sim->scene.size), speed = fastest_of_closed(sim);
  for (int i = 0; i < problem->nrow + problem->nb; i++) speed = fmax(speed, fabs(problem->u[i]));
  event->velocity_scale = fmax(speed, 1e-3 * falling);
  if (!(event->velocity_scale > 0)) event->velocity_scale = 1;
  event->pace = gravity > 0 ? falling / gravity : sim->scene.size / event->velocity_scale;
  if (sim->now.t - event->kept.slow_since > event->pace) event->kept.slow_impacts = 0;
  event->slow = 1e-5 * fmax(speed, falling);
  event->fastest = fmax(event->fastest, event->velocity_scale);
  double still = 1e-9 * pow(10, stalls) * event->fastest;
  event->still = fmax(still, fmin(still * pow(10, event->kept.slow_impacts / 10), event->slow));
}

/* sim->rows.problem of the closed points at sim->now, and the scale of velocities. */
static crd_status assemble(crd_sim *sim, int stalls) {
  crd_event *event = sim->event;
  crd_tree_kinematics(sim->model, sim->stage.work, sim->now.q);
  crd_tree_velocity(sim->model, sim->stage.work, sim->now.v);
  crd_status status = crd_tree_factor(sim->model, sim->stage.work);
  if (status == CRD_OK)
    status = crd_event_assemble(sim, sim->now.q, sim->now.v, event->point, event->npoint, sim->rows.problem);
  if (status != CRD_OK) return crd_sim_fail(sim, status, "contact problem: %s", crd_status_text(status));
  set_scales(sim, stalls);
  return CRD_OK;
}

/* A limit in the band but not at its end, which did not hold: it has no say yet. */
static bool is_pending(const crd_sim *sim, int c) {
  const crd_contact *contact = &sim->rows.problem->contact[c];
  int key = crd_limit_key(sim->rows.problem, c);
  return key && contact->gap > sim->scene.gap_tolerance && !crd_limit_holds(sim, key);
}

/* The fastest approach of a contact, 0: none approaches. */
static double approach(const crd_sim *sim) {
  double fastest = 0;
  for (int c = 0; c < sim->rows.problem->nc; c++)
    if (!is_pending(sim, c)) fastest = fmax(fastest, -sim->rows.problem->u[sim->rows.problem->contact[c].row]);
  return fastest > sim->event->still ? fastest : 0;
}

/* ------------------------------------------------------------------------------------------------ modes */

/* Unit directions of sliding (nc x 2), zero at rest. */
static void slip_directions(const crd_sim *sim, double *slip) {
  for (int c = 0; c < sim->rows.problem->nc; c++) {
    const crd_contact *contact = &sim->rows.problem->contact[c];
    double u[2] = {0};
    for (int k = 0; k < contact->ntangent; k++) u[k] = sim->rows.problem->u[contact->row + 1 + k];
    double speed = hypot(u[0], u[1]);
    bool slides = contact->mu > 0 && speed > sim->event->still;
    for (int k = 0; k < 2; k++) slip[2 * c + k] = slides ? u[k] / speed : 0;
  }
}

/* Accelerations of the rows without contact forces, in event->scratch; the problem they belong to is sim->rows.problem with
 * the joints that stick. */
static crd_status free_accelerations(crd_sim *sim, crd_force_problem *force) {
  crd_event *event = sim->event;
  int nv = sim->model->nv;
  double actuation, damping, *a_free;
  crd_status status = crd_sim_acceleration(sim, sim->now.t, sim->now.q, sim->now.v, event->qacc, &actuation, &damping);
  if (status != CRD_OK) return status;
  crd_dry_push(sim, &event->dries, sim->now.v, event->qacc, &damping);
  const crd_contact_problem *problem = crd_dry_extend(sim, &event->dries, sim->rows.problem);
  int m = problem ? problem->nrow + problem->nb : 0;
  a_free = crd_arena_alloc(&event->scratch, (size_t)m + 1, sizeof *a_free);
  if (!problem || !a_free) return CRD_ERR_MEMORY;
  status = crd_surface_bias(&event->surface, sim->stage.work, sim->now.q, sim->now.v, event->point,
                            crd_contact_of_point(sim->stage.assembler), event->npoint, sim->rows.problem, a_free);
  for (int i = 0; i < m; i++) a_free[i] += crd_dense_dot(nv, problem->J + (size_t)nv * (size_t)i, event->qacc);
  force->problem = problem, force->a_free = a_free, force->scale = crd_acceleration_scale(problem, a_free, event->qacc);
  return status;
}

static void tell(const crd_sim *sim, crd_sim_event_kind kind, const crd_contact *contact) {
  crd_sim_event event = {.t = sim->now.t, .kind = kind, .contact = contact->name, .count = 1};
  crd_sim_emit(sim, &event);
}

/* What a contact changed to, where it held before: told once for each contact, by its first point. */
static void tell_change(const crd_sim *sim, const crd_sim_touch *touch, const crd_contact *contact, crd_mode mode) {
  if (!touch->active) return;
  if (mode == CRD_MODE_SEPARATE) tell(sim, CRD_EVENT_RELEASE, contact);
  if (touch->force.mode == CRD_MODE_SLIP && mode == CRD_MODE_STICK) tell(sim, CRD_EVENT_STICK, contact);
  if (touch->force.mode == CRD_MODE_STICK && mode == CRD_MODE_SLIP) tell(sim, CRD_EVENT_SLIP, contact);
}

static void add_contact(crd_event *event, const crd_contact_problem *problem, int c, const crd_held *held, int key) {
  const crd_contact *contact = &problem->contact[c];
  crd_phase_contact *phase = &event->contact[event->ncontact++];
  *phase = (crd_phase_contact){.held = *held, .key = key, .source = c};
  for (int k = 0; k < contact->ntangent; k++) crd_vec3_axpy(phase->direction, held->d[k], contact->tangent[k]);
}

/* The points and contacts of the new phase; points remember whether they hold. */
static void begin_phase(crd_sim *sim, const crd_held *held) {
  crd_event *event = sim->event;
  const int *contact_of = crd_contact_of_point(sim->stage.assembler);
  int next = 0, taken = 0;
  event->nfollowed = event->ncontact = 0;
  for (int i = 0; i < sim->now.touches.count; i++) {
    crd_sim_touch *touch = &sim->now.touches.item[i];
    if (!sim->rows.take[i]) continue;
    int c = contact_of[taken++];
    if (c < 0) continue;
    crd_mode mode = crd_event_mode(&held[c]);
    bool is_first = c == next;
    if (is_first) tell_change(sim, touch, &sim->rows.problem->contact[c], mode), next++;
    touch->active = held[c].hold != CRD_HOLD_OPEN, touch->force.mode = mode;
    if (!touch->active) continue;
    event->followed[event->nfollowed++].point = touch->at;
    if (is_first) add_contact(event, sim->rows.problem, c, &held[c], 0);
  }
  event->npointcontact = event->ncontact;
  for (int c = next; c < sim->rows.problem->nc; c++) {
    int key = crd_limit_key(sim->rows.problem, c);
    crd_sim_touch *touch = crd_limit_touch(sim, key);
    crd_mode mode = crd_event_mode(&held[c]);
    if (touch) tell_change(sim, touch, &sim->rows.problem->contact[c], mode);
    if (touch) touch->active = held[c].hold != CRD_HOLD_OPEN, touch->force.mode = mode;
    if (held[c].hold != CRD_HOLD_OPEN) add_contact(event, sim->rows.problem, c, &held[c], key);
  }
  crd_surface_remember(&event->surface, sim->stage.work, event->followed, event->nfollowed);
}

static void tell_ambiguity(crd_sim *sim, bool ambiguous) {
  crd_event *event = sim->event;
  if (ambiguous && !event->kept.ambiguous && sim->rows.problem->nc > 0)
    tell(sim, CRD_EVENT_PAINLEVE, &sim->rows.problem->contact[0]);
  event->kept.ambiguous = ambiguous;
}

/* What the closed contacts did until now; known: of which that can go on. */
static void modes_before(const crd_sim *sim, const double *slip, const bool *parts, crd_held *before, bool *known) {
  const crd_contact_problem *problem = sim->rows.problem;
  const int *contact_of = crd_contact_of_point(sim->stage.assembler);
  int next = 0, taken = 0;
  for (int i = 0; i < sim->now.touches.count; i++) {
    const crd_sim_touch *touch = &sim->now.touches.item[i];
    int c = sim->rows.take[i] ? contact_of[taken++] : -1;
    if (c != next) continue;
    next++;
    bool slides = slip[2 * c] != 0 || slip[2 * c + 1] != 0, rubs = crd_contact_rubs(&problem->contact[c]);
    known[c] = touch->active && !slides == (touch->force.mode != CRD_MODE_SLIP || !rubs);
    if (touch->force.mode == CRD_MODE_STICK && rubs) before[c].hold = CRD_HOLD_STICK;
    if (touch->force.mode == CRD_MODE_SLIP || !rubs)
      before[c] = (crd_held){CRD_HOLD_SLIP, {slip[2 * c], slip[2 * c + 1]}, false};
    if (touch->force.mode == CRD_MODE_NONE) before[c].hold = CRD_HOLD_IDLE;
  }
  for (int c = next; c < problem->nc; c++) {
    known[c] = crd_limit_holds(sim, crd_limit_key(problem, c));
    before[c].hold = CRD_HOLD_SLIP;
  }
  for (int c = 0; c < problem->nc; c++)
    if (parts[c]) before[c] = (crd_held){.hold = CRD_HOLD_OPEN}, known[c] = true;
}

/* The choice's arrays, of one settling. */
typedef struct choice {
  double *slip;
  crd_held *held, *before;
  bool *parts, *known;
  double *bound;
  int *sign;
  crd_force_verdict verdict;
} choice;

static crd_status reserve_choice(crd_sim *sim, choice *ch) {
  crd_arena *arena = &sim->event->scratch;
  size_t nc = (size_t)sim->rows.problem->nc + 1, nb = (size_t)(sim->rows.problem->nb + sim->event->dries.count) + 1;
  crd_arena_reset(arena);
  ch->slip = crd_arena_alloc(arena, nc, 2 * sizeof *ch->slip);
  ch->held = crd_arena_alloc(arena, nc, sizeof *ch->held), ch->before = crd_arena_alloc(arena, nc, sizeof *ch->before);
  ch->parts = crd_arena_alloc(arena, nc, sizeof *ch->parts), ch->known = crd_arena_alloc(arena, nc, sizeof *ch->known);
  ch->bound = crd_arena_alloc(arena, nb, sizeof *ch->bound), ch->sign = crd_arena_alloc(arena, nb, sizeof *ch->sign);
  bool all = ch->slip && ch->held && ch->before && ch->parts && ch->known && ch->bound && ch->sign;
  return all ? CRD_OK : crd_sim_fail(sim, CRD_ERR_MEMORY, "no memory for %d contacts", sim->rows.problem->nc);
}

/* Modes of contacts and of joints with dry friction. Joints at rest are held by it; those that it cannot hold begin to
 * move, and the rest is chosen again with the force that they have then. */
static crd_status find_modes(crd_sim *sim, choice *ch) {
  crd_event *event = sim->event;
  crd_force_problem force = {.share = true, .parts = ch->parts, .bound = ch->bound, .sign = ch->sign};
  crd_dry_begin(&event->dries, sim->now.v, sim->model->nv);
  for (;;) {
    crd_status status = free_accelerations(sim, &force);
    if (status != CRD_OK) return status;
    crd_dry_bounds(&event->dries, sim->rows.problem->nb, ch->bound, ch->sign);
    sim->ledger.counters.solves++;
    status = crd_force_choose(&force, ch->slip, ch->before, ch->known, &event->tools, ch->held, &ch->verdict);
    if (status != CRD_OK || ch->verdict == CRD_FORCE_NONE) return status;
    if (!crd_dry_take_signs(&event->dries, sim->rows.problem->nb, ch->sign)) return CRD_OK;
  }
}

/* Modes of the closed contacts. *resolved: there was an impact without collision instead. */
static crd_status choose(crd_sim *sim, bool *resolved) {
  const crd_contact_problem *problem = sim->rows.problem;
  choice ch = {0};
  *resolved = false;
  crd_status status = reserve_choice(sim, &ch);
  if (status != CRD_OK) return status;
  slip_directions(sim, ch.slip);
  for (int c = 0; c < problem->nc; c++)
    ch.parts[c] = problem->u[problem->contact[c].row] > sim->event->still || is_pending(sim, c);
  modes_before(sim, ch.slip, ch.parts, ch.before, ch.known);
  status = find_modes(sim, &ch);
  if (status != CRD_OK) {
    sim->ledger.counters.failed_solves++;
    return crd_sim_fail(sim, status, "no modes of %d contacts are consistent at t = %g s (%s)", problem->nc, sim->now.t,
                        crd_status_text(status));
  }
  if (ch.verdict == CRD_FORCE_NONE) return *resolved = true, crd_event_painleve(sim, ch.slip);
  tell_ambiguity(sim, ch.verdict == CRD_FORCE_SEVERAL);
  begin_phase(sim, ch.held);
  return CRD_OK;
}

crd_status crd_event_settle(crd_sim *sim, int stalls, int *impacts) {
  bool was_asleep = sim->event->kept.asleep; /* and is where it was */
  memset(sim->trees.rests, 0, sizeof *sim->trees.rests * (size_t)sim->scene.ntree);
  enum { MOST = 100 }; /* impacts in one step before series of them are taken for noise */
  int most = MOST;
  sim->event->fastest = 0;
  for (;;) {
    bool resolved = true;
    crd_status status = crd_sim_stopped(sim) ? CRD_STOPPED : find_closed(sim);
    if (status == CRD_OK) status = assemble(sim, stalls);
    if (status != CRD_OK) return status;
    double closing = approach(sim);
    if (closing > 0 && closing < sim->event->slow && sim->event->kept.slow_impacts++ == 0)
      sim->event->kept.slow_since = sim->now.t;
    if (closing > 0)
      status = crd_event_impact(sim, *impacts >= most);
    else
      status = choose(sim, &resolved);
    if (status != CRD_OK) return status;
    if (!resolved) break;
    if (++*impacts == most) {
      crd_sim_event limit = {.t = sim->now.t, .kind = CRD_EVENT_LIMIT, .contact = "", .count = *impacts};
      crd_sim_emit(sim, &limit);
    }
    if (*impacts > 2 * most + 10)
      return crd_sim_fail(sim, CRD_LIMIT, "more than %d impacts in one step at t = %g s", *impacts - 1, sim->now.t);
  }
  crd_status status = was_asleep ? CRD_OK : crd_event_project(sim, INFINITY);
  if (status != CRD_OK)
    return crd_sim_fail(sim, status, "return to the constraints at t = %g s: %s", sim->now.t, crd_status_text(status));
  crd_event_rest(sim);
  return CRD_OK;
}
