/* A trial: the motion over a time from the present state, by a scheme. It reads (now), what crd_sim_begin_piece has made
 * of it, and the forecast, and writes (trial), sim->rows.touches and sim->seen: the same question gets the same bits, and what
 * is not accepted leaves no trace. */
#include <math.h>
#include <string.h>

#include "contact/assemble.h"
#include "sim/activation.h"
#include "sim/groups.h"
#include "sim/partition.h"

const crd_sim_scheme crd_sim_persistent = {.theta = 0.5}, crd_sim_capture = {.theta = 0.5, .capture = true},
                     crd_sim_moreau = {.theta = 1, .capture = true, .at_start = true};

/* ------------------------------------------------------------------------------------------------ rest */

/* The k-th tree (0 or 1) that a row acts on; -1: none. */
static int tree_of_row(const crd_sim *sim, int index, int k) {
  const crd_row *row = &sim->rows.assembler->row[index];
  int tree = row->ndof > 0 ? sim->scene.tree_of_dof[crd_row_dof(row, 0)] : -1;
  for (int i = 1; i < row->ndof; i++) { /* the lowest of its trees, or the highest */
    const int other = sim->scene.tree_of_dof[crd_row_dof(row, i)];
    if (k == 0 ? other < tree : other > tree) tree = other;
  }
  if (row->ndof > 0) return tree;
  return crd_sim_tree_of_body(sim, row->body[k]);
}

/* A tree of an island in which another one moves may be displaced by the projection, and does not rest. */
static void spread_motion(crd_sim *sim) {
  int m = sim->rows.problem->nrow + sim->rows.problem->nb, *moves = sim->closing.place;
  memset(moves, 0, (size_t)m * sizeof *moves);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < m; i++)
      for (int k = 0; k < 2; k++) {
        int tree = tree_of_row(sim, i, k), *island = &moves[sim->rows.island[i]];
        if (tree < 0) continue;
        if (pass == 0 && !sim->trees.rests[tree]) *island = 1;
        if (pass == 1 && *island) sim->trees.rests[tree] = false;
      }
}

/* Trees at rest before and after stay where they are: rounding and the error of the free motion do not let them creep.
 */
static void keep_rest(crd_sim *sim) {
  const crd_model *model = sim->model;
  double rest = 1e-13 * sim->scene.size / sim->options.timestep;
  CRD_EACH (&sim->part, v, i) sim->trees.rests[sim->scene.tree_of_dof[i]] = true;
  CRD_EACH (&sim->part, v, i)
    if (!(fabs(sim->now.v[i]) <= rest && fabs(sim->trial.v[i]) <= rest))
      sim->trees.rests[sim->scene.tree_of_dof[i]] = false;
  spread_motion(sim);
  CRD_EACH (&sim->part, link, j) {
    const crd_joint *joint = &model->joint[j];
    if (!sim->trees.rests[sim->scene.tree_of_dof[joint->v]]) continue;
    memcpy(sim->trial.q + joint->q, sim->now.q + joint->q, (size_t)joint->nq * sizeof(double));
    memset(sim->trial.v + joint->v, 0, (size_t)joint->nv * sizeof(double));
  }
}

static const double RESTS = 1e-10; /* of the size, in a step: what contacts hold and is slower is at rest */

/* Trees that forces would move and contacts hold, slower at the start and at the end of the step than what solving
 * leaves of velocities, are at rest: they do not creep. True: all of them. */
static bool stop_slow(crd_sim *sim, double dt) {
  double rest = RESTS * sim->scene.size / dt;
  bool all = true;
  CRD_EACH (&sim->part, v, k) sim->trees.rests[sim->scene.tree_of_dof[k]] = false;
  CRD_EACH (&sim->part, v, k) /* something would move it */
    if (fabs(sim->stage.free_v[k]) > rest) sim->trees.rests[sim->scene.tree_of_dof[k]] = true;
  CRD_EACH (&sim->part, v, k)
    if (!(fabs(sim->now.v[k]) <= rest && fabs(sim->trial.v[k]) <= rest))
      sim->trees.rests[sim->scene.tree_of_dof[k]] = false;
  CRD_EACH (&sim->part, v, k) {
    if (sim->trees.rests[sim->scene.tree_of_dof[k]]) sim->trial.v[k] = 0;
    all = all && sim->trial.v[k] == 0;
  }
  return all;
}

static const double SAME_FORCES = 1e-9; /* of the largest: what forces at rest may differ by from step to step */

static bool same_forces(const crd_part *part, const double *a, const double *b) {
  double change = 0, largest = 0;
  CRD_EACH (part, v, k) change = fmax(change, fabs(a[k] - b[k])), largest = fmax(largest, fabs(b[k]));
  return change <= SAME_FORCES * largest;
}

