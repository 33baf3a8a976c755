/* Samples with restitution: Stronge's energetic coefficient at arbitrary relative rates, which Halm & Posa leave as
 * future work.
 *
 * While a contact approaches it is compressed: the work -p_n (u_n + u_n')/2 of its normal impulse in a step (exact, K
 * is quadratic) is absorbed, and e^2 of it is stored. When it approaches no more it gives that energy back: in each
 * step it pushes with its drawn bound, or with what is left of its store, while friction and the other contacts act as
 * in (75). The impact is over when no contact approaches and every store is empty. Friction and compression only take
 * energy from the bodies; a step in which they seem to give some (friction is implicit, so its work over the step can
 * be wrong by a term of second order in h) takes it out of the stores. So kinetic energy and stores together never
 * grow, whatever the rates. One contact without friction: u_n+ = -e u_n-. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "outcome/engine.h"

enum { EXACT_TRIALS = 8 };                  /* before bounds are halved */
static const double GIVEN_ROUNDING = 1e-12; /* relative: as much as was stored */
static const double JUST_BELOW =
    0.999999; /* of the bound that would be exact for one contact, so that rounding does not exceed it */
static const double HALF = 0.5; /* where modes change with the bound */

enum { MOST_TRIALS = 60 };

static double normal_velocity(const outcome_reduced *r, int c, const double *y) {
  return crd_dense_dot(r->rank, r->C + (size_t)r->rank * (size_t)r->contact[c].row, y);
}

static double stored_energy(const outcome_worker *worker) {
  double sum = 0;
  for (int c = 0; c < worker->engine->table.nc; c++) sum += worker->stored[c];
  return sum;
}

/* The impulse after which contact c alone would have given back its store: s u_n + W_nn s^2 / 2 = E. */
static double emptying_impulse(const outcome_reduced *r, int c, double u, double stored) {
  size_t row = (size_t)r->contact[c].row;
  double W = r->W[row * (size_t)r->nrow + row];
  return 2 * stored / (u + sqrt(u * u + 2 * W * stored));
}

/* Which contacts give back in this step, and their bounds. */
static void choose_pushing(outcome_worker *worker, double *x) {
  const outcome_engine *engine = worker->engine;
  const outcome_reduced *r = &engine->reduced;
  for (int c = 0; c < r->nc; c++) {
    double u = normal_velocity(r, c, x), *bound = x + r->rank + c;
    worker->push[c] = worker->stored[c] > 0 && u >= -engine->options.tolerance * r->speed[c];
    if (worker->push[c]) *bound = fmin(*bound, emptying_impulse(r, c, fmax(u, 0), worker->stored[c]));
  }
}

/* One step from x to y. Pushing contacts are held back until none gives more than it has. */
static crd_status solve_step(outcome_worker *worker, double *x, double *y) {
  const outcome_reduced *r = &worker->engine->reduced;
  for (int trial = 0; trial < MOST_TRIALS; trial++) {
    crd_status status = outcome_step_push(&worker->lcp, x, worker->push, y);
    if (status != CRD_OK) return status;
    bool fits = true;
    for (int c = 0; c < r->nc; c++) {
      if (!worker->push[c]) continue;
      double p = worker->lcp.p[r->contact[c].row];
      double given = 0.5 * p * (normal_velocity(r, c, x) + normal_velocity(r, c, y));
      if (given <= worker->stored[c] * (1 + GIVEN_ROUNDING)) continue;
      /* exact for one contact; where others change their mode with it, halving goes on */
      x[r->rank + c] *= fmin(trial < EXACT_TRIALS ? JUST_BELOW : HALF, worker->stored[c] / given);
      fits = false;
    }
    if (fits) return CRD_OK;
  }
  return CRD_LIMIT;
}

/* Stores after the step, and never more energy in all than before it. */
static void account(outcome_worker *worker, const double *x, const double *y) {
  const outcome_reduced *r = &worker->engine->reduced;
  double total = outcome_kinetic(r, x) + stored_energy(worker);
  for (int c = 0; c < r->nc; c++) {
    double given = 0.5 * worker->lcp.p[r->contact[c].row] * (normal_velocity(r, c, x) + normal_velocity(r, c, y));
    double e = r->contact[c].e;
    worker->stored[c] = fmax(0, worker->stored[c] - (given > 0 ? given : e * e * given));
    if (worker->stored[c] <= OUTCOME_EMPTY * r->kinetic) worker->stored[c] = 0;
  }
  double stored = stored_energy(worker), allowed = fmax(0, total - outcome_kinetic(r, y));
  for (int c = 0; c < r->nc && stored > allowed; c++) worker->stored[c] *= allowed / stored;
}

static crd_outcome_end run_one(outcome_worker *worker, uint64_t sample, double *x, uint32_t *lcps) {
  const outcome_engine *engine = worker->engine;
  const crd_outcome_options *options = &engine->options;
  const outcome_reduced *r = &engine->reduced;
  memset(worker->stored, 0, sizeof *worker->stored * (size_t)r->nc);
  for (int step = 0; engine->kernels->approaches(&engine->table, x) || stored_energy(worker) > 0; step++) {
    if (step == options->steps) return CRD_OUTCOME_STEPS;
    const outcome_draw draw = {options->seed, sample, (uint32_t)step};
    outcome_draw_bounds(&draw, options->pattern, r->nc, x + r->rank);
    for (int c = 0; c < r->nc; c++) x[r->rank + c] *= options->h;
    choose_pushing(worker, x);
    ++*lcps;
    if (solve_step(worker, x, worker->raw) != CRD_OK) return CRD_OUTCOME_UNSOLVED;
    account(worker, x, worker->raw);
    memcpy(x, worker->raw, sizeof *x * (size_t)r->rank);
  }
  return CRD_OUTCOME_DONE;
}

bool outcome_elastic_run(outcome_worker *worker, uint64_t first, int count) {
  const outcome_engine *engine = worker->engine;
  outcome_batch *batch = &worker->batch;
  batch->size = count, batch->first = first;
  worker->tally.known = false;
  for (int i = 0; i < count; i++) {
    if (crd_interrupted()) return false;
    double *x = batch->x + (size_t)engine->table.stride * (size_t)i;
    memcpy(x, engine->reduced.y0, sizeof *x * (size_t)engine->reduced.rank);
    batch->lcps[i] = 0;
    worker->ending[i] = (unsigned char)run_one(worker, first + (uint64_t)i, x, &batch->lcps[i]);
  }
  return true;
}
