/* A new start: the state is checked; overlaps and open loops are removed where that is asked for, refused by name
 * otherwise. */
#include <cradle/linalg.h>
#include <math.h>
#include <string.h>

#include "base/print.h"
#include "contact/assemble.h"
#include "sim/event.h"
#include "sim/prescribed.h"
#include "sim/tunnel.h"

/* Squared lengths between which a quaternion is made unit; outside, it is refused. */
static const double SHORTEST_SQUARE = 1e-12, LONGEST_SQUARE = 1e12;

static crd_status check_numbers(const double *x, int n, const char *what, crd_error *err) {
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]))
      return crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "%s[%d]: found %g, expected a finite number", what, i, x[i]);
  return CRD_OK;
}

static crd_status check_quaternions(const crd_model *model, const double *q, crd_error *err) {
  for (int j = 0; j < model->njoint; j++) {
    const crd_joint *joint = &model->joint[j];
    if (joint->type != CRD_BALL && joint->type != CRD_FREE) continue;
    const double *quat = q + joint->q + (joint->type == CRD_FREE ? 3 : 0);
    double square = 0;
    for (int i = 0; i < 4; i++) square += quat[i] * quat[i];
    if (!(square > SHORTEST_SQUARE && square < LONGEST_SQUARE))
      return crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "joint \"%s\": found a quaternion of length %g, expected 1",
                           joint->name, sqrt(square));
  }
  return CRD_OK;
}

/* Says which touch it is: `geoms "a" and "b"`, or `joint "a"`. */
static void describe(const crd_group *group, const crd_contact_point *at, char *text, size_t size) {
  const crd_model *model = group->model;
  char number[2][24];
  if (at->geomA == CRD_SIM_LIMIT && at->geomB >= model->njoint)
    crd_print(text, size, "tendon \"%s\"", model->tendon[at->geomB - model->njoint].name);
  else if (at->geomA == CRD_SIM_LIMIT)
    crd_print(text, size, "joint \"%s\"", model->joint[at->geomB].name);
  else
    crd_print(text, size, "geoms \"%s\" and \"%s\"", crd_contact_geom_name(model, at->geomA, number[0]),
              crd_contact_geom_name(model, at->geomB, number[1]));
}

/* The deepest overlap of the trial beyond the tolerance, NULL where there is none. */
static const crd_contact_point *deepest_overlap(const crd_group *group) {
  const crd_sim_touches *touches = &group->trial->touches;
  int worst = -1;
  for (int i = 0; i < touches->count; i++)
    if (worst < 0 || touches->item[i].at.gap < touches->item[worst].at.gap) worst = i;
  return worst < 0 || touches->item[worst].at.gap >= -2 * group->scene->contact_band ? NULL : &touches->item[worst].at;
}

/* How many pairs of geoms a message names. */
enum { NAMED_PAIRS = 3 };

/* Is it the deepest point of its two geoms, and are these deeper in each other than is tolerated? */
static bool is_overlap(const crd_group *group, const crd_contact_point *at) {
  const crd_sim_touches *touches = &group->trial->touches;
  if (at->geomA == CRD_SIM_LIMIT || at->gap >= -2 * group->scene->contact_band) return false;
  for (int i = 0; i < touches->count; i++) {
    const crd_contact_point *other = &touches->item[i].at;
    const bool same = other->geomA == at->geomA && other->geomB == at->geomB;
    if (same && (other->gap < at->gap || (other->gap == at->gap && other < at))) return false;
  }
  return true;
}

/* The pairs of geoms that overlap, the deepest first: names and depths of some, and how many there are more. */
static void describe_overlaps(const crd_group *group, char *text, size_t size) {
  const crd_sim_touches *touches = &group->trial->touches;
  const crd_contact_point *told[NAMED_PAIRS] = {NULL};
  size_t used = 0;
  int count = 0, ntold = 0;
  for (int i = 0; i < touches->count; i++) { /* the told ones stay sorted by depth */
    const crd_contact_point *at = &touches->item[i].at;
    if (!is_overlap(group, at)) continue;
    count++;
    int place = ntold;
    while (place > 0 && at->gap < told[place - 1]->gap) place--;
    if (ntold < NAMED_PAIRS) ntold++;
    for (int k = ntold - 1; k > place; k--) told[k] = told[k - 1];
    if (place < NAMED_PAIRS) told[place] = at;
  }
  text[0] = 0;
  for (int k = 0; k < ntold && used < size; k++) {
    char what[160];
    describe(group, told[k], what, sizeof what);
    used += (size_t)crd_print(text + used, size - used, "%s%s by %.4g m", k ? ", " : "", what, -told[k]->gap);
  }
  if (count > ntold && used < size) crd_print(text + used, size - used, " and %d more pairs", count - ntold);
}

