/* Modes of the contacts from the present instant on.
 *
 *   1  points in the band: closed are those that persisted and those within gap_tolerance of touching
 *   2  one that approaches: impact by the law, and again
 *   3  contacts that do not part: modes from the Coulomb problem at acceleration level; where it has no solution an
 *      impact without collision, and again
 *   4  the state returns to the constraints of the new phase
 */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "analysis/acceleration_rows.h"
#include "contact/assemble.h"
#include "sim/event.h"
#include "tree/tendon.h"

enum { SPARE_IMPACTS = 10 };           /* beyond twice the most of a step, before the step is refused */
enum { SLOW_IMPACTS_PER_DECADE = 10 }; /* slow impacts after which ten times as much counts as rest */

/* Points in the band at group->now, those that are closed into event->point; group->rows->take tells which. */
static crd_status find_closed(crd_group *group) {
  crd_event_driven *event = group->event;
  crd_sim_place(group, group->now.q);
  crd_status status = crd_sim_detect_now(group);
  if (status != CRD_OK) return status;
  const crd_sim_touches fresh = group->now.touches;
  status = crd_event_reserve(event, fresh.count);
  if (status != CRD_OK) return crd_sim_fail(group, status, "no memory for %d contacts", fresh.count);
  for (int i = 0; i < fresh.count; i++) {
    const crd_sim_touch *touch = &fresh.item[i];
    group->rows->take[i] = touch->active || touch->at.gap <= group->scene->gap_tolerance;
    if (touch->at.geomA == CRD_SIM_LIMIT) continue; /* its gap is an angle */
    group->ledger.counters.penetration_max = fmax(group->ledger.counters.penetration_max, -touch->at.gap);
  }
  return CRD_OK;
}

/* The fastest that a geom of a closed point moves. */
static double fastest_of_closed(const crd_group *group) {
  double fastest = 0;
  for (int i = 0; i < 2 * group->event->npoint; i++) {
    const crd_contact_point *point = &group->event->point[i / 2];
    fastest = fmax(fastest, crd_event_geom_speed(group, i % 2 ? point->geomB : point->geomA));
  }
  return fastest;
}

/* Threshold of rest beside velocities of this scale: its rounding. Rebounds that hardly differ from rest do not end
 * where rounding of the impacts is as large as they are (a weight of a ton on one of a gram): the more of them there are
 * while a body would fall by its size, the more counts as rest. */
static double rest(const crd_event_driven *event, double scale) {
  double still = CRD_APPROACH * pow(10, event->stalls) * scale;
  return fmax(still, fmin(still * pow(10, event->kept.slow_impacts / SLOW_IMPACTS_PER_DECADE), event->slow));
}

/* Scales of velocities. */
static void set_scales(crd_group *group, int stalls) {
  crd_event_driven *event = group->event;
  const crd_contact_problem *problem = group->rows->problem;
  double gravity = crd_vec3_norm(group->model->gravity);
  double falling = sqrt(gravity * group->scene->size), speed = fastest_of_closed(group);
  for (int i = 0; i < problem->nrow + problem->nb - event->ndry; i++) speed = fmax(speed, fabs(problem->u[i]));
  event->velocity_scale = fmax(speed, crd_event_accurate.least_speed * falling);
  if (!(event->velocity_scale > 0)) event->velocity_scale = 1;
  event->started = crd_event_accurate.started * fmax(event->velocity_scale, falling);
  event->pace = gravity > 0 ? falling / gravity : group->scene->size / event->velocity_scale;
  if (group->now.t - event->kept.slow_since > event->pace) event->kept.slow_impacts = 0;
  event->slow = crd_event_accurate.slow * fmax(speed, falling);
  event->fastest = fmax(event->fastest, event->velocity_scale);
  event->kinetic = fmax(event->kinetic, problem->kinetic);
  event->stalls = stalls;
  event->still = rest(event, event->fastest);
}

