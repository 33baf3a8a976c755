/* One thread's work: batches of samples, and single steps where the first fitting mode is not the whole answer. */
#include <math.h>
#include <string.h>

#include "base/layout.h"
#include "outcome/engine.h"

static const double LEAST_COVER = 0.1; /* covering vectors are drawn from [0.1, 1.1): they have to be positive */
/* y' closer than this, relative to |y0|, are one */
static const double MERGE = 1e-8;

crd_status outcome_worker_begin(outcome_worker *worker, const outcome_engine *engine) {
  *worker = (outcome_worker){.engine = engine, .answer_stride = 4 * engine->table.next_blocks, .tally.known = true};
  crd_arena *arena = &worker->arena;
  crd_status status = outcome_step_lcp_begin(&worker->lcp, &engine->reduced, &engine->facets, arena);
  if (status != CRD_OK) return status;
  size_t size = OUTCOME_BATCH, answer = (size_t)worker->answer_stride;
  outcome_batch *batch = &worker->batch;
  const crd_layout table[] = {
      CRD_ARRAY(batch->x, size * (size_t)engine->table.stride),
      CRD_ARRAY(batch->active, size),
      CRD_ARRAY(batch->hard, size),
      CRD_ARRAY(batch->hard_entry, size),
      CRD_ARRAY(batch->lcps, size),
      CRD_ARRAY(batch->y_next, answer),
      CRD_ARRAY(worker->ending, size),
      CRD_ARRAY(worker->stored, engine->table.nc),
      CRD_ARRAY(worker->push, engine->table.nc),
      CRD_ARRAY(worker->answer, OUTCOME_MOST_ANSWERS * answer),
      CRD_ARRAY(worker->raw, OUTCOME_MOST_ANSWERS * answer),
      CRD_ARRAY(worker->full, OUTCOME_MOST_ANSWERS),
      CRD_ARRAY(worker->raw_full, OUTCOME_MOST_ANSWERS),
      CRD_ARRAY(worker->held, engine->table.capacity),
  };
  return CRD_LAYOUT_TAKE(arena, table);
}

void outcome_worker_end(outcome_worker *worker) {
  outcome_step_lcp_end(&worker->lcp);
  crd_arena_free(&worker->arena);
}

static bool same(const outcome_reduced *r, const double *a, const double *b) {
  double size = 0, difference = 0;
  for (int k = 0; k < r->rank; k++) size = fmax(size, fabs(r->y0[k])), difference = fmax(difference, fabs(a[k] - b[k]));
  return difference <= MERGE * size;
}

bool outcome_worker_differ(outcome_worker *worker, const double *x, int one, int other) {
  const outcome_engine *engine = worker->engine;
  double *a = worker->raw, *b = worker->raw + worker->answer_stride;
  engine->kernels->follow(&engine->table, x, one, a);
  engine->kernels->follow(&engine->table, x, other, b);
  return !same(&engine->reduced, a, b);
}

/* Keeps y as a new answer unless it is there already. */
static void keep(outcome_worker *worker, const double *y, bool full) {
  const outcome_reduced *r = &worker->engine->reduced;
  for (int i = 0; i < worker->answers; i++)
    if (same(r, y, worker->answer + (size_t)worker->answer_stride * (size_t)i)) {
      worker->full[i] = worker->full[i] || full;
      return;
    }
  if (worker->answers == OUTCOME_MOST_ANSWERS) return;
  worker->full[worker->answers] = full;
  double *to = worker->answer + (size_t)worker->answer_stride * (size_t)worker->answers++;
  memcpy(to, y, sizeof *y * (size_t)r->rank);
}

/* No listed mode fits: the problem itself is asked for all solutions, or for one. */
static crd_status unlisted_answers(outcome_worker *worker, const double *x) {
  int count = 0;
  worker->tally.slow++;
  crd_status status = CRD_LIMIT;
  if (worker->engine->enumerate)
    status = outcome_step_enumerate(&worker->lcp, x, worker->raw, worker->raw_full, OUTCOME_MOST_ANSWERS, &count);
  for (int i = 0; i < count; i++)
    keep(worker, worker->raw + (size_t)worker->engine->reduced.rank * (size_t)i, worker->raw_full[i]);
  if (count > 0) return status;
  status = outcome_step_solve(&worker->lcp, x, NULL, worker->raw);
  if (status != CRD_OK) return status;
  keep(worker, worker->raw, worker->lcp.full);
  return CRD_LIMIT;
}

crd_status outcome_worker_answers(outcome_worker *worker, const double *x, int entry) {
  const outcome_engine *engine = worker->engine;
  const outcome_table *table = &engine->table;
  worker->answers = 0;
  if (entry < 0 || engine->enumerate) return unlisted_answers(worker, x);
  const outcome_entry *first = &table->entry[entry];
  engine->kernels->follow(table, x, entry, worker->raw);
  keep(worker, worker->raw, first->full);
  int held = 0;
  if (first->rivals > 0) held = engine->kernels->holding(table, x, first->rival, first->rivals, worker->held);
  for (int i = 0; first->rivals < 0 && (i = engine->kernels->find(table, x, i)) < table->count; i++)
    worker->held[held++] = i;
  for (int i = 0; i < held; i++) {
    engine->kernels->follow(table, x, worker->held[i], worker->raw);
    keep(worker, worker->raw, table->entry[worker->held[i]].full);
  }
  return table->complete ? CRD_OK : CRD_LIMIT;
}

