/* From the contact problem to a table of modes that is ready for sampling. */
#include "outcome/engine.h"

#include <math.h>

#include "outcome/net.h"
#include "outcome/rivals.h"

enum {
  FOUND_MODES = 2048,   /* kept where not all modes can be listed */
  SAMPLES_PER_PAIR = 16 /* a pair of modes is examined for ambiguity where so many samples will profit */
};
enum { LEAST_PAIRS = 2000 };
enum { MOST_STEPS = 1000000 }; /* N of Algorithm 2, where it is chosen here */

static crd_status check_problem(const crd_contact_problem *problem, const crd_outcome_options *options) {
  if (problem->nc < 1 || crd_contact_problem_turning(problem) >= 0) return CRD_ERR_ARGUMENT;
  for (int c = 0; c < problem->nc; c++) {
    int row = problem->contact[c].row, m = problem->nrow + problem->nb;
    if (!(problem->contact[c].mu >= 0)) return CRD_ERR_ARGUMENT;
    if (!isfinite(problem->contact[c].mu)) return CRD_ERR_NUMBER;
    if (options->restitution && !(problem->contact[c].e >= 0 && problem->contact[c].e <= 1)) return CRD_ERR_ARGUMENT;
    for (int i = 0; i <= problem->contact[c].ntangent; i++)
      if (!isfinite(problem->u_free[row + i]) ||
          !isfinite(problem->W[(size_t)m * (size_t)(row + i) + (size_t)(row + i)]))
        return CRD_ERR_NUMBER;
  }
  return isfinite(problem->kinetic_free) ? CRD_OK : CRD_ERR_NUMBER;
}

static crd_status fill_facets(outcome_engine *engine, int per_contact) {
  const outcome_reduced *r = &engine->reduced;
  const crd_contact_problem seen = {.nc = r->nc, .nrow = r->nrow, .contact = r->contact};
  crd_facets *f = &engine->facets;
  f->first = crd_arena_alloc(&engine->arena, (size_t)r->nc + 1, sizeof(int));
  f->direction =
      crd_arena_alloc(&engine->arena, 2 * (size_t)crd_facets_count(&seen, per_contact), sizeof *f->direction);
  if (!f->first || !f->direction) return CRD_ERR_MEMORY;
  crd_facets_fill(&seen, per_contact, f);
  return CRD_OK;
}

/* All regular modes where there are few, else room for those that the pilot finds. */
static crd_status list_modes(outcome_engine *engine) {
  const crd_outcome_options *options = &engine->options;
  outcome_mode_work work;
  bool all = !options->restitution && outcome_mode_count(&engine->facets, options->max_modes) <= options->max_modes;
  crd_status status = outcome_table_begin(&engine->table, &engine->reduced, options->tolerance,
                                          all ? options->max_modes : FOUND_MODES, &engine->arena);
  if (status != CRD_OK || !all) return status;
  status = outcome_mode_begin(&work, &engine->reduced, &engine->facets, &engine->arena);
  return status == CRD_OK ? outcome_table_fill(&engine->table, &work, &engine->arena) : status;
}

/* Algorithm 2: its constants, and its N where none is given. */
static crd_status prepare_net(outcome_engine *engine, const crd_contact_problem *problem) {
  crd_outcome_options *options = &engine->options;
  crd_outcome_net *net = &engine->net;
  crd_outcome_termination cone = {0};
  net->epsilon = options->epsilon, net->delta = options->delta;
  crd_status status = crd_outcome_bound(problem, options->facets, options->h, options->delta, &cone);
  if (status < 0) return status;
  if (status == CRD_OK && cone.pointed) net->reach = cone.free_norm;
  crd_outcome_termination_free(&cone);
  outcome_net_prepare(net, &engine->reduced, &engine->facets, options->h, &engine->arena);
  if (!(net->last_step <= options->h)) return CRD_ERR_ARGUMENT;
  if (options->steps == 0 && net->steps <= MOST_STEPS) options->steps = (int)net->steps;
  return CRD_OK;
}

static crd_status prepare(outcome_engine *engine, const crd_contact_problem *problem) {
  crd_outcome_options *options = &engine->options;
  crd_status status = outcome_reduce(&engine->reduced, problem, &engine->arena);
  if (status == CRD_OK) status = fill_facets(engine, options->facets);
  if (status == CRD_OK) status = list_modes(engine);
  if (status == CRD_OK)
    status = outcome_finish_begin(&engine->finish, &engine->reduced, crd_outcome_rest_speed(problem, options),
                                  &engine->arena);
  if (status != CRD_OK) return status;
  engine->kernels = outcome_kernels_of_cpu();
  if (options->h == 0) options->h = crd_outcome_default_h(problem);
  if (options->epsilon > 0 && (status = prepare_net(engine, problem)) != CRD_OK) return status;
  if (options->steps == 0) options->steps = crd_outcome_default_steps(problem, options->restitution);
  if (options->restitution) {
    options->selection = CRD_OUTCOME_LEMKE;
    return CRD_OK;
  }
  engine->enumerate = options->selection == CRD_OUTCOME_ALL_RANDOM && !engine->table.complete;
  if (options->selection == CRD_OUTCOME_AUTO && engine->table.complete) options->selection = CRD_OUTCOME_ALL_RANDOM;
  if (options->epsilon > 0)
    outcome_net_finish(&engine->net, &engine->reduced, &engine->table, options->h, options->steps, &engine->arena);
  status = outcome_pilot(engine);
  if (status != CRD_OK || !engine->table.complete) return status;
  /* how many pairs are worth their linear programs depends on the samples, the result does not: unexamined pairs are
   * all tried */
  uint64_t pairs = LEAST_PAIRS + options->samples / SAMPLES_PER_PAIR;
  return outcome_rivals_prove(&engine->table, &engine->reduced, (long)pairs, &engine->arena);
}

crd_status outcome_engine_begin(outcome_engine *engine, const crd_contact_problem *problem,
                                const crd_outcome_options *options) {
  *engine = (outcome_engine){.options = *options};
  if (!outcome_options_valid(options)) return CRD_ERR_ARGUMENT;
  crd_status status = check_problem(problem, options);
  return status == CRD_OK ? prepare(engine, problem) : status;
}

void outcome_engine_end(outcome_engine *engine) { crd_arena_free(&engine->arena); }