double crd_event_still(const crd_group *group, int row, int rows) {
  const crd_contact_problem *problem = group->rows->problem;
  const crd_event_driven *event = group->event;
  size_t m = (size_t)(problem->nrow + problem->nb);
  double trace = 0;
  for (int i = row; i < row + rows; i++) trace += problem->W[(m + 1) * (size_t)i];
  double falling = sqrt(crd_vec3_norm(group->model->gravity) * group->scene->size);
  return rest(event, fmax(sqrt(2 * event->kinetic * trace), crd_event_accurate.least_speed * falling));
}

/* group->rows->problem of the closed points at group->now; dry: and of joints with dry friction. */
static crd_status assemble(crd_group *group, bool dry) {
  crd_event_driven *event = group->event;
  crd_contact_options options = crd_contact_default();
  event->npoint = crd_touches_list(&group->now.touches, group->rows->take, event->point, &options);
  crd_tree_kinematics(group->model, group->stage->work, group->now.q);
  crd_tree_velocity(group->model, group->stage->work, group->now.v);
  crd_status status = crd_tree_factor(group->model, group->stage->work);
  if (status == CRD_OK)
    status = crd_event_assemble(group, group->now.q, group->now.v, event->npoint, &options, dry, group->rows->problem);
  if (status != CRD_OK) return crd_sim_fail(group, status, "contact problem: %s", crd_status_text(status));
  crd_sim_map_contacts(group, &group->now.touches, group->rows->take, crd_contact_of_point(group->stage->assembler));
  return CRD_OK;
}

/* The fastest approach of a contact, 0: none approaches. */
static double approach(const crd_group *group) {
  double fastest = 0;
  for (int c = 0; c < group->rows->problem->nc; c++) {
    int row = group->rows->problem->contact[c].row;
    double closing = -group->rows->problem->u[row];
    if (closing > crd_event_still(group, row, 1)) fastest = fmax(fastest, closing);
  }
  return fastest;
}

/* ------------------------------------------------------------------------------------------------ modes */

static double tendon_rate(const crd_group *group, int tendon) {
  crd_tendons_at(group->model, group->stage->work, group->now.q);
  return crd_tendon_rate(&group->model->tendon[tendon], group->stage->work, group->now.v);
}

/* Unit directions of sliding of the units, zero at rest. */
static void slip_directions(const crd_group *group, double *slip) {
  const crd_event_driven *event = group->event;
  int nc = group->rows->problem->nc;
  double fastest = 0;
  for (int c = 0; c < nc; c++) {
    const crd_contact *contact = &group->rows->problem->contact[c];
    double u[2] = {0};
    for (int k = 0; k < contact->ntangent; k++) u[k] = group->rows->problem->u[contact->row + 1 + k];
    double speed = hypot(u[0], u[1]);
    bool slides = contact->mu > 0 && speed > crd_event_still(group, contact->row + 1, contact->ntangent);
    for (int k = 0; k < 2; k++) slip[2 * c + k] = slides ? u[k] / speed : 0;
  }
  for (int i = 0; i < group->model->nv; i++) fastest = fmax(fastest, fabs(group->now.v[i]));
  for (int k = 0; k < event->ndry; k++) {
    const int dof = event->dry[k].dof;
    double speed = dof < group->model->nv ? group->now.v[dof] : tendon_rate(group, dof - group->model->nv);
    bool moves = fabs(speed) > fmax(CRD_APPROACH * fastest, crd_event_accurate.joint_still);
    slip[2 * (nc + k)] = moves ? copysign(1, speed) : 0, slip[2 * (nc + k) + 1] = 0;
  }
}

static void tell(crd_group *group, crd_sim_event_kind kind, const crd_contact *contact) {
  crd_sim_event event = {.t = group->now.t, .kind = kind, .contact = contact->name, .count = 1};
  crd_sim_emit(group, &event);
}

