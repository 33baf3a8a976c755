/* A trial: the motion over a time from the present state, by a scheme. It reads (now), what crd_sim_begin_piece has made
 * of it, and the forecast, and writes (trial), group->rows->touches and group->seen: the same question gets the same bits, and what
 * is not accepted leaves no trace. */
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/activation.h"
#include "sim/groups.h"
#include "sim/partition.h"
#include "sim/prescribed.h"

const crd_sim_scheme crd_sim_persistent = {.theta = 0.5}, crd_sim_capture = {.theta = 0.5, .capture = true},
                     crd_sim_moreau = {.theta = 1, .capture = true, .at_start = true};

/* ------------------------------------------------------------------------------------------------ rest */

/* The k-th tree (0 or 1) that a row acts on; -1: none. */
static int tree_of_row(const crd_group *group, int index, int k) {
  const crd_row *row = &group->rows->assembler->row[index];
  int tree = row->ndof > 0 ? group->scene->tree_of_dof[crd_row_dof(row, 0)] : -1;
  for (int i = 1; i < row->ndof; i++) { /* the lowest of its trees, or the highest */
    const int other = group->scene->tree_of_dof[crd_row_dof(row, i)];
    if (k == 0 ? other < tree : other > tree) tree = other;
  }
  if (row->ndof > 0) return tree;
  return crd_sim_tree_of_body(group->scene, row->body[k]);
}

/* A tree of an island in which another one moves may be displaced by the projection, and does not rest. */
static void spread_motion(crd_group *group) {
  int m = group->rows->problem->nrow + group->rows->problem->nb, *moves = group->closing->place;
  memset(moves, 0, (size_t)m * sizeof *moves);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m; i++)
      for (int k = 0; k < 2; k++) {
        int tree = tree_of_row(group, i, k), *island = &moves[group->rows->island[i]];
        if (tree < 0) continue;
        if (pass == 0 && !group->trees->rests[tree]) *island = 1;
        if (pass == 1 && *island) group->trees->rests[tree] = false;
      }
}

/* Trees at rest before and after stay where they are: rounding and the error of the free motion do not let them creep.
 */
static void keep_rest(crd_group *group) {
  const crd_model *model = group->model;
  double rest = 1e-13 * group->scene->size / group->options->timestep;
  CRD_EACH (group->part, v, i) group->trees->rests[group->scene->tree_of_dof[i]] = true;
  CRD_EACH (group->part, v, i)
    if (!(fabs(group->now.v[i]) <= rest && fabs(group->trial->v[i]) <= rest))
      group->trees->rests[group->scene->tree_of_dof[i]] = false;
  for (int i = 0; i < group->scene->nprescribed; i++)
    group->trees->rests[group->scene->tree_of_dof[model->joint[group->scene->prescribed[i]].v]] = false;
  spread_motion(group);
  CRD_EACH (group->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    if (!group->trees->rests[group->scene->tree_of_dof[joint->v]]) continue;
    memcpy(group->trial->q + joint->q, group->now.q + joint->q, (size_t)joint->nq * sizeof(double));
    memset(group->trial->v + joint->v, 0, (size_t)joint->nv * sizeof(double));
  }
}

static const double RESTS = 1e-10; /* of the size, in a step: what contacts hold and is slower is at rest */

/* Trees that forces would move and contacts hold, slower at the start and at the end of the step than what solving
 * leaves of velocities, are at rest: they do not creep. True: all of them. */
static bool stop_slow(crd_group *group, double dt) {
  double rest = RESTS * group->scene->size / dt;
  bool all = true;
  CRD_EACH (group->part, v, k) group->trees->rests[group->scene->tree_of_dof[k]] = false;
  CRD_EACH (group->part, v, k) /* something would move it */
    if (fabs(group->stage->free_v[k]) > rest) group->trees->rests[group->scene->tree_of_dof[k]] = true;
  CRD_EACH (group->part, v, k)
    if (!(fabs(group->now.v[k]) <= rest && fabs(group->trial->v[k]) <= rest))
      group->trees->rests[group->scene->tree_of_dof[k]] = false;
  CRD_EACH (group->part, v, k) {
    if (group->trees->rests[group->scene->tree_of_dof[k]]) group->trial->v[k] = 0;
    all = all && group->trial->v[k] == 0;
  }
  return all;
}

static const double SAME_FORCES = 1e-9; /* of the largest: what forces at rest may differ by from step to step */

static bool same_forces(const crd_part *part, const crd_sim_moment *a, const crd_sim_moment *b) {
  double change = 0, largest = 0;
  CRD_EACH (part, v, k) change = fmax(change, fabs(a->load[k] - b->load[k])), largest = fmax(largest, fabs(b->load[k]));
  if (!(change <= SAME_FORCES * largest)) return false;
  change = largest = 0;
  for (int i = 0; i < part->nrubbing; i++) {
    const int k = part->rubbing[i];
    change = fmax(change, fabs(a->dry[k] - b->dry[k])), largest = fmax(largest, fabs(b->dry[k]));
  }
  return change <= SAME_FORCES * largest;
}

