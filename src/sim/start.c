/* A start without overlap: bodies that overlap are moved apart, joints beyond a limit to it, open loops closed, by the
 * smallest displacement d in the kinetic metric,
 *
 *   min 1/2 d' M d   subject to   gap + J_n d >= 0,   loop error + J_b d = 0,
 *
 * the change of least_change.c with contacts that may open. Gaps are not linear in d, so this is repeated,
 * with turns of at most 0.1 rad a round (where that gets nowhere, with larger ones); it converges like Newton's method.
 * Friction and velocities have no part in it. Where not all can be had (a cover drawn into the housing that it turns
 * in) the errors left have the least sum of squares; pairs of geoms that are then still in each other can be left out of
 * the run.
 */
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "coulomb/islands.h"
#include "sim/sim_state.h"
#include "sim/stiff_motion.h"

enum { MOST_ROUNDS = 60, PATIENCE = 10 };               /* rounds; rounds in which neither error falls */
static const double MOST_TURN[] = {0.1, 0.5, INFINITY}; /* rad a round, in the first, second, third attempt */
static const double NEARLY_CLOSED = 1e-4; /* of a body: residual of a loop accepted where nothing closes it further */
enum { ATTEMPTS = sizeof MOST_TURN / sizeof *MOST_TURN };
static const double LOOP_ENOUGH = 1e-3; /* of the loop tolerance: a start is closed better than a step has to be */
static const double LIMIT_REACH = 0.2;  /* rad: limits that a round might pass */

/* Errors of the present place, 0: none. Lengths and angles are kept apart: an angle is no reach for geoms. */
typedef struct start_errors {
  double overlap; /* deepest, m */
  double limit;   /* furthest beyond a limit, rad or m of its joint */
  double loop;    /* largest of a loop's rows */
} start_errors;

static start_errors errors_of(const crd_group *group) {
  start_errors errors = {0};
  const crd_sim_touches *touches = &group->trial->touches;
  for (int i = 0; i < touches->count; i++) {
    const crd_contact_point *at = &touches->item[i].at;
    double *worst = at->geomA == CRD_SIM_LIMIT ? &errors.limit : &errors.overlap;
    *worst = fmax(*worst, -at->gap);
  }
  for (int b = 0; b < group->rows->problem->nb; b++)
    errors.loop = fmax(errors.loop, fabs(group->rows->problem->residual[b]));
  return errors;
}

static bool is_clear(const crd_group *group, start_errors errors) {
  return fmax(errors.overlap, errors.limit) <= 2 * group->scene->contact_band &&
         errors.loop <= group->options->loop_tolerance;
}

/* The largest turn in the displacement group->stage->displacement, rad. */
static double largest_turn(const crd_group *group) {
  double turn = 0;
  for (int j = 0; j < group->model->njoint; j++) {
    const crd_joint *joint = &group->model->joint[j];
    for (int k = joint->type == CRD_FREE ? 3 : 0; joint->type != CRD_SLIDE && k < joint->nv; k++)
      turn = fmax(turn, fabs(group->stage->displacement[joint->v + k]));
  }
  return turn;
}

static crd_status displace(crd_group *group, double most_turn) {
  const crd_contact_problem *problem = group->rows->problem;
  int n = 0;
  crd_status status = crd_sim_reserve_rows(group, problem->nrow + problem->nb, problem->nc);
  if (status != CRD_OK) return status;
  crd_coulomb_find_islands(
      &(crd_coulomb_problem){.n = problem->nrow + problem->nb + problem->nf, .blocks = problem->blocks},
      group->rows->island);
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row;
    group->closing->chosen[n++] = (crd_sim_chosen){
        .contact = c, .row = row, .opens = true, .island = group->rows->island[row], .error = -problem->contact[c].gap};
  }
  for (int b = 0; b < problem->nb; b++) {
    int row = problem->nrow + b;
    group->closing->chosen[n++] =
        (crd_sim_chosen){.contact = -1, .row = row, .island = group->rows->island[row], .error = -problem->residual[b]};
  }
  status = crd_sim_least_change(group, problem, group->closing->chosen, n, group->rows->w);
  if (status != CRD_OK) return status;
  crd_contact_response(group->stage->assembler, group->stage->work, group->rows->w, group->stage->displacement);
  double turn = largest_turn(group);
  if (!(turn < INFINITY)) return CRD_SINGULAR;
  crd_tree_integrate_position(group->model, group->trial->q, group->stage->displacement,
                              turn > most_turn ? most_turn / turn : 1, group->trial->q);
  return CRD_OK;
}