/* Reports the new mode of a contact that persisted before: once for each contact, by its first point. */
static void tell_change(crd_group *group, const crd_sim_touch *touch, const crd_contact *contact, crd_mode mode) {
  if (!touch->active) return;
  if (mode == CRD_MODE_SEPARATE) tell(group, CRD_EVENT_RELEASE, contact);
  if (touch->force.mode == CRD_MODE_SLIP && mode == CRD_MODE_STICK) tell(group, CRD_EVENT_STICK, contact);
  if (touch->force.mode == CRD_MODE_STICK && mode == CRD_MODE_SLIP) tell(group, CRD_EVENT_SLIP, contact);
}

/* The choice's arrays, of one instant. */
typedef struct choice {
  double *slip, *guess, *f;
  crd_phase_mode *mode, *before;
  bool *parts, *starts, *told; /* told: events of the contact */
  crd_force_verdict verdict;
} choice;

static void add_contact(crd_event_driven *event, const crd_contact_problem *problem, int c, const choice *ch) {
  const crd_contact *contact = &problem->contact[c];
  crd_phase_contact *phase = &event->contact[event->ncontact++];
  *phase = (crd_phase_contact){.mode = ch->mode[c], .source = c, .failed = -1};
  phase->base = crd_event_touch_force(contact, ch->f, crd_event_mode(&ch->mode[c]));
  for (int k = 0; k < contact->ntangent; k++) crd_vec3_axpy(phase->direction, ch->mode[c].d[k], contact->tangent[k]);
  phase->starts = phase->mode.turns, phase->turn = phase->mode.turn;
  event->npointcontact += contact->joint < 0;
}

/* A touch belongs to contact c of the new phase and takes its mode and force. */
static void join_phase(const crd_group *group, crd_sim_touch *touch, int c, const choice *ch) {
  crd_mode mode = crd_event_mode(&ch->mode[c]);
  touch->active = ch->mode[c].kind != CRD_PHASE_OPEN, touch->force.mode = mode;
  touch->phase = c + 1, touch->starts = ch->mode[c].turns;
  touch->guess = crd_event_touch_force(&group->rows->problem->contact[c], ch->f, mode);
}

/* The points and contacts of the new phase; points remember whether they persist. */
static void begin_phase(crd_group *group, const choice *ch) {
  crd_event_driven *event = group->event;
  const crd_contact_problem *problem = group->rows->problem;
  const int first_dry = problem->nrow + problem->nb - event->ndry;
  event->nfollowed = event->nlimit = event->ncontact = event->npointcontact = 0;
  for (int i = 0; i < group->now.touches.count; i++) {
    crd_sim_touch *touch = &group->now.touches.item[i];
    const int c = group->rows->contact_of[i];
    touch->phase = 0;
    if (c < 0) continue;
    if (!ch->told[c]) tell_change(group, touch, &problem->contact[c], crd_event_mode(&ch->mode[c]));
    ch->told[c] = true;
    join_phase(group, touch, c, ch);
    if (!touch->active) continue;
    if (touch->at.geomA == CRD_SIM_LIMIT)
      event->limit[event->nlimit++] = touch->at;
    else
      event->followed[event->nfollowed++].point = touch->at;
  }
  for (int c = 0; c < problem->nc; c++)
    if (ch->mode[c].kind != CRD_PHASE_OPEN) add_contact(event, problem, c, ch);
  if (first_dry > problem->nrow)
    memcpy(event->loop_base, ch->f + problem->nrow, (size_t)(first_dry - problem->nrow) * sizeof *ch->f);
  crd_event_set_loop_units(event, problem);
  event->rows.count = 0;
  for (int k = 0; k < event->ndry; k++)
    event->dry[k].mode = ch->mode[problem->nc + k], event->dry[k].base = ch->f[first_dry + k];
  crd_contact_loop_rows(group->stage->assembler, problem->nrow, first_dry - problem->nrow, event->loop_row);
  crd_surface_remember(&event->surface, group->stage->work, event->followed, event->nfollowed);
}

static void tell_ambiguity(crd_group *group, bool ambiguous) {
  crd_event_driven *event = group->event;
  if (ambiguous && !event->kept.ambiguous && group->rows->problem->nc > 0)
    tell(group, CRD_EVENT_PAINLEVE, &group->rows->problem->contact[0]);
  event->kept.ambiguous = ambiguous;
}