/* Was everything at rest, and is it, under the same forces, with the same points in the band? */
static bool rests_as_before(const crd_sim *sim) {
  const crd_sim_moment *now = &sim->now, *trial = &sim->trial;
  if (crd_activation_moves(sim)) return false;
  CRD_EACH (&sim->part, v, k)
    if (now->v[k] != 0 || !sim->trees.rests[sim->scene.tree_of_dof[k]]) return false;
  if (now->touches.count != trial->touches.count) return false;
  for (int i = 0; i < now->touches.count; i++)
    if (!now->touches.item[i].active != !trial->touches.item[i].active) return false;
  return same_forces(&sim->part, trial->load, now->load) && same_forces(&sim->part, trial->dry, now->dry);
}

/* The state as it was, with the forces as they were, so that every further step is the same, bit by bit. */
static void stay(crd_sim *sim) {
  crd_part_copy_q(&sim->part, sim->trial.q, sim->now.q);
  crd_part_copy_v(&sim->part, sim->trial.dry, sim->now.dry);
  memset(sim->rows.done, 0, sizeof *sim->rows.done * (size_t)sim->rows.problem->nc);
}

/* The same for a scheme whose points are those of the end, and whose forces the next free motion runs under. */
static void stay_at_end(crd_sim *sim) {
  stay(sim);
  sim->trial.work = sim->now.work;
  crd_part_copy_v(&sim->part, sim->trial.load, sim->now.load);
  memcpy(sim->trial.touches.item, sim->now.touches.item, (size_t)sim->now.touches.count * sizeof(crd_sim_touch));
}

/* ------------------------------------------------------------------------------------------------ positions */

/* By how much the trial changes the energy beyond what the ledger knows of; its bodies are placed. */
static double missed_energy(crd_sim *sim) {
  const crd_model *model = sim->model;
  crd_tree_velocity(model, sim->stage.work, sim->trial.v);
  double end = crd_tree_kinetic_energy(model, sim->stage.work, sim->trial.v) +
               crd_tree_potential_energy(model, sim->stage.work, sim->trial.q);
  double known = crd_sim_booked(&sim->trial.work) - crd_sim_booked(&sim->now.work);
  return fabs(end - sim->begin.kinetic - sim->begin.potential - known);
}

/* From the end of the free motion to that of the trial. */
static crd_status finish(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  if (sim->seen.constrained) {
    crd_sim_book_forces(sim, scheme, dt);
    crd_sim_book_rows(sim);
    CRD_EACH (&sim->part, v, k) sim->stage.chart[k] = sim->trial.v[k] - sim->stage.free_v[k];
    crd_tree_part_integrate(sim->model, &sim->part, sim->trial.q, sim->stage.chart, scheme->theta * dt, sim->trial.q);
  }
  crd_status status = crd_sim_project(sim, scheme);
  if (status != CRD_OK || !sim->seen.constrained) return status;
  keep_rest(sim);
  sim->seen.missed = missed_energy(sim);
  sim->seen.still = rests_as_before(sim);
  if (sim->seen.still) stay_at_end(sim);
  return CRD_OK;
}

/* The same for a scheme with the rows of the start: q1 = q + dt v1 + what parts contacts that would overlap. The points
 * of the start are those of the end, their gaps as far as they are linear. */
static void finish_from_start(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  bool still = stop_slow(sim, dt) && !crd_activation_moves(sim) && sim->seen.still &&
               crd_sim_deepest(sim) <= crd_sim_parted(sim);
  sim->seen.still = sim->seen.constrained && still;
  if (sim->seen.still) {
    stay(sim);
  } else {
    crd_sim_book_forces(sim, scheme, dt);
    if (sim->seen.constrained) crd_sim_book_rows(sim);
    CRD_EACH (&sim->part, v, k) sim->stage.chart[k] = dt * sim->trial.v[k];
    if (sim->seen.constrained) crd_sim_part(sim, dt);
    crd_tree_part_integrate(sim->model, &sim->part, sim->now.q, sim->stage.chart, 1, sim->trial.q);
    for (int i = 0; sim->seen.constrained && i < sim->rows.touches.count; i++)
      if (sim->rows.contact_of[i] >= 0)
        sim->rows.touches.item[i].at.gap += dt * sim->rows.u[sim->rows.problem->contact[sim->rows.contact_of[i]].row];
  }
}

crd_status crd_sim_trial(crd_sim *sim, const crd_sim_scheme *scheme, double dt) {
  sim->seen = (crd_sim_seen){0};
  if (crd_sim_stopped(sim)) return CRD_STOPPED;
  sim->ledger.counters.trials++, sim->ledger.counters.moved += crd_partition_trees(sim, NULL);
  crd_status status = scheme->at_start ? crd_sim_implicit_euler(sim, dt) : crd_sim_free_motion(sim, dt);
  if (status != CRD_OK) return status;
  crd_part_copy_v(&sim->part, sim->stage.free_v, sim->trial.v);
  status = crd_sim_constrain(sim, scheme, dt);
  if (status != CRD_OK || sim->seen.misled) return status;
  if (!scheme->at_start) return finish(sim, scheme, dt);
  finish_from_start(sim, scheme, dt);
  return CRD_OK;
}