/* The problem of all contacts that overlap at trial.q or lie within reach. */
static crd_status measure(crd_group *group, double reach, double limit_reach) {
  const int *contact_of;
  crd_sim_place(group, group->trial->q);
  crd_status status =
      crd_sim_detect_reach(group, group->trial->q, reach, fmax(reach, limit_reach), NULL, &group->trial->touches);
  if (status != CRD_OK) return status;
  /* without loops and overlaps there is nothing to solve, and the rows of thousands of contacts would fill the memory
   */
  double deepest = 0;
  for (int i = 0; i < group->trial->touches.count; i++) deepest = fmax(deepest, -group->trial->touches.item[i].at.gap);
  if (group->model->nloop == 0 && deepest <= group->scene->gap_tolerance) return CRD_OK;
  return crd_sim_assemble(group, group->trial->q, group->trial->v, &group->trial->touches, NULL, CRD_SIM_TO_MEASURE,
                          &contact_of);
}

/* Moves trial.q as far out of its errors as it gets; these are left in *errors. */
static crd_status move_apart(crd_group *group, double most_turn, start_errors *errors) {
  double reach = group->scene->contact_band;
  start_errors least = {INFINITY, INFINITY, INFINITY};
  for (int round = 0, better = 0; round <= MOST_ROUNDS && round - better <= PATIENCE; round++) {
    crd_status status = measure(group, reach, LIMIT_REACH);
    if (status != CRD_OK) return status;
    *errors = errors_of(group);
    if (errors->overlap < least.overlap || errors->limit < least.limit || errors->loop < least.loop) better = round;
    least = (start_errors){fmin(least.overlap, errors->overlap), fmin(least.limit, errors->limit),
                           fmin(least.loop, errors->loop)};
    if (fmax(errors->overlap, errors->limit) <= group->scene->gap_tolerance &&
        errors->loop <= LOOP_ENOUGH * group->options->loop_tolerance)
      break;
    if (round < MOST_ROUNDS && displace(group, most_turn) != CRD_OK) break;
    reach = fmax(group->scene->contact_band, 2 * errors->overlap);
  }
  return CRD_OK;
}

/* ------------------------------------------------------------------------------------------------ what stays */

static bool is_among(const int (*pair)[2], int count, const crd_contact_point *at) {
  for (int i = 0; i < count; i++)
    if (pair[i][0] == at->geomA && pair[i][1] == at->geomB) return true;
  return false;
}

bool crd_sim_ignores(const crd_group *group, const crd_contact_point *at) {
  const crd_sim_scene *scene = group->scene;
  if (scene->nprescribed > 0 && !scene->yields[at->geomA] && !scene->yields[at->geomB]) return true;
  return scene->nignored > 0 && is_among((const int(*)[2])scene->ignored, scene->nignored, at);
}

/* Adds the pairs of geoms that overlap in trial.touches (where `among` is given: and are in that list) to `list`. */
static void list_overlaps(const crd_group *group, const int (*among)[2], int namong, int (*list)[2], int *count) {
  for (int i = 0; i < group->trial->touches.count; i++) {
    const crd_contact_point *at = &group->trial->touches.item[i].at;
    if (at->geomA == CRD_SIM_LIMIT || at->gap >= -2 * group->scene->contact_band ||
        is_among((const int(*)[2])list, *count, at))
      continue;
    if (among && !is_among(among, namong, at)) continue;
    list[*count][0] = at->geomA, list[*count][1] = at->geomB, ++*count;
  }
}

