/* A new start: the state is checked; overlaps and open loops are removed where that is asked for, refused by name
 * otherwise. */
#include <cradle/linalg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/event.h"

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
    if (!(square > 1e-12 && square < 1e12))
      return crd_error_set(err, CRD_ERR_MODEL, NULL, 0, "joint \"%s\": found a quaternion of length %g, expected 1",
                           joint->name, sqrt(square));
  }
  return CRD_OK;
}

/* Says which touch it is: `geoms "a" and "b"`, or `joint "a"`. */
static void describe(const crd_sim *sim, const crd_contact_point *at, char *text, size_t size) {
  const crd_model *model = sim->model;
  char number[2][24];
  if (at->geomA == CRD_SIM_LIMIT && at->geomB >= model->njoint)
    snprintf(text, size, "tendon \"%s\"", model->tendon[at->geomB - model->njoint].name);
  else if (at->geomA == CRD_SIM_LIMIT)
    snprintf(text, size, "joint \"%s\"", model->joint[at->geomB].name);
  else
    snprintf(text, size, "geoms \"%s\" and \"%s\"", crd_contact_geom_name(model, at->geomA, number[0]),
             crd_contact_geom_name(model, at->geomB, number[1]));
}

/* The deepest overlap of the trial beyond the tolerance, NULL where there is none. */
static const crd_contact_point *deepest_overlap(const crd_sim *sim) {
  const crd_sim_touches *touches = &sim->trial.touches;
  int worst = -1;
  for (int i = 0; i < touches->count; i++)
    if (worst < 0 || touches->item[i].at.gap < touches->item[worst].at.gap) worst = i;
  return worst < 0 || touches->item[worst].at.gap >= -2 * sim->scene.contact_band ? NULL : &touches->item[worst].at;
}

/* Overlaps and open loops beyond the tolerances are refused: no motion leads there. */
static crd_status check_constraints(crd_sim *sim, crd_error *err) {
  const crd_contact_point *overlap = deepest_overlap(sim);
  char what[160];
  if (overlap) describe(sim, overlap, what, sizeof what);
  if (overlap && overlap->geomA == CRD_SIM_LIMIT)
    return crd_error_set(err, CRD_ERR_MODEL, NULL, 0,
                         "%s starts %g beyond its limit, expected at most %g; start it inside its range", what,
                         -overlap->gap, 2 * sim->scene.contact_band);
  if (overlap)
    return crd_error_set(
        err, CRD_ERR_MODEL, NULL, 0,
        "%s overlap by %g m at the start%s, expected at most %g m; move them apart, exclude their "
        "bodies from contact%s",
        what, -overlap->gap, sim->options.clear_start ? " and no motion was found that parts all bodies" : "",
        2 * sim->scene.contact_band, sim->options.clear_start ? ", or let --lenient leave the contact out" : "");
  if (sim->part.nloop == 0) return CRD_OK;
  const int *contact_of;
  crd_sim_touches none = {0};
  crd_status status = crd_sim_assemble(sim, sim->trial.q, sim->trial.v, &none, NULL, CRD_SIM_TO_MEASURE, &contact_of);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", sim->message);
  for (int b = 0; b < sim->rows.problem->nb; b++)
    if (!(fabs(sim->rows.problem->residual[b]) <= sim->options.loop_tolerance))
      return crd_error_set(
          err, CRD_ERR_MODEL, NULL, 0, "loop row %d is open by %g, expected at most %g%s", b,
          sim->rows.problem->residual[b], sim->options.loop_tolerance,
          sim->options.clear_start ? "; no motion was found that shuts it, --lenient takes a small rest as drawn" : "");
  return CRD_OK;
}

/* Moves the start out of overlaps and into the loops, and leaves a message that says so. */
static crd_status clear_start(crd_sim *sim, crd_error *err) {
  char what[160] = "";
  double overlap, loop;
  const crd_contact_point *deepest = deepest_overlap(sim);
  bool at_limit = deepest && deepest->geomA == CRD_SIM_LIMIT;
  if (deepest) describe(sim, deepest, what, sizeof what);
  crd_status status = crd_sim_clear_start(sim, &overlap, &loop);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", sim->message);
  sim->message[0] = 0;
  if (sim->nignored > 0) {
    crd_contact_point first = {.geomA = sim->ignored[0], .geomB = sim->ignored[1]};
    describe(sim, &first, what, sizeof what);
    snprintf(sim->message, sizeof sim->message,
             "%s%s overlap and no motion was found that parts them: such pairs (%d) do not touch in this run", what,
             sim->nignored > 1 ? " and others" : "", sim->nignored);
  } else if (overlap > 0) {
    snprintf(sim->message, sizeof sim->message,
             at_limit ? "%s started %g beyond its limit: moved" : "%s overlapped by %g m at the start: moved apart",
             what, overlap);
  } else if (loop > 0) {
    snprintf(sim->message, sizeof sim->message, "a loop was open by %g at the start: %s", loop,
             sim->loops_as_drawn ? "nothing shuts it further, taken as drawn" : "closed");
  }
  return CRD_OK;
}