/* Mode of a contact before the event, or the mode required by the end of the phase, and its forces as a guess. */
static void recall_contact(const crd_contact *contact, const crd_sim_touch *touch, crd_phase_mode *before,
                           double *guess) {
  static const crd_phase_kind kind[] = {CRD_PHASE_IDLE, CRD_PHASE_OPEN, CRD_PHASE_STICK, CRD_PHASE_SLIP};
  if (before->kind != CRD_PHASE_UNKNOWN) return;
  if (!touch->active && touch->guess.mode != CRD_MODE_SEPARATE) return; /* it is new */
  before->kind = kind[touch->guess.mode];
  guess[contact->row] = touch->guess.normal;
  for (int k = 0; k < contact->ntangent; k++)
    guess[contact->row + 1 + k] = crd_vec3_dot(contact->tangent[k], touch->guess.friction);
}

/* Previous modes of the units. */
static void recall(const crd_group *group, choice *ch) {
  const crd_event_driven *event = group->event;
  const crd_contact_problem *problem = group->rows->problem;
  const int first_dry = problem->nrow + problem->nb - event->ndry;
  for (int c = 0; c < problem->nc; c++) ch->before[c].kind = ch->parts[c] ? CRD_PHASE_OPEN : CRD_PHASE_UNKNOWN;
  for (int i = 0; i < group->now.touches.count; i++) {
    const crd_sim_touch *touch = &group->now.touches.item[i];
    const int c = group->rows->contact_of[i];
    if (c < 0) continue;
    recall_contact(&problem->contact[c], touch, &ch->before[c], ch->guess);
    ch->starts[c] = touch->starts;
  }
  for (int k = 0; k < event->ndry; k++) {
    double force = group->now.dry[event->dry[k].dof];
    ch->guess[first_dry + k] = force;
    ch->before[problem->nc + k].kind = fabs(force) < event->bound[k] ? CRD_PHASE_STICK : CRD_PHASE_SLIP;
  }
}

/* What slides from rest and slowly still is as good as at rest: its friction follows from its acceleration. */
static void keep_starting(const crd_group *group, choice *ch) {
  for (int c = 0; c < group->rows->problem->nc; c++) {
    const crd_contact *contact = &group->rows->problem->contact[c];
    const double *u = group->rows->problem->u + contact->row + 1;
    if (!ch->starts[c] || contact->ntangent < 2 || hypot(u[0], u[1]) > group->event->started) continue;
    ch->slip[2 * c] = ch->slip[2 * c + 1] = 0, ch->before[c].turns = true;
  }
}

static crd_status reserve_choice(crd_group *group, choice *ch) {
  crd_arena *arena = &group->event->scratch;
  size_t nc = (size_t)group->rows->problem->nc + 1, units = nc + (size_t)group->event->ndry;
  size_t m = (size_t)(group->rows->problem->nrow + group->rows->problem->nb) + 1, d = sizeof(double);
  crd_arena_reset(arena);
  ch->slip = crd_arena_alloc(arena, units, 2 * d), ch->parts = crd_arena_alloc(arena, nc, sizeof *ch->parts);
  ch->starts = crd_arena_alloc(arena, nc, sizeof *ch->starts);
  ch->told = crd_arena_alloc(arena, nc, sizeof *ch->told);
  ch->guess = crd_arena_alloc(arena, m, d), ch->f = crd_arena_alloc(arena, m, d);
  ch->mode = crd_arena_alloc(arena, units, sizeof *ch->mode);
  ch->before = crd_arena_alloc(arena, units, sizeof *ch->before);
  bool all = ch->slip && ch->parts && ch->starts && ch->told && ch->guess && ch->f && ch->mode && ch->before;
  return all ? CRD_OK : crd_sim_fail(group, CRD_ERR_MEMORY, "no memory for %d contacts", group->rows->problem->nc);
}