/* Overlaps and open loops beyond the tolerances are refused: no motion leads there. */
static crd_status check_constraints(crd_group *group, crd_error *err) {
  const crd_contact_point *overlap = deepest_overlap(group);
  char what[320];
  if (overlap) describe(group, overlap, what, sizeof what);
  if (overlap && overlap->geomA == CRD_SIM_LIMIT)
    return crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                         "%s starts %g beyond its limit, expected at most %g; start it inside its range", what,
                         -overlap->gap, 2 * group->scene->contact_band);
  if (overlap) describe_overlaps(group, what, sizeof what);
  if (overlap)
    return crd_error_set(
        err, CRD_ERR_MODEL, NULL, 0,
        "bodies overlap at the start%s: %s; expected at most %.4g m: move them apart, exclude them from contact%s",
        group->options->clear_start ? " and no motion was found that parts them" : "", what,
        2 * group->scene->contact_band,
        group->options->clear_start ? ", or let --ignore-overlaps leave these contacts out of the run" : "");
  if (group->part->nloop == 0) return CRD_OK;
  const int *contact_of;
  crd_sim_touches none = {0};
  crd_status status =
      crd_sim_assemble(group, group->trial->q, group->trial->v, &none, NULL, CRD_SIM_TO_MEASURE, &contact_of);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", group->message);
  for (int b = 0; b < group->rows->problem->nb; b++)
    if (!(fabs(group->rows->problem->residual[b]) <= group->options->loop_tolerance))
      return crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "loop row %d is open by %g, expected at most %g%s", b,
                           group->rows->problem->residual[b], group->options->loop_tolerance,
                           group->options->clear_start
                               ? "; no motion was found that closes it, --lenient accepts a small residual"
                               : "");
  return CRD_OK;
}

/* Moves the start out of overlaps and into the loops, and leaves a message that says so. */
static crd_status clear_start(crd_group *group, crd_error *err) {
  char what[160] = "";
  double overlap, loop;
  const crd_contact_point *deepest = deepest_overlap(group);
  bool at_limit = deepest && deepest->geomA == CRD_SIM_LIMIT;
  if (deepest) describe(group, deepest, what, sizeof what);
  crd_status status = crd_sim_clear_start(group, &overlap, &loop);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", group->message);
  group->message[0] = 0;
  if (group->scene->nignored > 0) {
    crd_contact_point first = {.geomA = group->scene->ignored[0], .geomB = group->scene->ignored[1]};
    describe(group, &first, what, sizeof what);
    crd_print(group->message, sizeof group->scratch->message,
              "%s%s overlap and no motion was found that parts them: such pairs (%d) do not touch in this run", what,
              group->scene->nignored > 1 ? " and others" : "", group->scene->nignored);
  } else if (overlap > 0) {
    crd_print(group->message, sizeof group->scratch->message,
              at_limit ? "%s started %g beyond its limit: moved" : "%s overlapped by %g m at the start: moved apart",
              what, overlap);
  } else if (loop > 0) {
    crd_print(group->message, sizeof group->scratch->message, "a loop was open by %g at the start: %s", loop,
              group->scene->loops_as_drawn ? "nothing closes it further, accepted as drawn" : "closed");
  }
  return CRD_OK;
}

/* Finds the contact points of the trial's position; moves it out of overlaps where requested, then checks it. */
static crd_status move_to_start(crd_group *group, crd_error *err) {
  crd_status status = crd_sim_detect(group, group->trial->q, group->scene->contact_band, NULL, &group->trial->touches);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", group->message);
  group->message[0] = 0;
  if (group->options->clear_start) status = clear_start(group, err);
  return status == CRD_OK ? check_constraints(group, err) : status;
}

/* The geoms where q has them, the fixed ones once and for all. */
static void place_all(crd_sim *sim, const double *q) {
  const crd_model *model = sim->model;
  const crd_sim_seek *seek = sim->whole.seek;
  crd_tree_kinematics(model, sim->whole.stage->work, q);
  for (int g = 0; g < model->ngeom; g++) {
    crd_tree_geom_pose(model, sim->whole.stage->work, g, seek->pos + 3 * g, seek->R + 9 * g);
    crd_sim_core(&sim->whole, g, seek->core_now + 3 * g);
  }
  for (int k = 1; k < sim->nscratch; k++) {
    memcpy(sim->scratch[k].seek.pos, seek->pos, (size_t)model->ngeom * 3 * sizeof *seek->pos);
    memcpy(sim->scratch[k].seek.R, seek->R, (size_t)model->ngeom * 9 * sizeof *seek->R);
  }
}

/* Makes (t, q, v) the present state, with the activations and works of the trial, and without a past. On failure all is as
 * it was. */