static const double *solve_again(outcome_worker *worker, const outcome_draw *draw, const double *x) {
  double *cover = NULL;
  if (worker->engine->options.selection == CRD_OUTCOME_RANDOM_COVER) {
    cover = worker->lcp.cover;
    for (int i = 0; i < worker->lcp.n; i++)
      cover[i] = LEAST_COVER + outcome_draw_unit(draw, OUTCOME_DRAW_COVER + (uint32_t)i);
  }
  if (outcome_step_solve(&worker->lcp, x, cover, worker->raw) != CRD_OK) return NULL;
  worker->step_full = worker->lcp.full;
  return worker->raw;
}

const double *outcome_worker_step(outcome_worker *worker, const outcome_draw *draw, const double *x, int entry) {
  crd_status status = outcome_worker_answers(worker, x, entry);
  if (status != CRD_OK) worker->tally.known = false;
  if (worker->answers == 0) return NULL;
  bool by_cover = worker->engine->options.selection == CRD_OUTCOME_RANDOM_COVER && entry < 0;
  worker->step_full = worker->full[0];
  if (worker->answers == 1 && !by_cover) return worker->answer;
  worker->tally.ambiguous += worker->answers > 1;
  crd_outcome_selection rule = worker->engine->options.selection;
  if (rule == CRD_OUTCOME_LEMKE || rule == CRD_OUTCOME_RANDOM_COVER) return solve_again(worker, draw, x);
  int chosen = (int)(outcome_draw_unit(draw, OUTCOME_DRAW_SELECT) * worker->answers);
  worker->step_full = worker->full[chosen];
  return worker->answer + (size_t)worker->answer_stride * (size_t)chosen;
}

/* ------------------------------------------------------------------------------------------------ batches */

static void draw_bounds(outcome_worker *worker, uint32_t step) {
  const outcome_engine *engine = worker->engine;
  const crd_outcome_options *options = &engine->options;
  outcome_batch *batch = &worker->batch;
  if (options->pattern == CRD_OUTCOME_UNIFORM) {
    engine->kernels->draw_uniform(&engine->table, batch, options->seed, step, options->h);
    return;
  }
  for (int i = 0; i < batch->nactive; i++) {
    double *x = batch->x + (size_t)engine->table.stride * (size_t)batch->active[i];
    double *bound = x + engine->table.rank;
    const outcome_draw draw = {options->seed, batch->first + (uint64_t)batch->active[i], step};
    outcome_draw_bounds(&draw, options->pattern, engine->table.nc, bound);
    for (int c = 0; c < engine->table.nc; c++) bound[c] *= options->h;
  }
}

/* The samples of this step that the kernel left over; false: interrupted. */
static bool step_hard(outcome_worker *worker, uint32_t step) {
  const outcome_engine *engine = worker->engine;
  outcome_batch *batch = &worker->batch;
  enum { BETWEEN_LOOKS = 16 }; /* samples, some microseconds to a millisecond each */
  for (int i = 0; i < batch->nhard; i++) {
    if (i % BETWEEN_LOOKS == 0 && crd_interrupted()) return false;
    int sample = batch->hard[i];
    double *x = batch->x + (size_t)engine->table.stride * (size_t)sample;
    const outcome_draw draw = {engine->options.seed, batch->first + (uint64_t)sample, step};
    const double *y = outcome_worker_step(worker, &draw, x, batch->hard_entry[i]);
    if (!y) {
      worker->ending[sample] = CRD_OUTCOME_UNSOLVED;
      continue;
    }
    bool still = engine->kernels->approaches(&engine->table, y);
    outcome_batch_check(batch, &engine->table, x, y, worker->step_full, still);
    memcpy(x, y, sizeof *x * (size_t)engine->table.rank);
    if (still) batch->active[batch->nactive++] = sample;
  }
  return true;
}

/* Line 5 of Algorithm 2, for those that still approach. */
static bool take_last_step(outcome_worker *worker) {
  const outcome_engine *engine = worker->engine;
  outcome_batch *batch = &worker->batch;
  for (int i = 0; i < batch->nactive; i++) {
    double *bound = batch->x + (size_t)engine->table.stride * (size_t)batch->active[i] + engine->table.rank;
    for (int c = 0; c < engine->table.nc; c++) bound[c] = engine->net.last_step;
  }
  engine->kernels->step(&engine->table, batch);
  return step_hard(worker, (uint32_t)engine->options.steps);
}

bool outcome_worker_run(outcome_worker *worker, uint64_t first, int count) {
  const outcome_engine *engine = worker->engine;
  outcome_batch *batch = &worker->batch;
  batch->size = count, batch->first = first, batch->nactive = 0;
  bool approaching = engine->kernels->approaches(&engine->table, engine->reduced.y0);
  for (int i = 0; i < count; i++) {
    double *x = batch->x + (size_t)engine->table.stride * (size_t)i;
    memcpy(x, engine->reduced.y0, sizeof *x * (size_t)engine->table.rank);
    batch->lcps[i] = 0, worker->ending[i] = CRD_OUTCOME_DONE;
    if (approaching) batch->active[batch->nactive++] = i;
  }
  for (int step = 0; step < engine->options.steps && batch->nactive > 0; step++) {
    if (crd_interrupted()) return false;
    draw_bounds(worker, (uint32_t)step);
    engine->kernels->step(&engine->table, batch);
    if (!step_hard(worker, (uint32_t)step)) return false;
  }
  if (engine->net.last_step > 0 && batch->nactive > 0 && !take_last_step(worker)) return false;
  for (int i = 0; i < batch->nactive; i++) worker->ending[batch->active[i]] = CRD_OUTCOME_STEPS;
  return true;
}