/* The points of contact of the trial's position, after what is to be moved in it. */
static crd_status move_to_start(crd_sim *sim, crd_error *err) {
  crd_status status = crd_sim_detect(sim, sim->trial.q, sim->scene.contact_band, NULL, &sim->trial.touches);
  if (status != CRD_OK) return crd_error_set(err, status, NULL, 0, "%s", sim->message);
  sim->message[0] = 0;
  if (sim->options.clear_start) status = clear_start(sim, err);
  return status == CRD_OK ? check_constraints(sim, err) : status;
}

/* Makes (t, q, v) the present state, with the activations sim->trial.act and works sim->trial.work, and without a past. On
 * failure all is as it was. */
static crd_status set_state(crd_sim *sim, double t, const double *q, const double *v, crd_error *err) {
  const crd_model *model = sim->model;
  crd_sim_moment *fresh = &sim->trial;
  crd_status status = check_numbers(q, model->nq, "qpos", err);
  if (status == CRD_OK) status = check_numbers(v, model->nv, "qvel", err);
  if (status == CRD_OK && !isfinite(t))
    status = crd_error_set(err, CRD_ERR_NUMBER, NULL, 0, "time: found %g, expected a finite number", t);
  if (status == CRD_OK) status = check_quaternions(model, q, err);
  if (status != CRD_OK) return status;
  memcpy(fresh->v, v, (size_t)model->nv * sizeof *fresh->v);
  memset(fresh->dry, 0, (size_t)model->nv * sizeof *fresh->dry);
  memset(fresh->load, 0, (size_t)model->nv * sizeof *fresh->load);
  memset(sim->stage.chart, 0, (size_t)model->nv * sizeof *sim->stage.chart);
  crd_tree_integrate_position(model, q, sim->stage.chart, 1, fresh->q); /* unit quaternions */
  fresh->t = t, fresh->touches.count = 0, fresh->piece = INFINITY;
  crd_tree_kinematics(model, sim->stage.work, fresh->q);
  for (int g = 0; g < model->ngeom; g++)
    crd_tree_geom_pose(model, sim->stage.work, g, sim->seek.pos + 3 * g,
                       sim->seek.R + 9 * g); /* the fixed ones, once and for all */
  memcpy(sim->seek.pos_now, sim->seek.pos, (size_t)model->ngeom * 3 * sizeof *sim->seek.pos);
  int *ignored = sim->ignored, nignored = sim->nignored;
  sim->ignored = NULL, sim->nignored = 0;
  status = move_to_start(sim, err);
  if (status != CRD_OK) {
    sim->ignored = ignored, sim->nignored = nignored;
    crd_sim_place(sim, sim->now.q);
    crd_sim_keep_positions(sim);
    return status;
  }
  crd_sim_copy_moment(sim, &sim->now, fresh);
  sim->ledger.nrebound = 0;
  sim->listed.ncontact = 0, sim->listed.due = false;
  for (int i = 0; i < sim->scene.ntree; i++) sim->trees.piece[i] = INFINITY;
  crd_sim_wake(sim);
  sim->unfit = false;
  sim->sensed.length = 0;
  if (sim->event) crd_event_reset(sim->event);
  return CRD_OK;
}

crd_status crd_sim_reset(crd_sim *sim, double t, const double *qpos, const double *qvel, crd_error *err) {
  const crd_model *model = sim->model;
  double *rest = sim->stage.v;
  memset(rest, 0, (size_t)model->nv * sizeof *rest);
  if (model->nact > 0) memset(sim->trial.act, 0, (size_t)model->nact * sizeof *sim->trial.act);
  crd_tree_clamp_activation(model, sim->trial.act);
  sim->trial.work = (crd_sim_work){0};
  crd_status status = set_state(sim, t, qpos ? qpos : model->qpos0, qvel ? qvel : rest, err);
  if (status != CRD_OK) return status;
  sim->ledger.counters = (crd_sim_counters){0};
  sim->ledger.gain = (crd_sim_gain){0};
  crd_sim_inputs_clear(sim);
  double kinetic, potential;
  sim->ledger.energy_start = crd_sim_mechanical(sim, sim->now.q, sim->now.v, &kinetic, &potential);
  return CRD_OK;
}

crd_status crd_sim_set_state(crd_sim *sim, const double *qpos, const double *qvel, crd_error *err) {
  double kinetic, potential;
  const double before = crd_sim_mechanical(sim, sim->now.q, sim->now.v, &kinetic, &potential);
  if (sim->model->nact > 0) memcpy(sim->trial.act, sim->now.act, (size_t)sim->model->nact * sizeof *sim->now.act);
  sim->trial.work = sim->now.work;
  crd_status status = set_state(sim, sim->now.t, qpos ? qpos : sim->now.q, qvel ? qvel : sim->now.v, err);
  if (status != CRD_OK) return status;
  sim->now.work.imposed += crd_sim_mechanical(sim, sim->now.q, sim->now.v, &kinetic, &potential) - before;
  return CRD_OK;
}