/* Modes of contacts and of joints with dry friction. After an impact forces of before say nothing. */
static crd_status find_modes(crd_group *group, bool struck, choice *ch) {
  crd_event_driven *event = group->event;
  crd_force_problem force;
  double actuation, damping;
  crd_status status = crd_sim_acceleration(group, group->now.t, group->now.q, group->now.v, group->now.act, event->qacc,
                                           &actuation, &damping);
  if (status == CRD_OK)
    status = crd_event_accelerations(group, group->now.q, group->now.v, group->rows->problem, event->npoint,
                                     event->qacc, &force);
  if (status != CRD_OK) return status;
  const crd_mode_input input = {ch->slip, ch->parts, struck ? NULL : ch->before, struck ? NULL : ch->guess};
  group->ledger.counters.solves++;
  return crd_modes_find(&force, &input, &event->tools, ch->mode, ch->f, &ch->verdict);
}

/* Modes of the closed contacts. *resolved: there was an impact without collision instead. */
static crd_status choose(crd_group *group, bool struck, bool *resolved) {
  const crd_contact_problem *problem = group->rows->problem;
  choice ch = {0};
  *resolved = false;
  crd_status status = reserve_choice(group, &ch);
  if (status != CRD_OK) return status;
  slip_directions(group, ch.slip);
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    ch.parts[c] = problem->u[row] > crd_event_still(group, row, 1);
  }
  recall(group, &ch);
  keep_starting(group, &ch);
  status = find_modes(group, struck, &ch);
  if (status != CRD_OK) {
    group->ledger.counters.failed_solves++;
    return crd_sim_fail(group, status, "no modes of %d contacts are consistent at t = %g s (%s)", problem->nc,
                        group->now.t, crd_status_text(status));
  }
  if (ch.verdict == CRD_FORCE_NONE) {
    *resolved = true;
    status = group->event->ndry > 0 ? assemble(group, false) : CRD_OK;
    return status == CRD_OK ? crd_event_painleve(group, ch.slip) : status;
  }
  tell_ambiguity(group, ch.verdict == CRD_FORCE_SEVERAL);
  begin_phase(group, &ch);
  return CRD_OK;
}

crd_status crd_event_resolve_instant(crd_group *group, int stalls, int *impacts) {
  bool was_asleep = group->event->kept.asleep; /* and is where it was */
  memset(group->trees->rests, 0, sizeof *group->trees->rests * (size_t)group->scene->ntree);
  enum { MOST = 100 }; /* impacts in one step before series of them are taken for noise */
  const int most = MOST, first = *impacts;
  group->event->fastest = group->event->kinetic = 0;
  for (;;) {
    bool resolved = true;
    crd_status status = crd_sim_stopped(group) ? CRD_STOPPED : find_closed(group);
    if (status == CRD_OK) status = assemble(group, true);
    if (status != CRD_OK) return status;
    set_scales(group, stalls);
    double closing = approach(group);
    if (closing > 0 && group->event->ndry > 0) status = assemble(group, false);
    if (closing > 0 && status == CRD_OK) status = crd_event_impact(group, *impacts >= most);
    if (!(closing > 0)) status = choose(group, *impacts > first, &resolved);
    if (status != CRD_OK) return status;
    if (!resolved) break;
    if (closing < group->event->slow && group->event->kept.slow_impacts++ == 0)
      group->event->kept.slow_since = group->now.t; /* those without collision are among them */
    if (++*impacts == most) {
      crd_sim_event limit = {.t = group->now.t, .kind = CRD_EVENT_LIMIT, .contact = "", .count = *impacts};
      crd_sim_emit(group, &limit);
    }
    if (*impacts > 2 * most + SPARE_IMPACTS)
      return crd_sim_fail(group, CRD_LIMIT, "more than %d impacts in one step at t = %g s", *impacts - 1, group->now.t);
  }
  crd_status status = was_asleep ? CRD_OK : crd_event_project(group, INFINITY);
  if (status != CRD_OK)
    return crd_sim_fail(group, status, "return to the constraints at t = %g s: %s", group->now.t,
                        crd_status_text(status));
  crd_event_rest(group);
  return CRD_OK;
}
