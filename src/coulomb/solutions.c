/* All solutions of a problem: those of its islands, each enumerated by itself, in every combination; and what they say.
 * Cost: the sum of the islands' modes, the product of their solutions. */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "coulomb/enumerate.h"
#include "coulomb/islands.h"

crd_coulomb_enumerate_options crd_coulomb_enumerate_default(void) {
  return (crd_coulomb_enumerate_options){.tolerance = 1e-9,
                                         .merge_tolerance = 1e-7,
                                         .max_modes = 65536,
                                         .max_searched = 150,
                                         .max_solutions = 1024,
                                         .starts = 16};
}

void crd_coulomb_solutions_free(crd_coulomb_solutions *solutions) {
  crd_arena_free(&solutions->arena);
  *solutions = (crd_coulomb_solutions){0};
}

/* The solutions of every island. */
typedef struct island_solutions {
  crd_island_problem *island;
  coulomb_found *found;
  int count, *choice;
} island_solutions;

static crd_status enumerate_islands(island_solutions *all, const crd_coulomb_enumerate_options *options,
                                    crd_arena *scratch, crd_coulomb_solutions *solutions) {
  crd_status verdict = CRD_OK;
  for (int i = 0; i < all->count; i++) {
    coulomb_island_report report;
    all->found[i] = (coulomb_found){.arena = scratch};
    crd_status status = coulomb_enumerate_island(&all->island[i].problem, options, &all->found[i], &report);
    solutions->modes += report.modes;
    solutions->searched |= report.searched, solutions->undecided |= report.undecided;
    solutions->every_slip |= report.every_slip;
    if (status < 0) return status;
    if (status == CRD_LIMIT && all->found[i].count == 0) return solutions->modes = 0, CRD_LIMIT;
    if (status == CRD_LIMIT && verdict == CRD_OK) verdict = CRD_LIMIT;
    if (all->found[i].count > 0) continue;
    /* one island without solution leaves the others no chance */
    if (!report.searched && !report.undecided) return CRD_NO_SOLUTION;
    verdict = CRD_UNKNOWN;
  }
  return verdict;
}

/* The chosen solution of every island, as one of the problem. */
static bool combine(const crd_coulomb_problem *problem, const island_solutions *all, crd_arena *arena,
                    crd_coulomb_solution *out) {
  size_t n = (size_t)problem->n;
  double *p, *u;
  crd_mode *mode;
  crd_coulomb_residual_parts parts = {0};
  if (CRD_TAKE(arena, CRD_ARRAY(p, n), CRD_ARRAY(u, n), CRD_ARRAY(mode, problem->ncontact))) return false;
  *out = (crd_coulomb_solution){.p = p, .u = u, .mode = mode};
  for (int i = 0; i < all->count; i++) {
    const crd_island_problem *island = &all->island[i];
    const crd_coulomb_solution *own = &all->found[i].solution[all->choice[i]];
    for (int r = 0; r < island->problem.n; r++) p[island->row[r]] = own->p[r];
    for (int c = 0; c < island->problem.ncontact; c++) mode[island->contact[c]] = own->mode[c];
    out->freedom += own->freedom, out->continuum |= own->continuum;
  }
  if (problem->n > 0) crd_coulomb_residual(problem, p, u, &parts);
  out->residual = parts.worst;
  return true;
}

/* Every combination, the last island fastest. */
static crd_status combine_all(const crd_coulomb_problem *problem, island_solutions *all, int most,
                              crd_coulomb_solutions *solutions) {
  double combinations = 1;
  for (int i = 0; i < all->count; i++) combinations *= all->found[i].count;
  int count = combinations < most ? (int)combinations : most;
  crd_coulomb_solution *list = crd_arena_alloc(&solutions->arena, (size_t)count, sizeof *list);
  if (!list) return CRD_ERR_MEMORY;
  for (int k = 0; k < count; k++) {
    if (!combine(problem, all, &solutions->arena, &list[k])) return CRD_ERR_MEMORY;
    for (int i = all->count - 1; i >= 0; i--) {
      all->choice[i] = (all->choice[i] + 1) % all->found[i].count;
      if (all->choice[i] != 0) break;
    }
  }
  solutions->solution = list, solutions->count = count;
  return combinations > most ? CRD_LIMIT : CRD_OK;
}

static crd_status enumerate(const crd_coulomb_problem *problem, const crd_coulomb_enumerate_options *options,
                            crd_arena *scratch, crd_coulomb_solutions *solutions) {
  island_solutions all = {0};
  int *owner = crd_arena_alloc(scratch, (size_t)problem->n, sizeof *owner);
  if (!owner) return CRD_ERR_MEMORY;
  crd_status status = crd_coulomb_check(problem, owner, &solutions->row);
  if (status == CRD_OK) status = crd_island_problems(problem, scratch, &all.island, &all.count);
  if (status != CRD_OK) return status;
  if (CRD_TAKE(scratch, CRD_ARRAY(all.found, all.count), CRD_ARRAY(all.choice, all.count))) return CRD_ERR_MEMORY;
  status = enumerate_islands(&all, options, scratch, solutions);
  if (status != CRD_OK && !(status == CRD_LIMIT && solutions->modes > 0)) return status;
  crd_status listed = combine_all(problem, &all, options->max_solutions, solutions);
  return listed == CRD_OK ? status : listed;
}

crd_status crd_coulomb_enumerate(const crd_coulomb_problem *problem, const crd_coulomb_enumerate_options *options,
                                 crd_coulomb_solutions *solutions) {
  if (!problem || !solutions) return CRD_ERR_ARGUMENT;
  crd_coulomb_enumerate_options defaults = crd_coulomb_enumerate_default();
  if (!options) options = &defaults;
  crd_arena scratch = {0};
  crd_coulomb_solutions_free(solutions);
  solutions->n = problem->n, solutions->ncontact = problem->ncontact, solutions->row = -1;
  crd_status status = CRD_ERR_ARGUMENT;
  if (options->tolerance > 0 && options->merge_tolerance > 0 && options->max_solutions > 0 && options->starts > 0)
    status = enumerate(problem, options, &scratch, solutions);
  if (status < 0) solutions->count = 0;
  crd_arena_free(&scratch);
  return solutions->status = status;
}

const char *crd_coulomb_motion_name(crd_coulomb_motion motion) {
  static const char *const name[] = {"unknown", "none", "unique", "several"};
  return name[motion];
}

crd_coulomb_verdict crd_coulomb_judge(const crd_coulomb_solutions *solutions) {
  crd_coulomb_verdict verdict = {.motion = CRD_MOTION_UNKNOWN, .forces_unique = true};
  bool several = solutions->count > 1;
  for (int k = 0; k < solutions->count; k++) {
    verdict.forces_unique &= solutions->solution[k].freedom == 0;
    several |= solutions->solution[k].continuum;
  }
  if (several)
    verdict.motion = CRD_MOTION_SEVERAL, verdict.proved = true;
  else if (solutions->status == CRD_OK && solutions->count == 1)
    verdict.motion = CRD_MOTION_UNIQUE, verdict.proved = !solutions->searched && !solutions->undecided;
  else if (solutions->status == CRD_NO_SOLUTION)
    verdict.motion = CRD_MOTION_NONE, verdict.proved = true;
  return verdict;
}