static void go_back(crd_group *group, const double *given) {
  memcpy(group->trial->q, given, (size_t)group->model->nq * sizeof *given);
}

/* Back to the place `given`, without the pairs that overlap there as well as at trial.q (or there alone, where others
 * took over their overlap). *more: there were some. */
static crd_status ignore_overlaps(crd_group *group, const double *given, bool *more) {
  crd_arena scratch = {0};
  int nleft = 0, before = group->scene->nignored, room = group->trial->touches.count + 1;
  int(*left)[2] = crd_arena_alloc(&scratch, (size_t)room, sizeof *left);
  crd_status status = left ? CRD_OK : CRD_ERR_MEMORY;
  if (left) list_overlaps(group, NULL, 0, left, &nleft);
  go_back(group, given);
  if (status == CRD_OK) status = measure(group, group->scene->contact_band, 0);
  int(*all)[2] = crd_arena_alloc(&group->sim->arena, (size_t)(before + group->trial->touches.count + 1), sizeof *all);
  if (status == CRD_OK && !all) status = CRD_ERR_MEMORY;
  if (status == CRD_OK) {
    int count = before;
    if (before > 0) memcpy(all, group->scene->ignored, (size_t)before * sizeof *all);
    list_overlaps(group, (const int(*)[2])left, nleft, all, &count);
    if (count == before) list_overlaps(group, NULL, 0, all, &count);
    group->sim->scene.ignored = (int *)all, group->sim->scene.nignored = count;
  }
  *more = group->scene->nignored > before;
  crd_arena_free(&scratch);
  return status;
}

static void accept_loops(crd_group *group, bool accept) {
  group->sim->scene.loops_as_drawn = accept;
  if (accept) crd_sim_place(group, group->trial->q);
  crd_contact_accept_loops(group->stage->assembler, accept ? group->stage->work : NULL);
}

/* Moves from the given place to one that is clear, or as near to that as the last attempt comes. */
static crd_status clear(crd_group *group, const double *given, start_errors *left) {
  crd_status status = CRD_OK;
  for (int k = 0; k < ATTEMPTS && status == CRD_OK; k++) {
    go_back(group, given);
    accept_loops(group, false);
    status = move_apart(group, MOST_TURN[k], left);
    /* loops that are closed to some digits of the file and cannot be closed further: accept the residual */
    if (status == CRD_OK && fmax(left->overlap, left->limit) <= 2 * group->scene->contact_band &&
        group->options->ignore_overlaps && left->loop > group->options->loop_tolerance &&
        left->loop <= NEARLY_CLOSED * group->scene->size) {
      accept_loops(group, true);
      status = move_apart(group, MOST_TURN[k], left);
    }
    if (status == CRD_OK && is_clear(group, *left)) break;
  }
  return status;
}

crd_status crd_sim_clear_start(crd_group *group, double *overlap, double *loop) {
  double *given = group->stage->q;
  memcpy(given, group->trial->q, (size_t)group->model->nq * sizeof *given);
  crd_status status = measure(group, group->scene->contact_band, 0);
  start_errors first = errors_of(group), left = first;
  for (bool more = true; status == CRD_OK && more;) {
    status = clear(group, given, &left);
    if (status != CRD_OK || is_clear(group, left)) break;
    if (group->options->ignore_overlaps) {
      status = ignore_overlaps(group, given, &more);
    } else {
      go_back(group, given);
      status = measure(group, group->scene->contact_band, 0), more = false;
    }
  }
  *overlap = fmax(first.overlap, first.limit);
  if (*overlap <= 2 * group->scene->contact_band) *overlap = 0;
  *loop = first.loop > group->options->loop_tolerance ? first.loop : 0;
  return status;
}