/* Was everything at rest, and is it, under the same forces, with the same points in the band? */
static bool rests_as_before(const crd_group *group) {
  const crd_sim_moment *now = &group->now, *trial = group->trial;
  if (crd_activation_moves(group)) return false;
  CRD_EACH (group->part, v, k)
    if (now->v[k] != 0 || !group->trees->rests[group->scene->tree_of_dof[k]]) return false;
  if (now->touches.count != trial->touches.count) return false;
  for (int i = 0; i < now->touches.count; i++)
    if (!now->touches.item[i].active != !trial->touches.item[i].active) return false;
  return same_forces(group->part, trial, now);
}

/* The state as it was, with the forces as they were, so that every further step is the same, bit by bit. */
static void stay(crd_group *group) {
  crd_part_copy_q(group->part, group->trial->q, group->now.q);
  crd_part_copy_dry(group->part, group->trial->dry, group->now.dry);
  memset(group->rows->done, 0, sizeof *group->rows->done * (size_t)group->rows->problem->nc);
}

/* The same for a scheme whose points are those of the end, and whose forces the next free motion runs under. */
static void stay_at_end(crd_group *group) {
  stay(group);
  group->trial->work = group->now.work;
  crd_part_copy_v(group->part, group->trial->load, group->now.load);
  const size_t count = (size_t)group->now.touches.count;
  if (count > 0) memcpy(group->trial->touches.item, group->now.touches.item, count * sizeof(crd_sim_touch));
}

/* ------------------------------------------------------------------------------------------------ positions */

/* Change of energy over the trial that the ledger does not account for; its bodies are placed. */
static double missed_energy(crd_group *group) {
  const crd_model *model = group->model;
  crd_tree_velocity(model, group->stage->work, group->trial->v);
  double end = crd_tree_kinetic_energy(model, group->stage->work, group->trial->v) +
               crd_tree_potential_energy(model, group->stage->work, group->trial->q);
  double known = crd_sim_booked(&group->trial->work) - crd_sim_booked(&group->now.work);
  return fabs(end - group->begin->kinetic - group->begin->potential - known);
}

/* From the end of the free motion to that of the trial. */
static crd_status finish(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  if (group->seen.constrained) {
    crd_sim_book_forces(group, scheme, dt);
    crd_sim_book_rows(group);
    CRD_EACH (group->part, v, k) group->stage->dv[k] = group->trial->v[k] - group->stage->free_v[k];
    crd_tree_part_integrate(group->model, group->part, group->trial->q, group->stage->dv, scheme->theta * dt,
                            group->trial->q);
  }
  crd_status status = crd_sim_project(group, scheme);
  if (status == CRD_OK) status = crd_sim_prescribed_closes(group);
  if (status != CRD_OK || !group->seen.constrained) return status;
  keep_rest(group);
  group->seen.missed = missed_energy(group);
  group->seen.still = rests_as_before(group);
  if (group->seen.still) stay_at_end(group);
  return CRD_OK;
}

/* The same for a scheme with the rows of the start: q1 = q + dt v1 + what parts contacts that would overlap. The points
 * of the start are those of the end, their gaps as far as they are linear. */
static void finish_from_start(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  bool still = stop_slow(group, dt) && !crd_activation_moves(group) && group->seen.still &&
               crd_sim_deepest(group) <= crd_sim_parted(group);
  group->seen.still = group->seen.constrained && still;
  if (group->seen.still) {
    stay(group);
  } else {
    crd_sim_book_forces(group, scheme, dt);
    if (group->seen.constrained) crd_sim_book_rows(group);
    CRD_EACH (group->part, v, k) group->stage->displacement[k] = dt * group->trial->v[k];
    if (group->seen.constrained) crd_sim_part(group, dt);
    crd_tree_part_integrate(group->model, group->part, group->now.q, group->stage->displacement, 1, group->trial->q);
    for (int i = 0; group->seen.constrained && i < group->rows->touches.count; i++)
      if (group->rows->contact_of[i] >= 0)
        group->rows->touches.item[i].at.gap +=
            dt * group->rows->u[group->rows->problem->contact[group->rows->contact_of[i]].row];
  }
}

crd_status crd_sim_trial(crd_group *group, const crd_sim_scheme *scheme, double dt) {
  group->seen = (crd_sim_seen){0};
  if (crd_sim_stopped(group)) return CRD_STOPPED;
  group->ledger.counters.trials++, group->ledger.counters.moved += crd_partition_count(group);
  crd_status status = scheme->at_start ? crd_sim_implicit_euler(group, dt) : crd_sim_free_motion(group, dt);
  if (status != CRD_OK) return status;
  crd_part_copy_v(group->part, group->stage->free_v, group->trial->v);
  status = crd_sim_constrain(group, scheme, dt);
  if (status != CRD_OK || group->seen.misled) return status;
  if (!scheme->at_start) return finish(group, scheme, dt);
  finish_from_start(group, scheme, dt);
  return CRD_OK;
}