static crd_status set_state(crd_sim *sim, double t, const double *q, const double *v, crd_error *err) {
  const crd_model *model = sim->model;
  crd_group *whole = &sim->whole;
  crd_sim_moment *fresh = whole->trial;
  crd_status status = check_numbers(q, model->nq, "qpos", err);
  if (status == CRD_OK) status = check_numbers(v, model->nv, "qvel", err);
  if (status == CRD_OK && !isfinite(t))
    status = crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "time: found %g, expected a finite number", t);
  if (status == CRD_OK) status = check_quaternions(model, q, err);
  if (status != CRD_OK) return status;
  memcpy(fresh->v, v, (size_t)model->nv * sizeof *fresh->v);
  memset(fresh->dry, 0, (size_t)(model->nv + model->ntendon) * sizeof *fresh->dry);
  memset(fresh->load, 0, (size_t)model->nv * sizeof *fresh->load);
  memset(whole->stage->displacement, 0, (size_t)model->nv * sizeof *whole->stage->displacement);
  crd_tree_integrate_position(model, q, whole->stage->displacement, 1, fresh->q); /* unit quaternions */
  status = crd_sim_prescribe(whole, t, fresh->q, fresh->v);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", whole->message);
  fresh->t = t, fresh->touches.count = 0;
  place_all(sim, fresh->q);
  int *ignored = sim->scene.ignored, nignored = sim->scene.nignored;
  sim->scene.ignored = NULL, sim->scene.nignored = 0;
  status = move_to_start(whole, err);
  if (status == CRD_OK) status = crd_group_take_touches(whole, &fresh->touches);
  if (status != CRD_OK) {
    sim->scene.ignored = ignored, sim->scene.nignored = nignored;
    crd_sim_place(whole, whole->now.q);
    crd_sim_keep_positions(whole);
    return status;
  }
  memcpy(whole->now.q, fresh->q, (size_t)model->nq * sizeof *fresh->q);
  memcpy(whole->now.v, fresh->v, (size_t)model->nv * sizeof *fresh->v);
  if (model->nact > 0) memcpy(whole->now.act, fresh->act, (size_t)model->nact * sizeof *fresh->act);
  memcpy(whole->now.dry, fresh->dry, (size_t)(model->nv + model->ntendon) * sizeof *fresh->dry);
  memcpy(whole->now.load, fresh->load, (size_t)model->nv * sizeof *fresh->load);
  whole->now.t = t, whole->now.work = fresh->work;
  crd_sim_begin_anew(sim);
  whole->ledger.nrebound = whole->listed.ncontact = 0;
  for (int i = 0; i < sim->scene.ntree; i++) sim->groups.piece[i] = INFINITY;
  sim->sensed.length = 0;
  if (whole->event) crd_event_reset(whole->event);
  return CRD_OK;
}

void crd_sim_begin_anew(crd_sim *sim) {
  crd_group_enter(&sim->whole, sim->scratch);
  sim->groups.dealt = 0, sim->groups.count = 1, sim->whole.listed.due = false, sim->unfit = false;
  crd_sim_wake(sim);
}

crd_status crd_sim_reset(crd_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err) {
  const crd_model *model = sim->model;
  crd_group *whole = &sim->whole;
  double *rest = whole->stage->v;
  memset(rest, 0, (size_t)model->nv * sizeof *rest);
  if (model->nact > 0) memset(whole->trial->act, 0, (size_t)model->nact * sizeof *whole->trial->act);
  crd_tree_clamp_activation(model, whole->trial->act);
  whole->trial->work = (crd_sim_work){0};
  crd_status status = set_state(sim, t, qpos ? qpos : model->qpos0, qvel ? qvel : rest, err);
  if (status != CRD_OK) return status;
  whole->ledger.counters = (crd_sim_counters){0};
  whole->ledger.gain = (crd_sim_gain){0};
  crd_sim_inputs_clear(sim);
  double kinetic, potential;
  sim->energy_start = crd_sim_mechanical(whole, whole->now.q, whole->now.v, &kinetic, &potential);
  return CRD_OK;
}

crd_status crd_sim_set_state(crd_sim *sim, const double *qpos, const double *qvel, crd_error *err) {
  crd_group *whole = &sim->whole;
  crd_sim_moment *now = &whole->now;
  double kinetic, potential;
  const double before = crd_sim_mechanical(whole, now->q, now->v, &kinetic, &potential);
  if (sim->model->nact > 0) memcpy(whole->trial->act, now->act, (size_t)sim->model->nact * sizeof *now->act);
  whole->trial->work = now->work;
  crd_status status = set_state(sim, now->t, qpos ? qpos : now->q, qvel ? qvel : now->v, err);
  if (status != CRD_OK) return status;
  now->work.imposed += crd_sim_mechanical(whole, now->q, now->v, &kinetic, &potential) - before;
  return CRD_OK;
}
